#include <cmath>
#include <limits>

#include <karst/error.hpp>

#include "shape/mesh.hpp"
#include "shape/surface.hpp"
#include "shape/vectors.hpp"
#include "tests/unit/mesh_checks.hpp"

using namespace karst;
using namespace karst::shape;
using namespace mesh_test;

namespace {

// A cube of side 2 around the origin, seen from outside; two triangles a side.
Mesh block() {
    Mesh mesh;
    for (int i = 0; i < 8; ++i) {
        mesh.positions.push_back(
            {i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f});
    }
    mesh.indices = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                    2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    return mesh;
}

Mesh cave() {
    Job job;
    return extract_surface(job.run, smooth_density(job.run, soup({12, 10, 9}, 0.4, 8), 1, 2), 0.5,
                           Outside::rock);
}

} // namespace

TEST_CASE("mesh: normals of a block point outwards, slivers turn none") {
    Mesh mesh = block();
    CHECK(judge(mesh).volume == doctest::Approx(8));
    Job job;
    add_normals(job.run, mesh);
    for (std::size_t i = 0; i < 8; ++i) {
        for (std::size_t a = 0; a < 3; ++a) {
            // A side with two triangles at a corner counts twice.
            CHECK(double{mesh.normals[i][a]} ==
                  doctest::Approx(mesh.positions[i][a] / std::sqrt(3.0)).epsilon(0.3));
        }
    }
    // A flat fan with one upright sliver at its middle, of a thousandth of its area.
    Mesh fan;
    fan.positions = {{0, 0, 0},  {0, 0, 1},      {1, 0, 0},
                     {0, 0, -1}, {0.001f, 0, 0}, {0, 0.001f, 0.5f}};
    fan.indices = {0, 1, 2, 0, 2, 3, 0, 5, 1};
    add_normals(job.run, fan);
    CHECK(fan.normals[0][1] > 0.99999f);
    // Twice the area, twice the weight: squares of sides 2 and 1 at a right angle.
    Mesh corner;
    corner.positions = {{0, 0, 0}, {0, 0, 2}, {2, 0, 0}, {0, 1, 0}};
    corner.indices = {0, 1, 2, 0, 3, 1};
    add_normals(job.run, corner);
    CHECK(corner.normals[0][1] == doctest::Approx(2 / std::sqrt(5.0)));
    CHECK(std::abs(corner.normals[0][0]) == doctest::Approx(1 / std::sqrt(5.0)));

    Mesh points; // no triangles, and one without an area
    points.positions = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {5, 5, 5}};
    points.indices = {0, 1, 2};
    add_normals(job.run, points);
    for (const Vec3 &normal : points.normals) {
        CHECK(normal == Vec3{0, 1, 0});
    }
}

TEST_CASE("mesh: box UVs are metres, upright and not mirrored") {
    Job job;
    Mesh mesh = block();
    add_normals(job.run, mesh);
    Mesh out = with_box_uvs(job.run, mesh);
    CHECK(out.positions.size() == 24);
    CHECK(out.indices.size() == 36);
    add_tangents(job.run, out);
    for (std::size_t t = 0; t < out.triangles(); ++t) {
        const auto at = corners(out, t);
        const auto before = corners(mesh, t);
        const Vector normal = unit(cross(at[1] - at[0], at[2] - at[0]), {});
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(to_vec3(at[i]) == to_vec3(before[i])); // triangles keep their order
            const std::uint32_t v = out.indices[3 * t + i];
            const std::uint32_t next = out.indices[3 * t + (i + 1) % 3];
            const Vector edge = at[(i + 1) % 3] - at[i];
            const Vec2 a = out.uvs[v], b = out.uvs[next];
            // Lengths in the texture are lengths on the block.
            const double u = b[0] - a[0], w = b[1] - a[1];
            CHECK(u * u + w * w == doctest::Approx(dot(edge, edge)));
            // v falls upwards on walls, northwards on floors, southwards on ceilings.
            const double up = normal.y > 0.5 ? -edge.z : normal.y < -0.5 ? edge.z : edge.y;
            CHECK(w == doctest::Approx(-up));
            CHECK(out.tangents[v][3] == 1); // not mirrored
        }
    }
}

