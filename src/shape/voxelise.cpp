#include "shape/voxelise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace karst::shape {

namespace {

constexpr std::int64_t kSteps = 1024; // of a position in a cell
constexpr std::int64_t kReach = (std::int64_t{1} << 19) * kSteps;

// In steps from the volume's corner, in the volume's axes. Below 2^29 in size, so that a cross
// product of differences stays below 2^62.
using Point = std::array<std::int64_t, 3>;
using Triangle = std::array<std::uint32_t, 3>;

__extension__ using Wide = __int128;

[[noreturn]] void refuse(const std::string &what) {
    throw Error(ErrorCode::invalid_input, "the mesh " + what);
}

std::string place(const Vec3 &position) {
    std::string text;
    for (const float v : position) {
        std::string number = std::to_string(v);
        number.erase(number.find_last_not_of('0') + 1);
        number.erase(number.find_last_not_of('.') + 1);
        text += (text.empty() ? "(" : ", ") + number;
    }
    return text + ")";
}

void require_numbers(const Mesh &mesh) {
    for (const auto &position : mesh.positions) {
        if (!std::all_of(position.begin(), position.end(),
                         [](float v) { return std::isfinite(v); })) {
            refuse("has a vertex that is not finite");
        }
    }
    for (const auto index : mesh.indices) {
        if (index >= mesh.positions.size()) {
            refuse("has the index " + std::to_string(index) + "; allowed are those of its " +
                   std::to_string(mesh.positions.size()) + " vertices");
        }
    }
    if (mesh.triangles() == 0 || mesh.indices.size() % 3 != 0) {
        refuse("has " + std::to_string(mesh.indices.size()) +
               " indices; allowed are three a triangle");
    }
}

// For each vertex the first one in its place.
std::vector<std::uint32_t> welded(const Mesh &mesh) {
    std::vector<std::uint32_t> order(mesh.positions.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = static_cast<std::uint32_t>(i);
    }
    std::sort(order.begin(), order.end(), [&mesh](std::uint32_t a, std::uint32_t b) {
        return std::pair(mesh.positions[a], a) < std::pair(mesh.positions[b], b);
    });
    std::vector<std::uint32_t> first(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const bool same = i > 0 && mesh.positions[order[i]] == mesh.positions[order[i - 1]];
        first[order[i]] = same ? first[order[i - 1]] : order[i];
    }
    return first;
}

// The triangles between welded vertices, without those that are a line or a point.
std::vector<Triangle> triangles_of(const Mesh &mesh) {
    const auto first = welded(mesh);
    std::vector<Triangle> triangles;
    triangles.reserve(mesh.triangles());
    for (std::size_t i = 0; i < mesh.indices.size(); i += 3) {
        const Triangle t{first[mesh.indices[i]], first[mesh.indices[i + 1]],
                         first[mesh.indices[i + 2]]};
        if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) {
            triangles.push_back(t);
        }
    }
    return triangles;
}

void require_closed(const Mesh &mesh, const std::vector<Triangle> &triangles) {
    using Edge = std::pair<std::uint32_t, std::uint32_t>;
    std::vector<Edge> edges;
    edges.reserve(3 * triangles.size());
    for (const auto &t : triangles) {
        for (std::size_t k = 0; k < 3; ++k) {
            edges.emplace_back(std::minmax(t[k], t[(k + 1) % 3]));
        }
    }
    std::sort(edges.begin(), edges.end());
    for (auto edge = edges.begin(); edge != edges.end();) {
        const auto next = std::find_if(edge, edges.end(), [edge](Edge e) { return e != *edge; });
        if (const auto count = next - edge; count != 2) {
            refuse(
                (count == 1 ? "is open" : "is not manifold") + std::string(": at the edge from ") +
                place(mesh.positions[edge->first]) + " to " + place(mesh.positions[edge->second]) +
                (count == 1 ? " is 1 triangle" : " are " + std::to_string(count) + " triangles") +
                "; allowed are 2");
        }
        edge = next;
    }
}

std::vector<Point> rounded(const Mesh &mesh, double cell, const Vec3 &origin) {
    std::vector<Point> points;
    points.reserve(mesh.positions.size());
    constexpr std::array<std::size_t, 3> kMeshAxis{0, 2, 1}; // of the volume's x, y, z
    for (const auto &position : mesh.positions) {
        Point &point = points.emplace_back();
        for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t axis = kMeshAxis[i];
            const double metres =
                static_cast<double>(position[axis]) - static_cast<double>(origin[axis]);
            const double steps = std::floor(metres / cell * static_cast<double>(kSteps) + 0.5);
            if (!(std::abs(steps) <= static_cast<double>(kReach))) {
                refuse("has a vertex at " + place(position) + " m; allowed are " +
                       std::to_string(kReach / kSteps) + " cells from the volume's corner");
            }
            point[i] = static_cast<std::int64_t>(steps);
        }
    }
    return points;
}

