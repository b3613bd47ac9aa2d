// karst crack, cave, heightmap, simulate physarum: whatever the registry holds.
#include "cli/commands.hpp"

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>
#include <karst/seed.hpp>

#include "cli/job.hpp"
#include "cli/values.hpp"
#include "io/exporters.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
    std::string seed = "0";
    OptionalText size, extent, cell, preset;
    std::vector<std::string> assignments;
    JobArguments job;
    std::unique_ptr<ParameterFlags> flags;
};

const Preset &find_preset(const GeneratorInfo &generator, const std::string &name) {
    std::string list;
    for (const auto &preset : generator.presets) {
        if (preset.name == name) {
            return preset;
        }
        list += (list.empty() ? "" : ", ") + preset.name;
    }
    throw Error(ErrorCode::invalid_argument, "there is no preset '" + name + "'; " +
                                                 generator.name + " has " +
                                                 (list.empty() ? "none" : list));
}

// The preset first, --set over it in the order written, flags over both.
Job make_job(const GeneratorInfo &generator, const Arguments &arguments) {
    Job job{ParamSet(generator.params), {}, 1, parse_seed(arguments.seed)};
    if (arguments.preset) {
        job.params.apply(find_preset(generator, *arguments.preset));
    } else if (!generator.presets.empty()) {
        job.params.apply(generator.presets.front());
    }
    for (const auto &assignment : arguments.assignments) {
        const auto [name, value] = parse_assignment(assignment);
        job.params.set_text(name, value);
    }
    arguments.flags->apply(job.params);
    const Layout layout =
        parse_layout(arguments.size, arguments.extent, arguments.cell,
                     {generator.default_extent, generator.default_cell}, generator.corner_samples);
    job.extent = layout.extent;
    job.cell = layout.cell;
    return job;
}

// A layer that a switch makes is made when it is asked for.
void switch_on(const GeneratorInfo &generator, const std::string &layer, ParamSet &params) {
    for (const auto &info : generator.layers) {
        if (info.name == layer && !info.parameter.empty()) {
            params.set(info.parameter, true);
        }
    }
}

io::Manifest manifest_of(const Job &job, const Artifact &artifact, const io::Format &format,
                         const Layer &layer, const std::string &path) {
    io::Manifest manifest;
    manifest.generator = artifact.generator;
    manifest.seed = job.seed;
    manifest.parameters = io::parameters(job.params);
    manifest.extent = job.extent;
    manifest.cell = job.cell;
    manifest.array = io::array_record(layer);
    manifest.array.file_scale = io::file_scale(format, layer);
    manifest.file = io::file_name(path);
    return manifest;
}

Json report_of(const Job &job, const Artifact &artifact) {
    Json report{{"generator", artifact.generator}, {"seed", seed_to_string(job.seed)}};
    report["extent"] = {job.extent.width, job.extent.height};
    report["cell"] = job.cell;
    report["parameters"] = io::json(io::parameters(job.params));
    report["layers"] = Json::array();
    for (const auto &layer : artifact.layers) {
        report["layers"].push_back(io::json(io::array_record(layer)));
    }
    report["measures"] = Json::object();
    for (const auto &[name, value] : artifact.measures) {
        report["measures"][name] = value;
    }
    return report;
}

void run(const GeneratorInfo &generator, const Arguments &arguments) {
    Job job = make_job(generator, arguments);
    require_result(arguments.job);
    std::vector<Target> targets;
    for (const auto &text : arguments.job.outputs) {
        targets.push_back(parse_target(text, generator.layers));
    }
    check_targets(targets, arguments.job.report, arguments.job.json);
    for (const auto &target : targets) {
        io::find_format(target.path);
        switch_on(generator, target.layer, job.params);
    }
    RunningJob running(arguments.job);

    const Artifact artifact = generator.generate(job, running.options());

    std::vector<Output> outputs;
    for (const auto &[name, path] : targets) {
        const Layer &layer = artifact.layer(name);
        const io::Format &format = io::find_format(path);
        outputs.push_back({name, path,
                           [&format, &artifact, &layer](io::OutputFile &file) {
                               io::write_layer(file, format, artifact, layer);
                           },
                           manifest_of(job, artifact, format, layer, path)});
    }
    write_outputs(outputs, running.stages());
    running.report(report_of(job, artifact), outputs);
}

std::string presets_of(const GeneratorInfo &generator) {
    std::string list;
    for (const auto &preset : generator.presets) {
        list += (list.empty() ? "" : ", ") + preset.name;
    }
    return list;
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
    }
    std::string command_line;
    for (const CLI::App *app = &command; app != nullptr; app = app->get_parent()) {
        command_line = app->get_name() + " " + command_line;
    }
    throw Error(ErrorCode::invalid_argument, "'" + text + "' is not expected" + reason + "; " +
                                                 command_line + "--help lists what is allowed");
}

void add_generator_command(CLI::App &parent, const GeneratorInfo &generator) {
    CLI::App &command = *parent.add_subcommand(generator.name, generator.help);
    const auto arguments = std::make_shared<Arguments>();
    command.allow_extras();
    command
        .add_option("--seed", arguments->seed,
                    "A decimal or 0x-hexadecimal number of at most 64 bits, or text (default 0)")
        ->type_name("SEED");
    command
        .add_option("--size", arguments->size,
                    "Cells (default " + std::to_string(generator.default_extent.width) + "x" +
                        std::to_string(generator.default_extent.height) + ")")
        ->type_name("WxH");
    command
        .add_option("--extent", arguments->extent,
                    "Metres: the width, or WxH. Without --size it is divided into cells")
        ->type_name("M");
    command
        .add_option("--cell", arguments->cell,
                    "Metres a cell (default " + to_string(ParamValue(generator.default_cell)) + ")")
        ->type_name("M");
    if (!generator.presets.empty()) {
        command
            .add_option("--preset", arguments->preset,
                        "One of " + presets_of(generator) + " (default the first)")
            ->type_name("NAME");
    }
    command
        .add_option("--set", arguments->assignments,
                    "A parameter by its name in the tables of karst params; repeatable")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    add_job_options(command, arguments->job);
    arguments->flags = std::make_unique<ParameterFlags>(command, generator.params);
    std::string layers = "Layers:";
    for (const auto &layer : generator.layers) {
        layers += "\n  " + layer.name + ": " + layer.help;
    }
    command.footer(layers);
    command.callback([&command, &generator, arguments] {
        refuse_unknown(command, generator.params);
        run(generator, *arguments);
    });
}

} // namespace karst::cli
