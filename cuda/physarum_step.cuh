// One step of the tiled Physarum engine: a block makes the window of a tile, moves the tile's
// agents in it, and folds their deposits into the tile.
#pragma once

#include "core/atomic.hpp"
#include "core/rng.hpp"
#include "physarum_window.cuh"
#include "sim/physarum_tuning.hpp"

namespace karst::cuda {

inline constexpr int kTileBatch = 4; // agents that a thread handles at once, see move_agents
inline constexpr unsigned kWholeWarp = 0xffffffffu;

// What a length has beside whole quarters of a cell; without it rules::scaled_32 rounds nothing.
inline constexpr std::uint32_t kQuarterCell = (1u << 14) - 1;

// Agents and the number of the step that they take.
struct AgentStep {
    rules::PhysarumRule rule;
    rules::Tables tables;
    uint2 *agents;
    const std::uint64_t *ids;
    const std::uint32_t *first_step; // to which `offset` is added; null: 0
    std::uint32_t offset;

    __device__ std::uint32_t number() const {
        return (first_step == nullptr ? 0 : *first_step) + offset;
    }
};

struct TileStep {
    AgentStep agents;
    Tiling tiling;
    const std::uint32_t *first; // agent of each tile
    FoldedField field;
    std::uint32_t *next_trail;  // folded
    std::uint32_t *next_strays; // 0 before the step
    std::uint32_t *old_strays;  // of the step before the last: this step makes them 0
    std::uint16_t *birth;       // null: not kept
};

// Brings the table of directions to a block's shared memory.
__device__ inline void load_directions(const rules::Tables &tables, core::Direction *directions) {
    for (unsigned i = threadIdx.x; i < core::kDirectionCount / 4; i += blockDim.x) {
        reinterpret_cast<uint4 *>(directions)[i] =
            __ldg(reinterpret_cast<const uint4 *>(tables.directions) + i);
    }
}

// What lies in a block's shared memory: what every access needs first, at fixed places.
struct TileMemory {
    core::Direction *directions;
    std::uint8_t *queue; // kTileBatch * 32 entries a warp
    std::uint32_t *window;
    std::uint32_t *folded;   // while the window is made, and then
    std::uint32_t *deposits; // counts of the tile's cells

    __device__ TileMemory(std::uint32_t *memory, const Tiling &tiling) {
        directions = reinterpret_cast<core::Direction *>(memory);
        queue = reinterpret_cast<std::uint8_t *>(directions + core::kDirectionCount);
        window = reinterpret_cast<std::uint32_t *>(queue + kTileBatch * kMostTileThreads);
        folded = window + tiling.window_x * tiling.window_y;
        deposits = folded;
    }
};

inline std::size_t tile_memory_bytes(const Tiling &tiling) {
    const std::int32_t folded = (tiling.window_x + 8) * (tiling.window_y + 2);
    const std::int32_t cells =
        tiling.window_x * tiling.window_y + (folded > kTileCells ? folded : kTileCells);
    return sizeof(core::Direction) * core::kDirectionCount + kTileBatch * kMostTileThreads +
           sizeof(std::uint32_t) * static_cast<std::size_t>(cells);
}

// The window as rules::WholeField: points count from the window's corner. Sensors and agents stay
// inside it, so that a read needs no check; outside a bounded field it holds 0.
template <bool kTorus>
struct WindowGround {
    const std::uint32_t *window;
    std::int32_t row_cells;
    std::int32_t left; // window column of the field's column 0
    std::int32_t top;
    std::int32_t width; // of the field
    std::int32_t height;

