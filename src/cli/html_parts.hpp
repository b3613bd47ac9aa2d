// The parts of a sensitivity report (docs/sensitivity.md) as pieces of a page.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace karst::cli {

// `part` is what a command of karst sensitivity wrote: of "kind" seed, state, parameters, oracles.
std::string html_title(const nlohmann::ordered_json &part);
std::string html_part(const nlohmann::ordered_json &part);

} // namespace karst::cli
