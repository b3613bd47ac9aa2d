// PNG files of 8-bit grey maps by stb_image_write.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <karst/field.hpp>

#include "io/file.hpp"

namespace karst::io {

// Whether a map is small enough: stb_image_write holds the filtered image and the whole file in
// memory, the file twice while it grows, and computes sizes in an int.
bool fits_stb(Extent2 size);

// Writes a whole file as encode_png does, of a map that fits and is not empty.
void write_grey_8(OutputFile &file, const Field2D<std::uint8_t> &field,
                  const std::vector<std::pair<std::string, std::string>> &texts);

} // namespace karst::io
