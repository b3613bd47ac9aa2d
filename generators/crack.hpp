// The crack generator by name: its parameters and presets.
#pragma once

#include <span>
#include <vector>

#include <karst/crack.hpp>
#include <karst/params.hpp>

#include "core/param_table.hpp"

namespace karst {

const core::ParamTable<CrackParams> &crack_table();
std::span<const Preset> crack_presets();

// The grids of its networks. Throws Error(invalid_argument).
std::vector<Extent2> crack_network_grids(const CrackParams &params, Extent2 extent, double cell);

} // namespace karst
