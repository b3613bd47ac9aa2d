// The heat map of a seed's bits: a row for each stage that is judged, a square for each bit.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cli/chart.hpp"

namespace karst::cli {

// 0xRRGGBB of a ratio to an independent seed: 0.8 blue, 1 white, 1.2 orange; grey for none.
std::uint32_t ratio_colour(double ratio);

// "mask, hamming" or "agents, step 0, bray_curtis".
std::string stage_text(const nlohmann::ordered_json &stage);

// The verdict of the i-th bit of `part`, what karst sensitivity seed wrote, after repeats.
std::string last_verdict(const nlohmann::ordered_json &part, std::size_t stage, std::size_t i);

Canvas seed_picture(const nlohmann::ordered_json &part);

} // namespace karst::cli
