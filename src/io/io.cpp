#include <karst/io.hpp>

#include "io/exporters.hpp"
#include "io/mesh_formats.hpp"

namespace karst {

void write_layer(const std::string &path, const Artifact &artifact, std::string_view layer) {
    const io::Format &format = io::find_format(path);
    io::OutputFile file(path);
    io::write_layer(file, format, artifact, artifact.layer(layer));
    file.commit();
}

void write_mesh(const std::string &path, const Artifact &artifact, std::string_view layer,
                const MeshFileOptions &options) {
    const io::MeshFormat &format = io::find_mesh_format(path);
    const MeshLayer &mesh = artifact.mesh(layer);
    io::OutputFile file(path);
    io::write_mesh(file, format, artifact, mesh, options);
    file.commit();
}

void write_document(const std::string &path, const Artifact &artifact, std::string_view document) {
    const Document &found = artifact.document(document);
    io::OutputFile file(path);
    file.write(found.text);
    file.commit();
}

} // namespace karst
