#include <array>
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include <karst/error.hpp>
#include <karst/simulate.hpp>

#include "core/resample.hpp"
#include "support/painted.hpp"
#include "support/physarum.hpp"

using namespace karst;
using test::Map;
using test::noise;
using test::painted;

namespace {

core::Run &quiet_run() {
    static core::Run run{Options{}};
    return run;
}

auto fields(const PhysarumControls &controls, const auto &params, auto extent) {
    return sim::control_fields(quiet_run(), controls, params, extent);
}

template <class Params, class Rule>
auto spawned(const Params &params, const Rule &rule,
             const sim::BasicControlFields<typename Rule::Extent> &controls) {
    return sim::spawn(quiet_run(), params, rule, 0, &controls);
}

template <class State, class Rule>
State advanced(State state, const Rule &rule, std::int64_t steps, sim::EngineKind kind, int threads,
               const sim::BasicControlFields<typename Rule::Extent> *controls) {
    Options options;
    options.threads = threads;
    core::Run run(options);
    run.stage("test", 1);
    return sim::advance(run, std::move(state), rule, steps, kind, controls);
}

// Each control by itself and all together, by name.
std::vector<std::pair<std::string, PhysarumControls>> every_control() {
    const Extent2 size{23, 14};
    std::vector<std::pair<std::string, PhysarumControls>> list;
    PhysarumControls all;
    const auto ground = [&](const char *name, Map GroundControls::*map, Map value) {
        PhysarumControls one;
        one.*map = all.*map = std::move(value);
        list.emplace_back(name, std::move(one));
    };
    const auto parameter = [&](const char *name, ParameterMap PhysarumControls::*map, double black,
                               double white) {
        PhysarumControls one;
        one.*map = all.*map = {noise(size, list.size()), black, white};
        list.emplace_back(name, std::move(one));
    };
    ground("walls", &GroundControls::walls,
           painted(size, [](auto x, auto y) { return x % 7 == 3 && y % 5 != 2 ? 1.0 : 0.0; }));
    ground("food", &GroundControls::food, noise(size, 77));
    ground("spawn", &GroundControls::spawn, noise(size, 78));
    parameter("sensor_angle", &PhysarumControls::sensor_angle, 10, 90);
    parameter("rotation_angle", &PhysarumControls::rotation_angle, 70, 20);
    parameter("sensor_offset", &PhysarumControls::sensor_offset, 1, 12.5);
    parameter("step_size", &PhysarumControls::step_size, 0, 2.5);
    parameter("deposit", &PhysarumControls::deposit, 0, 9);
    parameter("retain", &PhysarumControls::retain, 0.5, 1);
    list.emplace_back("none", PhysarumControls{});
    list.emplace_back("all", std::move(all));
    return list;
}

template <class Params, class Extent>
void engines_agree(const Params &params, Extent extent) {
    const auto rule = sim::quantise(params, extent, 9);
    for (const auto &[control, controls] : every_control()) {
        const std::string name = control; // clang 14: no structured binding in CAPTURE
        CAPTURE(name);
        auto own = fields(controls, params, extent);
        if (name == "all") { // and some of the trail pinned
            own.start = decltype(own.start)(extent);
            for (std::int64_t i = 0; i < own.walls.size(); i += 5) {
                own.walls[i] = rules::kPinned;
                own.start[i] = static_cast<std::uint32_t>(i * 9999 % 3000000);
            }
        }
        const auto start = spawned(params, rule, own);
        const auto plain = advanced(start, rule, 12, sim::EngineKind::plain, 1, &own);
        for (const int threads : {1, 7}) {
            CHECK(test::difference(plain, advanced(start, rule, 12, sim::EngineKind::fast, threads,
                                                   &own)) == "");
        }
        if (name == "none") {
            CHECK(test::difference(plain, advanced(start, rule, 12, sim::EngineKind::fast, 1,
                                                   static_cast<decltype(&own)>(nullptr))) == "");
        }
    }
}

std::uint64_t total(const Field2D<std::uint32_t> &trail) {
    std::uint64_t sum = 0;
    for (const std::uint32_t value : trail.cells()) {
        sum += value;
    }
    return sum;
}

} // namespace

