#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "core/memory.hpp"
#include "shape/mesh.hpp"
#include "shape/vectors.hpp"

namespace karst::shape {

namespace {

constexpr std::size_t kBlock = 1 << 12; // triangles whose vertices mostly lie near one another

void require_length(std::size_t length, std::size_t vertices, const char *function,
                    const char *array) {
    if (length != 0 && length != vertices) {
        throw Error(ErrorCode::invalid_argument, std::string(function) + ": the mesh has " +
                                                     std::to_string(length) + " " + array +
                                                     " for " + std::to_string(vertices) +
                                                     " positions; allowed are none or as many");
    }
}

// f(triangle, first, last) for the sums of the vertices [first, last): the triangles of a vertex
// come in their order and to one thread.
template <class F>
void add_up(core::Run &run, const Mesh &mesh, F &&f) {
    struct Reach {
        std::uint32_t low = UINT32_MAX, high = 0;
    };
    std::vector<Reach> blocks((mesh.triangles() + kBlock - 1) / kBlock);
    run.for_ranges(
        static_cast<std::int64_t>(blocks.size()), 8, [&](std::int64_t begin, std::int64_t end) {
            for (auto i = static_cast<std::size_t>(3 * begin) * kBlock;
                 i < std::min(static_cast<std::size_t>(3 * end) * kBlock, mesh.indices.size());
                 ++i) {
                Reach &its = blocks[i / 3 / kBlock];
                its.low = std::min(its.low, mesh.indices[i]);
                its.high = std::max(its.high, mesh.indices[i]);
            }
        });
    // A range a thread: where the vertices of a block lie far apart, each looks at all triangles.
    const auto vertices = static_cast<std::int64_t>(mesh.positions.size());
    const std::int64_t grain =
        std::max<std::int64_t>(1 << 16, vertices / run.executor().concurrency() + 1);
    run.for_ranges(vertices, grain, [&](std::int64_t begin, std::int64_t end) {
        const auto first = static_cast<std::size_t>(begin);
        const auto last = static_cast<std::size_t>(end);
        for (std::size_t block = 0; block < blocks.size(); ++block) {
            if (blocks[block].high < first || blocks[block].low >= last) {
                continue;
            }
            const std::size_t stop = std::min((block + 1) * kBlock, mesh.triangles());
            for (std::size_t i = block * kBlock; i < stop; ++i) {
                f(i, first, last);
            }
        }
    });
}

} // namespace

void require_whole(core::Run &run, const Mesh &mesh, const char *function) {
    const std::size_t vertices = mesh.positions.size();
    require_length(mesh.normals.size(), vertices, function, "normals");
    require_length(mesh.uvs.size(), vertices, function, "UVs");
    require_length(mesh.tangents.size(), vertices, function, "tangents");
    if (mesh.indices.size() % 3 != 0) {
        throw Error(ErrorCode::invalid_argument, std::string(function) + ": the mesh has " +
                                                     std::to_string(mesh.indices.size()) +
                                                     " indices; a multiple of 3 is needed");
    }
    std::mutex mutex;
    std::uint32_t largest = 0;
    run.for_ranges(static_cast<std::int64_t>(mesh.indices.size()), 1 << 16,
                   [&](std::int64_t begin, std::int64_t end) {
                       const std::uint32_t here = *std::max_element(mesh.indices.begin() + begin,
                                                                    mesh.indices.begin() + end);
                       const std::lock_guard lock(mutex);
                       largest = std::max(largest, here);
                   });
    if (!mesh.indices.empty() && largest >= vertices) {
        throw Error(ErrorCode::invalid_argument,
                    std::string(function) + ": the mesh has an index " + std::to_string(largest) +
                        " for " + std::to_string(vertices) + " vertices");
    }
}

void add_normals(core::Run &run, Mesh &mesh) {
    require_whole(run, mesh, "add_normals");
    std::vector<Vector> sums;
    core::resize(run, sums, mesh.positions.size());
    add_up(run, mesh, [&](std::size_t triangle, std::size_t first, std::size_t last) {
        const std::array<Vector, 3> at = corners(mesh, triangle);
        const Vector normal = cross(at[1] - at[0], at[2] - at[0]); // as long as twice the area
        for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t vertex = mesh.indices[3 * triangle + i];
            if (vertex >= first && vertex < last) {
                sums[vertex] = sums[vertex] + normal;
            }
        }
    });
    mesh.normals.clear();
    core::resize(run, mesh.normals, mesh.positions.size());
    const auto count = static_cast<std::int64_t>(sums.size());
    run.for_ranges(count, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            mesh.normals[i] = to_vec3(unit(sums[i], {0, 1, 0}));
        }
    });
}

void add_tangents(core::Run &run, Mesh &mesh) {
    require_whole(run, mesh, "add_tangents");
    if (mesh.normals.size() != mesh.positions.size() || mesh.uvs.size() != mesh.positions.size()) {
        throw Error(ErrorCode::invalid_argument,
                    "add_tangents: the mesh has " + std::to_string(mesh.normals.size()) +
                        " normals and " + std::to_string(mesh.uvs.size()) + " UVs for " +
                        std::to_string(mesh.positions.size()) + " positions; all are needed");
    }
    // Directions of growing u and of falling v, by triangle, times the area in the texture.
    struct Sums {
        Vector u, v;
    };
    std::vector<Sums> sums;
    core::resize(run, sums, mesh.positions.size());
    add_up(run, mesh, [&](std::size_t triangle, std::size_t first, std::size_t last) {
        const std::array<Vector, 3> at = corners(mesh, triangle);
        const std::uint32_t *index = mesh.indices.data() + 3 * triangle;
        const auto uv = [&](std::size_t i, std::size_t axis) {
            return double{mesh.uvs[index[i]][axis]} - double{mesh.uvs[index[0]][axis]};
        };
        const Vector a = at[1] - at[0];
        const Vector b = at[2] - at[0];
        const double turn = uv(1, 0) * uv(2, 1) - uv(2, 0) * uv(1, 1);
        const double sign = turn < 0 ? -1 : 1;
        const Vector u = (a * uv(2, 1) - b * uv(1, 1)) * sign;
        const Vector v = (a * uv(2, 0) - b * uv(1, 0)) * sign;
        for (std::size_t i = 0; i < 3; ++i) {
            if (index[i] >= first && index[i] < last) {
                sums[index[i]].u = sums[index[i]].u + u;
                sums[index[i]].v = sums[index[i]].v + v;
            }
        }
    });
    mesh.tangents.clear();
    core::resize(run, mesh.tangents, mesh.positions.size());
    const auto count = static_cast<std::int64_t>(sums.size());
    run.for_ranges(count, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
            const Vector normal = unit(to_vector(mesh.normals[i]), {0, 1, 0});
            // A direction that is not the normal's, for UVs that give none.
            const Vector any = normal.x * normal.x < 0.5 ? Vector{1, 0, 0} : Vector{0, 0, 1};
            const auto flat = [&](Vector along) { return along - normal * dot(normal, along); };
            const Vector tangent = unit(flat(sums[i].u), unit(flat(any), {1, 0, 0}));
            const bool mirrored = dot(cross(normal, tangent), sums[i].v) < 0;
            const Vec3 out = to_vec3(tangent);
            mesh.tangents[i] = {out[0], out[1], out[2], mirrored ? -1.0f : 1.0f};
        }
    });
}

} // namespace karst::shape
