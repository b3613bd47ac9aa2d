// The functions of shape.hpp for volumes: bounded domains, 6 or 26 neighbours. Host only, parallel,
// the same result for every thread count.
//
// Every function throws Error(invalid_argument) for a volume without cells and for an argument
// outside the range that stands with it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <karst/field.hpp>

#include "core/run.hpp"
#include "shape/shape.hpp"

namespace karst::shape {

using VolumeMask = Field3D<std::uint8_t>; // 0 or 1; any other value reads as 1

// Neighbours share a face (six), or at least a corner (twenty_six).
enum class Adjacency { six, twenty_six };

// Connected cells of value 1. label is 0 outside, else 1 + index into regions; regions are in the
// order of their first cell (z, then y, then x).
struct VolumeRegions {
    Field3D<std::uint32_t> label;
    std::vector<Region> regions;
};
VolumeRegions regions(core::Run &run, const VolumeMask &mask, Adjacency adjacency);

// The mask without its regions of fewer than `cells`.
VolumeMask without_small(core::Run &run, const VolumeMask &mask, std::int64_t cells,
                         Adjacency adjacency);

// Exact squared Euclidean distance in cells to the nearest 1, at most `cap`^2; cap^2 everywhere
// for an empty mask. cap <= 46340.
Field3D<std::uint32_t> distance_squared(core::Run &run, const VolumeMask &mask, std::uint32_t cap);

// `passes` of: 1 where more than half of the (2 radius + 1)^3 window is 1. Outside reads as the
// nearest cell inside. radius 0 to 127, passes 0 to 1000; the time does not depend on the radius.
VolumeMask majority(core::Run &run, const VolumeMask &mask, int radius, int passes);

// `passes` of the mean of the (2 radius + 1)^3 window: along x, then y, then z, each 1D mean
// rounded down. Outside reads as the nearest cell inside. radius 0 to 32767, passes 0 to 1000.
Field3D<std::uint16_t> box_blur(core::Run &run, const Field3D<std::uint16_t> &field, int radius,
                                int passes);

// The value at rank floor(fraction * (cells - 1) / 2^32) of the sorted volume, as in 2D.
std::uint32_t quantile(core::Run &run, const Field3D<std::uint32_t> &field, std::uint64_t fraction);

// Brings a volume on a coarse grid up to cells 2^log2_factor times finer, as in 2D: coarse cell
// (i, j, k) covers the fine cells [i f, (i + 1) f) and so on, values lie at cell centres, the
// result is the fine cells [0, extent), coarse cells beyond the edge repeat it. Summed exactly
// along z and y, rounded to 16 fraction bits, then summed along x and rounded: a volume that does
// not change along z gives in each slice what 2D gives. log2_factor 0 to 12.
Field3D<std::uint32_t> upsample(core::Run &run, const Field3D<std::uint32_t> &coarse,
                                int log2_factor, Extent3 extent, Interpolation interpolation);
// The same without a volume for it: f(y, z, cells) for each row, in parallel.
void upsample_rows(
    core::Run &run, const Field3D<std::uint32_t> &coarse, int log2_factor, Extent3 extent,
    Interpolation interpolation,
    const std::function<void(std::int64_t, std::int64_t, std::span<const std::uint32_t>)> &f);

// The open cell that is farthest from every cell of value 0 and from outside, between cell centres;
// of several the one of the smallest index. cell is -1 and the distance 0 if nothing is open.
struct Clearance {
    std::int64_t cell;
    std::uint32_t distance_squared;
};
Clearance largest_clearance(core::Run &run, const VolumeMask &open);

// Components - tunnels + cavities of the cells of value 1. six: cells - pairs that share a face
// + full 2x2 squares - full 2x2x2 blocks. twenty_six: vertices - edges + faces - cubes of the union
// of the closed unit cubes.
std::int64_t euler_characteristic(core::Run &run, const VolumeMask &mask, Adjacency adjacency);
// The same of the cells of at least `least`.
std::int64_t euler_characteristic(core::Run &run, const Field3D<std::uint16_t> &field,
                                  std::uint16_t least, Adjacency adjacency);

} // namespace karst::shape
