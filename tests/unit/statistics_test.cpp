// The laboratory's arithmetic, statistics, distances and laws of growth against known values.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/rng.hpp"
#include "lab/distances.hpp"
#include "lab/distributions.hpp"
#include "lab/growth_law.hpp"
#include "lab/real.hpp"
#include "lab/statistics.hpp"
#include "support/error_of.hpp"

using namespace karst;
using namespace karst::lab;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool near(double value, double known, double relative) {
    INFO("value " << value << ", known " << known);
    const bool good = std::abs(value - known) <= relative * std::abs(known);
    CHECK(good);
    return good;
}

// About normal: the sum of twelve uniform draws, less 6.
double draw(std::uint64_t seed, std::uint32_t i, std::uint32_t of) {
    double sum = -6;
    for (std::uint32_t k = 0; k < 3; ++k) {
        for (const std::uint32_t word : core::philox4x32(i, k, of, 0, seed).word) {
            sum += word * 0x1p-32;
        }
    }
    return sum;
}

} // namespace

TEST_CASE("lab: logarithm, exponential and arctangent agree with 20 digits") {
    const std::pair<double, double> logarithms[] = {
        {1e-300, -690.77552789821370518},    {1e-10, -23.025850929940456804},
        {0.5, -0.69314718055994530942},      {0.70710678, -0.3465735919580041927},
        {0.9999999, -1.0000000494736474e-7}, {1.0000001, 9.9999995058387045e-8},
        {1.4142, 0.34656400018800330914},    {2, 0.69314718055994530942},
        {10, 2.302585092994045684},          {12345.678, 9.4210613212918319671},
        {1e300, 690.77552789821370526},      {0x1p-1074, -744.4400719213812623}};
    for (const auto &[x, known] : logarithms) {
        near(logarithm(x), known, 0x1p-50);
    }
    CHECK(logarithm(1) == 0);
    CHECK(logarithm(0) == -kInfinity);
    CHECK(logarithm(kInfinity) == kInfinity);
    CHECK(std::isnan(logarithm(-1)));
    const std::pair<double, double> exponentials[] = {
        {-700, 9.8596765437597708567e-305}, {-20, 2.061153622438557828e-9},
        {-1, 0.3678794411714423216},        {-1e-9, 0.9999999990000000005},
        {0.3465, 1.4141094938303624151},    {1, 2.7182818284590452354},
        {10.5, 36315.502674246637739},      {700, 1.0142320547350045095e304}};
    for (const auto &[x, known] : exponentials) {
        near(exponential(x), known, 0x1p-50);
    }
    CHECK(exponential(0) == 1);
    CHECK(exponential(-1000) == 0);
    CHECK(exponential(1000) == kInfinity);
    const std::pair<double, double> angles[] = {
        {0.1, 0.099668652491162032875}, {0.4, 0.38050637711236490545},
        {1, 0.78539816339744830962},    {2.5, 1.1902899496825317329},
        {1e6, 1.5707953267948966196},   {-3, -1.2490457723982544258}};
    for (const auto &[x, known] : angles) {
        near(arctangent(x), known, 0x1p-50);
    }
}

