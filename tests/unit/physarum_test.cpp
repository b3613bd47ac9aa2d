// Whole simulations: conservation, symmetry, translation, engines and threads.
#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <map>
#include <random>

#include <karst/error.hpp>

#include "cpu/physarum.hpp"
#include "support/counting_memory.hpp"
#include "support/physarum.hpp"
#include "support/physarum_reference.hpp"

using namespace karst;
using sim::EngineKind;
using test::difference;
using test::run_physarum;
using test::spawn_physarum;

namespace {

__extension__ using Wide = unsigned __int128;

std::uint64_t sum(const Field2D<std::uint32_t> &field) {
    std::uint64_t total = 0;
    for (const std::uint32_t value : field.cells()) {
        total += value;
    }
    return total;
}

PhysarumParams lively() {
    PhysarumParams params;
    params.agent_density = 0.4;
    params.sensor_offset = 4.5;
    params.step_size = 1.1;
    params.birth_time = true;
    return params;
}

} // namespace

TEST_CASE("physarum: mass balance on a torus, within one unit of rounding a cell and step") {
    const PhysarumParams params; // Jones's defaults but for the density
    const auto rule = sim::quantise(params, {200, 200}, 11);
    auto state = spawn_physarum(params, rule);
    const std::uint64_t agents = state.agents.size();
    double ideal = 0;
    for (int step = 0; step < 60; ++step) {
        const std::uint64_t folded = sum(state.trail) + agents * rule.deposit;
        state = run_physarum(std::move(state), rule, 1, EngineKind::plain);
        const Wide exact = Wide{folded} * 9 * rule.retain_share; // in 2^-32
        const Wide kept = Wide{sum(state.trail)} << 32;
        CHECK(kept <= exact);
        CHECK(exact - kept < Wide{200 * 200} << 32);
        ideal = 0.9 * (ideal + 5 * 65536.0 * static_cast<double>(agents));
        const double total = static_cast<double>(sum(state.trail));
        CHECK(total <= ideal * (1 + 1e-9));
        CHECK(total > ideal * (1 - 1e-8) - 200 * 200 * 10.0); // 1 / (1 - retain) losses in all
    }
    // S = N dep (1 - d) / d, approached as 1 - 0.9^60.
    CHECK(ideal / 65536 ==
          doctest::Approx(45.0 * static_cast<double>(agents) * (1 - std::pow(0.9, 60))));
}

TEST_CASE("physarum: diffusion of a point is trinomial") {
    PhysarumParams params;
    params.retain = 1;
    params.agent_density = 0;
    const std::uint64_t value = 65536 * 729;
    for (const Boundary boundary : {Boundary::torus, Boundary::bounded}) {
        params.boundary = boundary;
        const auto rule = sim::quantise(params, {9, 11}, 1);
        auto state = test::empty_state(rule);
        state.trail.at(4, 5) = static_cast<std::uint32_t>(value);
        std::map<std::pair<int, int>, std::uint64_t> integer{{{4, 5}, value}};
        std::vector<std::uint64_t> row{1};
        std::uint64_t power = 1;
        for (unsigned k = 1; k <= 3; ++k) {
            state = run_physarum(std::move(state), rule, 1, EngineKind::plain);
            std::map<std::pair<int, int>, std::uint64_t> window;
            for (const auto &[cell, amount] : integer) {
                for (int i = 0; i < 9; ++i) {
                    window[{cell.first + i % 3 - 1, cell.second + i / 3 - 1}] += amount;
                }
            }
            for (auto &[cell, amount] : window) {
                amount = amount * 477218588 / 4294967296;
            }
            integer = std::move(window);
            std::vector<std::uint64_t> next(row.size() + 2, 0);
            for (std::size_t i = 0; i < row.size(); ++i) {
                for (std::size_t j = 0; j < 3; ++j) {
                    next[i + j] += row[i];
                }
            }
            row = next;
            power *= 9;
            const int reach = static_cast<int>(k);
            for (int y = 0; y < 11; ++y) {
                for (int x = 0; x < 9; ++x) {
                    const std::uint64_t got = state.trail.at(x, y);
                    const auto found = integer.find({x, y});
                    CHECK(got == (found == integer.end() ? 0 : found->second));
                    if (std::abs(x - 4) > reach || std::abs(y - 5) > reach) {
                        CHECK(got == 0);
                        continue;
                    }
                    const std::uint64_t exact = value *
                                                row[static_cast<std::size_t>(x - 4 + reach)] *
                                                row[static_cast<std::size_t>(y - 5 + reach)];
                    CHECK(got * power <= exact);
                    CHECK((got + k + 1) * power > exact);
                }
            }
        }
        CHECK(row == std::vector<std::uint64_t>{1, 3, 6, 7, 6, 3, 1});
    }
}

