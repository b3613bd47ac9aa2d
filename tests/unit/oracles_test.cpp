// Estimators of sensitivity against systems whose sensitivity is known, and what they must refuse.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <karst/simulate.hpp>

#include "core/rng.hpp"
#include "lab/cellular.hpp"
#include "lab/distances.hpp"
#include "lab/life_damage.hpp"
#include "lab/lyapunov.hpp"
#include "lab/oracles.hpp"
#include "lab/toy.hpp"
#include "support/error_of.hpp"

using namespace karst;
using namespace karst::lab;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Options on_threads(int threads) {
    Options options;
    options.threads = threads;
    return options;
}

// A chaotic map whose state has 8 bits: a difference below one of them does not exist.
struct QuantisedMap : LogisticMap {
    QuantisedMap() : LogisticMap(3.9) {}
    Vector<1> next(const Vector<1> &s) const {
        return {std::floor(LogisticMap::next(s)[0] * 256) / 256};
    }
};

// The other order of the loop, one cell at a time.
Ring next_of(const ElementaryRule &rule, const Ring &ring) {
    const auto cells = static_cast<std::int64_t>(64 * ring.size());
    const auto at = [&](std::int64_t i) {
        i = (i + cells) % cells;
        return ((ring[static_cast<std::size_t>(i / 64)] >> (i % 64)) & 1) != 0;
    };
    Ring next(ring.size());
    for (std::int64_t i = 0; i < cells; ++i) {
        if (rule.next_cell(at(i - 1), at(i), at(i + 1))) {
            next[static_cast<std::size_t>(i / 64)] |= std::uint64_t{1} << (i % 64);
        }
    }
    return next;
}

} // namespace

TEST_CASE("lab: every oracle is met") {
    const auto oracles = measure_oracles(on_threads(1));
    CHECK(oracles.size() > 60);
    for (const Oracle &oracle : oracles) {
        INFO(oracle.system << ", " << oracle.measure << ": " << oracle.estimate << ", known "
                           << oracle.known << " +- " << oracle.tolerance);
        CHECK(oracle.met());
    }
    require_met(oracles);
    Oracle missed = oracles.front();
    missed.estimate = std::numeric_limits<double>::quiet_NaN();
    CHECK(test::error_of("cat map", [&] {
              require_met({&missed, 1});
          }) == ErrorCode::requirement_failed);
}