// Twice the area of the triangle (a, b, (y, z)) seen along x, positive counter-clockwise.
std::int64_t side(const Point &a, const Point &b, std::int64_t y, std::int64_t z) {
    return (b[1] - a[1]) * (z - a[2]) - (b[2] - a[2]) * (y - a[1]);
}

// Whether (y, z) lies to the left of the edge. A point on it counts as moved by a little towards +y
// and by far less towards +z, the same for every triangle: so it is in exactly one of two triangles
// that meet there from two sides, and in both or none of two from one side.
bool is_left(std::int64_t distance, const Point &a, const Point &b) {
    return distance != 0 ? distance > 0 : (b[2] != a[2] ? b[2] < a[2] : b[1] > a[1]);
}

std::int64_t ceil_divide(Wide a, Wide b) { // b > 0
    return static_cast<std::int64_t>(a > 0 ? (a + b - 1) / b : a / b);
}

// The cells of [0, count) whose centres lie from `low` to `high`.
std::pair<std::int64_t, std::int64_t> centres_between(std::int64_t low, std::int64_t high,
                                                      std::int64_t begin, std::int64_t end) {
    const std::int64_t first = ceil_divide(low - kSteps / 2, kSteps);
    const std::int64_t beyond = ceil_divide(high - kSteps / 2 + 1, kSteps);
    return {std::max(first, begin), std::min(beyond, end)};
}

// Flips the first cell behind the triangle on every line along x, in planes [begin, end).
void cross(std::array<Point, 3> t, Field3D<std::uint8_t> &cells, std::int64_t begin,
           std::int64_t end) {
    const auto [low_z, high_z] = std::minmax({t[0][2], t[1][2], t[2][2]});
    const auto [z0, z1] = centres_between(low_z, high_z, begin, end);
    const std::int64_t area = z0 < z1 ? side(t[0], t[1], t[2][1], t[2][2]) : 0;
    if (area == 0) { // seen from its edge
        return;
    }
    if (area < 0) {
        std::swap(t[1], t[2]);
    }
    const Wide whole = area < 0 ? -area : area;
    const auto [low_y, high_y] = std::minmax({t[0][1], t[1][1], t[2][1]});
    const auto [y0, y1] = centres_between(low_y, high_y, 0, cells.height());
    for (std::int64_t z = z0; z < z1; ++z) {
        for (std::int64_t y = y0; y < y1; ++y) {
            const std::int64_t at_y = y * kSteps + kSteps / 2;
            const std::int64_t at_z = z * kSteps + kSteps / 2;
            const std::int64_t a = side(t[1], t[2], at_y, at_z);
            const std::int64_t b = side(t[2], t[0], at_y, at_z);
            const std::int64_t c = side(t[0], t[1], at_y, at_z);
            if (!is_left(a, t[1], t[2]) || !is_left(b, t[2], t[0]) || !is_left(c, t[0], t[1])) {
                continue;
            }
            // The surface is at x = crossing / whole.
            const Wide crossing = Wide{a} * t[0][0] + Wide{b} * t[1][0] + Wide{c} * t[2][0];
            const std::int64_t x = std::max<std::int64_t>(
                0, ceil_divide(crossing - whole * (kSteps / 2), whole * kSteps));
            if (x < cells.width()) {
                cells.at(x, y, z) ^= 1;
            }
        }
    }
}

} // namespace

Field3D<std::uint8_t> voxelise(core::Run &run, const Mesh &closed, Extent3 extent, double cell,
                               const Vec3 &origin) {
    require_numbers(closed);
    const auto size = [](auto count, std::size_t bytes) {
        return static_cast<std::uint64_t>(count) * bytes;
    };
    core::require_memory(size(extent.cells(), 1) +
                             size(closed.positions.size(), sizeof(Point) + 8) +
                             size(closed.triangles(), sizeof(Triangle) + 3 * 8),
                         "the volume of this mesh", run.options());
    const auto triangles = triangles_of(closed);
    require_closed(closed, triangles);
    const auto points = rounded(closed, cell, origin);
    Field3D<std::uint8_t> cells(extent, run.memory());
    run.for_ranges(extent.depth, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::size_t i = 0; i < triangles.size(); ++i) {
            if (i % 65536 == 0) {
                run.check_cancel();
            }
            const Triangle &t = triangles[i];
            cross({points[t[0]], points[t[1]], points[t[2]]}, cells, begin, end);
        }
        for (std::int64_t z = begin; z < end; ++z) {
            for (std::int64_t y = 0; y < extent.height; ++y) {
                std::uint8_t inside = 0;
                for (auto &value : cells.row(y, z)) {
                    inside ^= value;
                    value = inside;
                }
            }
        }
    });
    return cells;
}

} // namespace karst::shape
