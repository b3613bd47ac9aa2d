// The parts of the crack generator: lines, growth, strokes.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "core/rng.hpp"
#include "generators/crack_fracture.hpp"
#include "generators/crack_lines.hpp"
#include "generators/crack_raster.hpp"

using namespace karst;
using namespace karst::crack;

namespace {

std::uint32_t noise(std::int64_t x, std::int64_t y, std::uint32_t use = 1) {
    return core::draw_at(99, static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), 0, use)
        .word[0];
}

// Random plates, not connected: every border has to be found all the same.
Field2D<std::uint32_t> random_plates(Extent2 extent, std::uint32_t count) {
    Field2D<std::uint32_t> plates(extent);
    for (std::int64_t y = 0; y < extent.height; ++y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            plates.at(x, y) = noise(x, y) % count;
        }
    }
    return plates;
}

double distance(Point p, Point a, Point b) {
    const double dx = static_cast<double>(b.x - a.x);
    const double dy = static_cast<double>(b.y - a.y);
    const double px = static_cast<double>(p.x - a.x);
    const double py = static_cast<double>(p.y - a.y);
    const double length = dx * dx + dy * dy;
    const double t = length > 0 ? std::clamp((px * dx + py * dy) / length, 0.0, 1.0) : 0;
    return std::hypot(px - t * dx, py - t * dy);
}

Line straight(Point a, Point b) {
    return {{a, b}, {65536, 65536}};
}

Point cells(double x, double y) {
    return {static_cast<std::int64_t>(x * 65536), static_cast<std::int64_t>(y * 65536)};
}

} // namespace

TEST_CASE("borders: every edge between two plates lies on one line, lines end at junctions") {
    for (const Extent2 extent : {Extent2{1, 1}, Extent2{2, 1}, Extent2{3, 3}, Extent2{17, 9}}) {
        for (const std::uint32_t count : {1u, 2u, 5u}) {
            const auto plates = random_plates(extent, count);
            std::map<std::int64_t, int> degree;
            std::int64_t edges = 0;
            const auto corner = [&](std::int64_t x, std::int64_t y) {
                return wrap(y, extent.height) * extent.width + wrap(x, extent.width);
            };
            for (std::int64_t y = 0; y < extent.height; ++y) {
                for (std::int64_t x = 0; x < extent.width; ++x) {
                    if (plates.at(x, y) != plates[corner(x, y - 1)]) {
                        ++edges;
                        ++degree[corner(x, y)];
                        ++degree[corner(x + 1, y)];
                    }
                    if (plates.at(x, y) != plates[corner(x - 1, y)]) {
                        ++edges;
                        ++degree[corner(x, y)];
                        ++degree[corner(x, y + 1)];
                    }
                }
            }
            const Field2D<std::uint32_t> strength(extent);
            std::set<std::array<std::int64_t, 3>> drawn;
            std::int64_t steps = 0;
            for (const Line &line : trace_borders(plates, strength, 0)) {
                CHECK(line.points.size() == line.widths.size());
                const auto at = [&](std::size_t i) {
                    return corner(line.points[i].x >> 16, line.points[i].y >> 16);
                };
                const std::size_t last = line.points.size() - 1;
                CHECK((at(0) == at(last) || (degree[at(0)] != 2 && degree[at(last)] != 2)));
                for (std::size_t i = 0; i < last; ++i) {
                    const Point step = line.points[i + 1] - line.points[i];
                    CHECK(std::abs(step.x) + std::abs(step.y) == kOneCell);
                    const bool back = step.x < 0 || step.y < 0;
                    drawn.insert({at(back ? i + 1 : i), step.x != 0, 0});
                    ++steps;
                }
            }
            CHECK(steps == edges);
            CHECK(static_cast<std::int64_t>(drawn.size()) == edges);
        }
    }
}

TEST_CASE("borders: smoothing keeps the lines joined") {
    const auto plates = random_plates({12, 10}, 4);
    const auto rough = trace_borders(plates, Field2D<std::uint32_t>({12, 10}), 0);
    const auto smooth = trace_borders(plates, Field2D<std::uint32_t>({12, 10}), 7);
    REQUIRE(smooth.size() == rough.size());
    // Every end of a rough line moves as its junction does.
    std::map<std::pair<std::int64_t, std::int64_t>, Point> moved;
    for (std::size_t i = 0; i < rough.size(); ++i) {
        for (const bool back : {false, true}) {
            const Point was = back ? rough[i].points.back() : rough[i].points.front();
            const Point is = back ? smooth[i].points.back() : smooth[i].points.front();
            const auto key = std::pair{wrap(was.x, 12 << 16), wrap(was.y, 10 << 16)};
            const auto known = moved.emplace(key, is - was);
            CHECK(known.first->second == is - was);
        }
    }
}

