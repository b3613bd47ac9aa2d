// What karst sensitivity seed found, as a piece of a page.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace karst::cli {

std::string html_seed_part(const nlohmann::ordered_json &part);

} // namespace karst::cli
