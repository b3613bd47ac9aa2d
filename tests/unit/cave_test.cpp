#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include <karst/cave.hpp>
#include <karst/error.hpp>
#include <karst/params.hpp>

#include "core/digest.hpp"
#include "generators/cave_join.hpp"
#include "generators/cave_plan.hpp"
#include "generators/cave_table.hpp"

using namespace karst;

namespace {

// The 4-connected components of the open cells, counted one cell at a time.
int components(const Field2D<std::uint8_t> &map, bool torus) {
    std::vector<bool> seen(static_cast<std::size_t>(map.size()));
    int count = 0;
    for (std::int64_t start = 0; start < map.size(); ++start) {
        if (map[start] == 0 || seen[static_cast<std::size_t>(start)]) {
            continue;
        }
        ++count;
        std::vector<std::int64_t> stack{start};
        seen[static_cast<std::size_t>(start)] = true;
        while (!stack.empty()) {
            const std::int64_t x = stack.back() % map.width();
            const std::int64_t y = stack.back() / map.width();
            stack.pop_back();
            const std::int64_t near[4][2] = {{x + 1, y}, {x - 1, y}, {x, y + 1}, {x, y - 1}};
            for (const auto &[u, v] : near) {
                std::int64_t a = u;
                std::int64_t b = v;
                if (torus) {
                    a = (a + map.width()) % map.width();
                    b = (b + map.height()) % map.height();
                } else if (a < 0 || b < 0 || a >= map.width() || b >= map.height()) {
                    continue;
                }
                const std::int64_t cell = b * map.width() + a;
                if (map[cell] != 0 && !seen[static_cast<std::size_t>(cell)]) {
                    seen[static_cast<std::size_t>(cell)] = true;
                    stack.push_back(cell);
                }
            }
        }
    }
    return count;
}

std::int64_t open_cells(const Field2D<std::uint8_t> &map) {
    return map.size() - std::count(map.cells().begin(), map.cells().end(), std::uint8_t{0});
}

CaveParams preset(const std::string &name) {
    ParamSet set(cave::cave_table().infos());
    for (const Preset &p : cave::cave_presets()) {
        if (p.name == name) {
            set.apply(p);
            return cave::cave_table().from(set);
        }
    }
    FAIL("no preset " << name);
    return {};
}

double measure(const CaveResult &cave, const std::string &name) {
    for (const auto &[key, value] : cave.measures) {
        if (key == name) {
            return value;
        }
    }
    FAIL("no measure " << name);
    return 0;
}

std::vector<std::uint64_t> digests(const CaveResult &cave) {
    return {core::digest(cave.map), core::digest(cave.clearance), core::digest(cave.rooms)};
}

} // namespace

TEST_CASE("cave: one component for every seed, at three sizes and with every preset") {
    const auto presets = cave::cave_presets();
    REQUIRE(presets.size() >= 3);
    const Extent2 sizes[] = {{64, 64}, {97, 41}, {128, 128}};
    Options options;
    options.threads = 1;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const Extent2 size = sizes[seed % 3];
        const auto &name = presets[seed / 3 % presets.size()].name;
        CAPTURE(seed);
        CAPTURE(name);
        // A metre a cell makes several passages fit.
        const CaveResult cave = generate_cave(preset(name), size, 1, seed, options);
        REQUIRE(components(cave.map, false) == 1);
    }
}

