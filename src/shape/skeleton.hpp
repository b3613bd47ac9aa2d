// The middle lines of a mask.
#pragma once

#include <cstdint>

#include "core/run.hpp"
#include "shape/shape.hpp"

namespace karst::shape {

// Cells 1 wide with as many pieces, holes and loops as the mask (8-connected; what is 0 is
// 4-connected), along its middle: cells go from the edge inwards in the order of their squared
// distance to what is 0 and of tie_hash(seed, cell), as long as no piece is torn, no hole opened
// and no end of a line shortened (Pudney, "Distance-ordered homotopic thinning", 1998).
// `to_edge` is that squared distance. Sides of a torus must be at least 4 cells; a torus that is
// all 1 stays as it is.
Mask skeleton(core::Run &run, const Mask &mask, const Field2D<std::uint32_t> &to_edge,
              Boundary edges, std::uint64_t seed);

} // namespace karst::shape
