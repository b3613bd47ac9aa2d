// Files of meshes and of volumes, read back by readers of the test's own.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>
#include <karst/io.hpp>

#include "io/exporters.hpp"
#include "io/glb.hpp"
#include "io/mesh_file.hpp"
#include "io/mesh_formats.hpp"
#include "temporary_folder.hpp"
#include "tests/support/meshes.hpp"

using namespace karst;
using namespace test_meshes;
using nlohmann::json;

namespace {

template <class F>
ErrorCode code_of(F &&f, std::string *message = nullptr) {
    try {
        f();
    } catch (const Error &error) {
        if (message != nullptr) {
            *message = error.what();
        }
        return error.code();
    }
    FAIL("nothing was thrown");
    return ErrorCode::cancelled;
}

std::string content(const std::string &path) {
    return io::read_file(path, std::size_t{1} << 30);
}

template <class T>
T value_at(std::string_view bytes, std::size_t offset) {
    REQUIRE(offset + sizeof(T) <= bytes.size());
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

// The two chunks of a GLB, its framing checked.
struct Glb {
    json root;
    std::string_view binary;

    explicit Glb(std::string_view bytes) {
        REQUIRE(bytes.substr(0, 4) == "glTF");
        CHECK(value_at<std::uint32_t>(bytes, 4) == 2);
        CHECK(value_at<std::uint32_t>(bytes, 8) == bytes.size());
        const auto length = value_at<std::uint32_t>(bytes, 12);
        CHECK(bytes.substr(16, 4) == "JSON");
        CHECK(length % 4 == 0);
        root = json::parse(bytes.substr(20, length));
        if (20 + length < bytes.size()) {
            const auto rest = value_at<std::uint32_t>(bytes, 20 + length);
            CHECK(bytes.substr(24 + length, 4) == std::string_view("BIN\0", 4));
            CHECK(rest % 4 == 0);
            CHECK(28 + length + rest == bytes.size());
            binary = bytes.substr(28 + length);
        }
    }

    // The values of an accessor, `width` numbers of type T an element.
    template <class T>
    std::vector<T> values(const json &index, std::size_t width) const {
        const json &accessor = root["accessors"][index.get<std::size_t>()];
        const json &view = root["bufferViews"][accessor["bufferView"].get<std::size_t>()];
        const std::size_t count = accessor["count"].get<std::size_t>() * width;
        CHECK(view["byteLength"] == count * sizeof(T));
        CHECK(view["byteOffset"].get<std::size_t>() % 4 == 0);
        std::vector<T> values;
        for (std::size_t i = 0; i < count; ++i) {
            values.push_back(
                value_at<T>(binary, view["byteOffset"].get<std::size_t>() + i * sizeof(T)));
        }
        return values;
    }
};

template <std::size_t N>
std::vector<float> flat(const std::vector<std::array<float, N>> &values) {
    std::vector<float> list;
    for (const auto &value : values) {
        list.insert(list.end(), value.begin(), value.end());
    }
    return list;
}

void check_part(const Glb &glb, const json &node, const MeshPart &part) {
    CHECK(node["name"] == part.name);
    CHECK(node["translation"] == json(part.pivot));
    const json &mesh = glb.root["meshes"][node["mesh"].get<std::size_t>()];
    const json &primitive = mesh["primitives"][0];
    const json &attributes = primitive["attributes"];
    CHECK(glb.values<float>(attributes["POSITION"], 3) == flat(part.mesh.positions));
    CHECK(attributes.contains("NORMAL") == !part.mesh.normals.empty());
    if (!part.mesh.normals.empty()) {
        CHECK(glb.values<float>(attributes["NORMAL"], 3) == flat(part.mesh.normals));
        CHECK(glb.values<float>(attributes["TANGENT"], 4) == flat(part.mesh.tangents));
        CHECK(glb.values<float>(attributes["TEXCOORD_0"], 2) == flat(part.mesh.uvs));
    }
    const json &indices = glb.root["accessors"][primitive["indices"].get<std::size_t>()];
    if (part.mesh.positions.size() <= 65535) {
        CHECK(indices["componentType"] == 5123);
        const auto read = glb.values<std::uint16_t>(primitive["indices"], 1);
        CHECK(std::equal(read.begin(), read.end(), part.mesh.indices.begin(),
                         part.mesh.indices.end()));
    } else {
        CHECK(indices["componentType"] == 5125);
        CHECK(glb.values<std::uint32_t>(primitive["indices"], 1) == part.mesh.indices);
    }
    // The bounds are those of the floats, to the last bit.
    const json &position = glb.root["accessors"][attributes["POSITION"].get<std::size_t>()];
    for (std::size_t i = 0; i < 3; ++i) {
        float least = part.mesh.positions[0][i];
        float most = least;
        for (const auto &p : part.mesh.positions) {
            least = std::min(least, p[i]);
            most = std::max(most, p[i]);
        }
        CHECK(position["min"][i].get<double>() == static_cast<double>(least));
        CHECK(position["max"][i].get<double>() == static_cast<double>(most));
    }
}

MeshLayer wide_strip(std::uint32_t vertices) {
    Mesh mesh;
    for (std::uint32_t i = 0; i < vertices; ++i) {
        mesh.positions.push_back({static_cast<float>(i) / 3, static_cast<float>(i % 2), 0.1f});
    }
    mesh.indices = {0, 1, 2, vertices - 3, vertices - 2, vertices - 1, 0, 2, 3};
    return {"strip", {{"strip", mesh, {}}}, {}};
}

} // namespace

TEST_CASE("mesh files: GLB holds every number, exact bounds and sockets") {
    const TemporaryFolder folder;
    for (const MeshLayer &layer :
         {one_ball(5, 7), many_parts(13), wide_strip(65535), wide_strip(65536)}) {
        const std::string path = folder.file("a.glb");
        write_mesh(path, artifact_of(layer), layer.name);
        const std::string bytes = content(path);
        const Glb glb(bytes);
        const json &nodes = glb.root["nodes"];
        REQUIRE(nodes.size() == layer.parts.size() + layer.sockets.size());
        CHECK(glb.root["scenes"][0]["nodes"].size() == nodes.size());
        for (std::size_t i = 0; i < layer.parts.size(); ++i) {
            check_part(glb, nodes[i], layer.parts[i]);
        }
        for (std::size_t i = 0; i < layer.sockets.size(); ++i) {
            const json &node = nodes[layer.parts.size() + i];
            CHECK(node["name"] == layer.sockets[i].name);
            CHECK(node["translation"] == json(layer.sockets[i].position));
            // The rotation turns (0, 0, 1) to (2 y w, 0, 1 - 2 y y).
            const double y = node["rotation"][1];
            const double w = node["rotation"][3];
            CHECK(y * y + w * w == doctest::Approx(1).epsilon(1e-12));
            CHECK(2 * y * w ==
                  doctest::Approx(static_cast<double>(layer.sockets[i].forward[0])).epsilon(1e-6));
            CHECK(1 - 2 * y * y ==
                  doctest::Approx(static_cast<double>(layer.sockets[i].forward[2])).epsilon(1e-6));
        }
        CHECK(glb.root["asset"]["extras"]["seed"] == "0xfedcba9876543210");
        CHECK(glb.root["asset"]["extras"]["generator"] == "sample");
        CHECK(glb.root["asset"]["extras"]["algorithm_version"] == KARST_ALGORITHM_VERSION);
        CHECK(glb.root["buffers"][0]["byteLength"] == glb.binary.size());
    }
}

TEST_CASE("mesh files: a GLB of nothing, and of a part without triangles") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.glb");
    write_mesh(path, artifact_of({"none", {}, {}}), "none");
    CHECK(!Glb(content(path)).root.contains("nodes"));
    write_mesh(path, artifact_of({"none", {{"empty", {}, {}}}, {}}), "none");
    const std::string bytes = content(path);
    const Glb glb(bytes);
    CHECK(glb.root["nodes"].size() == 1);
    CHECK(!glb.root.contains("buffers"));
    CHECK(glb.binary.empty());
}

