#include "cli/work.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <new>

#include <karst/error.hpp>

#include "cli/clock.hpp"
#include "cli/job.hpp"
#include "cli/recipe_source.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

std::vector<LayerDigest> digests_of(std::span<const Output> outputs) {
    std::vector<LayerDigest> list;
    for (const auto &output : outputs) {
        list.push_back(
            {io::file_name(output.path), io::hexadecimal(io::digest_of(output.manifest.layer))});
    }
    return list;
}

Json json_of_stages(const std::vector<StageTime> &stages) {
    Json list = Json::array();
    for (const auto &stage : stages) {
        list.push_back(
            {{"stage", stage.stage}, {"device", stage.device}, {"seconds", stage.seconds}});
    }
    return list;
}

// What painted maps and pinned networks take: in the job, and as much in the generator, which does
// not know of holes.
std::uint64_t memory_of_inputs(const Asset &asset) {
    std::uint64_t bytes = 0;
    for (const auto &control : asset.job.controls) {
        bytes += control.map.cells().size_bytes();
    }
    if (asset.job.pin) {
        for (const auto &network : asset.job.pin->networks) {
            bytes += network.trail.cells().size_bytes();
        }
    }
    return 2 * bytes + (asset.holes ? asset.holes->content.cells().size_bytes() : 0);
}

// The job on fewer cells, of the same metres each; how many times fewer. A pinned network fits the
// whole only, and the part runs without it.
double crop(Job &job) {
    const std::int64_t side = job.depth > 0 ? 48 : 192;
    const auto cells = [&job] {
        return static_cast<double>(job.extent.width) * static_cast<double>(job.extent.height) *
               static_cast<double>(std::max<std::int64_t>(1, job.depth));
    };
    const double whole = cells();
    if (job.pin && std::max(job.extent.width, job.extent.height) > side) {
        job.pin.reset();
        std::erase_if(job.controls, [](const ControlMap &map) { return map.name == "grow"; });
    }
    job.extent = {std::min(job.extent.width, side), std::min(job.extent.height, side)};
    job.depth = std::min(job.depth, side);
    return whole / cells();
}

} // namespace

Asset asset_of(const Recipe &recipe, const RecipeItem &item, Claims &claims, Inputs &inputs) {
    try {
        Asset asset = make_asset(*item.generator, item.request, claims, inputs);
        asset.recipe = {io::file_name(recipe.path), item.asset};
        const std::string outside = claims.outside(recipe.folder);
        if (!outside.empty()) {
            refuse_recipe(item.file, item.pointer + "/outputs",
                          "a link leads to '" + outside +
                              "'; allowed are files inside the recipe's folder");
        }
        return asset;
    } catch (const Error &error) {
        if (error.code() == ErrorCode::invalid_argument || error.code() == ErrorCode::unsupported) {
            refuse_recipe(item.file, item.pointer, error.what());
        }
        throw;
    }
}

void make_folders(const Recipe &recipe, const RecipeItem &item) {
    namespace fs = std::filesystem;
    const fs::path root(recipe.folder.empty() ? "." : recipe.folder);
    std::error_code error; // the check of the target tells why a folder was not made
    const auto refuse_link = [&](const fs::path &place) {
        if (fs::is_symlink(fs::symlink_status(place, error))) {
            refuse_recipe(item.file, item.pointer + "/outputs",
                          "'" + place.string() +
                              "' is a symbolic link; allowed are files and folders inside the "
                              "recipe's folder");
        }
    };
    if (recipe.own_folder) {
        const fs::path beside = fs::path(recipe.path).parent_path();
        fs::path place = beside;
        for (const auto &part : root.lexically_relative(beside.empty() ? "." : beside)) {
            place /= part;
            if (part != ".") {
                refuse_link(place);
            }
        }
    }
    fs::create_directories(root, error);
    for (const auto &output : item.request.outputs) {
        const fs::path file = split_output(output).path;
        fs::path place = root;
        for (const auto &part : file.lexically_relative(root)) {
            place /= part;
            refuse_link(place);
        }
        fs::create_directories(file.parent_path(), error);
    }
}

std::optional<std::vector<LayerDigest>> unchanged_layers(const Asset &asset) {
    std::vector<LayerDigest> layers;
    for (const auto &target : files_of(asset)) {
        auto layer = unchanged_layer(manifest_of(asset, target), target);
        if (!layer) {
            return std::nullopt;
        }
        layers.push_back(std::move(*layer));
    }
    return layers;
}

