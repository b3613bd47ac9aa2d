// The painted maps that a request names.
#pragma once

#include <string>
#include <vector>

#include <karst/options.hpp>

#include "cli/request.hpp"
#include "io/holes.hpp"
#include "io/manifest.hpp"

namespace karst::cli {

struct ControlFile {
    std::string option; // "food", "walls_map", "spawn_map", "grow" or "map"
    std::string name;   // of the map
    std::string path;
    double black = 0; // of "map"
    double white = 0;
};

// "NAME=FILE.png" or "NAME=FILE.png@BLACK..WHITE"; without a range white is the parameter itself
// and black is 0. Throws Error(invalid_argument).
ControlFile parse_control_file(const std::string &text, const ParamSet &params);
// FILE.png of such a text.
std::string painted_file(const std::string &text);
// The same for the manifest's input.
std::string control_text(const io::InputMap &map, const std::string &path);

// In the order of the table of switches.
std::vector<ControlFile> control_files(const AssetRequest &request, const ParamSet &params);

// 1 where at least half of a sample is bright. Throws Error(cancelled).
io::HoleMask hole_mask(const Field2D<std::uint16_t> &map, Extent2 samples, const Options &options);
// Bytes that making and writing the mask takes, beside the map.
std::uint64_t hole_memory(const Field2D<std::uint16_t> &map, Extent2 samples);

} // namespace karst::cli
