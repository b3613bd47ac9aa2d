#include "generators/cave_paths.hpp"

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

using Field = Field2D<std::uint32_t>;
using shape::Mask;

// The cheapest way from each cell outside to a region.
struct Ways {
    Field cost;
    Field region; // label of the region it leads to
    Field next;   // the cell towards it; a region's cell leads to itself
};

constexpr std::uint32_t kUnreached = 0xffffffffu;

// Dijkstra's algorithm from all regions at once; the order (cost, cell) is total.
Ways find_ways(core::Run &run, const shape::Regions &regions, const Field &toll, Boundary edges) {
    const Extent2 extent = regions.label.extent();
    Ways ways{Field(extent, run.memory()), regions.label, Field(extent, run.memory())};
    using Entry = std::uint64_t; // cost, then cell
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    for (std::int64_t cell = 0; cell < extent.cells(); ++cell) {
        const bool source = regions.label[cell] != 0;
        ways.cost[cell] = source ? 0 : kUnreached;
        ways.next[cell] = static_cast<std::uint32_t>(cell);
        if (source) {
            bool at_edge = false;
            shape::for_neighbours(extent, cell, edges, [&](std::int64_t to, shape::Step) {
                at_edge |= regions.label[to] == 0;
            });
            if (at_edge) {
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
            const std::uint32_t price = toll[to] * step.length;
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
void mark_way(const Ways &ways, const Field &toll, std::int64_t cell, Mask &path) {
    const std::int64_t width = path.width();
    path[cell] = 1;
    while (ways.next[cell] != cell) {
        const std::int64_t next = ways.next[cell];
        const std::int64_t corner_a = (cell / width) * width + next % width;
        const std::int64_t corner_b = (next / width) * width + cell % width;
        if (corner_a != cell && corner_b != cell) { // a diagonal step: by the cheaper corner
            const bool first = toll[corner_a] <= toll[corner_b];
            path[first ? corner_a : corner_b] = 1;
        }
        path[next] = 1;
        cell = next;
    }
}

} // namespace

Mask paths(core::Run &run, const shape::Regions &regions, const Field &toll, std::uint32_t cheap,
           Boundary edges) {
    const Ways ways = find_ways(run, regions, toll, edges);
    // Kruskal's algorithm; a set is known by its smallest region.
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
    Mask path(toll.extent(), run.memory());
    for (const Meeting &meeting : find_meetings(ways, edges)) {
        const std::uint32_t a = ways.region[meeting.a];
        const std::uint32_t b = ways.region[meeting.b];
        const bool is_cheap = meeting.cost <= cheap && met.insert(std::minmax(a, b)).second;
        if (is_cheap || root(a) != root(b)) {
            parent[std::max(root(a), root(b))] = std::min(root(a), root(b));
            mark_way(ways, toll, meeting.a, path);
            mark_way(ways, toll, meeting.b, path);
        }
    }
    return path;
}

} // namespace karst::cave
