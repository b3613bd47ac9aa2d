#include "shape/mask_graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "shape/erosion.hpp"
#include "shape/grid.hpp"
#include "shape/skeleton.hpp"

namespace karst::shape {

namespace {

constexpr std::uint32_t kNoNode = 0xFFFFFFFF;
constexpr std::int64_t kDiagonal = 362; // sqrt 2 of kGraphUnit
constexpr int kSmoothings = 3;
constexpr double kStraight = 64; // of kGraphUnit: how far a point may lie from the line without it

struct PixelPlace { // cells, not wrapped
    std::int64_t x, y;
    friend bool operator==(const PixelPlace &, const PixelPlace &) = default;
    friend PixelPlace operator+(PixelPlace a, PixelPlace b) { return {a.x + b.x, a.y + b.y}; }
    friend PixelPlace operator-(PixelPlace a, PixelPlace b) { return {a.x - b.x, a.y - b.y}; }
};

// A node or an edge on its way; what was merged into another one is not `alive`.
struct Node {
    std::int64_t cell = 0;
    std::vector<std::uint32_t> ways; // one that begins and ends here twice
    bool alive = true;
};
struct Way {
    std::uint32_t from = 0, to = 0;
    std::vector<PixelPlace> path; // from the node's cell to that of a copy of the other
    std::int64_t length = 0;
    bool alive = true;
};

class MaskGraphBuilder {
public:
    MaskGraphBuilder(core::Run &run, const Mask &mask, std::uint64_t seed)
        : extent_(mask.extent()), seed_(seed), to_edge_(to_edge(run, mask)),
          skeleton_(skeleton(run, mask, to_edge_, Boundary::torus, seed)), links_(extent_),
          used_(extent_), node_of_(extent_) {
        link_cells();
        trace();
    }

    // Spurs, shortest first; what is left of a junction of two ways is one way.
    void prune() {
        std::set<std::pair<std::int64_t, std::uint32_t>> spurs;
        const auto offer = [&](std::uint32_t way) {
            if (is_spur(ways_[way])) {
                spurs.insert({ways_[way].length, way});
            }
        };
        for (std::uint32_t way = 0; way < ways_.size(); ++way) {
            offer(way);
        }
        while (!spurs.empty()) {
            const std::uint32_t way = spurs.begin()->second;
            spurs.erase(spurs.begin());
            if (!is_spur(ways_[way])) {
                continue;
            }
            const bool leaf_first = degree(ways_[way].from) == 1;
            const std::uint32_t leaf = leaf_first ? ways_[way].from : ways_[way].to;
            const std::uint32_t junction = leaf_first ? ways_[way].to : ways_[way].from;
            ways_[way].alive = false;
            nodes_[leaf].alive = false;
            std::erase(nodes_[junction].ways, way);
            if (degree(junction) == 2 && nodes_[junction].ways[0] != nodes_[junction].ways[1]) {
                offer(join(junction));
            }
        }
    }

    // Ways between junctions that are within each other's width, shortest first.
    void contract() {
        std::set<std::pair<std::int64_t, std::uint32_t>> ties;
        for (std::uint32_t way = 0; way < ways_.size(); ++way) {
            if (is_tie(ways_[way])) {
                ties.insert({ways_[way].length, way});
            }
        }
        while (!ties.empty()) {
            const std::uint32_t way = ties.begin()->second;
            ties.erase(ties.begin());
            if (!is_tie(ways_[way])) {
                continue;
            }
            const std::uint32_t gone = unite(way);
            for (const std::uint32_t moved : nodes_[gone].ways) {
                std::erase_if(ties, [&](const auto &tie) { return tie.second == moved; });
                if (is_tie(ways_[moved])) {
                    ties.insert({ways_[moved].length, moved});
                }
            }
            nodes_[gone].ways.clear();
        }
    }

