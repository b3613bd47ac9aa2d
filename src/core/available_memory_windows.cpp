#include <limits>

#include <windows.h>

#include "core/run.hpp"

namespace karst::core {

std::uint64_t available_memory() {
    MEMORYSTATUSEX status = {};
    status.dwLength = sizeof status;
    return ::GlobalMemoryStatusEx(&status) != 0 ? status.ullAvailPhys
                                                : std::numeric_limits<std::uint64_t>::max();
}

} // namespace karst::core
