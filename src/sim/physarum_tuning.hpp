// How the Physarum engines of maps divide their work. No choice changes a result.
#pragma once

#include <cstdint>
#include <memory>

#include <karst/device.hpp>

#include "sim/physarum.hpp"
#include "sim/tuning.hpp"

namespace karst::sim {

SizeClass size_class(const PhysarumState &state);

} // namespace karst::sim

namespace karst::cpu {

struct PhysarumTuning {
    std::int32_t sort_interval = 64; // steps, about; agents are born in the order of cells
    std::int32_t tile_width = 128;   // cells that agents are sorted by, powers of two; flat, as
    std::int32_t tile_height = 8;    // rows of the trail lie in memory
    std::int32_t pieces = 4;         // of the grid a thread, where there are several threads
    std::int32_t older = 0;          // 0: the newest instruction set, 1: the one before it, ...
    // Agents that are worth sorting: fewer read little more than the cache holds.
    std::uint32_t least_sorted = 32768;
};

} // namespace karst::cpu

namespace karst::cuda {

enum PhysarumForm : std::int32_t {
    by_thresholds, // one of the others
    two_kernels,   // a step, which fits everything
    dense_tiles,   // windows in shared memory
    sparse_tiles,  // agents sorted, fields in device memory
};

struct PhysarumTuning {
    // A form that does not fit is replaced: dense by sparse, sparse by two kernels.
    std::int32_t form = by_thresholds;
    std::int32_t threads = 512; // of a block of tiles, 32 to kMostTileThreads, whole warps
    // Agents a hundred cells from which tiles are worth their shared memory; below that, where
    // sensors look too far, and with fewer tiles, which would not fill the device, agents move over
    // the field in device memory: a sparse step.
    std::int32_t dense_percent = 60;
    std::uint32_t least_tiles = 128;
    // With fewer agents the engine that fits everything runs instead of sparse steps.
    std::uint32_t least_sparse_agents = 0;
    // Cells that an agent may drift beyond its tile before all are sorted into tiles again. More
    // means rarer sorting and a wider border around each tile that is computed twice.
    std::int32_t drift = 8;
    std::int32_t least_steps = 4; // between two sortings, where agents move fast
    // Blocks for each multiprocessor; each takes one tile after another. 0: one for each tile.
    std::int32_t blocks = 0;
    // Of the two kernels: threads of a block of the first, whole warps, at most so many; rows that
    // a thread of the second walks down.
    std::int32_t agent_threads = 256;
    std::int32_t rows = 8;
};

inline constexpr int kMostTileThreads = 512;

// What would run: never by_thresholds. Throws Error(no_device).
struct PhysarumWay {
    PhysarumForm form;
    std::uint32_t steps_a_sort;
};
PhysarumWay physarum_way(Device device, const rules::PhysarumRule &rule, std::size_t agents,
                         const PhysarumTuning &tuning);

// The tiled engine, or null where it does not fit or pay: see above; also for more than about 2^32
// agents, and a side of more than 2^22 cells where steps are sparse. Takes `state` only if it
// fits.
std::unique_ptr<sim::PhysarumEngine> make_tiled_physarum(Device device, sim::PhysarumState &state,
                                                         const rules::PhysarumRule &rule,
                                                         const PhysarumTuning &tuning = {});

// The engine of two kernels a step, which fits everything.
std::unique_ptr<sim::PhysarumEngine> make_two_pass_physarum(Device device, sim::PhysarumState state,
                                                            const rules::PhysarumRule &rule,
                                                            const PhysarumTuning &tuning = {});

} // namespace karst::cuda