TEST_CASE("mesh files: limits are known before anything is written") {
    std::string message;
    const auto refused = [&message](const io::GlbPart &part, std::size_t parts) {
        const std::vector<io::GlbPart> all(parts, part);
        return code_of([&all] { io::glb_bytes("big.glb", all, 1000); }, &message);
    };
    // 100 million vertices take 1.2 GB, as many triangles as much again.
    CHECK(io::glb_bytes("a.glb", std::vector<io::GlbPart>{{100000000, 100000000}}, 0) ==
          28 + 2400000000u);
    CHECK(refused({100000000, 100000000}, 2) == ErrorCode::unsupported);
    CHECK(message == "cannot write 'big.glb': it has 4800001028 bytes; allowed are at most "
                     "4294967295");
    CHECK(refused({0xffffffff, 1}, 1) == ErrorCode::unsupported);
    CHECK(message.find("4294967295 vertices in a part") != std::string::npos);
    // To the byte: 12 + 8 + 8 + 4 * 1073741816 are 2^32 - 4.
    const std::vector<io::GlbPart> triangle{{3, 1}}; // 36 + 8 bytes
    CHECK(io::glb_bytes("a.glb", triangle, 4294967292u - 28 - 44) == 4294967292u);
    CHECK(code_of([&triangle] { io::glb_bytes("a.glb", triangle, 4294967292u - 24 - 44); }) ==
          ErrorCode::unsupported);
    CHECK(code_of([] { io::require_at_most("a.stl", 5, "triangles", 4); }) ==
          ErrorCode::unsupported);
}

