// Cracks as a graph: where they meet and end, how wide they are, which plates they part.
#pragma once

#include <cstdint>
#include <string>

#include <karst/crack.hpp>

#include "core/run.hpp"
#include "shape/mask_graph.hpp"

namespace karst::crack {

struct GraphDocuments {
    std::string json, svg;
};
// Fewer than 2^31 cells. `cell` is in metres.
GraphDocuments crack_graph(core::Run &run, const CrackResult &cracks, double cell,
                           std::uint64_t seed);

// SVG, one unit a cell: an edge is a group of lines, each of nearly even width; what hangs over a
// border is drawn at the opposite one too. The graph's cells are `divided` to a cell of the map.
std::string drawing(const shape::MaskGraph &graph, Extent2 extent, int divided);

} // namespace karst::crack
