// Rivers cut from the outlets upwards, on records in the order of places. A tree can be cut when
// the cell below it is. What takes long is the way along the longest river; so a warp goes up along
// the stems of trees, each to where its largest tree hangs, finds the heights there alone, and
// leaves the trees themselves to whoever waits. A grid of any size does: whoever waits, waits for
// warps that run.
#pragma once

#include "erosion_rivers.cuh"

namespace karst::cuda {

inline constexpr unsigned kCutThreads = 128;
// Heights of a tree's last places that a warp keeps; those before are read from memory.
inline constexpr int kKept = 512;
inline constexpr int kAhead = 4; // loads of 32 records that are under way
inline constexpr std::uint32_t kAllCut = 0xfffffffe;
// Added to a node: cut the tree, its height below is known; its largest is on its way. Without:
// begin a river there.
inline constexpr std::uint32_t kWhole = 1u << 31;
inline constexpr std::uint32_t kSmall = 32; // cells of a tree that is cut at once
inline constexpr std::uint32_t kBatch = 8;  // trees that a warp hands on together

// What the cut of one place needs and makes.
struct Record {
    std::int32_t height;
    std::uint32_t bits; // the share that it loses, from bit 16 Place::back(), Place::kDiagonal

    __device__ std::uint32_t lost() const { return bits & 0xffff; }
    __device__ int back() const { return static_cast<int>(bits >> 16 & 0xfff); }
    __device__ bool diagonal() const { return (bits & Place::kDiagonal) != 0; }
};
static_assert(sizeof(Record) == 8);

// The records of the tiles of a grid of blocks; f(number of the place, its cell).
template <class F>
__device__ void for_places(const TileMap &map, const std::uint32_t *places, F &&f) {
    const TilePlace at = tile_place(map, blockIdx.x);
    const int width = min(kSide, map.width - at.x);
    const int number = width * min(kSide, map.height - at.y);
    const std::size_t first = std::size_t{at.tile} * kTileCells;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < number; i += static_cast<int>(kTileThreads)) {
        const Place place{places[first + static_cast<unsigned>(i)]};
        f(first + static_cast<unsigned>(i), place, map.cell(at.x + place.lx(), at.y + place.ly()));
    }
}

// `steepness` and `steep` may be null.
__global__ void __launch_bounds__(kTileThreads)
    write_records(TileMap map, rules::StreamPower power, const std::int32_t *__restrict__ heights,
                  const std::uint32_t *__restrict__ areas,
                  const std::uint16_t *__restrict__ softness,
                  const std::uint16_t *__restrict__ steepness,
                  const std::uint32_t *__restrict__ places, Record *__restrict__ records,
                  std::uint16_t *__restrict__ steep) {
    for_places(map, places, [&](std::size_t i, Place place, std::int64_t cell) {
        const std::uint32_t lost =
            rules::lost_share(power, areas[cell], place.diagonal(), softness[cell]);
        records[i] = {heights[cell], lost | place.back() << 16 | (place.bits & Place::kDiagonal)};
        if (steepness != nullptr) {
            steep[i] = steepness[cell];
        }
    });
}

// The same of the cells of stems, without Place::back().
__global__ void __launch_bounds__(kTileThreads)
    write_stems(TileMap map, rules::StreamPower power, const std::int32_t *__restrict__ heights,
                const std::uint32_t *__restrict__ areas, const std::uint8_t *__restrict__ steps,
                const std::uint16_t *__restrict__ softness,
                const std::uint16_t *__restrict__ steepness, Nodes nodes,
                Record *__restrict__ records, std::uint16_t *__restrict__ steep) {
    const TilePlace at = tile_place(map, blockIdx.x);
    const std::uint32_t number = nodes.of_tile[at.tile];
    for (std::uint32_t k = threadIdx.x; k < number; k += kTileThreads) {
        const std::size_t i = std::size_t{at.tile} * kStemCells + k;
        const int c = nodes.stems[i] % kTileCells;
        if (!map.holds(at.x + c % kSide, at.y + c / kSide)) {
            continue; // no stem has this place
        }
        const std::int64_t cell = map.cell(at.x + c % kSide, at.y + c / kSide);
        const bool diagonal = (steps[cell] & 1) != 0;
        const std::uint32_t lost = rules::lost_share(power, areas[cell], diagonal, softness[cell]);
        records[i] = {heights[cell], lost | (diagonal ? Place::kDiagonal : 0)};
        if (steepness != nullptr) {
            steep[i] = steepness[cell];
        }
    }
}

