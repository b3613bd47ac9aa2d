// From simulated fields to ground: thresholds, distances, regions, plates, erosion. Host only,
// parallel, each with one implementation and the same result for every thread count.
//
// Every function takes the running job first. `edges` says whether the field wraps (torus) or ends
// (bounded). Orders are total: (value, ..., hash of the absolute cell with the seed), so no raster
// order shows.
#pragma once

#include <cstdint>
#include <vector>

#include <karst/field.hpp>
#include <karst/simulate.hpp>

#include "core/run.hpp"

namespace karst::shape {

using Mask = Field2D<std::uint8_t>; // 0 or 1

// The value at rank floor(fraction * (cells - 1) / 2^32) of the sorted field; exact. `fraction` is
// a Q0.32 fraction (core::to_threshold), so 2^31 is the median and 2^32 the maximum.
std::uint32_t quantile(core::Run &run, const Field2D<std::uint32_t> &field, std::uint64_t fraction);

// 1 where the field is greater than `level`.
Mask above(core::Run &run, const Field2D<std::uint32_t> &field, std::uint32_t level);

// `passes` of: 1 where at least half of the (2 radius + 1)^2 window, more than half for a 0 cell,
// is 1. Outside a bounded field reads as the nearest cell inside.
Mask majority(core::Run &run, const Mask &mask, int radius, int passes, Boundary edges);

// Exact squared Euclidean distance in cells to the nearest 1, at most `cap`^2; cap^2 everywhere
// for an empty mask. cap <= 46340.
Field2D<std::uint32_t> distance_squared(core::Run &run, const Mask &mask, std::uint32_t cap,
                                        Boundary edges);
// floor(256 * distance): Q24.8 cells.
Field2D<std::uint32_t> distance(core::Run &run, const Mask &mask, std::uint32_t cap,
                                Boundary edges);

// Connected cells of value 1. label is 0 outside, else 1 + index into regions; regions are in the
// order of their first cell (y, then x).
struct Region {
    std::int64_t cells;
    std::int64_t first; // index of its first cell
};
struct Regions {
    Field2D<std::uint32_t> label;
    std::vector<Region> regions;
};
enum class Connectivity { four, eight };
Regions regions(core::Run &run, const Mask &mask, Connectivity connectivity, Boundary edges);

// The mask without its regions of fewer than `cells`.
Mask without_small(core::Run &run, const Mask &mask, std::int64_t cells, Connectivity connectivity,
                   Boundary edges);

// Watershed of a field by flooding from its minima, 8-connected. Basins whose saddle lies less
// than `merge_depth` above the higher of their minima are merged into the deeper one, in ascending
// (saddle, order); every cell gets a plate. A plate's id is the index of its minimum.
struct Plates {
    Field2D<std::uint32_t> id;
    Mask line; // 1 where the right or lower neighbour belongs to another plate
    std::int64_t count = 0;
};
Plates watershed(core::Run &run, const Field2D<std::uint32_t> &field, std::uint32_t merge_depth,
                 Boundary edges, std::uint64_t seed);

// `passes` of the mean of the (2 radius + 1)^2 window, floor of each 1D mean. Bounded: the edge
// cell is repeated.
Field2D<std::uint32_t> box_blur(core::Run &run, const Field2D<std::uint32_t> &field, int radius,
                                int passes, Boundary edges);

} // namespace karst::shape
