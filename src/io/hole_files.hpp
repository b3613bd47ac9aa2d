// Holes in the files of a heightmap, by the rules of its profile.
#pragma once

#include "io/file.hpp"
#include "io/holes.hpp"
#include "io/profiles.hpp"

namespace karst::io {

// The plan's heights have holes: its tiles get the files that keep them. Throws Error(unsupported)
// where the engine has no holes, or none in this format.
void add_holes(HeightPlan &plan);

// The part of a mask that lies in a window of the map.
HoleMask cut_holes(const HoleMask &mask, const Window &window);

// A tile's heights, NaN at holes where the format keeps them so. `mask` is the tile's.
void write_heights(OutputFile &file, const HeightPlan &plan, const Artifact &names,
                   const Layer &layer, const HoleMask &mask);

// The file HeightTile::holes.
void write_holes(OutputFile &file, const HeightPlan &plan, const Artifact &names,
                 const HoleMask &mask);

} // namespace karst::io