TEST_CASE("cave: pockets are filled, all other regions joined, necks widened") {
    const Extent2 size{120, 80};
    const Options options;
    core::Run run(options);
    cave::Plan plan{Field2D<std::uint32_t>(size), Field2D<std::uint32_t>(size),
                    Field2D<std::uint32_t>(size)};
    shape::Mask open(size);
    for (std::int64_t y = 0; y < size.height; ++y) {
        for (std::int64_t x = 0; x < size.width; ++x) {
            const bool border = x == 0 || y == 0 || x == size.width - 1 || y == size.height - 1;
            plan.wall.at(x, y) = border ? cave::kCertain : cave::kCertain / 2;
            plan.width.at(x, y) = 65536;
            plan.toll.at(x, y) = 20;
        }
    }
    const auto dig = [&](std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height) {
        for (std::int64_t v = y; v < y + height; ++v) {
            for (std::int64_t u = x; u < x + width; ++u) {
                open.at(u, v) = 1;
            }
        }
    };
    dig(5, 5, 20, 20);
    dig(90, 50, 20, 20);
    dig(60, 60, 4, 4); // a pocket
    dig(50, 5, 20, 20);
    dig(70, 15, 8, 1); // a neck of one cell
    dig(78, 5, 20, 20);
    const std::int64_t radius = 2 * 256;
    const shape::Mask cave = cave::joined(
        run, open, plan, {.least_area = 100, .least_radius = radius, .tunnel_radius = radius},
        Boundary::bounded);
    CHECK(components(cave, false) == 1);
    CHECK(cave.at(15, 15) == 1);
    CHECK(cave.at(100, 60) == 1);
    CHECK(cave.at(61, 61) == 0);
    for (std::int64_t x = 70; x < 78; ++x) {
        CHECK(cave.at(x, 13) + cave.at(x, 14) + cave.at(x, 15) + cave.at(x, 16) + cave.at(x, 17) >=
              4);
    }
    // A disc of the radius moves through all of it: its cells stay one component.
    Field2D<std::uint8_t> core(size);
    for (std::int64_t y = 2; y < size.height - 2; ++y) {
        for (std::int64_t x = 2; x < size.width - 2; ++x) {
            bool fits = true;
            for (std::int64_t v = -2; v <= 2; ++v) {
                for (std::int64_t u = -2; u <= 2; ++u) {
                    fits &= u * u + v * v > 4 || cave.at(x + u, y + v) == 1;
                }
            }
            core.at(x, y) = fits ? 1 : 0;
        }
    }
    CHECK(components(core, false) == 1);
    const shape::Mask nothing = cave::joined(
        run, shape::Mask(size), plan,
        {.least_area = 100, .least_radius = radius, .tunnel_radius = radius}, Boundary::bounded);
    CHECK(open_cells(nothing) == 0);
}

TEST_CASE("cave: awkward sizes") {
    for (const auto &name : {"limestone", "lava_tubes", "cavern"}) {
        for (const Extent2 size : {Extent2{1, 1},
                                   {1, 40},
                                   {40, 1},
                                   {2, 2},
                                   {3, 3},
                                   {5, 64},
                                   {63, 63},
                                   {65, 65},
                                   {64, 63},
                                   {1000, 37}}) {
            CAPTURE(name);
            CAPTURE(size.width);
            CAPTURE(size.height);
            const CaveResult cave = generate_cave(preset(name), size, 0.5, 7);
            CHECK(cave.map.extent() == size);
            CHECK(cave.clearance.extent() == size);
            CHECK(cave.rooms.extent() == size);
            CHECK(components(cave.map, false) == 1);
        }
    }
}

TEST_CASE("cave: awkward tileable sizes, tiny and huge cells") {
    CaveParams params = preset("limestone");
    params.tileable = true;
    for (const Extent2 size : {Extent2{1, 1}, {1, 40}, {40, 1}, {2, 3}, {63, 65}}) {
        CAPTURE(size.width);
        CAPTURE(size.height);
        CHECK(components(generate_cave(params, size, 2, 7).map, true) == 1);
    }
    params = {};
    params.room_size = 1;
    params.passage_width = 0.5;
    params.passage_spacing = 4;
    CHECK(components(generate_cave(params, {130, 90}, 100, 1).map, false) == 1);
    params.passage_width = 200;
    params.passage_spacing = 2000;
    CHECK(components(generate_cave(params, {130, 90}, 0.01, 1).map, false) == 1);
}

TEST_CASE("cave: progress never falls and ends at 1, a cancel stops the job") {
    double last = 0;
    bool fell = false;
    std::atomic<bool> cancel = false;
    Options options;
    options.cancel = &cancel;
    options.progress = [&](const Progress &progress) {
        fell |= progress.fraction < last;
        last = progress.fraction;
    };
    generate_cave(preset("limestone"), {200, 200}, 0.5, 1, options);
    CHECK_FALSE(fell);
    CHECK(last == doctest::Approx(1));
    options.progress = [&](const Progress &progress) { cancel = progress.fraction > 0.7; };
    CHECK_THROWS_AS(generate_cave(preset("limestone"), {200, 200}, 0.5, 1, options), Error);
}

