// The layer "preview" of each generator: a picture for people, made from the other layers.
#pragma once

#include <span>

#include <karst/artifact.hpp>
#include <karst/options.hpp>

#include "generators/registry.hpp"
#include "shape/preview.hpp"

namespace karst {

// The same job without its progress and clock: what is made of a finished result takes no time
// worth reporting.
Options quietly(const Options &options);

inline const LayerInfo kPreviewInfo{"preview", "A lit picture in colour, for people to look at."};

// Colours of terrain from its lowest level up, and of cracked ground from its highest level down.
inline constexpr shape::ColourStop kTerrain[] = {
    {0, 0x3e5a38}, {0.3, 0x7c8557}, {0.55, 0xa39a78}, {0.8, 0x958579}, {1, 0xd6cdbf}};
inline constexpr shape::ColourStop kCrackedGround[] = {
    {0, 0xc7ab86}, {0.35, 0xa98c69}, {1, 0x2b2119}};

// Lit ground. `height` counts steps of `step_cells` cells upwards, downwards if it is negative. The
// colours of the ramp run from the smallest value of the field to the largest.
Layer relief_preview(const Options &options, const Field2D<std::uint16_t> &height,
                     double step_cells, std::span<const shape::ColourStop> ramp, bool torus);

// A map seen from above: open ground lighter with its clearance (in cells, times `clearance_unit`),
// dark rock with a rim.
Layer map_preview(const Options &options, const Field2D<std::uint8_t> &map,
                  const Field2D<std::uint16_t> &clearance, double clearance_unit, bool torus);

} // namespace karst
