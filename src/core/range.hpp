// A named span on the timeline of NVIDIA's profilers (NVTX), in builds with CUDA. Nothing happens
// where none of them watches.
#pragma once

#include <cstdint>

namespace karst::core {

class Range {
public:
    explicit Range(const char *name);
    ~Range();
    Range(const Range &) = delete;
    Range &operator=(const Range &) = delete;

private:
    std::uint64_t id_;
};

} // namespace karst::core
