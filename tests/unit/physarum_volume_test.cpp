// Physarum in three dimensions: one agent, one cell, whole simulations.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <map>
#include <random>

#include <karst/error.hpp>

#include "support/counting_memory.hpp"
#include "support/physarum.hpp"
#include "support/physarum3_reference.hpp"

using namespace karst;
using rules::Agent3;
using rules::Frame;
using rules::Vector3;
using sim::EngineKind;
using test::difference;
using test::run_physarum;
using test::spawn_physarum;

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::int16_t kOne = 1 << 14;
constexpr Frame kEastAndUp{{{kOne, 0, 0}}, {{0, 0, kOne}}};

std::uint64_t sum(const Field3D<std::uint32_t> &field) {
    std::uint64_t total = 0;
    for (const std::uint32_t value : field.cells()) {
        total += value;
    }
    return total;
}

Physarum3Params lively() {
    Physarum3Params params;
    params.agent_density = 0.3;
    params.sensor_offset = 3.375;
    params.step_size = 1.125;
    params.birth_time = true;
    return params;
}

double length(const Vector3 &v) {
    return std::sqrt(dot(v, v)) / kOne;
}

} // namespace

TEST_CASE("physarum volume: a full window times the largest share of it fits 64 bits") {
    Physarum3Params params;
    params.retain = 1;
    const auto rule = sim::quantise(params, {4, 4, 4}, 1);
    CHECK(rule.retain_share == 159072862); // floor(2^32 / 27)
    const std::uint64_t window = std::uint64_t{27} * 0xffffffff;
    CHECK(Wide{window} * rule.retain_share < Wide{1} << 64);
    CHECK(rules::diffuse_decay(window, rule.retain_share) == 4294967273u);
    params.retain = 0.9;
    CHECK(sim::quantise(params, {4, 4, 4}, 1).retain_share == 143165577); // round(2^32 / 30)

    params = {}; // 256 agents in the only cell saturate it
    params.agent_density = 256;
    params.deposit = 1000;
    params.retain = 1;
    const auto one = sim::quantise(params, {1, 1, 1}, 1);
    for (const auto kind : {EngineKind::plain, EngineKind::fast}) {
        const auto end = run_physarum(spawn_physarum(params, one), one, 2, kind, 2);
        CHECK(end.trail[0] == 4294967273u);
    }
}

TEST_CASE("physarum volume: mass balance on a torus, within one unit of rounding a cell and step") {
    const Physarum3Params params;
    const Extent3 extent{20, 18, 22};
    const auto cells = static_cast<std::uint64_t>(extent.cells());
    const auto rule = sim::quantise(params, extent, 11);
    auto state = spawn_physarum(params, rule);
    const std::uint64_t agents = state.agents.size();
    double ideal = 0;
    for (int step = 0; step < 40; ++step) {
        const std::uint64_t folded = sum(state.trail) + agents * rule.deposit;
        state = run_physarum(std::move(state), rule, 1, EngineKind::fast);
        const Wide exact = Wide{folded} * 27 * rule.retain_share; // in 2^-32
        const Wide kept = Wide{sum(state.trail)} << 32;
        CHECK(kept <= exact);
        CHECK(exact - kept < Wide{cells} << 32);
        ideal = 0.9 * (ideal + 5 * 65536.0 * static_cast<double>(agents));
    }
    // S = N dep (1 - d) / d, approached as 1 - 0.9^40.
    CHECK(ideal / 65536 ==
          doctest::Approx(45.0 * static_cast<double>(agents) * (1 - std::pow(0.9, 40))));
    CHECK(static_cast<double>(sum(state.trail)) == doctest::Approx(ideal).epsilon(1e-4));
}