Estimate estimate(const Asset &asset, const Options &options) {
    Estimate result;
    const std::atomic<bool> from_the_start{true};
    Options checks = options;
    checks.cancel = &from_the_start;
    checks.memory_limit = UINT64_MAX;
    checks.memory_needed = [&result](std::uint64_t bytes) {
        result.bytes = std::max(result.bytes, bytes);
    };
    try {
        if (asset.tiles) {
            asset.row->generate_tiles(
                asset.job, asset.tiles->options, [](const HeightmapTile &) {}, checks);
        } else {
            asset.row->generate(asset.job, checks);
        }
    } catch (const Error &error) {
        if (error.code() != ErrorCode::cancelled) {
            throw;
        }
    }
    require_hole_memory(asset, checks);
    result.bytes += memory_of_inputs(asset);
    Job part = asset.job;
    const double times = crop(part);
    const auto start = Clock::now();
    asset.row->generate(part, options);
    result.seconds = seconds_since(start) * times;
    return result;
}

bool WorkResult::worth_retrying() const {
    return error == ErrorCode::out_of_memory || error == ErrorCode::no_device ||
           error == ErrorCode::device_failure;
}

WorkResult work(const Recipe &recipe, const RecipeItem &item, const WorkSettings &settings,
                Options options) {
    const auto start = Clock::now();
    WorkResult result;
    std::vector<StageTime> stages;
    std::vector<StageDigest> digests;
    std::vector<std::string> notes;
    std::vector<DeviceChoice> choices;
    options.choices = &choices;
    options.stages = &stages;
    options.digests = &digests;
    options.notes = &notes;
    const auto fail = [&result](ErrorCode code, const std::string &message) {
        result.state = WorkState::failed;
        result.error = code;
        result.message = message;
    };
    const auto finish = [&] {
        result.seconds = seconds_since(start);
        if (!choices.empty()) {
            result.report["device_choice"] = json_of(choices.back());
        }
        result.report["stages"] = json_of_stages(stages);
        result.report["notes"] = notes;
    };
    try {
        make_folders(recipe, item);
        Claims claims;
        const Asset asset = asset_of(recipe, item, claims, *settings.inputs);
        if (options.memory_limit != 0) { // of all that the item takes
            options.memory_limit -= std::min(options.memory_limit - 1, memory_of_inputs(asset));
        }
        result.files = paths_of(asset);
        for (const auto &target : files_of(asset)) {
            result.report["outputs"].push_back({{"layer", target.layer}, {"file", target.path}});
        }
        if (asset.tiles) {
            if (settings.lock != nullptr) {
                throw Error(ErrorCode::unsupported,
                            "a lock does not hold tiles; allowed is an asset without tile_size");
            }
            const TileFiles files = make_tiles(asset, !settings.force, options);
            result.state = files.made.empty() ? WorkState::unchanged : WorkState::made;
            result.report.update(report_of(asset, files));
            finish();
            return result;
        }
        std::optional<std::vector<LayerDigest>> layers;
        if (!settings.force) {
            layers = unchanged_layers(asset);
        }
        std::vector<Output> outputs;
        Artifact artifact;
        if (layers) {
            result.state = WorkState::unchanged;
        } else {
            artifact = generate(asset, options);
            outputs = outputs_of(asset, artifact, digests, options);
            layers = digests_of(outputs);
            result.report.update(report_of(asset, artifact));
        }
        if (settings.lock != nullptr) {
            settings.lock->check(item.id, *layers);
        }
        write_outputs(outputs, stages, options.threads);
        result.layers = std::move(*layers);
    } catch (const Error &error) {
        if (error.code() == ErrorCode::cancelled) {
            throw;
        }
        fail(error.code(), error.what());
    } catch (const std::bad_alloc &) {
        fail(ErrorCode::out_of_memory, "out of memory");
    } catch (const std::exception &error) { // of the file system, for one
        fail(ErrorCode::io_failure, error.what());
    }
    finish();
    return result;
}

const char *state_name(WorkState state) {
    switch (state) {
    case WorkState::made:
        return "made";
    case WorkState::unchanged:
        return "unchanged";
    case WorkState::failed:
        return "failed";
    }
    return "";
}

} // namespace karst::cli
