// A map as a file holds it, with what its manifest or the texts in it say.
#pragma once

#include <cstdint>
#include <string>

#include <karst/artifact.hpp>

namespace karst::io {

struct SavedMap {
    std::string generator; // empty: nothing says
    std::string seed;      // as written; empty: nothing says
    double cell = 0;       // metres; 0: nothing says
    // Two dimensions. Numbers are those of the file, scale and offset too. A PNG with colours has
    // the meaning colour, whatever the numbers were; without manifest and texts, 16-bit numbers and
    // 8-bit ones other than 0 and 255 are amounts, and `name` is empty.
    Layer layer;
};

// The extensions that read_map takes: ".png, .npy, .r16, .raw".
std::string map_extensions();

// `path` by its extension; .r16 and .raw only with their manifest `path`.karst.json. Throws
// Error(unsupported) for other extensions, meshes named as such; Error(io_failure);
// Error(invalid_input) "FILE: ..." for a file or a manifest that is wrong, for a volume and for
// more than `memory_limit` bytes.
SavedMap read_map(const std::string &path, std::uint64_t memory_limit);

} // namespace karst::io
