// Control maps for tests.
#pragma once

#include <cstdint>

#include <karst/field.hpp>

#include "core/rng.hpp"

namespace karst::test {

using Map = Field2D<std::uint16_t>;

// grey(x, y) from 0 to 1.
template <class Grey>
Map painted(Extent2 extent, Grey &&grey) {
    Map map(extent);
    for (std::int64_t y = 0; y < extent.height; ++y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            map.at(x, y) = static_cast<std::uint16_t>(grey(x, y) * 65535 + 0.5);
        }
    }
    return map;
}

inline Map noise(Extent2 extent, std::uint64_t seed) {
    Map map(extent);
    for (std::int64_t i = 0; i < map.size(); ++i) {
        map[i] =
            static_cast<std::uint16_t>(core::mix64(seed * 1000003 + static_cast<std::uint64_t>(i)));
    }
    return map;
}

} // namespace karst::test
