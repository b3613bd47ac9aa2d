// Triangle meshes. Axes are glTF's: metres, +Y up, right-handed; a cell's x goes along +X and its
// y, which grows to the south, along +Z. Triangles are counter-clockwise seen from their front.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <karst/config.hpp>

namespace karst {

using Vec2 = std::array<float, 2>;
using Vec3 = std::array<float, 3>;
using Vec4 = std::array<float, 4>;

// Indexed triangles. Of the arrays of a vertex only `positions` must be there; the others are empty
// or as long.
struct Mesh {
    std::vector<Vec3> positions;        // metres
    std::vector<Vec3> normals;          // of length 1
    std::vector<Vec2> uvs;              // UV0, 1 = 1 m, v downwards as in glTF
    std::vector<Vec4> tangents;         // xyz of length 1, w = the bitangent's sign
    std::vector<std::uint32_t> indices; // three a triangle

    std::size_t triangles() const noexcept { return indices.size() / 3; }
};

// XXH3-64 of the digests of the arrays above, in that order, each XXH3-64 of its little-endian
// bytes.
KARST_API std::uint64_t digest(const Mesh &mesh);

// One object of a scene. Positions are relative to `pivot`, which is in metres too.
struct MeshPart {
    std::string name;
    Mesh mesh;
    Vec3 pivot{0, 0, 0};
};

// A place that an engine attaches things to: it looks along `forward`, a horizontal unit vector.
struct Socket {
    std::string name; // "SOCKET_entrance_0"
    Vec3 position{0, 0, 0};
    Vec3 forward{0, 0, 1};
};

// A layer of an artifact that is geometry: one part, a chain of levels of detail or chunks.
struct MeshLayer {
    std::string name;
    std::vector<MeshPart> parts;
    std::vector<Socket> sockets;
};

} // namespace karst