TEST_CASE("mesh files: OBJ gives the same mesh back") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.obj");
    const MeshLayer layer = one_ball(9, 12);
    const Mesh &mesh = layer.parts[0].mesh;
    for (const MeshFileOptions options :
         {MeshFileOptions{}, MeshFileOptions{LengthUnit::metres, UpAxis::z},
          MeshFileOptions{LengthUnit::centimetres, UpAxis::y}}) {
        write_mesh(path, artifact_of(layer), "surface", options);
        const Mesh read = read_obj(path, options);
        REQUIRE(read.triangles() == mesh.triangles());
        for (std::size_t i = 0; i < mesh.indices.size(); ++i) {
            const std::uint32_t a = mesh.indices[i];
            const std::uint32_t b = read.indices[i];
            for (std::size_t k = 0; k < 3; ++k) {
                const float placed = mesh.positions[a][k] + layer.parts[0].pivot[k];
                if (options.units == LengthUnit::metres) {
                    CHECK(read.positions[b][k] == placed);
                } else { // by way of hundredths
                    CHECK(std::abs(read.positions[b][k] - placed) <= 4e-6f);
                }
                CHECK(read.normals[b][k] == mesh.normals[a][k]);
            }
            CHECK(read.uvs[b] == mesh.uvs[a]);
        }
    }
    std::istringstream text(content(path));
    std::string line;
    int vertices = 0;
    while (std::getline(text, line)) {
        vertices += line.starts_with("v ") ? 1 : 0;
    }
    CHECK(vertices == 10 * 13);
}

TEST_CASE("mesh files: OBJ counts its indices through all parts") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.obj");
    MeshLayer layer{"boxes", {}, {}};
    layer.parts.push_back({"one\nf 1 1 1", box({0, 0, 0}, {1, 1, 1}), {}});
    layer.parts.push_back({"", ball(3, 4, 1), {0.1f, 0, 5}});
    layer.parts.push_back({"three", box({0, 0, 0}, {0.1f, 1e-7f, 1e9f}), {}});
    write_mesh(path, artifact_of(layer), "boxes");
    const std::string text = content(path);
    CHECK(text.find("\no one_f_1_1_1\n") != std::string::npos);
    CHECK(text.find("\no part\n") != std::string::npos);
    CHECK(text.find("\nf 9/1/1 15/7/7 14/6/6\n") != std::string::npos);
    CHECK(text.find("\nv 0.1 1e-07 1e+09\n") != std::string::npos);
    CHECK(text.find("\nf 29 31 32\n") != std::string::npos);
    const Mesh read = read_obj(path);
    CHECK(read.triangles() == 12 + 16 + 12);
    CHECK(read.normals.empty()); // the boxes have none
    CHECK(read.positions[read.indices.back()] == layer.parts[2].mesh.positions[5]);
}

