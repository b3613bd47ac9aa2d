// Cells of closed meshes against an obvious count, and meshes that are not closed.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <set>

#include <karst/error.hpp>

#include "shape/voxelise.hpp"
#include "tests/support/meshes.hpp"

using namespace karst;
using namespace test_meshes;

namespace {

using Cells = Field3D<std::uint8_t>;

Cells voxels(const Mesh &mesh, Extent3 extent, double cell = 1, const Vec3 &origin = {0, 0, 0},
             int threads = 1) {
    Options options;
    options.threads = threads;
    core::Run run(options);
    return shape::voxelise(run, mesh, extent, cell, origin);
}

std::int64_t count(const Cells &cells) {
    std::int64_t sum = 0;
    for (const auto value : cells.cells()) {
        REQUIRE(value <= 1);
        sum += value;
    }
    return sum;
}

std::string refusal(const Mesh &mesh) {
    try {
        voxels(mesh, {8, 8, 8});
    } catch (const Error &error) {
        CHECK(error.code() == ErrorCode::invalid_input);
        return error.what();
    }
    FAIL("nothing was thrown");
    return "";
}

void append(Mesh &to, const Mesh &from) {
    const auto base = static_cast<std::uint32_t>(to.positions.size());
    to.positions.insert(to.positions.end(), from.positions.begin(), from.positions.end());
    for (const auto index : from.indices) {
        to.indices.push_back(base + index);
    }
}

} // namespace

TEST_CASE("voxelise: a box, in the volume's axes") {
    // X 1 to 3 is x, Z 2 to 5 is y, Y 3 to 4 is z.
    const Cells cells = voxels(box({1, 3, 2}, {3, 4, 5}), {6, 7, 8});
    for (std::int64_t z = 0; z < 8; ++z) {
        for (std::int64_t y = 0; y < 7; ++y) {
            for (std::int64_t x = 0; x < 6; ++x) {
                const bool inside = x >= 1 && x < 3 && y >= 2 && y < 5 && z == 3;
                CHECK(cells.at(x, y, z) == (inside ? 1 : 0));
            }
        }
    }
    // The same in half metres, from another corner.
    const Cells finer = voxels(box({1, 3, 2}, {3, 4, 5}), {4, 6, 2}, 0.5, {1, 3, 2});
    CHECK(count(finer) == finer.size());
    // Larger than the volume on every side, and beside it.
    CHECK(count(voxels(box({-9, -9, -9}, {99, 99, 99}), {5, 4, 3})) == 60);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        Vec3 low{-9, -9, -9};
        Vec3 high{99, 99, 99};
        high[axis] = -1;
        CHECK(count(voxels(box(low, high), {5, 4, 3})) == 0);
        low[axis] = 50;
        high[axis] = 99;
        CHECK(count(voxels(box(low, high), {5, 4, 3})) == 0);
    }
    CHECK(count(voxels(box({0, 0, 0}, {1, 1, 1}), {1, 1, 1})) == 1);
}

TEST_CASE("voxelise: edges through cell centres count once") {
    // All faces, edges and corners lie on centres: an edge belongs to one side alone, so that boxes
    // that share a face neither overlap nor leave a gap.
    const Cells left = voxels(box({0.5f, 0.5f, 0.5f}, {3.5f, 4.5f, 5.5f}), {8, 8, 8});
    const Cells right = voxels(box({3.5f, 0.5f, 0.5f}, {6.5f, 4.5f, 5.5f}), {8, 8, 8});
    const Cells above = voxels(box({0.5f, 4.5f, 0.5f}, {3.5f, 6.5f, 5.5f}), {8, 8, 8});
    CHECK(count(left) == 3 * 4 * 5);
    CHECK(count(right) == 3 * 4 * 5);
    CHECK(count(above) == 3 * 2 * 5);
    for (std::int64_t i = 0; i < left.size(); ++i) {
        CHECK(left[i] + right[i] + above[i] <= 1);
    }
}

