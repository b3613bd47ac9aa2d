// One step of the tiled Physarum engine: a block makes the window of a tile, moves the tile's
// agents in it, and folds their deposits into the tile.
#pragma once

#include "core/atomic.hpp"
#include "core/rng.hpp"
#include "physarum_window.cuh"
#include "sim/physarum_tuning.hpp"

namespace karst::cuda {

// Agents that a thread handles at once: their loads overlap, and their random draws, which few
// need, are shared out evenly over the threads of the warp.
inline constexpr int kBatch = 4;
inline constexpr unsigned kWholeWarp = 0xffffffffu;

struct TileStep {
    rules::PhysarumRule rule;
    Tiling tiling;
    FoldedField field;
    std::uint32_t *next_trail;  // folded
    std::uint32_t *next_strays; // 0 before the step
    std::uint32_t *old_strays;  // of the step before the last: this step makes them 0
    std::uint16_t *birth;       // null: not kept
    uint2 *agents;
    const std::uint64_t *ids;
    const std::uint32_t *first;
    const core::Direction *directions;
    const core::PowerTables *powers;
    // In device memory, so that one captured graph serves at any time.
    const std::uint32_t *first_step;
    std::uint32_t offset;
};

// What lies in a block's shared memory.
struct TileMemory {
    std::uint32_t *window;
    std::uint32_t *deposits; // counts of the tile's cells
    core::Direction *directions;
    std::uint8_t *queue; // kBatch * 32 entries a warp

    __device__ TileMemory(std::uint32_t *memory, const Tiling &tiling) {
        window = memory;
        deposits = window + tiling.window_x() * tiling.window_y();
        directions =
            reinterpret_cast<core::Direction *>(deposits + tiling.side_x() * tiling.side_y());
        queue = reinterpret_cast<std::uint8_t *>(directions + core::kDirectionCount);
    }
};

inline std::size_t tile_memory_bytes(const Tiling &tiling, int threads) {
    return sizeof(std::uint32_t) * static_cast<std::size_t>(tiling.window_x() * tiling.window_y() +
                                                            tiling.side_x() * tiling.side_y()) +
           sizeof(core::Direction) * core::kDirectionCount +
           static_cast<std::size_t>(kBatch * threads);
}

// The window as rules::WholeField: points count from the window's corner. Sensors and agents stay
// inside it, so that a read needs no check; outside a bounded field it holds 0.
struct WindowGround {
    const std::uint32_t *window;
    std::int32_t row_cells;
    std::int32_t left; // window column of the field's column 0
    std::int32_t top;
    std::uint32_t width; // of the field
    std::uint32_t height;
    bool torus;

