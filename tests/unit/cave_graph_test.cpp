// Level data of caves: known answers for caves made by hand, and what holds for every cave.
#include <doctest/doctest.h>

#include <karst/cave_volume.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "generators/cave_volume.hpp"
#include "generators/cave_volume_places.hpp"

using namespace karst;

namespace {

// A cave of boxes in 72 x 40 x 16 cells of half a metre.
class Boxes {
public:
    Boxes() : density_({72, 40, 16}) {}

    // Opens the cells [low, high).
    Boxes &open(Extent3 low, Extent3 high) {
        for (std::int64_t z = low.depth; z < high.depth; ++z) {
            for (std::int64_t y = low.height; y < high.height; ++y) {
                for (std::int64_t x = low.width; x < high.width; ++x) {
                    density_.at(x, y, z) = 65535;
                }
            }
        }
        return *this;
    }
    // A mouth on the lowest floor of a column.
    Boxes &mouth(std::int64_t x, std::int64_t y) {
        mouths_.emplace_back(y * density_.width() + x);
        return *this;
    }

    CaveGraph graph() const {
        core::Run run{Options{}};
        run.stage("test", 1);
        const cave_volume::Spans spans = cave_volume::find_spans(run, density_);
        std::vector<std::int64_t> mouths;
        for (const std::int64_t column : mouths_) {
            mouths.push_back(spans.begin(column));
        }
        const cave_volume::Floors floors(run, spans);
        return cave_volume::make_graph(run, {}, 0.5, floors, mouths,
                                       std::vector<std::uint8_t>(spans.spans.size(), 1));
    }

private:
    Field3D<std::uint16_t> density_;
    std::vector<std::int64_t> mouths_;
};

std::vector<CaveNodeKind> kinds(const CaveGraph &graph) {
    std::vector<CaveNodeKind> list;
    for (const CaveNode &node : graph.nodes) {
        list.push_back(node.kind);
    }
    return list;
}

bool within(double value, double low, double high) {
    return value >= low && value <= high;
}

using enum CaveNodeKind;

// A room of 10 x 10 x 5 m with its floor at 1 m and one of 8 x 8 x 3 m at 2 m, and a corridor of
// 13 m, 2.5 m wide, 2 m high, whose floor rises halfway by half a metre.
Boxes two_rooms() {
    Boxes boxes;
    boxes.open({2, 10, 2}, {22, 30, 12}).open({48, 12, 4}, {64, 28, 10});
    boxes.open({22, 18, 3}, {35, 23, 7}).open({35, 18, 4}, {48, 23, 8});
    return boxes;
}

} // namespace

