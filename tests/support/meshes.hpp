// Small meshes with known counts, for tests of files and cells.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <karst/artifact.hpp>
#include <karst/mesh.hpp>

namespace test_meshes {

using namespace karst;

// 8 vertices, 12 triangles, only positions; fronts outwards.
inline Mesh box(const Vec3 &low, const Vec3 &high) {
    Mesh mesh;
    for (std::uint32_t i = 0; i < 8; ++i) {
        mesh.positions.push_back({(i & 1) != 0 ? high[0] : low[0], (i & 2) != 0 ? high[1] : low[1],
                                  (i & 4) != 0 ? high[2] : low[2]});
    }
    mesh.indices = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                    2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    return mesh;
}

// A sphere of (rings + 1) * (segments + 1) vertices and 2 * segments * (rings - 1) triangles with
// every attribute; closed by positions, with a seam of its UVs.
inline Mesh ball(int rings, int segments, double radius, const Vec3 &centre = {0, 0, 0}) {
    Mesh mesh;
    for (int ring = 0; ring <= rings; ++ring) {
        for (int segment = 0; segment <= segments; ++segment) {
            const double down = std::numbers::pi * ring / rings;
            const double round = 2 * std::numbers::pi * (segment % segments) / segments;
            const bool pole = ring == 0 || ring == rings;
            const double wide = pole ? 0 : std::sin(down);
            const double up = pole ? (ring == 0 ? 1 : -1) : std::cos(down);
            const std::array<double, 3> n{wide * std::cos(round), up, wide * std::sin(round)};
            Vec3 position;
            for (std::size_t i = 0; i < 3; ++i) {
                position[i] = static_cast<float>(centre[i] + radius * n[i]);
            }
            mesh.positions.push_back(position);
            mesh.normals.push_back(
                {static_cast<float>(n[0]), static_cast<float>(n[1]), static_cast<float>(n[2])});
            mesh.uvs.push_back({static_cast<float>(segment) / 4, static_cast<float>(ring) / 4});
            mesh.tangents.push_back(
                {static_cast<float>(-std::sin(round)), 0, static_cast<float>(std::cos(round)), 1});
        }
    }
    const auto at = [segments](int ring, int segment) {
        return static_cast<std::uint32_t>(ring * (segments + 1) + segment);
    };
    for (int ring = 0; ring < rings; ++ring) {
        for (int segment = 0; segment < segments; ++segment) {
            if (ring + 1 < rings) {
                mesh.indices.insert(
                    mesh.indices.end(),
                    {at(ring, segment), at(ring + 1, segment + 1), at(ring + 1, segment)});
            }
            if (ring > 0) {
                mesh.indices.insert(mesh.indices.end(), {at(ring, segment), at(ring, segment + 1),
                                                         at(ring + 1, segment + 1)});
            }
        }
    }
    return mesh;
}

inline Artifact artifact_of(MeshLayer layer) {
    Artifact artifact;
    artifact.generator = "sample";
    artifact.seed = 0xfedcba9876543210u;
    artifact.meshes.push_back(std::move(layer));
    return artifact;
}

// One part with every attribute.
inline MeshLayer one_ball(int rings, int segments) {
    return {"surface", {{"ball", ball(rings, segments, 2), {10, 20, 30}}}, {}};
}

// `count` boxes and balls at their pivots, and a socket in each direction.
inline MeshLayer many_parts(int count) {
    MeshLayer layer{"chunks", {}, {}};
    for (int i = 0; i < count; ++i) {
        const auto x = static_cast<float>(4 * (i % 10));
        const auto z = static_cast<float>(4 * (i / 10));
        layer.parts.push_back({"chunk " + std::to_string(i),
                               i % 2 == 0 ? box({0, 0, 0}, {1, 2, 3}) : ball(6, 8, 1),
                               {x, 0.5f, z}});
    }
    const Vec3 directions[] = {{0, 0, 1}, {1, 0, 0}, {0, 0, -1}, {-1, 0, 0}, {0.6f, 0, -0.8f}};
    for (std::size_t i = 0; i < 5; ++i) {
        layer.sockets.push_back(
            {"SOCKET_entrance_" + std::to_string(i), {static_cast<float>(i), 1, 0}, directions[i]});
    }
    return layer;
}

} // namespace test_meshes
