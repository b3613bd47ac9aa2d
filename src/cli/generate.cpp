// karst crack, cave, heightmap, simulate physarum: whatever the registry holds.
#include "cli/commands.hpp"

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>
#include <karst/seed.hpp>

#include "cli/asset.hpp"
#include "cli/asset_options.hpp"
#include "cli/job.hpp"

namespace karst::cli {

namespace {

struct Arguments {
    AssetRequest asset;
    JobArguments job;
    bool resume = false;
    std::unique_ptr<ParameterFlags> flags;
};

// "512 x 256" or "96 x 96 x 48".
std::string size_text(const Job &job) {
    return std::to_string(job.extent.width) + " x " + std::to_string(job.extent.height) +
           (job.depth > 0 ? " x " + std::to_string(job.depth) : "");
}

void run(const GeneratorInfo &generator, const Arguments &arguments) {
    AssetRequest request = arguments.asset;
    for (auto &assignment : arguments.flags->given()) {
        request.assignments.push_back(std::move(assignment));
    }
    require_result(arguments.job, request.outputs);
    if (arguments.resume && !request.tile_size) {
        throw Error(ErrorCode::invalid_argument,
                    "--resume is for tiles; allowed is to give --tile-size too");
    }
    Claims claims;
    Inputs inputs;
    Asset asset = make_asset(generator, request, claims, inputs);
    claim_reports(claims, arguments.job);
    RunningJob running(arguments.job);
    running.details(asset.row->name + ", seed " + seed_to_string(asset.job.seed) + ", " +
                        size_text(asset.job) + " cells of " +
                        to_string(ParamValue(asset.job.cell)) + " m",
                    io::parameters(asset.job.params));

    if (asset.tiles) {
        const TileFiles files = make_tiles(asset, arguments.resume, running.options());
        running.report(report_of(asset, files), files.made);
        return;
    }
    // A report holds the digests of all layers.
    asset.job.only_named = !asset.targets.empty() && !running.has_report();
    const Artifact artifact = generate(asset, running.options());
    const std::vector<Output> outputs =
        outputs_of(asset, artifact, running.digests(), running.options());
    write_outputs(outputs, running.stages(), running.options().threads);
    running.report(running.has_report() ? report_of(asset, artifact)
                                        : nlohmann::ordered_json::object(),
                   outputs);
}

std::string layers_of(const GeneratorInfo &row) {
    std::string list;
    for (const auto &layer : row.layers) {
        list += "\n  " + layer.name + ": " + layer.help;
    }
    return list;
}

void add_asset_option(CLI::App &command, const AssetOption &option, AssetRequest &request) {
    std::string name = "--" + option.name;
    std::replace(name.begin(), name.end(), '_', '-');
    std::visit(
        [&](auto member) {
            auto &value = request.*member;
            if constexpr (std::is_same_v<decltype(member), bool AssetRequest::*>) {
                command.add_flag(name, value, option.help);
            } else {
                CLI::Option *const added =
                    command.add_option(name, value, option.help)->type_name(option.type);
                if constexpr (!std::is_same_v<decltype(member), std::string AssetRequest::*> &&
                              !std::is_same_v<decltype(member), OptionalText AssetRequest::*>) {
                    added->allow_extra_args(false);
                }
            }
        },
        option.member);
}

bool has_option(const GeneratorInfo &generator, const std::string &name) {
    const auto options = asset_options(generator);
    return std::any_of(options.begin(), options.end(),
                       [&name](const AssetOption &option) { return option.name == name; });
}

} // namespace

void refuse_unknown(const CLI::App &command, std::span<const ParamInfo> infos) {
    const auto unknown = command.remaining();
    if (unknown.empty()) {
        return;
    }
    const std::string &text = unknown.front();
    std::string reason;
    if (text.starts_with("--") && !infos.empty()) {
        std::string name = text.substr(2, text.find('=') - 2);
        std::replace(name.begin(), name.end(), '-', '_');
        try {
            ParamSet(infos).value(name);
        } catch (const Error &error) { // it knows the nearest name
            reason = std::string(": ") + error.what();
        }
        for (const auto &other : all_generators()) {
            if (has_option(other, name)) {
                reason = ": it is for karst " + command_of(other);
            }
        }
    }
    std::string command_line;
    for (const CLI::App *app = &command; app != nullptr; app = app->get_parent()) {
        command_line = app->get_name() + " " + command_line;
    }
    throw Error(ErrorCode::invalid_argument, "'" + text + "' is not expected" + reason + "; " +
                                                 command_line + "--help lists what is allowed");
}

void add_generator_command(CLI::App &parent, const GeneratorInfo &generator) {
    const GeneratorInfo *volume = volume_row(generator);
    CLI::App &command = *parent.add_subcommand(generator.name, generator.help);
    const auto arguments = std::make_shared<Arguments>();
    command.allow_extras();
    for (const auto &option : asset_options(generator)) {
        add_asset_option(command, option, arguments->asset);
    }
    command
        .add_option("--set", arguments->asset.assignments,
                    "A parameter by its name in the tables of karst params; repeatable")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    add_output_option(command, arguments->asset.outputs);
    if (generator.generate_tiles) {
        command.add_flag("--resume", arguments->resume,
                         "Leave out tiles that are there as an earlier run of this job wrote them");
    }
    add_job_options(command, arguments->job);
    add_profile_options(command, arguments->job);
    const auto volume_params = volume != nullptr ? volume->params : std::span<const ParamInfo>{};
    arguments->flags = std::make_unique<ParameterFlags>(command, generator.params, volume_params);
    command.footer("Layers:" + layers_of(generator) +
                   (volume != nullptr ? "\nLayers of volumes:" + layers_of(*volume) : ""));
    command.callback([&command, &generator, volume_params, arguments] {
        std::vector<ParamInfo> infos(generator.params.begin(), generator.params.end());
        infos.insert(infos.end(), volume_params.begin(), volume_params.end());
        refuse_unknown(command, infos);
        run(generator, *arguments);
    });
}

} // namespace karst::cli