TEST_CASE("controls: threads give what the plain engine gives") {
    for (const Boundary boundary : {Boundary::torus, Boundary::bounded}) {
        PhysarumParams params;
        params.boundary = boundary;
        params.agent_density = 0.7;
        params.birth_time = true;
        params.food_strength = boundary == Boundary::torus ? 3 : -0.5;
        for (const Extent2 extent : {Extent2{1, 1}, {1, 19}, {65, 33}}) {
            CAPTURE(extent.width);
            engines_agree(params, extent);
        }
        Physarum3Params volume;
        volume.boundary = boundary;
        volume.sensor_offset = 4;
        volume.agent_density = 0.4;
        volume.food_strength = params.food_strength;
        engines_agree(volume, Extent3{1, 1, 1});
        engines_agree(volume, Extent3{17, 13, 5});
    }
}

TEST_CASE("controls: a map of one value is the parameter itself") {
    const auto check = [](auto base, auto extent) {
        using Params = decltype(base);
        base.agent_density = 0.6;
        base.steps = 20;
        const auto one = [&](const char *name, double Params::*parameter,
                             ParameterMap PhysarumControls::*map, double value) {
            CAPTURE(name);
            Params own = base;
            own.*parameter = value;
            PhysarumControls controls;
            controls.*map = {noise({5, 4}, 1), value, value};
            const auto expected = simulate_physarum(own, extent, 5);
            const auto got = simulate_physarum(base, controls, extent, 5);
            CHECK(got.agents_digest == expected.agents_digest);
            CHECK(got.trail == expected.trail);
        };
        one("sensor_angle", &Params::sensor_angle, &PhysarumControls::sensor_angle, 61.7);
        one("rotation_angle", &Params::rotation_angle, &PhysarumControls::rotation_angle, 30.3);
        one("sensor_offset", &Params::sensor_offset, &PhysarumControls::sensor_offset, 3.21);
        one("step_size", &Params::step_size, &PhysarumControls::step_size, 1.9);
        one("deposit", &Params::deposit, &PhysarumControls::deposit, 2.345);
        one("retain", &Params::retain, &PhysarumControls::retain, 1);

        PhysarumControls white; // spawns as without it; black walls and black food are nothing
        white.spawn = painted({3, 2}, [](auto, auto) { return 1; });
        white.walls = white.food = painted({3, 2}, [](auto, auto) { return 0; });
        for (const std::int64_t count : {0, 333}) {
            base.agent_count = count;
            CHECK(simulate_physarum(base, white, extent, 5).trail ==
                  simulate_physarum(base, extent, 5).trail);
        }
    };
    check(PhysarumParams{}, Extent2{40, 31});
    check(Physarum3Params{}, Extent3{14, 9, 11});
}

TEST_CASE("controls: an agent before a wall stays and turns, and leaves nothing") {
    PhysarumParams params;
    params.step_size = 2;
    params.rotation_angle = 0;
    const Extent2 extent{9, 5};
    const auto rule = sim::quantise(params, extent, 3);
    PhysarumControls controls;
    controls.walls = painted(extent, [](auto x, auto) { return x == 5 ? 1 : 0; });
    controls.food = painted(extent, [](auto x, auto) { return x == 5 ? 1 : 0; }); // in the wall
    const auto own = fields(controls, params, extent);
    auto state = test::empty_state(rule);
    state.agents = {{3, 2, 32768, 32768, 0}, {1, 2, 32768, 32768, 0}};
    state.ids = {1, 2};
    state = advanced(std::move(state), rule, 1, sim::EngineKind::plain, 1, &own);
    CHECK(state.agents[0].x == 3);
    CHECK(state.agents[0].fraction_x == 32768);
    CHECK(state.agents[0].heading != 0);
    CHECK(state.agents[1].x == 3);
    CHECK(state.agents[1].heading == 0);
    // One deposit of 5 in (3, 2), spread over 9 cells: floor(5 * 2^16 * K / 2^32).
    CHECK(state.trail.at(3, 2) == 32768);
    CHECK(state.trail.at(4, 3) == 32768);
    CHECK(state.trail.at(5, 2) == 0);
    CHECK(state.trail.at(6, 2) == 0);
}

