// Binary glTF 2.0 (Khronos specification, chapters 3.6, 3.7 and 4.4): a header of 12 bytes, a chunk
// of JSON and a chunk of arrays, both padded to multiples of 4.
#include "io/glb.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <nlohmann/json.hpp>

#include <karst/seed.hpp>

#include "io/mesh_file.hpp"
#include "io/mesh_formats.hpp"

namespace karst::io {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kFloat = 5126; // names of OpenGL, which glTF uses
constexpr int kUnsignedShort = 5123;
constexpr int kUnsignedInt = 5125;
constexpr int kArrayBuffer = 34962;
constexpr int kElementArrayBuffer = 34963;

std::uint64_t padded(std::uint64_t bytes) {
    return (bytes + 3) / 4 * 4;
}

GlbPart counts_of(const Mesh &mesh) {
    return {mesh.positions.size(), mesh.triangles(), !mesh.normals.empty(), !mesh.uvs.empty(),
            !mesh.tangents.empty()};
}

// Rotation about Y that turns +Z, the front of a glTF node, to `forward`. By half angles from
// square roots, from whichever of the two is not small.
std::array<double, 4> rotation_to(const Vec3 &forward) {
    const double x = static_cast<double>(forward[0]);
    const double z = static_cast<double>(forward[2]);
    const double length = std::sqrt(x * x + z * z);
    if (!(length > 0) || !std::isfinite(length)) {
        return {0, 0, 0, 1};
    }
    const double sine = x / length;
    const double cosine = z / length;
    if (cosine >= 0) {
        const double w = std::sqrt((1 + cosine) / 2);
        return {0, sine / (2 * w), 0, w};
    }
    const double y = std::copysign(std::sqrt((1 - cosine) / 2), sine);
    return {0, y, 0, sine / (2 * y)};
}

// The JSON of the file, built part by part with the places of the arrays.
class Scene {
public:
    void add_part(const MeshPart &part) {
        Json node{{"name", part.name}};
        if (part.mesh.triangles() > 0) {
            node["mesh"] = meshes_.size();
            meshes_.push_back(
                {{"name", part.name}, {"primitives", Json::array({primitive_of(part.mesh)})}});
        }
        node["translation"] = part.pivot;
        nodes_.push_back(node);
    }

    void add_socket(const Socket &socket) {
        nodes_.push_back({{"name", socket.name},
                          {"translation", socket.position},
                          {"rotation", rotation_to(socket.forward)}});
    }

    std::string text(const Artifact &artifact, const MeshLayer &layer) const {
        Json extras{{"generator", artifact.generator}};
        extras["seed"] = artifact.seed ? Json(seed_to_string(*artifact.seed)) : Json();
        extras["algorithm_version"] = KARST_ALGORITHM_VERSION;
        extras["program"] = KARST_VERSION;
        extras["layer"] = layer.name;
        if (!artifact.recipe.empty()) {
            extras["recipe"] = artifact.recipe;
        }
        Json root{{"asset", {{"version", "2.0"}, {"generator", "karst"}, {"extras", extras}}}};
        Json scene{{"name", layer.name}};
        root["scene"] = 0;
        if (!nodes_.empty()) { // no array of glTF may be empty
            Json list = Json::array();
            for (std::size_t i = 0; i < nodes_.size(); ++i) {
                list.push_back(i);
            }
            scene["nodes"] = list;
            root["nodes"] = nodes_;
        }
        root["scenes"] = Json::array({scene});
        if (!meshes_.empty()) {
            root["materials"] = Json::array(
                {{{"name", "default"},
                  {"pbrMetallicRoughness", {{"metallicFactor", 0}, {"roughnessFactor", 1}}}}});
            root["meshes"] = meshes_;
            root["accessors"] = accessors_;
            root["bufferViews"] = views_;
            root["buffers"] = Json::array({{{"byteLength", offset_}}});
        }
        std::string json = root.dump(-1, ' ', false, Json::error_handler_t::replace);
        json.resize(padded(json.size()), ' ');
        return json;
    }

private:
    // Appends an array to the binary chunk; the index of its accessor.
    std::size_t add_array(std::uint64_t count, const char *type, int component, std::uint64_t bytes,
                          int target) {
        views_.push_back(
            {{"buffer", 0}, {"byteOffset", offset_}, {"byteLength", bytes}, {"target", target}});
        accessors_.push_back({{"bufferView", views_.size() - 1},
                              {"componentType", component},
                              {"count", count},
                              {"type", type}});
        offset_ += padded(bytes);
        return accessors_.size() - 1;
    }

