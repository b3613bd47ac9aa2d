// Lyapunov exponents of maps (maps.hpp), natural logarithms per step, and finite-size exponents of
// recorded curves. docs/sensitivity.md has formulas, sources and traps.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "lab/maps.hpp"
#include "lab/real.hpp"
#include "lab/statistics.hpp"

namespace karst::lab {

struct Steps {
    std::int64_t transient = 1000; // left out at the beginning
    std::int64_t count = 100'000;
    std::int64_t interval = 1; // steps between two rescalings of two_trajectories()
};

template <std::size_t n>
double length(const Vector<n> &v) {
    double squares = 0;
    for (const double x : v) {
        squares += x * x;
    }
    return std::sqrt(squares);
}

struct Separation {
    double epsilon = 0;
    double exponent = 0;
    std::int64_t coincidences = 0; // times that the two states met: the exponent leaves them out
};

// Benettin, Galgani and Strelcyn 1976: two orbits, brought back to a distance of epsilon along
// their separation after each interval. The logarithm is of what the distance became over what
// rounding left of epsilon.
template <class Map>
Separation two_trajectories(const Map &map, Vector<Map::kDimension> state, double epsilon,
                            const Steps &steps) {
    constexpr std::size_t n = Map::kDimension;
    Separation result;
    result.epsilon = epsilon;
    Vector<n> direction;
    direction.fill(1 / std::sqrt(static_cast<double>(n)));
    double sum = 0;
    const std::int64_t passes = steps.count / steps.interval;
    for (std::int64_t pass = -steps.transient / steps.interval; pass < passes; ++pass) {
        Vector<n> other;
        for (std::size_t i = 0; i < n; ++i) {
            other[i] = state[i] + epsilon * direction[i];
        }
        const double before = length(Map::difference(other, state));
        for (std::int64_t i = 0; i < steps.interval; ++i) {
            state = map.next(state);
            other = map.next(other);
        }
        const Vector<n> separation = Map::difference(other, state);
        const double after = length(separation);
        if (!(after > 0 && before > 0)) {
            result.coincidences += pass >= 0 ? 1 : 0;
            continue;
        }
        sum += pass >= 0 ? logarithm(after / before) : 0;
        for (std::size_t i = 0; i < n; ++i) {
            direction[i] = separation[i] / after;
        }
    }
    const std::int64_t used = (passes - result.coincidences) * steps.interval;
    result.exponent =
        used > 0 ? sum / static_cast<double>(used) : -std::numeric_limits<double>::infinity();
    return result;
}

// The same for each epsilon: only where neighbouring ones agree is there an exponent.
template <class Map>
std::vector<Separation> sweep(const Map &map, const Vector<Map::kDimension> &state,
                              std::span<const double> epsilons, const Steps &steps) {
    std::vector<Separation> results;
    for (const double epsilon : epsilons) {
        results.push_back(two_trajectories(map, state, epsilon, steps));
    }
    return results;
}

struct Plateau {
    double exponent = 0; // the mean of its points
    double spread = 0;   // largest - smallest
    std::size_t first = 0, count = 0;
};
// The longest run of at least three neighbouring points without coincidences whose exponents differ
// by at most `tolerance`; nothing: there is no exponent to report.
std::optional<Plateau> find_plateau(std::span<const Separation> points, double tolerance);

template <std::size_t n>
struct TangentExponents {
    std::array<Mean, n> exponents; // falling; standard errors by batch means over 20 blocks
    double volume = 0;             // the mean of ln |det J|: what the exponents add up to
};

double determinant(const Matrix<1> &m);
double determinant(const Matrix<2> &m);

// Benettin et al. 1980, Shimada and Nagashima 1979: an orthonormal frame is carried along by the
// Jacobian and made orthonormal again, Q' R = J Q; the exponents are the means of ln R_ii.
template <class Map>
TangentExponents<Map::kDimension> tangent_exponents(const Map &map, Vector<Map::kDimension> state,
                                                    const Steps &steps) {
    constexpr std::size_t n = Map::kDimension;
    constexpr std::int64_t kBlocks = 20;
    std::array<Vector<n>, n> frame{}; // vectors
    for (std::size_t i = 0; i < n; ++i) {
        frame[i][i] = 1;
    }
    std::array<std::vector<double>, n> blocks;
    std::array<double, n> sums{};
    double volume = 0;
    const std::int64_t block = std::max<std::int64_t>(steps.count / kBlocks, 1);
    const std::int64_t count = block * kBlocks;
    for (std::int64_t step = -steps.transient; step < count; ++step) {
        const Matrix<n> jacobian = map.jacobian(state);
        for (std::size_t i = 0; i < n; ++i) {
            Vector<n> image{};
            for (std::size_t row = 0; row < n; ++row) {
                for (std::size_t column = 0; column < n; ++column) {
                    image[row] += jacobian[row][column] * frame[i][column];
                }
            }
            for (std::size_t j = 0; j < i; ++j) { // modified Gram-Schmidt
                double along = 0;
                for (std::size_t k = 0; k < n; ++k) {
                    along += image[k] * frame[j][k];
                }
                for (std::size_t k = 0; k < n; ++k) {
                    image[k] -= along * frame[j][k];
                }
            }
            const double stretch = length(image);
            if (step >= 0) {
                sums[i] += logarithm(stretch);
            }
            if (stretch > 0) {
                for (std::size_t k = 0; k < n; ++k) {
                    frame[i][k] = image[k] / stretch;
                }
            }
        }
        state = map.next(state);
        if (step < 0) {
            continue;
        }
        volume += logarithm(std::abs(determinant(jacobian)));
        if ((step + 1) % block == 0) {
            for (std::size_t i = 0; i < n; ++i) {
                blocks[i].push_back(sums[i] / static_cast<double>(block));
                sums[i] = 0;
            }
        }
    }
    TangentExponents<n> result;
    for (std::size_t i = 0; i < n; ++i) {
        result.exponents[i] = mean_of(blocks[i]);
    }
    result.volume = volume / static_cast<double>(count);
    return result;
}

// The distance of two orbits at times 0, 1, ... count - 1.
template <class Map>
std::vector<double> separations(const Map &map, Vector<Map::kDimension> state,
                                Vector<Map::kDimension> other, std::int64_t count) {
    std::vector<double> curve;
    for (std::int64_t i = 0; i < count; ++i) {
        curve.push_back(length(Map::difference(other, state)));
        state = map.next(state);
        other = map.next(other);
    }
    return curve;
}

// Finite-size exponents (Aurell, Boffetta, Crisanti, Paladin and Vulpiani 1996) of curves d(t), t =
// 0, 1, ..., by first passages of d_n = first * ratio^n: lambda(d_n) = <ln(d at passage n + 1 / d
// at passage n)> / <time between>. A curve over sizes, never one number: a plateau at small d is an
// exponential phase, a fall as d^(-1/z) a growth as t^z.
class FirstPassages {
public:
    // 0 < first, 1 < ratio, 1 <= count, else Error(invalid_argument).
    FirstPassages(double first, double ratio, std::size_t count);

    // Curves that begin above the first size enter at the first passage.
    void add(std::span<const double> curve);
    // A curve that was recorded at rising times: a passage is the first of them.
    void add(std::span<const std::int64_t> times, std::span<const double> curve);

    struct Exponent {
        double size = 0;           // d_n
        double value = 0;          // per step; not a number without a passage or without time
        std::int64_t passages = 0; // curves that went from d_n to d_(n+1)
        std::int64_t stayed = 0;   // that reached d_n, not the next: healed, or the time was over
    };
    std::vector<Exponent> exponents() const;

private:
    struct Sums {
        double growth = 0;
        std::int64_t time = 0, passages = 0, stayed = 0;
    };
    std::vector<double> sizes_; // one more than sums_
    std::vector<Sums> sums_;
};

} // namespace karst::lab
