// Where a cave may open: the wall probability of its soup.
#pragma once

#include <cstdint>

#include <karst/field.hpp>

#include "core/run.hpp"
#include "generators/cave_grid.hpp"
#include "generators/cave_network.hpp"

namespace karst::cave {

inline constexpr std::uint32_t kCertain = 65536; // probability 1

struct Plan {
    Field2D<std::uint32_t>
        wall; // probability of rock, 0 to kCertain: kCertain along the border
              // and in painted walls, and 0 on a way along each vein, whatever the soup becomes
    Field2D<std::uint32_t> width; // 65536 times a factor for widths, around 1
    Field2D<std::uint32_t> toll;  // of a tunnel through a cell, 1 to 255; low along weak veins
};

// The radius of the disc that can be moved through all of the cave, 8 fraction bits.
std::int64_t least_radius(const CaveParams &params, const Grid &grid);

// Two stages of the run, together kPlanShare of it: the network, and what is laid along it.
inline constexpr double kPlanShare = 0.6;
Plan make_plan(core::Run &run, const CaveParams &params, const NetworkGrid &network,
               const Grid &grid, std::uint64_t seed, const GroundControls &controls);

} // namespace karst::cave
