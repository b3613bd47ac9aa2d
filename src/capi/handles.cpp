#include "capi/handles.hpp"

#include <chrono>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

#include "capi/job.hpp"
#include "capi/request.hpp"
#include "capi/result.hpp"

namespace karst::capi {

namespace {

#if defined(__unix__) || defined(__APPLE__)
// A child that was forked while another thread held a mutex would wait for ever.
void before_fork() {
    handles_mutex().lock();
    requests().for_each([](Request &request) { request.mutex.lock(); });
    results().for_each([](Result &result) { result.mutex.lock(); });
}

void after_fork() {
    results().for_each([](Result &result) { result.mutex.unlock(); });
    requests().for_each([](Request &request) { request.mutex.unlock(); });
    handles_mutex().unlock();
}

[[maybe_unused]] const int forks = pthread_atfork(before_fork, after_fork, after_fork);
#endif

} // namespace

std::mutex &handles_mutex() {
    static std::mutex mutex;
    return mutex;
}

std::uintptr_t next_handle() {
    // Odd, and so no address of an object; not the numbers of a library that was loaded before.
    static std::uintptr_t last =
        2 * static_cast<std::uintptr_t>(
                std::chrono::steady_clock::now().time_since_epoch().count()) +
        1;
    last += 2;
    return last;
}

Handles<karst_request, Request> &requests() {
    static Handles<karst_request, Request> all("the request");
    return all;
}

Handles<karst_job, JobState> &jobs() {
    static Handles<karst_job, JobState> all("the job");
    return all;
}

Handles<karst_result, Result> &results() {
    static Handles<karst_result, Result> all("the result");
    return all;
}

} // namespace karst::capi
