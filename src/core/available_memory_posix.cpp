// Of Linux, by its files; others have no limit here.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include "core/run.hpp"

namespace karst::core {

namespace {

// A number from a one-line file, or the largest number if there is none.
std::uint64_t read_number(const char *path) {
    std::uint64_t value = 0;
    std::ifstream file(path);
    return file >> value ? value : std::numeric_limits<std::uint64_t>::max();
}

// The number after `key` in a file of "key number" lines, or 0.
std::uint64_t find_number(const char *path, std::string_view key) {
    std::ifstream file(path);
    for (std::string word, rest; file >> word; std::getline(file, rest)) {
        std::uint64_t value = 0;
        if (word == key && file >> value) {
            return value;
        }
    }
    return 0;
}

} // namespace

std::uint64_t available_memory() {
    const std::uint64_t kibibytes = find_number("/proc/meminfo", "MemAvailable:");
    std::uint64_t available =
        kibibytes != 0 ? kibibytes * 1024 : std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t limit = read_number("/sys/fs/cgroup/memory.max");
    if (limit != std::numeric_limits<std::uint64_t>::max()) {
        // File pages that were not used lately are given back when memory is short.
        const std::uint64_t current = read_number("/sys/fs/cgroup/memory.current");
        const std::uint64_t files = find_number("/sys/fs/cgroup/memory.stat", "inactive_file");
        const std::uint64_t used = current - std::min(current, files);
        available = std::min(available, limit - std::min(limit, used));
    }
    return available;
}

} // namespace karst::core
