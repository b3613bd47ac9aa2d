// Ways of passages: ramps from place to place over the plan of a cave.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/run.hpp"
#include "generators/cave_volume.hpp"

namespace karst::cave_volume {

using Triple = std::array<std::int64_t, 3>;

// Cells between two places, seen from above, rounded down.
std::int64_t horizontal(const Triple &a, const Triple &b);

// Where the middle of a passage would cut the floor or the ceiling of another, so that nobody could
// walk on: over or under it, and not reached from it on a slope of 1 in 2.
class Crossings {
public:
    // Widths and heights in cells.
    Crossings(core::Run &run, Extent3 extent, std::int64_t width, std::int64_t height);

    void add(const Triple &at); // a cell of a passage
    // A chamber: its half width and half height.
    void add_room(const Triple &at, std::int64_t radius, std::int64_t radius_z);
    bool operator()(const Triple &at) const { return mask_.at(at[0], at[1], at[2]) != 0; }

private:
    struct Column {
        std::int64_t dx, dy;
        std::int64_t away; // horizontal() from the middle
    };
    void mark(const Triple &at, const Column &column, std::int64_t height);

    const core::Run &run_;
    VolumeMask mask_;
    std::int64_t width_;
    std::int64_t height_;
    std::vector<Column> around_;       // a cell of a passage
    std::vector<std::int64_t> inside_; // indices from it, where nothing leaves the plan
};

using Way = std::vector<Triple>; // cells, each beside the one before or the same

// The cheapest way on the ramp between two places; a ramp that is too steep turns half-way up.
// Prices are tolls, more where it would cut others. If they rise in cells that are not on the way,
// the way stays the same. Serial.
Way find_way(const Triple &a, const Triple &b, const Tolls &toll, const Crossings &crossings);

} // namespace karst::cave_volume
