#include "cli/signals.hpp"

#include <cstdlib>

#include "cli/system.hpp"

namespace karst::cli {

namespace {

std::atomic<bool> cancel{false};
std::atomic<int> signal_number{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler may touch lock-free atomics only");

extern "C" void stop(int number) {
    int none = 0;
    if (!signal_number.compare_exchange_strong(none, number)) { // the second one
        std::_Exit(128 + number);
    }
    cancel = true; // after the number: who sees the switch may ask for it at once
}

} // namespace

void catch_signals() {
    system::on_signals(stop);
}

const std::atomic<bool> &cancel_switch() {
    return cancel;
}

int received_signal() {
    return signal_number;
}

} // namespace karst::cli
