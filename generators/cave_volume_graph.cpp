// Rooms, passages and portals of a cave: a Reeb graph of the distance to its first mouth.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "generators/cave_volume.hpp"
#include "generators/cave_volume_moves.hpp"

namespace karst::cave_volume {

namespace {

using Triple = std::array<std::int64_t, 3>;

struct Node {
    std::int64_t cells = 0;
    Triple sum{};           // of cell indices
    std::int64_t low = 0;   // z
    std::int64_t high = 0;  // z
    std::uint32_t ball = 0; // squared radius of the largest that fits, in cells
    bool mouth = false;
    int room = -1;

    void add(const Node &other) {
        for (std::size_t k = 0; k < 3; ++k) {
            sum[k] += other.sum[k];
        }
        low = cells == 0 ? other.low : std::min(low, other.low);
        high = cells == 0 ? other.high : std::max(high, other.high);
        cells += other.cells;
        ball = std::max(ball, other.ball);
        mouth |= other.mouth;
    }
};

// The cells of two nodes that touch.
struct Contact {
    Triple low{INT64_MAX, INT64_MAX, INT64_MAX};
    Triple high{INT64_MIN, INT64_MIN, INT64_MIN};

    void add(const Contact &other) {
        for (std::size_t k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], other.low[k]);
            high[k] = std::max(high[k], other.high[k]);
        }
    }
};

using Edge = std::pair<int, int>; // the smaller first

Edge edge(int a, int b) {
    return {std::min(a, b), std::max(a, b)};
}

class Reeb {
public:
    Reeb(core::Run &run, const Rock &rock, std::int64_t band) : extent_(rock.open.extent()) {
        measure_bands(run, rock, band);
        find_nodes(run, rock);
        find_contacts(rock);
        drop_stubs(band * band * band / 2);
    }

    // Joins nodes whose largest ball has at least this squared radius to rooms.
    int join_rooms(std::uint32_t least) {
        int rooms = 0;
        for (int i = 0; i < count(); ++i) {
            if (alive(i) && node(i).room < 0 && node(i).ball >= least) {
                std::vector<int> open{i};
                node(i).room = rooms;
                while (!open.empty()) {
                    const int at = open.back();
                    open.pop_back();
                    for (const int to : neighbours(at)) {
                        if (node(to).room < 0 && node(to).ball >= least) {
                            node(to).room = rooms;
                            open.push_back(to);
                        }
                    }
                }
                ++rooms;
            }
        }
        return rooms;
    }

    int count() const { return static_cast<int>(nodes_.size()); }
    bool alive(int i) const { return nodes_[static_cast<std::size_t>(i)].cells > 0; }
    Node &node(int i) { return nodes_[static_cast<std::size_t>(i)]; }
    const Node &node(int i) const { return nodes_[static_cast<std::size_t>(i)]; }
    const std::set<int> &neighbours(int i) const {
        return neighbours_[static_cast<std::size_t>(i)];
    }
    const std::map<Edge, Contact> &contacts() const { return contacts_; }

private:
    // Bands of `band` steps from the first mouth, or from the middle of the largest ball.
    void measure_bands(core::Run &run, const Rock &rock, std::int64_t band) {
        std::vector<std::uint32_t> now;
        if (rock.mouths.empty()) {
            now.push_back(
                static_cast<std::uint32_t>(shape::largest_clearance(run, rock.open).cell));
        } else {
            now.push_back(static_cast<std::uint32_t>(rock.mouths.front()));
        }
        band_.assign(static_cast<std::size_t>(extent_.cells()), 0);
        band_[now.front()] = 1;
        for (std::int64_t step = 1; !now.empty(); ++step) {
            run.check_cancel();
            std::vector<std::uint32_t> next;
            for (const std::uint32_t cell : now) {
                for_six(extent_, cell, [&](std::int64_t to) {
                    auto &place = band_[static_cast<std::size_t>(to)];
                    if (rock.open[to] != 0 && place == 0) {
                        place = static_cast<std::uint32_t>(1 + step / band);
                        next.push_back(static_cast<std::uint32_t>(to));
                    }
                });
            }
            now = std::move(next);
        }
    }

