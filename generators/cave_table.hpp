// The parameters and presets of the cave generator.
#pragma once

#include <vector>

#include <karst/cave.hpp>
#include <karst/params.hpp>

#include "core/param_table.hpp"

namespace karst::cave {

const core::ParamTable<CaveParams> &cave_table();

// The first is the default one.
std::vector<Preset> cave_presets();

// The grid of its network. Throws Error(invalid_argument).
Extent2 cave_network_grid(const CaveParams &params, Extent2 extent, double cell);

} // namespace karst::cave
