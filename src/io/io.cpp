#include <karst/io.hpp>

#include "io/exporters.hpp"

namespace karst {

void write_layer(const std::string &path, const Artifact &artifact, std::string_view layer) {
    const io::Format &format = io::find_format(path);
    io::OutputFile file(path);
    io::write_layer(file, format, artifact, artifact.layer(layer));
    file.commit();
}

} // namespace karst
