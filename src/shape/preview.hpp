// Pictures of ground for people: colours 0x00RRGGBB, lit from the upper left.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <karst/field.hpp>

#include "core/run.hpp"

namespace karst::shape {

// A colour at a position of a ramp; positions rise from 0 to 1.
struct ColourStop {
    double position;
    std::uint32_t colour;
};

// Colours between the stops are mixed; below the first and above the last they are constant.
std::uint32_t ramp_colour(std::span<const ColourStop> ramp, double position);

// 256 colours of a ramp, for fields of bytes and for lit().
std::vector<std::uint32_t> ramp_table(std::span<const ColourStop> ramp);

// Lit ground: `step` is the length of one height step in cells (steepness; larger: stronger
// relief). The colour comes from the height's place between `low` and `high`.
Field2D<std::uint32_t> lit(core::Run &run, const Field2D<std::uint16_t> &height, double step,
                           std::uint16_t low, std::uint16_t high, std::span<const ColourStop> ramp,
                           bool torus);

} // namespace karst::shape
