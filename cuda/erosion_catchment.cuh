// Which cells' water ends in a pit: pointers double in each tile, then between tiles.
#pragma once

#include "erosion_tiles.cuh"

namespace karst::cuda {

// The root of every cell in its tile, and the cell beyond of each slot of the rim, or kNone.
__global__ void __launch_bounds__(kTileThreads)
    find_roots(TileMap map, Links links, std::uint64_t seed,
               const std::int32_t *__restrict__ heights, const std::uint8_t *__restrict__ outlets,
               std::uint16_t *__restrict__ roots, std::uint32_t *__restrict__ beyond) {
    __shared__ std::int32_t framed[kFramedCells];
    __shared__ std::uint16_t root[kTileCells];
    __shared__ std::uint32_t target[kTileThreads];
    const TilePlace at = tile_place(map, blockIdx.x);
    target[threadIdx.x] = kNone;
    load_framed(map, at, framed, [&](std::int64_t i) { return heights[i]; });
    __syncthreads();
    std::uint32_t way[kCellsAThread];
    for_own_cells([&](int k, int lx, int ly) {
        const int x = at.x + lx;
        const int y = at.y + ly;
        way[k] = kDrains;
        if (map.holds(x, y)) {
            const bool outlet = outlets[map.cell(x, y)] != 0;
            const std::uint8_t step =
                outlet ? rules::kNoStep
                       : steepest_step(map, links, seed, framed, framed_place(lx, ly), x, y);
            way[k] = local_way(step, outlet, lx, ly);
            if ((way[k] & 0xf000) == kExit) {
                target[way[k] & 0xff] = static_cast<std::uint32_t>(
                    map.cell(x + rules::step_x(step), y + rules::step_y(step)));
            }
        }
        root[ly * kSide + lx] = static_cast<std::uint16_t>(way[k]);
    });
    __syncthreads();
    for (bool more = true; more;) {
        bool pending = false;
        for_own_cells([&](int k, int, int) {
            way[k] = way[k] < kTileCells ? root[way[k]] : way[k];
            pending = pending || way[k] < kTileCells;
        });
        __syncthreads();
        for_own_cells([&](int k, int lx, int ly) {
            root[ly * kSide + lx] = static_cast<std::uint16_t>(way[k]);
        });
        more = __syncthreads_or(pending ? 1 : 0) != 0;
    }
    for_own_cells([&](int k, int lx, int ly) {
        if (map.holds(at.x + lx, at.y + ly)) {
            roots[map.cell(at.x + lx, at.y + ly)] = static_cast<std::uint16_t>(way[k]);
        }
    });
    beyond[std::size_t{at.tile} * kTileThreads + threadIdx.x] = target[threadIdx.x];
}

// What the water of a node comes to: another node, or one of these.
inline constexpr std::uint32_t kNodeDrains = 0xfffffffe;
inline constexpr std::uint32_t kNodeCaught = 0xfffffffd;

__global__ void __launch_bounds__(kTileThreads)
    link_roots(TileMap map, const std::uint16_t *__restrict__ roots,
               const std::uint32_t *__restrict__ beyond, std::uint32_t *__restrict__ next) {
    const std::size_t node = std::size_t{blockIdx.x} * kTileThreads + threadIdx.x;
    const std::uint32_t target = beyond[node];
    std::uint32_t to = kNodeDrains;
    if (target != kNone) {
        const std::uint32_t root = roots[target];
        to = root == kDrains ? kNodeDrains
             : root == kPit  ? kNodeCaught
                             : rim_place(map, target).tile * kTileThreads + (root & 0xff);
    }
    next[node] = to;
}

// Follows every node to its end, on ways that others shorten at the same time: each entry only ever
// changes to one farther down.
__global__ void __launch_bounds__(kTileThreads) follow_roots(volatile std::uint32_t *next) {
    const std::size_t node = std::size_t{blockIdx.x} * kTileThreads + threadIdx.x;
    std::uint32_t to = next[node];
    while (to < kNodeCaught) {
        to = next[to];
        next[node] = to;
    }
}

} // namespace karst::cuda