    MaskGraph take() {
        MaskGraph graph;
        std::vector<std::uint32_t> order;
        for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
            if (nodes_[node].alive) {
                order.push_back(node);
            }
        }
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return nodes_[a].cell < nodes_[b].cell;
        });
        std::vector<std::uint32_t> index(nodes_.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) {
            index[order[i]] = i;
            const std::int64_t cell = nodes_[order[i]].cell;
            graph.nodes.push_back({middle(place(cell)), {}});
            GraphPoint &at = graph.nodes.back().at; // may have come to the far border
            at.x %= extent_.width * kGraphUnit;
            at.y %= extent_.height * kGraphUnit;
        }
        for (Way &way : ways_) {
            if (way.alive) {
                graph.edges.push_back(edge(way, index));
                GraphEdge &made = graph.edges.back();
                const GraphPoint from = graph.nodes[made.from].at;
                const std::int64_t x = from.x - made.points.front().x;
                const std::int64_t y = from.y - made.points.front().y;
                for (GraphPoint &p : made.points) {
                    p = {p.x + x, p.y + y, p.width};
                }
            }
        }
        std::sort(graph.edges.begin(), graph.edges.end(),
                  [](const GraphEdge &a, const GraphEdge &b) {
                      return std::tie(a.from, a.to, a.cells) < std::tie(b.from, b.to, b.cells);
                  });
        for (std::uint32_t i = 0; i < graph.edges.size(); ++i) {
            graph.nodes[graph.edges[i].from].edges.push_back(i);
            graph.nodes[graph.edges[i].to].edges.push_back(i);
        }
        graph.skeleton = std::move(skeleton_);
        return graph;
    }

