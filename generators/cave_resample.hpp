// Brings a coarse field to a grid of any size over the same ground.
#pragma once

#include <cstdint>

#include <karst/field.hpp>
#include <karst/simulate.hpp>

#include "core/run.hpp"

namespace karst::cave {

// The uniform quadratic B-spline of `coarse` at the cell centres of a grid of `extent` cells that
// covers the same ground: smooth, and within the range of the 9 values around. Unlike
// shape::upsample the two grids may have any two sizes, so that a network can be stretched along
// one axis. Outside, the field repeats on the torus and its edge cell does on a bounded one.
Field2D<std::uint32_t> resample(core::Run &run, const Field2D<std::uint32_t> &coarse,
                                Extent2 extent, Boundary edges);

} // namespace karst::cave
