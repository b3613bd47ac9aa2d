// What a measured share, mean or ratio is worth: intervals, tests and numbers of samples. The unit
// of replication is the base seed: the cells of one field are no samples of each other. Formulas
// and sources: docs/sensitivity.md. Sums go in the order of the values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "lab/draws.hpp"

namespace karst::lab {

struct Interval {
    double low = 0;
    double high = 0;
    bool holds(double x) const noexcept { return low <= x && x <= high; }
};

// Wilson's score interval of a share, 1927. `trials` >= 1, 0 <= successes <= trials, confidence in
// (0, 1), else Error(invalid_argument).
Interval wilson(std::int64_t successes, std::int64_t trials, double confidence);

// Hoeffding 1963: the mean of n independent numbers in [0, 1] is farther than half_width from its
// expectation with a probability of at most `error`. Numbers above 0, else Error(invalid_argument).
double hoeffding_half_width(std::int64_t n, double error);
std::int64_t hoeffding_trials(double half_width, double error);

struct Mean {
    double value = 0;
    double standard_error = 0; // 0 of fewer than two
    std::int64_t count = 0;

    // By Student's t. With one value only: everything.
    Interval interval(double confidence) const;
};
// Of independent values; at least one, else Error(invalid_argument).
Mean mean_of(std::span<const double> values);
// Of a series whose values depend on each other, by the means of `batches` >= 2 blocks of equal
// length; what is left over at its beginning is dropped.
Mean batch_mean(std::span<const double> series, std::int64_t batches);

// The ratio mean(x) / mean(y) of pairs, one for each base seed: x what a flipped bit changes, y
// what an independent seed changes.
class PairedRatio {
public:
    // At least two pairs, as many x as y, else Error(invalid_argument).
    PairedRatio(std::span<const double> x, std::span<const double> y);

    double value() const noexcept { return mean_x_ / mean_y_; } // not a number if both are 0
    std::int64_t pairs() const noexcept { return count_; }
    // Fieller 1954. Everything, where the mean of y is not told apart from 0.
    Interval interval(double confidence) const;
    // The p-value of the one-sided t test on x - bound y: how likely such pairs are if the ratio is
    // at most (least) `bound`.
    double p_above(double bound) const;
    double p_below(double bound) const;
    // Two one-sided tests (Schuirmann 1987; of a ratio: Sasabuchi 1988): small if the ratio lies
    // within the margin. Equal to or below a level if and only if interval(1 - 2 level) lies
    // inside.
    double p_within(Interval margin) const {
        return std::max(p_above(margin.low), p_below(margin.high));
    }
    // Small if the ratio lies outside of the margin.
    double p_outside(Interval margin) const;

private:
    // Student's tail of mean / its standard error; without spread by the mean's sign.
    double p_positive(double mean, double variance) const;

    std::int64_t count_;
    double mean_x_ = 0, mean_y_ = 0;
    double xx_ = 0, yy_ = 0, xy_ = 0; // variances and covariance of a pair
};

// p-values of a family, made comparable with the level that the whole family keeps, in their order.
std::vector<double> bonferroni(std::span<const double> p);
std::vector<double> holm(std::span<const double> p); // Holm 1979, never above bonferroni()

enum class Verdict { within, outside, undecided };
// Whether each ratio of a family lies in the margin: the chance of a single wrong `within`, and
// that of a single wrong `outside`, is at most `level` in the whole family (Holm).
std::vector<Verdict> verdicts(std::span<const PairedRatio> family, Interval margin, double level);

// A family of equivalence tests that is to pass as a whole where all true ratios are 1.
struct Power {
    double variation = 0.1; // standard deviation / mean of one distance, over base seeds
    double correlation = 0; // of x and y of a pair
    Interval margin{0.9, 1.1};
    double level = 0.05;    // of a wrong "within" in the family
    double power = 0.95;    // of the whole family passing
    std::int64_t tests = 1; // in the family: bits x stages
};
// The least number of base seeds. Throws Error(invalid_argument) for numbers that make no family,
// Error(unsupported) above 10^6.
std::int64_t pairs_needed(const Power &family);

// Draws `count` of `count` clusters (base seeds) with replacement, `resamples` times, and sorts
// what `statistic(std::span<const std::uint32_t> drawn)` gives for each. Draws are functions of
// (seed, resample, place). 1 <= count < 2^32.
template <class Statistic>
std::vector<double> bootstrap(std::int64_t count, std::int64_t resamples, std::uint64_t seed,
                              Statistic &&statistic) {
    std::vector<double> values;
    std::vector<std::uint32_t> drawn(static_cast<std::size_t>(count));
    for (std::int64_t resample = 0; resample < resamples; ++resample) {
        for (std::size_t i = 0; i < drawn.size(); ++i) {
            const core::Draw4 draw = core::philox4x32(static_cast<std::uint32_t>(i / 4),
                                                      static_cast<std::uint32_t>(resample), 0,
                                                      use(slot_bootstrap), seed);
            const std::uint64_t word = draw.word[i % 4];
            drawn[i] = static_cast<std::uint32_t>(word * static_cast<std::uint64_t>(count) >> 32);
        }
        values.push_back(statistic(std::span<const std::uint32_t>(drawn)));
    }
    std::sort(values.begin(), values.end());
    return values;
}

// The percentile interval (Efron 1979) of sorted values: floor(n (1 - confidence) / 2) of them lie
// outside at each end.
Interval percentiles(std::span<const double> sorted, double confidence);

} // namespace karst::lab
