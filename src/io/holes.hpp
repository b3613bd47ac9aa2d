// Holes in a heightmap, as each engine keeps them. A mask has a number for each sample; where it is
// not 0, the ground is open, and so is every quad that touches the sample.
#pragma once

#include <cstdint>

#include <karst/field.hpp>

namespace karst::io {

using HoleMask = Field2D<std::uint8_t>;

// Unreal, a weightmap of the layer Visibility: 255 where there is a hole.
Field2D<std::uint8_t> unreal_visibility(const HoleMask &mask);

// Unity, TerrainData.SetHoles: a number for each quad, so a side has one less than samples; 255
// where there is ground, 0 where there is a hole. From the north, as in an image; SetHoles counts
// rows from the south. Throws Error(invalid_argument) below 2 samples a side.
Field2D<std::uint8_t> unity_holes(const HoleMask &mask);

// Terrain3D, a control map: bit 2 marks a hole, bit 0 leaves the texture to its shader.
// write_bits_exr stores it. (Godot's own HeightMapShape3D takes NaN as a height: write_exr.)
Field2D<std::uint32_t> terrain3d_control(const HoleMask &mask);

} // namespace karst::io
