// The one exception type of karst.
#pragma once

#include <stdexcept>
#include <string>

#include <karst/config.hpp>

namespace karst {

enum class ErrorCode {
    invalid_argument,   // a parameter, size or flag is outside what is allowed
    io_failure,         // a file cannot be read, written or renamed
    invalid_input,      // a file was read and its content is wrong
    out_of_memory,      // the job does not fit
    no_device,          // the asked device does not exist here
    device_failure,     // the device failed while it worked
    unsupported,        // valid, but not possible in this build or format
    requirement_failed, // a stated requirement or a verification was not met
    cancelled,          // the caller asked to stop
};

// Thrown by every public function that fails. what() names the argument or file, the value it got
// and what is allowed.
class KARST_API Error : public std::runtime_error {
public:
    Error(ErrorCode code, const std::string &message) : std::runtime_error(message), code_(code) {}
    ErrorCode code() const noexcept { return code_; }

private:
    ErrorCode code_;
};

} // namespace karst
