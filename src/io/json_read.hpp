// JSON from strangers, bounded.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace karst::io {

// Throws Error(invalid_input) "NAME: ..." for text that is no JSON, that has a number no double
// holds, or that is nested deeper than 32.
nlohmann::json parse_json(std::string_view text, const std::string &name);

} // namespace karst::io