TEST_CASE("cave graph: two rooms and a corridor") {
    const CaveGraph graph = two_rooms().graph();
    REQUIRE(kinds(graph) == std::vector{room, room});
    REQUIRE(graph.rooms.size() == 2);
    const CaveRoom &large = graph.rooms[0];
    CHECK(within(large.width, 9.5, 10));
    CHECK(large.height == doctest::Approx(5).epsilon(0.001));
    CHECK(within(large.volume, 500, 500 + 2.5 * 2 * 4)); // and what it takes of the corridor
    CHECK(within(large.centre[0], 6, 6.3));
    CHECK(large.centre[1] == doctest::Approx(10).epsilon(0.01));
    CHECK(large.centre[2] == doctest::Approx(3.5).epsilon(0.01));
    CHECK(large.bounds[0] == CavePoint{1, 5, 1});
    CHECK(within(large.bounds[1][0], 11, 13.5));
    CHECK(large.bounds[1][1] == 15);
    CHECK(large.bounds[1][2] == doctest::Approx(6).epsilon(0.001));
    CHECK(within(graph.rooms[1].width, 7.5, 8));
    CHECK(graph.rooms[1].height == doctest::Approx(3).epsilon(0.001));
    // The nodes stand on the floor in the middle.
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(graph.nodes[i].index == static_cast<int>(i));
        CHECK(graph.nodes[i].passages == std::vector{0});
        CHECK(graph.nodes[i].position[2] == (i == 0 ? 1 : 2));
        CHECK(std::abs(graph.nodes[i].position[1] - 10) <= 1);
    }

    REQUIRE(graph.passages.size() == 1);
    const CavePassage &passage = graph.passages[0];
    CHECK(passage.nodes == std::array{0, 1});
    CHECK(passage.width == doctest::Approx(2.5));                // five cells: right in the middle
    CHECK(passage.height == doctest::Approx(1.5).epsilon(0.01)); // at the step
    CHECK(passage.points.front() == graph.nodes[0].position);
    CHECK(passage.points.back() == graph.nodes[1].position);
    for (const CavePoint &point : passage.points) {
        const double x = point[0];
        CHECK(point[2] == (x < 11 ? 1 : x < 17.5 ? 1.5 : 2));
        CHECK((x < 11 || x > 24 || within(point[1], 9.5, 11)));
    }
    const double far = graph.nodes[1].position[0] - graph.nodes[0].position[0];
    CHECK(within(passage.length, far, 1.05 * far));

    // Upright across the corridor, on its floor, up to its ceiling; seen from the room, the left
    // comes first.
    REQUIRE(graph.portals.size() == 2);
    const CavePortal &portal = graph.portals[0];
    CHECK(portal.room == 0);
    CHECK(portal.passage == 0);
    CHECK(portal.end == 0);
    CHECK(portal.width == doctest::Approx(2.5));
    CHECK(portal.height == doctest::Approx(2).epsilon(0.01));
    CHECK(within(portal.polygon[0][0], 11, 13.5));
    CHECK(portal.polygon[0][1] == doctest::Approx(9)); // looking east, north is on the left
    CHECK(portal.polygon[1][1] == doctest::Approx(11.5));
    CHECK(portal.polygon[0][2] == 1.5);
    CHECK(portal.polygon[2][2] == doctest::Approx(3.5).epsilon(0.01));
    CHECK(graph.portals[1].room == 1);
    CHECK(graph.portals[1].end == 1);
    CHECK(graph.portals[1].polygon[0][1] == doctest::Approx(11.5)); // looking west
    CHECK(graph.portals[1].polygon[0][2] == 2);
    CHECK(graph.dead_ends == 2);
    REQUIRE(graph.spawn_points.size() == 2);
    CHECK(graph.spawn_points[1].room == 1);
    CHECK(graph.spawn_points[1].position == graph.nodes[1].position);
}

TEST_CASE("cave graph: a niche is no passage and a slit in a wall no loop") {
    Boxes boxes = two_rooms();
    boxes.open({8, 30, 2}, {14, 33, 6});  // 1.5 m deep
    boxes.open({22, 26, 3}, {48, 27, 5}); // a cell wide
    const CaveGraph graph = boxes.graph();
    CHECK(kinds(graph) == std::vector{room, room});
    CHECK(graph.passages.size() == 1);
    boxes.open({22, 14, 4}, {48, 17, 6}); // 1 m high, and so large that it is a place
    const CaveGraph low = boxes.graph();
    CHECK(kinds(low) == std::vector{room, room, dead_end});
    REQUIRE(low.passages.size() == 2);
    CHECK(low.passages[0].height == doctest::Approx(1).epsilon(0.01));
    boxes.open({22, 13, 4}, {48, 17, 8}); // 2 m high and wide: a second way
    const CaveGraph ring = boxes.graph();
    CHECK(kinds(ring) == std::vector{room, room});
    REQUIRE(ring.passages.size() == 2);
    CHECK(ring.passages[0].nodes == ring.passages[1].nodes);
    CHECK(ring.portals.size() == 4);
}

TEST_CASE("cave graph: a fork of corridors with an entrance and a dead end") {
    Boxes boxes;
    boxes.open({0, 18, 2}, {60, 22, 7});              // from the western face
    boxes.open({38, 2, 2}, {42, 18, 6}).mouth(0, 20); // to the north
    const CaveGraph graph = boxes.graph();
    REQUIRE(kinds(graph) == std::vector{entrance, dead_end, junction, dead_end});
    CHECK(graph.rooms.empty());
    CHECK(graph.portals.empty());
    CHECK(graph.nodes[0].index == 0);
    CHECK(graph.nodes[0].position == CavePoint{0.25, 10.25, 1});
    // North of the fork first: its first cell is.
    CHECK(within(graph.nodes[1].position[1], 1, 3));
    CHECK(graph.nodes[2].index == -1);
    CHECK(within(graph.nodes[2].position[0], 18, 22));
    CHECK(within(graph.nodes[2].position[1], 7, 11));
    CHECK(graph.nodes[2].passages.size() == 3);
    CHECK(within(graph.nodes[3].position[0], 28, 30));
    CHECK(graph.dead_ends == 2);
    REQUIRE(graph.passages.size() == 3);
    CHECK(graph.passages[0].nodes == std::array{0, 2});
    for (const CavePassage &passage : graph.passages) {
        CHECK(within(passage.width, 1.4, 2));
        CHECK(within(passage.height, 1.99, 2.5));
    }
}