TEST_CASE("physarum volume: diffusion of a point is trinomial in each axis") {
    Physarum3Params params;
    params.retain = 1;
    params.agent_density = 0;
    const std::uint64_t value = 65536 * 19683;
    for (const Boundary boundary : {Boundary::torus, Boundary::bounded}) {
        params.boundary = boundary;
        const auto rule = sim::quantise(params, {9, 8, 7}, 1);
        auto state = test::empty_state(rule);
        state.trail.at(4, 4, 3) = static_cast<std::uint32_t>(value);
        std::vector<std::uint64_t> row{1};
        std::uint64_t power = 1;
        for (int k = 1; k <= 3; ++k) {
            state = run_physarum(std::move(state), rule, 1, EngineKind::plain);
            std::vector<std::uint64_t> next(row.size() + 2, 0);
            for (std::size_t i = 0; i < row.size(); ++i) {
                for (std::size_t j = 0; j < 3; ++j) {
                    next[i + j] += row[i];
                }
            }
            row = next;
            power *= 27;
            const auto weight = [&](std::int64_t offset) -> std::uint64_t {
                return std::abs(offset) > k ? 0 : row[static_cast<std::size_t>(offset + k)];
            };
            for (std::int64_t i = 0; i < state.trail.size(); ++i) {
                const std::uint64_t exact =
                    value * weight(i % 9 - 4) * weight(i / 9 % 8 - 4) * weight(i / 72 - 3);
                const std::uint64_t got = state.trail[i];
                CHECK(got * power <= exact);
                CHECK((exact == 0 || (got + static_cast<std::uint64_t>(k) + 1) * power > exact));
            }
        }
        CHECK(row == std::vector<std::uint64_t>{1, 3, 6, 7, 6, 3, 1});
    }
}

TEST_CASE("physarum volume: every engine equals the second implementation") {
    struct Case {
        Extent3 extent;
        double offset;
        double step;
        Boundary boundary;
        Spawn spawn;
        Cell3 origin;
    };
    const Case cases[] = {
        {{16, 12, 14}, 3.375, 1.125, Boundary::torus, Spawn::uniform, {}},
        {{16, 12, 14}, 6.125, 2.625, Boundary::bounded, Spawn::disc, {-17, 5, 99}},
        {{9, 17, 8}, 4, 1, Boundary::bounded, Spawn::edges, {100000, -100000, 131072}},
        {{5, 3, 4}, 1024, 64, Boundary::torus, Spawn::uniform, {-3, -1, -2}},
        {{1, 1, 1}, 9, 1, Boundary::torus, Spawn::uniform, {7, 7, 7}},
        {{1, 1, 17}, 2, 1, Boundary::bounded, Spawn::uniform, {}},
        {{2, 2, 2}, 1, 1, Boundary::bounded, Spawn::ring, {}},
    };
    for (const Case &c : cases) {
        CAPTURE(c.extent.width);
        CAPTURE(c.extent.height);
        Physarum3Params params = lively();
        params.sensor_offset = c.offset;
        params.step_size = c.step;
        params.boundary = c.boundary;
        params.spawn = c.spawn;
        params.agent_density = c.extent.cells() < 70 ? 3.5 : 0.3;
        const auto rule = sim::quantise(params, c.extent, 0x123456789abcdef0u, 3, c.origin);
        const auto start = spawn_physarum(params, rule, 3);
        REQUIRE(!start.agents.empty());
        auto expected = start;
        const test::Physarum3Reference reference(params, rule);
        for (int step = 0; step < 34; ++step) {
            reference.step(expected);
        }
        CHECK(difference(run_physarum(start, rule, 34, EngineKind::plain), expected) == "");
        CHECK(difference(run_physarum(start, rule, 34, EngineKind::fast, 3), expected) == "");
    }
}

TEST_CASE("physarum volume: the plain and the threaded engine agree at any size") {
    const Extent3 extents[] = {{1, 1, 1},  {9, 1, 1},  {1, 9, 1},  {1, 1, 9},    {2, 1, 3},
                               {33, 5, 7}, {3, 40, 2}, {3, 2, 40}, {17, 16, 15}, {65, 2, 2}};
    for (const Extent3 extent : extents) {
        for (const Boundary boundary : {Boundary::torus, Boundary::bounded}) {
            CAPTURE(extent.width);
            CAPTURE(extent.height);
            Physarum3Params params = lively();
            params.boundary = boundary;
            const auto rule = sim::quantise(params, extent, 42);
            const auto start = spawn_physarum(params, rule);
            const auto plain = run_physarum(start, rule, 12, EngineKind::plain);
            for (const int threads : {1, 2, 7}) {
                CHECK(difference(start, spawn_physarum(params, rule, 0, threads)) == "");
                CHECK(difference(plain, run_physarum(start, rule, 12, EngineKind::fast, threads)) ==
                      "");
            }
        }
    }
}

