#include "generators/cave_paths.hpp"

#include <utility>
#include <vector>

#include "generators/cave_ways.hpp"
#include "shape/grid.hpp"

namespace karst::cave {

namespace {

using Tolls = Field2D<std::uint32_t>;
using shape::Mask;

// Pairs of 4-adjacent cells.
std::vector<Meeting> find_meetings(const Ways &ways, Extent2 extent, Boundary edges) {
    std::vector<Meeting> meetings;
    for (std::int64_t y = 0; y < extent.height; ++y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            for (const auto &[dx, dy] : {std::pair{1, 0}, {0, 1}}) {
                if (edges == Boundary::torus || (x + dx < extent.width && y + dy < extent.height)) {
                    add_meeting(ways, y * extent.width + x,
                                shape::inside(y + dy, extent.height, edges) * extent.width +
                                    shape::inside(x + dx, extent.width, edges),
                                meetings);
                }
            }
        }
    }
    return meetings;
}

// Marks the way from `cell` to its region as 4-connected cells.
void mark_way(const Ways &ways, const Tolls &toll, std::int64_t cell, Mask &path) {
    const std::int64_t width = path.width();
    path[cell] = 1;
    while (ways.next[static_cast<std::size_t>(cell)] != cell) {
        const std::int64_t next = ways.next[static_cast<std::size_t>(cell)];
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

Mask paths(core::Run &run, const shape::Regions &regions, const Tolls &toll, std::uint32_t cheap,
           Boundary edges) {
    const Extent2 extent = toll.extent();
    const Ways ways = find_ways(
        run, extent.cells(), [&](std::int64_t cell) { return regions.label[cell]; },
        [&](std::int64_t cell, auto &&f) {
            shape::for_neighbours(extent, cell, edges, [&](std::int64_t to, shape::Step step) {
                f(to, toll[to] * step.length);
            });
        });
    Mask path(extent, run.memory());
    for_joins(ways, find_meetings(ways, extent, edges), regions.regions.size(), cheap,
              [&](const Meeting &meeting) {
                  mark_way(ways, toll, meeting.a, path);
                  mark_way(ways, toll, meeting.b, path);
              });
    return path;
}

} // namespace karst::cave
