// Maps of finished ground for materials and placement: the layers that a heightmap makes on
// request.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <karst/artifact.hpp>

#include "generators/registry.hpp"
#include "generators/terrain.hpp"

namespace karst::terrain {

// In the order in which they are made; all are `on_request`.
std::vector<LayerInfo> map_infos();

// Throws Error(invalid_argument) for a name that map_infos() lacks.
void check_map_names(std::span<const std::string> names);

// What the maps of these names take at their peak, for each cell, in bytes.
double map_memory(std::span<const std::string> names);

std::vector<Layer> make_maps(core::Run &run, const HeightmapParams &params, const Ground &ground,
                             double cell, std::span<const std::string> names);

// What runs over the ground from above, spread over all lower neighbours of a cell by their drop
// times the width of the border between (Quinn, Beven, Chevallier and Planchon, Hydrological
// Processes 5, 1991: 1/2 to a side, sqrt 2 / 4 to a corner).
struct Water {
    Field2D<float> area;        // cells above and the cell itself
    Field2D<float> slope_above; // mean slope of that ground, rise over run
    // Debris that comes to rest: thickness, where ground sheds as much as its slope is above
    // `source`.
    Field2D<float> debris;
};
struct DebrisRule {
    double source = 1;   // rise over run from which ground sheds debris
    double moving = 0.8; // from which none comes to rest
    double rest = 0.5;   // at which half of what comes by rests within `run_out` cells
    double run_out = 1;
};
Water spread_water(core::Run &run, const shape::Heights &heights, const Field2D<float> &slopes,
                   const DebrisRule &rule);

} // namespace karst::terrain
