// Meshes of a height field. Sample (x, y) stands at X = x * cell, Z = y * cell, Y = its height.
#pragma once

#include <cstdint>
#include <vector>

#include <karst/field.hpp>
#include <karst/mesh.hpp>

#include "core/run.hpp"

namespace karst::shape {

struct HeightScale {
    double cell = 1;   // metres from a sample to the next
    double step = 1;   // metres of one step of height
    double offset = 0; // metres of height 0
};

// The samples that a mesh keeps and the triangles between them: three indices each,
// counter-clockwise seen from above. Samples in the order of (y, x), triangles by their smallest
// corner and so on.
struct Triangulation {
    std::vector<Cell2> samples;
    std::vector<std::uint32_t> indices;
};

// Every sample, two triangles a cell, cut along alternating diagonals.
Triangulation triangulate_grid(Extent2 extent);

// Greedy insertion into a Delaunay triangulation (Garland and Heckbert 1995, "Fast polygonal
// approximation of terrains and height fields"): the sample with the largest vertical error goes in
// (of equals the first in (y, x)), until no sample is farther from the triangle below or above it
// than `max_error` steps of height, which may have a fraction of 1/256.
// Exact integers; one thread. Sides 2 to 65536.
Triangulation triangulate_tin(core::Run &run, const Field2D<std::uint16_t> &height,
                              double max_error);

// The surface with normals from the heights around each sample, UV0 in metres from the north-west
// corner. `skirt` > 0: a strip that hangs down so many metres along the border, against cracks
// between tiles. `base` > 0: a closed block down to so many metres below the lowest sample instead.
// Throws Error(invalid_argument) if both are asked for, Error(unsupported) beyond 2^32 - 2
// vertices.
Mesh height_mesh(const Field2D<std::uint16_t> &height, const Triangulation &triangulation,
                 const HeightScale &scale, double skirt, double base);

} // namespace karst::shape
