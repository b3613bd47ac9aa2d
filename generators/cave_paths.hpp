// Cheapest paths between regions.
#pragma once

#include <cstdint>

#include <karst/field.hpp>

#include "core/run.hpp"
#include "shape/shape.hpp"

namespace karst::cave {

// 4-connected paths, as cells of 1: the cheapest tree that joins all regions, and the cheapest path
// between two regions wherever that costs at most `cheap`. A step costs its chamfer length (5 to a
// side, 7 to a corner) times the toll of the cell it enters, at most 255; a toll of 0 closes a
// cell.
shape::Mask paths(core::Run &run, const shape::Regions &regions, const Field2D<std::uint32_t> &toll,
                  std::uint32_t cheap, Boundary edges);

} // namespace karst::cave
