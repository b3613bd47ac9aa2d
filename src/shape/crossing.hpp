// Where a surface or a contour lies between two samples, in two dimensions and in three.
#pragma once

#include <algorithm>
#include <cstdint>

#include "shape/surface.hpp"

namespace karst::shape {

// As a part of the way from the one to the other; exactly one of them is open. Off the ends, so
// that no two vertices are equal.
inline double crossing(std::uint16_t from, std::uint16_t to) {
    constexpr double kNearest = 1.0 / 16;
    constexpr double kHalfWay = kOpen - 0.5;
    const double part = (kHalfWay - from) / (static_cast<double>(to) - from);
    return std::clamp(part, kNearest, 1 - kNearest);
}

// The density 2 B - B^2 of a cell after a pass of smooth_density, kept on its side of kOpen.
inline std::uint16_t smoothed(bool open, std::int64_t once, std::int64_t twice) {
    const std::int64_t value = 2 * once - twice;
    return static_cast<std::uint16_t>(open ? std::clamp<std::int64_t>(value, kOpen, 0xFFFF)
                                           : std::clamp<std::int64_t>(value, 0, kOpen - 1));
}

} // namespace karst::shape
