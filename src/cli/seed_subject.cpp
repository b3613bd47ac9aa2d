#include "cli/seed_subject.hpp"

#include <algorithm>
#include <utility>

#include <karst/error.hpp>

#include "cli/values.hpp"
#include "core/joined.hpp"
#include "io/manifest.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

Json size_json(Extent2 extent, std::int64_t depth) {
    Json size{extent.width, extent.height};
    if (depth > 0) {
        size.push_back(depth);
    }
    return size;
}

SeedJob life_job(const AssetRequest &request, const std::vector<std::int64_t> &steps) {
    if (request.preset || request.cell || request.extent) {
        throw Error(ErrorCode::invalid_argument,
                    "life has no --preset, --extent and --cell; allowed are --size and --set");
    }
    ParamSet params(lab::LifeSubject::infos());
    for (const auto &assignment : request.assignments) {
        const auto [name, value] = parse_assignment(assignment);
        params.set_text(name, value);
    }
    const Extent2 extent = parse_size(request.size.value_or("256x256"));
    return {std::make_unique<lab::LifeSubject>(params, extent, steps),
            {{"generator", "life"},
             {"preset", Json()},
             {"parameters", io::json(io::parameters(params))},
             {"size", size_json(extent, 0)},
             {"cell", 1.0}},
            false};
}

SeedJob generator_job(const std::string &name, const AssetRequest &request,
                      const std::vector<std::int64_t> &steps) {
    const GeneratorInfo &generator = find_generator(name);
    const GeneratorInfo &row = requested_row(generator, request);
    Job job = make_job(generator, row, request);
    for (const auto &layer : row.layers) { // meshes and the like are not looked at
        if (!layer.parameter.empty() && layer.kind != LayerKind::map &&
            layer.kind != LayerKind::volume) {
            job.params.set(layer.parameter, false);
        }
    }
    std::string preset = row.presets.empty() ? "" : row.presets.front().name;
    preset = request.preset.value_or(preset);
    Json what{{"generator", row.name},
              {"preset", preset.empty() ? Json() : Json(preset)},
              {"parameters", io::json(io::parameters(job.params))},
              {"size", size_json(job.extent, job.depth)},
              {"cell", job.cell}};
    return {std::make_unique<lab::GeneratorSubject>(row, std::move(job), steps), std::move(what),
            row.simulation};
}

} // namespace

std::string seed_generators() {
    return "life, " + core::joined(all_generators(), &GeneratorInfo::name);
}

SeedJob seed_job(const std::string &generator, const AssetRequest &request,
                 const std::vector<std::int64_t> &steps) {
    if (generator == "life") {
        return life_job(request, steps);
    }
    const auto rows = all_generators();
    if (std::none_of(rows.begin(), rows.end(),
                     [&](const GeneratorInfo &row) { return row.name == generator; })) {
        throw Error(ErrorCode::invalid_argument, "there is no generator '" + generator +
                                                     "'; allowed is one of " + seed_generators());
    }
    return generator_job(generator, request, steps);
}

void add_seed_job_options(CLI::App &command, AssetRequest &asset) {
    const auto text = [&command](const char *name, auto &value, const char *type,
                                 const std::string &help) {
        command.add_option(name, value, help)->type_name(type)->allow_extra_args(false);
    };
    text("--preset", asset.preset, "NAME", "A preset of the generator (default its first)");
    text("--size", asset.size, "WxH", "Cells, WxHxD for volumes (default the generator's)");
    text("--extent", asset.extent, "M", "Metres, W or WxH");
    text("--cell", asset.cell, "M", "Metres a cell");
    text("--set", asset.assignments, "NAME=VALUE",
         "A parameter; of life rule, density, boundary, generations; repeatable");
}

} // namespace karst::cli
