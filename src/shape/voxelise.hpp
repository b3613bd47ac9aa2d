// A closed surface as cells.
#pragma once

#include <cstdint>

#include <karst/field.hpp>
#include <karst/mesh.hpp>

#include "core/run.hpp"

namespace karst::shape {

// 1 for the cells whose centre lies inside the mesh, by parity along x, else 0. Cell (x, y, z) of
// the volume has its low corner at `origin` + (x, z, y) * cell in the mesh's axes (metres, Y up).
// Positions are rounded to 1/1024 of a cell; from there on everything is exact, and each line of
// cells meets a closed surface an even number of times. Bodies inside bodies are hollow; which way
// triangles face does not matter.
//
// Throws Error(invalid_input) for a mesh that is not closed and manifold (an edge, judged by equal
// positions, where not exactly two triangles meet; the message names it), for one with an index or
// number that is none, and for one that reaches more than 2^19 cells beyond the origin.
Field3D<std::uint8_t> voxelise(core::Run &run, const Mesh &closed, Extent3 extent, double cell,
                               const Vec3 &origin);

} // namespace karst::shape
