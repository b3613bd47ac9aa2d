// The border between open ground and rock in a map of two dimensions, as polygons and as walls.
#pragma once

#include <cstdint>
#include <vector>

#include <karst/field.hpp>
#include <karst/mesh.hpp>

#include "core/run.hpp"

namespace karst::shape {

// As in three dimensions (surface.hpp): samples lie at the centres of cells, a cell is open from
// kOpen on, open ground is 4-connected and rock 8-connected, and beyond the map is rock, whose
// border is the map's. smooth_density keeps every cell on its side.
Field2D<std::uint16_t> smooth_density(core::Run &run, const Field2D<std::uint8_t> &open, int radius,
                                      int passes);

// Closed polygons around the open regions, in metres (x east, y south), by marching squares. Open
// ground is to the left of a walk along the points: outer borders go counter-clockwise seen from
// above (north up), borders of rock inside clockwise. Each starts at its first point in the order
// (y, x, axis) of the lines between samples, and polygons are in the order of these. The last point
// is not the first again. `cell` is in metres; sides are 1 to 65536 cells.
struct Contour {
    std::vector<Vec2> points;
    friend bool operator==(const Contour &, const Contour &) = default;
};
std::vector<Contour> contours(core::Run &run, const Field2D<std::uint16_t> &density, double cell);

// Walls along the contours, from Y = 0 to wall_height metres, with floor and ceiling of the open
// ground if asked for. All faces look into the air; triangles that meet share their vertices, so
// that the mesh is closed with a floor and a ceiling, and ends in loops along the contours where
// one is missing. Vertices are in the order of (y, x, sample or axis), those of the floor's height
// first.
Mesh extruded_walls(core::Run &run, const Field2D<std::uint16_t> &density, double cell,
                    double wall_height, bool floor, bool ceiling);
// The same of a mask (any value but 0 is open), smoothed by 3 passes of radius 1.
Mesh extruded_walls(core::Run &run, const Field2D<std::uint8_t> &open, double cell,
                    double wall_height, bool floor, bool ceiling);

} // namespace karst::shape
