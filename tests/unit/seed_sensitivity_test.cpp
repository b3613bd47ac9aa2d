// What one bit of the seed changes: the observer of stages, verdicts, controls, streams of bits.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <karst/crack.hpp>
#include <karst/error.hpp>
#include <karst/simulate.hpp>

#include "core/rng.hpp"
#include "lab/bits.hpp"
#include "lab/draws.hpp"
#include "lab/random_numbers.hpp"
#include "lab/seed_controls.hpp"
#include "lab/seed_sensitivity.hpp"
#include "support/error_of.hpp"

using namespace karst;
using namespace karst::lab;

namespace {

// A mask of independent cells, alive with probability 1/4, of the seed's bits in `used`.
class NoiseSubject final : public Subject {
public:
    explicit NoiseSubject(std::uint64_t used) : used_(used) {}
    Sight look(std::uint64_t seed, const Options &) const override {
        SeenField field{"noise", {}, StageCells::mask, 24, {}};
        for (std::uint32_t i = 0; i < 24 * 24; ++i) {
            const core::Draw4 draw = core::philox4x32(i, 0, 0, 0, seed & used_);
            field.cells.push_back(draw.word[0] < std::uint32_t{1} << 30 ? 1 : 0);
        }
        return {{std::move(field)}, {{"nothing", 0.0}}};
    }

private:
    std::uint64_t used_;
};

GeneratorSubject small_physarum() {
    const GeneratorInfo &row = find_generator("physarum");
    Job job{ParamSet(row.params), {33, 20}};
    job.params.set("steps", std::int64_t{7});
    return {row, std::move(job), {0, 1, 3}};
}

SeedSettings settings_of(std::vector<int> bits, std::int64_t seeds) {
    SeedSettings settings;
    settings.bits = std::move(bits);
    settings.seeds = seeds;
    settings.repeat_seeds = 0;
    return settings;
}

Options threads(int count) {
    Options options;
    options.threads = count;
    return options;
}

const SeedRow &row_of(const SeedReport &report, const std::string &stage,
                      const std::string &distance) {
    const auto &rows = report.found.rows;
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const SeedRow &row) {
        return row.quantity.stage == stage && row.quantity.distance == distance;
    });
    REQUIRE(found != rows.end());
    return *found;
}

bool all_are(const SeedRow &row, BitVerdict verdict) {
    return std::all_of(row.verdicts.begin(), row.verdicts.end(),
                       [&](BitVerdict its) { return its == verdict; });
}

void require_equal(const SeedReport &a, const SeedReport &b) {
    REQUIRE(a.found.rows.size() == b.found.rows.size());
    CHECK(a.seeds == b.seeds);
    CHECK(a.needed == b.needed);
    CHECK(a.unmet == b.unmet);
    for (std::size_t i = 0; i < a.found.rows.size(); ++i) {
        const SeedRow &one = a.found.rows[i];
        const SeedRow &other = b.found.rows[i];
        CHECK(one.ratio == other.ratio);
        CHECK(one.low == other.low);
        CHECK(one.high == other.high);
        CHECK(one.verdicts == other.verdicts);
        CHECK(one.baseline == other.baseline);
        CHECK(one.average_sensitivity == other.average_sensitivity);
        CHECK(one.bit_correlation == other.bit_correlation);
    }
    REQUIRE(a.repeats.size() == b.repeats.size());
    for (std::size_t i = 0; i < a.repeats.size(); ++i) {
        CHECK(a.repeats[i].ratio == b.repeats[i].ratio);
    }
}

} // namespace

