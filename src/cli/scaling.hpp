// How the time of a simulation grows with its size.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>

#include <nlohmann/json_fwd.hpp>

#include <karst/options.hpp>

namespace karst::cli {

struct PowerLaw {
    double a = 0; // seconds at n = 1
    double b = 0;
    double c = 0; // seconds whatever n is
};

// The law t = a n^b + c with a, c >= 0 and b in [0, 4] that lies nearest to the points (n, t):
// least squares of t' / t - 1. At least three points, all numbers above 0.
PowerLaw fit_power_law(std::span<const std::pair<double, double>> points);

// The same above caches: of the points with n >= `from`, with c given. a and b by least squares of
// log(t - c). At least two such points, all with t > c.
PowerLaw fit_power_law_from(std::span<const std::pair<double, double>> points, double from,
                            double c);

// Measures and fits on the device of the options; each line of a table goes to `say`. No side is
// above `largest`.
nlohmann::ordered_json measure_scaling(const Options &options, std::int64_t largest, int blocks,
                                       const std::function<void(const std::string &)> &say);

} // namespace karst::cli
