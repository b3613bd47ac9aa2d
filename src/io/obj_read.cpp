#include <karst/io.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <new>
#include <vector>

// A name of our own: a program that links karst statically may bring tinyobjloader too.
#define tinyobj karst_tinyobj
#define TINYOBJLOADER_IMPLEMENTATION
#include <tiny_obj_loader.h>
#undef tinyobj

#include <karst/error.hpp>

#include "io/file.hpp"
#include "io/obj_text.hpp"

namespace karst::io {

namespace {

using Corner = karst_tinyobj::index_t;

// The faces as tinyobjloader reads them, which must be what check_obj counted.
struct Faces {
    karst_tinyobj::ObjReader reader;
    std::vector<Corner> corners;
    std::vector<unsigned char> sizes;
};

void require(bool condition, const std::string &path) {
    if (!condition) {
        throw Error(ErrorCode::invalid_input, path + ": it reads differently the second time");
    }
}

void parse(const ObjText &checked, const std::string &path, Faces &faces) {
    karst_tinyobj::ObjReaderConfig config;
    config.triangulate = false;
    config.vertex_color = false;
    if (!faces.reader.ParseFromString(checked.text, "", config)) {
        throw Error(ErrorCode::invalid_input, path + ": " + faces.reader.Error());
    }
    for (const auto &shape : faces.reader.GetShapes()) {
        const auto &mesh = shape.mesh;
        faces.corners.insert(faces.corners.end(), mesh.indices.begin(), mesh.indices.end());
        faces.sizes.insert(faces.sizes.end(), mesh.num_face_vertices.begin(),
                           mesh.num_face_vertices.end());
    }
    const auto &attributes = faces.reader.GetAttrib();
    require(attributes.vertices.size() == 3 * checked.vertices &&
                attributes.normals.size() == 3 * checked.normals &&
                attributes.texcoords.size() == 2 * checked.uvs &&
                faces.corners.size() == checked.corners && faces.sizes.size() == checked.faces,
            path);
}

// Vertices of a mesh from OBJ's separate streams: one for each combination of indices, in the order
// in which they appear.
class Builder {
public:
    Builder(const karst_tinyobj::attrib_t &attributes, const ObjText &checked,
            const MeshFileOptions &options, const std::string &path)
        : attributes_(attributes), uvs_(checked.all_uvs), normals_(checked.all_normals),
          options_(options), path_(path), first_(checked.vertices, kNone) {}

    std::uint32_t vertex(const Corner &corner) {
        const Key key{corner.vertex_index, uvs_ ? corner.texcoord_index : 0,
                      normals_ ? corner.normal_index : 0};
        require(key[0] >= 0 && static_cast<std::size_t>(key[0]) < first_.size(), path_);
        for (std::uint32_t i = first_[static_cast<std::size_t>(key[0])]; i != kNone; i = next_[i]) {
            if (keys_[i] == key) {
                return i;
            }
        }
        return add(key);
    }

    Mesh mesh;

private:
    using Key = std::array<int, 3>;
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    template <std::size_t N>
    std::array<float, N> element(const std::vector<float> &values, int index) const {
        std::array<float, N> result;
        for (std::size_t i = 0; i < N; ++i) {
            const std::size_t at = static_cast<std::size_t>(index) * N + i;
            require(index >= 0 && at < values.size() && std::isfinite(values[at]), path_);
            result[i] = values[at];
        }
        return result;
    }

    // From the file's axes to glTF's.
    Vec3 turned(const Vec3 &v) const {
        return options_.up == UpAxis::y ? v : Vec3{v[0], v[2], 0.0f - v[1]};
    }

    std::uint32_t add(const Key &key) {
        Vec3 position = turned(element<3>(attributes_.vertices, key[0]));
        if (options_.units == LengthUnit::centimetres) {
            for (float &v : position) {
                v = static_cast<float>(static_cast<double>(v) / 100);
            }
        }
        mesh.positions.push_back(position);
        if (uvs_) {
            const Vec2 uv = element<2>(attributes_.texcoords, key[1]);
            mesh.uvs.push_back({uv[0], 1.0f - uv[1]});
        }
        if (normals_) {
            mesh.normals.push_back(turned(element<3>(attributes_.normals, key[2])));
        }
        const auto index = static_cast<std::uint32_t>(keys_.size());
        keys_.push_back(key);
        std::uint32_t &first = first_[static_cast<std::size_t>(key[0])];
        next_.push_back(first);
        first = index;
        return index;
    }

    const karst_tinyobj::attrib_t &attributes_;
    bool uvs_;
    bool normals_;
    MeshFileOptions options_;
    const std::string &path_;
    std::vector<std::uint32_t> first_; // a vertex of the mesh at each position of the file,
    std::vector<std::uint32_t> next_;  // and the next one there
    std::vector<Key> keys_;
};

Mesh read(std::string_view text, const std::string &path, const MeshFileOptions &options) {
    const ObjText checked = check_obj(text, path);
    Faces faces;
    parse(checked, path, faces);
    Builder builder(faces.reader.GetAttrib(), checked, options, path);
    const Corner *corner = faces.corners.data();
    for (const unsigned char size : faces.sizes) {
        const std::uint32_t first = builder.vertex(corner[0]);
        std::uint32_t previous = builder.vertex(corner[1]);
        for (int k = 2; k < size; ++k) {
            const std::uint32_t next = builder.vertex(corner[k]);
            builder.mesh.indices.insert(builder.mesh.indices.end(), {first, previous, next});
            previous = next;
        }
        corner += size;
    }
    return std::move(builder.mesh);
}

} // namespace

Mesh parse_obj(std::string_view text, const std::string &name, const MeshFileOptions &options) {
    try {
        return read(text, name, options);
    } catch (const std::bad_alloc &) {
        throw Error(ErrorCode::out_of_memory, "'" + name + "' does not fit in memory");
    }
}

} // namespace karst::io

namespace karst {

Mesh read_obj(const std::string &path, const MeshFileOptions &options) {
    try {
        return io::parse_obj(io::read_file(path, io::kLargestObj), path, options);
    } catch (const std::bad_alloc &) {
        throw Error(ErrorCode::out_of_memory, "'" + path + "' does not fit in memory");
    }
}

} // namespace karst
