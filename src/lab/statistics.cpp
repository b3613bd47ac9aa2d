#include "lab/statistics.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include <karst/error.hpp>

#include "lab/distributions.hpp"
#include "lab/real.hpp"

namespace karst::lab {

namespace {

constexpr Interval kEverything{-std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::infinity()};

void require(bool good, const std::string &what, const std::string &value,
             const std::string &allowed) {
    if (!good) {
        throw Error(ErrorCode::invalid_argument, what + " is " + value + "; allowed is " + allowed);
    }
}

void require_share(double share, const std::string &what) {
    require(share > 0 && share < 1, what, std::to_string(share), "above 0 and below 1");
}

} // namespace

Interval wilson(std::int64_t successes, std::int64_t trials, double confidence) {
    require(trials >= 1, "the number of trials", std::to_string(trials), "1 or more");
    require(successes >= 0 && successes <= trials, "the number of successes",
            std::to_string(successes), "0 to " + std::to_string(trials));
    require_share(confidence, "the confidence");
    const auto n = static_cast<double>(trials);
    const double p = static_cast<double>(successes) / n;
    const double z = normal_quantile((1 - confidence) / 2);
    const double square = z * z / n;
    const double centre = (p + square / 2) / (1 + square);
    const double half = z * std::sqrt(p * (1 - p) / n + square / (4 * n)) / (1 + square);
    // At 0 and at all the interval ends there, but for rounding.
    return {successes == 0 ? 0 : centre - half, successes == trials ? 1 : centre + half};
}

double hoeffding_half_width(std::int64_t n, double error) {
    require(n >= 1, "the number of trials", std::to_string(n), "1 or more");
    require_share(error, "the chance of an error");
    return std::sqrt(logarithm(2 / error) / (2 * static_cast<double>(n)));
}

std::int64_t hoeffding_trials(double half_width, double error) {
    require_share(half_width, "the half width");
    require_share(error, "the chance of an error");
    const double trials = logarithm(2 / error) / (2 * half_width * half_width);
    require(trials < 1e18, "the half width", std::to_string(half_width), "one of fewer trials");
    return static_cast<std::int64_t>(std::ceil(trials));
}

Interval Mean::interval(double confidence) const {
    require_share(confidence, "the confidence");
    if (count < 2) {
        return kEverything;
    }
    const double half = student_quantile((1 - confidence) / 2, count - 1) * standard_error;
    return {value - half, value + half};
}

Mean mean_of(std::span<const double> values) {
    require(!values.empty(), "the number of values", "0", "1 or more");
    const auto n = static_cast<double>(values.size());
    Mean mean;
    mean.count = static_cast<std::int64_t>(values.size());
    for (const double value : values) {
        mean.value += value;
    }
    mean.value /= n;
    double squares = 0;
    for (const double value : values) {
        squares += (value - mean.value) * (value - mean.value);
    }
    mean.standard_error = values.size() < 2 ? 0 : std::sqrt(squares / (n - 1) / n);
    return mean;
}

Mean batch_mean(std::span<const double> series, std::int64_t batches) {
    require(batches >= 2, "the number of batches", std::to_string(batches), "2 or more");
    const std::size_t length = series.size() / static_cast<std::size_t>(batches);
    require(length >= 1, "the length of the series", std::to_string(series.size()),
            std::to_string(batches) + " or more");
    series = series.last(length * static_cast<std::size_t>(batches));
    std::vector<double> means;
    for (std::size_t begin = 0; begin < series.size(); begin += length) {
        means.push_back(mean_of(series.subspan(begin, length)).value);
    }
    return mean_of(means);
}

PairedRatio::PairedRatio(std::span<const double> x, std::span<const double> y)
    : count_(static_cast<std::int64_t>(x.size())) {
    require(x.size() >= 2, "the number of pairs", std::to_string(x.size()), "2 or more");
    require(x.size() == y.size(), "the number of partners", std::to_string(y.size()),
            std::to_string(x.size()));
    mean_x_ = mean_of(x).value;
    mean_y_ = mean_of(y).value;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xx_ += (x[i] - mean_x_) * (x[i] - mean_x_);
        yy_ += (y[i] - mean_y_) * (y[i] - mean_y_);
        xy_ += (x[i] - mean_x_) * (y[i] - mean_y_);
    }
    const auto freedom = static_cast<double>(count_ - 1);
    xx_ /= freedom;
    yy_ /= freedom;
    xy_ /= freedom;
}