TEST_CASE("small plates are united with a neighbour, none is left") {
    const Extent2 extent{24, 20};
    auto plates = random_plates({24, 20}, 1000);
    Field2D<std::uint32_t> strength(extent);
    for (std::int64_t i = 0; i < strength.size(); ++i) {
        strength[i] = noise(i, 0, 2) >> 16;
    }
    merge_small(plates, strength, 30);
    std::map<std::uint32_t, std::int64_t> areas;
    for (const std::uint32_t plate : plates.cells()) {
        ++areas[plate];
    }
    CHECK(areas.size() > 1);
    for (const auto &[plate, area] : areas) {
        CHECK(area >= 30);
    }
    // Across the weakest border: the middle plate is as likely to join either side but for it.
    Field2D<std::uint32_t> strip({9, 1});
    Field2D<std::uint32_t> veins({9, 1});
    for (std::int64_t x = 0; x < 9; ++x) {
        strip[x] = x < 4 ? 1 : x < 5 ? 2 : 3;
        veins[x] = x == 3 ? 100 : 50;
    }
    merge_small(strip, veins, 2);
    CHECK(strip[4] == 3);
}

TEST_CASE("refined: keeps its points, no step longer than asked") {
    const Line line{{cells(0, 0), cells(5, 1), cells(6, 9), cells(2, 9)}, {0, 1000, 65536, 3}};
    const Line fine = refined(line, kOneCell / 2);
    CHECK(fine.points.size() == fine.widths.size());
    for (const Point p : line.points) {
        CHECK(std::find(fine.points.begin(), fine.points.end(), p) != fine.points.end());
    }
    for (std::size_t i = 0; i + 1 < fine.points.size(); ++i) {
        CHECK(reach(fine.points[i + 1] - fine.points[i]) <= kOneCell * 9 / 10);
    }
}

TEST_CASE("the noise wraps, a whole turn is a whole turn on every grid") {
    const Extent2 grid{37, 23};
    const TorusNoise torus(5, 0, grid, {7, 3});
    for (int i = 0; i < 50; ++i) {
        const Point p = cells(noise(i, 0) % 1000 / 13.0 - 20, noise(i, 1) % 1000 / 17.0 - 20);
        const Point turned = p + Point{-grid.width << 16, 2 * grid.height << 16};
        CHECK(torus.at(p) == torus.at(turned));
        CHECK(reach(torus.at(p)) <= kOneCell);
        const Extent2 out{101, 64};
        CHECK(on_grid(turned, grid, out) - on_grid(p, grid, out) ==
              Point{-out.width << 16, 2 * out.height << 16});
    }
}

TEST_CASE("secondary cracks end on standing ones, near a right angle, and cut plates in pieces") {
    Options options{.threads = 2};
    core::Run run(options);
    const Extent2 grid{96, 96};
    Field2D<std::uint32_t> veins(grid);
    for (std::int64_t i = 0; i < veins.size(); ++i) {
        veins[i] = noise(i, 0) >> 16;
    }
    Fracture fracture(run, veins, {}, {}, 7);
    fracture.add({straight(cells(0, 10), cells(96, 10)), straight(cells(20, 0), cells(20, 96)),
                  straight(cells(60, 0), cells(75, 96))});
    SplitRule rule;
    rule.piece = 150;
    rule.dead_ends = 0;
    fracture.split(rule);
    const std::vector<Line> lines = fracture.take();
    CHECK(lines.size() > 20);
    int right_angles = 0;
    int ends = 0;
    for (std::size_t i = 3; i < lines.size(); ++i) {
        const auto &points = lines[i].points;
        for (const bool back : {false, true}) {
            const Point end = back ? points.back() : points.front();
            const Point inner = back ? points[points.size() - 2] : points[1];
            double nearest = 1e30;
            double cosine = 0;
            for (std::size_t j = 0; j < lines.size(); ++j) {
                for (std::size_t k = 0; j != i && k + 1 < lines[j].points.size(); ++k) {
                    const Point a = lines[j].points[k];
                    const Point b = lines[j].points[k + 1];
                    for (std::int64_t turn = 0; turn < 9; ++turn) {
                        const Point by{(turn % 3 - 1) * (96 << 16), (turn / 3 - 1) * (96 << 16)};
                        const double d = distance(end, a + by, b + by);
                        if (d < nearest) {
                            nearest = d;
                            const double ux = static_cast<double>(b.x - a.x);
                            const double uy = static_cast<double>(b.y - a.y);
                            const double vx = static_cast<double>(end.x - inner.x);
                            const double vy = static_cast<double>(end.y - inner.y);
                            cosine = std::abs(ux * vx + uy * vy) /
                                     std::max(1.0, std::hypot(ux, uy) * std::hypot(vx, vy));
                        }
                    }
                }
            }
            CHECK(nearest < 0.01 * kOneCell);
            ++ends;
            right_angles += cosine < 0.5 ? 1 : 0; // 60 to 120 degrees
        }
    }
    CHECK(right_angles > ends * 9 / 10);
}

