#include "generators/cave_layers.hpp"

#include <algorithm>
#include <vector>

namespace karst::cave {

namespace {

using shape::Mask;

constexpr std::uint32_t kClearanceSteps = 16; // of the clearance layer in a cell
constexpr std::uint32_t kClearanceCap = 4000; // cells; in steps it fits 16 bits

// Distance from a cell's centre to the nearest rock's side, in sixteenths of a cell.
Field2D<std::uint16_t> make_clearance(core::Run &run, const Mask &open, Boundary edges) {
    Mask rock(open.extent(), run.memory());
    run.for_ranges(open.size(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            rock[i] = open[i] != 0 ? 0 : 1;
        }
    });
    const auto distance = shape::distance(run, rock, kClearanceCap, edges);
    Field2D<std::uint16_t> clearance(open.extent(), run.memory());
    run.for_rows(open.height(), [&](std::int64_t y) {
        for (std::int64_t x = 0; x < open.width(); ++x) {
            if (open.at(x, y) == 0) {
                continue;
            }
            std::int64_t steps = (distance.at(x, y) * kClearanceSteps) >> 8;
            if (edges == Boundary::bounded) { // beyond the map is rock
                const std::int64_t edge =
                    1 + std::min({x, y, open.width() - 1 - x, open.height() - 1 - y});
                steps = std::min(steps, edge * kClearanceSteps);
            }
            clearance.at(x, y) = static_cast<std::uint16_t>(steps - kClearanceSteps / 2);
        }
    });
    return clearance;
}

// A room is where a disc wider than most passages fits; what is left of the cave is passages.
Field2D<std::uint32_t> make_rooms(core::Run &run, const CaveParams &params, double cell,
                                  const CaveResult &cave, Boundary edges, std::size_t &count) {
    const double radius = std::max(0.75 * params.passage_width, 0.25 * params.room_size); // m
    const auto least =
        static_cast<std::uint16_t>(std::min(65535.0, radius / cell * kClearanceSteps + 0.5));
    const auto reach =
        static_cast<std::uint32_t>(std::min(double{kClearanceCap}, radius / cell + 1));
    Mask core(cave.map.extent(), run.memory());
    run.for_ranges(core.size(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            core[i] = cave.clearance[i] > least ? 1 : 0;
        }
    });
    const auto to_core = shape::distance_squared(run, core, reach + 1, edges);
    run.for_ranges(core.size(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            core[i] = to_core[i] <= reach * reach && cave.map[i] != 0 ? 1 : 0;
        }
    });
    const double area = params.room_size * params.room_size / (9 * cell * cell);
    const Mask rooms = shape::without_small(run, core, static_cast<std::int64_t>(area),
                                            shape::Connectivity::four, edges);
    shape::Regions found = shape::regions(run, rooms, shape::Connectivity::four, edges);
    count = found.regions.size();
    return found.label;
}

void measure(core::Run &run, double cell, std::size_t rooms, Boundary edges, CaveResult &cave) {
    struct Sums {
        std::int64_t open = 0, room = 0, passage_clearance = 0, widest = 0, euler = 0;
    };
    std::vector<Sums> rows(static_cast<std::size_t>(cave.map.height()));
    const auto at = [&](std::int64_t x, std::int64_t y) {
        const bool outside = x >= cave.map.width() || y >= cave.map.height();
        if (outside && edges == Boundary::bounded) {
            return 0;
        }
        return cave.map.at(x % cave.map.width(), y % cave.map.height()) != 0 ? 1 : 0;
    };
    run.for_rows(cave.map.height(), [&](std::int64_t y) {
        Sums &sums = rows[static_cast<std::size_t>(y)];
        for (std::int64_t x = 0; x < cave.map.width(); ++x) {
            const std::int64_t clearance = cave.clearance.at(x, y);
            sums.open += cave.map.at(x, y) != 0;
            sums.room += cave.rooms.at(x, y) != 0;
            sums.passage_clearance += cave.rooms.at(x, y) == 0 ? clearance : 0;
            sums.widest = std::max(sums.widest, clearance);
            // Vertices, less edges, plus faces of the 4-adjacency graph of the open cells.
            const int right = at(x, y) & at(x + 1, y);
            const int down = at(x, y) & at(x, y + 1);
            sums.euler += at(x, y) - right - down + (right & at(x, y + 1) & at(x + 1, y + 1));
        }
    });
    Sums total;
    for (const Sums &sums : rows) {
        total.open += sums.open;
        total.room += sums.room;
        total.passage_clearance += sums.passage_clearance;
        total.widest = std::max(total.widest, sums.widest);
        total.euler += sums.euler;
    }
    const auto ratio = [](std::int64_t a, std::int64_t b) {
        return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
    };
    const double open_area = static_cast<double>(total.open) * cell * cell;
    // The clearance of a strip of width w is w / 4 in the mean.
    const double passage_width =
        4 * cave.clearance_unit * ratio(total.passage_clearance, total.open - total.room);
    cave.measures = {
        {"open share", ratio(total.open, cave.map.size())},
        {"open area m2", open_area},
        {"components", 1},
        {"loops", static_cast<double>(1 - total.euler)}, // independent ones
        {"rooms", static_cast<double>(rooms)},
        {"room share of open", ratio(total.room, total.open)},
        {"mean passage width m", passage_width},
        {"widest clearance m", cave.clearance_unit * static_cast<double>(total.widest)},
    };
}

} // namespace

void add_layers(core::Run &run, const CaveParams &params, double cell, const Mask &open,
                Boundary edges, CaveResult &cave) {
    cave.clearance = make_clearance(run, open, edges);
    cave.clearance_unit = cell / kClearanceSteps;
    run.advance(0.7);
    std::size_t rooms = 0;
    cave.rooms = make_rooms(run, params, cell, cave, edges, rooms);
    measure(run, cell, rooms, edges, cave);
}

} // namespace karst::cave
