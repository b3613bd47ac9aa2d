// One agent and one cell at a time.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "rules/physarum.hpp"
#include "support/physarum.hpp"

using namespace karst;
using rules::Turn;

namespace {

struct Ordering {
    const char *name;
    int front, left, right; // ranks
    Turn random, larger;    // what each published variant does
};

// All 13 orderings of three readings, by hand from the flow charts of Jones 2010 and of Jones and
// Adamatzky 2012.
constexpr std::array<Ordering, 13> kOrderings{{
    {"F = L = R", 0, 0, 0, Turn::none, Turn::none},
    {"F > L > R", 2, 1, 0, Turn::none, Turn::none},
    {"F > R > L", 2, 0, 1, Turn::none, Turn::none},
    {"F > L = R", 1, 0, 0, Turn::none, Turn::none},
    {"L > F > R", 1, 2, 0, Turn::left, Turn::left},
    {"R > F > L", 1, 0, 2, Turn::right, Turn::right},
    {"L > R > F", 0, 2, 1, Turn::random, Turn::left},
    {"R > L > F", 0, 1, 2, Turn::random, Turn::right},
    {"L = R > F", 0, 1, 1, Turn::random, Turn::none},
    {"F = L > R", 1, 1, 0, Turn::left, Turn::left},
    {"F = R > L", 1, 0, 1, Turn::right, Turn::right},
    {"L > F = R", 0, 1, 0, Turn::left, Turn::left},
    {"R > F = L", 0, 0, 1, Turn::right, Turn::right},
}};

// A field of 64 x 64 whose agent sits in the middle, heading +x: its sensors at 9 cells and 45
// degrees read cells (41, 32), (38, 25) and (38, 38).
PhysarumParams steering_params(BothSides both_sides) {
    PhysarumParams params;
    params.sensor_angle = 45;
    params.rotation_angle = 30;
    params.step_size = 0;
    params.both_sides = both_sides;
    return params;
}

} // namespace

TEST_CASE("physarum steering: all 13 orderings of the three readings, both variants") {
    for (const auto &values : {std::array<std::uint32_t, 3>{0, 1, 2},
                               std::array<std::uint32_t, 3>{7, 0x7fffffff, 0x80000000},
                               std::array<std::uint32_t, 3>{0, 0xfffffffe, 0xffffffff}}) {
        for (const Ordering &o : kOrderings) {
            CAPTURE(o.name);
            const auto at = [&](int rank) { return values[static_cast<std::size_t>(rank)]; };
            CHECK(rules::choose_turn(at(o.front), at(o.left), at(o.right), false) == o.random);
            CHECK(rules::choose_turn(at(o.front), at(o.left), at(o.right), true) == o.larger);
        }
    }
}

TEST_CASE("physarum steering: an agent reads its three sensors and turns towards -y for left") {
    for (const BothSides both_sides : {BothSides::random, BothSides::larger}) {
        const auto params = steering_params(both_sides);
        const auto rule = sim::quantise(params, {64, 64}, 5);
        for (const Ordering &o : kOrderings) {
            for (std::uint64_t id = 0; id < 16; ++id) {
                CAPTURE(o.name);
                auto state = test::empty_state(rule);
                state.trail.at(41, 32) = static_cast<std::uint32_t>(o.front);
                state.trail.at(38, 25) = static_cast<std::uint32_t>(o.left);
                state.trail.at(38, 38) = static_cast<std::uint32_t>(o.right);
                rules::Agent agent{32, 32, 0, 0, 0};
                CHECK(rules::move_agent(rule, state.trail.data(), rules::host_tables(), id, 3,
                                        agent) == 32 * 64 + 32);
                Turn turn = both_sides == BothSides::random ? o.random : o.larger;
                if (turn == Turn::random) {
                    const auto draw = core::draw_of(5, id, 3, rule.agent_use);
                    turn = draw.word[0] % 2 == 0 ? Turn::left : Turn::right;
                }
                const int degrees = turn == Turn::none ? 0 : turn == Turn::left ? -30 : 30;
                const auto expected =
                    static_cast<std::uint16_t>(std::lround(degrees * 65536 / 360.0));
                CHECK(agent.heading == expected);
            }
        }
    }
}

