#include "generators/cave_join.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "shape/grid.hpp"

namespace karst::cave {

namespace {

using shape::Mask;

Mask inverted(core::Run &run, const Mask &mask) {
    Mask result(mask.extent(), run.memory());
    run.for_rows(mask.height(), [&](std::int64_t y) {
        for (std::int64_t x = 0; x < mask.width(); ++x) {
            result.at(x, y) = mask.at(x, y) != 0 ? 0 : 1;
        }
    });
    return result;
}

// The cheapest way from each rock cell to a region.
struct Ways {
    Field2D<std::uint32_t> cost;
    Field2D<std::uint32_t> region; // label of the region it leads to
    Field2D<std::uint32_t> next;   // the cell towards it; a region's cell leads to itself
};

constexpr std::uint32_t kUnreached = 0xffffffffu;

// What a cell costs: little where it is open, else the plan's toll; 0: closed.
std::uint32_t toll(const Plan &plan, const Mask &open, std::int64_t cell) {
    if (plan.wall[cell] >= kCertain) {
        return 0;
    }
    return open[cell] != 0 ? 1 : plan.toll[cell];
}

// Dijkstra's algorithm from all regions at once; the order (cost, cell) is total.
Ways find_ways(core::Run &run, const shape::Regions &regions, const Plan &plan, const Mask &open,
               Boundary edges) {
    const Extent2 extent = regions.label.extent();
    Ways ways{Field2D<std::uint32_t>(extent, run.memory()), regions.label,
              Field2D<std::uint32_t>(extent, run.memory())};
    using Entry = std::uint64_t; // cost, then cell
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    for (std::int64_t cell = 0; cell < extent.cells(); ++cell) {
        const bool source = regions.label[cell] != 0;
        ways.cost[cell] = source ? 0 : kUnreached;
        ways.next[cell] = static_cast<std::uint32_t>(cell);
        if (source) {
            bool at_rock = false;
            shape::for_neighbours(extent, cell, edges, [&](std::int64_t to, shape::Step) {
                at_rock |= regions.label[to] == 0;
            });
            if (at_rock) {
                queue.push(static_cast<Entry>(cell));
            }
        }
    }
    while (!queue.empty()) {
        const Entry entry = queue.top();
        queue.pop();
        const auto cost = static_cast<std::uint32_t>(entry >> 32);
        const auto cell = static_cast<std::int64_t>(entry & 0xffffffffu);
        if (cost != ways.cost[cell]) {
            continue;
        }
        shape::for_neighbours(extent, cell, edges, [&](std::int64_t to, shape::Step step) {
            const std::uint32_t price = toll(plan, open, to) * step.length;
            if (price == 0 || cost + price >= ways.cost[to]) {
                return;
            }
            ways.cost[to] = cost + price;
            ways.region[to] = ways.region[cell];
            ways.next[to] = static_cast<std::uint32_t>(cell);
            queue.push((Entry{cost + price} << 32) | static_cast<Entry>(to));
        });
    }
    return ways;
}

// Where the ways to two regions meet, in 4-adjacent cells.
struct Meeting {
    std::uint32_t cost;
    std::uint32_t a, b; // cells
    friend bool operator<(const Meeting &l, const Meeting &r) {
        return std::tie(l.cost, l.a, l.b) < std::tie(r.cost, r.a, r.b);
    }
};

std::vector<Meeting> find_meetings(const Ways &ways, Boundary edges) {
    const Extent2 extent = ways.cost.extent();
    std::vector<Meeting> meetings;
    for (std::int64_t y = 0; y < extent.height; ++y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            const std::int64_t a = y * extent.width + x;
            for (const auto &[dx, dy] : {std::pair{1, 0}, {0, 1}}) {
                if (edges == Boundary::bounded &&
                    (x + dx >= extent.width || y + dy >= extent.height)) {
                    continue;
                }
                const std::int64_t b = shape::inside(y + dy, extent.height, edges) * extent.width +
                                       shape::inside(x + dx, extent.width, edges);
                if (ways.region[a] != ways.region[b] && ways.region[a] != 0 &&
                    ways.region[b] != 0) {
                    meetings.push_back({ways.cost[a] + ways.cost[b], static_cast<std::uint32_t>(a),
                                        static_cast<std::uint32_t>(b)});
                }
            }
        }
    }
    std::sort(meetings.begin(), meetings.end()); // no two are equal: a cell pair meets once
    return meetings;
}

// Marks the way from `cell` to its region as 4-connected cells.
void mark_way(const Ways &ways, const Plan &plan, std::int64_t cell, Mask &path) {
    const std::int64_t width = path.width();
    path[cell] = 1;
    while (ways.next[cell] != cell) {
        const std::int64_t next = ways.next[cell];
        const std::int64_t corner_a = (cell / width) * width + next % width;
        const std::int64_t corner_b = (next / width) * width + cell % width;
        if (corner_a != cell && corner_b != cell) { // a diagonal step: by the weaker corner
            const bool first = plan.toll[corner_a] <= plan.toll[corner_b];
            path[first ? corner_a : corner_b] = 1;
        }
        path[next] = 1;
        cell = next;
    }
}

// The ways of the cheapest tree that joins all regions (Kruskal), and those that cost at most
// `neck`: two regions that a neck parts are joined there even if another way leads around.
Mask find_paths(core::Run &run, const shape::Regions &regions, const Plan &plan, const Mask &open,
                std::uint32_t neck, Boundary edges) {
    const Ways ways = find_ways(run, regions, plan, open, edges);
    std::vector<std::uint32_t> parent(regions.regions.size() + 1);
    std::iota(parent.begin(), parent.end(), 0u);
    const auto root = [&](std::uint32_t i) {
        while (parent[i] != i) {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        return i;
    };
    std::set<std::pair<std::uint32_t, std::uint32_t>> met;
    Mask path(ways.cost.extent(), run.memory());
    for (const Meeting &meeting : find_meetings(ways, edges)) {
        const std::uint32_t a = ways.region[meeting.a];
        const std::uint32_t b = ways.region[meeting.b];
        const bool through_neck = meeting.cost <= neck && met.insert(std::minmax(a, b)).second;
        if (root(a) != root(b) || through_neck) {
            parent[std::max(root(a), root(b))] = std::min(root(a), root(b));
            mark_way(ways, plan, meeting.a, path);
            mark_way(ways, plan, meeting.b, path);
        }
    }
    return path;
}

// The regions of at least `least_area` cells, or the largest (of equals the first).
Mask without_pockets(core::Run &run, const Mask &open, std::int64_t least_area, Boundary edges) {
    const shape::Regions found = shape::regions(run, open, shape::Connectivity::four, edges);
    std::int64_t largest = 0;
    for (const auto &region : found.regions) {
        largest = std::max(largest, region.cells);
    }
    return shape::without_small(run, open, std::min(least_area, largest), shape::Connectivity::four,
                                edges);
}

// The cells whose disc of `radius` is open.
Mask eroded(core::Run &run, const Mask &open, std::int64_t radius, Boundary edges) {
    const auto cap = static_cast<std::uint32_t>((radius >> 8) + 2);
    return shape::above(run, shape::distance_squared(run, inverted(run, open), cap, edges),
                        static_cast<std::uint32_t>((radius * radius) >> 16));
}

// The cells in a disc of `radius` around a cell of `core`.
Mask dilated(core::Run &run, const Mask &core, std::int64_t radius, Boundary edges) {
    const auto cap = static_cast<std::uint32_t>((radius >> 8) + 2);
    return inverted(run, shape::above(run, shape::distance_squared(run, core, cap, edges),
                                      static_cast<std::uint32_t>((radius * radius) >> 16)));
}

// Takes the cells away where `open` is 0.
void keep_within(core::Run &run, const Mask &open, Mask &mask) {
    run.for_ranges(mask.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            mask[i] = static_cast<std::uint8_t>(mask[i] & open[i]);
        }
    });
}

} // namespace