TEST_CASE("physarum: every engine equals the second implementation") {
    struct Case {
        Extent2 extent;
        double offset;
        double step;
        Boundary boundary;
        BothSides both_sides;
        Spawn spawn;
        Cell2 origin;
    };
    const Case cases[] = {
        {{40, 30}, 9, 1, Boundary::torus, BothSides::random, Spawn::uniform, {}},
        {{40, 30}, 3.375, 1.125, Boundary::torus, BothSides::larger, Spawn::disc, {-17, 5}},
        {{40, 30},
         6.125,
         2.625,
         Boundary::bounded,
         BothSides::random,
         Spawn::ring,
         {100000, -100000}},
        {{31, 65}, 4, 1, Boundary::bounded, BothSides::larger, Spawn::edges, {}},
        {{5, 3}, 100, 1, Boundary::torus, BothSides::random, Spawn::uniform, {-3, -1}},
        {{5, 3}, 1024, 64, Boundary::torus, BothSides::larger, Spawn::uniform, {}},
        {{1, 1}, 9, 1, Boundary::torus, BothSides::random, Spawn::uniform, {7, 7}},
        {{1, 17}, 2, 1, Boundary::bounded, BothSides::random, Spawn::uniform, {}},
        {{17, 1}, 2, 0.01, Boundary::torus, BothSides::random, Spawn::uniform, {}},
        {{2, 2}, 1, 1, Boundary::bounded, BothSides::random, Spawn::uniform, {}},
    };
    for (const Case &c : cases) {
        CAPTURE(c.extent.width);
        CAPTURE(c.extent.height);
        PhysarumParams params = lively();
        params.sensor_offset = c.offset;
        params.step_size = c.step;
        params.boundary = c.boundary;
        params.both_sides = c.both_sides;
        params.spawn = c.spawn;
        params.agent_density = c.extent.cells() < 30 ? 3.5 : 0.4;
        const auto rule = sim::quantise(params, c.extent, 0x123456789abcdef0u, 3, c.origin);
        const auto start = spawn_physarum(params, rule, 3);
        REQUIRE(!start.agents.empty());
        auto expected = start;
        const test::PhysarumReference reference(params, rule);
        for (int step = 0; step < 40; ++step) {
            reference.step(expected);
        }
        CHECK(difference(run_physarum(start, rule, 40, EngineKind::plain), expected) == "");
        CHECK(difference(run_physarum(start, rule, 40, EngineKind::fast, 3), expected) == "");
    }
}

TEST_CASE("physarum: the plain and the threaded engine agree at any thread count and size") {
    const Extent2 extents[] = {{1, 1},   {1, 9},   {9, 1},     {63, 63},  {64, 64},
                               {65, 65}, {63, 65}, {1000, 37}, {37, 1000}};
    for (const Extent2 extent : extents) {
        for (const Boundary boundary : {Boundary::torus, Boundary::bounded}) {
            CAPTURE(extent.width);
            CAPTURE(extent.height);
            PhysarumParams params = lively();
            params.boundary = boundary;
            const auto rule = sim::quantise(params, extent, 42);
            const auto start = spawn_physarum(params, rule);
            const auto plain = run_physarum(start, rule, 35, EngineKind::plain);
            for (const int threads : {1, 2, 7}) {
                CHECK(difference(start, spawn_physarum(params, rule, 0, threads)) == "");
                CHECK(difference(plain, run_physarum(start, rule, 35, EngineKind::fast, threads)) ==
                      "");
            }
        }
    }
}

