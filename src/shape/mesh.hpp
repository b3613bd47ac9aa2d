// What a mesh needs besides its shape: normals, texture coordinates, tangents. Sums over the
// triangles of a vertex are in the order of the triangles.
//
// Every function throws Error(invalid_argument) for an index without a vertex, for indices that are
// not three a triangle and for arrays of a vertex that are neither empty nor as long as positions.
#pragma once

#include <karst/mesh.hpp>

#include "core/run.hpp"

namespace karst::shape {

// The mean of the normals of a vertex's triangles, weighted by their areas: marching cubes leaves
// slivers, whose directions mean nothing (weights by angle, or by Max 1999, let them shade whole
// neighbourhoods). +Y where the triangles say nothing.
void add_normals(core::Run &run, Mesh &mesh);

// The positions and triangles with sharp edges where the normals of two triangles have a cosine
// below `cosine`: a vertex becomes one vertex for each group of its triangles that meet at blunter
// edges. Vertices are in the order of (vertex, first triangle of the group). For walls that meet
// floors; before normals, and after simplification, which wants a welded mesh. cosine -1 to 1.
Mesh with_creases(core::Run &run, const Mesh &mesh, double cosine);

// The mesh with UV0, projected along the axis nearest to each triangle's normal (twice its own and,
// if there are any, those of its vertices; Y, then Z, then X of equal axes) onto one of six sides,
// so that no texture is mirrored: up is north (-Z) on floors,
// south on ceilings and +Y on walls. 1 UV = 1 m. A vertex whose triangles belong to several sides
// becomes one vertex a side, equal but for the UV; vertices are in the order of (vertex, side).
// Vertices without triangles and tangents are dropped.
Mesh with_box_uvs(core::Run &run, const Mesh &mesh);

// Tangents along growing u, orthogonal to the normals; w = 1 where u, v and the normal make a
// picture that is not mirrored, else -1. As in glTF the bitangent cross(normal, tangent) * w points
// up in the picture, where v falls. Any direction where the UVs say nothing. Needs normals and UVs.
void add_tangents(core::Run &run, Mesh &mesh);

} // namespace karst::shape
