// Weights of the textures of a terrain, 8 bits each, that sum to 255 at every sample.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <karst/field.hpp>

namespace karst::io {

// The layers in proportion to what they were. Each is the nearest below or above; those that lost
// most by rounding down get the rest, among equals the first. Where all are 0, the first gets 255.
// Throws Error(invalid_argument) without layers and if their extents differ.
std::vector<Field2D<std::uint8_t>>
normalised_weights(std::span<const Field2D<std::uint8_t> *const> layers);

} // namespace karst::io