TEST_CASE("voxelise: a ball is the cells within its radius") {
    const Mesh mesh = ball(64, 128, 9.7, {12.5f, 11.25f, 13});
    const Cells cells = voxels(mesh, {24, 25, 23});
    for (std::int64_t z = 0; z < cells.depth(); ++z) {
        for (std::int64_t y = 0; y < cells.height(); ++y) {
            for (std::int64_t x = 0; x < cells.width(); ++x) {
                const double dx = static_cast<double>(x) + 0.5 - 12.5;
                const double dy = static_cast<double>(y) + 0.5 - 13;
                const double dz = static_cast<double>(z) + 0.5 - 11.25;
                const double r = std::sqrt(dx * dx + dy * dy + dz * dz);
                if (std::abs(r - 9.7) > 0.02) { // the facets lie a little inside
                    CHECK(cells.at(x, y, z) == (r < 9.7 ? 1 : 0));
                }
            }
        }
    }
    CHECK(cells == voxels(mesh, {24, 25, 23}, 1, {0, 0, 0}, 7));
    Mesh turned = mesh; // fronts inwards: the same cells
    for (std::size_t i = 0; i < turned.indices.size(); i += 3) {
        std::swap(turned.indices[i], turned.indices[i + 1]);
    }
    CHECK(cells == voxels(turned, {24, 25, 23}));
}

TEST_CASE("voxelise: every line through a rough closed surface ends outside") {
    // A ball whose vertices jump about on half steps, no two to one place: folded, self-crossing,
    // full of edges and corners on the lines.
    constexpr std::size_t kAround = 16;
    Mesh mesh = ball(12, kAround, 6, {8, 8, 8});
    std::set<Vec3> taken;
    std::uint32_t state = 7;
    for (std::size_t i = kAround + 1; i + kAround + 1 < mesh.positions.size(); ++i) {
        Vec3 &position = mesh.positions[i];
        if (i % (kAround + 1) == kAround) { // the seam
            position = mesh.positions[i - kAround];
            continue;
        }
        Vec3 moved;
        do {
            for (std::size_t k = 0; k < 3; ++k) {
                state = state * 1664525 + 1013904223;
                moved[k] =
                    std::round(position[k] * 2) / 2 + static_cast<float>((state >> 8) % 5) - 2;
            }
        } while (!taken.insert(moved).second);
        position = moved;
    }
    const Cells cells = voxels(mesh, {20, 20, 20}, 1, {-2, -2, -2});
    CHECK(count(cells) > 500);
    for (std::int64_t z = 0; z < 20; ++z) {
        for (std::int64_t y = 0; y < 20; ++y) {
            CHECK(cells.at(19, y, z) == 0); // beyond the mesh
            CHECK(cells.at(0, y, z) == 0);
        }
    }
}

TEST_CASE("voxelise: bodies in bodies are hollow, seams and lines do not matter") {
    Mesh shell = box({0, 0, 0}, {7, 7, 7});
    append(shell, box({2, 2, 2}, {5, 5, 5}));
    CHECK(count(voxels(shell, {8, 8, 8})) == 343 - 27);
    Mesh split; // every triangle has vertices of its own, one is -0
    const Mesh cube = box({0, 0, 0}, {4, 4, 4});
    for (const auto index : cube.indices) {
        split.indices.push_back(static_cast<std::uint32_t>(split.positions.size()));
        split.positions.push_back(cube.positions[index]);
    }
    split.positions[0][1] = -0.0f;
    split.indices.insert(split.indices.end(), {0, 0, 1}); // no triangle
    CHECK(count(voxels(split, {8, 8, 8})) == 64);
}

TEST_CASE("voxelise: what is not closed is refused by its edge") {
    Mesh open = box({0, 0, 0}, {1, 2, 2.5f});
    open.indices.resize(open.indices.size() - 3);
    CHECK(refusal(open) == "the mesh is open: at the edge from (1, 0, 0) to (1, 0, 2.5) is 1 "
                           "triangle; allowed are 2");
    Mesh fin = box({0, 0, 0}, {1, 1, 1});
    fin.positions.push_back({5, 5, 5});
    fin.indices.insert(fin.indices.end(), {0, 1, 8});
    CHECK(refusal(fin).starts_with("the mesh is not manifold: at the edge from (0, 0, 0) to "
                                   "(1, 0, 0) are 3 triangles"));
    Mesh touching = box({0, 0, 0}, {1, 1, 1});
    append(touching, box({1, 1, 0}, {2, 2, 1}));
    CHECK(refusal(touching).find("are 4 triangles") != std::string::npos);
    CHECK(refusal({}).find("0 indices") != std::string::npos);
    Mesh bad = box({0, 0, 0}, {1, 1, 1});
    bad.indices[5] = 8;
    CHECK(refusal(bad).find("the index 8") != std::string::npos);
    bad = box({0, 0, 0}, {1, 1, 1});
    bad.positions[2][2] = std::numeric_limits<float>::infinity();
    CHECK(refusal(bad).find("not finite") != std::string::npos);
    CHECK(refusal(box({0, 0, 0}, {1, 1, 6e5f})).find("524288 cells") != std::string::npos);
}
