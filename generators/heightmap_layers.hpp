// The layers of a heightmap that windows of it have too.
#pragma once

#include <karst/artifact.hpp>

#include "core/run.hpp"
#include "shape/erosion.hpp"

namespace karst::terrain {

// Heights of 16 bits, 0 at `lowest` and 65535 at `highest`, which no height lies beyond.
Layer height_layer(core::Run &run, const shape::Heights &heights, std::int32_t lowest,
                   std::int32_t highest);
Layer flow_layer(core::Run &run, const Field2D<std::uint32_t> &area);

} // namespace karst::terrain
