#include "io/mesh_formats.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/joined.hpp"
#include "io/formats.hpp"

namespace karst::io {

namespace {

constexpr std::array kMeshFormats{
    MeshFormat{".glb", "glTF 2.0: a node for each part and socket, in metres, Y up", true,
               write_glb},
    MeshFormat{".obj", "Wavefront OBJ: an object for each part", false, write_obj},
    MeshFormat{".ply", "PLY, binary little-endian: all parts as one mesh", false, write_ply},
    MeshFormat{".stl", "STL, binary: triangles alone", false, write_stl},
};

[[noreturn]] void refuse_mesh(const MeshLayer &layer, const MeshPart &part,
                              const std::string &why) {
    throw Error(ErrorCode::invalid_argument,
                "mesh '" + layer.name + "', part '" + part.name + "': " + why);
}

template <class Vector>
bool all_finite(const std::vector<Vector> &values) {
    unsigned bad = 0; // no early end, so that compilers take many at once
    for (const Vector &value : values) {
        for (const float number : value) {
            bad |= std::isfinite(number) ? 0u : 1u;
        }
    }
    return bad == 0;
}

void check_part(const MeshLayer &layer, const MeshPart &part) {
    const Mesh &mesh = part.mesh;
    const auto vertices = mesh.positions.size();
    const auto require_length = [&](std::size_t length, const char *name) {
        if (length != 0 && length != vertices) {
            refuse_mesh(layer, part,
                        std::to_string(length) + " " + name + "; allowed are " +
                            std::to_string(vertices) + ", one a vertex, or none");
        }
    };
    require_length(mesh.normals.size(), "normals");
    require_length(mesh.uvs.size(), "UVs");
    require_length(mesh.tangents.size(), "tangents");
    if (mesh.indices.size() % 3 != 0) {
        refuse_mesh(layer, part,
                    std::to_string(mesh.indices.size()) + " indices; allowed are three a triangle");
    }
    const auto bad = std::find_if(mesh.indices.begin(), mesh.indices.end(),
                                  [vertices](std::uint32_t i) { return i >= vertices; });
    if (bad != mesh.indices.end()) {
        refuse_mesh(layer, part,
                    "index " + std::to_string(*bad) + "; allowed are those of " +
                        std::to_string(vertices) + " vertices");
    }
    if (!all_finite(mesh.positions) || !all_finite(mesh.normals) || !all_finite(mesh.uvs) ||
        !all_finite(mesh.tangents) || !all_finite(std::vector<Vec3>{part.pivot})) {
        refuse_mesh(layer, part, "a number that is not finite");
    }
}

} // namespace

std::span<const MeshFormat> mesh_formats() {
    return kMeshFormats;
}

const MeshFormat &find_mesh_format(std::string_view path) {
    const std::string extension = extension_of(path);
    for (const auto &format : kMeshFormats) {
        if (format.extension == extension) {
            return format;
        }
    }
    throw Error(ErrorCode::invalid_argument,
                "'" + std::string(path) + "' has the extension '" + extension +
                    "'; allowed for a mesh is one of " +
                    core::joined(kMeshFormats, &MeshFormat::extension));
}

void check_mesh_options(const std::string &path, const MeshFormat &format,
                        const MeshFileOptions &options) {
    if (format.says_axes && options != MeshFileOptions{}) {
        throw Error(ErrorCode::unsupported,
                    "cannot write '" + path + "' with units " + units_name(options.units) +
                        " and up " + up_name(options.up) + ": " + std::string(format.extension) +
                        " is always in m with y up");
    }
}

void write_mesh(OutputFile &file, const MeshFormat &format, const Artifact &artifact,
                const MeshLayer &layer, const MeshFileOptions &options) {
    check_mesh_options(file.path(), format, options);
    for (const auto &part : layer.parts) {
        check_part(layer, part);
    }
    format.write(file, artifact, layer, options);
}

const char *units_name(LengthUnit units) {
    return units == LengthUnit::metres ? "m" : "cm";
}

const char *up_name(UpAxis up) {
    return up == UpAxis::y ? "y" : "z";
}

} // namespace karst::io
