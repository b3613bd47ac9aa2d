// Where the simulations of a job run if Options::device is automatic: on the CPU, unless the first
// CUDA device is done earlier by an estimate, its opening counted in. A result does not depend on
// it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include <karst/life_volume.hpp>
#include <karst/options.hpp>
#include <karst/simulate.hpp>

namespace karst::sim {

enum class Simulation { physarum, physarum3, life, life3, erosion };

// One simulation, as it is known before it starts.
struct Work {
    Simulation simulation;
    double agents; // 0 for Life and erosion
    double cells;
    double steps; // passes of erosion
};

Work work_of(const PhysarumParams &params, Extent2 extent);
Work work_of(const Physarum3Params &params, Extent3 extent);
Work work_of_life(Extent2 extent, std::int64_t generations);
Work work_of_life(Extent3 extent, std::int64_t generations);
Work work_of_erosion(Extent2 extent, std::int64_t passes);

struct Gpu {
    Device device;
    std::string name;
    double speed;             // 1: an H200
    std::uint64_t memory = 0; // bytes
};

// What a choice must know of the machine.
struct Machine {
    int threads = 1;      // of the CPU
    bool is_open = false; // whether this process has opened the device before
    // The device, or nothing and the reason. Loading the driver takes time too, so it is asked only
    // where the CPU would take longer.
    std::function<std::optional<Gpu>(std::string &reason)> ask;
};

// Seconds that the simulations take, one after another.
double cpu_seconds(std::span<const Work> job, int threads);
// With the copies there and back, without opening the device.
double cuda_seconds(std::span<const Work> job, double speed);

// `jobs` as Options::jobs.
DeviceChoice choose_device(std::span<const Work> job, const Machine &machine, std::int64_t jobs);

// The options with the device of this job, told to Options::choices. As they are if their device is
// not automatic.
Options on_device(const Options &options, std::span<const Work> job);
Options on_device(const Options &options, const Work &work);

} // namespace karst::sim