__global__ void __launch_bounds__(kTileThreads)
    read_records(TileMap map, const std::uint32_t *__restrict__ places,
                 const Record *__restrict__ records, std::int32_t *__restrict__ heights) {
    for_places(map, places,
               [&](std::size_t i, Place, std::int64_t cell) { heights[cell] = records[i].height; });
}

// What the cut of a tree needs to know of its node.
struct TreeNode {
    std::uint32_t begin, place, number, first, largest, stem;

    __device__ std::uint32_t cells() const { return begin >> 16; }
    __device__ std::uint32_t stem_cells() const { return stem >> 16; }
};
__device__ inline TreeNode read_node(const Nodes &nodes, std::uint32_t node) {
    return {nodes.begin[node],
            nodes.place[node],
            nodes.number[node],
            nodes.first[node],
            static_cast<std::uint32_t>(nodes.largest[node]),
            nodes.stem[node]};
}

// The records of places and of stems; `steep` may be null.
struct CutFields {
    Record *records;
    const std::uint16_t *steep;
    const Record *stems;
    const std::uint16_t *stem_steep;
};

class TreeCut {
public:
    __device__ TreeCut(const rules::StreamPower &power, const CutFields &fields, std::int32_t *kept)
        : power_(power), fields_(fields), kept_(kept), lane_(static_cast<int>(threadIdx.x % 32)),
          side_(rules::largest_drop(power, false, rules::kSame)),
          corner_(rules::largest_drop(power, true, rules::kSame)) {}

    // `below` is the height of the cell below the tree; nothing if there is none.
    __device__ void cut(std::uint32_t node, const TreeNode &tree, std::int32_t below) {
        first_ = std::size_t{node / kTileThreads} * kTileCells + (tree.begin & 0xffff);
        number_ = static_cast<int>(tree.cells());
        stays_ = tree.place == kNone; // what is last in its tree drains nowhere
        below_ = below;
        Record ahead[kAhead];
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
            ahead[k] = read(32 * k + lane_);
        }
        for (int first = 0; first < number_; first += 32 * kAhead) {
#pragma unroll
            for (int k = 0; k < kAhead; ++k) {
                cut_places(first + 32 * k, ahead[k]);
                ahead[k] = read(first + 32 * (k + kAhead) + lane_);
            }
        }
        __syncwarp();
    }

    // What a place of the tree that was cut last has come to.
    __device__ std::int32_t height(std::uint32_t place) const {
        return *static_cast<const volatile std::int32_t *>(&fields_.records[place].height);
    }

    // A lane's record of the first cells of a stem.
    __device__ Record read_stem(std::uint32_t node, const TreeNode &tree, int k = 0) const {
        const int i = k + lane_;
        return i < static_cast<int>(tree.stem_cells())
                   ? fields_.stems[stem_place(node, tree) + static_cast<unsigned>(i)]
                   : Record{0, 0};
    }

    // The height at the top of a stem of which the first records are there.
    __device__ std::int32_t climb(std::uint32_t node, const TreeNode &tree, Record record,
                                  std::int32_t below) const {
        const int number = static_cast<int>(tree.stem_cells());
        for (int k = 0; k < number; k += 32) {
            const Record after = read_stem(node, tree, k + 32);
            const std::uint32_t largest =
                fields_.stem_steep != nullptr && k + lane_ < number
                    ? rules::largest_drop(power_, record.diagonal(),
                                          fields_.stem_steep[stem_place(node, tree) +
                                                             static_cast<unsigned>(k + lane_)])
                : record.diagonal() ? corner_
                                    : side_;
            const int last = min(32, number - k);
#pragma unroll 4
            for (int j = 0; j < last; ++j) {
                const std::int32_t height = __shfl_sync(kAllLanes, record.height, j);
                const std::uint32_t lost = __shfl_sync(kAllLanes, record.lost(), j);
                const std::uint32_t most = __shfl_sync(kAllLanes, largest, j);
                const bool stays = tree.place == kNone && k + j == 0;
                below = stays ? height : rules::incised(height, below, lost, most, power_.slide);
            }
            record = after;
        }
        return below;
    }

