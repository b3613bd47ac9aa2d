#include "capi/job.hpp"

#include <chrono>

#include "capi/handles.hpp"
#include "capi/request.hpp"
#include "capi/result.hpp"

#if defined(_WIN32)
#include <process.h>
#else
#include <unistd.h>
#endif

namespace karst::capi {

namespace {

long this_process() {
#if defined(_WIN32)
    return _getpid();
#else
    return getpid();
#endif
}

std::shared_ptr<Result> make(const GeneratorInfo &generator, const Job &job,
                             const HostOptions &host, Options options) {
    auto result = std::make_shared<Result>();
    result->memory = host.memory;
    options.notes = &result->notes;
    result->artifact = generator.generate(job, options);
    return result;
}

void run_job(JobState &state) noexcept {
    state.runner = std::this_thread::get_id();
    std::shared_ptr<Result> result;
    std::string error;
    karst_status status = guarded([&] {
        Options options = state.host.options(state.cancel);
        options.progress = [&state, tell = options.progress](const Progress &progress) {
            {
                const std::lock_guard lock(state.mutex);
                state.fraction = progress.fraction;
                state.stage = progress.stage;
            }
            if (tell) {
                tell(progress);
            }
        };
        result = make(state.generator, state.job, state.host, options);
    });
    if (status != KARST_OK && guarded([&] { error = karst_last_error(); }) != KARST_OK) {
        status = KARST_OUT_OF_MEMORY;
    }
    state.runner = std::thread::id();
    const std::lock_guard lock(state.mutex);
    state.finished = true;
    state.status = status;
    state.error = std::move(error);
    state.result = std::move(result);
    state.ended.notify_all();
}

// Nothing of the state is touched after the mutex is free: whoever waited may destroy it.
void run_launched_job(void *state) {
    run_job(*static_cast<JobState *>(state));
}

void begin(JobState &state) {
    const HostThreads *const host = state.host.runner.get();
    state.begun = true;
    try {
        if (host != nullptr && host->can_launch()) {
            if (!host->launch(run_launched_job, &state)) {
                throw CallError(KARST_CANCELLED, "the host's launch did not take the job");
            }
        } else {
            state.thread = std::make_unique<std::thread>([&state] { run_job(state); });
        }
    } catch (const std::system_error &error) {
        state.begun = false;
        throw CallError(KARST_OUT_OF_MEMORY,
                        std::string("the system gives no thread: ") + error.what());
    } catch (...) {
        state.begun = false;
        throw;
    }
}

void require_here(const JobState &state) {
    if (state.process != this_process()) {
        throw CallError(KARST_FORKED, "the job runs in the process that this one was forked from");
    }
}

// A job's own callback would wait for itself.
void require_other_thread(const JobState &state) {
    if (state.runner == std::this_thread::get_id()) {
        refuse("this is a callback of the job; allowed is to wait for it elsewhere");
    }
}

// With the lock held.
void require_good_end(const JobState &state) {
    if (!state.finished) {
        throw CallError(KARST_NOT_FINISHED, "the job still runs");
    }
    if (state.status != KARST_OK) {
        throw CallError(state.status, state.error);
    }
}

} // namespace

JobState::JobState(const GeneratorInfo &its, Job what, HostOptions where)
    : generator(its), job(std::move(what)), host(std::move(where)), process(this_process()) {}

JobState::~JobState() {
    if (process == this_process()) {
        end();
    } else {
        thread.release(); // it is in another process: it can be neither joined nor destroyed
    }
}

void JobState::end() {
    cancel = true;
    std::unique_lock lock(mutex);
    if (begun) {
        ended.wait(lock, [this] { return finished; });
    }
    result.reset();
    const std::unique_ptr<std::thread> own = std::move(thread);
    lock.unlock();
    if (own) {
        own->join();
    }
}

} // namespace karst::capi

using namespace karst;
using namespace karst::capi;

karst_status karst_request_memory(const karst_request *request, const karst_options *options,
                                  uint64_t *bytes) {
    return guarded([&] {
        const auto its = requests().get(request);
        require(bytes, "bytes", "a number to fill");
        const HostOptions host = read_options(options);
        // A job that is cancelled from the start tells what it needs.
        std::atomic<bool> cancel{true};
        Options asked = host.options(cancel);
        asked.progress = {};
        asked.memory_limit = UINT64_MAX; // also what does not fit is told
        std::uint64_t needed = 0;
        asked.memory_needed = [&needed](std::uint64_t more) { needed = std::max(needed, more); };
        try {
            its->generator.generate(its->copy_of_job(), asked);
        } catch (const Error &error) {
            if (error.code() != ErrorCode::cancelled) {
                throw;
            }
        }
        *bytes = needed;
    });
}

karst_status karst_run(const karst_request *request, const karst_options *options,
                       karst_result **result) {
    return guarded([&] {
        const auto its = requests().get(request);
        require(result, "result", "a handle to fill");
        const HostOptions host = read_options(options);
        std::atomic<bool> cancel{false};
        *result =
            results().add(make(its->generator, its->copy_of_job(), host, host.options(cancel)));
    });
}

karst_status karst_start(const karst_request *request, const karst_options *options,
                         karst_job **job) {
    return guarded([&] {
        const auto its = requests().get(request);
        require(job, "job", "a handle to fill");
        const auto state =
            std::make_shared<JobState>(its->generator, its->copy_of_job(), read_options(options));
        karst_job *const handle = jobs().add(state);
        try {
            begin(*state);
        } catch (...) {
            jobs().remove(handle);
            throw;
        }
        *job = handle;
    });
}

karst_status karst_job_poll(const karst_job *job, karst_job_state *state) {
    return guarded([&] {
        const auto its = jobs().get(job);
        require_here(*its);
        karst_job_state now{};
        {
            const std::lock_guard lock(its->mutex);
            now.finished = its->finished ? 1 : 0;
            now.status = its->status;
            now.fraction = its->fraction;
            copy_text(now.stage, its->stage);
        }
        fill(state, now, "state");
    });
}

karst_status karst_job_wait(const karst_job *job, int64_t milliseconds) {
    return guarded([&] {
        const auto its = jobs().get(job);
        require_here(*its);
        require_other_thread(*its);
        std::unique_lock lock(its->mutex);
        const auto finished = [&its] { return its->finished; };
        if (milliseconds < 0) {
            its->ended.wait(lock, finished);
        } else {
            // A year is for ever, and in range of the clock.
            constexpr std::int64_t kYear = std::int64_t{1000} * 60 * 60 * 24 * 365;
            its->ended.wait_for(lock, std::chrono::milliseconds(std::min(milliseconds, kYear)),
                                finished);
        }
        require_good_end(*its);
    });
}

karst_status karst_job_cancel(karst_job *job) {
    return guarded([&] {
        const auto its = jobs().get(job);
        require_here(*its);
        its->cancel = true;
    });
}

karst_status karst_job_take_result(karst_job *job, karst_result **result) {
    return guarded([&] {
        const auto its = jobs().get(job);
        require(result, "result", "a handle to fill");
        require_here(*its);
        const std::lock_guard lock(its->mutex);
        require_good_end(*its);
        if (!its->result) {
            refuse("the result was taken already");
        }
        *result = results().add(its->result);
        its->result.reset();
    });
}

karst_status karst_job_destroy(karst_job *job) {
    return guarded([&] {
        const auto its = jobs().get(job);
        require_other_thread(*its);
        jobs().remove(job);
        if (its->process == this_process()) {
            its->end();
        }
    });
}