    // Each connected part of a band is a node; nodes in the order of their first cell.
    void find_nodes(core::Run &run, const Rock &rock) {
        VolumeMask solid(extent_, run.memory());
        for (std::int64_t i = 0; i < solid.size(); ++i) {
            solid[i] = rock.open[i] != 0 ? 0 : 1;
        }
        // No ball is larger than the volume.
        const std::int64_t least = std::min({extent_.width, extent_.height, extent_.depth});
        const auto ball = shape::distance_squared(
            run, solid, static_cast<std::uint32_t>(std::min<std::int64_t>(least / 2 + 1, 4096)));
        node_.assign(band_.size(), -1);
        std::vector<std::uint32_t> open;
        for (std::int64_t start = 0; start < extent_.cells(); ++start) {
            if (band_[static_cast<std::size_t>(start)] == 0 ||
                node_[static_cast<std::size_t>(start)] >= 0) {
                continue;
            }
            const int id = count();
            Node found;
            open.assign(1, static_cast<std::uint32_t>(start));
            node_[static_cast<std::size_t>(start)] = id;
            while (!open.empty()) {
                const std::uint32_t cell = open.back();
                open.pop_back();
                const Triple at{cell % extent_.width, cell / extent_.width % extent_.height,
                                cell / (extent_.width * extent_.height)};
                found.add({1, at, at[2], at[2], ball[cell], false, -1});
                for_six(extent_, cell, [&](std::int64_t to) {
                    const auto i = static_cast<std::size_t>(to);
                    if (band_[i] == band_[cell] && node_[i] < 0) {
                        node_[i] = id;
                        open.push_back(static_cast<std::uint32_t>(to));
                    }
                });
            }
            nodes_.push_back(found);
        }
        for (const std::int64_t mouth : rock.mouths) {
            const int id = node_[static_cast<std::size_t>(mouth)];
            if (id >= 0) {
                node(id).mouth = true;
            }
        }
        neighbours_.resize(nodes_.size());
    }

    void find_contacts(const Rock &rock) {
        for (std::int64_t cell = 0; cell < extent_.cells(); ++cell) {
            const int a = node_[static_cast<std::size_t>(cell)];
            if (rock.open[cell] == 0 || a < 0) {
                continue;
            }
            for_six(extent_, cell, [&](std::int64_t to) {
                const int b = node_[static_cast<std::size_t>(to)];
                if (b >= 0 && a != b) {
                    const Triple at{cell % extent_.width, cell / extent_.width % extent_.height,
                                    cell / (extent_.width * extent_.height)};
                    contacts_[edge(a, b)].add({at, at});
                    neighbours_[static_cast<std::size_t>(a)].insert(b);
                }
            });
        }
    }

    // Gives nodes of few cells with one neighbour to that neighbour: niches are no dead ends.
    void drop_stubs(std::int64_t least) {
        std::vector<std::pair<std::int64_t, int>> order;
        for (int i = 0; i < count(); ++i) {
            order.emplace_back(node(i).cells, i);
        }
        std::sort(order.begin(), order.end());
        for (const auto &[cells, i] : order) {
            auto &around = neighbours_[static_cast<std::size_t>(i)];
            if (cells >= least || around.size() != 1 || node(i).mouth) {
                continue;
            }
            const int to = *around.begin();
            node(to).add(node(i));
            node(i) = {};
            neighbours_[static_cast<std::size_t>(to)].erase(i);
            around.clear();
            contacts_.erase(edge(i, to));
        }
    }

    Extent3 extent_;
    std::vector<std::uint32_t> band_; // 0: rock
    std::vector<int> node_;           // of a cell
    std::vector<Node> nodes_;
    std::vector<std::set<int>> neighbours_;
    std::map<Edge, Contact> contacts_;
};

double length(const CavePoint &a, const CavePoint &b) {
    const double x = a[0] - b[0];
    const double y = a[1] - b[1];
    const double z = a[2] - b[2];
    return std::sqrt(x * x + y * y + z * z);
}

