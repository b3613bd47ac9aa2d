// The surface inside one cube of eight samples, for each of the 256 ways to divide them into open
// space and rock. Made from three rules, not from a copied table:
//
// 1. On each face of the cube, a segment cuts off each run of open corners along the face's border.
//    So two open corners across a face's diagonal are separated and two rock corners are joined:
//    open space is 6-connected, rock 26-connected. Two cubes cut their common face alike.
// 2. The segments form loops; each is filled by triangles between its own vertices. Ears are cut
//    off, the shortest chord (between the middles of its edges) first; ties go to the direction
//    that is lexicographically first, which keeps the two quads that may lie in one cube parallel.
//    No chord lies in a face, or two cubes could share it and make an edge of four triangles.
// 3. Where the rock is two corners across a body diagonal, its two loops are joined by a tube. This
//    is the only case in which corners of the rock are not connected along the cube's surface; an
//    open part always is, so no other case has an ambiguous interior.
//
// The triangles of a cube do not meet but at common vertices and edges, wherever the vertices lie
// on their edges; cube_cases_test proves it.
#pragma once

#include <array>
#include <cstdint>

namespace karst::shape {

// Corner (x, y, z) of a cube is bit x + 2 y + 4 z of a case; a set bit means open. Edge 4 a + u +
// 2 v runs along axis a; u and v are its place on the two other axes, in ascending order of axes.
inline constexpr int kCubeEdges = 12;
inline constexpr int kMostCubeTriangles = 6;

struct CubeEdge {
    int axis;
    int corner; // its lower end
};
CubeEdge cube_edge(int edge);

// Triangles by the edges on which their vertices lie, in a fixed order. With x, y and z a
// right-handed frame they are counter-clockwise seen from the rock; in the axes of a mesh, which
// exchange y and z, seen from the open side.
struct CubeCase {
    int triangles = 0;
    std::array<std::array<std::uint8_t, 3>, kMostCubeTriangles> edges{};
};
const std::array<CubeCase, 256> &cube_cases();

} // namespace karst::shape
