// Where the simulations of a job run if Options::device is automatic: on the CPU, unless the first
// CUDA device is done earlier by an estimate, its opening counted in. A result does not depend on
// it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <karst/life_volume.hpp>
#include <karst/options.hpp>
#include <karst/simulate.hpp>

#include "sim/devices.hpp"

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

// A job begun on a device that an estimate chose, which may refuse it.
class Attempt {
public:
    // `chosen` as on_device() made them of `options`.
    Attempt(const Options &options, Options chosen);
    // Of the attempt that is due.
    const Options &options() const noexcept { return chosen_; }
    // Whether the CPU can do what the device refused. Then options() are those of the CPU, choices
    // and notes tell it, and digests and networks are as before the job; its stages stay, since
    // they took their time.
    bool goes_on(const cuda::Refusal &refusal);

private:
    bool may_go_on() const;

    const Options &asked_;
    Options chosen_;
    std::size_t digests_ = 0; // that were there before
    std::size_t notes_ = 0;
    std::size_t networks_ = 0;
};

template <class F>
auto begin_on_device(const Options &options, Options chosen, F &&job) {
    Attempt attempt(options, std::move(chosen));
    for (;;) {
        try {
            return job(attempt.options());
        } catch (const cuda::Refusal &refusal) {
            if (!attempt.goes_on(refusal)) {
                throw;
            }
        }
    }
}

// job(options) on the device of this job, from its beginning. A device asked for by name is the
// only one that is tried. A job must be able to begin twice: what it gives to others comes after
// it.
template <class F>
auto on_device(const Options &options, std::span<const Work> works, F &&job) {
    return begin_on_device(options, on_device(options, works), std::forward<F>(job));
}
template <class F>
auto on_device(const Options &options, const Work &work, F &&job) {
    return on_device(options, std::span(&work, 1), std::forward<F>(job));
}

} // namespace karst::sim