TEST_CASE("physarum: every kernel of this machine equals the plain engine") {
    struct Case {
        Extent2 extent;
        double density, deposit, sensor_offset, step_size;
        int steps;
    };
    // Sides below and above a vector, sensors as far as the torus is wide; more than 63 agents in a
    // cell, deposits that saturate; enough agents and steps to be sorted.
    const Case cases[] = {{{1, 1}, 200, 5, 1, 1, 9},        {{2, 70}, 1, 5, 2, 0.7, 12},
                          {{63, 65}, 0.5, 5, 9.3, 1.1, 20}, {{65, 3}, 250, 1000, 3, 0.1, 9},
                          {{40, 33}, 8, 1000, 33, 33, 9},   {{300, 111}, 1, 5, 9, 1, 70}};
    std::uint64_t seed = 0;
    for (const Case &c : cases) {
        for (const Boundary boundary : {Boundary::torus, Boundary::bounded}) {
            PhysarumParams params;
            params.boundary = boundary;
            params.both_sides = ++seed % 4 < 2 ? BothSides::random : BothSides::larger;
            params.agent_density = c.density;
            params.deposit = c.deposit;
            params.sensor_offset = c.sensor_offset;
            params.step_size = c.step_size;
            params.retain = seed % 3 == 0 ? 1 : 0.9;
            params.birth_time = seed % 2 == 0;
            const Cell2 origin{static_cast<std::int32_t>(seed) * 50 - 200, -7};
            const auto rule = sim::quantise(params, c.extent, seed, 0, origin);
            const auto start = spawn_physarum(params, rule);
            const auto expected = run_physarum(start, rule, c.steps, EngineKind::plain);
            for (const int threads : {1, 3}) {
                for (const cpu::PhysarumKernel *const kernel : cpu::physarum_kernels()) {
                    CAPTURE(kernel->name);
                    CAPTURE(seed);
                    CAPTURE(threads);
                    Options options;
                    options.threads = threads;
                    core::Run run(options);
                    auto engine = cpu::make_physarum(run, start, rule, nullptr, *kernel);
                    for (int left = c.steps; left > 0; left -= 32) {
                        engine->advance(static_cast<std::uint32_t>(std::min(left, 32)));
                    }
                    CHECK(difference(engine->take(), expected) == "");
                }
            }
        }
    }
}

TEST_CASE("physarum: an engine that is looked at goes on as one that is not") {
    PhysarumParams params = lively();
    params.birth_time = true;
    const auto rule = sim::quantise(params, {80, 50}, 8);
    const auto start = spawn_physarum(params, rule);
    // Sorted every 32 steps however few they are.
    cpu::PhysarumTuning tuning;
    tuning.sort_interval = 32;
    tuning.least_sorted = 1;
    Options options;
    options.threads = 2;
    core::Run run(options);
    const auto plain = sim::make_plain_physarum(start, rule, nullptr);
    const auto fast = cpu::make_physarum(run, start, rule, nullptr, tuning);
    for (const std::uint32_t steps : {0u, 5u, 32u, 32u, 1u}) {
        plain->advance(steps);
        fast->advance(steps);
        CHECK(difference(plain->look(), fast->look()) == "");
        const sim::PhysarumState first = fast->look();
        CHECK(difference(fast->look(), first) == "");
        CHECK(fast->look_trail(run) == plain->look_trail(run));
    }
    CHECK(difference(fast->take(), run_physarum(start, rule, 70, EngineKind::plain)) == "");
}

TEST_CASE("physarum: the storage order of the agents does not matter") {
    const PhysarumParams params = lively();
    const auto rule = sim::quantise(params, {80, 50}, 8);
    const auto start = spawn_physarum(params, rule);
    auto shuffled = start;
    std::mt19937 random(1);
    for (std::size_t i = shuffled.ids.size() - 1; i > 0; --i) {
        const std::size_t j = random() % (i + 1);
        std::swap(shuffled.ids[i], shuffled.ids[j]);
        std::swap(shuffled.agents[i], shuffled.agents[j]);
    }
    REQUIRE(shuffled.ids != start.ids);
    CHECK(sim::agents_digest(shuffled) == sim::agents_digest(start));
    for (const auto kind : {EngineKind::plain, EngineKind::fast}) {
        const auto a = run_physarum(start, rule, 50, kind, 2);
        const auto b = run_physarum(shuffled, rule, 50, kind, 2);
        CHECK(difference(a, b) == "");
        CHECK(sim::agents_digest(a) == sim::agents_digest(b));
    }
}

