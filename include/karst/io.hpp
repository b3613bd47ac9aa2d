// Writes layers to files.
#pragma once

#include <string>
#include <string_view>

#include <karst/artifact.hpp>

namespace karst {

// Writes one layer in the format of the extension of `path` (.png, .npy, .r16, .raw). The file
// appears whole or not at all; an older one is replaced. Throws Error(invalid_argument) for an
// unknown extension or layer, Error(unsupported) if the format cannot hold the layer,
// Error(io_failure).
KARST_API void write_layer(const std::string &path, const Artifact &artifact,
                           std::string_view layer);

} // namespace karst
