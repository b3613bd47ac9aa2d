#include "shape/lod.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <meshoptimizer.h>

#include "core/levels.hpp"
#include "shape/gpu_order.hpp"
#include "shape/grid.hpp"
#include "shape/mesh.hpp"
#include "shape/simplify.hpp"
#include "shape/vectors.hpp"

namespace karst::shape {

namespace {

constexpr std::size_t kMostShortVertices = 65535;
constexpr std::int64_t kMostChunks = 1 << 20;

// The vertices for which `remap` has a number other than ~0, at that number, and the triangles of
// `indices`.
Mesh remapped(const Mesh &mesh, const std::vector<unsigned> &indices,
              const std::vector<unsigned> &remap, std::size_t vertices) {
    Mesh result;
    const auto move = [&](const auto &from, auto &to) {
        if (!from.empty()) {
            to.resize(vertices);
            meshopt_remapVertexBuffer(to.data(), from.data(), from.size(), sizeof(from[0]),
                                      remap.data());
        }
    };
    move(mesh.positions, result.positions);
    move(mesh.normals, result.normals);
    move(mesh.uvs, result.uvs);
    move(mesh.tangents, result.tangents);
    result.indices.resize(indices.size());
    meshopt_remapIndexBuffer(result.indices.data(), indices.data(), indices.size(), remap.data());
    return result;
}

// A number for the cube of a place along an axis, from 0 for the lowest allowed.
std::uint64_t cube_number(double place, double chunk_metres) {
    const double cube = std::floor(place / chunk_metres);
    constexpr auto kMost = static_cast<double>(kMostChunks);
    if (!(cube >= -kMost && cube < kMost)) {
        throw Error(ErrorCode::invalid_argument,
                    "chunks: a triangle lies at " + std::to_string(place) + " m, chunks have " +
                        std::to_string(chunk_metres) + " m; allowed are " +
                        std::to_string(kMostChunks) + " chunks from the origin");
    }
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(cube) + kMostChunks);
}

struct Placed { // a triangle
    std::uint64_t cube;
    std::uint64_t triangle;
    auto operator<=>(const Placed &) const = default;
};

// The triangles [begin, end) as a part.
MeshPart chunk_of(const Mesh &mesh, const Placed *begin, const Placed *end, double chunk_metres,
                  std::string_view prefix) {
    std::vector<unsigned> indices;
    for (const Placed *placed = begin; placed != end; ++placed) {
        const std::uint32_t *index = mesh.indices.data() + 3 * placed->triangle;
        indices.insert(indices.end(), index, index + 3);
    }
    std::vector<unsigned> used = indices;
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());

    MeshPart part;
    const auto take = [&used](const auto &from, auto &to) {
        if (!from.empty()) {
            for (const unsigned vertex : used) {
                to.push_back(from[vertex]);
            }
        }
    };
    take(mesh.positions, part.mesh.positions);
    take(mesh.normals, part.mesh.normals);
    take(mesh.uvs, part.mesh.uvs);
    take(mesh.tangents, part.mesh.tangents);
    part.mesh.indices = indices;
    for (std::uint32_t &index : part.mesh.indices) {
        index = static_cast<std::uint32_t>(std::lower_bound(used.begin(), used.end(), index) -
                                           used.begin());
    }
    const auto axis = [&](int shift) {
        const std::uint64_t number = begin->cube >> shift & (2 * kMostChunks - 1);
        return static_cast<std::int64_t>(number) - kMostChunks;
    };
    const std::array<std::int64_t, 3> cube = {axis(0), axis(42), axis(21)};
    part.name = prefix;
    for (std::size_t a = 0; a < 3; ++a) {
        part.name += "_" + std::to_string(cube[a]);
        part.pivot[a] = static_cast<float>(static_cast<double>(cube[a]) * chunk_metres);
        for (Vec3 &position : part.mesh.positions) {
            position[a] -= part.pivot[a];
        }
    }
    return part;
}

void require_length(double metres, double least, const char *function, const char *argument) {
    if (!(metres >= least && std::isfinite(metres))) {
        throw Error(ErrorCode::invalid_argument, std::string(function) + ": " + argument + " is " +
                                                     std::to_string(metres) + " m; allowed is " +
                                                     std::to_string(least) + " or more");
    }
}

} // namespace