private:
    static constexpr unsigned kAllLanes = 0xffffffff;

    __device__ static std::size_t stem_place(std::uint32_t node, const TreeNode &tree) {
        return std::size_t{node / kTileThreads} * kStemCells + (tree.stem & 0xffff);
    }

    __device__ Record read(int i) const {
        if (i >= number_) {
            return {0, 0};
        }
        const int2 both = __ldcg(reinterpret_cast<const int2 *>(fields_.records + first_ + i));
        return {both.x, static_cast<std::uint32_t>(both.y)};
    }

    // Up to 32 places from `first` on, each when those before the first that waits are done and so
    // is the one below it.
    __device__ void cut_places(int first, const Record &record) {
        const int i = first + lane_;
        const int back = record.back();
        const std::uint32_t largest =
            fields_.steep != nullptr && i < number_
                ? rules::largest_drop(power_, record.diagonal(), fields_.steep[first_ + i])
            : record.diagonal() ? corner_
                                : side_;
        std::int32_t height = record.height;
        bool waits = i < number_;
        for (;;) {
            const unsigned waiting = __ballot_sync(kAllLanes, waits ? 1 : 0);
            if (waiting == 0) {
                break;
            }
            const int done = first + __ffs(static_cast<int>(waiting)) - 1;
            if (waits && (back == 0 || i - back < done)) {
                if (back != 0 || !stays_) {
                    height = rules::incised(height, below(i, back), record.lost(), largest,
                                            power_.slide);
                }
                kept_[i % kKept] = height;
                waits = false;
            }
            __syncwarp();
        }
        if (i < number_) {
            fields_.records[first_ + i].height = height;
        }
    }

    __device__ std::int32_t below(int i, int back) const {
        if (back == 0) {
            return below_;
        }
        if (back <= kKept - 32) {
            return kept_[(i - back) % kKept];
        }
        return *static_cast<const volatile std::int32_t *>(
            &fields_.records[first_ + (i - back)].height);
    }

    const rules::StreamPower &power_;
    const CutFields &fields_;
    std::int32_t *kept_;
    int lane_;
    std::uint32_t side_, corner_; // rules::largest_drop

    std::size_t first_ = 0; // of the tree's records
    int number_ = 0;
    bool stays_ = false;
    std::int32_t below_ = 0;
};

// The task that a warp waits for, or kAllCut. `number` bounds the tasks.
__device__ inline std::uint32_t take_ready(const Nodes &nodes, std::uint32_t number) {
    const std::uint32_t ticket = atomicAdd(&nodes.queue->taken, 1u);
    if (ticket >= number) {
        return kAllCut;
    }
    const volatile std::uint32_t *const entry = nodes.ready + ticket;
    for (;;) {
        const std::uint32_t task = *entry;
        if (task != kNone) {
            __threadfence();
            return task;
        }
#if __CUDA_ARCH__ >= 700
        __nanosleep(256);
#endif
    }
}

__device__ inline void write_ready(const Nodes &nodes, std::uint32_t entry, std::uint32_t task) {
    *static_cast<volatile std::uint32_t *>(nodes.ready + entry) = task;
}

// Room for tasks; all lanes get the first.
__device__ inline std::uint32_t push_ready(const Nodes &nodes, std::uint32_t number,
                                           unsigned lane) {
    std::uint32_t entry = 0;
    if (lane == 0) {
        entry = atomicAdd(&nodes.queue->pushed, number);
    }
    return __shfl_sync(0xffffffff, entry, 0);
}

