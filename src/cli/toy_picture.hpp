// The toy model drawn: where its criterion is right, and its growth predicted and iterated.
#pragma once

#include "cli/chart.hpp"
#include "lab/toy.hpp"

namespace karst::cli {

// `iterated_slope` is what lab::iterated_exponent() gave.
Canvas toy_picture(const lab::Toy &toy, double iterated_slope);

// "synchronous", "deposit_first", "sequential".
const char *order_name(lab::ToyOrder order);
// "grows", "marginal", "decays".
const char *growth_name(lab::Growth growth);

} // namespace karst::cli
