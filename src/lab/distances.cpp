#include "lab/distances.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <karst/error.hpp>

namespace karst::lab {

namespace {

using Cells = std::span<const std::uint32_t>;

void require_same(bool same, std::int64_t u, std::int64_t v) {
    if (!same) {
        throw Error(ErrorCode::invalid_argument, "a field of " + std::to_string(v) +
                                                     " cells beside one of " + std::to_string(u) +
                                                     "; allowed are two of the same size");
    }
}

std::uint64_t difference(std::uint32_t a, std::uint32_t b) {
    return a > b ? a - b : b - a;
}

std::uint64_t sum_of(Cells cells) { // below 2^32 cells, as fields are
    std::uint64_t sum = 0;
    for (const std::uint32_t cell : cells) {
        sum += cell;
    }
    return sum;
}

std::uint64_t sum_of_differences(Cells u, Cells v) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
        sum += difference(u[i], v[i]);
    }
    return sum;
}

double squares_about_mean(Cells cells) {
    const double mean = static_cast<double>(sum_of(cells)) / static_cast<double>(cells.size());
    double sum = 0;
    for (const std::uint32_t cell : cells) {
        sum += (cell - mean) * (cell - mean);
    }
    return sum;
}

double over(double numerator, double denominator) {
    if (numerator == 0) {
        return 0;
    }
    return denominator > 0 ? numerator / denominator : std::numeric_limits<double>::infinity();
}

} // namespace

std::int64_t hamming(const LifeBoard &u, const LifeBoard &v) {
    require_same(u.extent() == v.extent(), u.extent().cells(), v.extent().cells());
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < u.words().size(); ++i) {
        count += std::popcount(u.words()[i] ^ v.words()[i]);
    }
    return count;
}

double hamming_fraction(const LifeBoard &u, const LifeBoard &v) {
    return static_cast<double>(hamming(u, v)) / static_cast<double>(u.extent().cells());
}

Distances::Distances(Cells u, Cells v) : u_(u), v_(v) {
    require_same(u.size() == v.size() && !u.empty(), static_cast<std::int64_t>(u.size()),
                 static_cast<std::int64_t>(v.size()));
}

double Distances::hamming_fraction() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < u_.size(); ++i) {
        count += u_[i] != v_[i] ? 1u : 0u;
    }
    return static_cast<double>(count) / static_cast<double>(u_.size());
}

double Distances::mean_difference() const {
    return static_cast<double>(sum_of_differences(u_, v_)) / static_cast<double>(u_.size());
}

double Distances::bray_curtis() const {
    return over(static_cast<double>(sum_of_differences(u_, v_)),
                static_cast<double>(sum_of(u_)) + static_cast<double>(sum_of(v_)));
}

double Distances::normalised_l1() const {
    // The mean of |u_i - v_j| over all pairs of places is the integral of F (1 - G) + G (1 - F)
    // over the two distribution functions.
    std::vector<std::uint32_t> u(u_.begin(), u_.end());
    std::vector<std::uint32_t> v(v_.begin(), v_.end());
    std::sort(u.begin(), u.end());
    std::sort(v.begin(), v.end());
    const auto n = static_cast<double>(u.size());
    std::size_t below_u = 0;
    std::size_t below_v = 0;
    std::uint32_t value = std::min(u.front(), v.front());
    double mean = 0;
    for (;;) {
        while (below_u < u.size() && u[below_u] <= value) {
            ++below_u;
        }
        while (below_v < v.size() && v[below_v] <= value) {
            ++below_v;
        }
        if (below_u == u.size() && below_v == v.size()) {
            break;
        }
        const std::uint32_t next = std::min(below_u < u.size() ? u[below_u] : ~std::uint32_t{0},
                                            below_v < v.size() ? v[below_v] : ~std::uint32_t{0});
        const double f = static_cast<double>(below_u) / n;
        const double g = static_cast<double>(below_v) / n;
        mean += (f * (1 - g) + g * (1 - f)) * static_cast<double>(next - value);
        value = next;
    }
    return over(static_cast<double>(sum_of_differences(u_, v_)) / n, mean);
}

double Distances::normalised_l2() const {
    double squares = 0;
    for (std::size_t i = 0; i < u_.size(); ++i) {
        const auto miss = static_cast<double>(difference(u_[i], v_[i]));
        squares += miss * miss;
    }
    return over(std::sqrt(squares), std::sqrt(squares_about_mean(u_) + squares_about_mean(v_)));
}

double Distances::slope_l2(std::int64_t width) const {
    const auto row = static_cast<std::size_t>(width);
    if (width < 1 || u_.size() % row != 0) {
        throw Error(ErrorCode::invalid_argument, "rows of " + std::to_string(width) +
                                                     " cells; allowed are those that make up " +
                                                     std::to_string(u_.size()) + " cells");
    }
    double apart = 0;
    double each = 0;
    const auto add = [&](std::size_t here, std::size_t there) {
        const double u = static_cast<double>(u_[there]) - static_cast<double>(u_[here]);
        const double v = static_cast<double>(v_[there]) - static_cast<double>(v_[here]);
        apart += (u - v) * (u - v);
        each += u * u + v * v;
    };
    for (std::size_t i = 0; i < u_.size(); ++i) {
        if ((i + 1) % row != 0) {
            add(i, i + 1);
        }
        if (i + row < u_.size()) {
            add(i, i + row);
        }
    }
    return over(std::sqrt(apart), std::sqrt(each));
}

double independent_hamming(std::span<const double> densities) {
    require_same(!densities.empty(), 1, 0);
    double sum = 0;
    for (const double p : densities) {
        sum += independent_hamming(p);
    }
    return sum / static_cast<double>(densities.size());
}

} // namespace karst::lab
