// Sorts agents into tiles: counts by tile, sums up, scatters. The order inside a tile differs from
// run to run; it carries no meaning, since an agent is its id and deposits are counts.
#pragma once

#include <cub/block/block_scan.cuh>

#include "claim.cuh"
#include "core/atomic.hpp"
#include "physarum_tiles.cuh"

namespace karst::cuda {

inline constexpr int kBinThreads = 256;
inline constexpr int kScanThreads = 1024;
inline constexpr int kScanItems = 4;

// An agent on its way into a tile.
struct FieldAgent {
    std::int32_t column;
    std::int32_t row;
    std::uint32_t fraction_x;
    std::uint32_t fraction_y;
    std::uint16_t heading;
};

// Agents as a state holds them.
struct StateAgents {
    const rules::Agent *agents;
    std::int64_t count;
    std::int32_t origin_x;
    std::int32_t origin_y;

    __device__ FieldAgent at(std::int64_t i) const {
        const rules::Agent agent = agents[i];
        return {agent.x - origin_x, agent.y - origin_y, agent.fraction_x, agent.fraction_y,
                agent.heading};
    }
};

// Agents in tiles that some have left; those of tile i are first[i] to first[i + 1] - 1.
struct TileAgents {
    const uint2 *agents;
    const std::uint32_t *first;
};

// An agent of a tile in the field: modulo a torus; outside a bounded field there are none.
__device__ inline FieldAgent in_field(const Tiling &tiling, const TilePlace &place, uint2 word) {
    const TileAgent agent = unpacked(word);
    return {
        core::wrapped(place.column - tiling.halo_x + (agent.at.x >> core::kLengthBits),
                      tiling.width),
        core::wrapped(place.row - tiling.halo_y + (agent.at.y >> core::kLengthBits), tiling.height),
        static_cast<std::uint32_t>(agent.at.x) & 0xffff,
        static_cast<std::uint32_t>(agent.at.y) & 0xffff, agent.heading};
}

__device__ inline std::uint32_t tile_of(const Tiling &tiling, const FieldAgent &agent) {
    return static_cast<std::uint32_t>(agent.row >> kTileLog) *
               static_cast<std::uint32_t>(tiling.tiles_x) +
           static_cast<std::uint32_t>(agent.column >> kTileLog);
}

__device__ inline uint2 packed(const Tiling &tiling, const FieldAgent &agent) {
    const std::int32_t x = (agent.column & (kTileSide - 1)) + tiling.halo_x;
    const std::int32_t y = (agent.row & (kTileSide - 1)) + tiling.halo_y;
    return packed({{static_cast<std::int32_t>((static_cast<std::uint32_t>(x) << core::kLengthBits) |
                                              agent.fraction_x),
                    static_cast<std::int32_t>((static_cast<std::uint32_t>(y) << core::kLengthBits) |
                                              agent.fraction_y)},
                   agent.heading});
}

// Where sorted agents go.
struct SortedTo {
    uint2 *agents;
    std::uint64_t *ids;
    std::uint32_t *tiles; // of each agent: column of tiles, and row in the upper 16 bits; or null

    __device__ void put(const Tiling &tiling, std::uint32_t slot, const FieldAgent &agent,
                        std::uint64_t id) const {
        agents[slot] = packed(tiling, agent);
        ids[slot] = id;
        if (tiles != nullptr) {
            tiles[slot] = static_cast<std::uint32_t>(agent.column >> kTileLog) |
                          static_cast<std::uint32_t>(agent.row >> kTileLog) << 16;
        }
    }
};

// Sorting from a state. Neighbours in its order are often neighbours in the field.

// `counts` must be 0.
__global__ void __launch_bounds__(kBinThreads)
    count_state(StateAgents from, Tiling tiling, std::uint32_t *counts) {
    const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < from.count;
         i += stride) {
        const std::uint32_t tile = tile_of(tiling, from.at(i));
        claim(counts + tile, __match_any_sync(__activemask(), tile));
    }
}

