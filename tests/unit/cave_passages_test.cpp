// Passages of caves: what joins hand-made sites over a toll without a pattern. Ways and tunnels:
// against Dijkstra's algorithm over the whole plan.
#include <doctest/doctest.h>

#include <karst/cave_volume.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "generators/cave_volume.hpp"
#include "generators/cave_volume_joins.hpp"
#include "generators/cave_volume_ramps.hpp"
#include "generators/cave_volume_ways.hpp"
#include "generators/cave_ways.hpp"
#include "shape/grid.hpp"
#include "shape/volume.hpp"

using namespace karst;
using cave_volume::Grid;
using cave_volume::Sites;
using shape::VolumeMask;

namespace {

using Place = std::array<std::int64_t, 3>;

struct Ground {
    Extent3 extent;
    CaveVolumeParams params;
    Field3D<std::uint8_t> toll;
    core::Run run;

    explicit Ground(Extent3 size, int threads = 2)
        : extent(size), toll(size), run(Options{.threads = threads}) {
        params.passage_width = 4;
        params.passage_spacing = 20;
        params.loops = 0;
        for (auto &value : toll.cells()) {
            value = 100;
        }
    }

    VolumeMask passages(const std::vector<Place> &places) {
        Grid grid;
        grid.output = grid.extent = extent;
        Sites sites;
        for (const auto &[x, y, z] : places) {
            sites.cells.push_back((z * extent.height + y) * extent.width + x);
        }
        std::sort(sites.cells.begin(), sites.cells.end());
        return cave_volume::find_passages(run, params, grid, toll, sites);
    }
};

std::int64_t count(const VolumeMask &path) {
    return std::accumulate(path.cells().begin(), path.cells().end(), std::int64_t{0});
}

// Columns in which a passage runs over or under another and would cut it: 2 to `clear` cells apart.
std::int64_t cut_columns(const VolumeMask &path, std::int64_t clear) {
    std::int64_t cut = 0;
    for (std::int64_t y = 0; y < path.height(); ++y) {
        for (std::int64_t x = 0; x < path.width(); ++x) {
            std::int64_t last = -1000;
            bool found = false;
            for (std::int64_t z = 0; z < path.depth(); ++z) {
                if (path.at(x, y, z) != 0) {
                    found |= z - last >= 2 && z - last <= clear;
                    last = z;
                }
            }
            cut += found ? 1 : 0;
        }
    }
    return cut;
}

bool in_one(core::Run &run, const VolumeMask &path) {
    return shape::regions(run, path, shape::Adjacency::six).regions.size() == 1;
}

// A tenth of the cells closed, some regions of a few cells; tolls of few values, so that many ways
// cost the same.
struct Rocks {
    cave_volume::Tolls toll;
    VolumeMask open;

    // One of `rare` cells is open.
    Rocks(Extent3 extent, std::uint32_t seed, std::uint32_t dearest, std::uint32_t rare)
        : toll(extent), open(extent) {
        std::mt19937 draw(seed);
        for (std::int64_t i = 0; i < toll.size(); ++i) {
            toll[i] = static_cast<std::uint8_t>(draw() % 10 == 0 ? 0 : 1 + draw() % dearest);
            open[i] = draw() % rare == 0 ? 1 : 0;
        }
        open[open.size() / 2] = 1;
    }

