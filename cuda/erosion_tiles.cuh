// What the kernels of erosion share. The map is cut into tiles of 64 x 64 cells, one a block of
// threads; a tile's cells lie in shared memory and have local numbers y * 64 + x. Water that leaves
// a tile does so from a cell of its rim, which has a slot of 256: what crosses tiles is a graph of
// nodes, tile * 256 + slot.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

#include "core/rng.hpp"
#include "rules/erosion.hpp"
#include "sim/erosion.hpp"

namespace karst::cuda {

inline constexpr int kSide = kErosionSide;
inline constexpr int kTileCells = kSide * kSide;
inline constexpr unsigned kTileThreads = 256; // also slots of a tile
inline constexpr int kCellsAThread = kTileCells / static_cast<int>(kTileThreads);
// A row of a tile with a frame of one cell; odd, so that columns meet every bank.
inline constexpr int kStride = kSide + 3;
inline constexpr int kFramedCells = (kSide + 2) * kStride;
// Heights beyond the map, and of ground that is not filled yet; one more is still a number.
inline constexpr std::int32_t kUnfilled = INT32_MAX - 1;

// The slot of a tile's trees whose water goes no farther; no cell of the rim has it.
inline constexpr std::uint32_t kEndSlot = 255;
inline constexpr std::uint32_t kNone = 0xffffffff;

struct TileMap {
    std::int32_t width, height; // cells
    std::int32_t columns, rows; // tiles

    __host__ __device__ std::int64_t tiles() const { return std::int64_t{columns} * rows; }
    __device__ bool holds(int x, int y) const {
        return static_cast<unsigned>(x) < static_cast<unsigned>(width) &&
               static_cast<unsigned>(y) < static_cast<unsigned>(height);
    }
    __device__ std::int64_t cell(int x, int y) const { return std::int64_t{y} * width + x; }
};

inline TileMap tile_map(std::int64_t width, std::int64_t height) {
    const Extent2 tiles = erosion_tiles({width, height});
    return {static_cast<std::int32_t>(width), static_cast<std::int32_t>(height),
            static_cast<std::int32_t>(tiles.width), static_cast<std::int32_t>(tiles.height)};
}

__device__ inline bool at_rim(int lx, int ly) {
    return lx == 0 || ly == 0 || lx == kSide - 1 || ly == kSide - 1;
}
__device__ inline int rim_slot(int lx, int ly) {
    return ly == 0 ? lx : ly == kSide - 1 ? kSide + lx : lx == 0 ? 2 * kSide + ly : 3 * kSide + ly;
}
// The node of a cell of a rim, less its tile's tree.
struct RimPlace {
    std::uint32_t tile, slot;
};
__device__ inline RimPlace rim_place(const TileMap &map, std::int64_t cell) {
    const int y = static_cast<int>(cell / map.width);
    const int x = static_cast<int>(cell - std::int64_t{y} * map.width);
    return {static_cast<std::uint32_t>((y / kSide) * map.columns + x / kSide),
            static_cast<std::uint32_t>(rim_slot(x % kSide, y % kSide))};
}

// The tile of a block and where it begins.
struct TilePlace {
    std::uint32_t tile;
    int x, y;
};
__device__ inline TilePlace tile_place(const TileMap &map, std::uint32_t tile) {
    const int row = static_cast<int>(tile) / map.columns;
    return {tile, (static_cast<int>(tile) - row * map.columns) * kSide, row * kSide};
}

// f(k, lx, ly) for the cells of a thread: a column's every fourth row.
template <class F>
__device__ void for_own_cells(F &&f) {
    const int lx = static_cast<int>(threadIdx.x) % kSide;
    const int ly = static_cast<int>(threadIdx.x) / kSide;
#pragma unroll
    for (int k = 0; k < kCellsAThread; ++k) {
        f(k, lx, ly + k * static_cast<int>(kTileThreads / kSide));
    }
}

__device__ inline int framed_place(int lx, int ly) {
    return (ly + 1) * kStride + lx + 1;
}

// The tile and its frame; kUnfilled beyond the map.
template <class F>
__device__ void load_framed(const TileMap &map, const TilePlace &at, std::int32_t *framed,
                            F &&height) {
    for (int i = static_cast<int>(threadIdx.x); i < (kSide + 2) * (kSide + 2);
         i += static_cast<int>(kTileThreads)) {
        const int fy = i / (kSide + 2);
        const int fx = i - fy * (kSide + 2);
        const int x = at.x + fx - 1;
        const int y = at.y + fy - 1;
        framed[fy * kStride + fx] = map.holds(x, y) ? height(map.cell(x, y)) : kUnfilled;
    }
}

// As shape::Descent keeps them: of steps 0 to 3 from each cell.
struct Links {
    const std::uint32_t *at[4];
};

// The steepest way down from cell (x, y), whose tile lies in `framed` at place k.
__device__ inline std::uint8_t steepest_step(const TileMap &map, const Links &links,
                                             std::uint64_t seed, const std::int32_t *framed, int k,
                                             int x, int y) {
    const std::int64_t cell = map.cell(x, y);
    std::int64_t drop[8];
    std::uint32_t inverse[8];
#pragma unroll
    for (unsigned s = 0; s < 8; ++s) {
        const int u = x + rules::step_x(s);
        const int v = y + rules::step_y(s);
        const std::int32_t there = framed[k + rules::step_y(s) * kStride + rules::step_x(s)];
        drop[s] = std::int64_t{framed[k]} - there;
        inverse[s] =
            s < 4 ? links.at[s][cell] : links.at[s - 4][map.holds(u, v) ? map.cell(u, v) : cell];
    }
    std::int64_t steepest = 0;
    std::uint8_t best = rules::kNoStep;
#pragma unroll
    for (unsigned s = 0; s < 8; ++s) {
        const std::int64_t slope = drop[s] * inverse[s];
        if (slope > steepest) {
            steepest = slope;
            best = static_cast<std::uint8_t>(s);
        } else if (slope == steepest && slope > 0) {
            const auto tie = [&](unsigned step) {
                return core::tie_hash(seed, x + rules::step_x(step), y + rules::step_y(step));
            };
            if (tie(s) < tie(best)) {
                best = static_cast<std::uint8_t>(s);
            }
        }
    }
    return best;
}

// Where a cell's water goes in its tile: a local cell, or one of these. A cell that is the end of
// its way, or the last before another tile, says so of itself.
inline constexpr std::uint32_t kExit = 0x1000;   // + slot: over the rim
inline constexpr std::uint32_t kDrains = 0x2000; // it leaves the map here, or there is no cell
inline constexpr std::uint32_t kPit = 0x3000;

__device__ inline std::uint32_t local_way(std::uint8_t step, bool outlet, int lx, int ly) {
    if (step == rules::kNoStep) {
        return outlet ? kDrains : kPit;
    }
    const int u = lx + rules::step_x(step);
    const int v = ly + rules::step_y(step);
    if (static_cast<unsigned>(u) < kSide && static_cast<unsigned>(v) < kSide) {
        return static_cast<std::uint32_t>(v * kSide + u);
    }
    return kExit | static_cast<std::uint32_t>(rim_slot(lx, ly));
}

} // namespace karst::cuda
