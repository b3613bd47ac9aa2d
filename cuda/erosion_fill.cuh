// Depressions filled from above: what is caught begins unfilled and falls to max(ground, lowest
// neighbour + 1), in shared memory until a tile is still, then again where a neighbouring tile has
// found lower ways. There is one such surface, so the order of work does not show.
#pragma once

#include "erosion_catchment.cuh"
#include "erosion_queue.cuh"

namespace karst::cuda {

// The ground to begin with, and the tiles to work on.
__global__ void __launch_bounds__(kTileThreads)
    begin_fill(TileMap map, const std::int32_t *__restrict__ heights,
               const std::uint16_t *__restrict__ roots, const std::uint32_t *__restrict__ next,
               std::int32_t *__restrict__ filled, std::uint8_t *__restrict__ has_caught,
               std::uint32_t *__restrict__ queued, RingQueue queue) {
    __shared__ bool caught[kTileThreads];
    const TilePlace at = tile_place(map, blockIdx.x);
    caught[threadIdx.x] = next[std::size_t{at.tile} * kTileThreads + threadIdx.x] == kNodeCaught;
    __syncthreads();
    bool any = false;
    for_own_cells([&](int, int lx, int ly) {
        if (map.holds(at.x + lx, at.y + ly)) {
            const std::int64_t i = map.cell(at.x + lx, at.y + ly);
            const std::uint32_t root = roots[i];
            const bool is_caught =
                root == kPit || (root >= kExit && root < kDrains && caught[root & 0xff]);
            filled[i] = is_caught ? kUnfilled : heights[i];
            any = any || is_caught;
        }
    });
    any = __syncthreads_or(any ? 1 : 0) != 0;
    if (threadIdx.x == 0) {
        has_caught[at.tile] = any ? 1 : 0;
        queued[at.tile] = any ? 1 : 0;
        if (any) {
            atomicAdd(&queue.state->left, 1u);
            queue.push(at.tile);
        }
    }
}

// Lowers a strip of 16 cells along an axis, down and up again. Gives whether any fell.
template <int kAlong, int kAcross>
__device__ bool settle_strip(std::int32_t *water, const std::int32_t *ground, int first) {
    constexpr int kCells = kCellsAThread;
    std::int32_t here[kCells + 2];
    std::int32_t beside[kCells + 2];
    std::int32_t floor[kCells + 2];
    bool above = false;
#pragma unroll
    for (int j = 0; j < kCells + 2; ++j) {
        const int k = first + (j - 1) * kAlong;
        here[j] = water[k];
        beside[j] = min(water[k - kAcross], water[k + kAcross]);
        floor[j] = ground[k];
        above = above || (j > 0 && j <= kCells && here[j] > floor[j]);
    }
    bool fell = false;
    if (__any_sync(0xffffffff, above ? 1 : 0) != 0) {
        const auto settle = [&](int j) {
            const std::int32_t lowest = min(min(min(beside[j - 1], beside[j]), beside[j + 1]),
                                            min(here[j - 1], here[j + 1]));
            const std::int32_t height = max(floor[j], lowest + 1);
            if (height < here[j]) {
                here[j] = height;
                fell = true;
            }
        };
#pragma unroll
        for (int j = 1; j <= kCells; ++j) {
            settle(j);
        }
#pragma unroll
        for (int j = kCells; j >= 1; --j) {
            settle(j);
        }
    }
    __syncthreads();
    if (fell) {
#pragma unroll
        for (int j = 1; j <= kCells; ++j) {
            water[first + (j - 1) * kAlong] = here[j];
        }
    }
    return __syncthreads_or(fell ? 1 : 0) != 0;
}

// Each block takes tiles until none is left.
__global__ void __launch_bounds__(kTileThreads)
    settle_water(TileMap map, const std::int32_t *__restrict__ heights, std::int32_t *filled,
                 const std::uint8_t *__restrict__ has_caught, std::uint32_t *queued,
                 RingQueue queue) {
    __shared__ std::int32_t water[kFramedCells];
    __shared__ std::int32_t ground[kFramedCells];
    __shared__ std::uint32_t now;
    __shared__ std::uint32_t touched; // a bit for each neighbour
    for (;;) {
        if (threadIdx.x == 0) {
            std::uint32_t tile = kNone;
            if (!queue.take(tile)) {
                tile = kNone;
            } else {
                atomicExch(&queued[tile], 0u);
                __threadfence();
            }
            now = tile;
            touched = 0;
        }
        __syncthreads();
        const std::uint32_t tile = now;
        if (tile == kNone) {
            return;
        }
        const TilePlace at = tile_place(map, tile);
        load_framed(map, at, water, [&](std::int64_t i) { return __ldcg(filled + i); });
        load_framed(map, at, ground, [&](std::int64_t i) { return heights[i]; });
        __syncthreads();
        const int t = static_cast<int>(threadIdx.x);
        const int column = framed_place(t % kSide, t / kSide * kCellsAThread);
        const int row = framed_place(t / kSide * kCellsAThread, t % kSide);
        for (bool more = true; more;) {
            const bool down = settle_strip<kStride, 1>(water, ground, column);
            more = settle_strip<1, kStride>(water, ground, row) || down;
        }
        for_own_cells([&](int, int lx, int ly) {
            const int k = framed_place(lx, ly);
            if (!map.holds(at.x + lx, at.y + ly)) {
                return;
            }
            // A block that took the tile later may have found it lower.
            std::int32_t *const cell = filled + map.cell(at.x + lx, at.y + ly);
            if (__ldcg(cell) <= water[k] || atomicMin(cell, water[k]) <= water[k] ||
                !at_rim(lx, ly)) {
                return;
            }
            std::uint32_t bits = 0;
#pragma unroll
            for (unsigned s = 0; s < 8; ++s) {
                const int u = lx + rules::step_x(s);
                const int v = ly + rules::step_y(s);
                const int n = framed_place(u, v);
                const int side_x = u < 0 ? 0 : u < kSide ? 1 : 2;
                const int side_y = v < 0 ? 0 : v < kSide ? 1 : 2;
                // Those beyond that this cell can lower.
                if ((side_x != 1 || side_y != 1) && water[n] > max(ground[n], water[k] + 1)) {
                    bits |= 1u << (side_y * 3 + side_x);
                }
            }
            if (bits != 0) {
                atomicOr(&touched, bits);
            }
        });
        __threadfence();
        __syncthreads();
        if (t < 9 && (touched >> t & 1) != 0) {
            const int column_of = at.x / kSide + t % 3 - 1;
            const int row_of = at.y / kSide + t / 3 - 1;
            // Beyond the map nothing is above its ground, so the neighbour is there.
            const auto other = static_cast<std::uint32_t>(row_of * map.columns + column_of);
            if (has_caught[other] != 0 && atomicExch(&queued[other], 1u) == 0) {
                atomicAdd(&queue.state->left, 1u);
                queue.push(other);
            }
        }
        __syncthreads();
        if (t == 0) {
            __threadfence();
            atomicSub(&queue.state->left, 1u);
        }
    }
}

// The filled surface; without any outlet the ground as it is.
__device__ inline std::int32_t filled_height(std::int32_t filled, std::int32_t height) {
    return filled == kUnfilled ? height : filled;
}

__global__ void raise_ground(std::int64_t cells, const std::int32_t *__restrict__ filled,
                             std::int32_t *__restrict__ heights) {
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < cells;
         i += std::int64_t{gridDim.x} * blockDim.x) {
        heights[i] = filled_height(filled[i], heights[i]);
    }
}

} // namespace karst::cuda