    // The moves as they are described, one by one.
    template <class F>
    void moves(std::int64_t cell, F &&f) const {
        const auto [w, h, d] = toll.extent();
        const Place at{cell % w, cell / w % h, cell / (w * h)};
        const auto tolls = [&](std::int64_t x, std::int64_t y, std::int64_t z) -> std::uint32_t {
            const bool inside = x >= 0 && y >= 0 && z >= 0 && x < toll.width() &&
                                y < toll.height() && z < toll.depth();
            return inside ? toll.at(x, y, z) : 0;
        };
        const auto index = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            return (z * toll.height() + y) * toll.width() + x;
        };
        const auto &[x, y, z] = at;
        for (const auto &[dx, dy] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
            if (const std::uint32_t first = tolls(x + dx, y + dy, z); first != 0) {
                f(index(x + dx, y + dy, z), 2 * first);
                for (const int up : {-1, 1}) {
                    const std::uint32_t riser = tolls(x + dx, y + dy, z + up);
                    const std::uint32_t last = tolls(x + 2 * dx, y + 2 * dy, z + up);
                    if (riser != 0 && last != 0) {
                        f(index(x + 2 * dx, y + 2 * dy, z + up), 2 * (first + last) + riser);
                    }
                }
            }
        }
        for (const int up : {-1, 1}) {
            if (const std::uint32_t steep = tolls(x, y, z + up); steep != 0) {
                f(index(x, y, z + up), 40 * steep);
            }
        }
    }

    cave::Ways ways(core::Run &run, const Field3D<std::uint32_t> &label) const {
        return cave::find_ways(
            run, toll.size(), [&](std::int64_t cell) { return label[cell]; },
            [&](std::int64_t cell, auto &&f) { moves(cell, f); });
    }
};

// The way on the ramp from a to b, by Dijkstra's algorithm over its box of the map.
cave_volume::Way slow_way(core::Run &run, const Place &a, const Place &b,
                          const cave_volume::Tolls &toll, const cave_volume::Crossings &crossings) {
    const std::int64_t margin = cave_volume::horizontal(a, b) / 3 + 2;
    const Place low{std::max<std::int64_t>(0, std::min(a[0], b[0]) - margin),
                    std::max<std::int64_t>(0, std::min(a[1], b[1]) - margin), 0};
    const Extent2 box{std::min(toll.width(), std::max(a[0], b[0]) + margin + 1) - low[0],
                      std::min(toll.height(), std::max(a[1], b[1]) + margin + 1) - low[1]};
    const auto cell = [&](const Place &at) {
        return (at[1] - low[1]) * box.width + at[0] - low[0];
    };
    const auto place = [&](std::int64_t i) {
        const double x = static_cast<double>(low[0] + i % box.width - a[0]);
        const double y = static_cast<double>(low[1] + i / box.width - a[1]);
        const double dx = static_cast<double>(b[0] - a[0]);
        const double dy = static_cast<double>(b[1] - a[1]);
        const double square = std::max(1.0, dx * dx + dy * dy);
        const double share = std::clamp((x * dx + y * dy) / square, 0.0, 1.0);
        const double up = static_cast<double>(b[2] - a[2]) * share;
        const auto steps = static_cast<std::int64_t>(std::abs(up) + 0.5 + 1e-9);
        return Place{low[0] + i % box.width, low[1] + i / box.width,
                     a[2] + (up < 0 ? -steps : steps)};
    };
    const std::int64_t goal = cell(b);
    const cave::Ways ways = cave::find_ways(
        run, box.cells(), [&](std::int64_t i) { return i == goal ? 1u : 0u; },
        [&](std::int64_t i, auto &&f) {
            shape::for_neighbours(
                box, i, Boundary::bounded, [&](std::int64_t to, shape::Step step) {
                    const Place at = place(to);
                    f(to, toll.at(at[0], at[1], at[2]) * (crossings(at) ? 8u : 1u) * step.length);
                });
        });
    cave_volume::Way way{a};
    const auto go = [&](const Place &to) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            while (way.back()[axis] != to[axis]) {
                Place next = way.back();
                next[axis] += next[axis] < to[axis] ? 1 : -1;
                way.push_back(next);
            }
        }
    };
    for (std::int64_t i = cell(a);; i = ways.next[static_cast<std::size_t>(i)]) {
        go(place(i));
        if (ways.next[static_cast<std::size_t>(i)] == i) {
            break;
        }
    }
    go(b);
    return way;
}

const Extent3 kRocks[] = {{1, 1, 1}, {1, 40, 1}, {9, 1, 7}, {31, 33, 12}, {65, 20, 17}};

} // namespace