__global__ void __launch_bounds__(kBinThreads)
    scatter_state(StateAgents from, const std::uint64_t *__restrict__ ids, Tiling tiling,
                  std::uint32_t *cursor, SortedTo to) {
    const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < from.count;
         i += stride) {
        const FieldAgent agent = from.at(i);
        const std::uint32_t tile = tile_of(tiling, agent);
        const std::uint32_t slot = claim(cursor + tile, __match_any_sync(__activemask(), tile));
        to.put(tiling, slot, agent, ids[i]);
    }
}

// first[i] = cursor[i] = the sum of all counts below i; first[tiles] is their total. Leaves the
// counts 0. One block: a field has few tiles.
__global__ void __launch_bounds__(kScanThreads) sum_up(std::uint32_t *counts, std::uint32_t *first,
                                                       std::uint32_t *cursor, std::uint32_t tiles) {
    using Scan = cub::BlockScan<std::uint32_t, kScanThreads>;
    __shared__ typename Scan::TempStorage storage;
    std::uint32_t below = 0;
    for (std::uint32_t start = 0; start < tiles; start += kScanThreads * kScanItems) {
        const std::uint32_t mine = start + threadIdx.x * kScanItems;
        std::uint32_t items[kScanItems];
        for (std::uint32_t i = 0; i < kScanItems; ++i) {
            items[i] = mine + i < tiles ? counts[mine + i] : 0;
        }
        std::uint32_t total = 0;
        Scan(storage).ExclusiveSum(items, items, total);
        for (std::uint32_t i = 0; i < kScanItems; ++i) {
            if (mine + i < tiles) {
                first[mine + i] = cursor[mine + i] = below + items[i];
                counts[mine + i] = 0;
            }
        }
        below += total;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        first[tiles] = below;
    }
}

// Sorting again: a block takes the agents of a tile, of which most stay in it and nearly all others
// go to one of the eight around it.

inline constexpr int kAround = 9; // tiles: row by row, the tile itself in the middle

// The tile around `tile` (of a torus), i in [0, kAround).
__device__ inline std::uint32_t tile_around(const Tiling &tiling, std::uint32_t tile,
                                            std::int32_t i) {
    const auto tiles_x = static_cast<std::uint32_t>(tiling.tiles_x);
    const auto tiles_y = static_cast<std::uint32_t>(tiling.tiles_y);
    const std::uint32_t x = tile % tiles_x + tiles_x + static_cast<std::uint32_t>(i % 3 - 1);
    const std::uint32_t y = tile / tiles_x + tiles_y + static_cast<std::uint32_t>(i / 3 - 1);
    return y % tiles_y * tiles_x + x % tiles_x;
}

// Which of the tiles around has an agent, or -1 if it has gone further, across a narrow tile.
__device__ inline std::int32_t around(const Tiling &tiling, const TilePlace &place, uint2 word,
                                      std::uint32_t to, const std::uint32_t (&tiles)[kAround]) {
    const TileAgent agent = unpacked(word);
    const std::int32_t x = (agent.at.x >> core::kLengthBits) - tiling.halo_x;
    const std::int32_t y = (agent.at.y >> core::kLengthBits) - tiling.halo_y;
    const std::int32_t i = (y < 0              ? 0
                            : y < place.height ? 3
                                               : 6) +
                           (x < 0             ? 0
                            : x < place.width ? 1
                                              : 2);
    return tiles[i] == to ? i : -1;
}