// The graph with its rooms contracted: places 0 to rooms - 1 are the rooms, then come the nodes.
class Layout {
public:
    Layout(const Reeb &reeb, int rooms, double cell) : reeb_(reeb), rooms_(rooms), cell_(cell) {
        total_.resize(static_cast<std::size_t>(rooms));
        around_.resize(static_cast<std::size_t>(rooms + reeb.count()));
        for (int i = 0; i < reeb.count(); ++i) {
            if (reeb.alive(i) && reeb.node(i).room >= 0) {
                total_[static_cast<std::size_t>(reeb.node(i).room)].add(reeb.node(i));
            }
        }
        for (const auto &[ends, contact] : reeb.contacts()) {
            const int a = place(ends.first);
            const int b = place(ends.second);
            if (a != b) {
                around_[static_cast<std::size_t>(a)].insert(b);
                around_[static_cast<std::size_t>(b)].insert(a);
                contacts_[edge(a, b)].add(contact);
            }
        }
    }

    CaveGraph make() const {
        CaveGraph graph;
        for (const Node &room : total_) {
            graph.rooms.push_back({centre(room), 2 * std::sqrt(room.ball) * cell_,
                                   static_cast<double>(room.high - room.low + 1) * cell_,
                                   static_cast<double>(room.cells) * cell_ * cell_ * cell_});
        }
        std::set<Edge> used;
        for (int pass = 0; pass < 2; ++pass) { // second: rings without a fork
            for (int i = 0; i < places(); ++i) {
                if (!there(i) || (pass == 0 && !anchor(i))) {
                    continue;
                }
                for (const int to : around(i)) {
                    if (!used.contains(edge(i, to))) {
                        graph.passages.push_back(follow(i, to, used));
                        add_portals(i, to, graph);
                    }
                }
            }
        }
        for (int i = 0; i < places(); ++i) {
            graph.dead_ends += there(i) && around(i).size() == 1 && !at(i).mouth ? 1 : 0;
        }
        return graph;
    }

private:
    int places() const { return rooms_ + reeb_.count(); }
    int place(int node) const {
        return reeb_.node(node).room >= 0 ? reeb_.node(node).room : rooms_ + node;
    }
    bool there(int i) const {
        return i < rooms_ || (reeb_.alive(i - rooms_) && reeb_.node(i - rooms_).room < 0);
    }
    const Node &at(int i) const {
        return i < rooms_ ? total_[static_cast<std::size_t>(i)] : reeb_.node(i - rooms_);
    }
    const std::set<int> &around(int i) const { return around_[static_cast<std::size_t>(i)]; }
    bool anchor(int i) const { return i < rooms_ || around(i).size() != 2; }

    CavePoint centre(const Node &node) const {
        CavePoint point;
        for (std::size_t k = 0; k < 3; ++k) {
            point[k] =
                (static_cast<double>(node.sum[k]) / static_cast<double>(node.cells) + 0.5) * cell_;
        }
        return point;
    }

    // The passage that leaves `from` by `to`, up to the next anchor or back to its start.
    CavePassage follow(int from, int to, std::set<Edge> &used) const {
        CavePassage passage{{from < rooms_ ? from : -1, -1}, {centre(at(from))}, 0, 0};
        std::uint32_t narrowest = UINT32_MAX;
        int before = from;
        for (int now = to;;) {
            used.insert(edge(before, now));
            passage.points.push_back(centre(at(now)));
            passage.length +=
                length(passage.points[passage.points.size() - 2], passage.points.back());
            if (now < rooms_) {
                passage.ends[1] = now;
                break;
            }
            narrowest = std::min(narrowest, at(now).ball);
            if (anchor(now) || now == from) {
                break;
            }
            const auto &next = around(now);
            const int other = *next.begin() == before ? *next.rbegin() : *next.begin();
            before = now;
            now = other;
        }
        passage.width = 2 * std::sqrt(narrowest) * cell_;
        return passage;
    }

