// Layers as PNG files.
#pragma once

#include <cstdint>
#include <optional>

#include <karst/artifact.hpp>

#include "io/file.hpp"

namespace karst::io {

// Cells of several channels become RGB or RGBA of as many bits, masks and 8-bit amounts 8-bit grey,
// 16-bit amounts 16-bit grey, 32-bit amounts 16-bit grey with 65535 at the layer's maximum (rounded
// to nearest). Ids become 8-bit RGB with a colour hashed from the id, the largest number (no
// region) black; colours stay what they are. Text chunks carry generator, seed, algorithm version
// and layer; for amounts also unit, scale and offset of the stored numbers. Throws
// Error(unsupported) beyond 2^31-1 pixels a side.
void write_png(OutputFile &file, const Artifact &artifact, const Layer &layer);

// What one step of a number stored in the PNG means, in units of the layer; nothing for ids.
std::optional<double> png_scale(const Layer &layer);

// The colour of an id, 0x00RRGGBB: never dark, two ids share one in about 1 of 7 million cases.
std::uint32_t id_colour(std::uint32_t id);

} // namespace karst::io
