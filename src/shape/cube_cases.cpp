#include "shape/cube_cases.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <vector>

namespace karst::shape {

namespace {

using Edge = std::uint8_t;
using Loop = std::vector<Edge>;
using HalfEdgePoint = std::array<int, 3>; // in half edges of the cube

bool is_open(int cube, int corner) {
    return ((cube >> corner) & 1) != 0;
}

// The edge between two neighbouring corners.
Edge edge_between(int a, int b) {
    const int axis = std::countr_zero(static_cast<unsigned>(a ^ b));
    const int u = axis == 0 ? 1 : 0;
    const int v = axis == 2 ? 1 : 2;
    return static_cast<Edge>(4 * axis + ((a >> u) & 1) + 2 * ((a >> v) & 1));
}

// The corners of each face, counter-clockwise seen from outside in a right-handed frame.
std::array<std::array<int, 4>, 6> cube_faces() {
    std::array<std::array<int, 4>, 6> faces{};
    for (int axis = 0; axis < 3; ++axis) {
        const int u = 1 << ((axis + 1) % 3);
        const int v = 1 << ((axis + 2) % 3);
        const int far = 1 << axis;
        faces[static_cast<std::size_t>(2 * axis)] = {0, v, u + v, u};
        faces[static_cast<std::size_t>(2 * axis + 1)] = {far, far + u, far + u + v, far + v};
    }
    return faces;
}

// Rule 1. Seen from outside, every segment leads from the edge where the face's border enters an
// open run to the edge where it leaves it. An edge of the cube is entered in one of its two faces
// and left in the other, so the segments chain up to loops.
std::vector<Loop> cube_loops(int cube) {
    constexpr Edge kNone = kCubeEdges;
    std::array<Edge, kCubeEdges> next{};
    next.fill(kNone);
    for (const std::array<int, 4> &face : cube_faces()) {
        for (std::size_t i = 0; i < 4; ++i) {
            std::size_t last = (i + 1) % 4; // of the open run
            if (is_open(cube, face[i]) || !is_open(cube, face[last])) {
                continue;
            }
            while (is_open(cube, face[(last + 1) % 4])) {
                last = (last + 1) % 4;
            }
            next[edge_between(face[i], face[(i + 1) % 4])] =
                edge_between(face[last], face[(last + 1) % 4]);
        }
    }
    std::vector<Loop> loops;
    for (Edge start = 0; start < kCubeEdges; ++start) {
        Loop loop;
        for (Edge edge = start; next[edge] != kNone;) {
            loop.push_back(edge);
            const Edge following = next[edge];
            next[edge] = kNone;
            edge = following;
        }
        if (!loop.empty()) {
            loops.push_back(loop);
        }
    }
    return loops;
}

HalfEdgePoint middle(Edge edge) {
    const auto [axis, corner] = cube_edge(edge);
    HalfEdgePoint point = {2 * (corner & 1), corner & 2, (corner & 4) / 2};
    point[static_cast<std::size_t>(axis)] = 1;
    return point;
}

bool on_one_face(Edge a, Edge b) {
    const HalfEdgePoint p = middle(a);
    const HalfEdgePoint q = middle(b);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (p[axis] == q[axis] && p[axis] != 1) {
            return true;
        }
    }
    return false;
}

// What chords are ordered by: squared length, direction (the one of its two signs that is
// lexicographically greater), ends.
auto chord_order(Edge a, Edge b) {
    const HalfEdgePoint p = middle(a);
    const HalfEdgePoint q = middle(b);
    const HalfEdgePoint forth = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    const HalfEdgePoint back = {-forth[0], -forth[1], -forth[2]};
    const int length = forth[0] * forth[0] + forth[1] * forth[1] + forth[2] * forth[2];
    return std::tuple(length, std::max(forth, back), std::min(a, b), std::max(a, b));
}

// Rule 2.
void fill_loop(Loop loop, CubeCase &cube) {
    const auto add = [&cube](Edge a, Edge b, Edge c) {
        cube.edges[static_cast<std::size_t>(cube.triangles++)] = {a, b, c};
    };
    while (loop.size() > 3) {
        const std::size_t size = loop.size();
        std::size_t best = size;
        const auto before = [&](std::size_t i) { return loop[(i + size - 1) % size]; };
        const auto after = [&](std::size_t i) { return loop[(i + 1) % size]; };
        for (std::size_t i = 0; i < size; ++i) {
            // The two ears of a quad have one chord: their tips make the order total.
            const auto order = [&](std::size_t k) {
                return std::tuple(chord_order(before(k), after(k)), loop[k]);
            };
            if (!on_one_face(before(i), after(i)) && (best == size || order(i) < order(best))) {
                best = i;
            }
        }
        add(before(best), loop[best], after(best));
        loop.erase(loop.begin() + static_cast<std::ptrdiff_t>(best));
    }
    add(loop[0], loop[1], loop[2]);
}

// Rule 3. `a` and `b` are loops of three. The six vertices are always the corners of a convex
// octahedron; its faces are the two loops, which stay open, and each side of one loop, between
// edges along two axes, with the vertex of the other on the edge along the third axis.
void fill_tube(const Loop &a, const Loop &b, CubeCase &cube) {
    for (const auto &[side, other] : {std::pair(a, b), std::pair(b, a)}) {
        for (std::size_t i = 0; i < 3; ++i) {
            const Edge from = side[i];
            const Edge to = side[(i + 1) % 3];
            const auto apex = std::find_if(other.begin(), other.end(), [&](Edge edge) {
                return edge / 4 != from / 4 && edge / 4 != to / 4;
            });
            cube.edges[static_cast<std::size_t>(cube.triangles++)] = {from, to, *apex};
        }
    }
}

CubeCase make_case(int cube) {
    CubeCase result;
    const std::vector<Loop> loops = cube_loops(cube);
    bool across = false; // the rock is two corners across a body diagonal
    for (int corner = 0; corner < 4; ++corner) {
        across = across || (~cube & 0xFF) == ((1 << corner) | (1 << (7 - corner)));
    }
    if (across) {
        fill_tube(loops[0], loops[1], result);
    } else {
        for (const Loop &loop : loops) {
            fill_loop(loop, result);
        }
    }
    return result;
}

} // namespace

CubeEdge cube_edge(int edge) {
    const int axis = edge / 4;
    const int u = axis == 0 ? 1 : 0;
    const int v = axis == 2 ? 1 : 2;
    return {axis, ((edge & 1) << u) + (((edge >> 1) & 1) << v)};
}

const std::array<CubeCase, 256> &cube_cases() {
    static const std::array<CubeCase, 256> cases = [] {
        std::array<CubeCase, 256> made;
        for (int cube = 0; cube < 256; ++cube) {
            made[static_cast<std::size_t>(cube)] = make_case(cube);
        }
        return made;
    }();
    return cases;
}

} // namespace karst::shape
