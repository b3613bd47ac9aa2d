#include <array>
#include <atomic>
#include <bit>
#include <string>
#include <vector>

#include "shape/mesh.hpp"
#include "shape/vectors.hpp"

namespace karst::shape {

namespace {

// Sides of the box, by axis (X, Y, Z) and sign: +X, -X, +Y, -Y, +Z, -Z. Vertex normals vary less
// than those of triangles, so together they make shorter seams.
std::size_t side_of(const Mesh &mesh, std::size_t triangle) {
    const std::array<Vector, 3> at = corners(mesh, triangle);
    Vector normal = unit(cross(at[1] - at[0], at[2] - at[0]), {}) * 2;
    for (std::size_t i = 0; i < 3 && !mesh.normals.empty(); ++i) {
        normal = normal + to_vector(mesh.normals[mesh.indices[3 * triangle + i]]);
    }
    const std::array<double, 3> size = {normal.x * normal.x, normal.y * normal.y,
                                        normal.z * normal.z};
    if (size[1] >= size[0] && size[1] >= size[2]) {
        return normal.y >= 0 ? 2 : 3;
    }
    if (size[2] >= size[0]) {
        return normal.z >= 0 ? 4 : 5;
    }
    return normal.x >= 0 ? 0 : 1;
}

// To the right and down, seen from the air in front of the side.
Vec2 project(const Vec3 &p, std::size_t side) {
    switch (side) {
    case 0:
        return {-p[2], -p[1]};
    case 1:
        return {p[2], -p[1]};
    case 2:
        return {p[0], p[2]};
    case 3:
        return {p[0], -p[2]};
    case 4:
        return {p[0], -p[1]};
    default:
        return {-p[0], -p[1]};
    }
}

} // namespace

Mesh with_box_uvs(core::Run &run, const Mesh &mesh) {
    require_whole(mesh, "with_box_uvs");
    const auto triangles = static_cast<std::int64_t>(mesh.triangles());
    std::vector<std::uint8_t> sides(mesh.triangles());
    run.for_ranges(triangles, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            sides[i] = static_cast<std::uint8_t>(side_of(mesh, i));
        }
    });
    std::vector<std::uint8_t> used(mesh.positions.size()); // a bit a side
    run.for_ranges(triangles, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(3 * begin); i < static_cast<std::size_t>(3 * end);
             ++i) {
            const std::atomic_ref bits(used[mesh.indices[i]]);
            const auto side = static_cast<std::uint8_t>(1u << sides[i / 3]);
            if ((bits.load(std::memory_order_relaxed) & side) == 0) {
                bits.fetch_or(side, std::memory_order_relaxed);
            }
        }
    });
    std::vector<std::uint64_t> first(used.size());
    std::uint64_t vertices = 0;
    for (std::size_t i = 0; i < used.size(); ++i) {
        first[i] = vertices;
        vertices += static_cast<unsigned>(std::popcount(used[i]));
    }
    if (vertices >= 0xFFFFFFFFu) {
        throw Error(ErrorCode::unsupported, "with_box_uvs: the mesh would have " +
                                                std::to_string(vertices) +
                                                " vertices; a mesh has at most 4294967294");
    }

    Mesh result;
    result.positions.resize(vertices);
    result.normals.resize(mesh.normals.empty() ? 0 : vertices);
    result.uvs.resize(vertices);
    result.indices.resize(mesh.indices.size());
    const auto count = static_cast<std::int64_t>(used.size());
    run.for_ranges(count, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            std::size_t out = first[i];
            for (std::size_t side = 0; side < 6; ++side) {
                if ((used[i] >> side & 1) == 0) {
                    continue;
                }
                result.positions[out] = mesh.positions[i];
                if (!result.normals.empty()) {
                    result.normals[out] = mesh.normals[i];
                }
                result.uvs[out] = project(mesh.positions[i], side);
                ++out;
            }
        }
    });
    run.for_ranges(triangles, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(3 * begin); i < static_cast<std::size_t>(3 * end);
             ++i) {
            const std::uint32_t vertex = mesh.indices[i];
            const unsigned before = used[vertex] & ((1u << sides[i / 3]) - 1);
            result.indices[i] = static_cast<std::uint32_t>(
                first[vertex] + static_cast<unsigned>(std::popcount(before)));
        }
    });
    return result;
}

} // namespace karst::shape
