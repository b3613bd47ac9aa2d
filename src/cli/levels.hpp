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

// The layer with the parts of one level alone. Throws Error(unsupported) if there are none.
MeshLayer level_of(const MeshLayer &layer, int level);

} // namespace karst::cli