TEST_CASE("mesh: seams split vertices and nothing else") {
    Job job;
    Mesh mesh = cave();
    add_normals(job.run, mesh);
    Mesh out = with_box_uvs(job.run, mesh);
    CHECK(out.positions.size() > mesh.positions.size());
    CHECK(out.positions.size() < 3 * mesh.positions.size());
    CHECK(out.indices.size() == mesh.indices.size());
    for (std::size_t i = 0; i < mesh.indices.size(); ++i) {
        CHECK(out.positions[out.indices[i]] == mesh.positions[mesh.indices[i]]);
        CHECK(out.normals[out.indices[i]] == mesh.normals[mesh.indices[i]]);
    }
    CHECK(judge(out).all_used);
    add_tangents(job.run, out);
    for (std::size_t i = 0; i < out.tangents.size(); ++i) {
        const Vector t = {out.tangents[i][0], out.tangents[i][1], out.tangents[i][2]};
        CHECK(dot(t, t) == doctest::Approx(1));
        CHECK(std::abs(dot(t, to_vector(out.normals[i]))) < 1e-6);
        CHECK(std::abs(out.tangents[i][3]) == 1);
    }
}

TEST_CASE("mesh: tangents follow u, w tells a mirrored picture") {
    Job job;
    Mesh mesh;
    mesh.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    mesh.normals.assign(4, {0, 0, 1});
    mesh.indices = {0, 1, 2, 0, 2, 3};
    mesh.uvs = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    add_tangents(job.run, mesh);
    for (const Vec4 &tangent : mesh.tangents) {
        CHECK(tangent == Vec4{1, 0, 0, 1}); // cross(Z, X) is up, where v falls
    }
    for (Vec2 &uv : mesh.uvs) {
        uv[0] = -uv[0];
    }
    add_tangents(job.run, mesh);
    for (const Vec4 &tangent : mesh.tangents) {
        CHECK(tangent == Vec4{-1, 0, 0, -1});
    }
    mesh.uvs.assign(4, {0.5f, 0.5f}); // says nothing
    mesh.normals = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {-1, 0, 0}};
    add_tangents(job.run, mesh);
    CHECK(mesh.tangents[0] == Vec4{1, 0, 0, 1});
    CHECK(mesh.tangents[1] == Vec4{1, 0, 0, 1});
    CHECK(mesh.tangents[2] == Vec4{0, 0, 1, 1});
    CHECK(mesh.tangents[3] == Vec4{0, 0, 1, 1});
}

TEST_CASE("mesh: creases split vertices where edges are sharp") {
    Job job(3);
    const Mesh mesh = block();
    Mesh sharp = with_creases(job.run, mesh, 0.5);
    CHECK(sharp.positions.size() == 24);
    add_normals(job.run, sharp);
    for (std::size_t t = 0; t < sharp.triangles(); ++t) {
        const auto at = corners(sharp, t);
        const auto before = corners(mesh, t);
        const Vec3 normal = to_vec3(unit(cross(at[1] - at[0], at[2] - at[0]), {}));
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(to_vec3(at[i]) == to_vec3(before[i]));
            CHECK(sharp.normals[sharp.indices[3 * t + i]] == normal);
        }
    }
    for (std::size_t i = 1; i < sharp.positions.size(); ++i) { // copies stand together
        CHECK((i % 3 == 0 || sharp.positions[i] == sharp.positions[i - 1]));
    }
    const Mesh blunt = with_creases(job.run, mesh, -0.5);
    CHECK(blunt.positions == mesh.positions);
    CHECK(blunt.indices == mesh.indices);
    Mesh apart = mesh; // two blocks that share a vertex number, but no edge
    apart.indices.insert(apart.indices.end(), {0, 8, 9});
    apart.positions.insert(apart.positions.end(), {{-5, 0, 0}, {-5, 1, 0}});
    CHECK(with_creases(job.run, apart, -1).positions.size() == 11);
    CHECK_THROWS_AS(with_creases(job.run, mesh, 1.5), Error);
    CHECK(with_creases(job.run, Mesh(), 0).positions.empty());
}

TEST_CASE("mesh: what is refused") {
    Job job;
    Mesh mesh = block();
    CHECK_THROWS_WITH_AS(add_tangents(job.run, mesh),
                         "add_tangents: the mesh has 0 normals and 0 UVs for 8 positions; all are "
                         "needed",
                         Error);
    mesh.indices.push_back(0);
    CHECK_THROWS_WITH_AS(add_normals(job.run, mesh),
                         "add_normals: the mesh has 37 indices; a multiple of 3 is needed", Error);
    mesh.indices.pop_back();
    mesh.indices[4] = 8;
    CHECK_THROWS_WITH_AS(with_box_uvs(job.run, mesh),
                         "with_box_uvs: the mesh has an index 8 for 8 vertices", Error);
    mesh.indices[4] = 6;
    mesh.normals.resize(7);
    CHECK_THROWS_WITH_AS(with_box_uvs(job.run, mesh),
                         "with_box_uvs: the mesh has 7 normals for 8 positions; allowed are none "
                         "or as many",
                         Error);
    Mesh nothing;
    add_normals(job.run, nothing);
    CHECK(with_box_uvs(job.run, nothing).positions.empty());
}