    template <std::size_t N>
    std::size_t add_attribute(const std::vector<std::array<float, N>> &values) {
        const std::string type = "VEC" + std::to_string(N);
        return add_array(values.size(), type.c_str(), kFloat, values.size() * N * sizeof(float),
                         kArrayBuffer);
    }

    Json primitive_of(const Mesh &mesh) {
        Json attributes;
        attributes["POSITION"] = add_attribute(mesh.positions);
        // Exact: a float is a double, and its shortest decimal text reads back as the same.
        Vec3 least = mesh.positions.front();
        Vec3 most = least;
        for (const auto &position : mesh.positions) {
            for (std::size_t i = 0; i < 3; ++i) {
                least[i] = std::min(least[i], position[i]);
                most[i] = std::max(most[i], position[i]);
            }
        }
        accessors_.back()["min"] = least;
        accessors_.back()["max"] = most;
        if (!mesh.normals.empty()) {
            attributes["NORMAL"] = add_attribute(mesh.normals);
        }
        if (!mesh.tangents.empty()) {
            attributes["TANGENT"] = add_attribute(mesh.tangents);
        }
        if (!mesh.uvs.empty()) {
            attributes["TEXCOORD_0"] = add_attribute(mesh.uvs);
        }
        const GlbPart counts = counts_of(mesh);
        Json primitive{{"attributes", attributes}};
        primitive["indices"] = add_array(mesh.indices.size(), "SCALAR",
                                         counts.short_indices() ? kUnsignedShort : kUnsignedInt,
                                         counts.index_bytes(), kElementArrayBuffer);
        primitive["material"] = 0;
        return primitive;
    }

    std::uint64_t offset_ = 0;
    Json nodes_ = Json::array();
    Json meshes_ = Json::array();
    Json accessors_ = Json::array();
    Json views_ = Json::array();
};

// The arrays in the order of Scene::primitive_of.
void write_arrays(ByteSink &sink, const Mesh &mesh) {
    sink.array(mesh.positions);
    sink.array(mesh.normals);
    sink.array(mesh.tangents);
    sink.array(mesh.uvs);
    const GlbPart counts = counts_of(mesh);
    if (!counts.short_indices()) {
        sink.array(mesh.indices);
        return;
    }
    for (const auto index : mesh.indices) {
        sink.value(static_cast<std::uint16_t>(index));
    }
    if (mesh.indices.size() % 2 != 0) {
        sink.value(std::uint16_t{0});
    }
}

} // namespace

std::uint64_t glb_bytes(const std::string &path, std::span<const GlbPart> parts,
                        std::uint64_t json_bytes) {
    std::uint64_t binary = 0;
    for (const auto &part : parts) {
        require_at_most(path, part.vertices, "vertices in a part", kMostVertices);
        binary += part.bytes();
    }
    const std::uint64_t bytes = 12 + 8 + json_bytes + (binary > 0 ? 8 + binary : 0);
    require_at_most(path, bytes, "bytes", std::numeric_limits<std::uint32_t>::max());
    return bytes;
}

void write_glb(OutputFile &file, const Artifact &artifact, const MeshLayer &layer,
               const MeshFileOptions &) {
    std::vector<GlbPart> parts;
    for (const auto &part : layer.parts) {
        parts.push_back(counts_of(part.mesh));
    }
    glb_bytes(file.path(), parts, 0); // before the bounds are looked for
    Scene scene;
    for (const auto &part : layer.parts) {
        scene.add_part(part);
    }
    for (const auto &socket : layer.sockets) {
        scene.add_socket(socket);
    }
    const std::string json = scene.text(artifact, layer);
    const std::uint64_t bytes = glb_bytes(file.path(), parts, json.size());
    const auto chunk = [](std::uint64_t size) { return static_cast<std::uint32_t>(size); };

    ByteSink sink(file);
    sink.text("glTF");
    sink.value(std::uint32_t{2});
    sink.value(chunk(bytes));
    sink.value(chunk(json.size()));
    sink.text("JSON");
    sink.text(json);
    const std::uint64_t rest = bytes - 20 - json.size();
    if (rest > 0) {
        sink.value(chunk(rest - 8));
        sink.text({"BIN\0", 4});
        for (const auto &part : layer.parts) {
            if (part.mesh.triangles() > 0) {
                write_arrays(sink, part.mesh);
            }
        }
    }
    sink.flush();
}

} // namespace karst::io