TEST_CASE("physarum volume: the storage order of the agents does not matter, nor a split run") {
    const Physarum3Params params = lively();
    const auto rule = sim::quantise(params, {15, 13, 14}, 8);
    const auto start = spawn_physarum(params, rule);
    auto shuffled = start;
    std::mt19937 random(1);
    for (std::size_t i = shuffled.ids.size() - 1; i > 0; --i) {
        const std::size_t j = random() % (i + 1);
        std::swap(shuffled.ids[i], shuffled.ids[j]);
        std::swap(shuffled.agents[i], shuffled.agents[j]);
    }
    REQUIRE(shuffled.ids != start.ids);
    for (const auto kind : {EngineKind::plain, EngineKind::fast}) {
        const auto whole = run_physarum(start, rule, 40, kind, 2);
        const auto other = run_physarum(shuffled, rule, 40, kind, 2);
        CHECK(difference(whole, other) == "");
        CHECK(sim::agents_digest(whole) == sim::agents_digest(other));
        CHECK(sim::agents_digest(whole) != sim::agents_digest(start));
        for (const std::int64_t first : {0, 1, 32, 33}) {
            auto half = run_physarum(start, rule, first, kind, 2);
            CHECK(half.step == first);
            CHECK(difference(run_physarum(std::move(half), rule, 40 - first, EngineKind::fast, 2),
                             whole) == "");
        }
    }
}

TEST_CASE("physarum volume: a frame stays one after many turns") {
    Frame frame = kEastAndUp;
    std::mt19937 random(5);
    double worst_length = 0;
    double worst_lean = 0;
    for (int i = 0; i < 30000; ++i) {
        const auto azimuth = core::directions()[random() % 4096];
        const auto turn = core::directions()[random() % 2049];
        const Vector3 radial = rules::radial_at(frame, azimuth);
        const Frame next = rules::turned(frame, radial, turn);
        const double cosine = static_cast<double>(dot(frame.front, next.front)) / (kOne * kOne);
        CHECK(cosine == doctest::Approx(turn.cosine / double{kOne}).epsilon(2e-4));
        frame = next;
        worst_length = std::max(
            {worst_length, std::abs(length(frame.front) - 1), std::abs(length(frame.up) - 1)});
        worst_lean = std::max(
            worst_lean, std::abs(static_cast<double>(dot(frame.front, frame.up))) / kOne / kOne);
    }
    CHECK(worst_length < 1.0 / 8192);
    CHECK(worst_lean < 1.0 / 8192);
}

TEST_CASE("physarum volume: born agents face everywhere alike") {
    const Physarum3Params params;
    const auto rule = sim::quantise(params, {32, 32, 32}, 3);
    const auto state = spawn_physarum(params, rule);
    const auto n = static_cast<double>(state.agents.size());
    REQUIRE(n > 4000);
    std::array<double, 3> mean{};
    std::array<double, 3> square{};
    for (const Agent3 &agent : state.agents) {
        CHECK(length(agent.frame.front) == doctest::Approx(1).epsilon(1e-4));
        for (std::size_t i = 0; i < 3; ++i) {
            const double c = agent.frame.front.axis[i] / double{kOne};
            mean[i] += c / n;
            square[i] += c * c / n;
        }
    }
    for (std::size_t i = 0; i < 3;
         ++i) { // five standard deviations: 1/3 and 4/45 are the variances
        CHECK(std::abs(mean[i]) < 5 * std::sqrt(1 / (3 * n)));
        CHECK(std::abs(square[i] - 1.0 / 3) < 5 * std::sqrt(4 / (45 * n)));
    }
}

