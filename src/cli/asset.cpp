#include "cli/asset.hpp"

#include <filesystem>
#include <memory>
#include <type_traits>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>
#include <karst/seed.hpp>

#include "cli/asset_options.hpp"
#include "cli/control_files.hpp"
#include "cli/height_files.hpp"
#include "cli/levels.hpp"
#include "core/run.hpp"
#include "io/exporters.hpp"
#include "io/json_file.hpp"
#include "io/mesh_formats.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

// A layer that a switch makes, or that is made on request, is made when it is asked for.
void ask_for(const GeneratorInfo &generator, const std::string &layer, Job &job) {
    for (const auto &info : generator.layers) {
        if (info.name == layer && !info.parameter.empty()) {
            job.params.set(info.parameter, true);
        }
    }
    job.layers.push_back(layer);
}

// `path` as it is seen from the folder of `file`; as it is if it is absolute.
std::string seen_from(const std::string &file, const std::string &path) {
    namespace fs = std::filesystem;
    if (fs::path(path).is_absolute()) {
        return path;
    }
    const fs::path folder = fs::absolute(file).lexically_normal().parent_path();
    return fs::absolute(path).lexically_normal().lexically_relative(folder).generic_string();
}

// The switches that were given and that the manifest records.
io::Parameters writing_options(const GeneratorInfo &generator, const AssetRequest &request) {
    io::Parameters given;
    for (const auto &option : asset_options(generator)) {
        if (!option.writes) {
            continue;
        }
        visit_option(option, request, [&](const auto &value) {
            using Value = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, OptionalText>) {
                if (value) {
                    given.emplace_back(option.name, *value);
                }
            } else if constexpr (std::is_same_v<Value, bool>) {
                if (value) {
                    given.emplace_back(option.name, true);
                }
            } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
                std::string list;
                for (const std::string &text : value) {
                    list += (list.empty() ? "" : "; ") + text;
                }
                if (!list.empty()) {
                    given.emplace_back(option.name, list);
                }
            }
        });
    }
    return given;
}

Output output_of(const Asset &asset, const Artifact &artifact, const Target &target) {
    Output output{target.layer, target.path, {}, manifest_of(asset, target)};
    switch (target.kind) {
    case LayerKind::map:
    case LayerKind::volume:
        return layer_output(std::move(output.manifest), target, artifact);
    case LayerKind::mesh: {
        const MeshLayer &mesh = artifact.mesh(target.layer);
        const io::MeshFormat &format = io::find_mesh_format(target.path);
        const MeshFileOptions file_axes = format.says_axes ? MeshFileOptions{} : asset.axes;
        const auto level = target.level;
        output.write = [&format, &artifact, &mesh, file_axes, level](io::OutputFile &file) {
            if (level) {
                io::write_mesh(file, format, artifact, level_of(mesh, level->level), file_axes);
            } else {
                io::write_mesh(file, format, artifact, mesh, file_axes);
            }
        };
        io::MeshRecord record = level ? level_record(mesh, level->level) : io::mesh_record(mesh);
        record.short_indices = asset.short_indices;
        record.file_axes = file_axes;
        output.manifest.layer = std::move(record);
        output.manifest.level = level;
        break;
    }
    case LayerKind::document:
    case LayerKind::drawing: {
        const Document &document = artifact.document(target.layer);
        output.write = [&document](io::OutputFile &file) { file.write(document.text); };
        output.manifest.layer = io::document_record(document);
        break;
    }
    }
    return output;
}

} // namespace

