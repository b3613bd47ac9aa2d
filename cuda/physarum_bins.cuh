// Sorts agents into tiles: counts by tile, sums up, scatters. The order inside a tile differs from
// run to run; it carries no meaning, since an agent is its id and deposits are counts.
#pragma once

#include <cub/block/block_scan.cuh>

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

    template <class F>
    __device__ void for_each(const Tiling &, F &&use) const {
        const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
        for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
             i += stride) {
            const rules::Agent agent = agents[i];
            use(i, FieldAgent{agent.x - origin_x, agent.y - origin_y, agent.fraction_x,
                              agent.fraction_y, agent.heading});
        }
    }
};

// Agents in tiles that some have left; those of tile i are first[i] to first[i + 1] - 1.
struct TileAgents {
    const uint2 *agents;
    const std::uint32_t *first;

    template <class F>
    __device__ void for_each(const Tiling &tiling, F &&use) const {
        for (std::uint32_t tile = blockIdx.x; tile < tiling.tiles(); tile += gridDim.x) {
            const TilePlace place = place_of(tiling, tile);
            const std::uint32_t end = first[tile + 1];
            for (std::uint32_t i = first[tile] + threadIdx.x; i < end; i += blockDim.x) {
                const TileAgent agent = unpacked(agents[i]);
                const std::int32_t column =
                    place.column - tiling.halo_x + (agent.at.x >> core::kLengthBits);
                const std::int32_t row =
                    place.row - tiling.halo_y + (agent.at.y >> core::kLengthBits);
                // On a bounded field no agent is outside.
                use(i, FieldAgent{core::wrapped(column, tiling.width),
                                  core::wrapped(row, tiling.height),
                                  static_cast<std::uint32_t>(agent.at.x) & 0xffff,
                                  static_cast<std::uint32_t>(agent.at.y) & 0xffff, agent.heading});
            }
        }
    }
};

__device__ inline std::uint32_t tile_of(const Tiling &tiling, const FieldAgent &agent) {
    return static_cast<std::uint32_t>(agent.row >> tiling.log_y) *
               static_cast<std::uint32_t>(tiling.tiles_x) +
           static_cast<std::uint32_t>(agent.column >> tiling.log_x);
}

// Adds 1 to a counter and gives its old value: a place in the tile. One atomic operation for all
// threads of a warp that want the same counter.
__device__ inline std::uint32_t claim(std::uint32_t *counters, std::uint32_t which) {
    const unsigned same = __match_any_sync(__activemask(), which);
    const int leader = __ffs(static_cast<int>(same)) - 1;
    const unsigned lane = threadIdx.x & 31u;
    std::uint32_t base = 0;
    if (lane == static_cast<unsigned>(leader)) {
        base = atomicAdd(counters + which, static_cast<std::uint32_t>(__popc(same)));
    }
    base = __shfl_sync(same, base, leader);
    return base + static_cast<std::uint32_t>(__popc(same & ((1u << lane) - 1)));
}

// `counts` must be 0.
template <class Agents>
__global__ void __launch_bounds__(kBinThreads)
    count_by_tile(Agents agents, Tiling tiling, std::uint32_t *counts) {
    agents.for_each(tiling, [&](std::int64_t, const FieldAgent &agent) {
        claim(counts, tile_of(tiling, agent));
    });
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

template <class Agents>
__global__ void __launch_bounds__(kBinThreads)
    scatter_by_tile(Agents agents, const std::uint64_t *__restrict__ ids, Tiling tiling,
                    std::uint32_t *cursor, uint2 *sorted, std::uint64_t *sorted_ids) {
    agents.for_each(tiling, [&](std::int64_t i, const FieldAgent &agent) {
        const std::uint32_t slot = claim(cursor, tile_of(tiling, agent));
        const std::int32_t x = (agent.column & (tiling.side_x() - 1)) + tiling.halo_x;
        const std::int32_t y = (agent.row & (tiling.side_y() - 1)) + tiling.halo_y;
        sorted[slot] =
            packed({{static_cast<std::int32_t>(
                         (static_cast<std::uint32_t>(x) << core::kLengthBits) | agent.fraction_x),
                     static_cast<std::int32_t>(
                         (static_cast<std::uint32_t>(y) << core::kLengthBits) | agent.fraction_y)},
                    agent.heading});
        sorted_ids[slot] = ids[i];
    });
}

// Back to the form of a state.
__global__ void __launch_bounds__(kBinThreads)
    unpack_agents(TileAgents agents, Tiling tiling, std::int32_t origin_x, std::int32_t origin_y,
                  rules::Agent *out) {
    agents.for_each(tiling, [&](std::int64_t i, const FieldAgent &agent) {
        out[i] = {agent.column + origin_x, agent.row + origin_y,
                  static_cast<std::uint16_t>(agent.fraction_x),
                  static_cast<std::uint16_t>(agent.fraction_y), agent.heading};
    });
}

} // namespace karst::cuda
