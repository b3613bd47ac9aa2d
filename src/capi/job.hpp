// What a karst_job holds: a run on another thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "capi/host.hpp"
#include "generators/registry.hpp"

namespace karst::capi {

struct Result;

struct JobState {
    const GeneratorInfo &generator;
    Job job;
    HostOptions host;
    long process; // that runs it
    std::atomic<bool> cancel{false};

    std::mutex mutex{}; // of what follows
    std::condition_variable ended{};
    bool begun = false; // something runs it, or will
    bool finished = false;
    karst_status status = KARST_NOT_FINISHED;
    std::string error{};
    double fraction = 0;
    std::string stage{};
    std::shared_ptr<Result> result{};

    std::unique_ptr<std::thread> thread{}; // null: the host's
    std::atomic<std::thread::id> runner{}; // the thread that it runs on

    JobState(const GeneratorInfo &its, Job what, HostOptions where);
    // Does what end() does, but in a child of the process that runs it.
    ~JobState();

    // Cancels the job, waits until nothing runs it any more and gives its result up.
    void end();
};

} // namespace karst::capi