Asset make_asset(const GeneratorInfo &generator, const AssetRequest &request, Claims &claims,
                 Inputs &inputs) {
    const GeneratorInfo &row = requested_row(generator, request);
    Asset asset{.row = &row, .job = make_job(generator, row, request)};
    asset.shape = request.shape;
    asset.options = writing_options(generator, request);
    for (const auto &text : request.requirements) {
        asset.requirements.push_back(parse_requirement(text));
    }
    for (const auto &text : request.outputs) {
        for (auto &target : parse_targets(text, row.layers)) {
            asset.targets.push_back(std::move(target));
        }
    }
    if (request.shape) {
        claims.input(*request.shape);
    }
    const std::vector<ControlFile> controls = control_files(request, asset.job.params);
    for (const auto &control : controls) {
        claims.input(control.path);
    }
    asset.tiles = plan_tiles(row, request, asset.job.extent, asset.targets);
    if (request.pin) {
        claims.input(*request.pin);
    }
    if (request.holes) {
        claims.input(*request.holes);
    }
    asset.plans = plan_targets(row, request, asset.job.extent, asset.targets);
    for (std::size_t i = 0; i < asset.targets.size(); ++i) {
        if (asset.tiles) {
            claim_tiles(*asset.tiles, asset.targets[i], claims);
        } else if (asset.plans[i]) {
            claim(claims, *asset.plans[i]);
        } else {
            claims.targets({&asset.targets[i], 1});
        }
    }
    check_formats(asset.targets, row.layers);
    asset.axes = mesh_options(request, asset.targets);
    asset.short_indices = request.short_indices;
    if (request.shape) {
        const auto shape = inputs.shape(*request.shape, asset.axes);
        asset.job.shape = shape->content;
        asset.inputs.push_back({"shape", *request.shape, shape->digest});
    }
    if (request.pin) {
        const auto pin = inputs.networks(*request.pin);
        asset.job.pin = pin->content;
        asset.inputs.push_back({"pin", *request.pin, pin->digest});
    }
    if (request.holes) {
        asset.holes = inputs.map(*request.holes);
        asset.inputs.push_back({"holes", *request.holes, asset.holes->digest});
    }
    for (const auto &control : controls) {
        const auto map = inputs.map(control.path);
        asset.job.controls.push_back({control.name, map->content, control.black, control.white});
        asset.inputs.push_back({control.option, control.path, map->digest});
        if (control.option == "map") {
            asset.inputs.back().map = {control.name, control.black, control.white};
        }
    }
    for (std::size_t i = 0; i < asset.targets.size(); ++i) {
        const bool heights = asset.plans[i] && asset.plans[i]->format != nullptr;
        ask_for(row, heights ? kElevation : asset.targets[i].layer, asset.job);
    }
    return asset;
}

void require_hole_memory(const Asset &asset, const Options &options) {
    if (asset.holes) {
        core::require_memory(hole_memory(asset.holes->content, asset.job.extent),
                             "the mask of holes of a map of this size", options);
    }
}

Artifact generate(const Asset &asset, const Options &options) {
    require_hole_memory(asset, options);
    Artifact artifact;
    try {
        artifact = asset.row->generate(asset.job, options);
    } catch (const Error &error) {
        if (asset.shape && error.code() == ErrorCode::invalid_input) {
            throw Error(error.code(), *asset.shape + ": " + error.what());
        }
        throw;
    }
    if (asset.recipe) {
        artifact.recipe = asset.recipe->file + ": " + asset.recipe->asset;
    }
    check_requirements(asset.requirements, artifact);
    if (asset.short_indices) {
        cut_for_short_indices(artifact, options);
    }
    return artifact;
}

io::Manifest manifest_of(const Asset &asset, const Target &target) {
    io::Manifest manifest;
    manifest.generator = asset.row->name;
    manifest.recipe = asset.recipe;
    manifest.seed = asset.job.seed;
    manifest.parameters = io::parameters(asset.job.params);
    manifest.extent = asset.job.extent;
    manifest.depth = asset.job.depth;
    manifest.cell = asset.job.cell;
    manifest.inputs = asset.inputs;
    for (auto &input : manifest.inputs) {
        input.path = seen_from(target.path, input.path);
    }
    manifest.options = asset.options;
    manifest.file = io::file_name(target.path);
    return manifest;
}

std::vector<Target> files_of(const Asset &asset) {
    std::vector<Target> files;
    for (std::size_t i = 0; i < asset.targets.size(); ++i) {
        const Target &target = asset.targets[i];
        if (!asset.plans[i]) {
            files.push_back(target);
            continue;
        }
        for (const auto &tile : asset.plans[i]->tiles) {
            files.push_back({stored_layer(*asset.plans[i], target.layer), target.kind, tile.path});
            if (!tile.holes.empty()) {
                files.back().beside.push_back(tile.holes);
            }
        }
        for (auto &path : asset.plans[i]->files_beside()) {
            files.back().beside.push_back(std::move(path));
        }
    }
    return files;
}

std::vector<std::string> paths_of(const Asset &asset) {
    std::vector<std::string> paths;
    for (const auto &target : files_of(asset)) {
        if (asset.tiles) {
            for (const auto &tile : tile_targets(*asset.tiles, target)) {
                paths.push_back(tile.path);
            }
            continue;
        }
        paths.push_back(target.path);
        paths.insert(paths.end(), target.beside.begin(), target.beside.end());
    }
    return paths;
}

Output layer_output(io::Manifest manifest, const Target &target, const Artifact &artifact) {
    const Layer &layer = artifact.layer(target.layer);
    const io::Format &format = io::find_format(target.path);
    Output output{target.layer, target.path, {}, std::move(manifest)};
    output.write = [&format, &artifact, &layer](io::OutputFile &file) {
        io::write_layer(file, format, artifact, layer);
    };
    output.manifest.layer = io::file_record(format, layer);
    return output;
}