TEST_CASE("an observer sees a simulation as shorter ones end, and changes nothing") {
    PhysarumParams params;
    params.steps = 7;
    const Extent2 extent{33, 20};
    const Sight sight = small_physarum().look(5, {});
    REQUIRE(sight.fields.size() == 5);
    CHECK(sight.fields[0].stage == "physarum: agents");
    CHECK(sight.fields[0].step == 0);
    std::uint64_t agents = 0;
    for (const std::uint32_t count : sight.fields[0].cells) {
        agents += count;
    }
    CHECK(agents == 89); // drawn: 0.15 a cell of 660 are 99 in the mean
    const std::int64_t steps[] = {1, 3, 7};
    for (std::size_t i = 0; i < 3; ++i) {
        params.steps = steps[i];
        const auto trail = simulate_physarum(params, extent, 5).trail;
        CHECK(sight.fields[i + 1].step == steps[i]);
        CHECK(std::equal(trail.cells().begin(), trail.cells().end(),
                         sight.fields[i + 1].cells.begin(), sight.fields[i + 1].cells.end()));
    }
    CHECK(sight.fields[4].stage == "trail"); // the layer
    REQUIRE(sight.numbers.size() == 1);
    CHECK(sight.numbers[0].value == 89);
}

TEST_CASE("an observer sees generations of Life, the last one too") {
    ParamSet params(LifeSubject::infos());
    params.set("generations", std::int64_t{4});
    const Extent2 extent{70, 9};
    const Sight sight = LifeSubject(params, extent, {0, 1, 4, 100}).look(3, {});
    REQUIRE(sight.fields.size() == 3);
    const std::int64_t steps[] = {0, 1, 4};
    for (std::size_t i = 0; i < 3; ++i) {
        const LifeBoard board =
            simulate_life(make_soup(extent, 0.5, 3), {}, LifeBoundary::torus, steps[i]);
        CHECK(sight.fields[i].step == steps[i]);
        for (std::int64_t cell = 0; cell < extent.cells(); ++cell) {
            REQUIRE(sight.fields[i].cells[static_cast<std::size_t>(cell)] ==
                    (board.alive(cell % 70, cell / 70) ? 1 : 0));
        }
    }
}

TEST_CASE("a generator makes the same under an observer") {
    CrackParams params;
    const std::vector<std::int64_t> steps{0, 2};
    SightObserver watching(steps);
    Options options;
    options.observer = &watching;
    const CrackResult seen = generate_crack(params, {40, 24}, 0.01, 9, options);
    const CrackResult unseen = generate_crack(params, {40, 24}, 0.01, 9);
    CHECK(seen.mask == unseen.mask);
    CHECK(seen.depth == unseen.depth);
    const auto &fields = watching.sight.fields;
    CHECK(std::any_of(fields.begin(), fields.end(), [](const SeenField &field) {
        return field.stage == "secondary network" && field.step == 2;
    }));
    CHECK(std::any_of(fields.begin(), fields.end(), [](const SeenField &field) {
        return field.stage == "cells" && field.meaning == StageCells::mask;
    }));
}

TEST_CASE("a seed that is used whole is within, one bit that is not is outside") {
    const SeedSettings settings = settings_of({0, 17, 40, 63}, 40);
    const SeedReport sound = measure_seeds(NoiseSubject(~std::uint64_t{0}), settings, {});
    CHECK(sound.met());
    const SeedRow &noise = row_of(sound, "noise", "hamming");
    CHECK(all_are(noise, BitVerdict::within));
    CHECK(noise.baseline == doctest::Approx(0.375).epsilon(0.03)); // 2 p (1 - p), p = 1/4
    CHECK(noise.expected.value() == doctest::Approx(noise.baseline).epsilon(0.03));
    CHECK(noise.average_sensitivity == doctest::Approx(4).epsilon(0.02));
    CHECK(noise.unchanged == 0);
    CHECK(sound.found.family == 4);
    CHECK(all_are(row_of(sound, "noise", "share"), BitVerdict::within));
    // A number around 0 has no ratio.
    CHECK(all_are(row_of(sound, "measures", "nothing"), BitVerdict::not_judged));

    const SeedReport dead = measure_seeds(NoiseSubject(~(std::uint64_t{1} << 17)), settings, {});
    const SeedRow &row = row_of(dead, "noise", "hamming");
    CHECK(row.verdicts[0] == BitVerdict::within);
    CHECK(row.verdicts[1] == BitVerdict::outside);
    CHECK(row.ratio[1] == 0);
    CHECK(row.unchanged == 40);
    REQUIRE(dead.unmet.size() == 1);
    CHECK(dead.unmet[0] == "'noise', hamming: outside for bit 17");
    CHECK(test::error_of("not every bit", [&] { require_met(dead); }) ==
          ErrorCode::requirement_failed);

    const SeedReport constant = measure_seeds(NoiseSubject(0), settings, {});
    REQUIRE(constant.unmet.size() == 1);
    CHECK(constant.unmet[0] == "'noise', hamming: no seed changes anything");
}

