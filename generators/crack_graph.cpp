#include "generators/crack_graph.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "generators/crack_lines.hpp"
#include "generators/json_text.hpp"
#include "shape/erosion.hpp"
#include "shape/mask_graph.hpp"

namespace karst::crack {

namespace {

using shape::GraphEdge;
using shape::GraphNode;
using shape::GraphPoint;
using shape::MaskGraph;

// A mask, its plates and its graph, on cells that may be quarters of the output's.
struct Cracks {
    shape::Mask mask;
    Field2D<std::uint32_t> plates;
    MaskGraph graph;
    int divided = 1; // cells of the graph along a side of an output's cell
};

constexpr std::int64_t kLeastSide = 4; // of a torus with a skeleton

Cracks trace(core::Run &run, const CrackResult &cracks, std::uint64_t seed) {
    const Extent2 extent = cracks.mask.extent();
    Cracks result;
    result.divided = std::min(extent.width, extent.height) < kLeastSide ? 4 : 1;
    const std::int64_t n = result.divided;
    result.mask = shape::Mask({extent.width * n, extent.height * n}, run.memory());
    result.plates = Field2D<std::uint32_t>(result.mask.extent(), run.memory());
    run.for_rows(result.mask.height(), [&](std::int64_t y) {
        for (std::int64_t x = 0; x < result.mask.width(); ++x) {
            result.mask.at(x, y) = cracks.mask.at(x / n, y / n) != 0 ? 1 : 0;
            result.plates.at(x, y) = cracks.plates.at(x / n, y / n);
        }
    });
    result.graph = shape::mask_graph(run, result.mask, seed);
    return result;
}

using Sides = std::array<std::optional<std::uint32_t>, 2>; // left and right

// The plate that most cells on a side of a line see. Between the lines of the skeleton lies one
// plate each.
class Neighbours {
public:
    Neighbours(core::Run &run, const Cracks &cracks) : skeleton_(cracks.graph.skeleton) {
        shape::Mask between(skeleton_.extent());
        run.for_rows(between.height(), [&](std::int64_t y) {
            for (std::int64_t x = 0; x < between.width(); ++x) {
                between.at(x, y) = skeleton_.at(x, y) == 0 ? 1 : 0;
            }
        });
        label_ = shape::regions(run, between, shape::Connectivity::four, Boundary::torus).label;
        for (std::int64_t i = 0; i < label_.size(); ++i) {
            if (cracks.plates[i] != kNoPlate) {
                plate_of_[label_[i]] = cracks.plates[i];
            }
        }
    }

    // Of the cells of an edge but its ends, where there are others.
    Sides sides(const GraphEdge &edge) const {
        std::array<std::map<std::uint32_t, std::int64_t>, 2> votes;
        const auto &cells = edge.cells;
        const std::size_t skip = cells.size() > 2 ? 1 : 0;
        for (std::size_t i = skip; i + skip < cells.size(); ++i) {
            const int back = i > 0 ? direction(cells[i], cells[i - 1]) : -1;
            const int ahead = i + 1 < cells.size() ? direction(cells[i], cells[i + 1]) : -1;
            if (back >= 0 || ahead >= 0) {
                const int from = ahead >= 0 ? ahead : back ^ 4;
                const int to = back >= 0 ? back : ahead ^ 4;
                vote(cells[i], from, to, votes[1]);
                vote(cells[i], to, from, votes[0]);
            }
        }
        Sides result;
        for (std::size_t side = 0; side < 2; ++side) {
            std::int64_t most = 0;
            for (const auto &[plate, count] : votes[side]) {
                if (count > most) {
                    most = count;
                    result[side] = plate;
                }
            }
        }
        return result;
    }

private:
    std::int64_t neighbour(std::int64_t cell, int s) const {
        const auto &step = shape::kFlowSteps[static_cast<std::size_t>(s)];
        return wrap(cell / skeleton_.width() + step.y, skeleton_.height()) * skeleton_.width() +
               wrap(cell % skeleton_.width() + step.x, skeleton_.width());
    }

    // Index into kFlowSteps; -1: the cells are apart.
    int direction(std::int64_t from, std::int64_t to) const {
        for (int s = 0; s < 8; ++s) {
            if (neighbour(from, s) == to) {
                return s;
            }
        }
        return -1;
    }

