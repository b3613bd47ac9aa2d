// Fewer triangles for nearly the same shape, without new faults.
#pragma once

#include <cstdint>
#include <vector>

#include <karst/mesh.hpp>

namespace karst::shape {

// About `target` triangles (three indices each) of a welded mesh, or fewer if `error` metres are
// reached before: meshopt_simplify, which keeps borders where they are. It may pinch a narrow neck
// to a line or a point; where that made a vertex with more than one fan of triangles, the vertex
// and its neighbours are marked in `kept` (one a vertex, empty at first), which keeps the triangles
// around them as they are, and it is tried again. After 8 trials the triangles stay as they were.
// Faults that are there already do not count.
std::vector<std::uint32_t> simplify(const std::vector<Vec3> &positions,
                                    const std::vector<std::uint32_t> &indices, std::size_t target,
                                    double error, std::vector<std::uint8_t> &kept);

} // namespace karst::shape
