// What one changed cell or bit becomes, and which parameter changes a picture most: against known
// answers and slow obvious versions.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <vector>

#include "lab/draws.hpp"
#include "lab/layer_distance.hpp"
#include "lab/parameters.hpp"
#include "lab/state.hpp"
#include "sim/physarum.hpp"
#include "support/error_of.hpp"

using namespace karst;
using namespace karst::lab;

namespace {

Options threads(int count) {
    Options options;
    options.device = Device{DeviceKind::cpu};
    options.threads = count;
    return options;
}

StateSettings settings_of(std::int64_t replicas, std::int64_t transient, std::int64_t steps) {
    StateSettings settings;
    settings.replicas = replicas;
    settings.transient = transient;
    settings.steps = steps;
    settings.every = 1;
    settings.seed = 5;
    return settings;
}

// Equal bit for bit, so that what is no number equals itself.
bool same(const std::vector<double> &a, const std::vector<double> &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
        return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
    });
}
bool same(const Curve &a, const Curve &b) {
    return same(a.mean, b.mean) && same(a.low, b.low) && same(a.high, b.high);
}
bool same(const StateReport &a, const StateReport &b) {
    bool fsle = a.fsle.size() == b.fsle.size();
    for (std::size_t i = 0; fsle && i < a.fsle.size(); ++i) {
        fsle = same({a.fsle[i].value}, {b.fsle[i].value});
    }
    return fsle && a.steps == b.steps && same(a.damage, b.damage) && same(a.median, b.median) &&
           same(a.agents, b.agents) && same(a.bray_curtis, b.bray_curtis) &&
           same(a.front_radius, b.front_radius) &&
           same(a.independent_damage, b.independent_damage) && a.law.kind == b.law.kind &&
           a.law.exponent == b.law.exponent && a.law.low == b.law.low && a.law.high == b.law.high &&
           a.healed.low == b.healed.low;
}

// The index in `steps` of time t.
std::size_t at(const StateReport &report, std::int64_t t) {
    return static_cast<std::size_t>(std::find(report.steps.begin(), report.steps.end(), t) -
                                    report.steps.begin());
}

} // namespace

