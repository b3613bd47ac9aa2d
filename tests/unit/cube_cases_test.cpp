// The triangles of a cube do not meet but where they must, for every place of the vertices on their
// edges. Nothing is sampled: whether a point lies on one side of a plane through others is the sign
// of a determinant that is linear in the place of each single point, so where it is not negative
// for the 0s and 1s, and positive for some, it is positive for everything between.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "shape/cube_cases.hpp"

using namespace karst::shape;

namespace {

using Triangle = std::array<std::uint8_t, 3>;
using Point = std::array<int, 3>;

Point on_edge(int edge, int place) {
    const CubeEdge e = cube_edge(edge);
    Point point = {e.corner & 1, e.corner >> 1 & 1, e.corner >> 2 & 1};
    point[static_cast<std::size_t>(e.axis)] = place;
    return point;
}

int determinant(const Point &o, const Point &a, const Point &b, const Point &c) {
    const auto along = [&o](const Point &p) {
        return Point{p[0] - o[0], p[1] - o[1], p[2] - o[2]};
    };
    const Point u = along(a), v = along(b), w = along(c);
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

// A plane through the vertices on two edges and on a third, or along an axis (kCubeEdges + axis).
using Plane = std::array<int, 3>;

// On which side of the plane the vertex of `edge` is: 1, -1, or 0 if that depends.
int side_of(const Plane &plane, int edge) {
    static std::map<std::tuple<Plane, int>, int> known;
    const auto [at, is_new] = known.emplace(std::tuple(plane, edge), 0);
    if (!is_new) {
        return at->second;
    }
    int least = 0, most = 0;
    for (int places = 0; places < 16; ++places) {
        const Point a = on_edge(plane[0], places & 1);
        const Point b = on_edge(plane[1], places >> 1 & 1);
        Point c = a;
        if (plane[2] < kCubeEdges) {
            c = on_edge(plane[2], places >> 2 & 1);
        } else {
            ++c[static_cast<std::size_t>(plane[2] - kCubeEdges)];
        }
        const int d = determinant(a, b, c, on_edge(edge, places >> 3 & 1));
        least = std::min(least, d);
        most = std::max(most, d);
    }
    return at->second = least == 0 && most > 0 ? 1 : most == 0 && least < 0 ? -1 : 0;
}

// Whether a plane that holds the common vertices has the rest of one triangle strictly on one side
// and the rest of the other strictly on the other.
bool separated(const Triangle &a, const Triangle &b) {
    std::set<int> all(a.begin(), a.end());
    all.insert(b.begin(), b.end());
    std::vector<int> common;
    std::copy_if(a.begin(), a.end(), std::back_inserter(common),
                 [&](int edge) { return std::count(b.begin(), b.end(), edge) != 0; });
    const auto divides = [&](const Plane &plane) {
        const auto on_plane = [&](int edge) {
            return std::count(plane.begin(), plane.end(), edge) != 0;
        };
        if (!std::all_of(common.begin(), common.end(), on_plane)) {
            return false;
        }
        const auto side = [&](const Triangle &triangle) {
            std::set<int> sides;
            for (const int edge : triangle) {
                if (!on_plane(edge)) {
                    sides.insert(side_of(plane, edge));
                }
            }
            return sides;
        };
        const std::set<int> of_a = side(a), of_b = side(b);
        return of_a.size() <= 1 && of_b.size() <= 1 && of_a.count(0) == 0 && of_b.count(0) == 0 &&
               of_a != of_b;
    };
    for (const int p : all) {
        for (const int q : all) {
            if (q <= p) {
                continue;
            }
            for (const int r : all) {
                if (r > q && divides({p, q, r})) {
                    return true;
                }
            }
            for (int axis = 0; axis < 3; ++axis) {
                if (divides({p, q, kCubeEdges + axis})) {
                    return true;
                }
            }
        }
    }
    return false;
}

std::vector<Triangle> triangles_of(int cube) {
    const CubeCase &known = cube_cases()[static_cast<std::size_t>(cube)];
    return {known.edges.begin(), known.edges.begin() + known.triangles};
}

bool share_a_face(int a, int b) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::set<int> values;
        for (const int place : {0, 1}) {
            values.insert(on_edge(a, place)[axis]);
            values.insert(on_edge(b, place)[axis]);
        }
        if (values.size() == 1) {
            return true;
        }
    }
    return false;
}

} // namespace