// Those that hang on a tree that is cut and are not the largest.
__device__ inline void make_ready(const Nodes &nodes, const TreeNode &tree, unsigned lane) {
    if (tree.number < 2) {
        return;
    }
    __threadfence();
    std::uint32_t entry = push_ready(nodes, tree.number - 1, lane);
    for (std::uint32_t first = 0; first < tree.number; first += 32) {
        const std::uint32_t i = first + lane;
        const std::uint32_t node = i < tree.number ? nodes.hanging[tree.first + i] : tree.largest;
        const unsigned pushed = __ballot_sync(0xffffffff, node != tree.largest ? 1 : 0);
        if (node != tree.largest) {
            write_ready(nodes, entry + static_cast<unsigned>(__popc(pushed & ((1u << lane) - 1))),
                        node);
        }
        entry += static_cast<std::uint32_t>(__popc(pushed));
    }
}

// A river from a tree up; gives how many trees were cut on the way. `below_of` by node.
__device__ inline std::uint32_t follow_river(const Nodes &nodes, TreeCut &cutter,
                                             std::uint32_t node, TreeNode tree, std::int32_t below,
                                             std::int32_t *below_of, unsigned lane) {
    std::uint32_t done = 0;
    std::uint32_t waiting = 0; // trees to hand on, each in a lane
    std::uint32_t own_node = 0;
    std::int32_t own_below = 0;
    const auto hand_on = [&] {
        if (waiting == 0) {
            return;
        }
        if (lane < waiting) {
            below_of[own_node] = own_below;
        }
        __threadfence();
        const std::uint32_t entry = push_ready(nodes, waiting, lane);
        if (lane < waiting) {
            write_ready(nodes, entry + lane, own_node | kWhole);
        }
        waiting = 0;
    };
    // Nodes are read two trees ahead, stems one.
    TreeNode next = tree.number > 0 ? read_node(nodes, tree.largest) : tree;
    Record stem = cutter.read_stem(node, tree);
    while (tree.number > 0) {
        const TreeNode after = next.number > 0 ? read_node(nodes, next.largest) : next;
        const Record next_stem = cutter.read_stem(tree.largest, next);
        if (tree.cells() <= kSmall || tree.stem_cells() == 0) {
            cutter.cut(node, tree, below);
            ++done;
            below = cutter.height(next.place);
            make_ready(nodes, tree, lane);
        } else {
            if (lane == waiting) {
                own_node = node;
                own_below = below;
            }
            ++waiting;
            below = cutter.climb(node, tree, stem, below);
            if (waiting == kBatch) {
                hand_on();
            }
        }
        node = tree.largest;
        tree = next;
        next = after;
        stem = next_stem;
    }
    hand_on();
    cutter.cut(node, tree, below);
    return done + 1;
}

// `number` bounds the tasks.
__global__ void __launch_bounds__(kCutThreads)
    cut_rivers(rules::StreamPower power, CutFields fields, Nodes nodes, std::int32_t *below_of,
               std::uint32_t number) {
    __shared__ std::int32_t kept[kCutThreads / 32][kKept];
    constexpr unsigned kAll = 0xffffffff;
    const unsigned lane = threadIdx.x % 32;
    TreeCut cutter(power, fields, kept[threadIdx.x / 32]);
    for (;;) {
        std::uint32_t task = 0;
        if (lane == 0) {
            task = take_ready(nodes, number);
        }
        task = __shfl_sync(kAll, task, 0);
        if (task == kAllCut) {
            return;
        }
        const std::uint32_t node = task & ~kWhole;
        const TreeNode tree = read_node(nodes, node);
        std::uint32_t done = 1;
        if ((task & kWhole) != 0) {
            cutter.cut(node, tree, __ldcg(below_of + node));
            make_ready(nodes, tree, lane);
        } else {
            const std::int32_t below =
                tree.place == kNone ? 0 : __ldcg(&fields.records[tree.place].height);
            done = follow_river(nodes, cutter, node, tree, below, below_of, lane);
        }
        std::uint32_t left = 0;
        if (lane == 0) {
            left = atomicSub(&nodes.queue->left, done) - done;
        }
        if (__shfl_sync(kAll, left, 0) == 0) { // those that wait and will wait for more
            const std::uint32_t first = atomicAdd(&nodes.queue->pushed, 0u);
            const std::uint32_t warps = gridDim.x * (kCutThreads / 32);
            for (std::uint32_t i = first + lane; i < number && i < first + warps; i += 32) {
                write_ready(nodes, i, kAllCut);
            }
        }
    }
}

} // namespace karst::cuda
