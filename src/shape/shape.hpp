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

using Mask = Field2D<std::uint8_t>; // 0 or 1; any other value reads as 1

// The value at rank floor(fraction * (cells - 1) / 2^32) of the sorted field; exact. `fraction` is
// a Q0.32 fraction (core::to_threshold), so 2^31 is the median and 2^32 the maximum.
std::uint32_t quantile(core::Run &run, const Field2D<std::uint32_t> &field, std::uint64_t fraction);

// 1 where the field is greater than `level`.
Mask above(core::Run &run, const Field2D<std::uint32_t> &field, std::uint32_t level);

// `passes` of: 1 where more than half of the (2 radius + 1)^2 window is 1. Outside a bounded field
// reads as the nearest cell inside. radius 0 to 32767; the time does not depend on it.
Mask majority(core::Run &run, const Mask &mask, int radius, int passes, Boundary edges);

// Exact squared Euclidean distance in cells to the nearest 1, at most `cap`^2; cap^2 everywhere
// for an empty mask. cap <= 46340.
Field2D<std::uint32_t> distance_squared(core::Run &run, const Mask &mask, std::uint32_t cap,
                                        Boundary edges);
// floor(256 * distance): Q24.8 cells.
Field2D<std::uint32_t> distance(core::Run &run, const Mask &mask, std::uint32_t cap,
                                Boundary edges);

// Distance from a cell's centre to the border of `object`, which lies half a cell before the centre
// of the nearest cell on its other side; greater than 32768 outside, less inside, 32767 steps for
// `range` cells and no farther. Beyond a bounded field all is object. range 1 to 46338.
Field2D<std::uint16_t> signed_distance(core::Run &run, const Mask &object, double range,
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

// Watershed of a field, 8-connected: each cell belongs to the minimum that a drop of water reaches
// from it, along the steepest descent and across plateaus on a shortest way to their lower border.
// A plateau without a lower border is one minimum. Basins whose saddle lies less than
// `merge_depth` above the higher of their minima are merged into the deeper one, in ascending
// (saddle, hash of its cells). Ties go to the smaller hash of the absolute cell, which is the index
// plus `origin`. Every cell gets a plate, plates are connected; a plate's id is the index of its
// minimum (of the smallest hash, if that is a plateau). At most 2^30 cells.
struct Plates {
    Field2D<std::uint32_t> id;
    Mask line; // 1 where the right or lower neighbour belongs to another plate
    std::int64_t count = 0;
};
Plates watershed(core::Run &run, const Field2D<std::uint32_t> &field, std::uint32_t merge_depth,
                 Boundary edges, std::uint64_t seed, Cell2 origin = {});

// `passes` of the mean of the (2 radius + 1)^2 window, floor of each 1D mean. Bounded: the edge
// cell is repeated.
Field2D<std::uint32_t> box_blur(core::Run &run, const Field2D<std::uint32_t> &field, int radius,
                                int passes, Boundary edges);

// Brings a field on a coarse grid up to cells 2^log2_factor times finer: coarse cell (i, j) covers
// the fine cells [i f, (i + 1) f) x [j f, (j + 1) f), values lie at cell centres. The result is the
// fine cells offset + [0, extent); the field repeats beyond the torus, its edge cell beyond a
// bounded field. linear: bilinear, through the coarse values. smooth: the uniform cubic B-spline,
// continuous to the second derivative and within the range of the 16 values around, which rounds
// off peaks narrower than about 2 coarse cells. log2_factor 0 to 12.
enum class Interpolation { linear, smooth };
Field2D<std::uint32_t> upsample(core::Run &run, const Field2D<std::uint32_t> &coarse,
                                int log2_factor, Extent2 extent, Cell2 offset,
                                Interpolation interpolation, Boundary edges);

} // namespace karst::shape