TEST_CASE("lab: normal and Student's tails and quantiles") {
    const std::pair<double, double> tails[] = {{0, 0.5},
                                               {0.5, 0.30853753872598689636},
                                               {1.96, 0.024997895148220436213},
                                               {3, 0.0013498980316300945267},
                                               {5, 2.8665157187919391167e-7},
                                               {8, 6.2209605742717841235e-16},
                                               {-2, 0.9772498680518207928}};
    for (const auto &[z, known] : tails) {
        near(normal_tail(z), known, 1e-12);
    }
    for (const auto &[share, known] : {std::pair{0.25, 0.674489750196081743},
                                       {0.025, 1.95996398454005421},
                                       {0.00078125, 3.16281796562128511},
                                       {1e-9, 5.99780701500768686}}) {
        near(normal_quantile(share), known, 1e-12);
        near(normal_quantile(1 - share), -known, 1e-6);
    }
    struct Known {
        double x;
        std::int64_t freedom;
        double value;
    };
    for (const Known &its : {Known{1, 1, 0.25},
                             {2, 2, 0.0917517095361369836},
                             {2.5, 3, 0.0438533235040327736},
                             {3, 4, 0.0199709840358594136},
                             {0.7, 7, 0.253258776097799901},
                             {3.2, 31, 0.00158242235300861478},
                             {3.5, 100, 0.00034821385867813446},
                             {5, 1001, 3.38307659353548633e-7}}) {
        CHECK(std::abs(student_tail(its.x, its.freedom) - its.value) <= 1e-14);
    }
    for (const Known &its : {Known{0.05, 1, 6.31375151467504274},
                             {0.025, 2, 4.30265272974946372},
                             {0.00078125, 31, 3.46768491565783512},
                             {0.025, 1000, 1.96233908082640846},
                             {1e-6, 10, 9.75199549094058023}}) {
        near(student_quantile(its.x, its.freedom), its.value, 1e-9);
    }
    CHECK(test::error_of("above 0 and below 1", [] { normal_quantile(1); }) ==
          ErrorCode::invalid_argument);
}

TEST_CASE("lab: shares by Wilson and Hoeffding") {
    const Interval none = wilson(0, 64, 0.95);
    CHECK(none.low == 0);
    CHECK(none.high == doctest::Approx(0.0566).epsilon(0.001));
    const Interval half = wilson(5000, 10000, 0.95);
    CHECK(half.low == doctest::Approx(0.4902).epsilon(0.0001));
    CHECK(half.high == doctest::Approx(0.5098).epsilon(0.0001));
    CHECK(wilson(7, 7, 0.95).high == 1);
    const std::int64_t known[][4] = {{185, 393, 601, 947},
                                     {738, 1570, 2402, 3788},
                                     {4612, 9810, 15009, 23673},
                                     {18445, 39239, 60034, 94691}};
    const double widths[] = {0.1, 0.05, 0.02, 0.01};
    const double cells[] = {1, 64, 4096, 4194304};
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            CHECK(hoeffding_trials(widths[i], 0.05 / cells[j]) == known[i][j]);
        }
    }
    CHECK(hoeffding_half_width(185, 0.05) <= 0.1);
    CHECK(hoeffding_half_width(184, 0.05) > 0.1);
    CHECK(test::error_of("is 9; allowed is 0 to 8", [] { wilson(9, 8, 0.95); }) ==
          ErrorCode::invalid_argument);
}

TEST_CASE("lab: means of values and of batches") {
    const double values[] = {9, 1, 2, 3, 4};
    const Mean mean = mean_of(std::span(values).last(4));
    CHECK(mean.value == 2.5);
    CHECK(mean.standard_error == doctest::Approx(0.6454972244));
    CHECK(mean.interval(0.95).low == doctest::Approx(2.5 - 3.182446305 * 0.6454972244));
    const Mean batches = batch_mean(values, 2); // (1, 2) and (3, 4)
    CHECK(batches.value == 2.5);
    CHECK(batches.standard_error == 1);
    // A series that repeats each value ten times: its own error is far too small.
    std::vector<double> series;
    for (std::uint32_t i = 0; i < 4000; ++i) {
        series.push_back(draw(1, i / 10, 0));
    }
    const double naive = mean_of(series).standard_error;
    const double honest = batch_mean(series, 20).standard_error;
    CHECK(honest > 2 * naive);
    CHECK(honest == doctest::Approx(0.05).epsilon(0.5));
    CHECK(test::error_of("batches is 1", [&] { batch_mean(series, 1); }) ==
          ErrorCode::invalid_argument);
}