    __device__ std::uint32_t read(const rules::Point<std::int32_t> &point) const {
        return window[(point.y >> core::kLengthBits) * row_cells + (point.x >> core::kLengthBits)];
    }
    __device__ bool enter(const rules::Point<std::int32_t> &point) const {
        return kTorus || (inside(false, (point.x >> core::kLengthBits) - left, width) >= 0 &&
                          inside(false, (point.y >> core::kLengthBits) - top, height) >= 0);
    }
};

// Replaces random turns of a warp's agents by the side that the draw says; `draw(place)` draws for
// the agent at that place in the warp's batch, 32 * k + lane. All lanes of the warp must call it.
template <int kBatch, class Draw>
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

// How a kernel is specialised: fields whose width is a multiple of 4; no border;
// Steering::strongest with lengths of whole quarters of a cell.
template <bool aligned, bool torus, bool plain>
struct Kind {
    static constexpr bool kAligned = aligned;
    static constexpr bool kTorus = torus;
    static constexpr bool kPlain = plain;
};

// Moves the agents from `begin` to `end` - 1. A thread handles kBatch at once: their loads overlap,
// and their random draws, which few need, are shared out evenly over the threads of the warp.
// `queue` is the block's, kBatch * 32 entries a warp.
//
// A scene is where agents are and leave their trail: `place_of(agent index)` is what it needs to
// know of an agent, `ground(place)` what that one meets. `deposit(ground, point)` counts an agent
// that has moved to a point; `settle` gets what it returned once all of the batch have moved.
template <bool kPlain, int kBatch, class Scene>
__device__ void move_agents(const AgentStep &step, std::uint32_t begin, std::uint32_t end,
                            const Scene &scene, const core::Direction *directions,
                            std::uint8_t *queue) {
    rules::PhysarumRule rule = step.rule;
    if constexpr (kPlain) { // changes nothing, but tells the compiler
        rule.sensor_offset &= ~kQuarterCell;
        rule.step_size &= ~kQuarterCell;
    }
    const rules::Tables tables{directions, step.tables.powers};
    const std::uint32_t number = step.number();
    const unsigned lane = threadIdx.x & 31u;
    const unsigned warp = threadIdx.x / 32;
    for (std::uint32_t base = begin + warp * (kBatch * 32); base < end;
         base += kBatch * blockDim.x) {
        const auto draw_of = [&](std::uint32_t i) {
            return core::draw_of(rule.seed, __ldg(step.ids + i), number, rule.agent_use);
        };
        // Lanes beyond the last agent sense what the first of the batch does, and write nothing.
        const auto mine = [&](unsigned k) {
            const std::uint32_t i = base + 32 * k + lane;
            return i < end ? i : base;
        };
        uint2 words[kBatch];
        typename Scene::Place places[kBatch];
        rules::Turn turns[kBatch];
        typename Scene::Deposit deposits[kBatch] = {};
#pragma unroll
        for (unsigned k = 0; k < kBatch; ++k) {
            words[k] = step.agents[mine(k)];
            places[k] = scene.place_of(mine(k));
        }
#pragma unroll
        for (unsigned k = 0; k < kBatch; ++k) {
            const TileAgent agent = unpacked(words[k]);
            const auto &ground = scene.ground(places[k]);
            if constexpr (kPlain) {
                turns[k] =
                    rules::steer_to_strongest(rule, ground, directions, agent.at, agent.heading);
            } else {
                turns[k] = rules::steer(rule, ground, tables, agent.at, agent.heading,
                                        [&] { return draw_of(mine(k)); });
            }
        }
        if constexpr (kPlain) {
            decide_random_turns(turns, queue + warp * (kBatch * 32),
                                [&](std::uint32_t at) { return draw_of(min(base + at, end - 1)); });
        }
#pragma unroll
        for (unsigned k = 0; k < kBatch; ++k) {
            const std::uint32_t i = base + 32 * k + lane;
            if (i >= end) {
                break;
            }
            TileAgent agent = unpacked(words[k]);
            const auto &ground = scene.ground(places[k]);
            const bool moved = rules::follow(
                rule, ground, turns[k], directions, [&] { return draw_of(i); }, agent.at,
                agent.heading);
            step.agents[i] = packed(agent);
            if (moved) {
                deposits[k] = scene.deposit(ground, agent.at);
            }
        }
#pragma unroll
        for (unsigned k = 0; k < kBatch; ++k) {
            scene.settle(deposits[k]);
        }
    }
}

// The scene of a tile whose window is in shared memory.
template <bool kTorus>
struct WindowScene {
    struct Place {};
    struct Deposit {};

    WindowGround<kTorus> window;
    const Tiling &tiling;
    const TilePlace &tile;
    std::uint32_t *deposits;
    std::uint32_t *strays;

