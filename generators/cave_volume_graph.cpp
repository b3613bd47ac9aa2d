// Nodes, passages and portals from the places of a cave.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "generators/cave_volume.hpp"
#include "generators/cave_volume_links.hpp"

namespace karst::cave_volume {

namespace {

double length(const CavePoint &a, const CavePoint &b) {
    const double x = a[0] - b[0];
    const double y = a[1] - b[1];
    const double z = a[2] - b[2];
    return std::sqrt(x * x + y * y + z * z);
}

class Layout {
public:
    Layout(core::Run &run, const CaveVolumeParams &params, double cell, const Floors &floors,
           const Places &places, const std::vector<std::int64_t> &mouths)
        : run_(run), cell_(cell), floors_(floors), places_(places),
          links_(run, params, cell, floors, places, mouths), used_(links_.count()),
          pace_(std::max<std::int64_t>(1, band_of(params, cell) / 2)) {
        find_nodes();
    }

    CaveGraph make(const std::vector<std::uint8_t> &standing) {
        add_rooms();
        for (int p = 0; p < places_.count(); ++p) {
            if (node_of(p) >= 0) {
                for (const int to : places_.neighbours(p)) {
                    if (!used_[links_.index(p, to)]) {
                        run_.check_cancel();
                        add_passage(p, to);
                    }
                }
            }
        }
        for (int p = 0; p < places_.count(); ++p) {
            const bool entrance = p >= places_.rooms && p < fixed();
            graph_.dead_ends += places_.neighbours(p).size() == 1 && !entrance ? 1 : 0;
        }
        add_spawn_points(standing);
        return std::move(graph_);
    }

private:
    int fixed() const { return places_.rooms + places_.entrances; }
    bool is_room(int p) const { return p < places_.rooms; }
    int node_of(int p) const { return node_[static_cast<std::size_t>(p)]; }
    std::uint32_t wall(std::int64_t i) const { return places_.wall[static_cast<std::size_t>(i)]; }

    // On the floor of a span.
    CavePoint point(std::int64_t i) const {
        return {(static_cast<double>(floors_.x(i)) + 0.5) * cell_,
                (static_cast<double>(floors_.y(i)) + 0.5) * cell_,
                floors_[i].bottom * cell_ / kUnit};
    }

    // Rooms, entrances and the parts that have not two neighbours. A ring without any of them has
    // its first part.
    void find_nodes() {
        node_.assign(static_cast<std::size_t>(places_.count()), -1);
        for (int p = 0; p < places_.count(); ++p) {
            const std::size_t ways = places_.neighbours(p).size();
            if (p < fixed() || ways != 2) {
                add_node(p, is_room(p)    ? CaveNodeKind::room
                            : p < fixed() ? CaveNodeKind::entrance
                            : ways > 2    ? CaveNodeKind::junction
                                          : CaveNodeKind::dead_end);
            }
        }
        if (graph_.nodes.empty() && places_.count() > 0) {
            add_node(0, CaveNodeKind::junction);
        }
    }

    void add_node(int p, CaveNodeKind kind) {
        node_[static_cast<std::size_t>(p)] = static_cast<int>(graph_.nodes.size());
        const int index = is_room(p) ? p : p < fixed() ? p - places_.rooms : -1;
        graph_.nodes.push_back({kind, point(links_.middle(p)), index, {}});
    }

    void add_rooms() {
        constexpr double kFar = std::numeric_limits<double>::max();
        graph_.rooms.assign(static_cast<std::size_t>(places_.rooms),
                            {{}, {{{kFar, kFar, kFar}, {-kFar, -kFar, -kFar}}}, 0, 0, 0});
        for (std::int64_t i = 0; i < floors_.count(); ++i) {
            if (!is_room(places_.of(i))) {
                continue;
            }
            CaveRoom &room = graph_.rooms[static_cast<std::size_t>(places_.of(i))];
            const CavePoint floor = point(i);
            const double height = (floors_[i].top - floors_[i].bottom) * cell_ / kUnit;
            const CavePoint middle{floor[0], floor[1], floor[2] + height / 2};
            const CavePoint half{cell_ / 2, cell_ / 2, height / 2};
            for (std::size_t k = 0; k < 3; ++k) {
                room.centre[k] += middle[k] * height;
                room.bounds[0][k] = std::min(room.bounds[0][k], middle[k] - half[k]);
                room.bounds[1][k] = std::max(room.bounds[1][k], middle[k] + half[k]);
            }
            room.width = std::max(room.width, width(wall(i)));
            room.height = std::max(room.height, height);
            room.volume += height; // above a square of one cell
        }
        for (CaveRoom &room : graph_.rooms) {
            for (std::size_t k = 0; k < 3; ++k) { // nothing but slits of no height has no volume
                room.centre[k] = room.volume > 0 ? room.centre[k] / room.volume
                                                 : (room.bounds[0][k] + room.bounds[1][k]) / 2;
            }
            room.volume *= cell_ * cell_;
        }
    }

    // m, of a circle whose middle is so far from the column of a wall.
    double width(std::uint32_t wall) const { return (2 * std::sqrt(wall) - 1) * cell_; }