TEST_CASE("physarum volume: on an empty or uniform trail an agent goes straight, exactly") {
    Physarum3Params params;
    params.step_size = 1.37;
    params.deposit = 0;
    params.retain = 1;
    const auto rule = sim::quantise(params, {23, 19, 21}, 3);
    const Frame slanted =
        rules::any_direction(kEastAndUp, 0x12345678, 0x9abcdef0, core::directions().data());
    for (const std::uint32_t level : {0u, 5u << 16}) {
        for (const Frame &frame : {kEastAndUp, slanted}) {
            Agent3 agent{{11, 12, 13}, {333, 44444, 5}, frame};
            std::vector<std::uint32_t> trail(23 * 19 * 21, level);
            for (std::uint32_t step = 0; step < 50; ++step) {
                rules::move_agent(rule, trail.data(), rules::host_tables(), 99, step, agent);
            }
            CHECK(agent.frame == frame);
            const std::int64_t start[3] = {11 * 65536 + 333, 12 * 65536 + 44444, 13 * 65536 + 5};
            for (int i = 0; i < 3; ++i) {
                const std::int64_t side = rule.size[i] * 65536;
                const std::int64_t moved =
                    50 * std::llround(frame.front.axis[i] * std::round(1.37 * 65536) / kOne);
                const std::int64_t expected = ((start[i] + moved) % side + side) % side;
                CHECK(agent.cell[i] * 65536 + agent.fraction[i] == expected);
            }
        }
    }
}

TEST_CASE("physarum volume: an agent turns to what its cone meets, and not to what only equals") {
    Physarum3Params params;
    params.sensor_angle = 45;
    params.rotation_angle = 30;
    params.step_size = 0;
    const auto rule = sim::quantise(params, {41, 41, 41}, 5);
    const auto at = [](int x, int y, int z) {
        return static_cast<std::size_t>((z * 41 + y) * 41 + x);
    };
    int turns = 0;
    for (std::uint64_t id = 0; id < 64; ++id) {
        std::vector<std::uint32_t> trail(41 * 41 * 41, 0);
        // A half space beyond the plane through the agent: sensors above it read 1.
        for (int z = 21; z < 41; ++z) {
            std::fill_n(trail.begin() + z * 41 * 41, 41 * 41, 1u);
        }
        Agent3 agent{{20, 20, 20}, {0, 0, 0}, kEastAndUp};
        rules::move_agent(rule, trail.data(), rules::host_tables(), id, 0, agent);
        const double up = agent.frame.front.axis[2] / double{kOne};
        CHECK(up >= 0);
        CHECK(agent.frame.front.axis[0] ==
              doctest::Approx(kOne * std::cos(std::acos(-1) / 6)).epsilon(1e-3));
        turns += up > 0 ? 1 : 0;
        // The same reading in front as everywhere: straight on.
        trail[at(29, 20, 20)] = 1;
        agent = {{20, 20, 20}, {0, 0, 0}, kEastAndUp};
        rules::move_agent(rule, trail.data(), rules::host_tables(), id, 0, agent);
        CHECK(agent.frame == kEastAndUp);
    }
    CHECK(turns == 64); // of four sensors a quarter turn apart, one is above
}

TEST_CASE("physarum volume: a blocked agent stays, gives no trail and draws a new direction") {
    Physarum3Params params;
    params.boundary = Boundary::bounded;
    params.step_size = 3;
    const auto rule = sim::quantise(params, {8, 8, 8}, 21);
    auto state = test::empty_state(rule);
    state.agents = {{{7, 4, 4}, {1, 2, 3}, kEastAndUp}};
    state.ids = {1000};
    state.step = 6;
    for (const auto kind : {EngineKind::plain, EngineKind::fast}) {
        const auto end = run_physarum(state, rule, 1, kind);
        const auto draw = core::draw_of(21, 1000, 6, rule.agent_use);
        Agent3 expected = state.agents[0];
        expected.frame =
            rules::any_direction(kEastAndUp, draw.word[1], draw.word[2], core::directions().data());
        CHECK(end.agents[0] == expected);
        CHECK(expected.frame.front != kEastAndUp.front);
        CHECK(sum(end.trail) == 0);
    }
}

