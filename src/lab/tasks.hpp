// Many small jobs beside each other, each on one thread (on CUDA with an engine of its own).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#include "core/run.hpp"
#include "core/thread_pool.hpp"

namespace karst::lab {

// How many tasks run at once.
inline int threads_of(const Options &options) {
    return options.executor != nullptr ? options.executor->concurrency()
           : options.threads > 0       ? options.threads
                                       : core::usable_threads();
}

// Options of one of several jobs that run at once: one thread, and nothing of what belongs to the
// thread of the whole job.
inline Options options_of_task(const Options &whole) {
    Options options;
    options.device = whole.device;
    options.threads = 1;
    options.cancel = whole.cancel;
    options.memory_limit = whole.memory_limit;
    options.tuning = whole.tuning;
    options.jobs = whole.jobs;
    return options;
}

// f(i) for each i in [0, count), in any order on the threads of `run`; its results have places of
// their own. Progress of the stage is reported from the calling thread.
template <class F>
void for_each_task(core::Run &run, std::int64_t count, F &&f) {
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<std::int64_t> done{0};
    struct Context {
        core::Run &run;
        std::int64_t count;
        std::thread::id caller;
        std::atomic<std::int64_t> &done;
        F &f;
    } context{run, count, caller, done, f};
    run.advance(0);
    run.executor().run(
        count,
        [](void *raw, std::int64_t i) {
            const Context &its = *static_cast<Context *>(raw);
            its.run.check_cancel();
            its.f(i);
            const std::int64_t ended = ++its.done;
            if (std::this_thread::get_id() == its.caller) {
                its.run.advance(static_cast<double>(ended) / static_cast<double>(its.count));
            }
        },
        &context);
}

} // namespace karst::lab