TEST_CASE("the number of base seeds follows from their spread, and doubtful bits are tried again") {
    SeedSettings settings = settings_of({2, 9}, 0);
    settings.seeds.reset();
    settings.repeat_seeds = 20;
    std::vector<std::string> parts;
    SeedHooks hooks;
    hooks.plan = [&](const SeedPlan &plan) { parts.push_back(plan.what); };
    const SeedReport report =
        measure_seeds(NoiseSubject(~(std::uint64_t{1} << 9)), settings, {}, hooks);
    CHECK(report.seeds == std::max(kPilotSeeds, report.needed));
    REQUIRE(report.repeats.size() == 1);
    CHECK(report.repeats[0].bit == 9);
    CHECK(report.repeats[0].verdict == BitVerdict::outside);
    CHECK(parts.front() == "16 base seeds, whose spread tells how many more are needed");
    CHECK(parts.back() == "20 fresh base seeds for bits that are not within");
}

TEST_CASE("the second verdict of a doubtful bit stands") {
    SeedSettings settings =
        settings_of({3, 9, 20, 61}, 2); // two base seeds show nothing to one tenth
    const NoiseSubject sound(~std::uint64_t{0});
    const SeedReport doubtful = measure_seeds(sound, settings, threads(2));
    CHECK(!doubtful.met());
    settings.repeat_seeds = 64;
    const SeedReport report = measure_seeds(sound, settings, threads(2));
    CHECK(!report.repeats.empty());
    for (const SeedRepeat &repeat : report.repeats) {
        CHECK(repeat.seeds == 64);
        CHECK(repeat.verdict == BitVerdict::within);
    }
    CHECK(row_of(report, "noise", "hamming").verdicts ==
          row_of(doubtful, "noise", "hamming").verdicts); // the first ones are kept beside
    CHECK(report.met());
}

TEST_CASE("maps of heights are judged by their slopes, volumes by their values") {
    for (const std::int64_t width : {std::int64_t{0}, std::int64_t{2}}) {
        const Sight sight{{{"height", {}, StageCells::level, width, {0, 4, 4, 0}}}, {}};
        const Sight other{{{"height", {}, StageCells::level, width, {9, 13, 13, 9}}}, {}};
        std::vector<std::string> judged;
        double distance = 0;
        for (const Quantity &quantity : quantities_of(sight)) {
            if (quantity.judged) {
                judged.push_back(quantity.distance);
                distance = measured(quantity, sight, other);
            }
        }
        CHECK(judged == std::vector<std::string>{width > 0 ? "slope_l2" : "l2"});
        // One inclination, 9 higher.
        CHECK(distance == doctest::Approx(width > 0 ? 0 : 18 / std::sqrt(32.0)));
    }
}

