// What is told about a finished cave: clearance, rooms and measures.
#pragma once

#include <karst/cave.hpp>

#include "core/run.hpp"
#include "shape/shape.hpp"

namespace karst::cave {

// Fills in all of `cave` but its map; `open` is 1 where the map is open.
void add_layers(core::Run &run, const CaveParams &params, double cell, const shape::Mask &open,
                Boundary edges, CaveResult &cave);

} // namespace karst::cave
