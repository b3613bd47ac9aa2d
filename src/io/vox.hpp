// MagicaVoxel's .vox.
#pragma once

#include <karst/artifact.hpp>

#include "io/file.hpp"

namespace karst::io {

// An 8-bit volume: a cell that is not 0 becomes a voxel with the colour of its number, a grey. Cell
// (x, y, z) goes to x east, y north and z up. MagicaVoxel's models have at most 256 voxels a side;
// a larger volume becomes several models at their places. Throws Error(unsupported) for more than
// the 2^31 - 1 bytes that the format can state, before it writes.
void write_vox(OutputFile &file, const Artifact &artifact, const Layer &layer);

} // namespace karst::io
