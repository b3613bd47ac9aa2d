// The formats of meshes, one row each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <karst/artifact.hpp>
#include <karst/io.hpp>

#include "io/file.hpp"

namespace karst::io {

struct MeshFormat {
    std::string_view extension; // ".glb"
    std::string_view help;
    bool says_axes; // the format itself fixes unit and axes
    // Writes a checked layer, does not commit. Throws Error(unsupported) for one that is too large,
    // before it writes; Error(io_failure), Error(cancelled).
    void (*write)(OutputFile &file, const Artifact &artifact, const MeshLayer &layer,
                  const MeshFileOptions &options);
};

std::span<const MeshFormat> mesh_formats();

// By the extension of `path`, upper or lower case. Throws Error(invalid_argument) that lists the
// extensions there are.
const MeshFormat &find_mesh_format(std::string_view path);

// Throws Error(unsupported) if the format of `path` says its axes and the options ask for others.
void check_mesh_options(const std::string &path, const MeshFormat &format,
                        const MeshFileOptions &options);

// format.write after a check of the options and of the layer (write_mesh of karst/io.hpp).
void write_mesh(OutputFile &file, const MeshFormat &format, const Artifact &artifact,
                const MeshLayer &layer, const MeshFileOptions &options);

// One a file.
void write_glb(OutputFile &file, const Artifact &artifact, const MeshLayer &layer,
               const MeshFileOptions &options);
void write_obj(OutputFile &file, const Artifact &artifact, const MeshLayer &layer,
               const MeshFileOptions &options);
void write_ply(OutputFile &file, const Artifact &artifact, const MeshLayer &layer,
               const MeshFileOptions &options);
void write_stl(OutputFile &file, const Artifact &artifact, const MeshLayer &layer,
               const MeshFileOptions &options);

const char *units_name(LengthUnit units); // "m", "cm"
const char *up_name(UpAxis up);           // "y", "z"

} // namespace karst::io
