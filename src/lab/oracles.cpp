#include "lab/oracles.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>

#include <karst/error.hpp>
#include <karst/simulate.hpp>

#include "lab/cellular.hpp"
#include "lab/life_damage.hpp"
#include "lab/lyapunov.hpp"
#include "lab/maps.hpp"
#include "lab/real.hpp"

namespace karst::lab {

namespace {

const char *const kExact = "exact";
const char *const kMeasured = "karst's reference, an independent program";

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr double kLn2 = 0.693147180559945309;
constexpr double kLn3 = 1.098612288668109691;

using Oracles = std::vector<Oracle>;

// The plateau of the two orbits' exponents over distances of 10^-5 to 10^-10.
template <class Map>
double plateau_of(const Map &map, const Vector<Map::kDimension> &start, const Steps &steps,
                  double tolerance) {
    constexpr double kEpsilons[] = {1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};
    const auto plateau = find_plateau(sweep(map, start, kEpsilons, steps), tolerance);
    return plateau ? plateau->exponent : kNothing;
}

// Of the logistic map at r = 4, by first passages of 2^-40, 2^-39, ... 2^-20.
double finite_size_exponent() {
    const LogisticMap map(4);
    FirstPassages passages(0x1p-40, 2, 20);
    Vector<1> start{0.3};
    for (int run = 0; run < 2000; ++run) {
        passages.add(separations(map, start, {start[0] + 0x1p-42}, 48));
        for (int i = 0; i < 7; ++i) {
            start = map.next(start);
        }
    }
    double growth = 0;
    int count = 0;
    for (const auto &exponent : passages.exponents()) {
        growth += exponent.value;
        ++count;
    }
    return growth / count;
}

void add_maps(Oracles &list) {
    const auto add = [&list](const char *system, const char *measure, double known, double estimate,
                             double tolerance, const char *origin) {
        list.push_back({system, measure, known, estimate, tolerance, origin});
    };
    const auto largest = [](const auto &map, const auto &start, std::int64_t count) {
        return tangent_exponents(map, start, {1000, count, 1}).exponents[0].value;
    };
    const double cat = 0.962423650119206895; // ln((3 + sqrt 5) / 2)
    add("Arnold's cat map", "exponent, tangent", cat, largest(CatMap{}, Vector<2>{0.3, 0.7}, 2000),
        1e-12, kExact);
    add("Arnold's cat map", "exponent, two orbits", cat,
        plateau_of(CatMap{}, {0.3, 0.7}, {1000, 2000, 1}, 1e-4), 1e-5, kExact);
    add("logistic map, r = 4", "exponent, tangent", kLn2,
        largest(LogisticMap(4), Vector<1>{0.3}, 100'000), 1e-4, kExact);
    add("logistic map, r = 4", "exponent, two orbits", kLn2,
        plateau_of(LogisticMap(4), {0.3}, {1000, 50'000, 1}, 1e-3), 5e-4, kExact);
    add("logistic map, r = 4", "exponent, first passages", kLn2, finite_size_exponent(), 0.02,
        kExact);
    add("logistic map, r = 3.2", "exponent, tangent", -0.916290731874155065, // ln 0.4
        largest(LogisticMap(3.2), Vector<1>{0.3}, 10'000), 1e-9, kExact);
    add("logistic map, r = 3.5", "exponent, tangent", -0.872507,
        largest(LogisticMap(3.5), Vector<1>{0.3}, 10'000), 1e-4, kMeasured);
    add("logistic map, r = 3.9", "exponent, tangent", 0.49605,
        largest(LogisticMap(3.9), Vector<1>{0.3}, 1'000'000), 1e-3, kMeasured);
    const auto henon = tangent_exponents(HenonMap{}, {0.1, 0.1}, {1000, 1'000'000, 1});
    add("Henon map", "largest exponent, tangent", 0.41925, henon.exponents[0].value, 1e-3,
        kMeasured);
    add("Henon map", "sum of the exponents", -1.20397280432593599, // ln 0.3
        henon.exponents[0].value + henon.exponents[1].value, 1e-9, kExact);
    add("Henon map", "largest exponent, two orbits", 0.41925,
        plateau_of(HenonMap{}, {0.1, 0.1}, {1000, 50'000, 1}, 5e-3), 5e-3, kMeasured);
    const LorenzFlow lorenz;
    add("Lorenz flow, 10, 28, 8/3", "exponent, two orbits", 0.90575,
        two_trajectories(lorenz, {1, 1, 20}, 1e-7, {4000, 800'000, 10}).exponent / lorenz.step,
        5e-3, kMeasured);
}

// How many of H(0), H(1), ... of one defect in an empty ring differ from what they are known to be.
template <class Known>
double mismatches(int rule, std::size_t count, Known &&known) {
    const Ring empty(2 * count / 64 + 1);
    const Damage its =
        damage(ElementaryRule(rule), empty, 32 * static_cast<std::int64_t>(empty.size()),
               static_cast<std::int64_t>(count) - 1);
    std::int64_t wrong = 0;
    for (std::size_t t = 0; t < count; ++t) {
        wrong += its.size[t] == known(t) ? 0 : 1;
    }
    return static_cast<double>(wrong);
}

void add_damage(Oracles &list) {
    const auto sierpinski = [](std::size_t t) { return std::int64_t{1} << std::popcount(t); };
    constexpr std::int64_t k150[] = {1, 3, 3, 5,  3, 9,  5,  11, 3, 9,  9,  15, 5,  15, 11, 21,
                                     3, 9, 9, 15, 9, 27, 15, 33, 5, 15, 15, 25, 11, 33, 21, 43};
    list.push_back({"rule 90", "H(t) of a defect, t = 0 to 255: wrong ones", 0,
                    mismatches(90, 256, sierpinski), 0, "exact, 2^popcount(t)"});
    list.push_back({"rule 150", "H(t) of a defect, t = 0 to 31: wrong ones", 0,
                    mismatches(150, std::size(k150), [&](std::size_t t) { return k150[t]; }), 0,
                    "exact, OEIS A071053"});
}

void add_boolean_exponents(Oracles &list) {
    const auto add = [&list](int rule, double known, double tolerance, const char *origin) {
        const bool exact = tolerance < 1e-6;
        const double estimate =
            exact ? boolean_exponent(ElementaryRule(rule), random_ring(4, 1), 10, 1000)
                  : boolean_exponent(ElementaryRule(rule), random_ring(48, 1), 3000, 1000);
        list.push_back({"rule " + std::to_string(rule), "Boolean exponent", known, estimate,
                        tolerance, origin});
    };
    add(90, kLn2, 1e-12, kExact);
    add(60, kLn2, 1e-12, kExact);
    add(150, kLn3, 1e-12, kExact);
    add(105, kLn3, 1e-12, kExact);
    for (const auto &[rule, known] : {std::pair{30, 0.6599},
                                      {22, 0.8708},
                                      {45, 0.7182},
                                      {54, 0.7410},
                                      {106, 0.7194},
                                      {110, 0.6619},
                                      {126, 0.7145},
                                      {122, 0.6546},
                                      {41, 0.8627},
                                      {18, 0.6931},
                                      {146, 0.6931}}) {
        add(rule, known, 0.005, kMeasured);
    }
    for (const auto &[rule, known] : {std::pair{"B1357/S1357", 2.07944154167983593},
                                      {"B1357/S02468", 2.19722457733621938}}) { // ln 8, ln 9
        const LifeBoard soup = make_soup({24, 17}, 0.5, 1);
        list.push_back({rule, "Boolean exponent", known,
                        boolean_exponent(parse_life_rule(rule), soup, 3, 40), 1e-12, kExact});
    }
}

void add_fronts(Oracles &list) {
    struct Known {
        int rule;
        double left, right, left_tolerance, right_tolerance;
        std::int64_t steps, runs;
    };
    // Fronts of rules 54 and 110 have speed only on the whole: gliders carry them.
    constexpr Known kKnown[] = {
        {30, 0.2437, 1, 0.01, 0, 1000, 100},       {45, 0.173, 1, 0.03, 0, 1000, 40},
        {54, 0.534, 0.543, 0.03, 0.03, 2000, 100}, {22, 0.765, 0.766, 0.03, 0.03, 1000, 40},
        {18, 0.994, 0.994, 0.03, 0.03, 1000, 40},  {126, 0.994, 0.994, 0.03, 0.03, 1000, 40},
        {106, 1, -0.133, 0, 0.03, 1000, 40},       {110, 0.324, 0.021, 0.03, 0.03, 2000, 100},
    };
    for (const Known &known : kKnown) {
        const Fronts fronts =
            front_velocities(ElementaryRule(known.rule), known.steps, known.steps, known.runs, 1);
        const std::string rule = "rule " + std::to_string(known.rule);
        const auto origin = [](double tolerance) { return tolerance == 0 ? kExact : kMeasured; };
        list.push_back({rule, "velocity of the left front", known.left, fronts.left.value,
                        known.left_tolerance, origin(known.left_tolerance)});
        list.push_back({rule, "velocity of the right front", known.right, fronts.right.value,
                        known.right_tolerance, origin(known.right_tolerance)});
    }
}

void add_sensitivities(Oracles &list) {
    const auto add = [&list](const std::string &system, double known, double estimate,
                             double tolerance = 0) {
        list.push_back({system, "average sensitivity", known, estimate, tolerance, kExact});
    };
    const auto of = [](int inputs, auto &&f) {
        return average_sensitivity(sensitive_pairs(inputs, f));
    };
    add("parity of 9", 9, of(9, [](std::uint32_t x) { return std::popcount(x) % 2 == 1; }));
    add("majority of 9", 630.0 / 256, of(9, [](std::uint32_t x) { return std::popcount(x) >= 5; }));
    for (const auto &[number, known] :
         {std::pair{90, 2.0}, {150, 3.0}, {30, 2.0}, {110, 1.75}, {232, 1.5}, {4, 0.75}}) {
        const ElementaryRule rule(number);
        add("rule " + std::to_string(number), known, of(3, [&rule](std::uint32_t x) {
                return rule.next_cell((x & 4) != 0, (x & 2) != 0, (x & 1) != 0);
            }));
    }
    const auto life = sensitive_pairs(LifeRule{});
    add("B3/S23", 203.0 / 64, average_sensitivity(life));
    for (const auto &[density, known] :
         {std::pair{0.0287, 0.180}, {0.1, 1.523}, {0.2, 3.560}, {0.3, 4.483}, {0.375, 4.365}}) {
        char name[32];
        std::snprintf(name, sizeof name, "B3/S23 at density %g", density);
        add(name, known, average_sensitivity(life, density), 6e-4);
    }
}

void add_soups(Oracles &list, const Options &options) {
    // Four standard errors: of the known mean of 2000 runs and of this one, spread as that.
    struct Known {
        std::int64_t t;
        double size, error;
    };
    constexpr Known kNear[] = {
        {1, 3.171875, 0.04}, {2, 6.55, 0.08}, {5, 21.5, 0.3}, {10, 57.0, 0.7}, {20, 143.7, 1.6}};
    constexpr Known kFar[] = {{50, 426, 5}, {100, 893, 9}};
    constexpr double kRuns = 2000;
    const auto add = [&](const SoupDamage &soup, std::span<const Known> known) {
        std::vector<std::int64_t> times;
        for (const Known &its : known) {
            times.push_back(its.t);
        }
        const auto points = soup.measure(LifeRule{}, times, options);
        const auto runs = static_cast<double>(soup.blocks * soup.blocks);
        for (std::size_t i = 0; i < known.size(); ++i) {
            const bool exact = known[i].t == 1;
            const double error = known[i].error * std::sqrt((exact ? 0 : 1) + kRuns / runs);
            list.push_back({"B3/S23 soup, one flip", "mean H(" + std::to_string(known[i].t) + ")",
                            known[i].size, points[i].size.value, 4 * error,
                            exact ? kExact : kMeasured});
        }
    };
    add({0.5, 64, 32, 1}, kNear);
    add({0.5, 256, 12, 2}, kFar);
}

} // namespace

bool Oracle::met() const noexcept {
    return std::abs(estimate - known) <= tolerance;
}

Oracles measure_oracles(const Options &options) {
    Oracles list;
    add_maps(list);
    add_damage(list);
    add_boolean_exponents(list);
    add_fronts(list);
    add_sensitivities(list);
    add_soups(list, options);
    return list;
}

void require_met(std::span<const Oracle> oracles) {
    std::string missed;
    for (const Oracle &oracle : oracles) {
        if (!oracle.met()) {
            missed += (missed.empty() ? "" : "; ") + oracle.system + ", " + oracle.measure;
        }
    }
    if (!missed.empty()) {
        throw Error(ErrorCode::requirement_failed, "not met: " + missed);
    }
}

} // namespace karst::lab
