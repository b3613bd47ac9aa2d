// The law that `karst bench --scaling` fits.
#include "cli/scaling.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

using karst::cli::fit_power_law;
using karst::cli::fit_power_law_from;
using karst::cli::PowerLaw;

namespace {

std::vector<std::pair<double, double>> points_of(const PowerLaw &law, double noise) {
    std::vector<std::pair<double, double>> points;
    double sign = 1;
    for (double n = 256; n <= 16384; n *= 2) {
        points.emplace_back(n, (law.a * std::pow(n, law.b) + law.c) * (1 + sign * noise));
        sign = -sign;
    }
    return points;
}

} // namespace

TEST_CASE("a law is found again from its own points") {
    for (const PowerLaw law : {PowerLaw{1.241e-7, 1.459, 2.6e-4}, PowerLaw{3e-9, 2, 0},
                               PowerLaw{1e-10, 2, 5e-3}, PowerLaw{2e-6, 1, 1e-5}}) {
        CAPTURE(law.b);
        const PowerLaw found = fit_power_law(points_of(law, 0));
        CHECK(found.b == doctest::Approx(law.b).epsilon(1e-3));
        CHECK(found.a == doctest::Approx(law.a).epsilon(1e-2));
        CHECK(found.c == doctest::Approx(law.c).epsilon(1e-2));
    }
}

TEST_CASE("two per cent of noise move the exponent little") {
    const PowerLaw found = fit_power_law(points_of({3e-9, 2, 1e-4}, 0.02));
    CHECK(std::abs(found.b - 2) < 0.05);
}

TEST_CASE("a time that does not grow has no law but its constant") {
    const std::array<std::pair<double, double>, 4> points{
        {{1, 0.5}, {2, 0.5}, {4, 0.5}, {1000, 0.5}}};
    const PowerLaw found = fit_power_law(points);
    for (const auto &[n, t] : points) {
        CHECK(found.a * std::pow(n, found.b) + found.c == doctest::Approx(t));
    }
}

TEST_CASE("scaling: above the caches the law is that of the large points, without the constant") {
    std::vector<std::pair<double, double>> points;
    for (double n = 256; n <= 65536; n *= 1.5) { // four times as fast in the cache
        points.emplace_back(n, 1e-5 + (n < 8192 ? 0.25e-9 : 1e-9) * n * n);
    }
    const PowerLaw law = fit_power_law_from(points, 8192, 1e-5);
    CHECK(law.b == doctest::Approx(2).epsilon(1e-9));
    CHECK(law.a == doctest::Approx(1e-9).epsilon(1e-6));
    CHECK(law.c == 1e-5);
    CHECK(fit_power_law_from(points, 256, 1e-5).b > 2.1);
}