Mask joined(core::Run &run, const Mask &open, const Plan &plan, const JoinParams &params,
            Boundary edges) {
    const std::int64_t least = params.least_radius;
    const Mask rock = inverted(run, open);
    Mask thick = dilated(run, eroded(run, rock, least, edges), least, edges);
    run.for_ranges(thick.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            thick[i] = plan.wall[i] >= kCertain ? 1 : thick[i]; // the border, however thin
        }
    });
    Mask core = eroded(run, inverted(run, thick), least, edges);
    const Mask wide =
        without_pockets(run, dilated(run, core, least, edges), params.least_area, edges);
    keep_within(run, wide, core);
    const shape::Regions regions = shape::regions(run, core, shape::Connectivity::four, edges);
    if (regions.regions.size() < 2) {
        return wide;
    }
    // Ten cells of way, or twice the disc's width, all open.
    const auto neck = static_cast<std::uint32_t>(std::max<std::int64_t>(50, (20 * least) >> 8));
    const Mask path = find_paths(run, regions, plan, wide, neck, edges);
    const auto cap =
        static_cast<std::uint32_t>(((2 * std::max(params.tunnel_radius, least)) >> 8) + 2);
    const auto to_path = shape::distance(run, path, cap, edges);
    Mask result = wide;
    run.for_ranges(result.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t radius =
                std::max(least, (params.tunnel_radius * plan.width[i]) >> 16);
            if (to_path[i] <= radius && plan.wall[i] < kCertain) {
                result[i] = 1;
            }
        }
    });
    return result;
}

Mask without_pillars(core::Run &run, const Mask &open, const Plan &plan, std::int64_t least_area,
                     Boundary edges) {
    const Mask rock = inverted(run, open);
    shape::Regions found = shape::regions(run, rock, shape::Connectivity::eight, edges);
    for (std::int64_t i = 0; i < rock.size(); ++i) {
        if (rock[i] != 0 && plan.wall[i] >= kCertain) {
            found.regions[found.label[i] - 1].cells = rock.size();
        }
    }
    Mask result = open;
    run.for_ranges(rock.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            if (rock[i] != 0 && found.regions[found.label[i] - 1].cells < least_area) {
                result[i] = 1;
            }
        }
    });
    return result;
}

} // namespace karst::cave
