// A page that shows the report of karst sensitivity report (docs/sensitivity.md): one file that
// needs no other and no network, with all of the report's numbers in it.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace karst::cli {

// Numbers in tables are rounded for the eye; each carries what the report says in `data-v`. The
// whole report lies in the element "report" as JSON.
std::string html_report(const nlohmann::ordered_json &report);

// What a part found, in a sentence or a few.
std::vector<std::string> verdict_sentences(const nlohmann::ordered_json &part);

} // namespace karst::cli
