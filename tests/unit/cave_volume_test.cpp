// Caves in three dimensions: one open component always, closed borders, entrances, measures.
#include <doctest/doctest.h>

#include <karst/cave_volume.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <tuple>

#include "core/digest.hpp"
#include "generators/cave_volume.hpp"
#include "generators/registry.hpp"
#include "shape/surface.hpp"
#include "shape/volume.hpp"

using namespace karst;

namespace {

double measure(const CaveVolume &cave, const std::string &name) {
    for (const auto &[key, value] : cave.measures) {
        if (key == name) {
            return value;
        }
    }
    FAIL("no measure " << name);
    return 0;
}

CaveVolumeParams with_preset(const std::string &name) {
    const GeneratorInfo &info = find_generator("cave3d");
    for (const Preset &preset : info.presets) {
        if (preset.name == name) {
            ParamSet set(info.params);
            set.apply(preset);
            const CaveVolumeParams params = cave_volume::table().from(set);
            return params;
        }
    }
    FAIL("no preset " << name);
    return {};
}

// Independent of the library's labels: a flood from the first open cell.
std::int64_t flooded(const Field3D<std::uint16_t> &density) {
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(density.size()));
    std::vector<std::int64_t> open;
    for (std::int64_t i = 0; i < density.size() && open.empty(); ++i) {
        if (density[i] >= shape::kOpen) {
            open.push_back(i);
            seen[static_cast<std::size_t>(i)] = 1;
        }
    }
    std::int64_t count = 0;
    const auto [w, h, d] = density.extent();
    while (!open.empty()) {
        const std::int64_t i = open.back();
        open.pop_back();
        ++count;
        const auto visit = [&](bool inside, std::int64_t to) {
            if (inside && density[to] >= shape::kOpen && seen[static_cast<std::size_t>(to)] == 0) {
                seen[static_cast<std::size_t>(to)] = 1;
                open.push_back(to);
            }
        };
        const std::int64_t x = i % w;
        const std::int64_t y = i / w % h;
        const std::int64_t z = i / (w * h);
        visit(x > 0, i - 1);
        visit(x + 1 < w, i + 1);
        visit(y > 0, i - w);
        visit(y + 1 < h, i + w);
        visit(z > 0, i - w * h);
        visit(z + 1 < d, i + w * h);
    }
    return count;
}

std::int64_t open_cells(const Field3D<std::uint16_t> &density) {
    return std::count_if(density.cells().begin(), density.cells().end(),
                         [](std::uint16_t value) { return value >= shape::kOpen; });
}

} // namespace

TEST_CASE("cave volume: one open component, whatever the seed, the preset and the size") {
    for (const char *preset : {"limestone", "grotto", "mine"}) {
        const CaveVolumeParams params = with_preset(preset);
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            CAPTURE(preset);
            CAPTURE(seed);
            const auto side = static_cast<std::int64_t>(30 + 7 * seed);
            const CaveVolume cave = generate_cave_volume(params, {side, side + 5, 26}, 1, seed);
            CHECK(open_cells(cave.density) > 0);
            CHECK(flooded(cave.density) == open_cells(cave.density));
            CHECK(measure(cave, "components") == 1);
        }
    }
}

// KARST_CAVE_SEEDS=100 takes minutes and is for people; the build farm looks at two.
TEST_CASE("cave volume: one component at 96^3") {
    const char *wanted = std::getenv("KARST_CAVE_SEEDS");
    const std::uint64_t seeds = wanted == nullptr ? 2 : std::strtoull(wanted, nullptr, 10);
    for (const char *preset : {"limestone", "grotto", "mine"}) {
        CaveVolumeParams params = with_preset(preset);
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            CAPTURE(preset);
            CAPTURE(seed);
            params.entrances = static_cast<std::int64_t>(seed % 3);
            const CaveVolume cave = generate_cave_volume(params, {96, 96, 96}, 0.5, seed);
            CHECK(open_cells(cave.density) > 1000);
            CHECK(flooded(cave.density) == open_cells(cave.density));
            CHECK(cave.entrances.size() == static_cast<std::size_t>(params.entrances));
        }
    }
}

TEST_CASE("cave volume: small and thin boxes hold a cave too") {
    for (const Extent3 extent :
         {Extent3{1, 1, 1}, {1, 1, 9}, {17, 1, 1}, {1, 12, 5}, {2, 2, 2}, {5, 4, 3}, {9, 65, 8}}) {
        CAPTURE(extent.width);
        CAPTURE(extent.height);
        CAPTURE(extent.depth);
        const CaveVolume cave = generate_cave_volume({}, extent, 0.5, 3);
        CHECK(open_cells(cave.density) > 0);
        CHECK(flooded(cave.density) == open_cells(cave.density));
    }
}