TEST_CASE("physarum: the random turn takes both sides about equally often") {
    const auto rule = sim::quantise(steering_params(BothSides::random), {64, 64}, 77);
    auto state = test::empty_state(rule);
    state.trail.at(38, 25) = 1;
    state.trail.at(38, 38) = 1;
    int right = 0;
    for (std::uint64_t id = 0; id < 4096; ++id) {
        rules::Agent agent{32, 32, 0, 0, 0};
        rules::move_agent(rule, state.trail.data(), rules::host_tables(), id, 0, agent);
        CHECK(agent.heading != 0);
        right += agent.heading < 32768 ? 1 : 0;
    }
    CHECK(std::abs(right - 2048) < 5 * 32); // five standard deviations
}

TEST_CASE("physarum: on an empty or uniform trail an agent goes straight, exactly") {
    PhysarumParams params;
    params.step_size = 1.37;
    params.deposit = 0;
    params.retain = 1;
    const auto rule = sim::quantise(params, {97, 41}, 3);
    const double step = std::round(1.37 * 65536);
    for (const std::uint32_t level : {0u, 5u << 16}) {
        for (const int heading : {0, 7, 8, 1234, 16384, 30000, 32768, 45678, 49152, 65528, 65535}) {
            auto state = test::empty_state(rule);
            std::ranges::fill(state.trail.cells(), level);
            state.agents = {{11, 22, 333, 44444, static_cast<std::uint16_t>(heading)}};
            state.ids = {99};
            constexpr int kSteps = 200;
            const auto end = test::run_physarum(state, rule, kSteps, sim::EngineKind::plain);
            const double angle = (heading + 8) / 16 % 4096 * (2 * std::acos(-1.0) / 4096);
            const auto position = [&](std::int64_t cell, std::int64_t fraction, double component,
                                      std::int64_t side) {
                const auto q14 = static_cast<double>(std::llround(component * 16384));
                std::int64_t p =
                    cell * 65536 + fraction + kSteps * std::llround(q14 * step / 16384);
                p %= side * 65536;
                return p < 0 ? p + side * 65536 : p;
            };
            const std::int64_t x = position(11, 333, std::cos(angle), 97);
            const std::int64_t y = position(22, 44444, std::sin(angle), 41);
            const rules::Agent expected{
                static_cast<std::int32_t>(x / 65536), static_cast<std::int32_t>(y / 65536),
                static_cast<std::uint16_t>(x % 65536), static_cast<std::uint16_t>(y % 65536),
                static_cast<std::uint16_t>(heading)};
            CAPTURE(heading);
            CHECK(end.agents[0] == expected);
        }
    }
}

TEST_CASE("physarum: a blocked agent stays, gives no trail and draws a new heading") {
    PhysarumParams params;
    params.boundary = Boundary::bounded;
    params.step_size = 3;
    const auto rule = sim::quantise(params, {8, 8}, 21);
    const std::array<rules::Agent, 4> at_walls{
        {{7, 4, 1, 2, 0}, {4, 7, 3, 4, 16384}, {0, 4, 5, 6, 32768}, {4, 0, 7, 8, 49152}}};
    for (std::size_t i = 0; i < at_walls.size(); ++i) {
        auto state = test::empty_state(rule);
        state.birth_time = Field2D<std::uint16_t>({8, 8});
        state.agents = {at_walls[i]};
        state.ids = {1000 + i};
        state.step = 6;
        const auto end = test::run_physarum(state, rule, 1, sim::EngineKind::plain);
        rules::Agent expected = at_walls[i];
        const auto draw = core::draw_of(21, 1000 + i, 6, rule.agent_use);
        expected.heading = static_cast<std::uint16_t>(draw.word[1] >> 16);
        CHECK(end.agents[0] == expected);
        CHECK(end.trail == state.trail);
        CHECK(end.birth_time == state.birth_time);
    }
}