TEST_CASE("state: recorded steps") {
    CHECK(recorded_steps(1, 0) == std::vector<std::int64_t>{0, 1});
    CHECK(recorded_steps(20, 7) ==
          std::vector<std::int64_t>{0, 1, 2, 3, 4, 6, 7, 8, 11, 14, 16, 20});
    CHECK(recorded_steps(5, 1) == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("state: finite-size exponents of recorded steps") {
    const std::int64_t times[] = {0, 10, 15, 40};
    const double sizes[] = {1, 2, 8, 8};
    FirstPassages passages(1, 2, 4);
    passages.add(times, sizes);
    const auto its = passages.exponents();
    CHECK(its[0].value == doctest::Approx(std::log(2) / 10));
    CHECK(its[1].value == doctest::Approx(std::log(4) / 5)); // to 8, the first beyond 4
    CHECK(std::isnan(its[2].value));                         // between two records
    CHECK(its[2].passages == 1);
    CHECK(its[3].stayed == 1);
}

TEST_CASE("state: Life whose damage is known") {
    LifeDamage life;
    life.size = {70, 64};
    const auto cells = static_cast<double>(life.size.cells());
    // The sum of the neighbours modulo 2 is linear: whatever the soup, a flip gives 8 cells at a
    // distance of t = 2^k.
    life.rule = parse_life_rule("B1357/S1357");
    const StateReport linear = measure_state(life, settings_of(5, 3, 16), threads(1));
    for (const std::int64_t t : {1, 2, 4, 8, 16}) {
        CAPTURE(t);
        CHECK(linear.damage.mean[at(linear, t)] == 8 / cells);
        CHECK(linear.damage.low[at(linear, t)] == 8 / cells);
        CHECK(linear.median[at(linear, t)] == 8 / cells);
        CHECK(linear.front_radius.mean[at(linear, t)] == static_cast<double>(t));
    }
    CHECK(linear.damage.mean[0] == 1 / cells);
    CHECK(linear.damage.mean[at(linear, 3)] == 24 / cells); // 8 of each 8, where an odd number meet
    CHECK(linear.healed.share == 0);
    CHECK(linear.agents.mean.empty());
    CHECK(linear.independent_damage.back() == doctest::Approx(0.5).epsilon(0.05));
    CHECK(*linear.boolean_exponent == doctest::Approx(std::log(8)));
    CHECK_FALSE(linear.derrida_slope); // the flip is no longer in the soup
    // Nothing ever changes; everything dies at once.
    life.rule = parse_life_rule("B/S012345678");
    const StateReport still = measure_state(life, settings_of(3, 0, 4), threads(1));
    CHECK(still.damage.mean == std::vector<double>(5, 1 / cells));
    CHECK(still.front_radius.mean == std::vector<double>(5, 0));
    CHECK(still.law.kind == StateLaw::undecided);
    life.rule = parse_life_rule("B/S");
    const StateReport dead = measure_state(life, settings_of(3, 0, 4), threads(1));
    CHECK(dead.damage.mean == std::vector<double>{1 / cells, 0, 0, 0, 0});
    CHECK(dead.law.kind == StateLaw::dies);
    CHECK(dead.healed.share == 1);
    CHECK(std::isnan(dead.front_radius.mean[1]));
    CHECK(*dead.derrida_slope == 0);
}

TEST_CASE("state: a pattern with a flipped cell") {
    LifeDamage life;
    life.boundary = LifeBoundary::dead;
    life.board = LifeBoard({9, 7});
    for (const std::int64_t x : {3, 4, 5}) { // a blinker
        life.board->set(x, 3, true);
    }
    life.flipped = Cell2{0, 0}; // a lone cell dies
    const StateReport far = measure_state(life, settings_of(1, 0, 3), threads(1));
    CHECK(far.damage.mean == std::vector<double>{1.0 / 63, 0, 0, 0});
    CHECK(std::isnan(far.damage.low[0])); // one replica has no interval
    CHECK(far.independent_damage.empty());
    life.flipped = Cell2{4, 3}; // without its middle a blinker dies at once: 2 x 3 cells, 1 differs
    const StateReport middle = measure_state(life, settings_of(1, 0, 2), threads(1));
    CHECK(middle.damage.mean == std::vector<double>{1.0 / 63, 3.0 / 63, 3.0 / 63});
    CHECK(middle.bray_curtis.mean == std::vector<double>{1.0 / 5, 1, 1});
    CHECK(middle.healed.share == 0);
    CHECK(test::error_of("allowed is 1 for one cell", [&] {
              measure_state(life, settings_of(2, 0, 3), threads(1));
          }) == ErrorCode::invalid_argument);
    life.flipped = Cell2{9, 0};
    CHECK(test::error_of("allowed is one of the board of 9x7", [&] {
              measure_state(life, settings_of(1, 0, 3), threads(1));
          }) == ErrorCode::invalid_argument);
}

TEST_CASE("state: Life the slow way, on any number of threads") {
    LifeDamage life;
    life.size = {67, 33};
    life.density = 0.4;
    life.boundary = LifeBoundary::alive;
    const StateSettings settings = settings_of(3, 2, 40);
    const StateReport report = measure_state(life, settings, threads(1));
    for (const std::int64_t t : {0, 1, 7, 40}) {
        double cells = 0;
        double radius = 0;
        int alive = 0;
        for (std::uint64_t seed = 5; seed < 8; ++seed) {
            LifeBoard plain = simulate_life(make_soup(life.size, 0.4, seed), life.rule,
                                            life.boundary, 2, threads(1));
            LifeBoard other = plain;
            const auto draw = core::philox4x32(0, 0, 0, use(slot_change), seed);
            const std::int64_t x = static_cast<std::int64_t>(draw.word[0]) * 67 >> 32;
            const std::int64_t y = static_cast<std::int64_t>(draw.word[1]) * 33 >> 32;
            other.set(x, y, !other.alive(x, y));
            plain = simulate_life(plain, life.rule, life.boundary, t, threads(1));
            other = simulate_life(other, life.rule, life.boundary, t, threads(1));
            std::int64_t farthest = -1;
            for (std::int64_t j = 0; j < 33; ++j) {
                for (std::int64_t i = 0; i < 67; ++i) {
                    if (plain.alive(i, j) != other.alive(i, j)) {
                        cells += 1;
                        farthest = std::max({farthest, std::abs(i - x), std::abs(j - y)});
                    }
                }
            }
            alive += farthest >= 0 ? 1 : 0;
            radius += static_cast<double>(std::max<std::int64_t>(farthest, 0));
        }
        CAPTURE(t);
        CHECK(report.damage.mean[at(report, t)] == doctest::Approx(cells / 3 / (67 * 33)));
        CHECK(report.alive[at(report, t)].share == doctest::Approx(alive / 3.0));
        if (alive > 0) {
            CHECK(report.front_radius.mean[at(report, t)] == doctest::Approx(radius / alive));
        }
    }
    CHECK(same(report, measure_state(life, settings, threads(2))));
    CHECK(same(report, measure_state(life, settings, threads(5))));
}

TEST_CASE("state: Physarum the slow way, on any number of threads") {
    PhysarumDamage slime;
    slime.size = {40, 27};
    slime.params.sensor_offset = 5;
    const StateSettings settings = settings_of(2, 12, 10);
    for (const auto perturbation :
         {Perturbation::heading, Perturbation::position, Perturbation::trail}) {
        slime.perturbation = perturbation;
        slime.amount = perturbation == Perturbation::trail ? 1 : 4096;
        CAPTURE(name_of(perturbation));
        const StateReport report = measure_state(slime, settings, threads(1));
        CHECK(same(report, measure_state(slime, settings, threads(3))));
        double cells = 0, agents = 0, distance = 0;
        for (std::uint64_t seed = 5; seed < 7; ++seed) {
            core::Run run(threads(1));
            const rules::PhysarumRule rule = sim::quantise(slime.params, slime.size, seed);
            const auto plainly = [&](sim::PhysarumState state, std::int64_t steps) {
                return sim::advance(run, std::move(state), rule, steps, sim::EngineKind::plain);
            };
            sim::PhysarumState plain = plainly(sim::spawn(run, slime.params, rule), 12);
            sim::PhysarumState other = plain;
            const auto draw = core::philox4x32(0, 0, 0, use(slot_change), seed);
            auto ids = plain.ids;
            std::sort(ids.begin(), ids.end());
            const std::uint64_t id = ids[draw.word[0] * ids.size() >> 32];
            const auto place = static_cast<std::size_t>(
                std::find(plain.ids.begin(), plain.ids.end(), id) - plain.ids.begin());
            rules::Agent &agent = other.agents[place];
            if (perturbation == Perturbation::heading) {
                agent.heading = static_cast<std::uint16_t>(agent.heading + 4096);
            } else if (perturbation == Perturbation::position) {
                const int x = agent.x * 65536 + agent.fraction_x + 4096;
                agent.x = x / 65536 % 40;
                agent.fraction_x = static_cast<std::uint16_t>(x % 65536);
            } else {
                ++*std::max_element(other.trail.cells().begin(), other.trail.cells().end());
            }
            plain = plainly(std::move(plain), 10);
            other = plainly(std::move(other), 10);
            double difference = 0, sum = 0;
            for (std::int64_t i = 0; i < plain.trail.size(); ++i) {
                cells += plain.trail[i] != other.trail[i] ? 1 : 0;
                difference += std::abs(static_cast<double>(plain.trail[i]) - other.trail[i]);
                sum += static_cast<double>(plain.trail[i]) + other.trail[i];
            }
            distance += difference / sum;
            for (std::size_t i = 0; i < plain.ids.size(); ++i) { // the plain engine keeps the order
                REQUIRE(plain.ids[i] == other.ids[i]);
                agents += plain.agents[i] == other.agents[i]
                              ? 0
                              : 1 / static_cast<double>(plain.ids.size());
            }
        }
        CHECK(report.damage.mean.back() == doctest::Approx(cells / 2 / (40 * 27)));
        CHECK(report.agents.mean.back() == doctest::Approx(agents / 2));
        CHECK(report.bray_curtis.mean.back() == doctest::Approx(distance / 2));
        CHECK(report.damage.mean[0] == (perturbation == Perturbation::trail
                                            ? doctest::Approx(1.0 / (40 * 27))
                                            : doctest::Approx(0)));
    }
}

TEST_CASE("state: a bit of the trail heals, a heading does not") {
    PhysarumDamage slime;
    slime.size = {96, 96};
    slime.perturbation = Perturbation::trail;
    slime.amount = 1;
    const StateReport trail = measure_state(slime, settings_of(8, 150, 60), threads(2));
    CHECK(trail.alive[0].share == 1);
    CHECK(trail.healed.share == 1);
    CHECK(trail.law.kind == StateLaw::dies);
    slime.perturbation = Perturbation::heading;
    slime.amount = 16;
    StateSettings settings = settings_of(8, 0, 200);
    settings.every = 0;
    const StateReport heading = measure_state(slime, settings, threads(2));
    CHECK(heading.healed.share == 0);
    CHECK(heading.healed.high < 0.5);
    CHECK(heading.damage.mean.back() > 20 * heading.damage.mean[at(heading, 16)]);
    CHECK(heading.agents.mean.back() > heading.agents.mean[0]);
    CHECK(heading.damage.mean.back() < heading.independent_damage.back());
}

TEST_CASE("state: what is refused") {
    PhysarumDamage slime;
    slime.size = {16, 16};
    const auto refused = [](const std::string &text, const auto &system,
                            const StateSettings &settings, const Options &options = threads(1)) {
        return test::error_of(text, [&] { measure_state(system, settings, options); });
    };
    const StateSettings good = settings_of(1, 0, 2);
    CHECK(refused("replicas is 0", slime, settings_of(0, 0, 2)) == ErrorCode::invalid_argument);
    CHECK(refused("steps is 0", slime, settings_of(1, 0, 0)) == ErrorCode::invalid_argument);
    CHECK(refused("transient is -1", slime, settings_of(1, -1, 2)) == ErrorCode::invalid_argument);
    slime.amount = 0;
    CHECK(refused("amount is 0", slime, good) == ErrorCode::invalid_argument);
    slime.amount = 65535;
    slime.perturbation = Perturbation::position;
    CHECK(refused("to 32767", slime, good) == ErrorCode::invalid_argument);
    slime.perturbation = Perturbation::cell;
    CHECK(refused("allowed is one of heading", slime, good) == ErrorCode::invalid_argument);
    slime.perturbation = Perturbation::heading;
    slime.params.agent_density = 0;
    CHECK(refused("there is no agent", slime, good) == ErrorCode::invalid_argument);
    LifeDamage life;
    life.size = {0, 5};
    CHECK(refused("width is 0", life, good) == ErrorCode::invalid_argument);
    life.size = {1, 1};
    CHECK(measure_state(life, good, threads(1)).damage.mean.size() == 3);
    Options little = threads(1);
    little.memory_limit = 1000;
    life.size = {4096, 4096};
    CHECK(refused("damage on boards", life, good, little) == ErrorCode::out_of_memory);
    const std::atomic<bool> stop{true};
    Options stopped = threads(2);
    stopped.cancel = &stop;
    CHECK(refused("cancelled", life, good, stopped) == ErrorCode::cancelled);
}

namespace {

// Cells 1000 * gain * noise + (1000 from where `edge` is above 1), noise in [0, 1) by seed.
Artifact made_by_knobs(const Job &job, const Options &options) {
    const auto real = [&](const char *name) { return std::get<double>(job.params.value(name)); };
    if (real("locked") != 3) {
        throw Error(ErrorCode::invalid_argument, "locked is no longer 3; allowed is 3");
    }
    if (options.cancel != nullptr && *options.cancel) {
        throw Error(ErrorCode::cancelled, "cancelled");
    }
    Field2D<std::uint32_t> field(job.extent);
    for (std::int64_t i = 0; i < field.size(); ++i) {
        const double noise =
            core::draw_at(job.seed, static_cast<std::int32_t>(i), 0, 0, 0).word[0] * 0x1p-32;
        field[i] = static_cast<std::uint32_t>(1e6 * real("gain") * noise) +
                   (real("edge") > 1 ? 100'000 : 0) +
                   static_cast<std::uint32_t>(std::get<std::int64_t>(job.params.value("count"))) +
                   (std::get<std::string>(job.params.value("mode")) == "high" ? 500'000 : 0);
    }
    Artifact artifact;
    artifact.layers.push_back({"height", LayerMeaning::amount, "m", 0.5, 0, std::move(field)});
    return artifact;
}

GeneratorInfo knobs() {
    static const std::vector<ParamInfo> infos{
        {"unused", "", ParamType::real, 0, 10, {}, 0.0, ""},
        {"gain", "m", ParamType::real, 0, 2, {}, 2.0, ""}, // at its end: only downwards
        {"edge", "", ParamType::real, 0, 10, {}, 1.0, ""},
        {"count", "", ParamType::integer, 0, 1000, {}, std::int64_t{80}, ""},
        {"mode", "", ParamType::choice, 0, 0, {"low", "high"}, std::string("low"), ""},
        {"locked", "", ParamType::real, 0, 10, {}, 3.0, ""},
        {"label", "", ParamType::text, 0, 0, {}, std::string("x"), ""},
    };
    GeneratorInfo info;
    info.name = "knobs";
    info.layers = {{"height", ""}};
    info.params = infos;
    info.generate = made_by_knobs;
    return info;
}

const ParameterRow &row_of(const ParameterReport &report, const std::string &name) {
    return *std::find_if(report.rows.begin(), report.rows.end(),
                         [&](const ParameterRow &row) { return row.name == name; });
}

} // namespace

TEST_CASE("parameters: a generator whose derivatives are known") {
    const GeneratorInfo generator = knobs();
    const Job job{ParamSet(generator.params), {64, 64}, 1, 3};
    ParameterSettings settings;
    settings.seeds = 3;
    settings.halvings = 3;
    const ParameterReport report = measure_parameters(generator, job, settings, threads(1));
    // |u - v| of uniform numbers is 1/3 in the mean, times 0.5 m a unit.
    CHECK(report.independent == doctest::Approx(0.5 * 2e6 / 3).epsilon(0.05));
    const ParameterRow &gain = row_of(report, "gain");
    CHECK(gain.verdict == ParameterVerdict::plateau);
    CHECK(gain.steps[0] == doctest::Approx(-0.2));
    CHECK(gain.steps[3] == doctest::Approx(-0.025));
    CHECK(*gain.order == doctest::Approx(1).epsilon(1e-3));
    // (1e6 h mean noise) / (2e6 / 3) / h
    CHECK(gain.derivative[3] == doctest::Approx(0.75).epsilon(0.05));
    const ParameterRow &edge = row_of(report, "edge");
    CHECK(edge.verdict == ParameterVerdict::jump);
    CHECK(*edge.order == doctest::Approx(0).epsilon(1e-9));
    CHECK(*edge.effect == doctest::Approx(0.15).epsilon(0.05));
    const ParameterRow &count = row_of(report, "count");
    CHECK(count.steps == std::vector<double>{8, 4, 2, 1});
    CHECK(count.verdict == ParameterVerdict::plateau);
    const ParameterRow &mode = row_of(report, "mode");
    CHECK(mode.verdict == ParameterVerdict::jump);
    CHECK(std::get<std::string>(mode.changed.at(0)) == "high");
    CHECK(mode.rank == 1);
    CHECK(gain.rank == 3);
    CHECK(row_of(report, "unused").verdict == ParameterVerdict::no_effect);
    CHECK(row_of(report, "unused").rank == 5);
    const ParameterRow &locked = row_of(report, "locked");
    CHECK(locked.verdict == ParameterVerdict::cannot_change);
    CHECK(locked.reason.find("allowed is 3") != std::string::npos);
    CHECK(locked.rank == 0);
    CHECK(row_of(report, "label").verdict == ParameterVerdict::cannot_change);
    CHECK(report.rows.back().name == "label");
    CHECK(report.runs == 3 * (1 + 4 * 4 + 1));
    CHECK(plan_parameters(generator, job, settings, threads(1)).runs == report.runs);

    const ParameterReport other = measure_parameters(generator, job, settings, threads(4));
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
        CHECK(other.rows[i].name == report.rows[i].name);
        CHECK(same(other.rows[i].derivative, report.rows[i].derivative));
    }
    settings.only = {"edge"};
    CHECK(measure_parameters(generator, job, settings, threads(1)).rows.size() == 1);
    settings.only = {"egde"};
    const auto refused = [&](const std::string &text) {
        return test::error_of(text,
                              [&] { measure_parameters(generator, job, settings, threads(1)); });
    };
    CHECK(refused("egde") == ErrorCode::invalid_argument);
    settings.only = {};
    settings.seeds = 1;
    CHECK(refused("seeds is 1") == ErrorCode::invalid_argument);
    settings.seeds = 2;
    settings.layer = "depth";
    CHECK(refused("allowed is one of height") == ErrorCode::invalid_argument);
    Job flat = job;
    flat.params.set("gain", 0.0);
    CHECK(test::error_of("the same for every seed", [&] {
              measure_parameters(generator, flat, ParameterSettings{}, threads(1));
          }) == ErrorCode::unsupported);
}

TEST_CASE("parameters: distances of layers by their meaning") {
    const auto layer = [](LayerMeaning meaning, std::vector<std::uint8_t> cells) {
        Field2D<std::uint8_t> field({3, 2});
        std::copy(cells.begin(), cells.end(), field.cells().begin());
        return Layer{"a", meaning, "", 2, 1, std::move(field)};
    };
    const Layer mask = layer(LayerMeaning::mask, {0, 255, 0, 255, 0, 0});
    CHECK(layer_distance(mask, mask) == 0);
    CHECK(layer_distance(mask, layer(LayerMeaning::mask, {255, 255, 0, 255, 255, 0})) ==
          doctest::Approx(2.0 / 6));
    Layer amount = layer(LayerMeaning::amount, {1, 2, 3, 4, 5, 6});
    Layer other = layer(LayerMeaning::amount, {1, 5, 3, 4, 5, 3});
    CHECK(layer_distance(amount, other) == doctest::Approx(2.0)); // 6 units of 2 m over 6 cells
    other.scale = 1;
    other.offset = 0; // 1 + 2 * 1 beside 1, ...
    CHECK(layer_distance(amount, other) == doctest::Approx((2 + 0 + 4 + 5 + 6 + 10) / 6.0));
    const Layer ids = layer(LayerMeaning::id, {1, 1, 2, 1, 2, 2});
    CHECK(layer_distance(ids, layer(LayerMeaning::id, {7, 7, 3, 7, 3, 3})) == 0);
    CHECK(layer_distance(ids, layer(LayerMeaning::id, {1, 1, 1, 1, 2, 2})) ==
          doctest::Approx(2.0 / 7)); // of 4 + 3 pairs
    CHECK(test::error_of("is a picture", [&] {
              const Layer colour = layer(LayerMeaning::colour, {0, 0, 0, 0, 0, 0});
              layer_distance(colour, colour);
          }) == ErrorCode::invalid_argument);
    CHECK(test::error_of("another size or type", [&] { layer_distance(ids, amount); }) ==
          ErrorCode::invalid_argument);
}
