// The layer "distance" of cracks and caves.
#pragma once

#include <cstdint>

#include <karst/artifact.hpp>
#include <karst/simulate.hpp>

#include "core/run.hpp"

namespace karst {

// Signed distance to the border of `object`, positive outside, in 16 bits: 32768 is the border,
// 32767 steps are `range` metres, but no more than 46338 cells.
Layer distance_layer(core::Run &run, const Field2D<std::uint8_t> &object, double range, double cell,
                     Boundary edges);

} // namespace karst
