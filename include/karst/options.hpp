// How a job runs: device, threads, memory, progress, cancel. Nothing here changes a result.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <karst/controls.hpp>
#include <karst/device.hpp>

namespace karst {

struct Tuning;       // karst/tuning.hpp
class StageObserver; // karst/observer.hpp

// Runs tasks in parallel. An engine passes its own to keep karst on its threads.
class KARST_API Executor {
public:
    virtual ~Executor() = default;
    // How many tasks can run at once, at least 1.
    virtual int concurrency() const noexcept = 0;
    // Calls task(context, i) once for each i in [0, count), in any order and on any threads, and
    // returns when all are done. An exception of a task is rethrown here. Not called from a task.
    virtual void run(std::int64_t count, void (*task)(void *context, std::int64_t i),
                     void *context) = 0;
};

struct Progress {
    std::string_view stage; // what runs now, for example "network 2 of 3"
    double fraction;        // of the whole job, 0 to 1, never falling
};

struct StageTime {
    std::string stage;
    std::string device; // "cpu" or "cuda:N"
    double seconds;
    double begin = 0; // seconds of std::chrono::steady_clock
};

// One kernel of a simulation on a CUDA device, on the CPU one pass of all threads.
struct KernelTime {
    std::string kernel; // for example "sense_turn_move" or "life"
    std::string device; // "cpu" or "cuda:N"
    double seconds;
    double begin;        // seconds of std::chrono::steady_clock
    std::uint64_t bytes; // that it reads and writes at least
    std::uint32_t steps; // of the simulation that it makes; 0: it is a part of a step
};

// Where a job's simulations run because Options::device is automatic.
struct DeviceChoice {
    Device device;
    std::string reason;      // "about 0.02 s on the CPU, less than opening a CUDA device takes"
    double cpu_seconds = 0;  // of the simulations, estimated
    double cuda_seconds = 0; // with opening the device; 0: not estimated
};

// What a stage of a job made: the digest of its array by docs/determinism.md.
struct StageDigest {
    std::string stage;
    std::uint64_t digest;
    friend bool operator==(const StageDigest &, const StageDigest &) = default;
};

// Keeps the trails of simulations, which several jobs may share. The key is text that describes one
// completely. Called on the thread of the job.
class KARST_API FieldCache {
public:
    virtual ~FieldCache() = default;
    // Fills `bytes` with what was stored under `key`; false: there is nothing of that size.
    virtual bool load(std::string_view key, std::span<std::byte> bytes) = 0;
    virtual void store(std::string_view key, std::span<const std::byte> bytes) = 0;
};

struct Options {
    Device device = {};           // for the simulations and for erosion; all else: the CPU
    int threads = 0;              // CPU threads; 0: all that the process may use
    Executor *executor = nullptr; // not null: used instead of karst's own threads
    std::function<void(const Progress &)> progress = {}; // called on the calling thread
    const std::atomic<bool> *cancel = nullptr; // becomes true: Error(cancelled) soon after
    std::pmr::memory_resource *memory = std::pmr::get_default_resource(); // for results
    std::uint64_t memory_limit = 0;           // bytes a job may need; 0: what the machine has free
    std::vector<StageTime> *stages = nullptr; // not null: filled with the seconds of each stage
    // Not null: filled with the kernels of the simulations, which take longer for it.
    std::vector<KernelTime> *kernels = nullptr;
    // Not null: filled with where the simulations run, if `device` is automatic.
    std::vector<DeviceChoice> *choices = nullptr;
    // Jobs of this process that have such options: opening a device is worth what all of them gain.
    std::int64_t jobs = 1;
    // Not null: filled with the digests of what the stages made, in their order.
    std::vector<StageDigest> *digests = nullptr;
    StageObserver *observer = nullptr; // not null: shown what the stages made
    // Called with the bytes that a job needs, before it takes them; of several calls the largest
    // counts. A job that is cancelled from the start checks its parameters and makes these calls.
    std::function<void(std::uint64_t bytes)> memory_needed = {};
    FieldCache *cache = nullptr;                    // not null: asked before a simulation runs
    std::vector<PinnedNetwork> *networks = nullptr; // not null: filled with a map's networks
    // Not null: filled with what a person should know of the result, a sentence each without a full
    // stop, for example that fewer entrances were made than asked for.
    std::vector<std::string> *notes = nullptr;
    // Gives how the engines of a device divide their work; null: by their defaults. Asked whenever
    // an engine is made, on the thread of the job.
    std::function<const Tuning *(Device device)> tuning = {};
};

} // namespace karst
