#include "capi/handles.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

#include "capi/job.hpp"
#include "capi/request.hpp"
#include "capi/result.hpp"

namespace karst::capi {

namespace {

#if defined(__unix__) || defined(__APPLE__)
// A child that was forked while another thread held the mutex would wait for ever.
[[maybe_unused]] const int forks =
    pthread_atfork([] { handles_mutex().lock(); }, [] { handles_mutex().unlock(); },
                   [] { handles_mutex().unlock(); });
#endif

} // namespace

std::mutex &handles_mutex() {
    static std::mutex mutex;
    return mutex;
}

std::uintptr_t next_handle() {
    // Odd numbers, and so no address of an object.
    static std::uintptr_t last = 1;
    return last += 2;
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
