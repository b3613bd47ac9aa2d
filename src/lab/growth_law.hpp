// Whether a damage grows by a power of time or exponentially: told apart by the data.
#pragma once

#include <cstdint>
#include <span>

namespace karst::lab {

// ln d = intercept + slope * x, by least squares; x is t or ln t.
struct Fit {
    double intercept = 0;
    double slope = 0;
    double residual = 0;  // the sum of squares that is left of ln d
    double explained = 0; // 1 - residual / sum of squares about the mean (R^2); 1 of a constant
};

enum class Law { power, exponential, undecided };

struct GrowthLaw {
    Fit power;       // d = e^intercept t^slope
    Fit exponential; // d = e^intercept e^(slope t): the slope is the exponent of growth
    // n ln(residual of the power law / residual of the exponential): both have as many parameters,
    // so this is the difference of Akaike's criteria. Below 0: the power law is nearer.
    double criterion = 0;
    std::int64_t points = 0;
    Law law = Law::undecided;
};

// Of points (t, d) with t, d > 0; others are left out, as neither law has them. `decisive` is the
// |criterion| from which a law is named, given five points or more: 10 leaves "essentially no
// support" for the other (Burnham and Anderson 2002), if residuals are independent. Throws
// Error(invalid_argument) unless three points with different t are left.
GrowthLaw growth_law(std::span<const double> t, std::span<const double> d, double decisive = 10);

} // namespace karst::lab
