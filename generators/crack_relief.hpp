// How deep the ground lies: the cracks' cross sections, and plates that curl, settle and tilt.
#pragma once

#include <cstdint>

#include <karst/crack.hpp>

#include "generators/crack_raster.hpp"

namespace karst::crack {

// Metres from 0 to the largest stored depth.
double depth_range(const CrackParams &params);

// 16 fraction bits of depth_range, 0 is the highest ground there can be.
Field2D<std::uint16_t> depth_of(core::Run &run, const CrackParams &params, double cell,
                                std::uint64_t seed, const Strokes &strokes, const shape::Mask &mask,
                                const Field2D<std::uint32_t> &plates);

} // namespace karst::crack
