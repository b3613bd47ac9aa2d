#include "cli/tiles.hpp"

#include <algorithm>
#include <utility>

#include <karst/error.hpp>

#include "cli/asset.hpp"
#include "io/exporters.hpp"

namespace karst::cli {

namespace {

std::int64_t whole_number(const char *name, double lowest, double highest,
                          const std::string &text) {
    const ParamInfo info{name,    "samples", ParamType::integer, lowest,
                         highest, {},        std::int64_t{1},    ""};
    return parse_integer(info, text);
}

// "-10.5..320"
HeightRange parse_range(const std::string &text) {
    const auto dots = text.find("..");
    if (dots == std::string::npos) {
        throw Error(ErrorCode::invalid_argument,
                    "height_range is '" + text + "'; allowed is LOW..HIGH in metres");
    }
    const ParamInfo info{"height_range", "m", ParamType::real, -100000, 100000, {}, 0.0, ""};
    return {parse_real(info, text.substr(0, dots)), parse_real(info, text.substr(dots + 2))};
}

std::string replaced(std::string text, const std::string &token, std::int64_t number) {
    const std::string digits = std::to_string(number);
    for (auto at = text.find(token); at != std::string::npos;
         at = text.find(token, at + digits.size())) {
        text.replace(at, token.size(), digits);
    }
    return text;
}

// Each tile needs a name of its own.
void require_token(const Target &target, const char *token, std::int64_t count) {
    if (count > 1 && target.path.find(token) == std::string::npos) {
        throw Error(ErrorCode::invalid_argument,
                    "'" + target.path + "' is the name of " + std::to_string(count) +
                        " tiles; allowed is one with " + token + ", as ground_{x}_{y}.png");
    }
}

// f(x, y) for each tile of the plan.
template <class F>
void for_tiles(const TilePlan &plan, F &&f) {
    for (std::int64_t y = 0; y < plan.counts.height; ++y) {
        for (std::int64_t x = 0; x < plan.counts.width; ++x) {
            if (plan.has(x, y)) {
                f(x, y);
            }
        }
    }
}

// The manifest of a tile says which it is, whether it was asked for alone or not.
io::Manifest tile_manifest(const Asset &asset, const Target &target, std::int64_t x,
                           std::int64_t y) {
    io::Manifest manifest = manifest_of(asset, target);
    std::erase_if(manifest.options, [](const auto &option) { return option.first == "tile"; });
    manifest.options.emplace_back("tile", std::to_string(x) + "," + std::to_string(y));
    return manifest;
}

} // namespace

std::optional<TilePlan> plan_tiles(const GeneratorInfo &row, const AssetRequest &request,
                                   Extent2 map, std::span<const Target> targets) {
    if (!request.tile_size) {
        if (request.tile_overlap || request.height_range || request.tile) {
            throw Error(ErrorCode::invalid_argument,
                        "tile_overlap, height_range and tile are for tiles; allowed is to give "
                        "tile_size too");
        }
        return std::nullopt;
    }
    if (!row.generate_tiles) {
        throw Error(ErrorCode::unsupported,
                    "karst " + command_of(row) + " makes no tiles; allowed is karst heightmap");
    }
    if (request.profile || request.tiles) {
        throw Error(ErrorCode::invalid_argument,
                    "tile_size stands beside profile or tiles, which cut a map that is in memory; "
                    "allowed is one of them, and docs/tiles.md says which tile_size, tile_overlap "
                    "and names an engine takes without a profile");
    }
    if (request.holes) {
        throw Error(ErrorCode::invalid_argument,
                    "tile_size stands beside holes, which are kept as a profile says; allowed is "
                    "one of them, holes with profile and tiles");
    }
    TilePlan plan;
    plan.options.size = whole_number("tile_size", 1, 32768, *request.tile_size);
    if (request.tile_overlap) {
        plan.options.overlap = whole_number("tile_overlap", 0, 1, *request.tile_overlap);
    }
    if (request.height_range) {
        plan.options.range = parse_range(*request.height_range);
    }
    plan.counts = tile_counts(map, plan.options);
    constexpr std::int64_t kMostTiles = 1000000;
    if (!request.tile && plan.counts.width > kMostTiles / plan.counts.height) {
        throw Error(ErrorCode::invalid_argument, "tile_size " + *request.tile_size + " makes " +
                                                     std::to_string(plan.counts.width) + "x" +
                                                     std::to_string(plan.counts.height) +
                                                     " tiles; allowed are at most " +
                                                     std::to_string(kMostTiles));
    }
    if (request.tile) {
        plan.only = parse_cell("tile", *request.tile);
        tile_window(map, plan.options, plan.only->x, plan.only->y);
    }
    if (!request.requirements.empty()) {
        throw Error(ErrorCode::unsupported, "tiles are not measured; allowed is --require without "
                                            "tile_size");
    }
    for (const auto &target : targets) {
        if (target.layer != "height" && target.layer != "flow") {
            throw Error(ErrorCode::unsupported,
                        "-o " + target.path + ": tiles have the layers height and flow, not '" +
                            target.layer + "'");
        }
        if (io::is_stdout(target.path)) {
            throw Error(ErrorCode::invalid_argument,
                        "-o " + target.path + ": tiles are files; allowed is a file's name");
        }
        const auto folder = target.path.rfind('/');
        if (folder != std::string::npos && tile_target(target, 0, 0).path.rfind('/') != folder) {
            throw Error(ErrorCode::invalid_argument,
                        "-o " + target.path +
                            ": {x} and {y} are for the file's name; allowed is a "
                            "folder without them");
        }
        if (!plan.only) {
            require_token(target, "{x}", plan.counts.width);
            require_token(target, "{y}", plan.counts.height);
        }
        plan.options.flow = plan.options.flow || target.layer == "flow";
    }
    return plan;
}

Target tile_target(const Target &target, std::int64_t x, std::int64_t y) {
    return {target.layer, target.kind, replaced(replaced(target.path, "{x}", x), "{y}", y)};
}

std::vector<Target> tile_targets(const TilePlan &plan, const Target &target) {
    std::vector<Target> tiles;
    for_tiles(plan,
              [&](std::int64_t x, std::int64_t y) { tiles.push_back(tile_target(target, x, y)); });
    return tiles;
}

void claim_tiles(const TilePlan &plan, const Target &target, Claims &claims) {
    claims.targets(tile_targets(plan, target));
}

bool unchanged_tile(const Asset &asset, std::int64_t x, std::int64_t y) {
    return std::all_of(asset.targets.begin(), asset.targets.end(), [&](const Target &target) {
        const Target tile = tile_target(target, x, y);
        return unchanged_layer(tile_manifest(asset, tile, x, y), tile).has_value();
    });
}

bool unchanged_tiles(const Asset &asset) {
    bool all = true;
    for_tiles(*asset.tiles,
              [&](std::int64_t x, std::int64_t y) { all = all && unchanged_tile(asset, x, y); });
    return all;
}

TileFiles make_tiles(const Asset &asset, bool resume, const Options &options) {
    const TilePlan &plan = *asset.tiles;
    TileFiles files;
    TileOptions tiles = plan.options;
    tiles.wanted = [&](std::int64_t x, std::int64_t y) {
        if (!plan.has(x, y)) {
            return false;
        }
        const bool kept = resume && unchanged_tile(asset, x, y);
        files.kept += kept ? 1 : 0;
        return !kept;
    };
    const auto write = [&](const HeightmapTile &tile) {
        std::vector<Output> outputs;
        for (const auto &target : asset.targets) {
            const Target named = tile_target(target, tile.x, tile.y);
            Output output =
                layer_output(tile_manifest(asset, named, tile.x, tile.y), named, tile.artifact);
            if (options.digests != nullptr) {
                output.manifest.stages = *options.digests;
            }
            outputs.push_back(std::move(output));
        }
        std::vector<StageTime> times; // part of the stage that makes the tiles
        write_outputs(outputs, times, options.threads);
        ++files.tiles;
        for (auto &output : outputs) {
            output.write = nullptr;
            output.manifest = {};
            files.made.push_back(std::move(output));
        }
    };
    asset.row->generate_tiles(asset.job, tiles, write, options);
    return files;
}

} // namespace karst::cli
