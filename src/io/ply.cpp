// PLY, binary little-endian: all parts as one list of vertices and one of triangles.
#include <algorithm>
#include <array>

#include "io/mesh_file.hpp"
#include "io/mesh_formats.hpp"

namespace karst::io {

namespace {

// Every vertex of a PLY has the same properties, so that all parts must have an attribute.
template <class Vector>
bool all_have(const MeshLayer &layer, std::vector<Vector> Mesh::*attribute) {
    return std::all_of(layer.parts.begin(), layer.parts.end(), [attribute](const MeshPart &part) {
        return (part.mesh.*attribute).size() == part.mesh.positions.size();
    });
}

} // namespace

void write_ply(OutputFile &file, const Artifact &artifact, const MeshLayer &layer,
               const MeshFileOptions &options) {
    const MeshTotals total = totals(layer);
    require_at_most(file.path(), total.vertices, "vertices", kMostVertices);
    require_at_most(file.path(), total.triangles, "triangles", kMostVertices);
    const bool normals = all_have(layer, &Mesh::normals);
    const bool uvs = all_have(layer, &Mesh::uvs);
    ByteSink sink(file);
    sink.text("ply\nformat binary_little_endian 1.0\ncomment " + origin_of(artifact, options) +
              "\nelement vertex " + std::to_string(total.vertices) +
              "\nproperty float x\nproperty float y\nproperty float z\n");
    sink.text(normals ? "property float nx\nproperty float ny\nproperty float nz\n" : "");
    sink.text(uvs ? "property float s\nproperty float t\n" : "");
    sink.text("element face " + std::to_string(total.triangles) +
              "\nproperty list uchar uint vertex_indices\nend_header\n");
    for (const auto &part : layer.parts) {
        for (std::size_t i = 0; i < part.mesh.positions.size(); ++i) {
            sink.value(placed(part, part.mesh.positions[i], options));
            if (normals) {
                sink.value(turned(part.mesh.normals[i], options));
            }
            if (uvs) { // readers of PLY take t upwards
                sink.value(Vec2{part.mesh.uvs[i][0], 1.0f - part.mesh.uvs[i][1]});
            }
        }
    }
    std::uint32_t base = 0;
    for (const auto &part : layer.parts) {
        const auto &indices = part.mesh.indices;
        for (std::size_t i = 0; i < indices.size(); i += 3) {
            sink.value(std::uint8_t{3});
            sink.value(std::array{base + indices[i], base + indices[i + 1], base + indices[i + 2]});
        }
        base += static_cast<std::uint32_t>(part.mesh.positions.size());
    }
    sink.flush();
}

} // namespace karst::io
