// Meshes for engines: levels of detail, chunks and collision meshes, by meshoptimizer. Results
// depend on its version (0.18) and not on the number of threads.
//
// Every function throws Error(invalid_argument) for a mesh that is not whole (mesh.hpp), and
// std::bad_alloc passes through.
#pragma once

#include <string_view>
#include <vector>

#include <karst/mesh.hpp>

#include "core/run.hpp"

namespace karst::shape {

// `levels` (1 to 8) parts named by core::level_name(prefix, level). Level 0 has all triangles of a
// welded mesh, each other about half of the level before: more where narrow necks or the border of
// an open mesh do not allow it. The border stays where it is; a manifold stays a manifold; small
// closed parts may vanish. Each level has normals and box UVs of its own and is in GPU order.
std::vector<MeshPart> lod_chain(core::Run &run, const Mesh &welded, int levels,
                                std::string_view prefix);

// The mesh in cubes of `chunk_metres`: each triangle in the one that holds its centre. Cube
// (i, j, k) is the part "<prefix>_i_j_k" with its minimum corner (i, j, k) * chunk_metres as pivot;
// parts are in the order of (j, k, i), that is from below, north to south, west to east. Vertices
// and triangles keep their order. At most 2^20 cubes from the origin in each axis.
std::vector<MeshPart> chunks(core::Run &run, const Mesh &mesh, double chunk_metres,
                             std::string_view prefix);

// The chunks of a welded mesh, only positions, with as few triangles as stay within about `error`
// metres of it. The borders of chunks do not move, so neighbours fit.
std::vector<MeshPart> collision_chunks(core::Run &run, const Mesh &welded, double chunk_metres,
                                       double error, std::string_view prefix);

// The part itself if 16-bit indices can number its vertices (65535, the last number is kept for
// restarts), else parts "<name>_0" and so on of consecutive triangles, as many as fit in each.
std::vector<MeshPart> for_short_indices(core::Run &run, const MeshPart &part);

} // namespace karst::shape
