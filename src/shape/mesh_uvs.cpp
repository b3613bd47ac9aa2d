#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <numeric>
#include <string>
#include <vector>

#include "core/memory.hpp"
#include "shape/mesh.hpp"
#include "shape/vectors.hpp"

namespace karst::shape {

namespace {

constexpr std::int64_t kVertices = 1 << 14; // that are numbered in one go

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
    require_whole(run, mesh, "with_box_uvs");
    const auto triangles = static_cast<std::int64_t>(mesh.triangles());
    const auto sides = core::unwritten_array<std::uint8_t>(mesh.triangles());
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
    const auto count = static_cast<std::int64_t>(used.size());
    // First the vertices of each block, then those before it.
    std::vector<std::uint64_t> blocks(
        static_cast<std::size_t>((count + kVertices - 1) / kVertices) + 1);
    const auto each_block = [&](auto &&f) {
        run.for_ranges(static_cast<std::int64_t>(blocks.size()) - 1, 1,
                       [&](std::int64_t begin, std::int64_t end) {
                           for (std::int64_t i = begin; i < end; ++i) {
                               f(static_cast<std::size_t>(i), i * kVertices,
                                 std::min(count, (i + 1) * kVertices));
                           }
                       });
    };
    each_block([&](std::size_t block, std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            blocks[block + 1] += static_cast<unsigned>(std::popcount(used[i]));
        }
    });
    std::partial_sum(blocks.begin(), blocks.end(), blocks.begin());
    const std::uint64_t vertices = blocks.back();
    if (vertices >= 0xFFFFFFFFu) {
        throw Error(ErrorCode::unsupported, "with_box_uvs: the mesh would have " +
                                                std::to_string(vertices) +
                                                " vertices; a mesh has at most 4294967294");
    }

    Mesh result;
    core::resize(run, result.positions, vertices);
    core::resize(run, result.normals, mesh.normals.empty() ? 0 : vertices);
    core::resize(run, result.uvs, vertices);
    core::resize(run, result.indices, mesh.indices.size());
    const auto first = core::unwritten_array<std::uint32_t>(used.size()); // new vertex of each
    each_block([&](std::size_t block, std::int64_t begin, std::int64_t end) {
        std::size_t out = blocks[block];
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            first[i] = static_cast<std::uint32_t>(out);
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
            result.indices[i] = first[vertex] + static_cast<unsigned>(std::popcount(before));
        }
    });
    return result;
}

} // namespace karst::shape
