// Systems whose sensitivity is known, measured by the same estimators as everything else.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <karst/options.hpp>

namespace karst::lab {

struct Oracle {
    std::string system;  // "logistic map, r = 4"
    std::string measure; // "exponent, tangent"
    double known = 0;
    double estimate = 0;
    double tolerance = 0; // 0: exact
    std::string origin;   // of the known value: "exact", or where it was measured

    // False for what is not a number.
    bool met() const noexcept;
};

// All of them, in one fixed order; the same estimates, digit for digit, on every machine and
// device. Life runs on the options' device. About a second.
std::vector<Oracle> measure_oracles(const Options &options = {});

// Throws Error(requirement_failed) that names those that are not met.
void require_met(std::span<const Oracle> oracles);

} // namespace karst::lab