TEST_CASE("the same numbers for every number of threads, and where a measurement goes on") {
    SeedSettings settings = settings_of({0, 33}, 5);
    settings.repeat_seeds = 2;
    const GeneratorSubject subject = small_physarum();
    std::vector<SeedSample> samples;
    SeedHooks hooks;
    hooks.keep = [&](const SeedSample &sample) { samples.push_back(sample); };
    const SeedReport whole = measure_seeds(subject, settings, threads(1), hooks);
    require_equal(whole, measure_seeds(subject, settings, threads(3)));

    SeedHooks rest;
    std::int64_t measured = 0;
    rest.keep = [&](const SeedSample &) { ++measured; };
    rest.known = {samples[3], samples[0]};
    require_equal(whole, measure_seeds(subject, settings, threads(2), rest));
    CHECK(measured == static_cast<std::int64_t>(samples.size()) - 2);

    SeedHooks broken;
    broken.known = {samples[0]};
    broken.known[0].values[0].pop_back();
    CHECK(test::error_of("runs", [&] { measure_seeds(subject, settings, threads(1), broken); }) ==
          ErrorCode::invalid_argument);
}

TEST_CASE("settings that make no measurement are refused") {
    const NoiseSubject subject(~std::uint64_t{0});
    for (const auto &bits : {std::vector<int>{}, {-1}, {64}, {3, 3}, {4, 2}}) {
        CHECK(test::error_of("bits are", [&] {
                  measure_seeds(subject, settings_of(bits, 4), {});
              }) == ErrorCode::invalid_argument);
    }
    for (const std::int64_t seeds : {std::int64_t{1}, kMostSeeds + 1}) {
        CHECK(test::error_of("seeds is", [&] {
                  measure_seeds(subject, settings_of({0}, seeds), {});
              }) == ErrorCode::invalid_argument);
    }
}

TEST_CASE("controls fail, and sound keys pass") {
    const auto controls = run_controls({});
    REQUIRE(controls.size() == 4);
    for (const ControlResult &control : controls) {
        CAPTURE(control.name);
        CAPTURE(control.why);
        CHECK(control.is_as_it_should_be());
    }
}

TEST_CASE("seed + index as key: seen where agents spawn, not in the picture after 200 steps") {
    const IndexKeySubject subject({128, 128}, 200, {0});
    const SeedReport report = measure_seeds(subject, settings_of({0, 3}, 24), {});
    const SeedRow &spawn = row_of(report, "physarum: agents", "bray_curtis");
    CHECK(all_are(spawn, BitVerdict::outside));
    CHECK(spawn.ratio[0] < 0.01);
    const SeedRow &picture = row_of(report, "physarum", "bray_curtis");
    for (std::size_t bit = 0; bit < 2; ++bit) {
        CAPTURE(picture.ratio[bit]);
        CHECK(picture.verdicts[bit] == BitVerdict::within);
    }
}

TEST_CASE("the avalanche of random numbers, counted one by one") {
    constexpr std::int64_t kSamples = 128;
    const RandomNumbers numbers = measure_random_numbers(kSamples, threads(2));
    const int bit = 37;
    std::array<std::int64_t, kDrawBits> flips{};
    for (std::uint32_t sample = 0; sample < kSamples; ++sample) {
        const core::Draw4 trial = core::philox4x32(sample, 0, 0, use(slot_trial), 0);
        const std::uint64_t seed = trial.word[0] | std::uint64_t{trial.word[1]} << 32;
        const auto draw = [&](std::uint64_t key) {
            return core::philox4x32(trial.word[2] >> 16, trial.word[3] >> 16, 0,
                                    core::use(core::stage_physarum_spawn), key);
        };
        const core::Draw4 one = draw(seed);
        const core::Draw4 other = draw(seed ^ (std::uint64_t{1} << bit));
        for (std::size_t j = 0; j < flips.size(); ++j) {
            flips[j] += ((one.word[j / 32] ^ other.word[j / 32]) >> (j % 32)) & 1;
        }
    }
    CHECK(numbers.flips[bit] == flips);
    CHECK(numbers.met());
    CHECK(numbers.average_sensitivity == doctest::Approx(32).epsilon(0.01));
    CHECK(numbers.completeness == 1);
    CHECK(numbers.avalanche > 0.98);
    CHECK(numbers.strict_avalanche == doctest::Approx(1 - 0.0705).epsilon(0.01)); // sqrt(2/pi/n)
    CHECK(test::error_of("samples", [] { measure_random_numbers(65, {}); }) ==
          ErrorCode::invalid_argument);
}

