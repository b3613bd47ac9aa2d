// The lines along the veins of a network.
#pragma once

#include <cstdint>

#include <karst/field.hpp>

#include "core/run.hpp"
#include "generators/cave_grid.hpp"
#include "generators/cave_network.hpp"
#include "shape/shape.hpp"

namespace karst::cave {

// The crests of the veins as cells of 1, without short pieces; a line that ends shortly before
// another one is led on to it.
shape::Mask crests(core::Run &run, const CaveParams &params, const NetworkGrid &network,
                   const Grid &grid, const Veins &veins);

} // namespace karst::cave
