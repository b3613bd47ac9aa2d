// Where agents start, and how many.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>

#include <karst/error.hpp>

#include "support/physarum.hpp"

using namespace karst;
using test::spawn_physarum;

namespace {

// Agents of each cell by column and row; checks on the way that every agent is inside, and that its
// id, place and heading are those of its cell and slot.
std::map<std::pair<std::int64_t, std::int64_t>, int>
agents_of_cells(const PhysarumParams &params, const rules::PhysarumRule &rule) {
    const auto state = spawn_physarum(params, rule);
    std::map<std::pair<std::int64_t, std::int64_t>, int> cells;
    std::set<std::uint64_t> ids(state.ids.begin(), state.ids.end());
    CHECK(ids.size() == state.agents.size());
    for (std::size_t i = 0; i < state.agents.size(); ++i) {
        const rules::Agent &agent = state.agents[i];
        const std::int64_t x = std::int64_t{agent.x} - rule.origin_x;
        const std::int64_t y = std::int64_t{agent.y} - rule.origin_y;
        REQUIRE(x >= 0);
        REQUIRE(y >= 0);
        REQUIRE(x < rule.width);
        REQUIRE(y < rule.height);
        const auto slot = static_cast<std::uint64_t>(cells[{x, y}]++);
        const std::uint64_t mask = (1u << 28) - 1;
        CHECK(state.ids[i] ==
              ((static_cast<std::uint64_t>(std::int64_t{agent.y}) & mask) << 36 |
               (static_cast<std::uint64_t>(std::int64_t{agent.x}) & mask) << 8 | slot));
        const auto draw = core::draw_at(
            rule.seed, agent.x, agent.y, 0,
            core::use(core::stage_physarum_spawn, static_cast<std::uint32_t>(slot), 1));
        CHECK(agent.fraction_x == draw.word[0] % 65536);
        CHECK(agent.fraction_y == draw.word[0] / 65536);
        CHECK(agent.heading == draw.word[1] / 65536);
    }
    for (const std::uint32_t value : state.trail.cells()) {
        CHECK(value == 0);
    }
    return cells;
}

PhysarumParams one_a_cell(Spawn spawn) {
    PhysarumParams params;
    params.spawn = spawn;
    params.agent_density = 1;
    return params;
}

} // namespace

TEST_CASE("spawn: with one agent a cell the shapes are what they are called") {
    for (const Extent2 extent : {Extent2{64, 64}, {65, 65}, {64, 33}, {17, 90}, {1, 1}, {1, 9}}) {
        for (const Spawn spawn : {Spawn::uniform, Spawn::disc, Spawn::ring, Spawn::edges}) {
            PhysarumParams params = one_a_cell(spawn);
            params.spawn_radius = 0.75;
            params.spawn_width = 3;
            const auto rule = sim::quantise(params, extent, 4, 0, {-20, 31});
            const auto cells = agents_of_cells(params, rule);
            const double half = static_cast<double>(std::min(extent.width, extent.height)) / 2;
            for (std::int64_t y = 0; y < extent.height; ++y) {
                for (std::int64_t x = 0; x < extent.width; ++x) {
                    const double dx =
                        static_cast<double>(x) + 0.5 - static_cast<double>(extent.width) / 2;
                    const double dy =
                        static_cast<double>(y) + 0.5 - static_cast<double>(extent.height) / 2;
                    const double distance = std::sqrt(dx * dx + dy * dy);
                    const auto inside = [&](double margin) {
                        switch (spawn) {
                        case Spawn::disc:
                            return distance <= 0.75 * half + margin;
                        case Spawn::ring:
                            return std::abs(distance - 0.75 * half) <= 1.5 + margin;
                        case Spawn::edges:
                            return std::min({x, y, extent.width - 1 - x, extent.height - 1 - y}) <
                                   3;
                        case Spawn::uniform:
                            break;
                        }
                        return true;
                    };
                    const bool held = cells.contains({x, y});
                    // The radius is kept to half a cell.
                    CHECK((!held || inside(0.5)));
                    CHECK((held || !inside(-0.5)));
                    CHECK(held == cells.contains({extent.width - 1 - x, y}));
                    CHECK(held == cells.contains({x, extent.height - 1 - y}));
                    CHECK((!held || cells.at({x, y}) == 1));
                }
            }
        }
    }
}

TEST_CASE("spawn: density gives the whole part to every cell and the rest by chance") {
    PhysarumParams params;
    params.agent_density = 2.25;
    const auto cells = agents_of_cells(params, sim::quantise(params, {100, 80}, 6));
    CHECK(cells.size() == 8000);
    int more = 0;
    for (const auto &[cell, agents] : cells) {
        CHECK((agents == 2 || agents == 3));
        more += agents == 3 ? 1 : 0;
    }
    CHECK(std::abs(more - 2000) < 5 * 39); // five standard deviations of binomial(8000, 1/4)

    params.agent_density = 0;
    CHECK(agents_of_cells(params, sim::quantise(params, {100, 80}, 6)).empty());
}