namespace {

// Whether the file beside another one has the bytes that the manifest of that one tells.
bool is_as_recorded(const Json &manifest, const std::string &path) {
    for (const auto &beside : manifest.value("beside", Json::array())) {
        if (beside.at("file") == io::file_name(path)) {
            const auto found = io::digest_file(path);
            return found && beside.at("digest") == io::hexadecimal(found->digest);
        }
    }
    return false;
}

bool is_of_level(const Json &manifest, const std::optional<io::LevelRecord> &level) {
    if (!manifest.contains("lod")) {
        return !level;
    }
    const Json &record = manifest["lod"];
    return level && record.at("files") == level->files && record.at("level") == level->level;
}

} // namespace

std::optional<LayerDigest> unchanged_layer(const io::Manifest &job, const Target &target) {
    const std::string path = io::manifest_path(target.path);
    if (!std::filesystem::is_regular_file(path)) {
        return std::nullopt;
    }
    try {
        const Json manifest = io::read_json(path);
        const auto found = io::digest_file(target.path);
        if (!found || manifest.at("file_digest") != io::hexadecimal(found->digest) ||
            manifest.at("layer").at("name") != target.layer ||
            !is_of_level(manifest, target.level) || io::job_of(manifest) != io::job_json(job)) {
            return std::nullopt;
        }
        for (const auto &beside : target.beside) {
            if (!is_as_recorded(manifest, beside)) {
                return std::nullopt;
            }
        }
        return LayerDigest{io::file_name(target.path),
                           manifest.at("layer").at("digest").get<std::string>()};
    } catch (const Error &) { // no JSON
        return std::nullopt;
    } catch (const Json::exception &) { // no manifest
        return std::nullopt;
    }
}

std::vector<Output> outputs_of(const Asset &asset, const Artifact &artifact,
                               std::span<const StageDigest> stages, const Options &options) {
    std::vector<Output> outputs;
    std::shared_ptr<const io::HoleMask> holes;
    if (asset.holes) {
        holes = std::make_shared<const io::HoleMask>(
            hole_mask(asset.holes->content, asset.job.extent, options));
    }
    for (std::size_t i = 0; i < asset.targets.size(); ++i) {
        const std::size_t first = outputs.size();
        if (asset.plans[i]) {
            add_tiles(outputs, *asset.plans[i], artifact, asset.targets[i].layer, holes);
        } else {
            outputs.push_back(output_of(asset, artifact, asset.targets[i]));
        }
        for (auto output = outputs.begin() + static_cast<std::ptrdiff_t>(first);
             output != outputs.end(); ++output) {
            io::Manifest manifest = manifest_of(asset, {output->layer, {}, output->path});
            manifest.layer = std::move(output->manifest.layer);
            manifest.tile = output->manifest.tile;
            manifest.level = output->manifest.level;
            manifest.stages.assign(stages.begin(), stages.end());
            output->manifest = std::move(manifest);
        }
    }
    return outputs;
}

namespace {

Json report_of(const Asset &asset) {
    const Job &job = asset.job;
    Json report{{"generator", asset.row->name}, {"seed", seed_to_string(job.seed)}};
    report["extent"] = io::json(job.extent, job.depth);
    report["cell"] = job.cell;
    report["parameters"] = io::json(io::parameters(job.params));
    return report;
}

} // namespace

Json report_of(const Asset &asset, const TileFiles &files) {
    Json report = report_of(asset);
    const TilePlan &plan = *asset.tiles;
    report["tiles"] = {{"size", plan.options.size},    {"overlap", plan.options.overlap},
                       {"columns", plan.counts.width}, {"rows", plan.counts.height},
                       {"made", files.tiles},          {"kept", files.kept}};
    return report;
}

Json report_of(const Asset &asset, const Artifact &artifact) {
    Json report = report_of(asset);
    report["generator"] = artifact.generator;
    report["layers"] = Json::array();
    for (const auto &layer : artifact.layers) {
        report["layers"].push_back(io::json(io::array_record(layer)));
    }
    for (const auto &mesh : artifact.meshes) {
        report["layers"].push_back(io::json(io::mesh_record(mesh)));
    }
    for (const auto &document : artifact.documents) {
        report["layers"].push_back(io::json(io::document_record(document)));
    }
    report["measures"] = Json::object();
    for (const auto &[name, value] : artifact.measures) {
        report["measures"][name] = value;
    }
    return report;
}

} // namespace karst::cli
