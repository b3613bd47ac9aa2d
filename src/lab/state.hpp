// What one changed cell, or one last bit of an agent, becomes: damage over time, of many runs that
// are each repeated with one small change and the same random numbers. docs/sensitivity.md has the
// formulas.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <karst/options.hpp>
#include <karst/params.hpp>
#include <karst/simulate.hpp>

#include "lab/lyapunov.hpp"

namespace karst::lab {

enum class Perturbation {
    cell,     // Life: one cell is flipped
    heading,  // Physarum: units of 1/65536 turn are added to one agent's heading
    position, // of 1/65536 cell to one agent's x
    trail,    // of 1/65536 to the trail of one cell: the one that has most
};

struct StateSettings {
    std::int64_t replicas = 24; // each with a base seed of its own
    std::int64_t transient = 0; // steps before the change
    std::int64_t steps = 400;   // after it
    std::int64_t every = 0;     // recorded besides steps spaced by a factor; 0: steps / 16
    std::uint64_t seed = 0;     // of replica 0; replica r has seed + r
    double confidence = 0.95;   // of every interval
};

// A mean over replicas and its interval by Student's t, for each recorded step. With one replica,
// or where no replica has a value, bounds or all three are not numbers.
struct Curve {
    std::vector<double> mean, low, high;
};

// A share of the replicas and Wilson's interval.
struct Share {
    double share = 0, low = 0, high = 0;
};

enum class StateLaw {
    power,       // the mean damage grows as t^exponent
    exponential, // as e^(exponent t)
    dies,        // no replica differs at the end
    undecided,   // neither law is clearly nearer, or there are too few points
};

struct DamageLaw {
    StateLaw kind = StateLaw::undecided;
    // Of power and exponential, with the percentiles of a bootstrap over replicas; else nothing.
    std::optional<double> exponent, low, high;
    std::optional<double> criterion; // GrowthLaw::criterion; nothing: fewer than three points
    std::int64_t points = 0;         // recorded steps that were fitted, from `first` to `last`
    std::int64_t first = 0, last = 0;
};

struct StateReport {
    std::string simulation; // "life", "physarum"
    Perturbation perturbation = Perturbation::cell;
    std::int64_t amount = 1; // units that were added
    Extent2 size;
    StateSettings settings;
    std::vector<std::int64_t> steps; // recorded, after the change; the first is 0
    Curve damage;                    // share of the cells that differ, 0 to 1
    std::vector<double> median;      // of the same
    Curve agents;                    // share of the agents that differ; empty without agents
    Curve bray_curtis;               // of the fields, 0 to 1
    Curve front_radius;              // cells from the change to the farthest differing cell, the
                                     // larger of the two axes; of replicas where cells differ
    std::vector<Share> alive;        // replicas that differ anywhere
    Share healed;                    // replicas that do not differ at the end
    // Of pairs of replicas: what independent seeds differ by. Empty where all replicas begin alike.
    std::vector<double> independent_damage, independent_bray_curtis;
    std::vector<FirstPassages::Exponent> fsle; // sizes in cells that differ
    DamageLaw law;
    // Life: what one flip changes in one generation by the rule and the density of the soup, and
    // the exponent of the Boolean derivative, on a torus of at most 128 cells a side.
    std::optional<double> derrida_slope, boolean_exponent;
};

const char *name_of(Perturbation perturbation); // "cell", "heading", ...
const char *name_of(StateLaw law);              // "power", "exponential", "dies", "undecided"

// 0, 1, 2, 3, 4, 6, 8, 11, ... (a factor of the square root of 2, rounded to whole steps),
// multiples of `every`, and `steps`.
std::vector<std::int64_t> recorded_steps(std::int64_t steps, std::int64_t every);

// Life from a soup, or from a board, where replicas differ in the flipped cell only.
struct LifeDamage {
    LifeRule rule;
    LifeBoundary boundary = LifeBoundary::torus;
    Extent2 size{256, 256};
    double density = 0.5;
    std::optional<LifeBoard> board; // instead of a soup
    std::optional<Cell2> flipped;   // nothing: one drawn by the replica's seed
};

// Physarum without maps. `perturbation` is not cell; `amount` 1 to 65535, of a position to 32767.
struct PhysarumDamage {
    PhysarumParams params; // its `steps` are not used
    Extent2 size{256, 256};
    Perturbation perturbation = Perturbation::heading;
    std::int64_t amount = 16;
};

// Of values for the registry's row "physarum".
PhysarumParams physarum_params(const ParamSet &values);

// As many replicas at once as there are threads, on CUDA each as well, by an engine of its own. The
// same report, digit for digit, for every number of threads and on every device. Throw
// Error(invalid_argument), Error(out_of_memory) before anything runs, and what simulations throw.
StateReport measure_state(const LifeDamage &system, const StateSettings &settings,
                          const Options &options = {});
StateReport measure_state(const PhysarumDamage &system, const StateSettings &settings,
                          const Options &options = {});

} // namespace karst::lab