TEST_CASE("physarum volume: spawns are what they are called, ids are their own") {
    const Extent3 extent{24, 20, 28};
    for (const Spawn spawn : {Spawn::uniform, Spawn::disc, Spawn::ring, Spawn::edges}) {
        Physarum3Params params;
        params.spawn = spawn;
        params.agent_density = 1;
        params.spawn_radius = 0.75;
        params.spawn_width = 3;
        const Cell3 origin{-20, 31, 7};
        const auto rule = sim::quantise(params, extent, 4, 0, origin);
        const auto state = spawn_physarum(params, rule);
        Field3D<std::uint8_t> held(extent);
        for (std::size_t i = 0; i < state.agents.size(); ++i) {
            const Agent3 &agent = state.agents[i];
            held.at(agent.cell[0] - origin.x, agent.cell[1] - origin.y, agent.cell[2] - origin.z)++;
            const auto bits = [](std::int32_t v) {
                return static_cast<std::uint64_t>(v) & 0x3ffff;
            };
            CHECK(state.ids[i] == (bits(agent.cell[2]) << 44 | bits(agent.cell[1]) << 26 |
                                   bits(agent.cell[0]) << 8));
        }
        for (std::int64_t i = 0; i < held.size(); ++i) {
            const std::int64_t x = i % 24, y = i / 24 % 20, z = i / 480;
            const auto squared = [](std::int64_t at, double middle) {
                return (static_cast<double>(at) - middle) * (static_cast<double>(at) - middle);
            };
            const double r = std::sqrt(squared(x, 11.5) + squared(y, 9.5) + squared(z, 13.5));
            const auto inside = [&](double margin) {
                switch (spawn) {
                case Spawn::disc:
                    return r <= 7.5 + margin;
                case Spawn::ring:
                    return std::abs(r - 7.5) <= 1.5 + margin;
                case Spawn::edges:
                    return std::min({x, y, z, 23 - x, 19 - y, 27 - z}) < 3;
                case Spawn::uniform:
                    break;
                }
                return true;
            };
            CHECK((held[i] == 0 || inside(0.5)));
            CHECK((held[i] == 1 || !inside(-0.5)));
        }
    }
    Physarum3Params params;
    params.agent_count = 12345;
    CHECK(spawn_physarum(params, sim::quantise(params, extent, 4)).agents.size() == 12345);
}

TEST_CASE("physarum volume: the public function equals its parts, in the caller's memory") {
    Physarum3Params params = lively();
    params.steps = 35;
    const Extent3 extent{12, 11, 13};
    const auto rule = sim::quantise(params, extent, 12);
    const auto state = run_physarum(spawn_physarum(params, rule), rule, 35, EngineKind::plain);
    test::CountingMemory memory;
    {
        Options options;
        options.memory = &memory;
        const auto result = simulate_physarum(params, extent, 12, options);
        CHECK(result.trail == state.trail);
        CHECK(result.birth_time == state.birth_time);
        CHECK(result.agents == static_cast<std::int64_t>(state.agents.size()));
        CHECK(result.agents_digest == sim::agents_digest(state));
        CHECK(memory.held() == 12 * 11 * 13 * (4 + 2));
    }
    CHECK(memory.held() == 0);
    core::Run run{Options{}};
    run.stage("test", 1);
    CHECK(sim::simulate(run, params, extent, 12) == state.trail);
    CHECK(sim::simulate(run, params, extent, 12, 1) != state.trail);
    CHECK(sim::simulate(run, params, extent, 13) != state.trail);
}

TEST_CASE("physarum volume: what cannot be run is refused and named") {
    const auto refuses = [](Physarum3Params params, Extent3 extent, const char *word,
                            ErrorCode code = ErrorCode::invalid_argument) {
        try {
            simulate_physarum(params, extent, 1);
            FAIL_CHECK("accepted: ", word);
        } catch (const Error &error) {
            CHECK(error.code() == code);
            CHECK(std::string(error.what()).find(word) != std::string::npos);
        }
    };
    Physarum3Params params;
    refuses(params, {0, 5, 5}, "width");
    refuses(params, {5, -1, 5}, "height");
    refuses(params, {5, 5, 131073}, "depth is 131073 cells; allowed is 1 to 131072");
    refuses(params, {1 << 17, 1 << 17, 1 << 17}, "GiB", ErrorCode::out_of_memory);
    params.retain = std::nan("");
    refuses(params, {8, 8, 8}, "retain");
    params = {};
    params.agent_count = 513 * 256;
    refuses(params, {8, 8, 8}, "256");
    params = {};
    CHECK_THROWS_AS(sim::quantise(params, {8, 8, 8}, 1, 16), Error);
    CHECK_THROWS_AS(sim::quantise(params, {8, 8, 8}, 1, 0, {0, 0, 131073}), Error);
    CHECK(sim::quantise(params, {8, 8, 8}, 1, 15, {0, -131072, 131072}).origin[2] == 131072);
}
