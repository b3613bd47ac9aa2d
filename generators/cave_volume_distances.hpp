// Distances on the floors of a cave.
#pragma once

#include <cstdint>
#include <vector>

#include "core/run.hpp"
#include "generators/cave_volume_floors.hpp"

namespace karst::cave_volume {

// A column whose distance a span has heard of.
struct Source {
    std::uint32_t square; // from the span's column, in cells
    std::uint32_t column;
    std::int64_t span;
};

// Squared distance in cells to the nearest source, at most `most`. Columns are handed on from
// neighbour to neighbour, the nearest first and of equals the one of the lowest number, so that
// distances are those on the floor seen from above and do not reach through rock between two
// floors.
std::vector<std::uint32_t> distances(core::Run &run, const Floors &floors,
                                     const std::vector<Source> &sources, std::uint32_t most);

} // namespace karst::cave_volume