TEST_CASE("controls: no agent is ever in a wall, and no trail") {
    PhysarumParams params;
    params.agent_density = 2;
    params.food_strength = 2;
    const Extent2 extent{48, 41};
    const auto rule = sim::quantise(params, extent, 4);
    PhysarumControls controls;
    controls.walls = noise({12, 10}, 5);
    controls.food = noise(extent, 6);
    const auto own = fields(controls, params, extent);
    auto state = spawned(params, rule, own);
    CHECK(state.agents.size() > 500);
    for (int step = 0; step < 40; ++step) {
        bool outside = true;
        for (const rules::Agent &agent : state.agents) {
            outside = outside && own.walls.at(agent.x, agent.y) == 0;
        }
        for (std::int64_t i = 0; i < state.trail.size(); ++i) {
            outside = outside && (own.walls[i] == 0 || state.trail[i] == 0);
        }
        REQUIRE(outside);
        state = advanced(std::move(state), rule, 1, sim::EngineKind::fast, 2, &own);
    }
}

TEST_CASE("controls: trail is what was deposited and fed, less what rounding takes") {
    PhysarumParams params;
    params.retain = 1;
    params.food_strength = 0.75;
    const Extent2 extent{37, 29};
    const auto rule = sim::quantise(params, extent, 8);
    PhysarumControls controls;
    controls.food = noise({37, 29}, 2);
    const auto own = fields(controls, params, extent);
    std::int64_t food = 0;
    for (std::int64_t i = 0; i < own.food.size(); ++i) { // from the map by another way
        const double exact = controls.food[i] / 65535.0 * 0.75 * 65536;
        REQUIRE(std::abs(own.food[i] - exact) <= 0.5 + 1e-9);
        food += own.food[i];
    }
    const auto start = spawned(params, rule, own);
    constexpr std::int64_t kSteps = 25;
    const auto state = advanced(start, rule, kSteps, sim::EngineKind::fast, 2, &own);
    const std::uint64_t given = static_cast<std::uint64_t>(
        kSteps * (food + static_cast<std::int64_t>(start.agents.size()) * 5 * 65536));
    const auto rounding = static_cast<std::uint64_t>(kSteps * extent.cells() * 2);
    CHECK(total(state.trail) <= given);
    CHECK(total(state.trail) + rounding >= given);

    // What repels takes trail away, down to 0 and not around it.
    params.food_strength = -1000;
    const auto hostile = fields(controls, params, extent);
    const auto eaten = advanced(start, rule, kSteps, sim::EngineKind::fast, 2, &hostile);
    CHECK(total(eaten.trail) < total(state.trail) / 1000);
}

TEST_CASE("controls: food attracts and repels") {
    const Extent2 extent{96, 96};
    PhysarumControls controls;
    controls.food = painted(extent, [](auto x, auto) { return x >= 30 && x < 36 ? 1 : 0; });
    const auto share = [&](double strength) {
        PhysarumParams params;
        params.food_strength = strength;
        params.deposit = 1;
        const auto rule = sim::quantise(params, extent, 2);
        const auto own = fields(controls, params, extent);
        auto state = spawned(params, rule, own);
        const auto all = static_cast<double>(state.agents.size());
        state = advanced(std::move(state), rule, 150, sim::EngineKind::fast, 2, &own);
        double there = 0;
        for (const rules::Agent &agent : state.agents) {
            there += agent.x >= 28 && agent.x < 38 ? 1 : 0;
        }
        return there / all;
    };
    CHECK(share(10) > 0.5); // of a tenth of the ground
    CHECK(share(-10) < 0.05);
}

TEST_CASE("controls: a torus moved with its maps gives the moved result") {
    PhysarumParams params;
    params.agent_density = 0.5;
    const Extent2 extent{40, 27};
    const std::int32_t dx = 11;
    const std::int32_t dy = 20;
    const auto rule = sim::quantise(params, extent, 6);
    const auto moved = [&](auto field) {
        const auto from = field;
        for (std::int32_t y = 0; y < 27 && !from.empty(); ++y) {
            for (std::int32_t x = 0; x < 40; ++x) {
                field.at((x + dx) % 40, (y + dy) % 27) = from.at(x, y);
            }
        }
        return field;
    };
    const auto own = fields(every_control().back().second, params, extent);
    const sim::ControlFields there{moved(own.walls),          moved(own.food),
                                   moved(own.spawn),          moved(own.sensor_angle),
                                   moved(own.rotation_angle), moved(own.sensor_offset),
                                   moved(own.step_size),      moved(own.deposit),
                                   moved(own.retain_share),   moved(own.start)};
    auto start = spawned(params, rule, own);
    auto expected = advanced(start, rule, 30, sim::EngineKind::plain, 1, &own);
    const auto move_agents = [&](sim::PhysarumState &state) {
        for (rules::Agent &agent : state.agents) {
            agent.x = (agent.x + dx) % 40;
            agent.y = (agent.y + dy) % 27;
        }
    };
    move_agents(expected);
    expected.trail = moved(expected.trail);
    move_agents(start);
    const auto got = advanced(start, rule, 30, sim::EngineKind::fast, 2, &there);
    CHECK(test::difference(expected, got) == "");
}