TEST_CASE("cave graph: rings, with and without a room") {
    Boxes ring;
    ring.open({10, 5, 2}, {50, 9, 6}).open({10, 31, 2}, {50, 35, 6});
    ring.open({10, 5, 2}, {14, 35, 6}).open({46, 5, 2}, {50, 35, 6});
    const CaveGraph bare = ring.graph();
    REQUIRE(kinds(bare) == std::vector{junction}); // stands for the ring
    REQUIRE(bare.passages.size() == 1);
    CHECK(bare.passages[0].nodes == std::array{0, 0});
    CHECK(bare.nodes[0].passages == std::vector{0});
    CHECK(bare.dead_ends == 0);
    CHECK(within(bare.passages[0].length, 0.85 * 62, 1.05 * 62)); // around, corners cut
    CHECK(bare.passages[0].points.front() == bare.passages[0].points.back());

    ring.open({2, 10, 2}, {20, 28, 10});
    const CaveGraph with_room = ring.graph();
    REQUIRE(kinds(with_room) == std::vector{room});
    REQUIRE(with_room.passages.size() == 1);
    CHECK(with_room.passages[0].nodes == std::array{0, 0});
    REQUIRE(with_room.portals.size() == 2);
    CHECK(with_room.portals[0].end != with_room.portals[1].end);
    CHECK(with_room.portals[0].polygon != with_room.portals[1].polygon);
}

TEST_CASE("cave graph: floors above each other are apart") {
    Boxes boxes;
    boxes.open({5, 18, 2}, {60, 22, 6}).open({5, 18, 9}, {60, 22, 13});
    boxes.open({56, 18, 2}, {60, 22, 13}); // a shaft joins them
    const CaveGraph graph = boxes.graph();
    CHECK(kinds(graph) == std::vector{dead_end, dead_end});
    REQUIRE(graph.passages.size() == 1);
    CHECK(graph.nodes[0].position[2] != graph.nodes[1].position[2]);
    CHECK(within(graph.passages[0].length, 50, 60));
}

TEST_CASE("cave graph: one cell, and an entrance alone") {
    const CaveGraph cell = Boxes().open({30, 20, 5}, {31, 21, 6}).graph();
    CHECK(kinds(cell) == std::vector{dead_end});
    CHECK(cell.passages.empty());
    CHECK(cell.dead_ends == 0);
    const CaveGraph mouth = Boxes().open({0, 20, 5}, {2, 22, 9}).mouth(0, 20).graph();
    CHECK(kinds(mouth) == std::vector{entrance});
    CHECK(mouth.nodes[0].passages.empty());
}

TEST_CASE("cave graph: distances to walls are those on the floor") {
    // A wide hall: against the distance to the rock of every column, the slow way.
    core::Run run{Options{}};
    run.stage("test", 1);
    Field3D<std::uint16_t> density({31, 23, 3});
    for (std::int64_t y = 1; y < 22; ++y) {
        for (std::int64_t x = 1; x < 30; ++x) {
            density.at(x, y, 1) = (x * 7 + y * 5) % 61 == 0 || x + y < 12 ? 0 : 65535;
        }
    }
    const cave_volume::Spans spans = cave_volume::find_spans(run, density);
    const cave_volume::Floors floors(run, spans);
    const cave_volume::Places places = cave_volume::find_places(run, {}, 1, floors, {});
    for (std::int64_t i = 0; i < floors.count(); ++i) {
        std::int64_t nearest = INT64_MAX;
        for (std::int64_t y = 0; y < 23; ++y) {
            for (std::int64_t x = 0; x < 31; ++x) {
                if (density.at(x, y, 1) == 0) {
                    const std::int64_t dx = x - floors.x(i);
                    const std::int64_t dy = y - floors.y(i);
                    nearest = std::min(nearest, dx * dx + dy * dy);
                }
            }
        }
        // Handing on loses a column here and there.
        const double far = std::sqrt(static_cast<double>(nearest));
        CHECK(within(std::sqrt(places.wall[static_cast<std::size_t>(i)]), far, far + 0.25));
    }
}