TEST_CASE("lab: a ratio of means and whether it lies in a margin") {
    const double x[] = {1.02, 0.97, 1.05, 0.99, 1.01, 0.96, 1.00, 1.04};
    const double y[] = {1.00, 0.99, 1.03, 1.00, 1.02, 0.97, 0.98, 1.01};
    const PairedRatio ratio(x, y);
    CHECK(ratio.value() == doctest::Approx(8.04 / 8.00));
    // Fieller's bounds are where the one-sided test has the level, and so is the margin's test.
    const Interval ninety = ratio.interval(0.9);
    CHECK(ratio.p_above(ninety.low) == doctest::Approx(0.05));
    CHECK(ratio.p_below(ninety.high) == doctest::Approx(0.05));
    CHECK(ratio.p_within(ninety) == doctest::Approx(0.05));
    CHECK(ratio.p_within({0.9, 1.1}) < 1e-4);
    CHECK(ratio.p_outside({0.9, 1.1}) == 1);
    CHECK(ratio.p_outside({1.2, 1.3}) < 1e-4);
    // Units and a common factor do not matter.
    double scaled_x[8], scaled_y[8];
    for (int i = 0; i < 8; ++i) {
        scaled_x[i] = 1024 * x[i];
        scaled_y[i] = 1024 * y[i];
    }
    CHECK(PairedRatio(scaled_x, scaled_y).p_within({0.9, 1.1}) == ratio.p_within({0.9, 1.1}));

    const double zero[8] = {};
    CHECK(PairedRatio(zero, y).p_within({0.9, 1.1}) > 0.999); // a dead bit
    CHECK(PairedRatio(zero, y).p_outside({0.9, 1.1}) < 1e-9);
    CHECK(PairedRatio(zero, zero).p_within({0.9, 1.1}) == 1); // a constant stage
    CHECK(PairedRatio(y, y).p_within({0.9, 1.1}) < 1e-9);
    CHECK(PairedRatio(x, zero).interval(0.9).high == kInfinity);
    CHECK(test::error_of("number of partners is 7", [&] {
              PairedRatio(x, std::span(y).first(7));
          }) == ErrorCode::invalid_argument);
}

TEST_CASE("lab: families by Bonferroni and Holm") {
    const double p[] = {0.01, 0.04, 0.03, 0.005};
    const double by_holm[] = {0.03, 0.06, 0.06, 0.02};
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(holm(p)[i] == doctest::Approx(by_holm[i]));
        CHECK(bonferroni(p)[i] == doctest::Approx(4 * p[i]));
        CHECK(holm(p)[i] <= bonferroni(p)[i]);
    }
    CHECK(bonferroni(std::vector<double>{0.7, 0.1})[0] == 1);
    CHECK(holm({}).empty());

    std::vector<PairedRatio> family; // a good bit, a dead one, one of half, one that nobody knows
    for (const auto &[mean, spread] : {std::pair{1.0, 0.05}, {0.0, 0.0}, {0.5, 0.05}, {1.0, 0.8}}) {
        std::vector<double> x, y;
        for (std::uint32_t i = 0; i < 32; ++i) {
            x.push_back(mean + spread * draw(2, i, 0));
            y.push_back(1 + 0.05 * draw(2, i, 1));
        }
        family.emplace_back(x, y);
    }
    CHECK(verdicts(family, {0.9, 1.1}, 0.05) ==
          std::vector<Verdict>{Verdict::within, Verdict::outside, Verdict::outside,
                               Verdict::undecided});
}