TEST_CASE("cave volume: the faces are rock but for the entrances") {
    CaveVolumeParams params;
    for (const std::int64_t entrances : {0, 1, 3}) {
        CAPTURE(entrances);
        params.entrances = entrances;
        const CaveVolume cave = generate_cave_volume(params, {64, 60, 30}, 1, 5);
        REQUIRE(cave.entrances.size() == static_cast<std::size_t>(entrances));
        const auto [w, h, d] = cave.density.extent();
        shape::VolumeMask face(cave.density.extent());
        for (std::int64_t i = 0; i < face.size(); ++i) {
            const std::int64_t x = i % w;
            const std::int64_t y = i / w % h;
            const std::int64_t z = i / (w * h);
            const bool side = x == 0 || y == 0 || x == w - 1 || y == h - 1;
            const bool open = cave.density[i] >= shape::kOpen;
            CHECK_FALSE((open && (z == 0 || z == d - 1)));
            face[i] = side && open ? 1 : 0;
        }
        core::Run run{Options{}};
        run.stage("test", 1);
        CHECK(shape::regions(run, face, shape::Adjacency::six).regions.size() ==
              static_cast<std::size_t>(entrances));
        for (const CaveEntrance &entrance : cave.entrances) {
            const auto inside = [](double metres, std::int64_t cells) {
                return std::clamp<std::int64_t>(static_cast<std::int64_t>(metres), 0, cells - 1);
            };
            const std::int64_t x = inside(entrance.position[0], w);
            const std::int64_t y = inside(entrance.position[1], h);
            const auto z = static_cast<std::int64_t>(std::round(entrance.position[2]));
            CHECK(cave.density.at(x, y, z) >= shape::kOpen);
            CHECK(std::abs(entrance.outwards[0]) + std::abs(entrance.outwards[1]) == 1);
        }
    }
}

TEST_CASE("cave volume: the faces stay rock for awkward sizes and parameters") {
    CaveVolumeParams open;
    open.border = 0;
    open.room_share = 1;
    open.room_size = 30;
    open.roughness = 5;
    CaveVolumeParams wide = open;
    wide.passage_width = 8;
    wide.room_height = 2;
    CaveVolumeParams closed;
    closed.least_width = 30;
    CaveVolumeParams solid;
    solid.border = 1000;
    CaveVolumeParams bored;
    bored.least_width = 14;
    for (const auto &[params, extent, cell] : {std::tuple{open, Extent3{43, 45, 41}, 0.3},
                                               {wide, Extent3{33, 35, 37}, 0.5},
                                               {closed, Extent3{32, 32, 16}, 1.0},
                                               {solid, Extent3{20, 20, 9}, 1.0},
                                               {bored, Extent3{40, 40, 20}, 1.0},
                                               {CaveVolumeParams{}, Extent3{40, 40, 4}, 0.5}}) {
        for (const std::int64_t entrances : {0, 2}) {
            CaveVolumeParams asked = params;
            asked.entrances = entrances;
            const CaveVolume cave = generate_cave_volume(asked, extent, cell, 2);
            const std::int64_t width = extent.width; // clang 14 captures no part of a tuple
            CAPTURE(width);
            CAPTURE(entrances);
            std::int64_t level = 0;
            std::int64_t sides = 0;
            const auto [w, h, d] = extent;
            for (std::int64_t i = 0; i < cave.density.size(); ++i) {
                const std::int64_t x = i % w;
                const std::int64_t y = i / w % h;
                const std::int64_t z = i / (w * h);
                const std::int64_t is_open = cave.density[i] >= shape::kOpen ? 1 : 0;
                level += z == 0 || z == d - 1 ? is_open : 0;
                sides += x == 0 || y == 0 || x == w - 1 || y == h - 1 ? is_open : 0;
            }
            CHECK(level == 0);
            CHECK((sides == 0 || entrances > 0));
            CHECK(open_cells(cave.density) > 0);
            CHECK(flooded(cave.density) == open_cells(cave.density));
        }
    }
}

TEST_CASE("cave volume: the same bytes for every number of threads") {
    Options options;
    options.threads = 1;
    const CaveVolume one = generate_cave_volume({}, {48, 37, 24}, 1, 9, options);
    for (const int threads : {2, 7}) {
        options.threads = threads;
        const CaveVolume other = generate_cave_volume({}, {48, 37, 24}, 1, 9, options);
        CHECK(core::digest(one.density) == core::digest(other.density));
        CHECK(one.measures == other.measures);
    }
}

