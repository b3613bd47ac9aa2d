// NumPy files of maps, as exporters.cpp writes them and numpy.save does.
#pragma once

#include <cstdint>
#include <string>

#include <karst/artifact.hpp>

#include "io/input_file.hpp"

namespace karst::io {

// A map of unsigned integers of 8, 16 or 32 bits, little-endian, row by row (C order), or of cells
// of several channels as LayerData has them. Throws
// Error(io_failure); Error(invalid_input) "FILE: what is wrong; what is allowed" for anything else
// and, before memory is taken, for more than `memory_limit` bytes.
LayerData read_npy(const std::string &path, std::uint64_t memory_limit);

// The same without a header: the rest of `input` is `size.cells()` cells of `channels` integers of
// `bits` bits, no more and no fewer.
LayerData read_cells(InputFile &input, Extent2 size, int channels, int bits,
                     std::uint64_t memory_limit);

} // namespace karst::io