TEST_CASE("physarum: a split run equals a whole one") {
    const PhysarumParams params = lively();
    const auto rule = sim::quantise(params, {80, 50}, 8);
    const auto start = spawn_physarum(params, rule);
    for (const auto kind : {EngineKind::plain, EngineKind::fast}) {
        const auto whole = run_physarum(start, rule, 77, kind, 2);
        for (const std::int64_t first : {0, 1, 31, 32, 33, 64, 76, 77}) {
            auto half = run_physarum(start, rule, first, kind, 2);
            CHECK(half.step == first);
            const auto other = kind == EngineKind::plain ? EngineKind::fast : EngineKind::plain;
            CHECK(difference(run_physarum(half, rule, 77 - first, kind, 2), whole) == "");
            CHECK(difference(run_physarum(std::move(half), rule, 77 - first, other, 2), whole) ==
                  "");
        }
    }
}

TEST_CASE("physarum: the public function equals its parts and reports its stages") {
    PhysarumParams params = lively();
    params.steps = 70;
    const auto rule = sim::quantise(params, {90, 33}, 12);
    const auto state = run_physarum(spawn_physarum(params, rule), rule, 70, EngineKind::plain);
    std::vector<StageTime> stages;
    std::vector<double> fractions;
    Options options;
    options.stages = &stages;
    options.progress = [&](const Progress &p) { fractions.push_back(p.fraction); };
    const auto result = simulate_physarum(params, {90, 33}, 12, options);
    CHECK(result.trail == state.trail);
    CHECK(result.birth_time == state.birth_time);
    CHECK(result.agents == static_cast<std::int64_t>(state.agents.size()));
    CHECK(result.agents_digest == sim::agents_digest(state));
    CHECK(stages.size() == 2);
    CHECK(std::ranges::is_sorted(fractions));
    CHECK(fractions.back() == doctest::Approx(1));
    params.birth_time = false;
    const auto without = simulate_physarum(params, {90, 33}, 12);
    CHECK(without.birth_time.empty());
    CHECK(without.trail == state.trail);
}

TEST_CASE("physarum: seeds and networks differ, already at step 0") {
    const PhysarumParams params = lively();
    const auto start = [&](std::uint64_t seed, std::uint32_t network) {
        const auto rule = sim::quantise(params, {64, 64}, seed, network);
        return spawn_physarum(params, rule, network);
    };
    const auto first = start(1000, 0);
    CHECK(difference(first, start(1000, 0)) == "");
    const std::uint64_t seeds[] = {1001, 1000 + (std::uint64_t{1} << 32), std::uint64_t{1} << 63};
    for (const std::uint64_t seed : seeds) {
        CHECK(difference(first, start(seed, 0)) != "");
    }
    for (std::uint32_t network = 1; network < 16; ++network) {
        CHECK(difference(first, start(1000, network)) != "");
    }
    // The same agents in another network draw other turns.
    const auto turns = [&](std::uint32_t network) {
        const auto rule = sim::quantise(params, {64, 64}, 1000, network);
        return run_physarum(first, rule, 30, EngineKind::plain);
    };
    CHECK(difference(turns(0), turns(1)) != "");
}

TEST_CASE("physarum: a cancel ends a run soon") {
    PhysarumParams params = lively();
    params.steps = 1000000;
    std::atomic<bool> cancel = false;
    Options options;
    options.cancel = &cancel;
    int reports = 0;
    options.progress = [&](const Progress &) { cancel = ++reports > 3; };
    try {
        simulate_physarum(params, {64, 64}, 1, options);
        FAIL("not cancelled");
    } catch (const Error &error) {
        CHECK(error.code() == ErrorCode::cancelled);
    }
    CHECK(reports < 8);
}

