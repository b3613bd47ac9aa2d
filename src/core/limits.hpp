// Limits that floors which do not know each other share.
#pragma once

#include <cstddef>

namespace karst::core {

inline constexpr std::size_t kLargestJson = std::size_t{16} << 20; // bytes, written and read back

} // namespace karst::core
