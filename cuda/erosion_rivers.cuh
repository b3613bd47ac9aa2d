// The way of the water on filled ground, the order in which rivers cut, and drained areas.
//
// In each tile cells form trees that hang on the cells whose water leaves it: one tree for each
// slot of the rim, and one of all whose water goes no farther. A tree is a run of places, cells in
// order of their depth, so that those of a level are beside one another. Trees of tiles hang on
// trees of other tiles: the nodes.
#pragma once

#include <cub/block/block_scan.cuh>

#include "erosion_fill.cuh"

namespace karst::cuda {

// A place of a tree: the local cell, how many places before it the cell lies that it drains to
// (0: in another tile or nowhere), and whether that one is diagonal.
struct Place {
    std::uint32_t bits;

    static constexpr std::uint32_t kDiagonal = 1u << 31;
    __device__ static Place of(int cell, std::uint32_t back, bool diagonal) {
        return {static_cast<std::uint32_t>(cell) | back << 12 | (diagonal ? kDiagonal : 0)};
    }
    __device__ int lx() const { return static_cast<int>(bits % kSide); }
    __device__ int ly() const { return static_cast<int>(bits / kSide % kSide); }
    __device__ std::uint32_t back() const { return bits >> 12 & 0xfff; }
    __device__ bool diagonal() const { return (bits & kDiagonal) != 0; }
};

// The graph of trees, by node.
struct Nodes {
    std::uint32_t *beyond;  // the cell that its water comes to, or kNone
    std::uint32_t *place;   // the place of that cell, or kNone
    std::uint32_t *begin;   // its first place in the tile; the number of them in the upper half
    std::uint32_t *next;    // the node that it hangs on, or kNone
    std::uint32_t *rank;    // among those that hang there
    std::uint32_t *number;  // of those that hang on it
    std::uint32_t *first;   // of them in `hanging`
    std::uint32_t *hanging; // nodes
    std::uint64_t *flow;    // cells that drain through it; those still to come in the upper half
    std::uint64_t *largest; // of those that hang on it; its flow in the upper half
    std::uint32_t *inflow;  // by slot of the rim: what comes to that cell from other tiles
    std::uint32_t *rim;     // by slot of the rim: the tree of that cell, and its place from bit 8
    std::uint32_t *ready;   // tasks in the order in which they can be done; kNone: not yet
    std::uint32_t *stem;    // its first cell of the tile's stems; their number in the upper half
    std::uint16_t *stems;   // local cells, from a tree's end up to where its largest hangs
    std::uint32_t *of_tile; // cells of stems
    QueueState *queue;      // of `ready`; extra: taken of `hanging`
};

// Walks down the trees of a tile at once: every cell's end, and its depth above that, by doubling.
// On entry `end` is where each cell's water goes, and `last` the same of this thread's cells.
__device__ inline void find_depths(std::uint16_t *end, std::uint16_t *depth, std::uint32_t *last,
                                   std::uint32_t *deep) {
    for_own_cells([&](int k, int lx, int ly) {
        deep[k] = last[k] < kTileCells ? 1 : 0;
        depth[ly * kSide + lx] = static_cast<std::uint16_t>(deep[k]);
    });
    __syncthreads();
    for (bool more = true; more;) {
        bool pending = false;
        for_own_cells([&](int k, int, int) {
            if (last[k] < kTileCells) {
                deep[k] += depth[last[k]];
                last[k] = end[last[k]];
                pending = pending || last[k] < kTileCells;
            }
        });
        __syncthreads();
        for_own_cells([&](int k, int lx, int ly) {
            end[ly * kSide + lx] = static_cast<std::uint16_t>(last[k]);
            depth[ly * kSide + lx] = static_cast<std::uint16_t>(deep[k]);
        });
        more = __syncthreads_or(pending ? 1 : 0) != 0;
    }
}

// Steps, trees and their places. `filled` may be null: then water runs on the ground as it is.
__global__ void __launch_bounds__(kTileThreads)
    plant_trees(TileMap map, Links links, std::uint64_t seed,
                const std::int32_t *__restrict__ heights, const std::int32_t *__restrict__ filled,
                const std::uint8_t *__restrict__ outlets, std::uint8_t *__restrict__ steps,
                std::uint32_t *__restrict__ places, Nodes nodes) {
    constexpr int kWarps = static_cast<int>(kTileThreads / 32);
    __shared__ std::int32_t framed[kFramedCells]; // then numbers by depth, then places
    __shared__ std::uint16_t end[kTileCells];     // then trees by depth
    __shared__ std::uint16_t depth[kTileCells];   // then cells by depth
    __shared__ std::uint32_t target[kTileThreads];
    __shared__ std::uint32_t fill[kTileThreads];
    __shared__ std::uint16_t of_warp[kWarps][kTileThreads];
    __shared__ std::uint32_t deepest;
    using Scan = cub::BlockScan<std::uint32_t, kTileThreads>;
    __shared__ typename Scan::TempStorage scan_storage;

    const TilePlace at = tile_place(map, blockIdx.x);
    const std::size_t node = std::size_t{at.tile} * kTileThreads + threadIdx.x;
    target[threadIdx.x] = kNone;
    fill[threadIdx.x] = 0;
    for (auto &numbers : of_warp) {
        numbers[threadIdx.x] = 0;
    }
    if (threadIdx.x == 0) {
        deepest = 0;
    }
    load_framed(map, at, framed, [&](std::int64_t i) {
        return filled == nullptr ? heights[i] : filled_height(filled[i], heights[i]);
    });
    __syncthreads();
    std::uint32_t way[kCellsAThread];
    std::uint32_t tree[kCellsAThread];
    std::uint32_t deep[kCellsAThread];
    std::uint32_t diagonal = 0; // a bit for each cell
    std::uint32_t inside = 0;
    for_own_cells([&](int k, int lx, int ly) {
        const int x = at.x + lx;
        const int y = at.y + ly;
        way[k] = kDrains;
        if (map.holds(x, y)) {
            const std::int64_t cell = map.cell(x, y);
            const bool outlet = outlets[cell] != 0;
            const std::uint8_t step =
                outlet ? rules::kNoStep
                       : steepest_step(map, links, seed, framed, framed_place(lx, ly), x, y);
            steps[cell] = step;
            way[k] = local_way(step, outlet, lx, ly);
            if (way[k] >= kExit && way[k] < kDrains) {
                target[way[k] & 0xff] = static_cast<std::uint32_t>(
                    map.cell(x + rules::step_x(step), y + rules::step_y(step)));
            }
            diagonal |= (step & 1u) << k; // kNoStep is even
            inside |= 1u << k;
        }
        tree[k] = way[k];
        end[ly * kSide + lx] = static_cast<std::uint16_t>(way[k]);
    });
    __syncthreads();
    find_depths(end, depth, tree, deep);

    // The number of cells of each tree, and so where it begins; that of each depth.
    auto *const of_depth = reinterpret_cast<std::uint32_t *>(framed);
    for_own_cells([&](int, int lx, int ly) { of_depth[ly * kSide + lx] = 0; });
    __syncthreads();
    std::uint32_t most = 0;
    for_own_cells([&](int k, int, int) {
        tree[k] = tree[k] < kDrains ? tree[k] & 0xff : kEndSlot;
        if ((inside >> k & 1) != 0) {
            atomicAdd(&fill[tree[k]], 1u);
            atomicAdd(&of_depth[deep[k]], 1u);
            most = max(most, deep[k]);
        }
    });
    atomicMax(&deepest, most);
    __syncthreads();
    const std::uint32_t number = fill[threadIdx.x];
    std::uint32_t begin = 0;
    std::uint32_t cells = 0;
    Scan(scan_storage).ExclusiveSum(number, begin, cells);
    nodes.begin[node] = begin | number << 16;
    nodes.beyond[node] = target[threadIdx.x];
    nodes.flow[node] = number;
    nodes.largest[node] = 0;
    nodes.number[node] = 0;
    nodes.inflow[node] = 0;
    nodes.ready[2 * node] = kNone;
    nodes.ready[2 * node + 1] = kNone;
    std::uint32_t shallower = 0;
    for (std::uint32_t first = 0; first <= deepest; first += kTileThreads) {
        std::uint32_t before = 0;
        std::uint32_t all = 0;
        __syncthreads();
        Scan(scan_storage).ExclusiveSum(of_depth[first + threadIdx.x], before, all);
        of_depth[first + threadIdx.x] = shallower + before;
        shallower += all;
    }
    __syncthreads();

    // Cells by depth, in any order of one depth, then those of each tree in this order: each warp
    // has a part of the list, and its numbers of each tree say where they begin.
    std::uint16_t *const listed = depth;
    std::uint16_t *const tree_of = end;
    for_own_cells([&](int k, int lx, int ly) {
        if ((inside >> k & 1) != 0) {
            const std::uint32_t i = atomicAdd(&of_depth[deep[k]], 1u);
            listed[i] = static_cast<std::uint16_t>(ly * kSide + lx);
            tree_of[i] = static_cast<std::uint16_t>(tree[k]);
        }
    });
    __syncthreads();
    constexpr unsigned kAll = 0xffffffff;
    const int lane = static_cast<int>(threadIdx.x % 32);
    std::uint16_t *const own = of_warp[threadIdx.x / 32];
    const int part = static_cast<int>(threadIdx.x / 32) * (kTileCells / kWarps);
    for (int i = part + lane; i < part + kTileCells / kWarps; i += 32) {
        const bool there = i < static_cast<int>(cells);
        const std::uint32_t slot = there ? tree_of[i] : kTileThreads;
        const unsigned same = __match_any_sync(kAll, slot);
        if (there && lane == __ffs(static_cast<int>(same)) - 1) {
            own[slot] = static_cast<std::uint16_t>(own[slot] + __popc(same));
        }
        __syncwarp();
    }
    __syncthreads();
    std::uint32_t place = begin;
    for (auto &numbers : of_warp) {
        const std::uint32_t here = numbers[threadIdx.x];
        numbers[threadIdx.x] = static_cast<std::uint16_t>(place);
        place += here;
    }
    auto *const place_of = reinterpret_cast<std::uint16_t *>(framed);
    __syncthreads();
    for (int i = part + lane; i < part + kTileCells / kWarps; i += 32) {
        const bool there = i < static_cast<int>(cells);
        const std::uint32_t slot = there ? tree_of[i] : kTileThreads;
        const unsigned same = __match_any_sync(kAll, slot);
        const std::uint32_t first = there ? own[slot] : 0;
        const auto rank = static_cast<std::uint32_t>(__popc(same & ((1u << lane) - 1)));
        __syncwarp();
        if (there) {
            place_of[listed[i]] = static_cast<std::uint16_t>(first + rank);
            if (rank == 0) {
                own[slot] =
                    static_cast<std::uint16_t>(first + static_cast<std::uint32_t>(__popc(same)));
            }
        }
        __syncwarp();
    }
    __syncthreads();
    std::uint32_t *const tile_places = places + std::size_t{at.tile} * kTileCells;
    for_own_cells([&](int k, int lx, int ly) {
        if ((inside >> k & 1) != 0) {
            const int c = ly * kSide + lx;
            const std::uint32_t here = place_of[c];
            const std::uint32_t back = way[k] < kTileCells ? here - place_of[way[k]] : 0;
            tile_places[here] = Place::of(c, back, (diagonal >> k & 1) != 0).bits;
            if (at_rim(lx, ly)) {
                nodes.rim[std::size_t{at.tile} * kTileThreads +
                          static_cast<unsigned>(rim_slot(lx, ly))] = tree[k] | here << 8;
            }
        }
    });
}

// What each node hangs on.
__global__ void __launch_bounds__(kTileThreads) link_trees(TileMap map, Nodes nodes) {
    const std::uint32_t node = blockIdx.x * kTileThreads + threadIdx.x;
    const std::uint32_t target = nodes.beyond[node];
    std::uint32_t next = kNone;
    std::uint32_t place = kNone;
    if (target != kNone) {
        const RimPlace to = rim_place(map, target);
        const std::uint32_t rim = nodes.rim[to.tile * kTileThreads + to.slot];
        next = to.tile * kTileThreads + (rim & 0xff);
        place = to.tile * kTileCells + (rim >> 8);
        nodes.rank[node] = atomicAdd(&nodes.number[next], 1u);
    }
    nodes.next[node] = next;
    nodes.place[node] = place;
}

// Room for the nodes that hang on each, and those from which the cut begins.
__global__ void __launch_bounds__(kTileThreads) make_room(Nodes nodes) {
    using Scan = cub::BlockScan<std::uint32_t, kTileThreads>;
    __shared__ typename Scan::TempStorage scan_storage;
    __shared__ std::uint32_t start;
    const std::uint32_t node = blockIdx.x * kTileThreads + threadIdx.x;
    const std::uint32_t number = nodes.number[node];
    const bool is_tree = nodes.begin[node] >> 16 != 0;
    std::uint32_t before = 0;
    std::uint32_t all = 0;
    Scan(scan_storage).ExclusiveSum(number, before, all);
    const int trees = __syncthreads_count(is_tree ? 1 : 0);
    if (threadIdx.x == 0) {
        start = atomicAdd(&nodes.queue->extra, all);
        atomicAdd(&nodes.queue->left, static_cast<std::uint32_t>(trees));
    }
    __syncthreads();
    nodes.first[node] = start + before;
    nodes.flow[node] |= std::uint64_t{number} << 32;
    if (threadIdx.x == kEndSlot && is_tree) {
        nodes.ready[atomicAdd(&nodes.queue->pushed, 1u)] = node;
    }
}

// Adds up areas between tiles, from the nodes on which none hangs down.
__global__ void __launch_bounds__(kTileThreads) add_up_flow(TileMap map, Nodes nodes) {
    std::uint32_t node = blockIdx.x * kTileThreads + threadIdx.x;
    if (nodes.number[node] != 0) {
        return;
    }
    std::uint32_t next = nodes.next[node];
    std::uint32_t cells = static_cast<std::uint32_t>(nodes.flow[node]);
    while (next != kNone) {
        const RimPlace to = rim_place(map, nodes.beyond[node]);
        atomicAdd(&nodes.inflow[to.tile * kTileThreads + to.slot], cells);
        const std::uint64_t before =
            atomicAdd(reinterpret_cast<unsigned long long *>(&nodes.flow[next]),
                      static_cast<unsigned long long>(cells) - (1ull << 32));
        if (before >> 32 != 1) {
            break;
        }
        cells += static_cast<std::uint32_t>(before);
        node = next;
        next = nodes.next[node];
    }
}

// Lists those that hang on each node, when their flow is known.
__global__ void __launch_bounds__(kTileThreads) hang_trees(Nodes nodes) {
    const std::uint32_t node = blockIdx.x * kTileThreads + threadIdx.x;
    const std::uint32_t next = nodes.next[node];
    if (next != kNone) {
        nodes.hanging[nodes.first[next] + nodes.rank[node]] = node;
        const std::uint64_t cells = nodes.flow[node] << 32;
        atomicMax(reinterpret_cast<unsigned long long *>(&nodes.largest[next]),
                  static_cast<unsigned long long>(cells | node));
    }
}

// Room for the stems of a tile; a tree for which none is left has no stem.
inline constexpr std::uint32_t kStemCells = 1024;

// The area of each cell, with what comes from other tiles; and the stems of trees.
__global__ void __launch_bounds__(kTileThreads)
    find_areas(TileMap map, const std::uint8_t *__restrict__ steps, Nodes nodes,
               std::uint32_t *__restrict__ areas) {
    __shared__ std::uint32_t area[kTileCells];
    __shared__ std::uint32_t coming[kTileCells];
    __shared__ std::uint16_t way[kTileCells];
    __shared__ std::uint32_t used;
    if (threadIdx.x == 0) {
        used = 0;
    }
    const TilePlace at = tile_place(map, blockIdx.x);
    for_own_cells([&](int, int lx, int ly) {
        const int c = ly * kSide + lx;
        const bool inside = map.holds(at.x + lx, at.y + ly);
        const std::uint8_t step = inside ? steps[map.cell(at.x + lx, at.y + ly)] : rules::kNoStep;
        way[c] = static_cast<std::uint16_t>(local_way(step, true, lx, ly));
        coming[c] = 0;
        area[c] = 1;
        if (inside && at_rim(lx, ly)) {
            area[c] += nodes.inflow[std::size_t{at.tile} * kTileThreads +
                                    static_cast<unsigned>(rim_slot(lx, ly))];
        }
    });
    __syncthreads();
    for_own_cells([&](int, int lx, int ly) {
        const std::uint32_t to = way[ly * kSide + lx];
        if (to < kTileCells) {
            atomicAdd(&coming[to], 1u);
        }
    });
    __syncthreads();
    std::uint32_t springs = 0;
    for_own_cells(
        [&](int k, int lx, int ly) { springs |= (coming[ly * kSide + lx] == 0 ? 1u : 0u) << k; });
    __syncthreads();
    for (; springs != 0; springs &= springs - 1) {
        const int k = __ffs(static_cast<int>(springs)) - 1;
        std::uint32_t cell = threadIdx.x + static_cast<unsigned>(k) * kTileThreads;
        std::uint32_t cells = atomicAdd(&area[cell], 0u);
        for (std::uint32_t to = way[cell]; to < kTileCells; to = way[cell]) {
            atomicAdd(&area[to], cells);
            __threadfence_block();
            if (atomicSub(&coming[to], 1u) != 1) {
                break;
            }
            __threadfence_block();
            cells = atomicAdd(&area[to], 0u);
            cell = to;
        }
    }
    __syncthreads();
    for_own_cells([&](int, int lx, int ly) {
        if (map.holds(at.x + lx, at.y + ly)) {
            areas[map.cell(at.x + lx, at.y + ly)] = area[ly * kSide + lx];
        }
    });
    const std::size_t node = std::size_t{at.tile} * kTileThreads + threadIdx.x;
    std::uint32_t length = 0;
    std::uint32_t first = 0;
    if (nodes.number[node] != 0) {
        const std::int64_t top = nodes.beyond[static_cast<std::uint32_t>(nodes.largest[node])];
        const auto y = static_cast<std::int32_t>(top / map.width);
        const auto x = static_cast<std::int32_t>(top - std::int64_t{y} * map.width);
        const auto hangs_at = static_cast<std::uint32_t>((y - at.y) * kSide + x - at.x);
        for (std::uint32_t cell = hangs_at; cell < kTileCells; cell = way[cell]) {
            ++length;
        }
        first = atomicAdd(&used, length);
        if (first + length > kStemCells) {
            length = 0;
        }
        std::uint16_t *const stem = nodes.stems + std::size_t{at.tile} * kStemCells + first;
        std::uint32_t cell = hangs_at;
        for (std::uint32_t left = length; left > 0; --left) {
            stem[left - 1] = static_cast<std::uint16_t>(cell);
            cell = way[cell];
        }
    }
    nodes.stem[node] = first | length << 16;
    __syncthreads();
    if (threadIdx.x == 0) {
        nodes.of_tile[at.tile] = min(used, kStemCells);
    }
}

} // namespace karst::cuda