Interval PairedRatio::interval(double confidence) const {
    require_share(confidence, "the confidence");
    // The bounds b where (mean_x - b mean_y)^2 = t^2 / n times the variance of x - b y.
    const double t = student_quantile((1 - confidence) / 2, count_ - 1);
    const double scale = t * t / static_cast<double>(count_);
    const double a = mean_y_ * mean_y_ - scale * yy_;
    const double half_b = mean_x_ * mean_y_ - scale * xy_;
    const double c = mean_x_ * mean_x_ - scale * xx_;
    if (!(a > 0)) {
        return kEverything;
    }
    const double root = std::sqrt(std::max(half_b * half_b - a * c, 0.0));
    return {(half_b - root) / a, (half_b + root) / a};
}

double PairedRatio::p_positive(double mean, double variance) const {
    if (!(variance > 0)) {
        return mean > 0 ? 0 : 1;
    }
    return student_tail(mean / std::sqrt(variance / static_cast<double>(count_)), count_ - 1);
}

double PairedRatio::p_above(double bound) const {
    return p_positive(mean_x_ - bound * mean_y_, xx_ - 2 * bound * xy_ + bound * bound * yy_);
}

double PairedRatio::p_below(double bound) const {
    return p_positive(bound * mean_y_ - mean_x_, xx_ - 2 * bound * xy_ + bound * bound * yy_);
}

double PairedRatio::p_outside(Interval margin) const {
    return std::min(1.0, 2 * std::min(p_below(margin.low), p_above(margin.high)));
}

std::vector<double> bonferroni(std::span<const double> p) {
    std::vector<double> adjusted;
    for (const double value : p) {
        adjusted.push_back(std::min(1.0, value * static_cast<double>(p.size())));
    }
    return adjusted;
}

std::vector<double> holm(std::span<const double> p) {
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [p](std::size_t i, std::size_t j) { return p[i] < p[j]; });
    std::vector<double> adjusted(p.size());
    double largest = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        const double value = p[order[rank]] * static_cast<double>(p.size() - rank);
        largest = std::max(largest, std::min(1.0, value));
        adjusted[order[rank]] = largest;
    }
    return adjusted;
}

std::vector<Verdict> verdicts(std::span<const PairedRatio> family, Interval margin, double level) {
    require_share(level, "the level");
    std::vector<double> within;
    std::vector<double> outside;
    for (const PairedRatio &ratio : family) {
        within.push_back(ratio.p_within(margin));
        outside.push_back(ratio.p_outside(margin));
    }
    within = holm(within);
    outside = holm(outside);
    std::vector<Verdict> result;
    for (std::size_t i = 0; i < family.size(); ++i) {
        result.push_back(within[i] <= level    ? Verdict::within
                         : outside[i] <= level ? Verdict::outside
                                               : Verdict::undecided);
    }
    return result;
}

std::int64_t pairs_needed(const Power &family) {
    constexpr std::int64_t kMost = 1'000'000;
    require(family.variation > 0, "the variation", std::to_string(family.variation), "above 0");
    require(family.correlation >= -1 && family.correlation <= 1, "the correlation",
            std::to_string(family.correlation), "-1 to 1");
    require(family.margin.low < 1 && family.margin.high > 1, "the margin",
            std::to_string(family.margin.low) + " to " + std::to_string(family.margin.high),
            "one around 1");
    require(family.tests >= 1, "the number of tests", std::to_string(family.tests), "1 or more");
    require_share(family.level, "the level");
    require_share(family.power, "the power");
    // The variance of x - b y over the squared distance of b from the true ratio, at the worse end.
    const double square = family.variation * family.variation;
    const auto spread = [&](double b) {
        return square * (1 + b * b - 2 * family.correlation * b) / ((1 - b) * (1 - b));
    };
    const double worst = std::max(spread(family.margin.low), spread(family.margin.high));
    const auto tests = static_cast<double>(family.tests);
    const auto enough = [&](std::int64_t n) {
        const double reach = student_quantile(family.level / tests, n - 1) +
                             student_quantile((1 - family.power) / (2 * tests), n - 1);
        return static_cast<double>(n) >= worst * reach * reach;
    };
    std::int64_t few = 1;
    std::int64_t many = 2;
    while (!enough(many)) {
        if (many >= kMost) {
            throw Error(ErrorCode::unsupported,
                        "a variation of " + std::to_string(family.variation) +
                            " needs more than 1000000 base seeds; allowed is a wider margin");
        }
        few = many;
        many *= 2;
    }
    while (many - few > 1) {
        const std::int64_t middle = few + (many - few) / 2;
        (enough(middle) ? many : few) = middle;
    }
    return many;
}

Interval percentiles(std::span<const double> sorted, double confidence) {
    require(!sorted.empty(), "the number of values", "0", "1 or more");
    require_share(confidence, "the confidence");
    const auto outside =
        static_cast<std::size_t>(static_cast<double>(sorted.size()) * (1 - confidence) / 2);
    return {sorted[outside], sorted[sorted.size() - 1 - outside]};
}

} // namespace karst::lab