TEST_CASE("cave ways: costs and ways are those of Dijkstra's algorithm, however far one looks") {
    for (const Extent3 extent : kRocks) {
        for (const std::uint32_t dearest : {3u, 255u}) {
            const Rocks rocks(extent, 7, dearest, 150);
            core::Run one{Options{}};
            const auto label = shape::regions(one, rocks.open, shape::Adjacency::six).label;
            const cave::Ways want = rocks.ways(one, label);
            for (const int threads : {1, 2, 7}) {
                Options options;
                options.threads = threads;
                core::Run run(options);
                cave_volume::Ways ways(run, rocks.toll, rocks.open);
                for (const std::uint64_t far : {0u, 1u, 700u, 3000u, 0xffffffffu}) {
                    ways.reach(far);
                    CHECK(ways.known() >= far);
                    std::int64_t wrong = 0;
                    for (std::int64_t i = 0; i < label.size(); ++i) {
                        const auto at = static_cast<std::size_t>(i);
                        const bool known = want.cost[at] < ways.known();
                        wrong += known != (ways.cost(i) < ways.known()) ||
                                         ways.cost(i) < want.cost[at] ||
                                         (known && (ways.cost(i) != want.cost[at] ||
                                                    ways.next(i) != want.next[at]))
                                     ? 1
                                     : 0;
                    }
                    CHECK(wrong == 0);
                }
                CHECK(ways.known() == cave_volume::Ways::kUnreached);
            }
        }
    }
}

TEST_CASE("cave tunnels: the cheapest tree between the regions") {
    for (const Extent3 extent : kRocks) {
        for (const std::uint32_t rare : {20u, 150u, 1000u, 4000u}) {
            const Rocks rocks(extent, 11, rare == 150 ? 3 : 255, rare);
            core::Run run{Options{}};
            const auto regions = shape::regions(run, rocks.open, shape::Adjacency::six);
            const cave::Ways ways = rocks.ways(run, regions.label);
            std::vector<cave::Meeting> meetings;
            for (std::int64_t i = 0; i < rocks.toll.size(); ++i) {
                const auto [w, h, d] = extent;
                if ((i + 1) % w != 0) {
                    cave::add_meeting(ways, i, i + 1, meetings);
                }
                if (i / w % h + 1 < h) {
                    cave::add_meeting(ways, i, i + w, meetings);
                }
                if (i + w * h < rocks.toll.size()) {
                    cave::add_meeting(ways, i, i + w * h, meetings);
                }
            }
            VolumeMask want(extent);
            const cave_volume::Moves moves(rocks.toll);
            cave::for_joins(
                ways, meetings, regions.regions.size(), 0, [&](const cave::Meeting &meeting) {
                    for (std::uint32_t cell : {meeting.a, meeting.b}) {
                        for (want[cell] = 1; ways.next[cell] != cell;) {
                            const std::uint32_t to = ways.next[cell];
                            moves.between(to, cell, [&](std::int64_t i) { want[i] = 1; });
                            want[to] = 1;
                            cell = to;
                        }
                    }
                });
            CHECK(cave_volume::find_tunnels(run, rocks.open, rocks.toll) == want);
        }
    }
}

