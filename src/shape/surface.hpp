// The surface between open space and rock in a volume, as a mesh.
#pragma once

#include <cstdint>

#include <karst/field.hpp>
#include <karst/mesh.hpp>

#include "core/run.hpp"

namespace karst::shape {

// Samples of a density lie at the centres of cells; a cell is open (air) from this value on.
inline constexpr std::uint16_t kOpen = 32768;

// What lies beyond the volume: air, so that the rock is a closed block, pierced where its border
// is open; rock, so that the open space is closed; or nothing: the surface ends in open loops.
enum class Outside { open, rock, cut };

// Marching cubes with triangles for every case that keep the topology of the cells
// (cube_cases.hpp): open space is 6-connected and rock 26-connected, so the Euler characteristic of
// a closed mesh is twice that of the open cells. The mesh is indexed, welded, a manifold, without
// intersections of itself, and counter-clockwise seen from the air.
//
// A vertex lies on a line between two samples, where the density interpolated between them is
// kOpen - 1/2, but at least 1/16 of a cell from both. Vertices are in the order of (z, y, x, axis)
// of their lines, triangles in the order of their cubes. Towards the outside a vertex lies on the
// border of the volume, so that its faces, caps and loops do (where two faces of a block of rock
// meet, the edge is bevelled by half a cell).
//
// `cell` is in metres. Sides are 1 to 65536 cells, so that positions can be told apart in 32 bits.
// Throws Error(out_of_memory), and Error(unsupported) for more than 2^32 - 2 vertices.
Mesh extract_surface(core::Run &run, const Field3D<std::uint16_t> &density, double cell,
                     Outside outside);

// A smooth density whose open cells are exactly those of `open` (any value but 0). It starts at
// 65535 there and 0 elsewhere. Each of `passes` replaces it by 2 B - B^2, B one box_blur, which
// smooths without the shrinking of narrow passages and round chambers that B alone brings (the idea
// of Taubin 1995, "A Signal Processing Approach to Fair Surface Design"), and puts the cells on the
// wrong side of kOpen back to the nearest value on theirs. radius 0 to 127, passes 0 to 1000;
// radius 1 and 4 passes leave a mean error of 1/15 cell on a ball.
Field3D<std::uint16_t> smooth_density(core::Run &run, const Field3D<std::uint8_t> &open, int radius,
                                      int passes);

} // namespace karst::shape