namespace {

// What the documentation promises of every graph.
void check_whole(const CaveVolume &cave, Extent3 extent, double cell) {
    const CaveGraph &graph = cave.graph;
    const auto count = [](const auto &list) { return static_cast<int>(list.size()); };
    const CavePoint size{static_cast<double>(extent.width) * cell,
                         static_cast<double>(extent.height) * cell,
                         static_cast<double>(extent.depth) * cell};
    const auto inside = [&](const CavePoint &point) {
        return within(point[0], 0, size[0]) && within(point[1], 0, size[1]) &&
               within(point[2], 0, size[2]);
    };
    REQUIRE(graph.nodes.size() >= graph.rooms.size() + cave.entrances.size());
    std::vector<std::vector<int>> passages(graph.nodes.size());
    for (int i = 0; i < count(graph.nodes); ++i) {
        const CaveNode &node = graph.nodes[static_cast<std::size_t>(i)];
        const bool is_entrance = i >= count(graph.rooms) && node.index >= 0;
        CHECK(node.index == (i < count(graph.rooms) ? i
                             : i < count(graph.rooms) + count(cave.entrances)
                                 ? i - count(graph.rooms)
                                 : -1));
        CHECK((node.kind == room) == (i < count(graph.rooms)));
        CHECK((node.kind == entrance) == is_entrance);
        CHECK(inside(node.position));
        if (is_entrance) {
            const CaveEntrance &its = cave.entrances[static_cast<std::size_t>(node.index)];
            CHECK(its.node == i);
            CHECK(std::abs(its.position[0] - node.position[0]) <= cell);
            CHECK(std::abs(its.position[1] - node.position[1]) <= cell);
            CHECK(its.position[2] == node.position[2]);
        }
    }
    std::vector<std::array<int, 2>> portals(graph.passages.size(), {0, 0});
    for (int i = 0; i < count(graph.passages); ++i) {
        const CavePassage &passage = graph.passages[static_cast<std::size_t>(i)];
        for (std::size_t end = 0; end < 2; ++end) {
            REQUIRE(within(passage.nodes[end], 0, count(graph.nodes) - 1));
            auto &list = passages[static_cast<std::size_t>(passage.nodes[end])];
            if (end == 0 || passage.nodes[0] != passage.nodes[1]) {
                list.push_back(i);
            }
            CHECK((end == 0 ? passage.points.front() : passage.points.back()) ==
                  graph.nodes[static_cast<std::size_t>(passage.nodes[end])].position);
        }
        double length = 0;
        for (std::size_t k = 0; k < passage.points.size(); ++k) {
            CHECK(inside(passage.points[k]));
            if (k > 0) {
                const CavePoint &a = passage.points[k - 1];
                const CavePoint &b = passage.points[k];
                length += std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
            }
        }
        CHECK(passage.length == doctest::Approx(length));
        CHECK(passage.width >= cell);
        CHECK(passage.height > 0);
    }
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        CHECK(graph.nodes[i].passages == passages[i]);
        CHECK((graph.nodes[i].kind != junction || passages[i].size() != 1 ||
               graph.passages[static_cast<std::size_t>(passages[i][0])].nodes[0] ==
                   graph.passages[static_cast<std::size_t>(passages[i][0])].nodes[1]));
    }
    std::vector<int> reached{0}; // all nodes hang together
    std::vector<bool> seen(graph.nodes.size());
    seen[0] = true;
    for (std::size_t k = 0; k < reached.size(); ++k) {
        for (const int i : graph.nodes[static_cast<std::size_t>(reached[k])].passages) {
            for (const int to : graph.passages[static_cast<std::size_t>(i)].nodes) {
                if (!seen[static_cast<std::size_t>(to)]) {
                    seen[static_cast<std::size_t>(to)] = true;
                    reached.push_back(to);
                }
            }
        }
    }
    CHECK(reached.size() == graph.nodes.size());
    for (const CavePortal &portal : graph.portals) {
        REQUIRE(within(portal.passage, 0, count(graph.passages) - 1));
        REQUIRE(within(portal.room, 0, count(graph.rooms) - 1));
        const auto passage = static_cast<std::size_t>(portal.passage);
        CHECK(graph.passages[passage].nodes[static_cast<std::size_t>(portal.end)] == portal.room);
        ++portals[passage][static_cast<std::size_t>(portal.end)];
        const auto &[low, high] = graph.rooms[static_cast<std::size_t>(portal.room)].bounds;
        CavePoint middle{};
        for (const CavePoint &corner : portal.polygon) {
            CHECK(inside(corner));
            for (std::size_t k = 0; k < 3; ++k) {
                middle[k] += corner[k] / 4;
            }
        }
        for (std::size_t k = 0; k < 3; ++k) { // it touches the room
            CHECK(within(middle[k], low[k] - cell, high[k] + cell));
        }
        CHECK(portal.polygon[0][2] == portal.polygon[1][2]);
        CHECK(portal.polygon[3][2] - portal.polygon[0][2] == doctest::Approx(portal.height));
    }
    for (std::size_t i = 0; i < graph.passages.size(); ++i) { // one at each end in a room
        for (std::size_t end = 0; end < 2; ++end) {
            CHECK(portals[i][end] == (graph.passages[i].nodes[end] < count(graph.rooms) ? 1 : 0));
        }
    }
    for (const CaveRoom &its : graph.rooms) {
        CHECK(within(its.volume, 1,
                     (its.bounds[1][0] - its.bounds[0][0]) * (its.bounds[1][1] - its.bounds[0][1]) *
                         (its.bounds[1][2] - its.bounds[0][2])));
        CHECK(its.height <= its.bounds[1][2] - its.bounds[0][2] + 1e-9);
        CHECK(inside(its.bounds[0]));
        CHECK(inside(its.bounds[1]));
    }
    for (const CaveSpawn &spawn : graph.spawn_points) {
        REQUIRE(within(spawn.room, 0, count(graph.rooms) - 1));
        const auto &[low, high] = graph.rooms[static_cast<std::size_t>(spawn.room)].bounds;
        for (std::size_t k = 0; k < 3; ++k) {
            CHECK(within(spawn.position[k], low[k], high[k]));
        }
        CHECK(spawn.position[2] >= graph.water_level);
    }
    for (const CaveEntrance &entrance : cave.entrances) {
        CHECK(entrance.position[2] >= graph.water_level);
    }
    std::int64_t open = 0;
    std::int64_t wet = 0;
    std::int64_t more = 0;
    for (std::int64_t i = 0; i < cave.density.size(); ++i) {
        const std::int64_t z = i / (cave.density.width() * cave.density.height());
        if (cave.density[i] >= 32768) {
            ++open;
            wet += static_cast<double>(z + 1) * cell <= graph.water_level ? 1 : 0;
            more += static_cast<double>(z) * cell <= graph.water_level ? 1 : 0;
        }
    }
    CHECK(wet * 20 <= open);
    // A cell more is too much, unless somebody stands there.
    const auto at_level = [&](const auto &its) { return its.position[2] == graph.water_level; };
    CHECK((more * 20 > open ||
           std::any_of(graph.spawn_points.begin(), graph.spawn_points.end(), at_level) ||
           std::any_of(cave.entrances.begin(), cave.entrances.end(), at_level)));
    const auto is_joined = [](const CaveEntrance &its) { return its.walkable; };
    const auto measure =
        std::find_if(cave.measures.begin(), cave.measures.end(),
                     [](const auto &its) { return its.first == "entrances_joined"; });
    REQUIRE(measure != cave.measures.end());
    CHECK(measure->second == static_cast<double>(std::count_if(cave.entrances.begin(),
                                                               cave.entrances.end(), is_joined)));
}

} // namespace

