// From the open cells of a soup to one cave.
#pragma once

#include <cstdint>

#include "core/run.hpp"
#include "generators/cave_plan.hpp"
#include "shape/shape.hpp"

namespace karst::cave {

struct JoinParams {
    std::int64_t least_area;    // cells of a pocket that is not filled
    std::int64_t least_radius;  // cells with 8 fraction bits, as all radii
    std::int64_t tunnel_radius; // times the plan's width around a tunnel, at least least_radius
};

// One cave: the discs of `least_radius` around a connected set of cells, so that a disc of that
// radius can be moved through all of it, and tunnels. Opens walls and closes necks that are
// thinner than such a disc, fills the pockets of fewer than least_area cells, but for the largest
// region, and joins what is left along the cheapest ways: through open cells where only a neck
// parts two regions, else through rock. Empty if nothing is open.
shape::Mask joined(core::Run &run, const shape::Mask &open, const Plan &plan,
                   const JoinParams &params, Boundary edges);

// Opens the pillars of fewer than `least_area` cells, never the border's rock.
shape::Mask without_pillars(core::Run &run, const shape::Mask &open, const Plan &plan,
                            std::int64_t least_area, Boundary edges);

} // namespace karst::cave