TEST_CASE("cube cases: no two triangles of a cube meet, wherever their vertices lie") {
    std::size_t pairs = 0;
    for (int cube = 0; cube < 256; ++cube) {
        const std::vector<Triangle> triangles = triangles_of(cube);
        for (std::size_t i = 0; i < triangles.size(); ++i) {
            for (std::size_t j = i + 1; j < triangles.size(); ++j) {
                ++pairs;
                CHECK_MESSAGE(separated(triangles[i], triangles[j]), "case ", cube);
            }
        }
    }
    CHECK(pairs > 1000);
    // Not so if the two quads of one cube had diagonals that are not parallel.
    CHECK((separated({4, 5, 11}, {6, 7, 9}) && separated({4, 5, 11}, {6, 9, 8}) &&
           separated({4, 11, 10}, {6, 7, 9}) && separated({4, 11, 10}, {6, 9, 8})) == false);
    CHECK_FALSE(separated({0, 4, 8}, {0, 4, 8}));
}

TEST_CASE("cube cases: vertices are on the crossed edges, sides within, ends on faces") {
    for (int cube = 0; cube < 256; ++cube) {
        std::set<int> crossed;
        for (int edge = 0; edge < kCubeEdges; ++edge) {
            const CubeEdge e = cube_edge(edge);
            const int far = e.corner | 1 << e.axis;
            CHECK(far != e.corner);
            if ((cube >> e.corner & 1) != (cube >> far & 1)) {
                crossed.insert(edge);
            }
        }
        std::set<int> used;
        std::map<std::pair<int, int>, int> sides;
        for (const Triangle &t : triangles_of(cube)) {
            for (std::size_t i = 0; i < 3; ++i) {
                used.insert(t[i]);
                CHECK(++sides[{t[i], t[(i + 1) % 3]}] == 1);
            }
        }
        CHECK(used == crossed);
        // A side has a twin in this cube, or in the next one: then it lies in their common face.
        std::map<int, int> ends;
        for (const auto &[side, count] : sides) {
            const bool twin = sides.count({side.second, side.first}) != 0;
            CHECK(twin != share_a_face(side.first, side.second));
            if (!twin) {
                ++ends[side.first];
            }
        }
        for (const int edge : crossed) {
            CHECK(ends[edge] == 1); // with the one that arrives: two faces meet at an edge
        }
    }
}

TEST_CASE("cube cases: what the cases are") {
    const auto &cases = cube_cases();
    CHECK(cases[0].triangles == 0);
    CHECK(cases[255].triangles == 0);
    CHECK(cases[1].triangles == 1);
    CHECK(cases[0b10000001].triangles == 2); // two open corners stay apart
    CHECK(cases[0b01111110].triangles == 6); // two rock corners are joined by a tube
    CHECK(cases[0b01101001].triangles == 4);
    CHECK(cases[0b10010110].triangles == 4);
    CHECK(cases[0b00001111].triangles == 2);
    // Seen from the rock, the corner 0 is cut counter-clockwise: its normal leads into the rock.
    const Triangle t = triangles_of(1)[0];
    CHECK(determinant({0, 0, 0}, on_edge(t[0], 1), on_edge(t[1], 1), on_edge(t[2], 1)) > 0);
    CHECK(std::all_of(cases.begin(), cases.end(),
                      [](const CubeCase &c) { return c.triangles <= kMostCubeTriangles; }));
}