TEST_CASE("cave: parameters that leave all rock or all open") {
    CaveParams rock;
    rock.border = 1000;
    const CaveResult closed = generate_cave(rock, {90, 70}, 0.5, 3);
    CHECK(open_cells(closed.map) == 1);

    CaveParams open;
    open.passage_width = 40; // wider than the rock between passages
    open.passage_spacing = 20;
    open.border = 0;
    const CaveResult hall = generate_cave(open, {90, 70}, 0.5, 3);
    CHECK(components(hall.map, false) == 1);
    CHECK(open_cells(hall.map) > 70 * 60);
    for (std::int64_t x = 0; x < 90; ++x) { // the last cells are rock even without a border
        CHECK(hall.map.at(x, 0) == 0);
        CHECK(hall.map.at(x, 69) == 0);
    }

    open.tileable = true;
    open.pillar_area = 1000000;
    const CaveResult everything = generate_cave(open, {128, 64}, 2, 3);
    CHECK(open_cells(everything.map) == 128 * 64);

    CaveParams none;
    none.room_share = 0;
    none.least_width = 100;
    none.least_area = 1000000;
    none.pillar_area = 1000000;
    CHECK(components(generate_cave(none, {128, 128}, 1, 3).map, false) == 1);
    none.roughness = 100;
    none.pillars = 1;
    none.least_width = 0;
    none.least_area = 0;
    none.pillar_area = 0;
    CHECK(components(generate_cave(none, {128, 128}, 1, 3).map, false) == 1);
}

TEST_CASE("cave: the same bytes for every number of threads") {
    Options options;
    options.threads = 1;
    const auto one = digests(generate_cave(preset("limestone"), {301, 203}, 0.5, 11, options));
    for (const int threads : {2, 7}) {
        options.threads = threads;
        CHECK(digests(generate_cave(preset("limestone"), {301, 203}, 0.5, 11, options)) == one);
    }
    CHECK(digests(generate_cave(preset("limestone"), {301, 203}, 0.5, 12, options)) != one);
}

TEST_CASE("cave: solid border, clearance and rooms fit the map") {
    const CaveResult cave = generate_cave(preset("limestone"), {400, 300}, 0.5, 5);
    std::int64_t rooms = 0;
    for (std::int64_t y = 0; y < 300; ++y) {
        for (std::int64_t x = 0; x < 400; ++x) {
            const bool open = cave.map.at(x, y) == 255;
            if (x == 0 || y == 0 || x == 399 || y == 299) {
                CHECK_FALSE(open);
            }
            REQUIRE((open || cave.map.at(x, y) == 0));
            REQUIRE((cave.clearance.at(x, y) > 0) == open);
            REQUIRE((open || cave.rooms.at(x, y) == 0));
            rooms += cave.rooms.at(x, y) != 0;
        }
    }
    CHECK(rooms > 0);
    CHECK(measure(cave, "components") == 1);
    CHECK(measure(cave, "rooms") >= 2);
    CHECK(measure(cave, "open share") ==
          doctest::Approx(static_cast<double>(open_cells(cave.map)) / 120000));
}

TEST_CASE("cave: the layout does not depend on the resolution") {
    const CaveResult coarse = generate_cave(preset("limestone"), {200, 160}, 1, 9);
    const CaveResult fine = generate_cave(preset("limestone"), {800, 640}, 0.25, 9);
    std::int64_t same = 0;
    for (std::int64_t y = 0; y < 160; ++y) {
        for (std::int64_t x = 0; x < 200; ++x) {
            same += coarse.map.at(x, y) == fine.map.at(4 * x + 2, 4 * y + 2);
        }
    }
    CHECK(same > 200 * 160 * 97 / 100);
}

TEST_CASE("cave: a tileable map is one component on the torus and has no border") {
    CaveParams params = preset("limestone");
    params.tileable = true;
    const CaveResult cave = generate_cave(params, {256, 256}, 0.5, 4);
    CHECK(components(cave.map, true) == 1);
    std::int64_t open = 0;
    std::int64_t changes = 0;
    for (std::int64_t y = 0; y < 256; ++y) {
        open += cave.map.at(0, y) != 0;
        changes += cave.map.at(0, y) != cave.map.at(255, y);
    }
    CHECK(open > 0);
    CHECK(changes < 16);
    CHECK_THROWS_AS(generate_cave(params, {255, 256}, 0.5, 4), Error);
}

TEST_CASE("cave: arguments outside their range are refused") {
    CHECK_THROWS_AS(generate_cave({}, {0, 10}, 1, 1), Error);
    CHECK_THROWS_AS(generate_cave({}, {10, 65537}, 1, 1), Error);
    CHECK_THROWS_AS(generate_cave({}, {10, 10}, 0, 1), Error);
    CaveParams params;
    params.room_share = 2;
    CHECK_THROWS_AS(generate_cave(params, {10, 10}, 1, 1), Error);
    Options options;
    options.memory_limit = 1000;
    CHECK_THROWS_AS(generate_cave({}, {100, 100}, 1, 1, options), Error);
}
