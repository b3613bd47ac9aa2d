// OpenEXR files: one channel of 32-bit floats, north at the top.
#pragma once

#include <cstdint>
#include <span>

#include <karst/artifact.hpp>

#include "io/file.hpp"

namespace karst::io {

// The amounts of a map in the layer's unit, value * scale + offset rounded once to a float. Names
// generator, seed, algorithm version, layer and unit in its header. `holes` has a number for each
// sample; where it is not 0 the file holds a quiet NaN. Throws Error(unsupported) beyond 2^31-1
// pixels a side.
void write_exr(OutputFile &file, const Artifact &artifact, const Layer &layer,
               const Field2D<std::uint8_t> *holes = nullptr);

// Numbers of 32 bits that are not floats, bit by bit in the place of floats, as Terrain3D keeps its
// control maps.
void write_bits_exr(OutputFile &file, const Field2D<std::uint32_t> &bits);

// The floats of write_exr without a header, little-endian.
void write_r32(OutputFile &file, const Artifact &artifact, const Layer &layer);

// Row y of what write_exr stores.
void fill_metres(const Layer &layer, std::int64_t y, std::span<float> row);

} // namespace karst::io
