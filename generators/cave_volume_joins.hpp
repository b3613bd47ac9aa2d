// What makes one cave with mouths of the open parts of a plan.
#pragma once

#include <cstdint>
#include <vector>

#include "core/run.hpp"
#include "generators/cave_volume.hpp"

namespace karst::cave_volume {

// 1 in a ball of `radius` (8 fraction bits) around a cell of `core`.
VolumeMask dilated(core::Run &run, const VolumeMask &core, std::int64_t radius);

// Marks tunnels between the regions of `open` along the cheapest ways through the rock.
VolumeMask find_tunnels(core::Run &run, const VolumeMask &open, const Tolls &toll);

// Opens the mouths and the ways to them, of radius `tunnel` (8 fraction bits).
void open_mouths(core::Run &run, const CaveVolumeParams &params, const Grid &grid, const Plan &plan,
                 std::int64_t tunnel, std::uint64_t seed, Rock &rock);

} // namespace karst::cave_volume
