// karst tune: which way of dividing the work is fastest on a device, for simulations of some size.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <karst/life_volume.hpp>
#include <karst/options.hpp>
#include <karst/simulate.hpp>
#include <karst/tuning.hpp>

namespace karst::sim {

// What is to be small: seconds a step, or these times the bytes that the engine holds on its
// device.
enum class TuneMetric { time, time_and_memory };

struct TuneSettings {
    TuneMetric metric = TuneMetric::time;
    double seconds = 30;                                // after which no further point is timed
    std::function<void(const std::string &)> tell = {}; // of each point, if not empty
};

struct TuneResult {
    TuningChoice choice;        // no values: nothing better than the default was found
    std::string text;           // of its values, or "default"
    double default_seconds = 0; // a step, medians, timed in turn
    double tuned_seconds = 0;
    std::uint64_t default_memory = 0; // bytes
    std::uint64_t tuned_memory = 0;
    int points = 0;           // that were timed
    bool complete = false;    // false: the time was over before the search
    std::uint64_t digest = 0; // of every point after 5 blocks of 32 steps, as time_life gives it
};

// Of the options, device, threads and cancel count. Each throws what simulations throw, and
// Error(device_failure) if a point gives another result than the default: then no point of the
// engine can be trusted.
TuneResult tune_life(const Options &options, LifeRule rule, Extent2 extent,
                     const TuneSettings &settings);
TuneResult tune_life(const Options &options, LifeRule3 rule, Extent3 extent,
                     const TuneSettings &settings);
TuneResult tune_physarum(const Options &options, const PhysarumParams &params, Extent2 extent,
                         const TuneSettings &settings);

// What identifies the meaning of values: kTuningSpace of sim/tuning.hpp.
int tuning_space();
// Whether an engine of the device knows all axes and values of the choice.
bool is_valid(DeviceKind kind, const TuningChoice &choice);

} // namespace karst::sim