    __device__ Place place_of(std::uint32_t) const { return {}; }
    __device__ const WindowGround<kTorus> &ground(Place) const { return window; }
    __device__ Deposit deposit(const WindowGround<kTorus> &,
                               const rules::Point<std::int32_t> &at) const {
        const std::int32_t x = (at.x >> core::kLengthBits) - tiling.halo_x;
        const std::int32_t y = (at.y >> core::kLengthBits) - tiling.halo_y;
        if (static_cast<std::uint32_t>(x) < static_cast<std::uint32_t>(tile.width) &&
            static_cast<std::uint32_t>(y) < static_cast<std::uint32_t>(tile.height)) {
            core::atomic_add(deposits[y * kTileSide + x], 1);
        } else {
            const std::int64_t row = core::wrapped(tile.row + y, tiling.height);
            const std::int32_t column = core::wrapped(tile.column + x, tiling.width);
            core::atomic_add(strays[row * tiling.width + column], 1);
        }
        return {};
    }
    __device__ void settle(Deposit) const {}
};

template <class K>
__device__ void move_in_window(const TileStep &step, const TilePlace &place, std::uint32_t tile,
                               const TileMemory &memory) {
    const Tiling &tiling = step.tiling;
    const WindowScene<K::kTorus> scene{{memory.window, tiling.window_x,
                                        tiling.halo_x - place.column, tiling.halo_y - place.row,
                                        tiling.width, tiling.height},
                                       tiling,
                                       place,
                                       memory.deposits,
                                       step.next_strays};
    move_agents<K::kPlain, kTileBatch>(step.agents, step.first[tile], step.first[tile + 1], scene,
                                       memory.directions, memory.queue);
}

// Folds the deposits of the tile's own agents, keeps birth times and clears old strays.
template <bool kAligned>
__device__ void fold_tile(const TileStep &step, const TilePlace &place, const TileMemory &memory) {
    const rules::PhysarumRule &rule = step.agents.rule;
    const Tiling &tiling = step.tiling;
    constexpr std::int32_t kGroups = kTileSide / 4;
    for (auto q = static_cast<std::int32_t>(threadIdx.x); q < place.height * kGroups;
         q += static_cast<std::int32_t>(blockDim.x)) {
        const std::int32_t y = q / kGroups;
        const std::int32_t x = q % kGroups * 4;
        if (x >= place.width) {
            continue;
        }
        const std::int64_t cell = std::int64_t{place.row + y} * tiling.width + place.column + x;
        const uint4 trail = *reinterpret_cast<const uint4 *>(
            memory.window + (y + tiling.halo_y) * tiling.window_x + x + tiling.halo_x);
        const uint4 deposits =
            *reinterpret_cast<const uint4 *>(memory.deposits + y * kTileSide + x);
        const uint4 folded = make_uint4(rules::fold(trail.x, deposits.x, rule.deposit),
                                        rules::fold(trail.y, deposits.y, rule.deposit),
                                        rules::fold(trail.z, deposits.z, rule.deposit),
                                        rules::fold(trail.w, deposits.w, rule.deposit));
        if constexpr (kAligned) {
            *reinterpret_cast<uint4 *>(step.next_trail + cell) = folded;
            if (near_border(place.row + y, tiling.height, tiling.drift) ||
                near_border(place.column + x, tiling.width, tiling.drift) ||
                near_border(place.column + x + 3, tiling.width, tiling.drift)) {
                *reinterpret_cast<uint4 *>(step.old_strays + cell) = make_uint4(0, 0, 0, 0);
            }
        }
        if (!kAligned || step.birth != nullptr) {
            const std::uint32_t values[4] = {folded.x, folded.y, folded.z, folded.w};
            const std::uint32_t counts[4] = {deposits.x, deposits.y, deposits.z, deposits.w};
            const std::uint32_t number = step.agents.number();
#pragma unroll
            for (std::int32_t i = 0; i < 4; ++i) {
                if (x + i >= place.width) {
                    break;
                }
                if constexpr (!kAligned) {
                    step.next_trail[cell + i] = values[i];
                    step.old_strays[cell + i] = 0;
                }
                if (step.birth != nullptr) {
                    std::uint16_t birth = step.birth[cell + i];
                    birth = rules::birth_time(birth, step.field.strays[cell + i], number - 1);
                    step.birth[cell + i] = rules::birth_time(birth, counts[i], number);
                }
            }
        }
    }
}

template <class K>
__global__ void __launch_bounds__(kMostTileThreads, 2)
    step_tiles(const __grid_constant__ TileStep step) {
    extern __shared__ uint4 shared[];
    const Tiling &tiling = step.tiling;
    const TileMemory memory(reinterpret_cast<std::uint32_t *>(shared), tiling);
    load_directions(step.agents.tables, memory.directions);
    for (std::uint32_t tile = blockIdx.x; tile < tiling.tiles(); tile += gridDim.x) {
        const TilePlace place = place_of(tiling, tile);
        load_field<K::kAligned, K::kTorus>(step.agents.rule, tiling, step.field, place,
                                           memory.folded);
        __syncthreads();
        make_window<K::kTorus>(step.agents.rule, tiling, step.field, place, memory.folded,
                               memory.window);
        __syncthreads();
        for (unsigned i = threadIdx.x; i < kTileCells / 4; i += blockDim.x) {
            reinterpret_cast<uint4 *>(memory.deposits)[i] = make_uint4(0, 0, 0, 0);
        }
        __syncthreads();
        move_in_window<K>(step, place, tile, memory);
        __syncthreads();
        fold_tile<K::kAligned>(step, place, memory);
        __syncthreads(); // the next tile writes what others may still read
    }
}

} // namespace karst::cuda
