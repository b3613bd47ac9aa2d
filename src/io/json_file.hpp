// JSON from a file that nobody vouches for.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/limits.hpp"

namespace karst::io {

using core::kLargestJson;
inline constexpr int kDeepestJson = 32; // arrays and objects in another

// The value in a file of at most kLargestJson bytes. // and /* */ comments are passed over. Throws
// Error(invalid_input) "FILE: ..." with line and column for whatever is no JSON, for a key that
// comes twice in an object and for deeper nesting; Error(io_failure).
nlohmann::ordered_json read_json(const std::string &path);

// The same from text; `name` stands for the file in messages.
nlohmann::ordered_json parse_json(const std::string &text, const std::string &name);

// Text, a number or a switch as it would be typed; nothing for any other value.
std::optional<std::string> typed_text(const nlohmann::ordered_json &value);

} // namespace karst::io
