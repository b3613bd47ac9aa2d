#include "sim/device_choice.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "core/run.hpp"
#include "core/thread_pool.hpp"
#include "sim/erosion.hpp"

namespace karst::sim {

namespace {

// What a step takes, in nanoseconds.
struct Cost {
    double cpu_agent; // on one thread
    double cpu_cell;
    double cpu_step;   // that waking the other threads adds
    double cuda_agent; // on an H200
    double cuda_cell;
    double cuda_step;  // whatever there is in it: launches, and a device that is not full
    double agent_copy; // bytes to the device and back
    double cell_copy;
    double agent_memory; // bytes on the device
    double cell_memory;
};

// From bench/results: one thread from 2026-11-30-cpu-engines.md (2048^2 with 0.63 M agents: 8.0 ms
// of agents, 2.5 ms of cells, a sort of 9 ms in 64 steps; Life with AVX2), CUDA from
// 2026-11-30-h200-engines.md (the lines through its tables), the rest from
// 2026-11-30-h200-peers.md.
constexpr Cost cost_of(Simulation simulation) {
    switch (simulation) {
    case Simulation::physarum:
        return {13, 0.6, 150e3, 0.0147, 0.0054, 12e3, 48, 8, 64, 24};
    case Simulation::physarum3:
        return {130, 3.2, 150e3, 0.067, 0.012, 12e3, 64, 8, 72, 24};
    case Simulation::life:
        return {0, 0.012, 10e3, 0, 0.00003, 1e3, 0, 0.25, 0, 0.25};
    case Simulation::erosion: // 2026-11-30-whole-jobs.md
        return {0, 90, 150e3, 0, 0.21, 400e3, 0, 14, 0, 60};
    case Simulation::life3:
        break;
    }
    return {0, 0.14, 50e3, 0, 0.00018, 6e3, 0, 0.25, 0, 0.25};
}

constexpr double kOpening = 0.4;      // seconds: the driver, a context, karst's code, and the end
constexpr double kCopyRate = 6e9;     // bytes a second between pageable memory and the device
constexpr double kThreadShare = 0.33; // what each thread but the first adds, of 16
constexpr double kMemoryShare = 0.9;  // of the device's memory that may be needed

double agents_of(double count, double density, double cells) {
    return count > 0 ? count : density * cells;
}

double cells_of(Extent2 extent) {
    return static_cast<double>(extent.width) * static_cast<double>(extent.height);
}

double cells_of(Extent3 extent) {
    return cells_of(Extent2{extent.width, extent.height}) * static_cast<double>(extent.depth);
}

template <class Params, class Extent>
Work physarum_work(Simulation simulation, const Params &params, Extent extent) {
    const double cells = cells_of(extent);
    return {simulation,
            agents_of(static_cast<double>(params.agent_count), params.agent_density, cells), cells,
            static_cast<double>(params.steps)};
}

// Bytes on the device of the largest simulation.
double device_memory_of(std::span<const Work> job) {
    double most = 0;
    for (const Work &work : job) {
        const Cost cost = cost_of(work.simulation);
        most = std::max(most, work.agents * cost.agent_memory + work.cells * cost.cell_memory);
    }
    return most;
}

std::string about(double seconds) {
    if (seconds < 1e-3) {
        return "less than 1 ms";
    }
    char text[32];
    std::snprintf(text, sizeof text, "about %.2g s", seconds);
    return text;
}

Machine this_machine(const Options &options) {
    const int threads = options.executor != nullptr ? options.executor->concurrency()
                        : options.threads > 0       ? options.threads
                                                    : core::usable_threads();
    return {threads, cuda::is_open(), [](std::string &reason) -> std::optional<Gpu> {
                const auto devices = cuda::devices(&reason);
                if (devices.empty()) {
                    return std::nullopt;
                }
                const DeviceInfo &first = devices.front();
                return Gpu{first.device, first.name, cuda::speed(first.device), first.memory_bytes};
            }};
}

} // namespace

Work work_of(const PhysarumParams &params, Extent2 extent) {
    return physarum_work(Simulation::physarum, params, extent);
}

Work work_of(const Physarum3Params &params, Extent3 extent) {
    return physarum_work(Simulation::physarum3, params, extent);
}

Work work_of_life(Extent2 extent, std::int64_t generations) {
    return {Simulation::life, 0, cells_of(extent), static_cast<double>(generations)};
}

Work work_of_life(Extent3 extent, std::int64_t generations) {
    return {Simulation::life3, 0, cells_of(extent), static_cast<double>(generations)};
}

Work work_of_erosion(Extent2 extent, std::int64_t passes) {
    constexpr double kTileCells = cuda::kErosionSide * cuda::kErosionSide; // a device works on all
    return {Simulation::erosion, 0, kTileCells * cells_of(cuda::erosion_tiles(extent)),
            static_cast<double>(passes)};
}

double cpu_seconds(std::span<const Work> job, int threads) {
    double nanoseconds = 0;
    for (const Work &work : job) {
        const Cost cost = cost_of(work.simulation);
        const double serial = work.agents * cost.cpu_agent + work.cells * cost.cpu_cell;
        const double parallel = serial / (1 + kThreadShare * (threads - 1)) + cost.cpu_step;
        nanoseconds += work.steps * std::min(serial, parallel);
    }
    return nanoseconds * 1e-9;
}

double cuda_seconds(std::span<const Work> job, double speed) {
    double nanoseconds = 0;
    double bytes = 0;
    for (const Work &work : job) {
        const Cost cost = cost_of(work.simulation);
        const double items = work.agents * cost.cuda_agent + work.cells * cost.cuda_cell;
        nanoseconds += work.steps * (cost.cuda_step + items / speed);
        bytes += work.agents * cost.agent_copy + work.cells * cost.cell_copy;
    }
    return nanoseconds * 1e-9 + bytes / kCopyRate;
}

DeviceChoice choose_device(std::span<const Work> job, const Machine &machine, std::int64_t jobs) {
    DeviceChoice choice;
    choice.cpu_seconds = cpu_seconds(job, machine.threads);
    const double opening =
        machine.is_open ? 0 : kOpening / static_cast<double>(std::max<std::int64_t>(1, jobs));
    const std::string on_cpu = about(choice.cpu_seconds) + " on the CPU";
    if (choice.cpu_seconds <= opening) {
        choice.reason = on_cpu + ", no more than opening a CUDA device takes";
        return choice;
    }
    std::string missing;
    const std::optional<Gpu> gpu = machine.ask(missing);
    if (!gpu) {
        choice.reason = "no CUDA: " + missing;
        return choice;
    }
    choice.cuda_seconds = opening + cuda_seconds(job, gpu->speed);
    const double memory = device_memory_of(job);
    if (memory > kMemoryShare * static_cast<double>(gpu->memory)) {
        choice.reason = gpu->name + " has " + core::gibibytes(gpu->memory) + " and would need " +
                        core::gibibytes(static_cast<std::uint64_t>(std::min(memory, 1e18)));
        return choice;
    }
    choice.reason = on_cpu + ", " + about(choice.cuda_seconds) + " on " + gpu->name;
    if (choice.cuda_seconds < choice.cpu_seconds) {
        choice.device = gpu->device;
    }
    return choice;
}

Options on_device(const Options &options, std::span<const Work> job) {
    if (options.device.kind != DeviceKind::automatic) {
        return options;
    }
    DeviceChoice choice = choose_device(job, this_machine(options), options.jobs);
    Options chosen = options;
    chosen.device = choice.device;
    if (options.choices != nullptr) {
        options.choices->push_back(std::move(choice));
    }
    return chosen;
}

Attempt::Attempt(const Options &options, Options chosen)
    : asked_(options), chosen_(std::move(chosen)),
      digests_(options.digests == nullptr ? 0 : options.digests->size()),
      notes_(options.notes == nullptr ? 0 : options.notes->size()),
      networks_(options.networks == nullptr ? 0 : options.networks->size()) {
    if (may_go_on() && chosen_.progress) { // a second attempt does not turn it back
        chosen_.progress = [tell = chosen_.progress,
                            most = std::make_shared<double>(0)](const Progress &now) {
            *most = std::max(*most, now.fraction);
            tell({now.stage, *most});
        };
    }
}

bool Attempt::may_go_on() const {
    return asked_.device.kind == DeviceKind::automatic && chosen_.device.kind == DeviceKind::cuda;
}

bool Attempt::goes_on(const cuda::Refusal &refusal) {
    if (!may_go_on()) {
        return false;
    }
    const std::string reason = to_string(chosen_.device) + " refused: " + refusal.what();
    chosen_.device = {};
    if (asked_.choices != nullptr) {
        DeviceChoice choice;
        if (!asked_.choices->empty()) {
            choice = asked_.choices->back();
        }
        choice.device = {};
        choice.reason = reason;
        asked_.choices->push_back(std::move(choice));
    }
    if (asked_.digests != nullptr) {
        asked_.digests->resize(digests_);
    }
    if (asked_.networks != nullptr) {
        asked_.networks->resize(networks_);
    }
    if (asked_.notes != nullptr) {
        asked_.notes->resize(notes_);
        asked_.notes->push_back("the simulations ran on the CPU, as " + reason);
    }
    return true;
}

} // namespace karst::sim
