// Pictures of ground for people: colours 0x00RRGGBB, lit from the upper left. No picture is part of
// a digest, so that floats may be summed here, in a fixed order all the same.
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

// The field brought to `size` by means over equal areas, so that slopes stay even whatever the
// ratio of the sides is, and stretched: `low` becomes 0 and `high` 65535, what lies beyond is cut.
// No side of `size` is larger than the field's.
template <class T>
Field2D<std::uint16_t> stretched(core::Run &run, const Field2D<T> &field, Extent2 size, double low,
                                 double high);

// Colours brought to `size`: means over equal areas, and a cell repeated where `size` is larger.
Field2D<std::uint32_t> resized(core::Run &run, const Field2D<std::uint32_t> &picture, Extent2 size);

// Mean of |d height / dx| and |d height / dy| of neighbouring cells, in steps of the field a cell.
double mean_slope(const Field2D<std::uint16_t> &height);

} // namespace karst::shape
