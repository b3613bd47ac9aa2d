// Brings a map of any size to a grid that lies anywhere over the same ground.
#pragma once

#include <cstdint>

#include <karst/field.hpp>

#include "core/run.hpp"

namespace karst::core {

// How the cells of a grid lie over the ground along one axis, in any unit of length. Cell i covers
// start + i * cell to start + (i + 1) * cell; the map covers 0 to ground.
struct Placement {
    std::int64_t cells;
    std::int64_t cell;
    std::int64_t start;
    std::int64_t ground;
};

// A grid that covers the map's ground exactly.
constexpr Placement over_all(std::int64_t cells) {
    return {cells, 1, 0, cells};
}

struct Placement2 {
    Placement x, y;
    bool wraps = false; // what lies beyond the map: the other side, or its edge cells for ever
};

// Along each axis: the mean over the cell where a cell is at least as large as one of the map's,
// else the straight line between the centres of the two map cells around the cell's centre. Exact
// sums; a cell rounds to 8 fraction bits once after y and to the nearest integer, ties upwards, in
// the end. Throws Error(invalid_argument) for a map with a side outside 1 to 65536.
Field2D<std::uint16_t> resample(Run &run, const Field2D<std::uint16_t> &map,
                                const Placement2 &placement);

// 1 where at least half of a cell is bright, that is 32768 or more: each map cell is black or white
// before it is resampled.
Field2D<std::uint8_t> resample_mask(Run &run, const Field2D<std::uint16_t> &map,
                                    const Placement2 &placement);

} // namespace karst::core
