// {lod} in the name of a mesh's file: a file for each of its levels of detail.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <karst/artifact.hpp>

#include "cli/outputs.hpp"

namespace karst::cli {

// What "[LAYER=]FILE" asks for: one target, or with {lod} in the file's name one for each level,
// of the layer of levels if none is named. Throws as parse_target does, and Error(invalid_argument)
// for a layer without levels.
std::vector<Target> parse_targets(const std::string &text, std::span<const LayerInfo> layers);

// The files that a path stands for: one for each level if {lod} is in its name, else itself.
std::vector<std::string> level_files(const std::string &path);

// The layer with the parts of one level alone, and the record of that without a copy of them.
// Throws Error(unsupported) if there are none.
MeshLayer level_of(const MeshLayer &layer, int level);
io::MeshRecord level_record(const MeshLayer &layer, int level);

} // namespace karst::cli
