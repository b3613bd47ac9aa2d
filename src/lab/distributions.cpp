#include "lab/distributions.hpp"

#include <cmath>
#include <numbers>
#include <string>

#include <karst/error.hpp>

#include "lab/real.hpp"

namespace karst::lab {

namespace {

double normal_density(double z) {
    const double scale = std::sqrt(2 * std::numbers::pi);
    return exponential(-z * z / 2) / scale;
}

// The point where a falling tail(x) passes `share` in (0, 1/2], by bisection until the interval has
// no number inside.
template <class Tail>
double upper_quantile(double share, Tail &&tail) {
    double low = 0;
    double high = 1;
    while (tail(high) > share && high < 1e300) {
        high *= 2;
    }
    for (;;) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) {
            return high;
        }
        (tail(middle) > share ? low : high) = middle;
    }
}

template <class Tail>
double quantile(double share, Tail &&tail) {
    if (!(share > 0 && share < 1)) {
        throw Error(ErrorCode::invalid_argument, "the share of a distribution is " +
                                                     std::to_string(share) +
                                                     "; allowed is above 0 and below 1");
    }
    return share > 0.5 ? -upper_quantile(1 - share, tail)
                       : (share == 0.5 ? 0 : upper_quantile(share, tail));
}

} // namespace

double normal_tail(double z) {
    if (z < 0) {
        return 1 - normal_tail(-z);
    }
    if (z < 3) {
        // 1/2 - density (z + z^3/3 + z^5/(3 5) + ...): Marsaglia, Journal of Statistical Software
        // 11(4), 2004.
        double term = z;
        double sum = z;
        for (int n = 3; term > sum * 1e-18; n += 2) {
            term = term * z * z / n;
            sum += term;
        }
        return 0.5 - normal_density(z) * sum;
    }
    // Laplace's continued fraction: density / (z + 1/(z + 2/(z + 3/...))).
    double fraction = z;
    for (int n = 120; n >= 1; --n) {
        fraction = z + n / fraction;
    }
    return normal_density(z) / fraction;
}

double student_tail(double t, std::int64_t freedom) {
    if (freedom < 1) {
        throw Error(ErrorCode::invalid_argument,
                    std::to_string(freedom) + " degrees of freedom; allowed is 1 or more");
    }
    if (t < 0) {
        return 1 - student_tail(-t, freedom);
    }
    // P(|T| <= t) as a finite sum over powers of the cosine of theta, whose tangent is t /
    // sqrt(freedom): Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
    const auto nu = static_cast<double>(freedom);
    const double ratio = t / std::sqrt(nu);
    const double square = 1 / (1 + ratio * ratio); // of the cosine
    const double cosine = std::sqrt(square);
    const double sine = ratio * cosine;
    const bool odd = freedom % 2 == 1;
    double term = odd ? cosine : 1;
    double sum = freedom == 1 ? 0 : term;
    for (std::int64_t n = odd ? 3 : 2; n <= freedom - 2; n += 2) {
        const auto k = static_cast<double>(n);
        term = term * square * (k - 1) / k;
        sum += term;
    }
    const double inside =
        odd ? 2 / std::numbers::pi * (arctangent(ratio) + sine * sum) : sine * sum;
    return inside < 1 ? (1 - inside) / 2 : 0;
}

double normal_quantile(double share) {
    return quantile(share, [](double z) { return normal_tail(z); });
}

double student_quantile(double share, std::int64_t freedom) {
    return quantile(share, [freedom](double t) { return student_tail(t, freedom); });
}

} // namespace karst::lab
