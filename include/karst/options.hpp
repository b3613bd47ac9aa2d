// How a job runs: device, threads, memory, progress, cancel. Nothing here changes a result.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include <karst/device.hpp>

namespace karst {

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
};

struct Options {
    Device device = {};           // for the simulations; all else runs on the CPU
    int threads = 0;              // CPU threads; 0: all that the process may use
    Executor *executor = nullptr; // not null: used instead of karst's own threads
    std::function<void(const Progress &)> progress = {}; // called on the calling thread
    const std::atomic<bool> *cancel = nullptr; // becomes true: Error(cancelled) soon after
    std::pmr::memory_resource *memory = std::pmr::get_default_resource(); // for results
    std::uint64_t memory_limit = 0;           // bytes a job may need; 0: what the machine has free
    std::vector<StageTime> *stages = nullptr; // not null: filled with the seconds of each stage
    // Not null: filled with what a person should know of the result, a sentence each without a full
    // stop, for example that fewer entrances were made than asked for.
    std::vector<std::string> *notes = nullptr;
};

} // namespace karst