namespace {

// Cells 0, 1, 2, ... 11 of a map of 4 x 3, and the same mask for every seed.
class RampSubject final : public Subject {
public:
    Sight look(std::uint64_t, const Options &) const override {
        SeenField field{"ramp", {}, StageCells::amount, 4, {}};
        for (std::uint32_t i = 0; i < 12; ++i) {
            field.cells.push_back(i);
        }
        return {{std::move(field)}, {}};
    }
};

std::vector<std::uint8_t> bytes_of(const Subject *subject, const BitSettings &settings,
                                   int thread_count) {
    std::vector<std::uint8_t> bytes;
    extract_bits(subject, settings, threads(thread_count),
                 [&](std::span<const std::uint8_t> piece) {
                     bytes.insert(bytes.end(), piece.begin(), piece.end());
                 });
    return bytes;
}

} // namespace

TEST_CASE("bits are taken as documented") {
    const RampSubject ramp;
    BitSettings settings;
    settings.bytes = 3;
    // Cells 1 to 11: 1 0 1 0 1 0 1 0 | 1 0 1, then the next field.
    CHECK(bytes_of(&ramp, settings, 2) == std::vector<std::uint8_t>{0x55, 0xad, 0x6a});
    settings.unit = 8; // 8 to 11: 0 1 0 1
    CHECK(bytes_of(&ramp, settings, 1) == std::vector<std::uint8_t>{0xaa, 0xaa, 0xaa});
    settings.whitened = true; // 01 is 0
    CHECK(bytes_of(&ramp, settings, 3) == std::vector<std::uint8_t>{0, 0, 0});
    settings.whitened = false;
    settings.unit = 1;
    settings.stride = 2; // cells 2, 8, 10 of 0 2 / 8 10
    CHECK(bytes_of(&ramp, settings, 1) == std::vector<std::uint8_t>{0, 0, 0});
    settings.source = BitSource::threshold; // above 5.5: 0 0 1 1
    CHECK(bytes_of(&ramp, settings, 2) == std::vector<std::uint8_t>{0xcc, 0xcc, 0xcc});

    settings.source = BitSource::key;
    settings.bytes = 8;
    settings.seed = 7;
    const std::uint32_t first =
        core::draw_at(7, 0, 0, 0, core::use(core::stage_physarum_spawn)).word[0];
    const std::uint32_t second =
        core::draw_at(8, 0, 0, 0, core::use(core::stage_physarum_spawn)).word[0];
    std::vector<std::uint8_t> known;
    for (const std::uint32_t word : {first, second}) {
        for (int i = 0; i < 32; i += 8) {
            known.push_back(static_cast<std::uint8_t>(word >> i));
        }
    }
    CHECK(bytes_of(nullptr, settings, 2) == known);
    settings.source = BitSource::lowest;
    settings.unit = 12;
    const auto take_one = [&] { bytes_of(&ramp, settings, 1); };
    CHECK(test::error_of("64 fields in a row gave no bit", take_one) == ErrorCode::unsupported);
    // Bits that are all alike leave nothing when they are whitened.
    settings.whitened = true;
    settings.source = BitSource::threshold;
    settings.stride = 65536;
    CHECK(test::error_of("4096 fields in a row gave no bit", take_one) == ErrorCode::unsupported);
}

TEST_CASE("a report of bits counts them") {
    BitSettings settings;
    settings.source = BitSource::random;
    settings.bytes = 100'000; // more than a block
    const BitReport report =
        extract_bits(nullptr, settings, threads(2), [](std::span<const std::uint8_t>) {});
    CHECK(report.ones == doctest::Approx(0.5).epsilon(0.01));
    CHECK(report.entropy == doctest::Approx(8).epsilon(0.001));
    CHECK(report.chi_square > 160);
    CHECK(report.chi_square < 360);
    CHECK(std::abs(report.serial_correlation) < 0.02);
}
