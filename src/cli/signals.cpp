#include "cli/signals.hpp"

#include <csignal>

#include <unistd.h>

namespace karst::cli {

namespace {

std::atomic<bool> cancel{false};
std::atomic<int> signal_number{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler may touch lock-free atomics only");

extern "C" void stop(int number) {
    if (cancel.exchange(true)) {
        _exit(128 + number);
    }
    signal_number = number;
}

} // namespace

void catch_signals() {
    struct sigaction action = {};
    action.sa_handler = stop;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

const std::atomic<bool> &cancel_switch() {
    return cancel;
}

int received_signal() {
    return signal_number;
}

} // namespace karst::cli
