// Diagrams of sensitivity reports.
#pragma once

#include "cli/chart.hpp"
#include "lab/parameters.hpp"
#include "lab/state.hpp"

namespace karst::cli {

// Damage, survival, front and finite-size exponents over time and size, with bands.
Canvas state_picture(const lab::StateReport &report);

// Effects by rank, and how they fall with the step. `what` names the job.
Canvas parameters_picture(const lab::ParameterReport &report, const std::string &what);

} // namespace karst::cli
