// SIGINT and SIGTERM stop a job cleanly; a second one stops the process.
#pragma once

#include <atomic>

namespace karst::cli {

// Also ignores SIGPIPE and SIGXFSZ, so that a closed pipe and a file limit are errors of the write.
void catch_signals();

// True after the first signal.
const std::atomic<bool> &cancel_switch();

// The signal that came, 0: none.
int received_signal();

} // namespace karst::cli
