// "Did you mean": the nearest of some names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace karst::core {

// "; did you mean 'size'?" for the name with the fewest edits (Levenshtein) from `name`, if those
// are few; else empty.
std::string did_you_mean(std::string_view name, std::span<const std::string> names);

} // namespace karst::core
