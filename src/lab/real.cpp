#include "lab/real.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace karst::lab {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// ln 2 in two parts; the first has 21 zero bits at its end, so that its product with an exponent is
// exact.
constexpr double kLn2High = 0x1.62e42fee00000p-1;
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

// 2^exponent, exponent in [-1022, 1023].
double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

} // namespace

double logarithm(double x) {
    if (!(x > 0)) {
        return x == 0 ? -kInfinity : std::numeric_limits<double>::quiet_NaN();
    }
    if (x == kInfinity) {
        return x;
    }
    int exponent = 0;
    if (x < std::numeric_limits<double>::min()) { // denormal
        x *= 0x1p54;
        exponent = -54;
    }
    const auto bits = std::bit_cast<std::uint64_t>(x);
    exponent += static_cast<int>(bits >> 52) - 1023;
    double mantissa =
        std::bit_cast<double>((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u); // [1, 2)
    if (mantissa > std::numbers::sqrt2) {
        mantissa /= 2;
        ++exponent;
    }
    // ln m = 2 artanh s = 2 (s + s^3/3 + s^5/5 + ...), s = (m - 1) / (m + 1), |s| < 0.172.
    const double s = (mantissa - 1) / (mantissa + 1);
    const double square = s * s;
    double rest = 0;
    for (int n = 23; n >= 3; n -= 2) {
        rest = square * (rest + 1.0 / n);
    }
    return exponent * kLn2High + (exponent * kLn2Low + 2 * s * rest + 2 * s);
}

double exponential(double x) {
    if (x != x) {
        return x;
    }
    if (x < -708) {
        return 0;
    }
    if (x > 709) {
        return kInfinity;
    }
    // e^x = 2^k e^r, |r| <= ln 2 / 2, and the series of e^r to r^14 / 14!.
    const int k = static_cast<int>(std::floor(x / std::numbers::ln2 + 0.5));
    const double r = (x - k * kLn2High) - k * kLn2Low;
    double sum = 1;
    for (int n = 14; n >= 1; --n) {
        sum = 1 + r * sum / n;
    }
    return k > 1022 ? sum * 2 * power_of_two(k - 1) : sum * power_of_two(k);
}

double arctangent(double x) {
    if (x < 0) {
        return -arctangent(-x);
    }
    if (x > 1) {
        return std::numbers::pi / 2 - arctangent(1 / x);
    }
    // Half the angle has the tangent x / (1 + sqrt(1 + x^2)); twice, then the series, |x| < 0.2.
    for (int halvings = 0; halvings < 2; ++halvings) {
        x = x / (1 + std::sqrt(1 + x * x));
    }
    const double square = x * x;
    double rest = 0;
    for (int n = 25; n >= 3; n -= 2) {
        rest = square * (1.0 / n - rest);
    }
    return 4 * (x - x * rest);
}

} // namespace karst::lab
