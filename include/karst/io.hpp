// Writes layers, meshes and documents to files, and reads meshes.
#pragma once

#include <string>
#include <string_view>

#include <karst/artifact.hpp>

namespace karst {

// Writes one layer in the format of the extension of `path` (.png, .npy, .r16, .raw, .vox). The
// file appears whole or not at all; an older one is replaced. Throws Error(invalid_argument) for an
// unknown extension or layer, Error(unsupported) if the format cannot hold the layer,
// Error(io_failure).
KARST_API void write_layer(const std::string &path, const Artifact &artifact,
                           std::string_view layer);

enum class LengthUnit { metres, centimetres };
enum class UpAxis {
    y, // glTF's axes, those of Mesh
    z, // x east, y north, z up, as Blender and Unreal have them; right-handed too
};

// What the numbers of a file mean whose format does not say (.obj, .ply, .stl).
struct MeshFileOptions {
    LengthUnit units = LengthUnit::metres;
    UpAxis up = UpAxis::y;
    friend bool operator==(const MeshFileOptions &, const MeshFileOptions &) = default;
};

// Writes one mesh layer in the format of the extension of `path` (.glb, .obj, .ply, .stl), as
// write_layer does. .glb is always in metres with Y up. Throws Error(invalid_argument) for an
// unknown extension or layer and for a mesh with an index or an array length out of range or a
// number that is not finite; Error(unsupported) for other options of a .glb and for a mesh that is
// too large for the format; Error(io_failure).
KARST_API void write_mesh(const std::string &path, const Artifact &artifact, std::string_view layer,
                          const MeshFileOptions &options = {});

// Writes one document as it is.
KARST_API void write_document(const std::string &path, const Artifact &artifact,
                              std::string_view document);

// The faces of an .obj file of at most 1 GiB as one mesh; a polygon of n corners becomes the fan of
// n - 2 triangles at its first corner. Normals and UVs are kept if every face has them. Throws
// Error(invalid_input) "FILE:LINE: ..." for whatever is no OBJ text, an index that no vertex has, a
// number that is not finite and a file without faces; Error(io_failure), Error(out_of_memory).
KARST_API Mesh read_obj(const std::string &path, const MeshFileOptions &options = {});

} // namespace karst
