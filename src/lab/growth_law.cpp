#include "lab/growth_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <karst/error.hpp>

#include "lab/real.hpp"

namespace karst::lab {

namespace {

// A line, its spread and one point more: below that the criterion has no meaning.
constexpr std::int64_t kLeastPoints = 5;

Fit fit_line(std::span<const double> x, std::span<const double> y) {
    const auto n = static_cast<double>(x.size());
    double mean_x = 0;
    double mean_y = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        mean_x += x[i];
        mean_y += y[i];
    }
    mean_x /= n;
    mean_y /= n;
    double xx = 0;
    double xy = 0;
    double yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
        yy += (y[i] - mean_y) * (y[i] - mean_y);
    }
    Fit fit;
    fit.slope = xy / xx;
    fit.intercept = mean_y - fit.slope * mean_x;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double miss = y[i] - (fit.intercept + fit.slope * x[i]);
        fit.residual += miss * miss;
    }
    fit.explained = yy > 0 ? 1 - fit.residual / yy : 1;
    return fit;
}

} // namespace

GrowthLaw growth_law(std::span<const double> t, std::span<const double> d, double decisive) {
    if (t.size() != d.size()) {
        throw Error(ErrorCode::invalid_argument, std::to_string(d.size()) + " damages at " +
                                                     std::to_string(t.size()) +
                                                     " times; allowed is one for each");
    }
    std::vector<double> time;
    std::vector<double> log_time;
    std::vector<double> log_damage;
    for (std::size_t i = 0; i < t.size(); ++i) {
        if (t[i] > 0 && d[i] > 0) {
            time.push_back(t[i]);
            log_time.push_back(logarithm(t[i]));
            log_damage.push_back(logarithm(d[i]));
        }
    }
    std::vector<double> times = time;
    std::sort(times.begin(), times.end());
    if (std::unique(times.begin(), times.end()) - times.begin() < 3) {
        throw Error(ErrorCode::invalid_argument,
                    "a law of growth is asked of fewer than three times with a damage above 0");
    }
    GrowthLaw law;
    law.points = static_cast<std::int64_t>(time.size());
    law.power = fit_line(log_time, log_damage);
    law.exponential = fit_line(time, log_damage);
    // What rounding leaves of an exact fit is no evidence against the other law.
    const double noise = 1e-24 * static_cast<double>(law.points);
    const double power = std::max(law.power.residual, noise);
    const double exponential = std::max(law.exponential.residual, noise);
    law.criterion = static_cast<double>(law.points) * logarithm(power / exponential);
    if (law.points >= kLeastPoints && std::abs(law.criterion) >= decisive) {
        law.law = law.criterion < 0 ? Law::power : Law::exponential;
    }
    return law;
}

} // namespace karst::lab