TEST_CASE("strokes: as a cell by cell search over all strokes and turns, and they shift") {
    Options options{.threads = 3};
    core::Run run(options);
    const Extent2 extent{45, 70};
    std::vector<Stroke> strokes;
    for (std::int64_t i = 0; i < 12; ++i) {
        const auto coordinate = [&](std::uint32_t use, std::uint32_t size) {
            return static_cast<std::int64_t>(noise(i, 7, use) % (size * 256)) - 256 * 10;
        };
        const Point a{coordinate(1, 60), coordinate(2, 90)};
        const Point b = a + Point{coordinate(3, 20) / 2, coordinate(4, 20) / 2};
        strokes.push_back(
            {{a, 128 + noise(i, 8) % 900, 30000}, {b, 128 + noise(i, 9) % 900, 60000}});
    }
    const Strokes drawn = draw(run, strokes, 1 << 15, extent);
    for (std::int64_t y = 0; y < extent.height; ++y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            double best = -1e9;
            bool core = false;
            bool near_core = false;
            for (const Stroke &s : strokes) {
                for (std::int64_t turn = 0; turn < 9; ++turn) {
                    const Point p{(x + (turn % 3 - 1) * extent.width) * 256 + 128,
                                  (y + (turn / 3 - 1) * extent.height) * 256 + 128};
                    const double dx = static_cast<double>(s.b.at.x - s.a.at.x);
                    const double dy = static_cast<double>(s.b.at.y - s.a.at.y);
                    const double length = dx * dx + dy * dy;
                    const double dot = static_cast<double>(p.x - s.a.at.x) * dx +
                                       static_cast<double>(p.y - s.a.at.y) * dy;
                    const double t = length > 0 ? std::clamp(dot / length, 0.0, 1.0) : 0;
                    const double half = static_cast<double>(s.a.half) +
                                        t * static_cast<double>(s.b.half - s.a.half);
                    const double off = distance(p, s.a.at, s.b.at);
                    best = std::max(best, half - off);
                    core = core || off <= 128;
                    near_core = near_core || off <= 128 + 20;
                }
            }
            const double inset = drawn.inset.at(x, y);
            if (best > 0 || inset > 0) {
                CHECK(std::abs(best - inset) <= 14); // a twentieth of a cell
            }
            CHECK(((!core || drawn.core.at(x, y) == 1) && (near_core || drawn.core.at(x, y) == 0)));
        }
    }
    for (Stroke &s : strokes) {
        s.a.at = s.a.at + Point{13 * 256, -29 * 256};
        s.b.at = s.b.at + Point{13 * 256, -29 * 256};
    }
    const Strokes shifted = draw(run, strokes, 1 << 15, extent);
    bool same = true;
    for (std::int64_t y = 0; y < extent.height; ++y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            const std::int64_t u = wrap(x + 13, extent.width);
            const std::int64_t v = wrap(y - 29, extent.height);
            same = same && drawn.inset.at(x, y) == shifted.inset.at(u, v) &&
                   drawn.half.at(x, y) == shifted.half.at(u, v) &&
                   drawn.depth.at(x, y) == shifted.depth.at(u, v) &&
                   drawn.core.at(x, y) == shifted.core.at(u, v);
        }
    }
    CHECK(same);
}
