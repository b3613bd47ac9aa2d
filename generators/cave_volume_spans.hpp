// Spans: what a walker meets above a cell of the map, as in Recast's heightfields.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <karst/field.hpp>

#include "core/run.hpp"

namespace karst::cave_volume {

inline constexpr std::int32_t kUnit = 256; // steps of a height in a cell

// A run of open cells; heights above the volume's bottom in steps of 1/256 cell.
struct Span {
    std::int32_t bottom;
    std::int32_t top;
};

// The spans of column i = y * width + x are spans[first[i]] to spans[first[i + 1]], upwards.
struct Spans {
    Extent2 extent;
    std::vector<std::int64_t> first;
    std::vector<Span> spans;

    std::int64_t begin(std::int64_t column) const {
        return first[static_cast<std::size_t>(column)];
    }
    std::int64_t end(std::int64_t column) const {
        return first[static_cast<std::size_t>(column) + 1];
    }
    const Span &operator[](std::int64_t i) const { return spans[static_cast<std::size_t>(i)]; }
};

// Density is open where >= 32768; the ends of a span lie where it is 32768, linear between samples.
Spans find_spans(core::Run &run, const Field3D<std::uint16_t> &density);

// f(j, side) for each span of the four neighbouring columns that overlaps span i of `column` by at
// least `least` steps of height; side 0 to 3: west, east, north, south. With 0 the spans hang
// together as the open cells do: a cell that is only just open can be a span of no height.
template <class F>
void for_overlaps(const Spans &spans, std::int64_t column, std::int64_t i, F &&f,
                  std::int32_t least = 1) {
    const auto [w, h] = spans.extent;
    const auto number = static_cast<std::uint32_t>(column); // 32 bits divide faster
    const std::int64_t y = number / static_cast<std::uint32_t>(w);
    const std::int64_t x = column - y * w;
    const Span &span = spans[i];
    const auto against = [&](std::int64_t other, int side) {
        for (std::int64_t j = spans.begin(other); j < spans.end(other); ++j) {
            if (std::min(span.top, spans[j].top) - std::max(span.bottom, spans[j].bottom) >=
                least) {
                f(j, side);
            }
        }
    };
    if (x > 0) {
        against(column - 1, 0);
    }
    if (x + 1 < w) {
        against(column + 1, 1);
    }
    if (y > 0) {
        against(column - w, 2);
    }
    if (y + 1 < h) {
        against(column + w, 3);
    }
}

} // namespace karst::cave_volume