TEST_CASE("physarum: outside a bounded field a sensor reads 0, on a torus the other side") {
    PhysarumParams params;
    params.sensor_offset = 5;
    params.step_size = 0;
    params.both_sides = BothSides::larger;
    rules::Agent start{9, 5, 0, 0, 0}; // its front sensor is in column 14, or 4 on the torus
    for (const Boundary boundary : {Boundary::torus, Boundary::bounded}) {
        params.boundary = boundary;
        const auto rule = sim::quantise(params, {10, 11}, 1);
        auto state = test::empty_state(rule);
        std::ranges::fill(state.trail.cells(), 9u);
        const auto index = boundary == Boundary::torus ? 5 * 10 + 4 : -1;
        CHECK(rules::cell_index(rule, 14, 5) == index);
        const rules::NoControls none;
        const rules::WholeField<rules::NoControls> ground{rule, state.trail.data(), none};
        const rules::Point<std::int64_t> at{std::int64_t{start.x} << 16,
                                            std::int64_t{start.y} << 16};
        CHECK(rules::sense(rule, ground, at, 0, core::directions().data()) ==
              (boundary == Boundary::torus ? 9u : 0u));
    }
}

TEST_CASE("physarum: lengths are scaled in 32 bits as in 64") {
    for (const std::uint32_t length : {0u, 1u, 8191u, 8192u, 16384u, 65536u, 589825u, 278528u,
                                       6553600u, 67108864u, 2147483647u}) {
        for (const core::Direction &d : core::directions()) {
            CHECK(rules::scaled_32(d.cosine, length) == core::scaled(d.cosine, length));
        }
    }
}

TEST_CASE("physarum: folding deposits saturates, and a saturated window stays in 32 bits") {
    CHECK(rules::fold(0, 0, 0xffffffff) == 0);
    CHECK(rules::fold(10, 3, 7) == 31);
    CHECK(rules::fold(0xfffffff0, 3, 5) == 0xffffffff);
    CHECK(rules::fold(0xfffffff0, 3, 6) == 0xffffffff);
    CHECK(rules::fold(0xffffffff, 0xffffffff, 0xffffffff) == 0xffffffff);
    const std::uint32_t ninth = core::to_fixed(1.0 / 9, 32);
    CHECK(ninth == 477218588);
    CHECK(rules::diffuse_decay(std::uint64_t{9} * 0xffffffff, ninth) == 4294967291u);
    CHECK(rules::diffuse_decay(8, ninth) == 0);
    CHECK(rules::diffuse_decay(10, ninth) == 1);
    CHECK(rules::diffuse_decay(std::uint64_t{9} * 0xffffffff, 0) == 0);
}

TEST_CASE("physarum: 256 agents in the only cell of a field saturate it") {
    PhysarumParams params;
    params.agent_density = 256;
    params.deposit = 1000;
    params.retain = 1;
    const auto rule = sim::quantise(params, {1, 1}, 1);
    auto state = test::spawn_physarum(params, rule);
    REQUIRE(state.agents.size() == 256);
    for (const auto kind : {sim::EngineKind::plain, sim::EngineKind::fast}) {
        const auto end = test::run_physarum(state, rule, 2, kind, 2);
        CHECK(end.trail[0] == 4294967291u);
    }
}

TEST_CASE("physarum: birth times count from 1 and stop at 65535") {
    CHECK(rules::birth_time(0, 0, 5) == 0);
    CHECK(rules::birth_time(0, 1, 0) == 1);
    CHECK(rules::birth_time(0, 3, 5) == 6);
    CHECK(rules::birth_time(4, 3, 5) == 4);
    CHECK(rules::birth_time(0, 1, 65533) == 65534);
    CHECK(rules::birth_time(0, 1, 65534) == 65535);
    CHECK(rules::birth_time(0, 1, 999999) == 65535);
}
