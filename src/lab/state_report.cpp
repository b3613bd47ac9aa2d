// Curves, shares and laws of recorded damages.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "lab/growth_law.hpp"
#include "lab/state_replicas.hpp"
#include "lab/statistics.hpp"

namespace karst::lab {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kResamples = 400;
// Points of one curve depend on each other; the nearer, the more.
constexpr double kApart = 1.19;

double share_of(std::int64_t part, std::int64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

double bray_curtis(const Apart &apart) {
    return apart.difference == 0
               ? 0
               : static_cast<double>(apart.difference) / static_cast<double>(apart.sum);
}

// Adds the point of one step. What is measured lies between 0 and `most`.
void add_point(Curve &curve, std::span<const double> values, double confidence, double most) {
    const Mean mean = values.empty() ? Mean{kNone} : mean_of(values);
    curve.mean.push_back(mean.value);
    if (values.size() < 2) {
        curve.low.push_back(kNone);
        curve.high.push_back(kNone);
        return;
    }
    const Interval bounds = mean.interval(confidence);
    curve.low.push_back(std::max(bounds.low, 0.0));
    curve.high.push_back(std::min(bounds.high, most));
}

double median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Share share_with_bounds(std::int64_t part, std::int64_t whole, double confidence) {
    const Interval bounds = wilson(part, whole, confidence);
    return {share_of(part, whole), bounds.low, bounds.high};
}

// f(apart) of all replicas at step k, of those that `takes` it.
template <class F, class Takes>
std::vector<double> values_at(const Records &records, std::size_t k, F &&f, Takes &&takes) {
    std::vector<double> values;
    for (std::int64_t r = 0; r < records.replicas(); ++r) {
        const Apart &apart = records.of(r)[k];
        if (takes(apart)) {
            values.push_back(f(apart));
        }
    }
    return values;
}

// The recorded steps that a law of growth is fitted to.
std::vector<std::size_t> points_of_growth(const StateReport &report) {
    const auto &mean = report.damage.mean;
    const double most = *std::max_element(mean.begin(), mean.end());
    std::vector<std::size_t> points;
    double next = 1;
    for (std::size_t k = 0; k < mean.size(); ++k) {
        const auto t = static_cast<double>(report.steps[k]);
        if (t < next || !(mean[k] > 0)) {
            continue;
        }
        points.push_back(k);
        next = t * kApart;
        if (mean[k] >= most / 2) {
            break;
        }
    }
    return points;
}

DamageLaw law_of(const Records &records, const StateReport &report) {
    DamageLaw law;
    if (report.healed.share == 1) {
        law.kind = StateLaw::dies;
        return law;
    }
    const std::vector<std::size_t> points = points_of_growth(report);
    law.points = static_cast<std::int64_t>(points.size());
    if (points.size() < 3) {
        return law;
    }
    law.first = report.steps[points.front()];
    law.last = report.steps[points.back()];
    std::vector<double> t, d;
    for (const std::size_t k : points) {
        t.push_back(static_cast<double>(report.steps[k]));
        d.push_back(report.damage.mean[k]);
    }
    const GrowthLaw whole = growth_law(t, d);
    law.criterion = whole.criterion;
    if (whole.law == Law::undecided) {
        return law;
    }
    const bool power = whole.law == Law::power;
    law.kind = power ? StateLaw::power : StateLaw::exponential;
    const auto slope = [power](const GrowthLaw &fits) {
        return power ? fits.power.slope : fits.exponential.slope;
    };
    law.exponent = slope(whole);
    if (records.replicas() < 2) {
        return law;
    }
    const auto resampled = [&](std::span<const std::uint32_t> drawn) {
        std::vector<double> sums;
        std::int64_t positive = 0;
        for (const std::size_t k : points) {
            double sum = 0;
            for (const std::uint32_t r : drawn) {
                sum += static_cast<double>(records.of(r)[k].cells);
            }
            positive += sum > 0 ? 1 : 0;
            sums.push_back(sum);
        }
        return positive < 3 ? 0 : slope(growth_law(t, sums)); // replicas without damage: no growth
    };
    const auto sorted = bootstrap(records.replicas(), kResamples, report.settings.seed, resampled);
    const Interval bounds = percentiles(sorted, report.settings.confidence);
    law.low = bounds.low;
    law.high = bounds.high;
    return law;
}

std::vector<FirstPassages::Exponent> finite_size(const Records &records,
                                                 const StateReport &report) {
    std::int64_t most = 1;
    for (std::int64_t r = 0; r < records.replicas(); ++r) {
        for (const Apart &apart : records.of(r)) {
            most = std::max(most, apart.cells);
        }
    }
    std::size_t sizes = 1;
    while ((std::int64_t{2} << sizes) <= most) {
        ++sizes;
    }
    FirstPassages passages(1, 2, sizes);
    std::vector<double> curve(report.steps.size());
    for (std::int64_t r = 0; r < records.replicas(); ++r) {
        for (std::size_t k = 0; k < curve.size(); ++k) {
            curve[k] = static_cast<double>(records.of(r)[k].cells);
        }
        passages.add(report.steps, curve);
    }
    return passages.exponents();
}

} // namespace

const char *name_of(Perturbation perturbation) {
    constexpr const char *kNames[] = {"cell", "heading", "position", "trail"};
    return kNames[static_cast<int>(perturbation)];
}

const char *name_of(StateLaw law) {
    constexpr const char *kNames[] = {"power", "exponential", "dies", "undecided"};
    return kNames[static_cast<int>(law)];
}

std::vector<std::int64_t> recorded_steps(std::int64_t steps, std::int64_t every) {
    const std::int64_t fixed = every > 0 ? every : std::max<std::int64_t>(steps / 16, 1);
    std::vector<std::int64_t> all{0, steps};
    for (double t = 1; t < static_cast<double>(steps); t *= std::sqrt(2.0)) {
        all.push_back(static_cast<std::int64_t>(t + 0.5));
    }
    for (std::int64_t t = fixed; t < steps; t += fixed) {
        all.push_back(t);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

void summarise(const Damages &damages, bool independent, StateReport &report) {
    const Records &records = damages.changed;
    const double confidence = report.settings.confidence;
    const std::int64_t cells = report.size.cells();
    const auto damage = [cells](const Apart &apart) { return share_of(apart.cells, cells); };
    const auto any = [](const Apart &) { return true; };
    const std::size_t steps = report.steps.size();
    const double infinity = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < steps; ++k) {
        const std::vector<double> shares = values_at(records, k, damage, any);
        add_point(report.damage, shares, confidence, 1);
        report.median.push_back(median_of(shares));
        add_point(report.bray_curtis, values_at(records, k, bray_curtis, any), confidence, 1);
        add_point(report.front_radius,
                  values_at(
                      records, k,
                      [](const Apart &apart) { return static_cast<double>(apart.radius); },
                      [](const Apart &apart) { return apart.cells > 0; }),
                  confidence, infinity);
        if (report.simulation == "physarum") {
            add_point(
                report.agents,
                values_at(
                    records, k,
                    [](const Apart &apart) { return share_of(apart.agents, apart.agents_in_all); },
                    any),
                confidence, 1);
        }
        std::int64_t alive = 0;
        for (std::int64_t r = 0; r < records.replicas(); ++r) {
            alive += records.of(r)[k].alive() ? 1 : 0;
        }
        report.alive.push_back(share_with_bounds(alive, records.replicas(), confidence));
        if (k + 1 == steps) {
            report.healed =
                share_with_bounds(records.replicas() - alive, records.replicas(), confidence);
        }
        const std::int64_t pairs = records.replicas() / 2;
        if (independent && pairs > 0) {
            double apart = 0;
            double distance = 0;
            for (std::int64_t pair = 0; pair < pairs; ++pair) {
                const Apart &its = damages.independent[static_cast<std::size_t>(pair) * steps + k];
                apart += damage(its);
                distance += bray_curtis(its);
            }
            report.independent_damage.push_back(apart / static_cast<double>(pairs));
            report.independent_bray_curtis.push_back(distance / static_cast<double>(pairs));
        }
    }
    report.fsle = finite_size(records, report);
    report.law = law_of(records, report);
}

} // namespace karst::lab
