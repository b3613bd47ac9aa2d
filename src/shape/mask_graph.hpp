// The lines of a mask that wraps as a graph: where they meet or end, and the ways between.
#pragma once

#include <cstdint>
#include <vector>

#include "core/run.hpp"
#include "shape/shape.hpp"

namespace karst::shape {

inline constexpr std::int64_t kGraphUnit = 256; // of a cell, of all lengths and positions

struct GraphPoint {
    std::int64_t x, y;
    std::int64_t width; // of the mask there; of an edge in a junction: as where it leaves it
};

struct GraphNode {
    GraphPoint at;                    // in the field
    std::vector<std::uint32_t> edges; // ascending; one that begins and ends here is there twice
};

struct GraphEdge {
    std::uint32_t from = 0, to = 0; // nodes
    // From `from` to `to`, not wrapped: the last point is `to` or a copy of it whole turns away.
    std::vector<GraphPoint> points;
    std::int64_t length = 0;         // along the points
    std::int64_t width = 0;          // mean
    std::vector<std::int64_t> cells; // of the skeleton, in the same order, with those of the ends
};

struct MaskGraph {
    std::vector<GraphNode> nodes; // in the order of their cells
    std::vector<GraphEdge> edges; // in the order of their first cells
    Mask skeleton;                // before spurs went
};

// Has as many pieces and independent loops as the mask (8-connected, on the torus). Ends that do
// not stick out of the wider line that they start from are no edges: spurs shorter than the width
// there. Junctions nearer than half the width are one. A piece without junctions and ends, a ring,
// has one node. Lines are smoothed over a few cells and then straight where that is right to a
// quarter of a cell. A mask that is all 1 gives an empty graph. Fewer than 2^31 cells.
MaskGraph mask_graph(core::Run &run, const Mask &mask, std::uint64_t seed);

} // namespace karst::shape
