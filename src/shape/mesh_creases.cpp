#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "shape/mesh.hpp"
#include "shape/vectors.hpp"

namespace karst::shape {

namespace {

constexpr std::int64_t kMeshGrain = 1 << 14;

// The corners of triangles at each vertex, ascending: corner 3 t + c is corner c of triangle t.
struct Corners {
    explicit Corners(const Mesh &mesh)
        : first(mesh.positions.size() + 1), corners(mesh.indices.size()) {
        for (const std::uint32_t index : mesh.indices) {
            ++first[index + 1];
        }
        for (std::size_t v = 0; v + 1 < first.size(); ++v) {
            first[v + 1] += first[v];
        }
        std::vector<std::size_t> end(first.begin(), first.end() - 1);
        for (std::size_t i = 0; i < mesh.indices.size(); ++i) {
            corners[end[mesh.indices[i]]++] = i;
        }
    }
    std::span<const std::size_t> at(std::size_t vertex) const {
        return {corners.data() + first[vertex], first[vertex + 1] - first[vertex]};
    }

    std::vector<std::size_t> first;
    std::vector<std::size_t> corners;
};

// Gives corners of one vertex that belong together the same number, from 0 in the order of their
// first corners; returns how many numbers there are.
std::uint32_t group(const Mesh &mesh, const std::vector<Vector> &normals, double cosine,
                    std::span<const std::size_t> corners, std::vector<std::uint32_t> &groups) {
    const auto other = [&](std::size_t corner, std::size_t steps) {
        const std::size_t start = corner - corner % 3;
        return mesh.indices[start + (corner % 3 + steps) % 3];
    };
    std::vector<std::size_t> lowest(corners.size()); // corner that a corner belongs to
    for (std::size_t i = 0; i < corners.size(); ++i) {
        lowest[i] = i;
    }
    for (std::size_t i = 0; i < corners.size(); ++i) {
        for (std::size_t k = 0; k < corners.size(); ++k) {
            if (other(corners[i], 1) != other(corners[k], 2) ||
                dot(normals[corners[i] / 3], normals[corners[k] / 3]) < cosine) {
                continue;
            }
            const std::size_t from = std::max(lowest[i], lowest[k]);
            const std::size_t to = std::min(lowest[i], lowest[k]);
            for (std::size_t &corner : lowest) {
                corner = corner == from ? to : corner;
            }
        }
    }
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < corners.size(); ++i) {
        groups[corners[i]] = lowest[i] == i ? count++ : groups[corners[lowest[i]]];
    }
    return count;
}

} // namespace

Mesh with_creases(core::Run &run, const Mesh &mesh, double cosine) {
    require_whole(run, mesh, "with_creases");
    if (!(cosine >= -1 && cosine <= 1)) {
        throw Error(ErrorCode::invalid_argument,
                    "with_creases: cosine is " + std::to_string(cosine) + "; allowed are -1 to 1");
    }
    std::vector<Vector> normals(mesh.triangles());
    run.for_ranges(static_cast<std::int64_t>(normals.size()), kMeshGrain,
                   [&](std::int64_t begin, std::int64_t end) {
                       for (auto t = static_cast<std::size_t>(begin);
                            t < static_cast<std::size_t>(end); ++t) {
                           const std::array<Vector, 3> at = corners(mesh, t);
                           normals[t] = unit(cross(at[1] - at[0], at[2] - at[0]), {});
                       }
                   });
    const Corners around(mesh);
    std::vector<std::uint32_t> groups(mesh.indices.size());
    std::vector<std::uint64_t> first(mesh.positions.size());
    const auto vertices = static_cast<std::int64_t>(first.size());
    run.for_ranges(vertices, kMeshGrain, [&](std::int64_t begin, std::int64_t end) {
        for (auto v = static_cast<std::size_t>(begin); v < static_cast<std::size_t>(end); ++v) {
            first[v] = group(mesh, normals, cosine, around.at(v), groups);
        }
    });
    Mesh result;
    for (std::size_t v = 0; v < first.size(); ++v) {
        const std::uint64_t count = first[v];
        first[v] = result.positions.size();
        result.positions.insert(result.positions.end(), count, mesh.positions[v]);
    }
    if (result.positions.size() >= 0xFFFFFFFFu) {
        throw Error(ErrorCode::unsupported, "with_creases: the mesh would have " +
                                                std::to_string(result.positions.size()) +
                                                " vertices; a mesh has at most 4294967294");
    }
    result.indices.resize(mesh.indices.size());
    run.for_ranges(
        static_cast<std::int64_t>(groups.size()), kMeshGrain,
        [&](std::int64_t begin, std::int64_t end) {
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
                result.indices[i] = static_cast<std::uint32_t>(first[mesh.indices[i]] + groups[i]);
            }
        });
    return result;
}

} // namespace karst::shape
