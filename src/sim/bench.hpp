// How long a simulation takes: whole steps, without what comes before the first.
#pragma once

#include <cstdint>
#include <vector>

#include <karst/device.hpp>
#include <karst/life_volume.hpp>
#include <karst/simulate.hpp>

#include "sim/life_code.hpp"

namespace karst::sim {

// kStepsAtOnce steps are a block; each is timed on the host's clock, after one block of warm-up.
struct Timing {
    double items = 0;            // agents or cells that a step has
    double bytes = 0;            // that a step reads and writes at least
    double first = 0;            // seconds of making the engine and of its first step
    std::vector<double> seconds; // of a step, by block
    std::uint64_t digest = 0;    // of the trail or the cells at the end: the same on every device

    // Of the blocks' seconds; at least one.
    double median() const;
};

// `threads` as Options::threads. Each throws Error(no_device), Error(out_of_memory) and
// Error(invalid_argument) as simulations do; for LifeCode::compiled also Error(unsupported).
Timing time_physarum(Device device, int threads, const PhysarumParams &params, Extent2 extent,
                     int blocks);
Timing time_life(Device device, int threads, LifeRule rule, Extent2 extent, int blocks,
                 cuda::LifeCode code = cuda::LifeCode::automatic);
Timing time_life(Device device, int threads, LifeRule3 rule, Extent3 extent, int blocks);
// B3/S23 with a byte a cell, on CUDA only. The same board and digest as time_life.
Timing time_byte_life(Device device, Extent2 extent, int blocks);

} // namespace karst::sim
