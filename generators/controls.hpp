// The maps of a job.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <karst/controls.hpp>

#include "generators/registry.hpp"

namespace karst {

// What generators with networks take: "walls", "food", "spawn".
std::vector<std::string> ground_control_names();
// And what a raw Physarum simulation takes beside these: the parameters that have maps.
std::vector<std::string> physarum_control_names();

// Throws Error(invalid_argument) for a map that the generator does not take, and for one that is
// given twice.
GroundControls ground_controls(const Job &job, std::string_view generator);
PhysarumControls physarum_controls(const Job &job, std::string_view generator);

} // namespace karst
