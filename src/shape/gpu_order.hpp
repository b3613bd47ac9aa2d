// Orders of triangles and vertices that suit a GPU, by meshoptimizer. Results depend on its version
// (0.18) and not on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <karst/mesh.hpp>

#include "core/run.hpp"

namespace karst::shape {

// Triangles that in_gpu_order() orders together: few enough for all threads to have some of a large
// mesh, and so many that what is lost where they meet cannot be told in the cache's misses.
inline constexpr std::size_t kTrianglesTogether = std::size_t{1} << 18;

// Triangles in an order that suits the cache of transformed vertices and then overdraw (at most 5 %
// worse for the cache), vertices in the order of their first use. Vertices without triangles are
// dropped. Of a mesh with more than `together` triangles as many consecutive parts as that takes,
// of equal length, are ordered one by one. Throws Error(invalid_argument) for a mesh that is not
// whole (mesh.hpp); std::bad_alloc passes through.
Mesh in_gpu_order(core::Run &run, const Mesh &mesh, std::size_t together = kTrianglesTogether);

// The mesh with these triangles, its vertices in the order of their first use; those without
// triangles are dropped. Every index has a vertex.
Mesh in_order_of_use(core::Run &run, const Mesh &mesh, std::span<const std::uint32_t> indices);

} // namespace karst::shape
