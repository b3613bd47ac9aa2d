// Meshes of height fields: the error bound at every sample, Delaunay, closed blocks.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/rng.hpp"
#include "shape/heightmesh.hpp"

using namespace karst;

namespace {

// Hills and noise.
Field2D<std::uint16_t> ground(Extent2 extent, std::uint32_t noise) {
    Field2D<std::uint16_t> height(extent);
    for (std::int32_t y = 0; y < extent.height; ++y) {
        for (std::int32_t x = 0; x < extent.width; ++x) {
            const std::int64_t hill = 400 - (x - 20) * (x - 20) / 4 + 3 * (y % 37);
            const std::uint32_t random = core::draw_at(1, x, y, 0, 1).word[0] % (noise + 1);
            height.at(x, y) = static_cast<std::uint16_t>(std::max<std::int64_t>(0, hill) + random);
        }
    }
    return height;
}

std::int64_t turn(Cell2 a, Cell2 b, Cell2 c) {
    return (std::int64_t{b.x} - a.x) * (c.y - a.y) - (std::int64_t{b.y} - a.y) * (c.x - a.x);
}

// The largest vertical distance of a sample to the triangle that it lies in, by looking at every
// triangle for every sample; -1 if a sample lies in none.
double largest_error(const Field2D<std::uint16_t> &height, const shape::Triangulation &mesh) {
    double largest = 0;
    for (std::int32_t y = 0; y < height.height(); ++y) {
        for (std::int32_t x = 0; x < height.width(); ++x) {
            bool found = false;
            for (std::size_t t = 0; t + 2 < mesh.indices.size() && !found; t += 3) {
                const Cell2 a = mesh.samples[mesh.indices[t]];
                const Cell2 b = mesh.samples[mesh.indices[t + 1]];
                const Cell2 c = mesh.samples[mesh.indices[t + 2]];
                const auto area = static_cast<double>(turn(a, b, c));
                const double u = static_cast<double>(turn(b, c, {x, y})) / area;
                const double v = static_cast<double>(turn(c, a, {x, y})) / area;
                if (u >= 0 && v >= 0 && u + v <= 1 + 1e-12) {
                    const double plane = u * height.at(a.x, a.y) + v * height.at(b.x, b.y) +
                                         (1 - u - v) * height.at(c.x, c.y);
                    largest = std::max(largest, std::abs(plane - height.at(x, y)));
                    found = true;
                }
            }
            if (!found) {
                return -1;
            }
        }
    }
    return largest;
}

std::int64_t doubled_area(const shape::Triangulation &mesh) {
    std::int64_t sum = 0;
    for (std::size_t t = 0; t < mesh.indices.size(); t += 3) {
        const std::int64_t area =
            -turn(mesh.samples[mesh.indices[t]], mesh.samples[mesh.indices[t + 1]],
                  mesh.samples[mesh.indices[t + 2]]);
        CHECK(area > 0); // counter-clockwise from above, where y points down
        sum += area;
    }
    return sum;
}

// Directed edges between positions that have no opposite, or more than one.
std::int64_t open_edges(const Mesh &mesh) {
    std::map<std::pair<Vec3, Vec3>, std::int64_t> edges;
    for (std::size_t t = 0; t < mesh.indices.size(); t += 3) {
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3 a = mesh.positions[mesh.indices[t + k]];
            const Vec3 b = mesh.positions[mesh.indices[t + (k + 1) % 3]];
            ++edges[{a, b}];
            --edges[{b, a}];
        }
    }
    return std::count_if(edges.begin(), edges.end(),
                         [](const auto &edge) { return edge.second != 0; });
}

double volume(const Mesh &mesh) {
    double sum = 0;
    for (std::size_t t = 0; t < mesh.indices.size(); t += 3) {
        const Vec3 a = mesh.positions[mesh.indices[t]];
        const Vec3 b = mesh.positions[mesh.indices[t + 1]];
        const Vec3 c = mesh.positions[mesh.indices[t + 2]];
        sum += double{a[0]} * (double{b[1]} * c[2] - double{b[2]} * c[1]) +
               double{a[1]} * (double{b[2]} * c[0] - double{b[0]} * c[2]) +
               double{a[2]} * (double{b[0]} * c[1] - double{b[1]} * c[0]);
    }
    return sum / 6;
}

core::Run &a_run() {
    static core::Run run{Options{}};
    return run;
}

} // namespace