    // The plates of the cells clockwise between two directions.
    void vote(std::int64_t cell, int from, int to,
              std::map<std::uint32_t, std::int64_t> &votes) const {
        for (int s = (from + 1) % 8; s != to; s = (s + 1) % 8) {
            const auto plate = plate_of_.find(label_[neighbour(cell, s)]);
            if (plate != plate_of_.end()) { // label 0 is the skeleton
                ++votes[plate->second];
            }
        }
    }

    const shape::Mask &skeleton_;
    Field2D<std::uint32_t> label_;
    std::map<std::uint32_t, std::uint32_t> plate_of_;
};

// Metres with as many decimals as a hundredth of a cell needs.
class Metres {
public:
    Metres(double cell, int divided) : unit_(cell / divided / shape::kGraphUnit) {
        while (decimals_ < 1e9 && decimals_ * cell < 100) {
            decimals_ *= 10;
        }
    }
    double operator()(std::int64_t length) const {
        return std::round(static_cast<double>(length) * unit_ * decimals_) / decimals_;
    }
    void write(JsonText &json, const GraphPoint &p) const {
        json.array([&] {
            json.value((*this)(p.x));
            json.value((*this)(p.y));
        });
    }

private:
    double unit_;
    double decimals_ = 1;
};

const char *kind_of(const GraphNode &node) {
    switch (node.edges.size()) {
    case 0:
        return "spot";
    case 1:
        return "end";
    case 2:
        return "ring";
    default:
        return "junction";
    }
}

void write_node(JsonText &json, const Metres &metres, const GraphNode &node, std::size_t id) {
    json.object([&] {
        json.member("id", id);
        json.member("kind", kind_of(node));
        json.key("position");
        metres.write(json, node.at);
        json.member("degree", node.edges.size());
        json.member("width", metres(node.at.width));
        json.key("edges");
        json.array_of(node.edges, [&](auto edge) { json.value(edge); });
    });
}

void write_edge(JsonText &json, const Metres &metres, const GraphEdge &edge, const Sides &plates,
                std::size_t id) {
    json.object([&] {
        json.member("id", id);
        json.member("from", edge.from);
        json.member("to", edge.to);
        json.member("length", metres(edge.length));
        json.member("width", metres(edge.width));
        json.key("plates");
        json.array_of(plates, [&](const std::optional<std::uint32_t> &plate) {
            if (plate) {
                json.value(*plate);
            } else {
                json.value(nullptr);
            }
        });
        json.key("points");
        json.array_of(edge.points, [&](const GraphPoint &p) { metres.write(json, p); });
        json.key("widths");
        json.array_of(edge.points, [&](const GraphPoint &p) { json.value(metres(p.width)); });
    });
}

std::string json_of(core::Run &run, const Cracks &cracks, Extent2 extent, double cell) {
    const Metres metres(cell, cracks.divided);
    const Neighbours neighbours(run, cracks);
    JsonText json;
    json.object([&] {
        json.member("format", "karst crack graph 1");
        json.member("axes", "x east, y south, metres");
        json.key("size");
        json.array([&] {
            for (const std::int64_t cells : {extent.width, extent.height}) {
                json.value(metres(cells * shape::kGraphUnit * cracks.divided));
            }
        });
        json.member("wraps", true);
        std::size_t id = 0;
        json.key("nodes");
        json.array_of(cracks.graph.nodes,
                      [&](const GraphNode &node) { write_node(json, metres, node, id++); });
        id = 0;
        json.key("edges");
        json.array_of(cracks.graph.edges, [&](const GraphEdge &edge) {
            write_edge(json, metres, edge, neighbours.sides(edge), id++);
        });
    });
    return json.take();
}

} // namespace

GraphDocuments crack_graph(core::Run &run, const CrackResult &cracks, double cell,
                           std::uint64_t seed) {
    const Cracks traced = trace(run, cracks, seed);
    const Extent2 extent = cracks.mask.extent();
    return {json_of(run, traced, extent, cell), drawing(traced.graph, extent, traced.divided)};
}

} // namespace karst::crack