private:
    static Field2D<std::uint32_t> to_edge(core::Run &run, const Mask &mask) {
        Mask outside(mask.extent(), run.memory());
        run.for_rows(mask.height(), [&](std::int64_t y) {
            for (std::int64_t x = 0; x < mask.width(); ++x) {
                outside.at(x, y) = mask.at(x, y) == 0 ? 1 : 0;
            }
        });
        return distance_squared(run, outside, 46340, Boundary::torus);
    }

    PixelPlace place(std::int64_t cell) const {
        return {cell % extent_.width, cell / extent_.width};
    }
    std::int64_t cell(PixelPlace at) const {
        return inside(at.y, extent_.height, Boundary::torus) * extent_.width +
               inside(at.x, extent_.width, Boundary::torus);
    }
    static PixelPlace step(unsigned s) { return {kFlowSteps[s].x, kFlowSteps[s].y}; }
    std::uint64_t hash(std::int64_t cell) const {
        return tie_hash(seed_, static_cast<std::int32_t>(cell % extent_.width),
                        static_cast<std::int32_t>(cell / extent_.width));
    }

    // To the edge of the mask from a cell's centre.
    std::int64_t radius(std::int64_t cell) const {
        return static_cast<std::int64_t>(std::sqrt(static_cast<double>(to_edge_[cell])) *
                                         kGraphUnit) -
               kGraphUnit / 2;
    }

    // The same where the mask is widest nearby: a line that turns off bends the middle a bit.
    std::int64_t reach(std::uint32_t node) const {
        const std::int64_t at = nodes_[node].cell;
        std::int64_t most = radius(at);
        for (unsigned s = 0; s < 8; ++s) {
            most = std::max(most, radius(cell(place(at) + step(s))));
        }
        return most;
    }

    // The middle of the mask at a cell of the skeleton. An even width has two rows of middle cells,
    // of which the skeleton is one: the middle lies between them.
    GraphPoint middle(PixelPlace at) const {
        constexpr std::int64_t kHalf = kGraphUnit / 2;
        const std::int64_t i = cell(at);
        GraphPoint result{at.x * kGraphUnit + kHalf, at.y * kGraphUnit + kHalf, 2 * radius(i)};
        bool even = false;
        for (unsigned s = 0; s < 8; s += 2) {
            const std::int64_t beside = cell(at + step(s));
            if (skeleton_[beside] == 0 && to_edge_[beside] >= to_edge_[i]) {
                even = true;
                result.x += step(s).x * kHalf;
                result.y += step(s).y * kHalf;
            }
        }
        result.width += even ? kGraphUnit : 0;
        return result;
    }

    std::size_t degree(std::uint32_t node) const { return nodes_[node].ways.size(); }

    // Cells beside each other are linked, and over a corner where no third one joins them. Of four
    // in a square three sides do.
    void link_cells() {
        for (std::int64_t i = 0; i < skeleton_.size(); ++i) {
            if (skeleton_[i] == 0) {
                continue;
            }
            const auto there = [&](unsigned s) {
                return skeleton_[cell(place(i) + step(s % 8))] != 0;
            };
            unsigned links = 0;
            for (unsigned s = 0; s < 8; ++s) {
                const bool linked = s % 2 == 0 ? there(s) : !there(s + 7) && !there(s + 1);
                links |= linked && there(s) ? 1u << s : 0u;
            }
            // The upper side of a square is not needed.
            if (there(0) && there(1) && there(2)) {
                links &= ~1u;
            }
            if (there(4) && there(3) && there(2)) {
                links &= ~16u;
            }
            links_[i] = static_cast<std::uint8_t>(links);
        }
    }

    void add_node(std::int64_t cell) {
        node_of_[cell] = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back({cell, {}, true});
    }

    void trace() {
        for (std::uint32_t &node : node_of_.cells()) {
            node = kNoNode;
        }
        for (std::int64_t i = 0; i < skeleton_.size(); ++i) {
            if (skeleton_[i] != 0 && std::popcount(links_[i]) != 2) {
                add_node(i);
            }
        }
        const std::size_t branching = nodes_.size();
        for (std::size_t node = 0; node < branching; ++node) {
            trace_from(nodes_[node].cell);
        }
        for (std::int64_t i = 0; i < skeleton_.size(); ++i) { // rings
            if (skeleton_[i] == 0 || node_of_[i] != kNoNode || used_[i] != 0) {
                continue;
            }
            std::int64_t first = i;
            walk(place(i), static_cast<unsigned>(std::countr_zero(links_[i])), [&](PixelPlace at) {
                first = hash(cell(at)) < hash(first) ? cell(at) : first;
                return cell(at) == i;
            });
            add_node(first);
            trace_from(first);
        }
    }

    // Follows the links until done(place) says so.
    template <class F>
    void walk(PixelPlace at, unsigned s, F &&done) const {
        for (;;) {
            at = at + step(s);
            if (done(at)) {
                return;
            }
            const unsigned others = links_[cell(at)] & ~(1u << (s ^ 4));
            s = static_cast<unsigned>(std::countr_zero(others));
        }
    }

    void trace_from(std::int64_t start) {
        for (unsigned s = 0; s < 8; ++s) {
            if ((links_[start] >> s & 1) == 0 || (used_[start] >> s & 1) != 0) {
                continue;
            }
            Way way;
            way.path.push_back(place(start));
            walk(place(start), s, [&](PixelPlace at) {
                const PixelPlace before = way.path.back();
                const PixelPlace by = at - before;
                unsigned direction = 0;
                while (!(step(direction) == by)) {
                    ++direction;
                }
                used_[cell(before)] |= static_cast<std::uint8_t>(1u << direction);
                used_[cell(at)] |= static_cast<std::uint8_t>(1u << (direction ^ 4));
                way.path.push_back(at);
                way.length += direction % 2 == 0 ? kGraphUnit : kDiagonal;
                return node_of_[cell(at)] != kNoNode;
            });
            way.from = node_of_[start];
            way.to = node_of_[cell(way.path.back())];
            const auto number = static_cast<std::uint32_t>(ways_.size());
            nodes_[way.from].ways.push_back(number);
            nodes_[way.to].ways.push_back(number);
            ways_.push_back(std::move(way));
        }
    }

    bool is_spur(const Way &way) const {
        if (!way.alive || way.from == way.to || (degree(way.from) == 1) == (degree(way.to) == 1)) {
            return false;
        }
        const std::uint32_t junction = degree(way.from) == 1 ? way.to : way.from;
        return way.length < 2 * reach(junction);
    }

    bool is_tie(const Way &way) const {
        return way.alive && way.from != way.to && degree(way.from) >= 3 && degree(way.to) >= 3 &&
               way.length <= std::max(reach(way.from), reach(way.to));
    }

    // Brings the path's beginning into the field.
    void settle(Way &way) const {
        const PixelPlace shift = place(nodes_[way.from].cell) - way.path.front();
        for (PixelPlace &p : way.path) {
            p = p + shift;
        }
    }

    void reverse(Way &way) const {
        std::swap(way.from, way.to);
        std::reverse(way.path.begin(), way.path.end());
        settle(way);
    }

    // The two ways of a node as one; it is the first of them.
    std::uint32_t join(std::uint32_t node) {
        const std::uint32_t number = std::min(nodes_[node].ways[0], nodes_[node].ways[1]);
        const std::uint32_t other = std::max(nodes_[node].ways[0], nodes_[node].ways[1]);
        Way &a = ways_[number];
        Way &b = ways_[other];
        if (a.to != node) {
            reverse(a);
        }
        if (b.from != node) {
            reverse(b);
        }
        const PixelPlace shift = a.path.back() - b.path.front();
        for (std::size_t i = 1; i < b.path.size(); ++i) {
            a.path.push_back(b.path[i] + shift);
        }
        a.length += b.length;
        a.to = b.to;
        std::replace(nodes_[b.to].ways.begin(), nodes_[b.to].ways.end(), other, number);
        b.alive = false;
        nodes_[node].alive = false;
        return number;
    }

    // The nodes of a way as one, that of the wider place; returns the other, which keeps its list
    // of the ways that moved.
    std::uint32_t unite(std::uint32_t number) {
        Way &tie = ways_[number];
        const auto key = [&](std::uint32_t node) {
            return std::pair(to_edge_[nodes_[node].cell], hash(nodes_[node].cell));
        };
        if (key(tie.from) < key(tie.to)) {
            reverse(tie);
        }
        const std::uint32_t stays = tie.from;
        const std::uint32_t goes = tie.to;
        const PixelPlace between = tie.path.back() - tie.path.front();
        tie.alive = false;
        nodes_[goes].alive = false;
        std::erase(nodes_[stays].ways, number);
        std::erase(nodes_[goes].ways, number);
        const std::int64_t further =
            static_cast<std::int64_t>(length_of(between.x, between.y) * kGraphUnit);
        for (const std::uint32_t moved : nodes_[goes].ways) {
            Way &way = ways_[moved];
            nodes_[stays].ways.push_back(moved);
            way.length += further;
            if (way.to == goes) { // a way from `goes` to `goes` is in the list twice
                way.path.push_back(way.path.back() - between);
                way.to = stays;
            } else {
                way.path.insert(way.path.begin(), way.path.front() - between);
                way.from = stays;
                settle(way);
            }
        }
        return goes;
    }

    static double length_of(std::int64_t x, std::int64_t y) {
        return std::sqrt(static_cast<double>(x * x + y * y));
    }

    // Within the radius of a junction the mask is as wide as the junction: a line is as wide there
    // as where it leaves it.
    void level_ends(const Way &way, std::vector<GraphPoint> &points) const {
        const auto last = static_cast<std::ptrdiff_t>(points.size()) - 1;
        const auto within = [&](std::uint32_t node, std::ptrdiff_t from, std::ptrdiff_t by) {
            const std::int64_t inner = degree(node) >= 3 ? reach(node) : 0;
            const auto at = [&](std::ptrdiff_t i) { return points[static_cast<std::size_t>(i)]; };
            std::ptrdiff_t i = from;
            while (i >= 0 && i <= last &&
                   length_of(at(i).x - at(from).x, at(i).y - at(from).y) <
                       static_cast<double>(inner)) {
                i += by;
            }
            return i;
        };
        const std::ptrdiff_t first = within(way.from, 0, 1);
        const std::ptrdiff_t end = within(way.to, last, -1);
        if (first > end) {
            return; // within the junctions all along
        }
        for (std::ptrdiff_t i = 0; i <= last; ++i) {
            points[static_cast<std::size_t>(i)].width =
                points[static_cast<std::size_t>(std::clamp(i, first, end))].width;
        }
    }

    // Indices of the points that a line needs, first and last included (Douglas and Peucker).
    static std::vector<std::size_t> needed(const std::vector<GraphPoint> &points) {
        std::vector<std::size_t> keep{0, points.size() - 1};
        std::vector<std::pair<std::size_t, std::size_t>> open{{0, points.size() - 1}};
        while (!open.empty()) {
            const auto [a, b] = open.back();
            open.pop_back();
            const auto along_x = static_cast<double>(points[b].x - points[a].x);
            const auto along_y = static_cast<double>(points[b].y - points[a].y);
            const double length = along_x * along_x + along_y * along_y;
            std::size_t farthest = a;
            double most = kStraight * kStraight;
            for (std::size_t i = a + 1; i < b; ++i) {
                const auto x = static_cast<double>(points[i].x - points[a].x);
                const auto y = static_cast<double>(points[i].y - points[a].y);
                const double across = x * along_y - y * along_x;
                const double square = length > 0 ? across * across / length : x * x + y * y;
                if (square > most) {
                    most = square;
                    farthest = i;
                }
            }
            if (farthest != a) {
                keep.push_back(farthest);
                open.push_back({a, farthest});
                open.push_back({farthest, b});
            }
        }
        std::sort(keep.begin(), keep.end());
        return keep;
    }

    GraphEdge edge(Way &way, const std::vector<std::uint32_t> &index) const {
        const auto cells_of = [&] {
            std::vector<std::int64_t> cells;
            for (const PixelPlace &p : way.path) {
                cells.push_back(cell(p));
            }
            return cells;
        };
        std::vector<std::int64_t> cells = cells_of();
        const bool backwards =
            index[way.from] > index[way.to] ||
            (way.from == way.to && std::lexicographical_compare(cells.rbegin(), cells.rend(),
                                                                cells.begin(), cells.end()));
        if (backwards) {
            reverse(way);
            cells = cells_of();
        }
        GraphEdge result{index[way.from], index[way.to], {}, 0, 0, std::move(cells)};
        std::vector<GraphPoint> points;
        for (const PixelPlace &p : way.path) {
            points.push_back(middle(p));
        }
        level_ends(way, points);
        for (const GraphPoint &p : points) {
            result.width += p.width;
        }
        result.width /= static_cast<std::int64_t>(points.size());
        for (int pass = 0; pass < kSmoothings; ++pass) {
            std::vector<GraphPoint> next = points;
            for (std::size_t i = 1; i + 1 < points.size(); ++i) {
                const auto mean = [&](std::int64_t GraphPoint::*m) {
                    return (points[i - 1].*m + 2 * points[i].*m + points[i + 1].*m + 2) >> 2;
                };
                next[i] = {mean(&GraphPoint::x), mean(&GraphPoint::y), mean(&GraphPoint::width)};
            }
            points = std::move(next);
        }
        for (const std::size_t i : needed(points)) {
            if (!result.points.empty()) {
                result.length += static_cast<std::int64_t>(length_of(
                    points[i].x - result.points.back().x, points[i].y - result.points.back().y));
            }
            result.points.push_back(points[i]);
        }
        return result;
    }

    Extent2 extent_;
    std::uint64_t seed_;
    Field2D<std::uint32_t> to_edge_;
    Mask skeleton_;
    Field2D<std::uint8_t> links_; // of each cell, a bit for each of kFlowSteps
    Field2D<std::uint8_t> used_;  // those that belong to a way
    Field2D<std::uint32_t> node_of_;
    std::vector<Node> nodes_;
    std::vector<Way> ways_;
};

} // namespace

MaskGraph mask_graph(core::Run &run, const Mask &mask, std::uint64_t seed) {
    require_cells(mask.extent(), "mask_graph");
    if (std::find(mask.cells().begin(), mask.cells().end(), 0) == mask.cells().end()) {
        return {{}, {}, Mask(mask.extent(), run.memory())};
    }
    MaskGraphBuilder builder(run, mask, seed);
    builder.prune();
    builder.contract();
    return builder.take();
}

} // namespace karst::shape