TEST_CASE("physarum: results lie in the caller's memory") {
    test::CountingMemory memory;
    Options options;
    options.memory = &memory;
    PhysarumParams params = lively();
    params.steps = 3;
    {
        const auto result = simulate_physarum(params, {64, 65}, 1, options);
        CHECK(memory.held() == 64 * 65 * (4 + 2));
    }
    CHECK(memory.held() == 0);
}

TEST_CASE("physarum: a trail that no cache has takes memory once while it is made") {
    class Empty final : public FieldCache {
        bool load(std::string_view, std::span<std::byte>) override { return false; }
        void store(std::string_view, std::span<const std::byte>) override {}
    } empty;
    const auto most_held = [](FieldCache *cache) {
        test::CountingMemory memory;
        std::size_t most = 0;
        Options options;
        options.memory = &memory;
        options.cache = cache;
        options.progress = [&](const Progress &) { most = std::max(most, memory.held()); };
        core::Run run(options);
        run.stage("physarum", 1);
        PhysarumParams params;
        params.steps = 40;
        sim::simulate(run, params, Extent2{64, 48}, 1);
        return most;
    };
    CHECK(most_held(nullptr) > 0);
    CHECK(most_held(&empty) == most_held(nullptr));
}

TEST_CASE("physarum: what cannot be run is refused and named") {
    const auto refuses = [](PhysarumParams params, Extent2 extent, const char *word,
                            ErrorCode code = ErrorCode::invalid_argument) {
        try {
            simulate_physarum(params, extent, 1);
            FAIL_CHECK("accepted: ", word);
        } catch (const Error &error) {
            CHECK(error.code() == code);
            CHECK(std::string(error.what()).find(word) != std::string::npos);
        }
    };
    const auto with = [](auto member, auto value) {
        PhysarumParams params;
        params.*member = value;
        return params;
    };
    using P = PhysarumParams;
    const double nan = std::nan("");
    refuses({}, {0, 5}, "width");
    refuses({}, {5, 0}, "height");
    refuses({}, {-1, 5}, "width");
    refuses({}, {(1 << 27) + 1, 1}, "134217729");
    refuses(with(&P::retain, 1.01), {8, 8}, "retain");
    refuses(with(&P::retain, -0.01), {8, 8}, "retain");
    refuses(with(&P::retain, nan), {8, 8}, "retain");
    refuses(with(&P::deposit, 1000.5), {8, 8}, "deposit");
    refuses(with(&P::sensor_offset, 1025.0), {8, 8}, "sensor_offset");
    refuses(with(&P::step_size, 64.5), {8, 8}, "step_size");
    refuses(with(&P::sensor_angle, 181.0), {8, 8}, "sensor_angle");
    refuses(with(&P::rotation_angle, nan), {8, 8}, "rotation_angle");
    refuses(with(&P::agent_density, 256.5), {8, 8}, "agent_density");
    refuses(with(&P::agent_count, std::int64_t{-1}), {8, 8}, "agent_count");
    refuses(with(&P::agent_count, std::int64_t{64 * 256 + 1}), {8, 8}, "256");
    refuses(with(&P::steps, std::int64_t{-1}), {8, 8}, "steps");
    refuses({}, {1 << 27, 1 << 27}, "GiB", ErrorCode::out_of_memory);
    P full = with(&P::agent_count, std::int64_t{64 * 256});
    full.steps = 1;
    CHECK(simulate_physarum(full, {8, 8}, 1).agents == 64 * 256);

    CHECK_THROWS_AS(sim::quantise(PhysarumParams{}, {8, 8}, 1, 16), Error);
    constexpr std::int32_t kLast = 1 << 27;
    CHECK(sim::quantise(PhysarumParams{}, {8, 8}, 1, 15, {kLast, -kLast}).origin_x == kLast);
    CHECK_THROWS_AS(sim::quantise(PhysarumParams{}, {8, 8}, 1, 0, {kLast + 1, 0}), Error);
    CHECK_THROWS_AS(sim::quantise(PhysarumParams{}, {8, 8}, 1, 0, {0, -kLast - 1}), Error);
}