TEST_CASE("cave volume: resolution changes detail, not layout") {
    const CaveVolume coarse = generate_cave_volume({}, {48, 48, 24}, 1, 11);
    const CaveVolume fine = generate_cave_volume({}, {96, 96, 48}, 0.5, 11);
    std::int64_t both = 0;
    std::int64_t either = 0;
    for (std::int64_t z = 0; z < 48; ++z) {
        for (std::int64_t y = 0; y < 96; ++y) {
            for (std::int64_t x = 0; x < 96; ++x) {
                const bool a = coarse.density.at(x / 2, y / 2, z / 2) >= shape::kOpen;
                const bool b = fine.density.at(x, y, z) >= shape::kOpen;
                both += a && b ? 1 : 0;
                either += a || b ? 1 : 0;
            }
        }
    }
    CHECK(static_cast<double>(both) > 0.8 * static_cast<double>(either));
}

TEST_CASE("cave volume: a walker gets far, and its measures are of this cave") {
    CaveVolumeParams params;
    params.entrances = 2;
    const CaveVolume cave = generate_cave_volume(params, {96, 96, 48}, 0.5, 1);
    const double walkable = measure(cave, "walkable");
    CHECK(walkable > 0.2);
    CHECK(walkable <= measure(cave, "standing"));
    CHECK(measure(cave, "entrances") == 2);
    CHECK(measure(cave, "passage_length") > 20);
    double headroom = 0;
    for (const char *name : {"headroom_below_1m", "headroom_1m_to_2m", "headroom_2m_to_4m",
                             "headroom_4m_to_8m", "headroom_above_8m"}) {
        headroom += measure(cave, name);
    }
    CHECK(headroom == doctest::Approx(1));
    CHECK_FALSE(cave.graph.spawn_points.empty());
    CHECK(cave.graph.rooms.size() == static_cast<std::size_t>(measure(cave, "rooms")));
    // A giant of a walker stands nowhere.
    params.agent_height = 20;
    CHECK(measure(generate_cave_volume(params, {96, 96, 48}, 0.5, 1), "walkable") == 0);
}

TEST_CASE("cave volume: what it refuses") {
    CHECK_THROWS_AS(generate_cave_volume({}, {0, 5, 5}, 1, 1), Error);
    CHECK_THROWS_AS(generate_cave_volume({}, {5, 5, 4097}, 1, 1), Error);
    CHECK_THROWS_AS(generate_cave_volume({}, {5, 5, 5}, 0, 1), Error);
    CaveVolumeParams params;
    params.entrances = 65;
    CHECK_THROWS_AS(generate_cave_volume(params, {5, 5, 5}, 1, 1), Error);
    Options options;
    options.memory_limit = 1 << 20;
    CHECK_THROWS_AS(generate_cave_volume({}, {512, 512, 512}, 0.5, 1, options), Error);
}

TEST_CASE("cave volume: a shape is open, or rock") {
    // A box of 10 x 4 x 8 m, 6 m from the corner along each axis.
    Mesh box;
    for (const float y : {6.0f, 10.0f}) {
        for (const Vec2 corner : {Vec2{6, 6}, {16, 6}, {16, 14}, {6, 14}}) {
            box.positions.push_back({corner[0], y, corner[1]});
        }
    }
    box.indices = {0, 1, 2, 0, 2, 3, 4, 6, 5, 4, 7, 6, 0, 4, 5, 0, 5, 1,
                   1, 5, 6, 1, 6, 2, 2, 6, 7, 2, 7, 3, 3, 7, 4, 3, 4, 0};
    CaveVolumeParams params;
    params.floor = 0;
    const auto open_inside = [&](const CaveVolume &cave) {
        std::int64_t open = 0;
        for (std::int64_t z = 7; z < 9; ++z) {
            for (std::int64_t y = 8; y < 12; ++y) {
                for (std::int64_t x = 8; x < 14; ++x) {
                    open += cave.density.at(x, y, z) >= shape::kOpen ? 1 : 0;
                }
            }
        }
        return open;
    };
    const CaveVolume room = generate_cave_volume(params, {40, 36, 24}, 1, 2, {}, &box);
    CHECK(open_inside(room) == 2 * 4 * 6);
    CHECK(flooded(room.density) == open_cells(room.density));
    params.shape_use = ShapeUse::rock;
    const CaveVolume rock = generate_cave_volume(params, {40, 36, 24}, 1, 2, {}, &box);
    CHECK(open_inside(rock) == 0);
    CHECK(flooded(rock.density) == open_cells(rock.density));
    for (Vec3 &corner : box.positions) {
        corner[0] += 100;
    }
    CHECK_THROWS_AS(generate_cave_volume(params, {40, 36, 24}, 1, 2, {}, &box), Error);
    for (Vec3 &corner : box.positions) {
        corner[0] -= 100;
    }
    box.indices.resize(33);
    CHECK_THROWS_AS(generate_cave_volume(params, {40, 36, 24}, 1, 2, {}, &box), Error);
}