TEST_CASE("mesh files: STL facets and normals, PLY lists") {
    const TemporaryFolder folder;
    MeshLayer layer = many_parts(4);
    // A triangle without area.
    layer.parts.push_back(
        {"line", Mesh{{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, {}, {}, {}, {0, 1, 2}}, {}});
    write_mesh(folder.file("a.stl"), artifact_of(layer), "chunks");
    const std::string stl = content(folder.file("a.stl"));
    const std::size_t triangles = 12 + 80 + 12 + 80 + 1;
    REQUIRE(stl.size() == 84 + 50 * triangles);
    CHECK(!stl.starts_with("solid"));
    CHECK(value_at<std::uint32_t>(stl, 80) == triangles);
    CHECK(value_at<Vec3>(stl, 84) == Vec3{0, 0, -1});
    CHECK(value_at<Vec3>(stl, 84 + 12 + 12) == Vec3{0, 2.5f, 0});
    CHECK(value_at<Vec3>(stl, 84 + 50 * (12 + 80) + 12) == Vec3{8, 0.5f, 0});
    CHECK(value_at<Vec3>(stl, stl.size() - 50) == Vec3{0, 0, 0});

    layer.parts.pop_back();
    write_mesh(folder.file("a.ply"), artifact_of(layer), "chunks",
               {LengthUnit::centimetres, UpAxis::z});
    const std::string ply = content(folder.file("a.ply"));
    const std::size_t vertices = 8 + 63 + 8 + 63;
    CHECK(ply.find("\nelement vertex 142\nproperty float x\nproperty float y\nproperty float z\n"
                   "element face 184\nproperty list uchar uint vertex_indices\nend_header\n") !=
          std::string::npos);
    const std::size_t start = ply.find("end_header\n") + 11;
    REQUIRE(ply.size() == start + 12 * vertices + 13 * (triangles - 1));
    CHECK(value_at<Vec3>(ply, start + 12 * 7) == Vec3{100, -300, 250});
    const std::size_t faces = start + 12 * vertices;
    CHECK(value_at<std::uint8_t>(ply, faces) == 3);
    CHECK(value_at<std::uint32_t>(ply, faces + 1 + 4) == 2);
    CHECK(value_at<std::uint32_t>(ply, faces + 13 * (12 + 80) + 1 + 4) == 8 + 63 + 2);

    write_mesh(folder.file("b.ply"), artifact_of(one_ball(4, 4)), "surface");
    const std::string all = content(folder.file("b.ply"));
    CHECK(all.find("nz\nproperty float s\nproperty float t\n") != std::string::npos);
    CHECK(all.size() == all.find("end_header\n") + 11 + 25 * 32 + 24 * 13);
}

TEST_CASE("mesh files: what cannot be written is refused and leaves nothing") {
    const TemporaryFolder folder;
    std::string message;
    MeshLayer layer{"bad", {{"part", box({0, 0, 0}, {1, 1, 1}), {}}}, {}};
    const auto refused = [&](const char *name, const MeshFileOptions &options = {}) {
        const ErrorCode code = code_of(
            [&] { write_mesh(folder.file(name), artifact_of(layer), "bad", options); }, &message);
        CHECK(folder.entries() == 0);
        return code;
    };
    CHECK(refused("a.glb", {LengthUnit::centimetres, UpAxis::y}) == ErrorCode::unsupported);
    CHECK(message.find("with units cm and up y: .glb is always in m with y up") !=
          std::string::npos);
    CHECK(refused("a.png") == ErrorCode::invalid_argument);
    CHECK(message.find("is one of .glb, .obj, .ply, .stl") != std::string::npos);
    Mesh &mesh = layer.parts[0].mesh;
    for (const char *name : {"a.glb", "a.obj", "a.ply", "a.stl"}) {
        mesh.indices[7] = 8;
        CHECK(refused(name) == ErrorCode::invalid_argument);
        CHECK(message == "mesh 'bad', part 'part': index 8; allowed are those of 8 vertices");
        mesh.indices[7] = 0;
        mesh.positions[3][1] = std::numeric_limits<float>::quiet_NaN();
        CHECK(refused(name) == ErrorCode::invalid_argument);
        mesh.positions[3][1] = 1;
        mesh.normals.resize(7);
        CHECK(refused(name) == ErrorCode::invalid_argument);
        CHECK(message.find("7 normals; allowed are 8") != std::string::npos);
        mesh.normals.clear();
        mesh.indices.pop_back();
        CHECK(refused(name) == ErrorCode::invalid_argument);
        mesh.indices.push_back(5);
    }
    // A cancel in the middle leaves nothing either.
    std::atomic<bool> cancel = true;
    CHECK(code_of([&] {
              io::OutputFile file(folder.file("a.obj"), &cancel);
              const Artifact artifact = artifact_of(layer);
              io::write_mesh(file, io::find_mesh_format("a.obj"), artifact, artifact.meshes[0], {});
          }) == ErrorCode::cancelled);
    CHECK(folder.entries() == 0);
}

TEST_CASE("mesh files: .vox of one model and of several") {
    const TemporaryFolder folder;
    Artifact artifact;
    Field3D<std::uint8_t> cells({300, 3, 2});
    cells.at(0, 0, 0) = 255;
    cells.at(1, 2, 1) = 7;
    cells.at(299, 1, 0) = 9;
    artifact.layers.push_back({"cells", LayerMeaning::mask, "", 1, 0, cells});
    write_layer(folder.file("a.vox"), artifact, "cells");
    const std::string vox = content(folder.file("a.vox"));
    CHECK(vox.substr(0, 4) == "VOX ");
    CHECK(value_at<std::int32_t>(vox, 4) == 150);
    CHECK(vox.substr(8, 4) == "MAIN");
    CHECK(value_at<std::int32_t>(vox, 16) + 20 == static_cast<std::int32_t>(vox.size()));
    using Voxel = std::array<std::uint8_t, 4>;
    std::vector<std::array<std::int32_t, 3>> sizes;
    std::vector<std::vector<Voxel>> models;
    std::vector<std::string> names;
    for (std::size_t at = 20; at < vox.size();) {
        const std::string name = vox.substr(at, 4);
        const auto size = static_cast<std::size_t>(value_at<std::int32_t>(vox, at + 4));
        names.push_back(name);
        if (name == "SIZE") {
            sizes.push_back(value_at<std::array<std::int32_t, 3>>(vox, at + 12));
        } else if (name == "XYZI") {
            models.emplace_back();
            const auto count = value_at<std::uint32_t>(vox, at + 12);
            CHECK(size == 4 + 4 * count);
            for (std::uint32_t i = 0; i < count; ++i) {
                models.back().push_back(value_at<Voxel>(vox, at + 16 + 4 * i));
            }
        } else if (name == "RGBA") {
            CHECK(value_at<Voxel>(vox, at + 12 + 4 * 6) == Voxel{7, 7, 7, 255});
        }
        at += 12 + size;
    }
    CHECK(names == std::vector<std::string>{"SIZE", "XYZI", "SIZE", "XYZI", "nTRN", "nGRP", "nTRN",
                                            "nSHP", "nTRN", "nSHP", "RGBA"});
    REQUIRE(sizes.size() == 2);
    CHECK(sizes[0] == std::array{256, 3, 2});
    CHECK(sizes[1] == std::array{44, 3, 2});
    CHECK(models[0] == std::vector<Voxel>{{0, 2, 0, 255}, {1, 0, 1, 7}}); // y to the north
    CHECK(models[1] == std::vector<Voxel>{{43, 1, 0, 9}});
    CHECK(vox.find("-22 0 1") != std::string::npos); // 256 / 2 - 300 / 2
    CHECK(vox.find("128 0 1") != std::string::npos); // 256 + 44 / 2 - 300 / 2

    artifact.layers[0].data = Field3D<std::uint8_t>({2, 2, 2});
    write_layer(folder.file("b.vox"), artifact, "cells");
    CHECK(content(folder.file("b.vox")).size() == 20 + 24 + 16 + 12 + 1024);
    artifact.layers[0].data = Field3D<std::uint16_t>({2, 2, 2});
    std::string message;
    CHECK(code_of([&] { write_layer(folder.file("c.vox"), artifact, "cells"); }, &message) ==
          ErrorCode::unsupported);
    CHECK(message.find(".vox holds 8-bit volumes, and layer 'cells' is a volume of 16 bits") !=
          std::string::npos);
}

TEST_CASE("mesh files: a document as it is") {
    const TemporaryFolder folder;
    Artifact artifact;
    artifact.documents.push_back({"graph", "{\"rooms\": []}\n"});
    write_document(folder.file("a.graph.json"), artifact, "graph");
    CHECK(content(folder.file("a.graph.json")) == "{\"rooms\": []}\n");
}