TEST_CASE("spawn: agent_count is exact and spread as evenly as can be") {
    PhysarumParams params;
    for (const Spawn spawn : {Spawn::uniform, Spawn::disc, Spawn::ring, Spawn::edges}) {
        params.spawn = spawn;
        const auto area =
            agents_of_cells(one_a_cell(spawn), sim::quantise(params, {50, 30}, 3)).size();
        for (const std::int64_t count : {1, 2, 17, 300, 1500, 4096, 20001}) {
            params.agent_count = count;
            const auto cells = agents_of_cells(params, sim::quantise(params, {50, 30}, 3));
            std::int64_t total = 0;
            const auto each = static_cast<int>(count / static_cast<std::int64_t>(area));
            for (const auto &[cell, agents] : cells) {
                total += agents;
                CHECK((agents == each || agents == each + 1));
            }
            CHECK(total == count);
            CHECK((each == 0 || cells.size() == area));
        }
    }
}

TEST_CASE("spawn: the remainder of agent_count goes to the smallest draws") {
    PhysarumParams params;
    params.agent_count = 30 * 20 + 7;
    const auto rule = sim::quantise(params, {30, 20}, 99);
    std::set<std::pair<std::uint32_t, std::int64_t>> order;
    for (std::int32_t y = 0; y < 20; ++y) {
        for (std::int32_t x = 0; x < 30; ++x) {
            const auto draw =
                core::draw_at(99, x, y, 0, core::use(core::stage_physarum_spawn)).word[0];
            order.insert({draw, y * 30 + x});
        }
    }
    std::set<std::int64_t> first;
    for (auto it = order.begin(); first.size() < 7; ++it) {
        first.insert(it->second);
    }
    for (const auto &[cell, agents] : agents_of_cells(params, rule)) {
        CHECK(agents == (first.contains(cell.second * 30 + cell.first) ? 2 : 1));
    }
}

TEST_CASE("spawn: positions and headings are spread over the cell and the turn") {
    PhysarumParams params;
    params.agent_density = 4;
    const auto state = spawn_physarum(params, sim::quantise(params, {64, 64}, 1));
    double x = 0;
    double y = 0;
    int quadrant[4] = {};
    for (const rules::Agent &agent : state.agents) {
        x += agent.fraction_x;
        y += agent.fraction_y;
        ++quadrant[agent.heading / 16384];
    }
    const auto n = static_cast<double>(state.agents.size());
    CHECK(std::abs(x / n - 32767.5) < 5 * 18918 / std::sqrt(n));
    CHECK(std::abs(y / n - 32767.5) < 5 * 18918 / std::sqrt(n));
    for (const int count : quadrant) {
        CHECK(std::abs(count - n / 4) < 5 * std::sqrt(n * 3 / 16));
    }
}

TEST_CASE("spawn: cells keep their agents when the window moves") {
    PhysarumParams params;
    params.agent_density = 1.5;
    const auto whole = spawn_physarum(params, sim::quantise(params, {40, 40}, 2, 0, {-10, -10}));
    const auto part = spawn_physarum(params, sim::quantise(params, {15, 9}, 2, 0, {-3, 4}));
    std::map<std::uint64_t, rules::Agent> all;
    for (std::size_t i = 0; i < whole.ids.size(); ++i) {
        all[whole.ids[i]] = whole.agents[i];
    }
    REQUIRE(!part.ids.empty());
    for (std::size_t i = 0; i < part.ids.size(); ++i) {
        REQUIRE(all.contains(part.ids[i]));
        CHECK(all[part.ids[i]] == part.agents[i]);
    }
}

TEST_CASE("spawn: more than 256 agents a cell of the area are refused") {
    PhysarumParams params;
    params.spawn = Spawn::edges;
    params.spawn_width = 1;
    params.agent_count = (4 * 9) * 256; // the ring of border cells of 10 x 10
    const auto rule = sim::quantise(params, {10, 10}, 1);
    CHECK(spawn_physarum(params, rule).agents.size() == 36 * 256);
    ++params.agent_count;
    CHECK_THROWS_AS(spawn_physarum(params, rule), Error);
}

TEST_CASE("spawn: agents that have no place are refused") {
    PhysarumParams params;
    params.spawn = Spawn::disc;
    params.spawn_radius = 0;
    params.agent_count = 1000;
    CHECK_THROWS_AS(simulate_physarum(params, {64, 64}, 1), Error);
    params = {};
    params.agent_count = 1000000000000;
    try {
        simulate_physarum(params, {64, 64}, 1);
        FAIL("not refused");
    } catch (const Error &error) {
        CHECK(error.code() == ErrorCode::invalid_argument);
    }
}

TEST_CASE("spawn: an enumerator that does not exist, an origin and a network out of range") {
    PhysarumParams params;
    params.both_sides = static_cast<BothSides>(7);
    CHECK_THROWS_AS(simulate_physarum(params, {8, 8}, 1), Error);
    params = {};
    CHECK_THROWS_AS(sim::quantise(params, {8, 8}, 1, 16), Error);
    CHECK_THROWS_AS(sim::quantise(params, {8, 8}, 1, 0, {1 << 28, 0}), Error);
    CHECK_NOTHROW(sim::quantise(params, {8, 8}, 1, 15, {1 << 27, -(1 << 27)}));
}
