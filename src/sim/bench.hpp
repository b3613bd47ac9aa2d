// How long a simulation takes: whole steps, without what comes before the first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <karst/life_volume.hpp>
#include <karst/options.hpp>
#include <karst/simulate.hpp>

#include "sim/life_code.hpp"

namespace karst::sim {

// Of at least one value; of an even number the greater of the middle two.
double median(std::vector<double> values);

// kStepsAtOnce steps are a block; each is timed on the host's clock, after one block of warm-up.
struct Timing {
    double items = 0;            // agents or cells that a step has
    double bytes = 0;            // that a step reads and writes at least
    double first = 0;            // seconds of making the engine and of its first step
    std::vector<double> seconds; // of a step, by block
    std::uint64_t memory = 0;    // bytes that the engine holds on its device
    std::uint64_t digest = 0;    // of the trail or the cells at the end: the same on every device
    std::string tuning;          // "drift=6 threads=384", or "default"

    // Of the blocks' seconds; at least one.
    double median() const { return sim::median(seconds); }
};

// Of the options, device (not automatic), threads, tuning and cancel count. Each throws
// Error(no_device), Error(out_of_memory), Error(cancelled) and Error(invalid_argument) as
// simulations do; for LifeCode::compiled also Error(unsupported).
Timing time_physarum(const Options &options, const PhysarumParams &params, Extent2 extent,
                     int blocks);
Timing time_life(const Options &options, LifeRule rule, Extent2 extent, int blocks,
                 cuda::LifeCode code = cuda::LifeCode::automatic);
Timing time_life(const Options &options, LifeRule3 rule, Extent3 extent, int blocks);
// B3/S23 with a byte a cell, on CUDA only. The same board and digest as time_life.
Timing time_byte_life(const Options &options, Extent2 extent, int blocks);

} // namespace karst::sim
