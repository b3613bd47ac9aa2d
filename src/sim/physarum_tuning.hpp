// How the tiled Physarum engine on CUDA divides its work. No choice changes a result.
#pragma once

#include <cstdint>
#include <memory>

#include <karst/device.hpp>

#include "sim/physarum.hpp"

namespace karst::cuda {

struct PhysarumTuning {
    std::int32_t threads = 512; // of a block, 32 to kMostTileThreads, whole warps
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
    // Blocks of a launch; each takes one tile after another. 0: one for each tile.
    std::int32_t blocks = 0;
};

inline constexpr int kMostTileThreads = 512;

// The tiled engine, or null where it does not fit or pay: see above; also for more than about 2^32
// agents, and a side of more than 2^22 cells where steps are sparse. Takes `state` only if it
// fits.
std::unique_ptr<sim::PhysarumEngine> make_tiled_physarum(Device device, sim::PhysarumState &state,
                                                         const rules::PhysarumRule &rule,
                                                         const PhysarumTuning &tuning = {});

// The engine of two kernels a step, which fits everything.
std::unique_ptr<sim::PhysarumEngine> make_two_pass_physarum(Device device, sim::PhysarumState state,
                                                            const rules::PhysarumRule &rule);

} // namespace karst::cuda