TEST_CASE("controls: the spawn map scales the density") {
    const Extent2 extent{120, 100};
    PhysarumControls controls;
    controls.spawn = painted(extent, [](auto x, auto) { return x < 40 ? 0 : x < 80 ? 0.25 : 1; });
    controls.walls = painted(extent, [](auto, auto y) { return y < 10 ? 1 : 0; });
    const auto counts = [&](const PhysarumParams &params) {
        const auto rule = sim::quantise(params, extent, 12);
        std::array<double, 3> third{};
        for (const rules::Agent &agent :
             spawned(params, rule, fields(controls, params, extent)).agents) {
            CHECK(agent.y >= 10);
            third[static_cast<std::size_t>(agent.x / 40)] += 1;
        }
        return third;
    };
    PhysarumParams params;
    for (const double density : {0.3, 1.0, 6.5}) {
        params.agent_density = density;
        const auto third = counts(params);
        const double full = 3600 * density;
        CHECK(third[0] == 0);
        CHECK(third[1] == doctest::Approx(full / 4).epsilon(0.12));
        CHECK(third[2] == doctest::Approx(full).epsilon(0.06));
    }
    for (const std::int64_t count : {1, 500, 20000}) {
        params.agent_count = count;
        const auto third = counts(params);
        CHECK(third[0] == 0);
        CHECK(third[1] + third[2] == count);
        if (count > 1) {
            CHECK(third[1] * 4 == doctest::Approx(third[2]).epsilon(0.2));
        }
    }
    controls.spawn = painted({1, 1}, [](auto, auto) { return 0; });
    CHECK_THROWS_AS(counts(params), Error); // a count, but no cell to spawn in
    params.agent_count = 0;
    CHECK(counts(params)[2] == 0);
}

TEST_CASE("controls: values outside a parameter's range and maps too large are refused") {
    const auto refused = [](const PhysarumControls &controls) {
        try {
            simulate_physarum(PhysarumParams{}, controls, {8, 8}, 1);
        } catch (const Error &error) {
            return error.code() == ErrorCode::invalid_argument;
        }
        return false;
    };
    PhysarumControls controls;
    controls.retain = {Map({2, 2}), 0, 1.5};
    CHECK(refused(controls));
    controls.retain = {Map({2, 2}), -0.1, 1};
    CHECK(refused(controls));
    controls.retain = {Map({2, 2}), 0.2, 1};
    CHECK(!refused(controls));
    controls.food = Map({65537, 1});
    CHECK(refused(controls));
}