TEST_CASE("lab: an exponent is reported from a plateau only") {
    const double epsilons[] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
    const Steps steps{100, 20'000, 1};
    const auto smooth = sweep(LogisticMap(4), {0.3}, epsilons, steps);
    CHECK(std::abs(smooth[0].exponent - std::log(2)) > 0.03); // too far apart
    const auto plateau = find_plateau(smooth, 1e-3);
    REQUIRE(plateau);
    CHECK(plateau->first >= 2);
    CHECK(plateau->count >= 5);
    CHECK(plateau->exponent == doctest::Approx(std::log(2)).epsilon(1e-3));
    const auto quantised = sweep(QuantisedMap(), {0.3}, epsilons, steps);
    CHECK_FALSE(find_plateau(quantised, 0.05)); // each size has an exponent of its own
    CHECK(quantised.back().coincidences > 10'000);
    CHECK(two_trajectories(LinearMap({{{0, 0}, {0, 0}}}), {0, 0}, 1e-3, steps).exponent ==
          -kInfinity);
    const Separation two[] = {{1e-3, 0.5, 0}, {1e-4, 0.5, 0}, {1e-5, 0.5, 1}, {1e-6, 0.5, 0}};
    CHECK_FALSE(find_plateau(two, 1));
}

TEST_CASE("lab: tangent exponents add up and know their error") {
    const auto henon = tangent_exponents(HenonMap{}, {0.1, 0.1}, {1000, 20'000, 1});
    CHECK(henon.exponents[0].value + henon.exponents[1].value ==
          doctest::Approx(henon.volume).epsilon(1e-12));
    CHECK(henon.exponents[0].interval(0.99).holds(0.41925));
    CHECK(henon.exponents[0].standard_error > 1e-4);
    const auto contraction =
        tangent_exponents(LinearMap({{{0.5, 0}, {0, 0.25}}}), {1, 1}, {10, 100, 1});
    CHECK(contraction.exponents[0].value == doctest::Approx(std::log(0.5)));
    CHECK(contraction.exponents[1].value == doctest::Approx(std::log(0.25)));
    CHECK(tangent_exponents(LogisticMap(2), {0.5}, {0, 20, 1}).exponents[0].value == -kInfinity);
}

TEST_CASE("lab: finite-size exponents are a curve over sizes") {
    std::vector<double> exponential, power, healed{1e-9, 2e-9, 4e-9, 0, 0, 0};
    for (int t = 0; t < 400; ++t) {
        exponential.push_back(1e-9 * std::exp(0.05 * t));
        power.push_back(1e-9 * t * t);
    }
    FirstPassages chaos(1e-9, 1.5, 30);
    chaos.add(exponential);
    for (const auto &exponent : chaos.exponents()) {
        CHECK(exponent.value == doctest::Approx(0.05));
        CHECK(exponent.passages == 1);
    }
    // d = t^2 grows at 2 / t, so as d^(-1/2).
    FirstPassages front(1e-7, 2, 9);
    front.add(power);
    const auto fronts = front.exponents();
    CHECK(fronts[0].value / fronts[8].value == doctest::Approx(16).epsilon(0.1));
    FirstPassages healing(1e-9, 2, 4);
    healing.add(healed);
    const auto its = healing.exponents();
    CHECK(its[1].passages == 1);
    CHECK(its[2].stayed == 1);
    CHECK(its[3].passages == 0);
    CHECK(std::isnan(its[3].value));
    CHECK(test::error_of("a factor above 1", [] { FirstPassages(1, 1, 3); }) ==
          ErrorCode::invalid_argument);
}

TEST_CASE("lab: elementary automata a word at a time") {
    for (const std::int64_t words : {1, 3}) {
        for (int number = 0; number < 256; number += number < 8 ? 1 : 31) {
            const ElementaryRule rule(number);
            Ring ring = random_ring(words, 9);
            const Ring before = ring;
            rule.advance(ring, 2);
            CAPTURE(number);
            CHECK(ring == next_of(rule, next_of(rule, before)));
            // A derivative is what a flip does.
            const auto derivatives = rule.derivatives(before);
            Ring flipped = before;
            flipped[0] ^= 1; // cell 0 is the left neighbour of cell 1, the right one of the last
            const Ring next = next_of(rule, before);
            const Ring other = next_of(rule, flipped);
            CHECK(((next[0] ^ other[0]) >> 1 & 1) == (derivatives[0][0] >> 1 & 1));
            CHECK(((next[0] ^ other[0]) & 1) == (derivatives[1][0] & 1));
            CHECK(((next.back() ^ other.back() ^ derivatives[2].back()) >> 63) == 0);
        }
    }
    const double share = static_cast<double>(population(random_ring(1000, 1))) / 64000;
    CHECK(share == doctest::Approx(0.5).epsilon(0.02));
    CHECK(test::error_of("is 256; allowed is 0 to 255", [] { ElementaryRule(256); }) ==
          ErrorCode::invalid_argument);
    CHECK(test::error_of("fewer than half", [] { damage(ElementaryRule(30), Ring(1), 0, 32); }) ==
          ErrorCode::invalid_argument);
}

TEST_CASE("lab: an exponent of paths is no spreading") {
    // Rule 232, the majority, freezes: ln 2 by its islands of two cells, and no front.
    const ElementaryRule majority(232);
    CHECK(boolean_exponent(majority, random_ring(16, 1), 200, 400) ==
          doctest::Approx(std::log(2)).epsilon(0.02));
    const Fronts fronts = front_velocities(majority, 100, 200, 30, 1);
    CHECK((fronts.alive == 0 || std::abs(fronts.right.value) < 0.02));
    CHECK(boolean_exponent(ElementaryRule(0), random_ring(2, 1), 0, 3) == -kInfinity);
}

TEST_CASE("lab: damage in Life") {
    const SoupDamage small{0.5, 64, 2, 3};
    const std::int64_t times[] = {0, 1, 31};
    const auto points = small.measure(LifeRule{}, times, on_threads(1));
    CHECK(points[0].size.value == 1);
    CHECK(points[0].alive == 4);
    CHECK(points[2].size.count == 4);
    CHECK(small.measure(LifeRule{}, times, on_threads(2))[2].size.value == points[2].size.value);
    const std::int64_t late[] = {32};
    CHECK(test::error_of("up to 31", [&] { small.measure(LifeRule{}, late); }) ==
          ErrorCode::invalid_argument);
    // The slow way: each flip by itself.
    const LifeBoard base = make_soup({128, 128}, 0.5, 3);
    const LifeBoard later = simulate_life(base, LifeRule{}, LifeBoundary::torus, 31);
    std::vector<double> sizes;
    for (const auto &[x, y] : {std::pair{32, 32}, {96, 32}, {32, 96}, {96, 96}}) {
        LifeBoard one = base;
        one.set(x, y, !one.alive(x, y));
        one = simulate_life(one, LifeRule{}, LifeBoundary::torus, 31);
        sizes.push_back(static_cast<double>(hamming(one, later)));
    }
    CHECK(mean_of(sizes).value == points[2].size.value);
    CHECK(mean_of(sizes).standard_error == points[2].size.standard_error);
    CHECK(std::count(sizes.begin(), sizes.end(), 0.0) == 4 - points[2].alive);
    // What a defect does in one step is what a flip does, on a board small enough to try all.
    const LifeBoard soup = make_soup({7, 5}, 0.5, 11);
    const LifeBoard next = simulate_life(soup, LifeRule{}, LifeBoundary::torus, 1);
    std::int64_t changed = 0;
    for (std::int64_t i = 0; i < 35; ++i) {
        LifeBoard flipped = soup;
        flipped.set(i % 7, i / 7, !soup.alive(i % 7, i / 7));
        flipped = simulate_life(flipped, LifeRule{}, LifeBoundary::torus, 1);
        for (std::int64_t j = 0; j < 35; ++j) {
            changed += next.alive(j % 7, j / 7) != flipped.alive(j % 7, j / 7) ? 1 : 0;
        }
    }
    CHECK(exponential(boolean_exponent(LifeRule{}, soup, 0, 1)) ==
          doctest::Approx(static_cast<double>(changed) / 35));
    CHECK(boolean_exponent(LifeRule{0, 0}, soup, 0, 2) == -kInfinity);
    CHECK(test::error_of("3 or more a side", [] {
              boolean_exponent(LifeRule{}, LifeBoard({2, 9}), 0, 1);
          }) == ErrorCode::invalid_argument);
    const auto pairs = sensitive_pairs(LifeRule{});
    CHECK(std::accumulate(pairs.begin(), pairs.end(), std::int64_t{0}) == 1624);
}

TEST_CASE("lab: the toy model's exact region") {
    struct Known {
        double a, b, g, k, exponent;
        bool claim;
        Growth growth;
    };
    constexpr Known kKnown[] = {
        {0.3, 0.1, 0.2, 0.3, 0.062576, true, Growth::grows},
        {0.2, 0.5, 0.2, 0.5, -0.356675, false, Growth::decays},
        {0.9, 0.9, 0.9, 0.9, 0, false, Growth::marginal},
        {1.2, 0.2, 1.0, 0.2, 0.639454, true, Growth::grows},
        {0.5, 1.5, 0.5, 1.5, 0, false, Growth::marginal},
        {0.8, 1.6, 0.8, 1.6, 0.336472, false, Growth::grows},
        {1.0, 0.5, -1.2, 0.5, 0.185782, false, Growth::grows},
        {0.3, 0.3, -0.3, 0.3, -0.272364, false, Growth::decays},
    };
    for (const Known &known : kKnown) {
        const Toy toy{known.a, known.b, known.g, known.k, ToyOrder::synchronous};
        const ToyAnalysis its = analyse(toy);
        CAPTURE(known.a);
        CAPTURE(known.b);
        CHECK(std::abs(its.exponent - known.exponent) < 1e-6);
        CHECK(its.claim == known.claim);
        CHECK(its.growth == known.growth);
        CHECK(its.agrees == (known.claim == (known.growth == Growth::grows)));
        CHECK(std::abs(iterated_exponent(toy, 20'000) - its.exponent) < 2e-4);
    }
    // The order of operations matters: 1.0424 and 0.9328.
    Toy toy{0.6, 0.4, 0.4, 0.5, ToyOrder::synchronous};
    CHECK(analyse(toy).radius == doctest::Approx(1.0424).epsilon(1e-4));
    toy.order = ToyOrder::deposit_first;
    CHECK(analyse(toy).radius == doctest::Approx(0.9328).epsilon(1e-4));
    CHECK_FALSE(analyse(toy).agrees);
    // The largest |A^t| before everything dies: t = 9.
    const auto curve = growth_curve({0, 0.1, 5, 0.1, ToyOrder::synchronous}, 200);
    const auto top = std::max_element(curve.begin(), curve.end());
    CHECK(top - curve.begin() == 9);
    CHECK(exponential(*top) == doctest::Approx(19.4).epsilon(0.01));
    CHECK(growth_curve({0, 1, 0, 1, ToyOrder::synchronous}, 2)[1] == -kInfinity);
}

TEST_CASE("lab: the toy model's region is that of its eigenvalues in every order") {
    int agree_in_the_box = 0;
    int missed = 0;
    for (std::uint32_t i = 0; i < 20'000; ++i) {
        const core::Draw4 draw = core::philox4x32(i, 0, 0, 0, 1);
        const auto real = [&](int word, double low, double high) {
            return low + (high - low) * draw.word[word] * 0x1p-32;
        };
        for (const ToyOrder order :
             {ToyOrder::synchronous, ToyOrder::deposit_first, ToyOrder::sequential}) {
            const Toy toy{real(0, -3, 3), real(1, -1, 4), real(2, -3, 3), real(3, -1, 4), order};
            const ToyAnalysis its = analyse(toy);
            const bool grows = its.radius > 1;
            if (std::abs(its.radius - 1) > 1e-9 && grows != (its.growth == Growth::grows)) {
                ++missed;
            }
        }
        const Toy inside{real(0, 0, 2), real(1, 0, 1), real(2, 0, 2), real(3, 0, 1),
                         ToyOrder::synchronous};
        agree_in_the_box += analyse(inside).agrees ? 1 : 0;
    }
    CHECK(missed == 0);
    CHECK(agree_in_the_box == 20'000);
}
