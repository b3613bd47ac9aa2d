// Maps whose exponents are known. Each says its dimension, the next state, how far two states lie
// apart, and, where it has one, its Jacobian. The order of operations is part of the map: a
// chaotic orbit forgets nothing of a rounding.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace karst::lab {

template <std::size_t n>
using Vector = std::array<double, n>;
template <std::size_t n>
using Matrix = std::array<std::array<double, n>, n>; // of rows

template <std::size_t n>
struct FlatMap { // on the plane, the line, ...
    static constexpr std::size_t kDimension = n;
    // to - from
    static Vector<n> difference(const Vector<n> &to, const Vector<n> &from) {
        Vector<n> d;
        for (std::size_t i = 0; i < n; ++i) {
            d[i] = to[i] - from[i];
        }
        return d;
    }
};

// x' = r x (1 - x). At r = 4 an orbit that comes within 2^-28 of 1/2 falls to the fixed point 0.
struct LogisticMap : FlatMap<1> {
    double r = 4;
    explicit LogisticMap(double parameter) : r(parameter) {}
    Vector<1> next(const Vector<1> &s) const { return {r * s[0] * (1 - s[0])}; }
    Matrix<1> jacobian(const Vector<1> &s) const { return {{{r * (1 - 2 * s[0])}}}; }
};

// Henon 1976: (x, y)' = (1 - a x^2 + y, b x).
struct HenonMap : FlatMap<2> {
    double a = 1.4;
    double b = 0.3;
    Vector<2> next(const Vector<2> &s) const { return {1 - a * s[0] * s[0] + s[1], b * s[0]}; }
    Matrix<2> jacobian(const Vector<2> &s) const { return {{{-2 * a * s[0], 1}, {b, 0}}}; }
};

// Arnold's cat: (x, y)' = (2 x + y, x + y) modulo 1.
struct CatMap {
    static constexpr std::size_t kDimension = 2;
    Vector<2> next(const Vector<2> &s) const {
        return {fraction(2 * s[0] + s[1]), fraction(s[0] + s[1])};
    }
    Matrix<2> jacobian(const Vector<2> &) const { return {{{2, 1}, {1, 1}}}; }
    // The shortest way around the torus.
    static Vector<2> difference(const Vector<2> &to, const Vector<2> &from) {
        return {fraction(to[0] - from[0] + 0.5) - 0.5, fraction(to[1] - from[1] + 0.5) - 0.5};
    }

private:
    static double fraction(double x) { return x - std::floor(x); }
};

// Lorenz 1963 with sigma 10, rho 28, beta 8/3: a step of the classical Runge-Kutta method of fourth
// order. Exponents are per step: divide by `step` for those per unit of time.
struct LorenzFlow : FlatMap<3> {
    double step = 0.005;
    Vector<3> next(const Vector<3> &s) const {
        const Vector<3> k1 = slope(s);
        const Vector<3> k2 = slope(moved(s, k1, step / 2));
        const Vector<3> k3 = slope(moved(s, k2, step / 2));
        const Vector<3> k4 = slope(moved(s, k3, step));
        Vector<3> result;
        for (std::size_t i = 0; i < 3; ++i) {
            result[i] = s[i] + step / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
        }
        return result;
    }

private:
    static Vector<3> slope(const Vector<3> &s) {
        return {10 * (s[1] - s[0]), s[0] * (28 - s[2]) - s[1], s[0] * s[1] - 8.0 / 3 * s[2]};
    }
    static Vector<3> moved(const Vector<3> &s, const Vector<3> &k, double by) {
        return {s[0] + by * k[0], s[1] + by * k[1], s[2] + by * k[2]};
    }
};

// x' = A x.
struct LinearMap : FlatMap<2> {
    Matrix<2> matrix{};
    explicit LinearMap(const Matrix<2> &m) : matrix(m) {}
    Vector<2> next(const Vector<2> &s) const {
        return {matrix[0][0] * s[0] + matrix[0][1] * s[1],
                matrix[1][0] * s[0] + matrix[1][1] * s[1]};
    }
    Matrix<2> jacobian(const Vector<2> &) const { return matrix; }
};

} // namespace karst::lab
