// The one check of the sides of an extent.
#pragma once

#include <cstdint>

#include <karst/field.hpp>

namespace karst::core {

// The largest side of a simulated field: an agent's id holds 28 bits of each absolute coordinate.
inline constexpr std::int64_t kLargestSide = std::int64_t{1} << 27;

// Of a simulated volume: the id holds 18 bits of each of three.
inline constexpr std::int64_t kLargestVolumeSide = std::int64_t{1} << 17;

// Throws Error(invalid_argument) "width is 0 cells; allowed is 1 to 134217728".
void require_sides(Extent2 extent, std::int64_t largest = kLargestSide);
void require_sides(Extent3 extent, std::int64_t largest = kLargestVolumeSide);

} // namespace karst::core
