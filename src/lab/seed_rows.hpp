// From runs to verdicts: what is measured of two runs, and what the numbers of many base seeds say.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lab/seed_subject.hpp"
#include "lab/statistics.hpp"

namespace karst::lab {

enum class Way { hamming, bray_curtis, l1, l2, slope_l2, share, components, number };

// One stage, one way to measure it.
struct Quantity {
    std::string stage;
    std::optional<std::int64_t> step;
    std::string distance; // "hamming", "bray_curtis", "slope_l2", "plates", ...
    Way way = Way::hamming;
    bool judged = false; // one distance of each stage is
    bool of_mask = false;
    std::size_t index = 0; // of Sight::fields, of a number of Sight::numbers

    // A property of one run, which a seed must not change; else a distance of two.
    bool is_structure() const noexcept { return way >= Way::share; }
};

// `sight` is of any seed. A layer that is a stage's field once more is not judged.
std::vector<Quantity> quantities_of(const Sight &sight);

// Of a distance that of two runs' fields; of a structure that of `u`.
double measured(const Quantity &quantity, const Sight &u, const Sight &base);

// What SeedSample::base holds of a run.
double measured_alone(const Quantity &quantity, const Sight &sight);

// The numbers of one base seed.
struct SeedSample {
    std::int64_t index = 0; // of the base seed
    // For each quantity that of each bit's run, then of each independent seed's.
    std::vector<std::vector<double>> values;
    // For each quantity: the base seed's own structure, of masks' distances the share, else 0.
    std::vector<double> base;
};

enum class BitVerdict { within, outside, undecided, not_judged };
const char *verdict_name(BitVerdict verdict); // "within", ..., "not judged"
BitVerdict bit_verdict(Verdict verdict);

struct SeedRow {
    Quantity quantity;
    double baseline = 0;            // mean over independent seeds
    std::optional<double> expected; // 2 p (1 - p) at the mean density p, of masks' Hamming distance
    // R_i = what the flip of bit i changes / what another seed changes, both means of distances. Of
    // a structure: its mean over flipped runs / its mean over independent seeds.
    std::vector<double> ratio, low, high; // for each bit
    std::vector<BitVerdict> verdicts;
    // The sum of R_i, of a structure with |difference to the base run| as the distance.
    double average_sensitivity = 0;
    std::int64_t unchanged = 0; // flips that changed nothing at all; of distances
    // Mean correlation, over base seeds, of what two bits change, and of what two independent seeds
    // change.
    double bit_correlation = 0, partner_correlation = 0;
};

struct SeedRows {
    std::vector<SeedRow> rows;
    std::int64_t family = 0; // judged quantities x bits
    double confidence = 0;   // of each interval: 1 - 2 level / family
};
// Of two samples or more, in the order of their indices.
SeedRows rows_of(std::span<const Quantity> quantities, std::span<const SeedSample> samples,
                 std::size_t bits, Interval margin, double level);

// The pairs of one quantity and bit.
PairedRatio pairs_of(std::size_t quantity, std::size_t bit, std::span<const SeedSample> samples,
                     std::size_t bits);

// The largest variation of a judged quantity, as lab::Power takes it: that of two independent
// distances whose difference varies as much as x - b y does, b a bound of the margin. 0: none
// varies.
double variation_of(std::span<const Quantity> quantities, std::span<const SeedSample> samples,
                    std::size_t bits, Interval margin);

} // namespace karst::lab