    __device__ std::uint32_t read(const rules::Point<std::int32_t> &point) const {
        return window[(point.y >> core::kLengthBits) * row_cells + (point.x >> core::kLengthBits)];
    }
    __device__ bool enter(const rules::Point<std::int32_t> &point) const {
        return torus ||
               (static_cast<std::uint32_t>((point.x >> core::kLengthBits) - left) < width &&
                static_cast<std::uint32_t>((point.y >> core::kLengthBits) - top) < height);
    }
};

// Replaces random turns of a warp's agents by the side that the draw says; `draw(code)` draws for
// the agent code = 32 * (place in the batch) + lane. All lanes of the warp must call it.
template <class Draw>
__device__ void decide_random_turns(rules::Turn (&turns)[kBatch], std::uint8_t *queue,
                                    Draw &&draw) {
    const unsigned lane = threadIdx.x & 31u;
    int waiting = 0;
    int place[kBatch];
#pragma unroll
    for (int k = 0; k < kBatch; ++k) {
        const unsigned random = __ballot_sync(kWholeWarp, turns[k] == rules::Turn::random);
        place[k] = waiting + __popc(random & ((1u << lane) - 1));
        if (turns[k] == rules::Turn::random) {
            queue[place[k]] = static_cast<std::uint8_t>(32 * k + static_cast<int>(lane));
        }
        waiting += __popc(random);
    }
    __syncwarp();
    for (int i = static_cast<int>(lane); i < waiting; i += 32) {
        queue[i] = static_cast<std::uint8_t>(rules::random_side(draw(queue[i])));
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < kBatch; ++k) {
        if (turns[k] == rules::Turn::random) {
            turns[k] = static_cast<rules::Turn>(queue[place[k]]);
        }
    }
    __syncwarp();
}

template <bool kStrongest>
__device__ void move_agents(const TileStep &step, const TilePlace &place, std::uint32_t tile,
                            const TileMemory &memory) {
    const rules::PhysarumRule &rule = step.rule;
    const Tiling &tiling = step.tiling;
    const rules::Tables tables{memory.directions, step.powers};
    const std::uint32_t number = *step.first_step + step.offset;
    const WindowGround ground{memory.window,
                              tiling.window_x(),
                              tiling.halo_x - place.column,
                              tiling.halo_y - place.row,
                              static_cast<std::uint32_t>(tiling.width),
                              static_cast<std::uint32_t>(tiling.height),
                              rule.torus};
    const std::uint32_t end = step.first[tile + 1];
    const unsigned warp = threadIdx.x / 32;
    std::uint8_t *const queue = memory.queue + warp * (kBatch * 32);
    for (std::uint32_t base = step.first[tile] + warp * 32; base < end;
         base += kBatch * blockDim.x) {
        // Agent k of a lane is base + k * blockDim.x + lane.
        const auto index = [&](std::uint32_t k, std::uint32_t lane) {
            return base + k * blockDim.x + lane;
        };
        const auto draw_of = [&](std::uint32_t i) {
            return core::draw_of(rule.seed, __ldg(step.ids + i), number, rule.agent_use);
        };
        const unsigned lane = threadIdx.x & 31u;
        uint2 words[kBatch];
        rules::Turn turns[kBatch];
#pragma unroll
        for (unsigned k = 0; k < kBatch; ++k) {
            const std::uint32_t i = index(k, lane);
            words[k] = i < end ? step.agents[i] : make_uint2(0, 0);
        }
#pragma unroll
        for (unsigned k = 0; k < kBatch; ++k) {
            const std::uint32_t i = index(k, lane);
            turns[k] = rules::Turn::none;
            if (i < end) {
                const TileAgent agent = unpacked(words[k]);
                if constexpr (kStrongest) {
                    turns[k] = rules::steer_to_strongest(rule, ground, tables.directions, agent.at,
                                                         agent.heading);
                } else {
                    turns[k] = rules::steer(rule, ground, tables, agent.at, agent.heading,
                                            [&] { return draw_of(i); });
                }
            }
        }
        if constexpr (kStrongest) {
            decide_random_turns(turns, queue, [&](std::uint32_t code) {
                return draw_of(index(code / 32, code % 32));
            });
        }
#pragma unroll
        for (unsigned k = 0; k < kBatch; ++k) {
            const std::uint32_t i = index(k, lane);
            if (i >= end) {
                continue;
            }
            TileAgent agent = unpacked(words[k]);
            const bool moved = rules::follow(
                rule, ground, turns[k], tables.directions, [&] { return draw_of(i); }, agent.at,
                agent.heading);
            step.agents[i] = packed(agent);
            if (!moved) {
                continue;
            }
            const std::int32_t x = (agent.at.x >> core::kLengthBits) - tiling.halo_x;
            const std::int32_t y = (agent.at.y >> core::kLengthBits) - tiling.halo_y;
            if (static_cast<std::uint32_t>(x) < static_cast<std::uint32_t>(place.width) &&
                static_cast<std::uint32_t>(y) < static_cast<std::uint32_t>(place.height)) {
                core::atomic_add(memory.deposits[(y << tiling.log_x) + x], 1);
            } else {
                const std::int64_t row = core::wrapped(place.row + y, tiling.height);
                const std::int32_t column = core::wrapped(place.column + x, tiling.width);
                core::atomic_add(step.next_strays[row * tiling.width + column], 1);
            }
        }
    }
}

// Folds the deposits of the tile's own agents, keeps birth times and clears old strays.
template <bool kAligned>
__device__ void fold_tile(const TileStep &step, const TilePlace &place, const TileMemory &memory) {
    const rules::PhysarumRule &rule = step.rule;
    const Tiling &tiling = step.tiling;
    const std::uint32_t number = *step.first_step + step.offset;
    const std::int32_t log_groups = tiling.log_x - 2;
    for (auto q = static_cast<std::int32_t>(threadIdx.x); q < place.height << log_groups;
         q += static_cast<std::int32_t>(blockDim.x)) {
        const std::int32_t y = q >> log_groups;
        const std::int32_t x = (q & ((1 << log_groups) - 1)) * 4;
        if (x >= place.width) {
            continue;
        }
        const std::int64_t cell = std::int64_t{place.row + y} * tiling.width + place.column + x;
        const std::uint32_t *const trail =
            memory.window + (y + tiling.halo_y) * tiling.window_x() + x + tiling.halo_x;
        const std::uint32_t *const deposits = memory.deposits + (y << tiling.log_x) + x;
        const bool strays =
            near_border(place.row + y, tiling.log_y, tiling.height, tiling.drift) ||
            near_border(place.column + x, tiling.log_x, tiling.width, tiling.drift) ||
            near_border(place.column + x + 3, tiling.log_x, tiling.width, tiling.drift);
        const std::int32_t cells = kAligned ? 4 : min(4, place.width - x);
        if constexpr (kAligned) {
            const uint4 t = *reinterpret_cast<const uint4 *>(trail);
            const uint4 d = *reinterpret_cast<const uint4 *>(deposits);
            *reinterpret_cast<uint4 *>(step.next_trail + cell) = make_uint4(
                rules::fold(t.x, d.x, rule.deposit), rules::fold(t.y, d.y, rule.deposit),
                rules::fold(t.z, d.z, rule.deposit), rules::fold(t.w, d.w, rule.deposit));
            if (strays) {
                *reinterpret_cast<uint4 *>(step.old_strays + cell) = make_uint4(0, 0, 0, 0);
            }
        } else {
            for (std::int32_t i = 0; i < cells; ++i) {
                step.next_trail[cell + i] = rules::fold(trail[i], deposits[i], rule.deposit);
                step.old_strays[cell + i] = 0;
            }
        }
        if (step.birth != nullptr) {
            for (std::int32_t i = 0; i < cells; ++i) {
                std::uint16_t birth = step.birth[cell + i];
                birth = rules::birth_time(birth, step.field.strays[cell + i], number - 1);
                step.birth[cell + i] = rules::birth_time(birth, deposits[i], number);
            }
        }
    }
}

template <bool kAligned, bool kStrongest>
__global__ void __launch_bounds__(kMostTileThreads, 2)
    step_tiles(const __grid_constant__ TileStep step) {
    extern __shared__ uint4 shared[];
    const Tiling &tiling = step.tiling;
    const TileMemory memory(reinterpret_cast<std::uint32_t *>(shared), tiling);
    for (unsigned i = threadIdx.x; i < core::kDirectionCount / 4; i += blockDim.x) {
        reinterpret_cast<uint4 *>(memory.directions)[i] =
            __ldg(reinterpret_cast<const uint4 *>(step.directions) + i);
    }
    for (std::uint32_t tile = blockIdx.x; tile < tiling.tiles(); tile += gridDim.x) {
        const TilePlace place = place_of(tiling, tile);
        for (auto i = static_cast<std::int32_t>(threadIdx.x);
             i < 1 << (tiling.log_x + tiling.log_y - 2);
             i += static_cast<std::int32_t>(blockDim.x)) {
            reinterpret_cast<uint4 *>(memory.deposits)[i] = make_uint4(0, 0, 0, 0);
        }
        make_window<kAligned>(step.rule, tiling, step.field, place, memory.window);
        __syncthreads();
        move_agents<kStrongest>(step, place, tile, memory);
        __syncthreads();
        fold_tile<kAligned>(step, place, memory);
        __syncthreads(); // the next tile writes what others may still read
    }
}

} // namespace karst::cuda
