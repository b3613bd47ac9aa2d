// Reports of sensitivity as JSON (docs/sensitivity.md), the same bytes wherever they were measured.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "generators/registry.hpp"
#include "io/manifest.hpp"
#include "lab/parameters.hpp"
#include "lab/state.hpp"

namespace karst::cli {

// `parameters` are those of the simulation.
nlohmann::ordered_json json_of(const lab::StateReport &report, const io::Parameters &parameters);

// Of the unchanged `job` by `preset`, empty for none.
nlohmann::ordered_json json_of(const lab::ParameterReport &report, const Job &job,
                               const std::string &preset, double confidence);

} // namespace karst::cli
