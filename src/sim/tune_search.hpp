// The search for the best point of a tuning space: some points all over it, then from the best of
// them along the axes, one after another.
#pragma once

#include <functional>
#include <optional>

#include "sim/tuning.hpp"

namespace karst::sim {

struct TuneProblem {
    const TuningAxes &axes;
    // The point that stands for all that do the same as this one; nothing if the device cannot do
    // it or does something else instead.
    std::function<std::optional<TuningPoint>(const TuningPoint &)> reduce;
    // What is to be small, more than 0. Called once for each reduced point at most.
    std::function<double(const TuningPoint &)> cost;
    // False: the time is over, and the search ends with what it has.
    std::function<bool()> go_on;
};

struct TuneFound {
    TuningPoint best; // reduced
    double cost = 0;
    int points = 0;        // whose cost was asked for
    bool complete = false; // the search came to its end
};

// The standard point must have a reduced one; it comes first, whatever go_on() says.
TuneFound search_best(const TuneProblem &problem);

} // namespace karst::sim
