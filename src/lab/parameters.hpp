// Which knob changes the picture most: finite differences of a generator's output by each of its
// parameters, as the registry describes them. docs/sensitivity.md has the formulas.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <karst/options.hpp>
#include <karst/params.hpp>

#include "generators/registry.hpp"
#include "lab/statistics.hpp"

namespace karst::lab {

struct ParameterSettings {
    std::int64_t seeds = 4;    // job.seed, job.seed + 1, ...; 2 or more
    std::int64_t halvings = 4; // of the step of a number, so one more step than that
    double share = 0.1;        // the first step, of the value; of a value of 0 of the range
    double confidence = 0.95;
    std::string layer = {}; // empty: the first one that is a map or a volume
    // Called on the thread of each run of the generator when it has ended, however it did: for a
    // cache of the options that lets threads wait for each other.
    std::function<void()> run_ended = {};
    std::vector<std::string> only = {}; // names of parameters; empty: all
};

enum class ParameterVerdict {
    plateau,       // over three neighbouring steps the derivative stays the same
    jump,          // over none: the output does not follow small steps smoothly
    no_effect,     // no step changed a cell
    cannot_change, // see ParameterRow::reason
};

struct ParameterRow {
    std::string name, unit;
    ParamType type = ParamType::real;
    ParamValue value;
    std::vector<ParamValue> changed; // the values it was given
    std::vector<double> steps;       // what that is more (less) than `value`; of a choice 0, 1, ...
    // Mean over seeds of distance / (distance of independent seeds) at each step, and that per unit
    // of the step. A choice and a switch have no unit: the same numbers twice.
    std::vector<Mean> distance;
    std::vector<double> derivative;
    // d ln distance / d ln step over the steps with a distance: 1 where the output follows, 0 where
    // it jumps. Nothing with fewer than two such steps.
    std::optional<double> order;
    ParameterVerdict verdict = ParameterVerdict::cannot_change;
    std::string reason; // of cannot_change, and of values that were refused
    // The distance at the first step; of a choice, of a switch and of +-1 the largest. Nothing of
    // what cannot change.
    std::optional<double> effect, low, high;
    std::int64_t rank = 0; // 1: the largest effect; 0: cannot change
};

struct ParameterReport {
    std::string generator, layer;
    std::int64_t seeds = 0;
    // Mean distance of two independent seeds, in the layer's unit or as a share of its cells.
    double independent = 0;
    std::int64_t runs = 0;
    std::vector<ParameterRow> rows; // by rank, then what cannot change in the order of the table
};

const char *name_of(ParameterVerdict verdict); // "plateau", "jump", "no effect", "cannot change"

// The layer that is compared. Throws Error(invalid_argument) for a name that is no map or volume.
const LayerInfo &compared_layer(const GeneratorInfo &generator, std::string_view name);

// What it would take: runs of the generator, and the bytes of one.
struct ParameterPlan {
    std::int64_t runs = 0;
    std::uint64_t bytes = 0;
};
ParameterPlan plan_parameters(const GeneratorInfo &generator, const Job &job,
                              const ParameterSettings &settings, const Options &options = {});

// As many runs at once as there are threads. The same report, digit for digit, for every number of
// threads and on every device. Throws Error(invalid_argument), Error(unsupported) if the seeds give
// the same layer, Error(out_of_memory), and what the generator throws for the unchanged job.
ParameterReport measure_parameters(const GeneratorInfo &generator, const Job &job,
                                   const ParameterSettings &settings, const Options &options = {});

} // namespace karst::lab