TEST_CASE("lab: as many base seeds as the family's power needs") {
    Power family;
    family.tests = 64;
    family.variation = 0.067;
    CHECK(pairs_needed(family) == 48);
    family.correlation = 0.5;
    CHECK(pairs_needed(family) == 27);
    family.correlation = 0;
    family.variation = 0.095;
    CHECK(pairs_needed(family) == 91);
    family.tests = 1;
    CHECK(pairs_needed(family) == 29);
    family.tests = 512;
    family.variation = 0.105;
    CHECK(pairs_needed(family) == 150);
    family.variation = 1e3;
    CHECK(test::error_of("more than 1000000", [&] { pairs_needed(family); }) ==
          ErrorCode::unsupported);
    family.margin = {0.9, 1};
    CHECK(test::error_of("the margin", [&] { pairs_needed(family); }) ==
          ErrorCode::invalid_argument);

    // By trial: families of 8 good bits pass about as often as asked, and half the seeds fail
    // often.
    const auto passed = [](std::int64_t pairs) {
        constexpr std::uint32_t kTrials = 100;
        int good = 0;
        for (std::uint32_t trial = 0; trial < kTrials; ++trial) {
            std::vector<PairedRatio> bits;
            for (std::uint32_t bit = 0; bit < 8; ++bit) {
                std::vector<double> x, y;
                for (std::uint32_t i = 0; i < pairs; ++i) {
                    x.push_back(1 + 0.08 * draw(trial, i, 2 * bit));
                    y.push_back(1 + 0.08 * draw(trial, i, 2 * bit + 1));
                }
                bits.emplace_back(x, y);
            }
            const auto its = verdicts(bits, {0.9, 1.1}, 0.05);
            good += std::count(its.begin(), its.end(), Verdict::within) == 8 ? 1 : 0;
        }
        return static_cast<double>(good) / kTrials;
    };
    Power small;
    small.tests = 8;
    small.variation = 0.08;
    const std::int64_t pairs = pairs_needed(small);
    CAPTURE(pairs);
    CHECK(passed(pairs) >= 0.95);
    CHECK(passed(pairs / 3) < 0.6);
}

TEST_CASE("lab: the bootstrap draws whole base seeds") {
    std::vector<double> values;
    for (std::uint32_t i = 0; i < 50; ++i) {
        values.push_back(3 + draw(3, i, 0));
    }
    const auto mean = [&values](std::span<const std::uint32_t> drawn) {
        double sum = 0;
        for (const std::uint32_t i : drawn) {
            sum += values[i];
        }
        return sum / static_cast<double>(drawn.size());
    };
    const auto means = bootstrap(50, 2000, 7, mean);
    CHECK(std::is_sorted(means.begin(), means.end()));
    CHECK(means == bootstrap(50, 2000, 7, mean));
    CHECK(means != bootstrap(50, 2000, 8, mean));
    const Interval by_draws = percentiles(means, 0.95);
    const Mean classic = mean_of(values);
    const Interval by_t = classic.interval(0.95);
    CHECK(by_draws.low == doctest::Approx(by_t.low).epsilon(0.02));
    CHECK(by_draws.high == doctest::Approx(by_t.high).epsilon(0.02));
    const double four[] = {1, 2, 3, 4};
    CHECK(percentiles(four, 0.5).low == 2);
    CHECK(percentiles(four, 0.5).high == 3);
    CHECK(percentiles(four, 0.95).high == 4);
}

TEST_CASE("lab: power laws and exponentials are told apart") {
    std::vector<double> t, power, exponential, noisy, constant;
    for (std::uint32_t i = 1; i <= 40; ++i) {
        t.push_back(i);
        power.push_back(0.5 * std::pow(i, 2.4));
        exponential.push_back(3 * std::exp(0.1 * i));
        noisy.push_back(power.back() * std::exp(0.1 * draw(4, i, 0)));
        constant.push_back(7);
    }
    const GrowthLaw first = growth_law(t, power);
    CHECK(first.law == Law::power);
    CHECK(first.power.slope == doctest::Approx(2.4));
    CHECK(first.power.explained == doctest::Approx(1));
    const GrowthLaw second = growth_law(t, exponential);
    CHECK(second.law == Law::exponential);
    CHECK(second.exponential.slope == doctest::Approx(0.1));
    CHECK(second.exponential.intercept == doctest::Approx(std::log(3)));
    CHECK(growth_law(t, noisy).law == Law::power);
    CHECK(growth_law(t, constant).law == Law::undecided);
    // Four points say nothing; a healed damage has no logarithm.
    CHECK(growth_law(std::span(t).first(4), std::span(power).first(4)).law == Law::undecided);
    power[0] = power[39] = 0;
    CHECK(growth_law(t, power).points == 38);
    CHECK(test::error_of("fewer than three", [&] {
              growth_law(std::span(t).first(2), std::span(power).first(2));
          }) == ErrorCode::invalid_argument);
}