    // The portals of the passage just added, at its ends in rooms.
    void add_portals(int from, int to, CaveGraph &graph) const {
        const CavePassage &passage = graph.passages.back();
        const int index = static_cast<int>(graph.passages.size()) - 1;
        if (from < rooms_) {
            graph.portals.push_back(portal(from, index, edge(from, to)));
        }
        const int last = passage.ends[1];
        if (last >= 0 && passage.points.size() > 2) {
            // The node before the last room touches it.
            for (const int near : around(last)) {
                if (near >= rooms_ &&
                    centre(at(near)) == passage.points[passage.points.size() - 2]) {
                    graph.portals.push_back(portal(last, index, edge(last, near)));
                }
            }
        }
    }

    CavePortal portal(int room, int passage, Edge between) const {
        const Contact &contact = contacts_.at(between);
        const auto low = [&](std::size_t k) { return static_cast<double>(contact.low[k]) * cell_; };
        const auto high = [&](std::size_t k) {
            return static_cast<double>(contact.high[k] + 1) * cell_;
        };
        // Upright, across the direction in which the contact is thinner.
        const std::size_t along = high(0) - low(0) >= high(1) - low(1) ? 0 : 1;
        const std::size_t across = 1 - along;
        const double middle = (low(across) + high(across)) / 2;
        const auto corner = [&](double a, double z) {
            CavePoint point{};
            point[along] = a;
            point[across] = middle;
            point[2] = z;
            return point;
        };
        return {room,
                passage,
                {corner(low(along), low(2)), corner(high(along), low(2)),
                 corner(high(along), high(2)), corner(low(along), high(2))},
                high(along) - low(along),
                high(2) - low(2)};
    }

    const Reeb &reeb_;
    int rooms_;
    double cell_;
    std::vector<Node> total_; // of the rooms
    std::vector<std::set<int>> around_;
    std::map<Edge, Contact> contacts_;
};

} // namespace

CaveGraph make_graph(core::Run &run, const CaveVolumeParams &params, const Grid &grid,
                     const Rock &rock) {
    const std::int64_t band = std::max<std::int64_t>(2, (grid.to_cells(params.passage_width)) >> 8);
    Reeb reeb(run, rock, band);
    const double radius = 0.75 * params.passage_width / grid.cell; // cells
    const int rooms = reeb.join_rooms(static_cast<std::uint32_t>(radius * radius));
    return Layout(reeb, rooms, grid.cell).make();
}

std::vector<CavePoint> spawn_points(const CaveGraph &graph, double cell, const Spans &spans,
                                    const std::vector<std::uint8_t> &standing) {
    std::vector<CavePoint> points;
    const auto [w, h] = spans.extent;
    for (const CaveRoom &room : graph.rooms) {
        CavePoint best{};
        double nearest = room.width * room.width; // m^2
        const auto range = [&](double middle, std::int64_t cells) {
            const auto low = static_cast<std::int64_t>((middle - room.width) / cell);
            const auto high = static_cast<std::int64_t>((middle + room.width) / cell) + 1;
            return std::pair(std::clamp<std::int64_t>(low, 0, cells),
                             std::clamp<std::int64_t>(high, 0, cells));
        };
        const auto [x0, x1] = range(room.centre[0], w);
        const auto [y0, y1] = range(room.centre[1], h);
        bool found = false;
        for (std::int64_t y = y0; y < y1; ++y) {
            for (std::int64_t x = x0; x < x1; ++x) {
                for (std::int64_t i = spans.begin(y * w + x); i < spans.end(y * w + x); ++i) {
                    const CavePoint point{(static_cast<double>(x) + 0.5) * cell,
                                          (static_cast<double>(y) + 0.5) * cell,
                                          spans[i].bottom * cell / kUnit};
                    const double far = length(point, room.centre);
                    if (standing[static_cast<std::size_t>(i)] != 0 && far * far < nearest) {
                        nearest = far * far;
                        best = point;
                        found = true;
                    }
                }
            }
        }
        if (found) {
            points.push_back(best);
        }
    }
    return points;
}

} // namespace karst::cave_volume