    // The passage that leaves the node at place `from` by `to`, and its portals.
    void add_passage(int from, int to) {
        std::vector<std::int64_t> path{links_.middle(from)};
        int before = from;
        int now = to;
        for (;; before = std::exchange(now, other_way(now, before))) {
            used_[links_.index(before, now)] = true;
            links_.extend(path, before, now);
            if (node_of(now) >= 0) {
                break;
            }
        }
        const int index = static_cast<int>(graph_.passages.size());
        graph_.passages.push_back(measure({node_of(from), node_of(now)}, path));
        graph_.nodes[static_cast<std::size_t>(node_of(from))].passages.push_back(index);
        if (now != from) {
            graph_.nodes[static_cast<std::size_t>(node_of(now))].passages.push_back(index);
        }
        if (is_room(from)) {
            graph_.portals.push_back(portal(index, 0, from, to));
        }
        if (is_room(now)) {
            graph_.portals.push_back(portal(index, 1, now, before));
        }
    }

    // Of a part with two neighbours the one that is not `before`.
    int other_way(int p, int before) const {
        const std::vector<int> &around = places_.neighbours(p);
        return around[0] == before ? around[1] : around[0];
    }

    CavePassage measure(std::array<int, 2> nodes, const std::vector<std::int64_t> &path) const {
        CavePassage passage{nodes, {point(path.front())}, 0, 0, 0};
        std::uint32_t narrowest = UINT32_MAX;
        std::int32_t lowest = INT32_MAX;
        const auto last = static_cast<std::int64_t>(path.size()) - 1;
        for (std::int64_t k = 1; k <= last; ++k) {
            const std::int64_t a = path[static_cast<std::size_t>(k - 1)];
            const std::int64_t b = path[static_cast<std::size_t>(k)];
            if (places_.of(a) != places_.of(b) || !is_room(places_.of(a))) {
                narrowest = std::min({narrowest, wall(a), wall(b)});
                lowest = std::min(lowest, floors_.overlap(a, b));
            }
            if (k == last || (k % pace_ == 0 && last - k >= pace_ / 2)) {
                passage.points.push_back(point(b));
                passage.length +=
                    length(passage.points[passage.points.size() - 2], passage.points.back());
            }
        }
        passage.width = width(narrowest);
        passage.height = lowest * cell_ / kUnit;
        return passage;
    }

    CavePortal portal(int passage, int end, int room, int beyond) const {
        const Contact &contact = links_.contact(room, beyond);
        // Right of somebody who looks out of the room.
        const double side = room < beyond ? 1 : -1;
        const Spot normal = contact.normal();
        const double low = contact.low * cell_ / kUnit;
        const double high = contact.high * cell_ / kUnit;
        const auto corner = [&](double along, double z) {
            const double x = contact.middle[0] - normal[1] * along;
            const double y = contact.middle[1] + normal[0] * along;
            return CavePoint{
                std::clamp(x, 0.0, static_cast<double>(floors_.extent().width)) * cell_,
                std::clamp(y, 0.0, static_cast<double>(floors_.extent().height)) * cell_, z};
        };
        const double left = side > 0 ? contact.left : contact.right;
        const double right = side > 0 ? contact.right : contact.left;
        const std::array polygon{corner(left, low), corner(right, low), corner(right, high),
                                 corner(left, high)};
        const double x = polygon[1][0] - polygon[0][0];
        const double y = polygon[1][1] - polygon[0][1];
        return {room, passage, end, polygon, std::sqrt(x * x + y * y), high - low};
    }

    // In each room the place to stand that is nearest to its node.
    void add_spawn_points(const std::vector<std::uint8_t> &standing) {
        const auto rooms = static_cast<std::size_t>(places_.rooms);
        std::vector<double> nearest(rooms, std::numeric_limits<double>::max());
        std::vector<std::int64_t> best(rooms, -1);
        for (std::int64_t i = 0; i < floors_.count(); ++i) {
            if (is_room(places_.of(i)) && standing[static_cast<std::size_t>(i)] != 0) {
                const auto room = static_cast<std::size_t>(places_.of(i));
                const double far = length(point(i), graph_.nodes[room].position);
                if (far < nearest[room]) {
                    nearest[room] = far;
                    best[room] = i;
                }
            }
        }
        for (std::size_t room = 0; room < rooms; ++room) {
            if (best[room] >= 0) {
                graph_.spawn_points.push_back({point(best[room]), static_cast<int>(room)});
            }
        }
    }

    core::Run &run_;
    double cell_; // m
    const Floors &floors_;
    const Places &places_;
    Links links_;
    std::vector<bool> used_; // of a link: a passage leads across
    std::int64_t pace_;      // steps from a point of a passage to the next
    std::vector<int> node_;  // of a place, -1 if it is inside a passage
    CaveGraph graph_;
};

} // namespace

CaveGraph make_graph(core::Run &run, const CaveVolumeParams &params, double cell,
                     const Floors &floors, const std::vector<std::int64_t> &mouths,
                     const std::vector<std::uint8_t> &standing) {
    const Places places = find_places(run, params, cell, floors, mouths);
    return Layout(run, params, cell, floors, places, mouths).make(standing);
}

} // namespace karst::cave_volume