// `counts` must be 0. `moved` gets kAround counts for each tile.
__global__ void __launch_bounds__(kBinThreads)
    count_tiles(TileAgents from, Tiling tiling, std::uint32_t *counts, std::uint32_t *moved) {
    __shared__ std::uint32_t tiles[kAround];
    __shared__ std::uint32_t count[kAround];
    for (std::uint32_t tile = blockIdx.x; tile < tiling.tiles(); tile += gridDim.x) {
        if (threadIdx.x < kAround) {
            tiles[threadIdx.x] = tile_around(tiling, tile, static_cast<std::int32_t>(threadIdx.x));
            count[threadIdx.x] = 0;
        }
        __syncthreads();
        const TilePlace place = place_of(tiling, tile);
        const std::uint32_t end = from.first[tile + 1];
        std::uint32_t stayed = 0;
#pragma unroll 4
        for (std::uint32_t i = from.first[tile] + threadIdx.x; i < end; i += kBinThreads) {
            const uint2 word = from.agents[i];
            const std::uint32_t to = tile_of(tiling, in_field(tiling, place, word));
            const std::int32_t k = around(tiling, place, word, to, tiles);
            if (k == kAround / 2) {
                ++stayed;
            } else if (k >= 0) {
                core::atomic_add(count[k], 1);
            } else {
                core::atomic_add(counts[to], 1);
            }
        }
        for (int lanes = 16; lanes > 0; lanes /= 2) { // devices before 8.0 have no sum of a warp
            stayed += __shfl_down_sync(0xffffffffu, stayed, static_cast<unsigned>(lanes));
        }
        if ((threadIdx.x & 31u) == 0) {
            core::atomic_add(count[kAround / 2], stayed);
        }
        __syncthreads();
        if (threadIdx.x < kAround) {
            core::atomic_add(counts[tiles[threadIdx.x]], count[threadIdx.x]);
            moved[tile * kAround + threadIdx.x] = count[threadIdx.x];
        }
        __syncthreads();
    }
}

__global__ void __launch_bounds__(kBinThreads)
    scatter_tiles(TileAgents from, const std::uint64_t *__restrict__ ids, Tiling tiling,
                  const std::uint32_t *__restrict__ moved, std::uint32_t *cursor, SortedTo target) {
    __shared__ std::uint32_t tiles[kAround];
    __shared__ std::uint32_t next[kAround]; // the places in them that this block has claimed
    for (std::uint32_t tile = blockIdx.x; tile < tiling.tiles(); tile += gridDim.x) {
        if (threadIdx.x < kAround) {
            const std::uint32_t to =
                tile_around(tiling, tile, static_cast<std::int32_t>(threadIdx.x));
            tiles[threadIdx.x] = to;
            next[threadIdx.x] = atomicAdd(cursor + to, moved[tile * kAround + threadIdx.x]);
        }
        __syncthreads();
        const TilePlace place = place_of(tiling, tile);
        const std::uint32_t end = from.first[tile + 1];
#pragma unroll 2
        for (std::uint32_t i = from.first[tile] + threadIdx.x; i < end; i += kBinThreads) {
            const uint2 word = from.agents[i];
            const std::uint64_t id = ids[i];
            const FieldAgent agent = in_field(tiling, place, word);
            const std::uint32_t to = tile_of(tiling, agent);
            const std::int32_t k = around(tiling, place, word, to, tiles);
            const unsigned stay = __ballot_sync(__activemask(), k == kAround / 2);
            const std::uint32_t slot = k == kAround / 2 ? claim(next + k, stay)
                                       : k >= 0         ? atomicAdd(next + k, 1u)
                                                        : atomicAdd(cursor + to, 1u);
            target.put(tiling, slot, agent, id);
        }
        __syncthreads();
    }
}

// Back to the form of a state.
__global__ void __launch_bounds__(kBinThreads)
    unpack_agents(TileAgents from, Tiling tiling, std::int32_t origin_x, std::int32_t origin_y,
                  rules::Agent *out) {
    for (std::uint32_t tile = blockIdx.x; tile < tiling.tiles(); tile += gridDim.x) {
        const TilePlace place = place_of(tiling, tile);
        const std::uint32_t end = from.first[tile + 1];
        for (std::uint32_t i = from.first[tile] + threadIdx.x; i < end; i += blockDim.x) {
            const FieldAgent agent = in_field(tiling, place, from.agents[i]);
            out[i] = {agent.column + origin_x, agent.row + origin_y,
                      static_cast<std::uint16_t>(agent.fraction_x),
                      static_cast<std::uint16_t>(agent.fraction_y), agent.heading};
        }
    }
}

} // namespace karst::cuda