TEST_CASE("cave graph: whole for every cave, alike for every number of threads, and its JSON") {
    // The last has cells that are open by a hair.
    struct Case {
        std::uint64_t seed;
        Extent3 extent;
        double cell;
    };
    for (const Case &one :
         {Case{0, {64, 70, 32}, 0.6}, {1, {64, 50, 32}, 0.6}, {7, {36, 28, 16}, 1}}) {
        const std::uint64_t seed = one.seed;
        const Extent3 extent = one.extent;
        const double cell = one.cell;
        CAPTURE(seed);
        CaveVolumeParams params;
        params.entrances = seed == 1 ? 3 : 1;
        params.room_size = seed == 1 ? 4 : 14;
        Options options;
        options.threads = 1;
        const CaveVolume cave = generate_cave_volume(params, extent, cell, seed, options);
        check_whole(cave, extent, cell);
        const std::string text = cave_volume::level_json(cave, extent, cell);
        options.threads = 7;
        const CaveVolume again = generate_cave_volume(params, extent, cell, seed, options);
        CHECK(cave_volume::level_json(again, extent, cell) == text);

        const auto level = nlohmann::json::parse(text);
        const auto near = [](const nlohmann::json &point, const CavePoint &truth) {
            bool all = point.size() == 3;
            for (std::size_t k = 0; all && k < 3; ++k) {
                all = std::abs(point[k].get<double>() - truth[k]) <= 0.000501;
            }
            return all;
        };
        CHECK(level["size"][0].get<double>() ==
              doctest::Approx(static_cast<double>(extent.width) * cell));
        for (const char *list :
             {"nodes", "rooms", "passages", "portals", "entrances", "spawn_points"}) {
            for (std::size_t i = 0; i < level[list].size(); ++i) {
                CHECK(level[list][i]["id"] == i);
            }
        }
        REQUIRE(level["nodes"].size() == cave.graph.nodes.size());
        REQUIRE(level["passages"].size() == cave.graph.passages.size());
        for (std::size_t i = 0; i < cave.graph.nodes.size(); ++i) {
            const auto &node = level["nodes"][i];
            CHECK(near(node["position"], cave.graph.nodes[i].position));
            CHECK(node["passages"] == cave.graph.nodes[i].passages);
            const std::string kind = node["kind"];
            CHECK(node.contains("room") == (kind == "room"));
            CHECK(node.contains("entrance") == (kind == "entrance"));
        }
        for (std::size_t i = 0; i < cave.graph.passages.size(); ++i) {
            const auto &passage = level["passages"][i];
            const CavePassage &truth = cave.graph.passages[i];
            CHECK(passage["from"] == truth.nodes[0]);
            CHECK(passage["to"] == truth.nodes[1]);
            CHECK(std::abs(passage["length"].get<double>() - truth.length) <= 0.000501);
            REQUIRE(passage["points"].size() == truth.points.size());
            CHECK(near(passage["points"].back(), truth.points.back()));
        }
        for (const auto &its : level["rooms"]) {
            CHECK(level["nodes"][its["node"].get<std::size_t>()]["room"] == its["id"]);
        }
        for (const auto &its : level["entrances"]) {
            CHECK(level["nodes"][its["node"].get<std::size_t>()]["entrance"] == its["id"]);
            CHECK(its["walkable"].is_boolean());
        }
    }
}

TEST_CASE("cave graph: entrances that find no place are told") {
    CaveVolumeParams params;
    params.entrances = 40;
    std::vector<std::string> notes;
    Options options;
    options.notes = &notes;
    const CaveVolume cave = generate_cave_volume(params, {24, 24, 16}, 1, 1, options);
    const auto joined = std::count_if(cave.entrances.begin(), cave.entrances.end(),
                                      [](const CaveEntrance &its) { return its.walkable; });
    REQUIRE(joined < static_cast<std::int64_t>(cave.entrances.size()));
    REQUIRE(notes.size() == 2);
    CHECK(notes[1] == "the largest part that one can walk through has " + std::to_string(joined) +
                          " of the " + std::to_string(cave.entrances.size()) + " entrances");
    CHECK(notes[0].starts_with(std::to_string(cave.entrances.size()) + " of 40 entrances made: "));
    notes.clear();
    params.entrances = 1;
    generate_cave_volume(params, {24, 24, 16}, 1, 1, options);
    CHECK(notes.empty());
    generate_cave_volume(params, {24, 24, 16}, 1.5, 1, options); // 2.7 cells a passage
    REQUIRE(!notes.empty());
    CHECK(notes[0].starts_with("a passage is narrower than 4 cells"));
}