TEST_CASE("cave ramps: the cheapest way is that of Dijkstra's algorithm, and the first of equals") {
    core::Run run{Options{}};
    std::mt19937 draw(3);
    for (int round = 0; round < 40; ++round) {
        const Extent3 extent = round < 4 ? Extent3{1 + round, 1, 9} : Extent3{40, 33, 12};
        const auto any = [&] {
            const auto below = [&](std::int64_t n) {
                return static_cast<std::int64_t>(draw() % 1000) * n / 1000;
            };
            return Place{below(extent.width), below(extent.height), below(extent.depth)};
        };
        // With few tolls many ways cost the same.
        const std::uint32_t dearest = round % 3 == 0 ? 1 : round % 3 == 1 ? 3 : 255;
        cave_volume::Tolls toll(extent);
        for (auto &cell : toll.cells()) {
            cell = static_cast<std::uint8_t>(draw() % 8 == 0 ? 0 : 1 + draw() % dearest);
        }
        cave_volume::Crossings crossings(run, extent, 3, 5);
        crossings.add_room(any(), 4, 3);
        for (int i = 0; i < 9; ++i) {
            crossings.add(any());
        }
        const Place a = any();
        const Place b = any();
        const std::int64_t run_up = cave_volume::horizontal(a, b);
        const std::int64_t rise = std::abs(a[2] - b[2]);
        if (run_up < 2 * rise && run_up >= rise) {
            continue; // it turns
        }
        CHECK(cave_volume::find_way(a, b, toll, crossings) == slow_way(run, a, b, toll, crossings));
    }
}

TEST_CASE("cave passages: the nearest sites, level and straight on even ground") {
    Ground ground({60, 30, 20});
    const VolumeMask path = ground.passages({{5, 15, 10}, {25, 15, 10}, {50, 15, 10}});
    CHECK(count(path) == 46);
    for (std::int64_t x = 5; x <= 50; ++x) {
        CHECK(path.at(x, 15, 10) == 1);
    }
}

TEST_CASE("cave passages: one site, and none") {
    Ground ground({9, 7, 5});
    CHECK(count(ground.passages({{4, 3, 2}})) == 1);
    CHECK(count(ground.passages({})) == 0);
}

TEST_CASE("cave passages: a steep pair turns once beside the straight line") {
    Ground ground({60, 60, 40});
    const VolumeMask path = ground.passages({{20, 30, 10}, {40, 30, 28}}); // 18 up over 20
    CHECK(in_one(ground.run, path));
    std::int64_t farthest = 0;
    for (std::int64_t i = 0; i < path.size(); ++i) {
        if (path[i] != 0) {
            farthest = std::max(farthest, std::abs(i / 60 % 60 - 30));
        }
    }
    CHECK(farthest == 19); // both legs 18 * 5 / 4 cells: the root of 22^2 - 10^2
    CHECK(cut_columns(path, 6) <= 2);
    const VolumeMask gentle = ground.passages({{20, 30, 10}, {40, 30, 18}});
    for (std::int64_t i = 0; i < gentle.size(); ++i) {
        CHECK((gentle[i] == 0 || i / 60 % 60 == 30));
    }
}

TEST_CASE("cave passages: a site far from all others is joined none the less") {
    Ground ground({200, 20, 20});
    const VolumeMask path = ground.passages({{5, 10, 10}, {20, 10, 10}, {190, 10, 4}});
    CHECK(in_one(ground.run, path));
    CHECK(path.at(190, 10, 4) == 1);
}

TEST_CASE("cave passages: of crowded sites on many levels few cut one another") {
    std::mt19937 draw(5);
    const auto below = [&](std::int64_t n) {
        return static_cast<std::int64_t>(draw() % static_cast<std::uint32_t>(n));
    };
    std::int64_t cells = 0;
    std::int64_t cut = 0;
    for (int round = 0; round < 6; ++round) {
        Ground ground({90, 90, 60});
        std::set<Place> places;
        while (places.size() < 40) {
            places.insert({5 + below(80), 5 + below(80), 5 + below(50)});
        }
        ground.params.loops = round % 2;
        const VolumeMask path = ground.passages({places.begin(), places.end()});
        CHECK(in_one(ground.run, path));
        for (const int threads : {1, 7}) { // looks more or less far ahead
            Ground other({90, 90, 60}, threads);
            other.params = ground.params;
            CHECK(other.passages({places.begin(), places.end()}) == path);
        }
        cells += count(path);
        cut += cut_columns(path, 6);
    }
    CAPTURE(cells);
    CAPTURE(cut);
    CHECK(cut * 150 < cells); // heedless of one another they cut in one of 50
    CHECK(cells > 6000);
}
