// --tile-size: a heightmap as tiles that are made and written one after another.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <karst/heightmap_tiles.hpp>

#include "cli/request.hpp"

namespace karst::cli {

struct Asset;

struct TilePlan {
    TileOptions options;
    Extent2 counts;            // tiles of the map
    std::optional<Cell2> only; // --tile: no others
    bool has(std::int64_t x, std::int64_t y) const {
        return !only || (only->x == x && only->y == y);
    }
};

// Nothing without --tile-size. Throws Error(invalid_argument), Error(unsupported) for targets that
// tiles do not have.
std::optional<TilePlan> plan_tiles(const GeneratorInfo &row, const AssetRequest &request,
                                   Extent2 map, std::span<const Target> targets);

// The target with {x} and {y} replaced.
Target tile_target(const Target &target, std::int64_t x, std::int64_t y);

// One for each tile of the plan.
std::vector<Target> tile_targets(const TilePlan &plan, const Target &target);

// Every file and manifest of a target. Throws as Claims does.
void claim_tiles(const TilePlan &plan, const Target &target, Claims &claims);

struct TileFiles {
    std::vector<Output> made; // without what writes them
    std::int64_t tiles = 0;   // of them
    std::int64_t kept = 0;    // tiles whose files were there
};
// Whether the files of all tiles are there as an earlier run of the same job wrote them, to the
// byte.
bool unchanged_tiles(const Asset &asset);

// Makes and writes the tiles of asset.tiles; each file is whole when it gets its name. `resume`
// leaves out tiles whose files are there as an earlier run of the same job wrote them, to the byte.
// Throws as generate_heightmap_tiles and write_outputs do.
TileFiles make_tiles(const Asset &asset, bool resume, const Options &options);

} // namespace karst::cli
