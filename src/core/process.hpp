// What a process opened and its children cannot use.
#pragma once

#include <atomic>

#include <unistd.h>

namespace karst::core {

// Marks a process as the one that opened something. fork() copies the mark, so that a child knows.
class ProcessMark {
public:
    // The first process counts.
    void set() noexcept {
        pid_t nobody = 0;
        pid_.compare_exchange_strong(nobody, getpid());
    }
    // Whether another process set it: one from which this one was forked afterwards.
    bool is_inherited() const noexcept {
        const pid_t pid = pid_.load();
        return pid != 0 && pid != getpid();
    }

private:
    std::atomic<pid_t> pid_ = 0; // of nobody
};

} // namespace karst::core