std::vector<MeshPart> lod_chain(core::Run &run, const Mesh &welded, int levels,
                                std::string_view prefix) {
    require_whole(run, welded, "lod_chain");
    require_range(levels, 1, 8, "lod_chain", "levels");
    constexpr double kAnyError = 1e30;
    std::vector<MeshPart> parts;
    Mesh all;
    all.positions = welded.positions;
    std::vector<std::uint32_t> indices = welded.indices;
    std::vector<std::uint8_t> kept;
    for (int i = 0; i < levels; ++i) {
        run.check_cancel();
        if (i > 0) {
            indices = simplify(all.positions, indices, indices.size() / 6, kAnyError, kept);
        }
        Mesh level = in_order_of_use(run, all, indices);
        add_normals(run, level);
        MeshPart part;
        part.name = core::level_name(prefix, i);
        part.mesh = in_gpu_order(run, with_box_uvs(run, level));
        parts.push_back(std::move(part));
    }
    return parts;
}

std::vector<MeshPart> chunks(core::Run &run, const Mesh &mesh, double chunk_metres,
                             std::string_view prefix) {
    require_whole(run, mesh, "chunks");
    require_length(chunk_metres, 0.001, "chunks", "chunk_metres");
    std::vector<Placed> placed(mesh.triangles());
    run.for_ranges(static_cast<std::int64_t>(placed.size()), 1 << 14,
                   [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t i = begin; i < end; ++i) {
                           const auto triangle = static_cast<std::size_t>(i);
                           const std::array<Vector, 3> at = corners(mesh, triangle);
                           const Vector sum = at[0] + at[1] + at[2];
                           placed[triangle] = {cube_number(sum.y / 3, chunk_metres) << 42 |
                                                   cube_number(sum.z / 3, chunk_metres) << 21 |
                                                   cube_number(sum.x / 3, chunk_metres),
                                               triangle};
                       }
                   });
    std::sort(placed.begin(), placed.end());
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < placed.size(); ++i) {
        if (i == 0 || placed[i].cube != placed[i - 1].cube) {
            starts.push_back(i);
        }
    }
    std::vector<MeshPart> parts(starts.size());
    starts.push_back(placed.size());
    run.for_ranges(
        static_cast<std::int64_t>(parts.size()), 1, [&](std::int64_t begin, std::int64_t end) {
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
                parts[i] = chunk_of(mesh, placed.data() + starts[i], placed.data() + starts[i + 1],
                                    chunk_metres, prefix);
            }
        });
    return parts;
}

std::vector<MeshPart> collision_chunks(core::Run &run, const Mesh &welded, double chunk_metres,
                                       double error, std::string_view prefix) {
    require_whole(run, welded, "collision_chunks");
    require_length(error, 0, "collision_chunks", "error");
    Mesh shape;
    shape.positions = welded.positions;
    shape.indices = welded.indices;
    std::vector<MeshPart> parts = chunks(run, shape, chunk_metres, prefix);
    run.for_ranges(
        static_cast<std::int64_t>(parts.size()), 1, [&](std::int64_t begin, std::int64_t end) {
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
                std::vector<std::uint8_t> kept;
                Mesh &mesh = parts[i].mesh;
                mesh.indices = simplify(mesh.positions, mesh.indices, 0, error, kept);
            }
        });
    for (MeshPart &part : parts) {
        part.mesh = in_order_of_use(run, part.mesh, part.mesh.indices);
    }
    return parts;
}

std::vector<MeshPart> for_short_indices(core::Run &run, const MeshPart &part) {
    require_whole(run, part.mesh, "for_short_indices");
    if (part.mesh.positions.size() <= kMostShortVertices) {
        return {part};
    }
    constexpr unsigned kNone = ~0u;
    std::vector<MeshPart> parts;
    std::vector<unsigned> remap(part.mesh.positions.size(), kNone), indices;
    std::size_t used = 0;
    const auto finish = [&] {
        run.check_cancel();
        MeshPart piece;
        piece.name = part.name + "_" + std::to_string(parts.size());
        piece.pivot = part.pivot;
        piece.mesh = remapped(part.mesh, indices, remap, used);
        parts.push_back(std::move(piece));
        for (const unsigned index : indices) {
            remap[index] = kNone;
        }
        indices.clear();
        used = 0;
    };
    for (std::size_t i = 0; i < part.mesh.indices.size(); i += 3) {
        const std::uint32_t *triangle = part.mesh.indices.data() + i;
        // At most so many new vertices; that a corner may repeat does not matter here.
        const auto fresh = static_cast<std::size_t>(
            std::count_if(triangle, triangle + 3, [&](auto v) { return remap[v] == kNone; }));
        if (used + fresh > kMostShortVertices) {
            finish();
        }
        for (int corner = 0; corner < 3; ++corner) {
            if (remap[triangle[corner]] == kNone) {
                remap[triangle[corner]] = static_cast<unsigned>(used++);
            }
            indices.push_back(triangle[corner]);
        }
    }
    if (!indices.empty()) {
        finish();
    }
    return parts;
}

} // namespace karst::shape
