// What settings of measurements must be.
#pragma once

#include <cstdint>
#include <string>

#include <karst/error.hpp>

namespace karst::lab {

// Throws Error(invalid_argument) that names the setting.
inline void require_within(const char *name, std::int64_t value, std::int64_t least,
                           std::int64_t most) {
    if (value < least || value > most) {
        throw Error(ErrorCode::invalid_argument,
                    std::string(name) + " is " + std::to_string(value) + "; allowed is " +
                        std::to_string(least) + " to " + std::to_string(most));
    }
}

} // namespace karst::lab
