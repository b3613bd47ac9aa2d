// Cheapest ways to regions over any lattice, and the tree of ways that joins them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/disjoint_sets.hpp"
#include "core/run.hpp"

namespace karst::cave {

inline constexpr std::uint32_t kUnreached = 0xffffffffu;

// For serial loops over the cells of a volume.
inline void check_now_and_then(const core::Run &run, std::int64_t cell) {
    if ((cell & 0xfffff) == 0) {
        run.check_cancel();
    }
}

// The cheapest way from each cell outside to a region. Arrays of one value a cell.
struct Ways {
    std::vector<std::uint32_t> cost;
    std::vector<std::uint32_t> region; // label of the region it leads to
    std::vector<std::uint32_t> next;   // the cell towards it; a region's cell leads to itself
};

inline constexpr std::uint32_t kPrices = 1 << 14; // more than any price of a step

// Dijkstra's algorithm from all regions at once, in the order (cost, cell), which is total; one
// bucket a cost (Dial 1969), sorted by cell when its turn comes. `label(cell)` is 0 outside the
// regions. `neighbours(cell, f)` calls f(to, price) for each cell that a step reaches from `cell`;
// a price of 0 closes it. Fewer than 2^32 cells; what would cost 2^32 is not reached.
template <class Label, class Neighbours>
Ways find_ways(const core::Run &run, std::int64_t cells, Label &&label, Neighbours &&neighbours) {
    const auto size = static_cast<std::size_t>(cells);
    Ways ways{std::vector<std::uint32_t>(size, kUnreached), std::vector<std::uint32_t>(size),
              std::vector<std::uint32_t>(size)};
    std::vector<std::vector<std::uint32_t>> buckets(kPrices); // of cost modulo kPrices
    std::size_t waiting = 0;
    const auto push = [&](std::uint32_t cost, std::int64_t cell) {
        buckets[cost % kPrices].push_back(static_cast<std::uint32_t>(cell));
        ++waiting;
    };
    for (std::int64_t cell = 0; cell < cells; ++cell) {
        check_now_and_then(run, cell);
        const auto i = static_cast<std::size_t>(cell);
        ways.next[i] = static_cast<std::uint32_t>(cell);
        ways.region[i] = label(cell);
        if (ways.region[i] != 0) {
            ways.cost[i] = 0;
            bool at_edge = false;
            neighbours(cell, [&](std::int64_t to, std::uint32_t) { at_edge |= label(to) == 0; });
            if (at_edge) {
                push(0, cell);
            }
        }
    }
    std::vector<std::uint32_t> now;
    for (std::uint32_t cost = 0; waiting > 0; ++cost) {
        now.clear();
        now.swap(buckets[cost % kPrices]);
        waiting -= now.size();
        std::sort(now.begin(), now.end());
        run.check_cancel();
        for (const std::uint32_t cell : now) {
            if (cost != ways.cost[cell]) {
                continue;
            }
            neighbours(std::int64_t{cell}, [&](std::int64_t to, std::uint32_t price) {
                const auto i = static_cast<std::size_t>(to);
                if (price == 0 || price > kUnreached - cost || cost + price >= ways.cost[i]) {
                    return;
                }
                ways.cost[i] = cost + price;
                ways.region[i] = ways.region[cell];
                ways.next[i] = cell;
                push(cost + price, to);
            });
        }
    }
    return ways;
}

// Where the ways to two regions meet, in adjacent cells.
struct Meeting {
    std::uint32_t cost;
    std::uint32_t a, b; // cells
    friend bool operator<(const Meeting &l, const Meeting &r) {
        return std::tie(l.cost, l.a, l.b) < std::tie(r.cost, r.a, r.b);
    }
};

// Adds the meeting of the cells a and b, if their ways lead to two regions.
inline void add_meeting(const Ways &ways, std::int64_t a, std::int64_t b,
                        std::vector<Meeting> &meetings) {
    const auto i = static_cast<std::size_t>(a);
    const auto j = static_cast<std::size_t>(b);
    if (ways.region[i] != ways.region[j] && ways.region[i] != 0 && ways.region[j] != 0) {
        meetings.push_back({ways.cost[i] + ways.cost[j], static_cast<std::uint32_t>(a),
                            static_cast<std::uint32_t>(b)});
    }
}

// Kruskal's algorithm: calls join(meeting) for those of the cheapest tree that joins all regions,
// and for the cheapest between two regions wherever that costs at most `cheap`.
template <class Join>
void for_joins(const Ways &ways, std::vector<Meeting> meetings, std::size_t regions,
               std::uint32_t cheap, Join &&join) {
    std::sort(meetings.begin(), meetings.end()); // no two are equal: a cell pair meets once
    core::DisjointSets<std::size_t> joined(regions + 1);
    std::set<std::pair<std::uint32_t, std::uint32_t>> met;
    for (const Meeting &meeting : meetings) {
        const std::uint32_t a = ways.region[meeting.a];
        const std::uint32_t b = ways.region[meeting.b];
        const bool is_cheap = meeting.cost <= cheap && met.insert(std::minmax(a, b)).second;
        if (joined.unite(a, b) || is_cheap) {
            join(meeting);
        }
    }
}

} // namespace karst::cave
