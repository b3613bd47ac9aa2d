// Tiles of a Physarum field, and agents in the form in which the tiled engine keeps them.
//
// The field is cut into tiles of kTileSide cells a side; at the right and lower border they may be
// narrower. Agents are sorted by tile and stay with it while they drift up to `drift` cells beyond
// its border. What they can see and reach lies in the tile's window: the tile and a halo around it.
// Columns and rows count from the field's corner, window cells from the window's.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "rules/physarum.hpp"

namespace karst::cuda {

inline constexpr std::int32_t kTileLog = 6;
inline constexpr std::int32_t kTileSide = 1 << kTileLog;
inline constexpr std::int32_t kTileCells = kTileSide * kTileSide;

struct Tiling {
    std::int32_t width; // of the field
    std::int32_t height;
    std::int32_t tiles_x;
    std::int32_t tiles_y;
    std::int32_t drift;
    std::int32_t halo_x; // a multiple of 4: a thread handles four cells
    std::int32_t halo_y;
    std::int32_t window_x; // kTileSide + 2 * halo_x
    std::int32_t window_y;

    KARST_HD std::uint32_t tiles() const {
        return static_cast<std::uint32_t>(tiles_x) * static_cast<std::uint32_t>(tiles_y);
    }
};

// Where a tile lies.
struct TilePlace {
    std::int32_t column; // of its corner
    std::int32_t row;
    std::int32_t width; // less than kTileSide at the border
    std::int32_t height;
};

__device__ inline TilePlace place_of(const Tiling &tiling, std::uint32_t tile) {
    const auto tiles_x = static_cast<std::uint32_t>(tiling.tiles_x);
    const auto column = static_cast<std::int32_t>(tile % tiles_x) << kTileLog;
    const auto row = static_cast<std::int32_t>(tile / tiles_x) << kTileLog;
    return {column, row, min(kTileSide, tiling.width - column),
            min(kTileSide, tiling.height - row)};
}

// A column or row of the field from one that may lie outside: -1 outside a bounded field.
__device__ inline std::int32_t inside(bool torus, std::int32_t place, std::int32_t size) {
    if (torus) {
        return core::wrapped(place, size);
    }
    return static_cast<std::uint32_t>(place) < static_cast<std::uint32_t>(size) ? place : -1;
}

// Whether an agent of another tile can have come to a column (or row, with the values of y): it
// lies within `drift` of a border of tiles. May say so of columns in tiles cut off by the field's
// border that are further away.
__device__ inline bool near_border(std::int32_t column, std::int32_t size, std::int32_t drift) {
    const std::int32_t in_tile = column & (kTileSide - 1);
    const std::int32_t calm = max(kTileSide - 2 * drift, 0); // columns in the middle of a tile
    return static_cast<std::uint32_t>(in_tile - drift) >= static_cast<std::uint32_t>(calm) ||
           column >= size - drift;
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
