#include "cli/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>

#include "sim/bench.hpp"
#include "sim/devices.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;
using Points = std::vector<std::pair<double, double>>;

constexpr double kDensity = 0.15;

// What is known of the least squares of a x + c y = t.
struct NormalSums {
    double xx = 0;
    double xy = 0;
    double yy = 0;
    double xt = 0;
    double yt = 0;

    void add(double x, double y, double t) {
        xx += x * x;
        xy += x * y;
        yy += y * y;
        xt += x * t;
        yt += y * t;
    }
    double determinant() const { return xx * yy - xy * xy; }
    double a() const { return (xt * yy - yt * xy) / determinant(); }
    double c() const { return (yt * xx - xt * xy) / determinant(); }
};

// For one exponent the best a and c, both at least 0, and what is left of the squares.
std::pair<PowerLaw, double> fit_linear(std::span<const std::pair<double, double>> points,
                                       double exponent) {
    // Weighted by 1 / t, the model is a x + c y = 1 with x = n^b / t and y = 1 / t.
    NormalSums sums;
    for (const auto &[n, t] : points) {
        sums.add(std::pow(n, exponent) / t, 1 / t, 1);
    }
    const auto left = [&](double a, double c) {
        double sum = 0;
        for (const auto &[n, t] : points) {
            const double miss = (a * std::pow(n, exponent) + c) / t - 1;
            sum += miss * miss;
        }
        return sum;
    };
    PowerLaw best{sums.xt / sums.xx, exponent, 0};
    double least = left(best.a, best.c);
    const auto consider = [&](double a, double c) {
        if (a >= 0 && c >= 0 && left(a, c) < least) {
            best = {a, exponent, c};
            least = left(a, c);
        }
    };
    consider(0, sums.yt / sums.yy);
    if (sums.determinant() > 1e-12 * sums.xx * sums.yy) {
        consider(sums.a(), sums.c());
    }
    return {best, least};
}

std::string line_of(const std::string &name, const PowerLaw &law) {
    char text[160];
    std::snprintf(text, sizeof text, "%-28s t = %.3g n^%.3f + %.3g s", name.c_str(), law.a, law.b,
                  law.c);
    return text;
}

// Over the sides whose field takes four times the cache or more; the constant is the time of the
// smallest side, which is launches only.
void fit_above_cache(Json &entry, const std::string &name, const Points &sides, double bytes_a_cell,
                     std::uint64_t cache, const std::function<void(const std::string &)> &say) {
    const double from = std::sqrt(4 * static_cast<double>(cache) / bytes_a_cell);
    const auto above = std::count_if(sides.begin(), sides.end(),
                                     [from](const auto &point) { return point.first >= from; });
    if (cache == 0 || above < 3) {
        return;
    }
    const PowerLaw law = fit_power_law_from(sides, from, sides.front().second);
    entry["above_cache"] = {{"from", from}, {"a", law.a}, {"b", law.b}, {"c", law.c}};
    char range[64];
    std::snprintf(range, sizeof range, " over side above %.0f", from);
    say(line_of(name + range, law));
}

Json fitted(const std::string &name, const std::string &variable, const Points &points,
            const std::function<void(const std::string &)> &say) {
    Json entry{{"name", name}, {"variable", variable}, {"points", points}};
    if (points.size() >= 3) {
        const PowerLaw law = fit_power_law(points);
        entry["a"] = law.a;
        entry["b"] = law.b;
        entry["c"] = law.c;
        say(line_of(name + " over " + variable, law));
    }
    return entry;
}

// Each power of two from `first` on, and half as much again, to `largest`.
std::vector<std::int64_t> sides_between(std::int64_t first, std::int64_t largest) {
    std::vector<std::int64_t> sides;
    for (std::int64_t side = first; side <= largest; side *= 2) {
        sides.push_back(side);
        if (side + side / 2 <= largest) {
            sides.push_back(side + side / 2);
        }
    }
    return sides;
}

// The points of growing n until the memory is too small.
template <class N, class F>
Points timed(const std::vector<N> &all, F &&seconds) {
    Points points;
    for (const N n : all) {
        try {
            points.emplace_back(static_cast<double>(n), seconds(n));
        } catch (const Error &error) {
            if (error.code() != ErrorCode::out_of_memory) {
                throw;
            }
            break;
        }
    }
    return points;
}

double time_physarum(const Options &options, std::int64_t side, double density, int blocks) {
    PhysarumParams params;
    params.agent_density = density;
    return sim::time_physarum(options, params, {side, side}, blocks).median();
}

} // namespace

PowerLaw fit_power_law(std::span<const std::pair<double, double>> points) {
    // The squares that are left have one valley over the exponent; steps of a thousandth find it.
    PowerLaw best;
    double least = std::numeric_limits<double>::max();
    for (int i = 0; i <= 4000; ++i) {
        const auto [law, left] = fit_linear(points, i / 1000.0);
        if (left < least) {
            least = left;
            best = law;
        }
    }
    return best;
}

PowerLaw fit_power_law_from(std::span<const std::pair<double, double>> points, double from,
                            double c) {
    NormalSums sums; // of b ln n + ln a = ln (t - c)
    for (const auto &[n, t] : points) {
        if (n >= from) {
            sums.add(std::log(n), 1, std::log(t - c));
        }
    }
    return {std::exp(sums.c()), sums.a(), c};
}

Json measure_scaling(const Options &options, std::int64_t largest, int blocks,
                     const std::function<void(const std::string &)> &say) {
    Json results = Json::array();
    const std::uint64_t cache = sim::cache_size(options.device);
    const Points sides =
        timed(sides_between(256, std::min<std::int64_t>(largest, 24576)),
              [&](std::int64_t side) { return time_physarum(options, side, kDensity, blocks); });
    results.push_back(fitted("physarum, s a step", "side", sides, say));
    fit_above_cache(results.back(), "physarum, s a step", sides, sizeof(std::uint32_t), cache, say);

    Points agents;
    const std::int64_t side = std::min<std::int64_t>(largest, 2048);
    for (double density = 0.01; density <= 4; density *= 2) {
        agents.emplace_back(std::floor(density * static_cast<double>(side * side)),
                            time_physarum(options, side, density, blocks));
    }
    results.push_back(fitted("physarum, s a step", "agents", agents, say));

    Points steps;
    for (std::int64_t count = 32; count <= 1024; count *= 2) {
        std::vector<StageTime> stages;
        Options timed = options;
        timed.stages = &stages;
        timed.progress = {};
        PhysarumParams params;
        params.steps = count;
        const std::int64_t its = std::min<std::int64_t>(largest, 1024);
        simulate_physarum(params, {its, its}, 1, timed);
        steps.emplace_back(count, stages.back().seconds);
    }
    results.push_back(fitted("physarum, s in all", "steps", steps, say));

    const Points boards = timed(sides_between(1024, largest), [&](std::int64_t its) {
        return sim::time_life(options, LifeRule{}, Extent2{its, its}, blocks).median();
    });
    results.push_back(fitted("life, s a generation", "side", boards, say));
    fit_above_cache(results.back(), "life, s a generation", boards, 0.125, cache, say);
    return results;
}

} // namespace karst::cli