TEST_CASE("resample: exact means and straight lines") {
    const auto to = [](const Map &map, Extent2 extent, bool wraps = false) {
        return core::resample(quiet_run(), map,
                              {core::over_all(extent.width), core::over_all(extent.height), wraps});
    };
    const Map map = noise({12, 9}, 3);
    CHECK(to(map, {12, 9}) == map);
    Map one({1, 1});
    one[0] = 4711;
    CHECK(to(one, {5, 3}) == painted({5, 3}, [](auto, auto) { return 4711 / 65535.0; }));
    // Means of blocks.
    const Map small = to(map, {4, 3});
    for (std::int64_t y = 0; y < 3; ++y) {
        for (std::int64_t x = 0; x < 4; ++x) {
            double sum = 0;
            for (std::int64_t j = 0; j < 3; ++j) {
                for (std::int64_t i = 0; i < 3; ++i) {
                    sum += map.at(3 * x + i, 3 * y + j);
                }
            }
            CHECK(std::abs(small.at(x, y) - sum / 9) < 0.51);
        }
    }
    // Any ratio, against sums over a hundred points a side of each cell or the bilinear formula.
    for (const Extent2 extent : {Extent2{7, 4}, {12, 5}, {30, 40}, {11, 20}}) {
        const auto axis = [](std::int64_t cells, std::int64_t i, std::int64_t side) {
            std::vector<double> weights(static_cast<std::size_t>(side), 0.0);
            const double size = static_cast<double>(side) / static_cast<double>(cells);
            for (std::int64_t k = 0; k < side; ++k) {
                const double low =
                    std::max<double>(static_cast<double>(k), static_cast<double>(i) * size);
                const double high = std::min<double>(static_cast<double>(k) + 1,
                                                     (static_cast<double>(i) + 1) * size);
                weights[static_cast<std::size_t>(k)] =
                    size >= 1 ? std::max(0.0, high - low) / size : 0;
            }
            if (size < 1) {
                const double at = std::clamp((static_cast<double>(i) + 0.5) * size - 0.5, 0.0,
                                             static_cast<double>(side - 1));
                const auto k = static_cast<std::size_t>(at);
                weights[k] += 1 - (at - std::floor(at));
                weights[std::min(k + 1, weights.size() - 1)] += at - std::floor(at);
            }
            return weights;
        };
        const Map got = to(map, extent);
        for (std::int64_t y = 0; y < extent.height; ++y) {
            const auto down = axis(extent.height, y, map.height());
            for (std::int64_t x = 0; x < extent.width; ++x) {
                const auto across = axis(extent.width, x, map.width());
                double expected = 0;
                for (std::int64_t i = 0; i < map.size(); ++i) {
                    expected += map[i] * across[static_cast<std::size_t>(i % map.width())] *
                                down[static_cast<std::size_t>(i / map.width())];
                }
                REQUIRE(std::abs(got.at(x, y) - expected) < 0.51);
            }
        }
    }
    // Beyond the map its edge goes on, or the other side.
    Map row({4, 1});
    row[0] = 100;
    row[3] = 900;
    const core::Placement wide{8, 1, -2, 4};
    const Map edges = core::resample(quiet_run(), row, {wide, core::over_all(1), false});
    const Map around = core::resample(quiet_run(), row, {wide, core::over_all(1), true});
    CHECK(edges.cells()[0] == 100);
    CHECK(edges.cells()[7] == 900);
    CHECK(around.cells()[1] == 900);
    CHECK(around.cells()[6] == 100);
}

TEST_CASE("resample: a cell of a mask is set if at least half of it is") {
    const Map map = painted({8, 1}, [](auto x, auto) { return x < 5 ? 0.5 : 0.49; });
    const auto mask = core::resample_mask(quiet_run(), map, {core::over_all(2), core::over_all(1)});
    CHECK(mask[0] == 1);
    CHECK(mask[1] == 0); // a quarter of it
    const auto three =
        core::resample_mask(quiet_run(), map, {core::over_all(4), core::over_all(1)});
    CHECK(three[2] == 1); // exactly half
    CHECK(three[3] == 0);
}

TEST_CASE("controls: a soup with a density map") {
    const Map map = painted({4, 1}, [](auto x, auto) { return x < 2 ? 0.5 : 1; });
    const LifeBoard board = make_soup({400, 250}, 0.6, map, 7);
    std::array<double, 2> alive{};
    for (std::int64_t y = 0; y < 250; ++y) {
        for (std::int64_t x = 0; x < 400; ++x) {
            const bool soft = x > 149 && x < 250; // the map's cells are wide
            alive[x < 200 ? 0 : 1] += !soft && board.alive(x, y) ? 1 : 0;
        }
    }
    CHECK(alive[0] / 37500 == doctest::Approx(0.3).epsilon(0.03));
    CHECK(alive[1] / 37500 == doctest::Approx(0.6).epsilon(0.03));
    const Map white = painted({1, 1}, [](auto, auto) { return 1; });
    CHECK(make_soup({65, 30}, 0.4, white, 7, {-3, 9}) == make_soup({65, 30}, 0.4, 7, {-3, 9}));
    CHECK(make_soup({65, 30}, 1, painted({1, 1}, [](auto, auto) { return 0; }), 7).population() ==
          0);
}
