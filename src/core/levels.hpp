// Levels of detail of a mesh for engines: how many there are, and the names of their parts.
#pragma once

#include <string>
#include <string_view>

namespace karst::core {

inline constexpr int kLevels = 4;

// "cave_LOD2"
inline std::string level_name(std::string_view prefix, int level) {
    return std::string(prefix) + "_LOD" + std::to_string(level);
}

} // namespace karst::core
