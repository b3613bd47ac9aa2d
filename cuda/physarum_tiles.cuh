// Tiles of a Physarum field, and agents in the form in which the tiled engine keeps them.
//
// The field is cut into tiles of 2^log cells a side; at the right and lower border they may be
// narrower. Agents are sorted by tile and stay with it while they drift up to `drift` cells beyond
// its border. What they can see and reach lies in the tile's window: the tile and `halo` cells
// around it. Columns and rows count from the field's corner, window cells from the window's.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "rules/physarum.hpp"

namespace karst::cuda {

struct Tiling {
    std::int32_t width; // of the field
    std::int32_t height;
    std::int32_t log_x; // of a tile
    std::int32_t log_y;
    std::int32_t tiles_x;
    std::int32_t tiles_y;
    std::int32_t drift;
    std::int32_t halo_x; // a multiple of 4: a thread handles four cells
    std::int32_t halo_y;

    KARST_HD std::int32_t side_x() const { return 1 << log_x; }
    KARST_HD std::int32_t side_y() const { return 1 << log_y; }
    KARST_HD std::int32_t window_x() const { return side_x() + 2 * halo_x; }
    KARST_HD std::int32_t window_y() const { return side_y() + 2 * halo_y; }
    KARST_HD std::uint32_t tiles() const {
        return static_cast<std::uint32_t>(tiles_x) * static_cast<std::uint32_t>(tiles_y);
    }
};

// Where a tile and its window lie.
struct TilePlace {
    std::int32_t column; // of the tile's corner
    std::int32_t row;
    std::int32_t width; // of the tile; less than a side at the border
    std::int32_t height;
};

__device__ inline TilePlace place_of(const Tiling &tiling, std::uint32_t tile) {
    const auto tiles_x = static_cast<std::uint32_t>(tiling.tiles_x);
    const auto column = static_cast<std::int32_t>(tile % tiles_x) << tiling.log_x;
    const auto row = static_cast<std::int32_t>(tile / tiles_x) << tiling.log_y;
    return {column, row, min(tiling.side_x(), tiling.width - column),
            min(tiling.side_y(), tiling.height - row)};
}

// Whether an agent of another tile can have come to a column (or row, with the values of y): it
// lies within `drift` of the border of its tile.
__device__ inline bool near_border(std::int32_t column, std::int32_t log, std::int32_t width,
                                   std::int32_t drift) {
    const std::int32_t inside = column & ((1 << log) - 1);
    const std::int32_t side = min(1 << log, width - (column - inside));
    return inside < drift || inside >= side - drift;
}

// An agent near its tile: x and y in Q8.16 from the corner of the window, heading.
struct TileAgent {
    rules::Point<std::int32_t> at;
    std::uint16_t heading;
};

// 8 bytes: x 24 bits, y 24, heading 16, from the lowest.
__device__ inline uint2 packed(const TileAgent &agent) {
    const auto x = static_cast<std::uint32_t>(agent.at.x);
    const auto y = static_cast<std::uint32_t>(agent.at.y);
    return make_uint2(__byte_perm(x, y, 0x4210), __byte_perm(y, agent.heading, 0x5421));
}

__device__ inline TileAgent unpacked(uint2 word) {
    return {{static_cast<std::int32_t>(word.x & 0xffffff),
             static_cast<std::int32_t>(__funnelshift_r(word.x, word.y, 24) & 0xffffff)},
            static_cast<std::uint16_t>(word.y >> 16)};
}

} // namespace karst::cuda
