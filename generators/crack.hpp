// The crack generator by name: its parameters and presets.
#pragma once

#include <span>

#include <karst/crack.hpp>
#include <karst/params.hpp>

#include "core/param_table.hpp"

namespace karst {

const core::ParamTable<CrackParams> &crack_table();
std::span<const Preset> crack_presets();

} // namespace karst
