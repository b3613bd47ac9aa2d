// The heightmap generator's checks, for those that make it in parts.
#pragma once

#include <karst/heightmap.hpp>

namespace karst::terrain {

// Throws Error(invalid_argument) for parameters, sides above `largest_side` samples or a cell that
// are not allowed.
void check_heightmap(const HeightmapParams &params, Extent2 extent, double cell,
                     std::int64_t largest_side);

} // namespace karst::terrain