TEST_CASE("tin: no sample is farther off than the bound, and it covers the map once") {
    for (const Extent2 extent : {Extent2{2, 2}, {2, 9}, {40, 33}, {65, 64}}) {
        const auto height = ground(extent, 9);
        std::size_t before = 0;
        for (const double bound : {200.0, 20.0, 3.5, 0.0}) {
            CAPTURE(extent.width);
            CAPTURE(bound);
            const auto tin = shape::triangulate_tin(a_run(), height, bound);
            const double error = largest_error(height, tin);
            CHECK(error >= 0);
            CHECK(error <= bound + 1e-9);
            CHECK(doubled_area(tin) == 2 * (extent.width - 1) * (extent.height - 1));
            CHECK(tin.samples.size() >= before);
            before = tin.samples.size();
        }
    }
}

TEST_CASE("tin: flat and sloping ground need two triangles") {
    Field2D<std::uint16_t> plane({50, 31});
    for (std::int64_t i = 0; i < plane.size(); ++i) {
        plane[i] = static_cast<std::uint16_t>(7 * (i % 50) + 11 * (i / 50));
    }
    const auto tin = shape::triangulate_tin(a_run(), plane, 0);
    CHECK(tin.samples.size() == 4);
    CHECK(tin.indices.size() == 6);
}

TEST_CASE("tin: no corner lies in the circle of a neighbour") {
    const auto height = ground({30, 30}, 30);
    const auto tin = shape::triangulate_tin(a_run(), height, 8);
    std::int64_t inside = 0;
    for (std::size_t t = 0; t < tin.indices.size(); t += 3) {
        const Cell2 a = tin.samples[tin.indices[t]];
        const Cell2 b = tin.samples[tin.indices[t + 1]];
        const Cell2 c = tin.samples[tin.indices[t + 2]];
        // The centre of the circle, times d.
        const double d = 2.0 * static_cast<double>(turn(a, b, c));
        const auto square = [](Cell2 p) { return double{p.x * 1.0 * p.x + p.y * 1.0 * p.y}; };
        const double x =
            (square(a) * (b.y - c.y) + square(b) * (c.y - a.y) + square(c) * (a.y - b.y)) / d;
        const double y =
            (square(a) * (c.x - b.x) + square(b) * (a.x - c.x) + square(c) * (b.x - a.x)) / d;
        const double radius = (a.x - x) * (a.x - x) + (a.y - y) * (a.y - y);
        for (const Cell2 p : tin.samples) {
            inside += (p.x - x) * (p.x - x) + (p.y - y) * (p.y - y) < radius - 1e-6 ? 1 : 0;
        }
    }
    CHECK(inside == 0);
}

TEST_CASE("height mesh: a block with a base is closed, a skirt has one loop") {
    const auto height = ground({40, 33}, 9);
    const shape::HeightScale scale{2, 0.5, 10};
    for (const bool tin : {false, true}) {
        CAPTURE(tin);
        const auto flat = tin ? shape::triangulate_tin(a_run(), height, 4)
                              : shape::triangulate_grid(height.extent());
        const Mesh block = shape::height_mesh(height, flat, scale, 0, 5);
        CHECK(open_edges(block) == 0);
        double expected = 0; // of the prisms below the triangles
        const auto [low, high] = std::minmax_element(height.cells().begin(), height.cells().end());
        for (std::size_t t = 0; t < flat.indices.size(); t += 3) {
            const Cell2 a = flat.samples[flat.indices[t]];
            const Cell2 b = flat.samples[flat.indices[t + 1]];
            const Cell2 c = flat.samples[flat.indices[t + 2]];
            const double mean =
                (height.at(a.x, a.y) + height.at(b.x, b.y) + height.at(c.x, c.y) - 3.0 * *low) / 3;
            expected += static_cast<double>(-turn(a, b, c)) / 2 * 4 * (mean * 0.5 + 5);
        }
        CHECK(*high > *low);
        CHECK(volume(block) == doctest::Approx(expected).epsilon(1e-4));

        const Mesh open = shape::height_mesh(height, flat, scale, 0, 0);
        const Mesh skirt = shape::height_mesh(height, flat, scale, 3, 0);
        CHECK(open_edges(open) > 0);
        CHECK(open_edges(skirt) == open_edges(open)); // the same loop, lower
        for (const Mesh *mesh : {&block, &open, &skirt}) {
            CHECK(mesh->normals.size() == mesh->positions.size());
            CHECK(mesh->uvs.size() == mesh->positions.size());
            for (const Vec3 &n : mesh->normals) {
                CHECK(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] == doctest::Approx(1));
            }
        }
    }
    CHECK_THROWS_AS(
        shape::height_mesh(height, shape::triangulate_grid(height.extent()), scale, 1, 1), Error);
}