TEST_CASE("lab: distances of fields") {
    const std::uint32_t u[] = {0, 4, 4, 0};
    const std::uint32_t v[] = {4, 0, 4, 0};
    const Distances place(u, v);
    CHECK(place.hamming_fraction() == 0.5);
    CHECK(place.bray_curtis() == 0.5);
    CHECK(place.normalised_l1() == 1); // as far apart as with shuffled cells
    CHECK(place.normalised_l2() == 1);
    const Distances same(u, u);
    CHECK(same.bray_curtis() == 0);
    CHECK(same.normalised_l1() == 0);
    CHECK(same.normalised_l2() == 0);
    // As 2 x 2 cells rows 4, -4 beside -4, -4, columns 4, -4 beside 0, 0.
    CHECK(place.slope_l2(2) == 1);
    CHECK(place.slope_l2(4) == 1);
    CHECK(place.slope_l2(1) == place.slope_l2(4)); // a column
    // Rows 1, 4 beside -2, 0, columns 3, 6 beside -2, 0; a row's last cell has none beside it.
    const std::uint32_t hill[] = {0, 1, 3, 7};
    const std::uint32_t corner[] = {2, 0, 0, 0};
    CHECK(Distances(hill, corner).slope_l2(2) == doctest::Approx(std::sqrt(86.0 / 70)));
    const std::uint32_t mirrored[] = {4, 0, 0, 4};
    CHECK(Distances(u, mirrored).slope_l2(2) == doctest::Approx(std::sqrt(2)));
    const std::uint32_t lifted[] = {9, 13, 13, 9};
    CHECK(Distances(u, lifted).slope_l2(2) == 0); // one inclination
    for (const std::int64_t width : {-1, 0, 3, 8}) {
        CHECK(test::error_of("rows", [&] { place.slope_l2(width); }) ==
              ErrorCode::invalid_argument);
    }
    const std::uint32_t large[] = {0xffffffffu, 0, 0xffffffffu, 0};
    const std::uint32_t swapped[] = {0, 0xffffffffu, 0, 0xffffffffu};
    CHECK(Distances(large, swapped).bray_curtis() == 1);
    CHECK(Distances(large, swapped).normalised_l1() == doctest::Approx(2));
    const std::uint32_t constant[] = {3, 3, 3, 3};
    const std::uint32_t other[] = {5, 5, 5, 5};
    CHECK(Distances(constant, constant).normalised_l2() == 0);
    CHECK(Distances(constant, other).normalised_l1() == 1);
    CHECK(Distances(constant, other).normalised_l2() == kInfinity);
    // The slow way: the mean over all pairs of places.
    std::vector<std::uint32_t> a, b;
    for (std::uint32_t i = 0; i < 101; ++i) {
        a.push_back(core::philox4x32(i, 0, 0, 0, 5).word[0] % 7);
        b.push_back(core::philox4x32(i, 0, 0, 0, 5).word[1] % 11);
    }
    double pairs = 0, places = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (const std::uint32_t value : b) {
            pairs += std::abs(double(a[i]) - double(value));
        }
        places += std::abs(double(a[i]) - double(b[i]));
    }
    CHECK(Distances(a, b).normalised_l1() == doctest::Approx(places * 101 / pairs));
    CHECK(test::error_of("beside one of", [&] { Distances(a, std::span(b).first(3)); }) ==
          ErrorCode::invalid_argument);

    LifeBoard one({70, 3});
    LifeBoard two({70, 3});
    one.set(69, 2, true);
    two.set(0, 0, true);
    CHECK(hamming(one, two) == 2);
    CHECK(hamming_fraction(one, two) == 2.0 / 210);
    CHECK(independent_hamming(0.25) == 0.375);
    const double densities[] = {0, 0.5};
    CHECK(independent_hamming(densities) == 0.25);
    CHECK(independent_hamming(densities) <= independent_hamming(0.25));
}
