#include "lab/toy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/lyapunov.hpp"
#include "lab/real.hpp"

namespace karst::lab {

namespace {

double absolute(const Eigenvalue &e) {
    return std::sqrt(e.real * e.real + e.imaginary * e.imaginary);
}

std::array<Eigenvalue, 2> eigenvalues_of(const Matrix<2> &m) {
    // Half the trace +- sqrt(half the difference squared + the product of the others): no
    // difference of large numbers, as trace^2 - 4 det would have.
    const double half = (m[0][0] + m[1][1]) / 2;
    const double apart = (m[0][0] - m[1][1]) / 2;
    const double square = apart * apart + m[0][1] * m[1][0];
    const double root = std::sqrt(std::abs(square));
    if (square < 0) {
        return {{{half, root}, {half, -root}}};
    }
    std::array<Eigenvalue, 2> pair{{{half + root, 0}, {half - root, 0}}};
    if (absolute(pair[1]) > absolute(pair[0])) {
        std::swap(pair[0], pair[1]);
    }
    return pair;
}

// The largest singular value: the most that a difference can grow.
double norm_of(const Matrix<2> &m) {
    const double turn = length(Vector<2>{m[0][0] + m[1][1], m[1][0] - m[0][1]});
    const double mirror = length(Vector<2>{m[0][0] - m[1][1], m[1][0] + m[0][1]});
    return (turn + mirror) / 2;
}

std::array<double, 3> margins_of(const Toy &toy) {
    const double b = toy.beta;
    const double k = toy.kappa;
    const double product = toy.alpha * toy.gamma;
    switch (toy.order) {
    case ToyOrder::deposit_first: {
        const double kept = product * (1 - b);
        return {b * k - kept, (2 - b) * (2 - k) - kept, b + k - b * k + kept};
    }
    case ToyOrder::sequential:
        return {b * k - product, (2 - b) * (2 - k) + product, b + k - b * k};
    case ToyOrder::synchronous:
        break;
    }
    return {b * k - product, (2 - b) * (2 - k) - product, b + k - b * k + product};
}

} // namespace

Matrix<2> Toy::matrix() const {
    switch (order) {
    case ToyOrder::deposit_first:
        return {{{1 - beta, (1 - beta) * alpha}, {gamma, 1 - kappa}}};
    case ToyOrder::sequential:
        return {{{1 - beta, alpha}, {gamma * (1 - beta), 1 - kappa + gamma * alpha}}};
    case ToyOrder::synchronous:
        break;
    }
    return {{{1 - beta, alpha}, {gamma, 1 - kappa}}};
}

ToyAnalysis analyse(const Toy &toy) {
    ToyAnalysis result;
    result.eigenvalues = eigenvalues_of(toy.matrix());
    result.radius = absolute(result.eigenvalues[0]);
    result.exponent = logarithm(result.radius);
    result.margins = margins_of(toy);
    // What rounding leaves of an equality is no growth.
    const double scale = 4 + std::abs(toy.alpha * toy.gamma) + std::abs(toy.beta * toy.kappa) +
                         2 * std::abs(toy.beta) + 2 * std::abs(toy.kappa);
    const double noise = 8 * std::numeric_limits<double>::epsilon() * scale;
    const double least = *std::min_element(result.margins.begin(), result.margins.end());
    result.growth = least > noise    ? Growth::decays
                    : least < -noise ? Growth::grows
                                     : Growth::marginal;
    result.claim = toy.claim();
    result.agrees = result.claim == (result.growth == Growth::grows);
    return result;
}

std::string_view growth_condition(ToyOrder order) {
    switch (order) {
    case ToyOrder::deposit_first:
        return "ag(1-b) > bk, or ag(1-b) > (2-b)(2-k), or ag(1-b) < bk-b-k";
    case ToyOrder::sequential:
        return "ag > bk, or ag < -(2-b)(2-k), or bk > b+k";
    case ToyOrder::synchronous:
        break;
    }
    return "ag > bk, or ag > (2-b)(2-k), or ag < bk-b-k";
}

std::vector<double> growth_curve(const Toy &toy, std::int64_t steps) {
    const Matrix<2> a = toy.matrix();
    Matrix<2> power{{{1, 0}, {0, 1}}};
    double taken = 0; // ln of what was divided out
    std::vector<double> curve;
    for (std::int64_t t = 0; t <= steps; ++t) {
        const double norm = norm_of(power);
        curve.push_back(taken + logarithm(norm));
        if (norm == 0) {
            continue;
        }
        taken = curve.back();
        Matrix<2> next{};
        for (std::size_t i = 0; i < 2; ++i) {
            for (std::size_t j = 0; j < 2; ++j) {
                next[i][j] = (a[i][0] * power[0][j] + a[i][1] * power[1][j]) / norm;
            }
        }
        power = next;
    }
    return curve;
}

double iterated_exponent(const Toy &toy, std::int64_t steps) {
    Steps its;
    its.transient = steps / 10;
    its.count = steps;
    const auto result = tangent_exponents(LinearMap(toy.matrix()), {0, 0}, its);
    return std::max(result.exponents[0].value, result.exponents[1].value);
}

} // namespace karst::lab
