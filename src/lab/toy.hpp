// The two-variable model of agents and trail, p a difference of the trail and y one of the agents:
// p loses the share beta a step and gains alpha y, y loses kappa and gains gamma p. Does a
// difference grow, and is alpha gamma > beta kappa the condition for it? docs/sensitivity.md
// derives what is written here.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lab/maps.hpp"

namespace karst::lab {

enum class ToyOrder {
    synchronous,   // p' = (1-b) p + a y      y' = g p + (1-k) y
    deposit_first, // p' = (1-b) (p + a y)    y' = g p + (1-k) y
    sequential,    // p' = (1-b) p + a y      y' = g p' + (1-k) y
};

struct Toy {
    double alpha = 0.3, beta = 0.1, gamma = 0.2, kappa = 0.3;
    ToyOrder order = ToyOrder::synchronous;

    Matrix<2> matrix() const;
    // alpha gamma > beta kappa.
    bool claim() const noexcept { return alpha * gamma > beta * kappa; }
};

enum class Growth { grows, marginal, decays };

struct Eigenvalue {
    double real = 0;
    double imaginary = 0;
};

struct ToyAnalysis {
    std::array<Eigenvalue, 2> eigenvalues; // the one of the larger absolute value first
    double radius = 0;                     // the larger absolute value
    double exponent = 0;                   // its logarithm; -infinity of a radius of 0
    // The conditions of Jury for a radius below 1: all three above 0. det(I - A), det(I + A),
    // 1 - det A. Each is written with the products alpha gamma and beta kappa, as rounding would
    // hide equality.
    std::array<double, 3> margins;
    Growth growth = Growth::marginal; // by the margins, not by the eigenvalues
    bool claim = false;               // alpha gamma > beta kappa
    bool agrees = false;              // the claim holds exactly if a difference grows
};
ToyAnalysis analyse(const Toy &toy);

// Conditions for growth in words: each alone makes a difference grow.
std::string_view growth_condition(ToyOrder order);

// ln of the most that a difference can have grown after t steps (the largest singular value of
// A^t), t = 0 to `steps`; -infinity from where A^t is 0.
std::vector<double> growth_curve(const Toy &toy, std::int64_t steps);

// The exponent by iterating: tangent_exponents() of the linear map, the larger one.
double iterated_exponent(const Toy &toy, std::int64_t steps);

} // namespace karst::lab
