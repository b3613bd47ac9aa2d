// Wavefront OBJ: text, an object a part. Indices count from 1 through the whole file.
#include <algorithm>
#include <array>

#include "io/mesh_file.hpp"
#include "io/mesh_formats.hpp"

namespace karst::io {

namespace {

// Names end at a space, and at a line feed the next statement would begin.
std::string word(const std::string &name) {
    std::string result = name.empty() ? "part" : name;
    std::replace_if(
        result.begin(), result.end(),
        [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\\' || c == 0x7f; }, '_');
    return result;
}

template <std::size_t N>
void write_statement(ByteSink &sink, std::string_view keyword, const std::array<float, N> &values) {
    sink.text(keyword);
    for (const float value : values) {
        sink.text(" ");
        sink.number(value);
    }
    sink.text("\n");
}

// The indices of the part's first vertex.
struct Base {
    std::uint64_t position = 1;
    std::uint64_t uv = 1;
    std::uint64_t normal = 1;
};

void write_faces(ByteSink &sink, const Mesh &mesh, const Base &base) {
    for (std::size_t i = 0; i < mesh.indices.size(); ++i) {
        const std::uint64_t index = mesh.indices[i];
        sink.text(i % 3 == 0 ? "f " : " ");
        sink.number(base.position + index);
        if (!mesh.uvs.empty() || !mesh.normals.empty()) {
            sink.text("/");
        }
        if (!mesh.uvs.empty()) {
            sink.number(base.uv + index);
        }
        if (!mesh.normals.empty()) {
            sink.text("/");
            sink.number(base.normal + index);
        }
        sink.text(i % 3 == 2 ? "\n" : "");
    }
}

} // namespace

void write_obj(OutputFile &file, const Artifact &artifact, const MeshLayer &layer,
               const MeshFileOptions &options) {
    for (const auto &part : layer.parts) {
        require_at_most(file.path(), part.mesh.positions.size(), "vertices in a part",
                        kMostVertices);
    }
    ByteSink sink(file);
    sink.text("# " + origin_of(artifact, options) + "\n");
    Base base;
    for (const auto &part : layer.parts) {
        const Mesh &mesh = part.mesh;
        sink.text("o " + word(part.name) + "\n");
        for (const auto &position : mesh.positions) {
            write_statement(sink, "v", placed(part, position, options));
        }
        for (const auto &uv : mesh.uvs) { // OBJ has v upwards
            write_statement(sink, "vt", Vec2{uv[0], 1.0f - uv[1]});
        }
        for (const auto &normal : mesh.normals) {
            write_statement(sink, "vn", turned(normal, options));
        }
        write_faces(sink, mesh, base);
        base.position += mesh.positions.size();
        base.uv += mesh.uvs.size();
        base.normal += mesh.normals.size();
    }
    sink.flush();
}

} // namespace karst::io
