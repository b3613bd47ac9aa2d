#include "cli/height_files.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <karst/error.hpp>

#include "io/exporters.hpp"
#include "io/hole_files.hpp"

namespace karst::cli {

namespace {

std::function<void(io::OutputFile &)> text_writer(std::string text) {
    return [text = std::move(text)](io::OutputFile &file) { file.write(text); };
}

bool holds_heights(const Target &target) {
    return target.layer == "height" || target.layer == kElevation;
}

Extent2 parse_counts(const std::string &text) {
    try {
        return parse_size(text);
    } catch (const Error &) {
        throw Error(ErrorCode::invalid_argument,
                    "tiles is '" + text + "'; allowed is COLUMNSxROWS, each a whole number from 1");
    }
}

} // namespace

bool makes_heights(const GeneratorInfo &row) {
    return std::any_of(row.layers.begin(), row.layers.end(),
                       [](const LayerInfo &layer) { return layer.name == kElevation; });
}

std::vector<std::optional<io::HeightPlan>> plan_targets(const GeneratorInfo &row,
                                                        const AssetRequest &request, Extent2 extent,
                                                        std::span<const Target> targets) {
    std::vector<std::optional<io::HeightPlan>> plans(targets.size());
    if (!request.profile && !request.tiles) {
        if (request.holes) {
            throw Error(ErrorCode::invalid_argument,
                        "holes are kept as an engine wants them; allowed is to give profile too");
        }
        return plans;
    }
    if (!makes_heights(row)) {
        throw Error(ErrorCode::invalid_argument,
                    "--profile and --tiles say how heights are written, and karst " +
                        command_of(row) + " makes none; they are for karst heightmap");
    }
    const io::Profile &profile = io::find_profile(request.profile.value_or("generic"));
    std::optional<Extent2> counts;
    if (request.tiles) {
        counts = parse_counts(*request.tiles);
    }
    if (std::none_of(targets.begin(), targets.end(),
                     [](const Target &target) { return target.kind == LayerKind::map; })) {
        throw Error(ErrorCode::invalid_argument,
                    "--profile and --tiles say how heights are written, and there are none");
    }
    if (request.holes && std::none_of(targets.begin(), targets.end(), holds_heights)) {
        throw Error(ErrorCode::invalid_argument,
                    "holes are holes in heights, and none are written; allowed is with the layer "
                    "height or elevation");
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
        const Target &target = targets[i];
        if (target.kind != LayerKind::map) {
            continue;
        }
        if (io::is_stdout(target.path)) {
            throw Error(ErrorCode::invalid_argument,
                        "-o " + target.path +
                            ": a profile writes several files; allowed is a "
                            "file's name");
        }
        plans[i] = holds_heights(target) ? io::plan_heights(profile, target.path, extent, counts)
                                         : io::plan_map(profile, target.path, extent, counts);
        if (request.holes && holds_heights(target)) {
            io::add_holes(*plans[i]);
        }
    }
    return plans;
}

std::string stored_layer(const io::HeightPlan &plan, const std::string &layer) {
    return plan.format != nullptr ? "height" : layer;
}

void claim(Claims &claims, const io::HeightPlan &plan) {
    const std::string what = "-o " + plan.path;
    for (const auto &tile : plan.tiles) {
        claims.file(tile.path, what);
        claims.file(io::manifest_path(tile.path), what);
        if (!tile.holes.empty()) {
            claims.file(tile.holes, what);
        }
    }
    for (const auto &path : plan.files_beside()) {
        claims.file(path, what);
    }
}

void add_tiles(std::vector<Output> &outputs, const io::HeightPlan &plan, const Artifact &artifact,
               const std::string &layer, const std::shared_ptr<const io::HoleMask> &holes) {
    std::shared_ptr<const io::HeightSource> source;
    if (plan.format != nullptr) {
        source = std::make_shared<const io::HeightSource>(
            io::height_source(artifact.layer(kElevation), artifact.cell));
    }
    const io::Format &format = io::find_format(plan.path);
    for (const auto &tile : plan.tiles) {
        const auto part = [&plan, &tile, &whole = artifact.layer(layer), source] {
            return source ? io::tile_layer(plan, *source, tile) : io::cut(whole, tile.window);
        };
        const Layer first = part();
        Output output{first.name, tile.path, {}, {}};
        if (plan.holes) {
            const auto mask = [holes, &tile] { return io::cut_holes(*holes, tile.window); };
            output.write = [part, mask, &artifact, &plan](io::OutputFile &file) {
                io::write_heights(file, plan, artifact, part(), mask());
            };
            if (!tile.holes.empty()) {
                const auto write = [mask, &artifact, &plan](io::OutputFile &file) {
                    io::write_holes(file, plan, artifact, mask());
                };
                output.beside.emplace_back(tile.holes, write);
            }
        } else {
            output.write = [part, &artifact, &format](io::OutputFile &file) {
                io::write_layer(file, format, artifact, part());
            };
        }
        output.manifest.layer = io::file_record(format, first);
        output.manifest.tile =
            io::TileRecord{io::file_name(plan.path), plan.counts, tile.x, tile.y};
        outputs.push_back(std::move(output));
    }
    if (source) {
        outputs.back().beside.emplace_back(plan.import_path(),
                                           text_writer(io::import_text(plan, *source)));
    }
    if (!plan.raw_sidecar.empty()) {
        outputs.back().beside.emplace_back(plan.raw_sidecar,
                                           text_writer(io::raw_sidecar_text(plan)));
    }
}

} // namespace karst::cli
