// Writes layers, meshes and documents to files, and reads meshes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <karst/artifact.hpp>

namespace karst {

// Writes one layer in the format of the extension of `path` (.png, .npy, .r16, .exr, .r32, .raw,
// .vox). The file appears whole or not at all; an older one is replaced. Throws
// Error(invalid_argument) for an unknown extension or layer, Error(unsupported) if the format
// cannot hold the layer, Error(io_failure).
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

struct HeightExport {
    std::string profile = "generic"; // unreal, unity, godot, blender, generic
    std::optional<Extent2> tiles{};  // columns and rows; nothing: as few as the profile allows
    // A number for each sample; not 0: the ground is open there. Null: nowhere.
    const Field2D<std::uint8_t> *holes = nullptr;
};

// Writes the layer "elevation" of a heightmap, else "height", as an engine wants it: one file or
// tiles with one range for all, and `path`.import.json with the numbers to type into the engine.
// `holes` become NaN in .exr, and a file beside each of heights: for Unreal Visibility_NAME.png
// (255: hole), for Unity Holes_NAME.png (one number a quad, 0: hole, from the north), for Godot
// Control_NAME.exr (Terrain3D); Blender has none. All files appear or none; gives their paths.
// Throws Error(invalid_argument) for a profile, a size, a count of tiles, a name or a mask that
// does not fit, and says what does; Error(unsupported) for holes where profile and format have
// none; Error(io_failure).
KARST_API std::vector<std::string> write_heights(const std::string &path, const Artifact &artifact,
                                                 const HeightExport &options = {});

// Writes 8-bit layers as weights of textures that sum to 255 at every sample: NAME_LAYER.png for
// each, `path` being NAME.png. Gives the paths. Throws Error(invalid_argument) for a layer that is
// not there or not 8 bits, layers of different extents, and another extension; Error(io_failure).
KARST_API std::vector<std::string> write_weights(const std::string &path, const Artifact &artifact,
                                                 std::span<const std::string> layers);

// The faces of an .obj file of at most 1 GiB as one mesh; a polygon of n corners becomes the fan of
// n - 2 triangles at its first corner. Normals and UVs are kept if every face has them. Throws
// Error(invalid_input) "FILE:LINE: ..." for whatever is no OBJ text, an index that no vertex has, a
// number that is not finite and a file without faces; Error(io_failure), Error(out_of_memory).
KARST_API Mesh read_obj(const std::string &path, const MeshFileOptions &options = {});

} // namespace karst
