// Terrain: Physarum networks become valleys, the ground between them ridges, and rivers cut it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <karst/artifact.hpp>
#include <karst/controls.hpp>
#include <karst/options.hpp>

namespace karst {

// Lengths are in metres and independent of the resolution: a finer cell adds detail to the same
// layout.
struct HeightmapParams {
    double relief = 550; // m from the lowest valley to the highest summit; less on a map that
                         // is narrower than the valley spacing
    double valley_spacing = 1400;  // m between main valleys
    double tilt = 0.15;            // fraction of the relief by which the region leans
    double plateau = 0;            // 0: summits; 1: flat tops that end at the valleys' rims
    double ruggedness = 0.5;       // how strongly the two finer networks shape the ground
    double erosion = 1;            // how far rivers have cut into the first shape
    double talus = 38;             // degrees, the steepest slope that stands
    double hillside = 40;          // m, the length below which slopes are rounded, not gullied
    double valley_floor = 60;      // m, the width that a river planes which drains 1 km^2; 0: none
    double terrace_height = 0;     // m between hard strata; 0: none
    double terrace_strength = 0.6; // how much harder they are
    double food_strength = 5;      // of the map "food" on valleys; negative keeps them away
    double detail_cell = 0;        // m; levels of smaller cells get local detail only; 0: none do
    bool mesh = false;             // make the layer "mesh"
    double mesh_error = 0;         // m by which it may miss a height; 0: every sample is a vertex
    double skirt = 0;              // m that a strip hangs down along its border
    double base = 0;               // m of solid block below its lowest sample
    // Names of further maps to make: "normal", "slope", "splat" and so on. Which there are and what
    // they hold: docs/maps.md, karst params heightmap.
    std::vector<std::string> maps = {};
};

// Layers: "height" (m, 16 bits from the lowest to the highest sample of this map: measured), "flow"
// (binary logarithm of the drained area in cells), "preview" (lit colours) and, where asked for,
// "elevation" (m, 32 bits, the heights themselves in steps of 1/4096 m); mesh "mesh" where asked
// for: a regular grid or, with mesh_error, fewer triangles within it. Sample (x, y) is the ground
// at (x * cell, y * cell) metres, so 505 samples of 8 m and 4033 of 1 m cover the same ground, and
// a map whose cells are 2, 4, 8, ... times smaller has the same layout with more detail. Water
// leaves over the border. A map of W samples has a cell of `controls` around each of them: valleys
// follow white food, and none of them begins in walls. Measures: "lowest m", "highest m", "median
// slope percent" (rise over run) and "closed depressions" (fraction of the samples). Throws
// Error(invalid_argument), Error(out_of_memory), Error(no_device), Error(device_failure),
// Error(cancelled).
KARST_API Artifact generate_heightmap(const HeightmapParams &params, Extent2 extent, double cell,
                                      std::uint64_t seed, const Options &options = {},
                                      const GroundControls &controls = {});

} // namespace karst
