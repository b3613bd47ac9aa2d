// What one flipped bit of the seed changes, stage by stage, against what another seed changes.
// Formulas, and what a verdict does not say: docs/sensitivity.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <karst/options.hpp>

#include "lab/random_numbers.hpp"
#include "lab/seed_subject.hpp"
#include "lab/statistics.hpp"

namespace karst::lab {

// Against each base seed: one run of it, kPartners of independent seeds, one for each bit.
inline constexpr int kPartners = 4;
// With the number of base seeds left open these come first, and their spread tells how many.
inline constexpr std::int64_t kPilotSeeds = 16;
// A bit that was not shown to be as good as another seed is tried once more, with fresh seeds.
inline constexpr std::int64_t kRepeatSeeds = 128;
inline constexpr std::int64_t kMostSeeds = 4096;

struct SeedSettings {
    std::vector<int> bits;                    // of the seed, rising, 0 to 63
    std::optional<std::int64_t> seeds{};      // base seeds, 2 to kMostSeeds; nothing: by power
    std::int64_t repeat_seeds = kRepeatSeeds; // 0: no bit is tried again
    std::uint64_t base = 0;                   // the base seeds are functions of it
    Interval margin{0.9, 1.1};
    double level = 0.05; // of a single wrong "within" in the family
    double power = 0.95; // of the whole family passing if every bit is ideal
};

// The numbers of one base seed; what a resumed measurement starts from.
struct SeedSample {
    std::int64_t index = 0; // of the base seed; those of repeats follow kMostSeeds
    // For each quantity (Subject::quantities) the run of each bit, then of each partner: of a place
    // the distance to the base seed's run, of a structure the number itself.
    std::vector<std::vector<double>> values;
    std::vector<double> base; // of each structure the base seed's number, of binary fields their
                              // density, else 0
};

enum class BitVerdict { within, outside, undecided, not_judged };
const char *verdict_name(BitVerdict verdict); // "within", ..., "not judged"

// One stage, one way to measure it.
struct SeedRow {
    Quantity quantity;
    bool judged = false;            // its bits are members of the family
    double baseline = 0;            // mean over independent seeds: of a place the distance, of a
                                    // structure the number itself
    std::optional<double> expected; // 2 p (1 - p) at the mean density p, of binary fields' Hamming
    // R_i = what the flip of bit i changes / what another seed changes, both means of distances. Of
    // a structure: its mean over flipped runs / its mean over independent seeds.
    std::vector<double> ratio, low, high; // for each bit; bounds at `confidence`
    std::vector<BitVerdict> verdicts;
    // The sum of R_i, of a structure with |difference to the base run| as the distance.
    double average_sensitivity = 0;
    // Mean correlation, over base seeds, of what two bits change, of what two partners change.
    double bit_correlation = 0, partner_correlation = 0;
};

struct SeedRepeat {
    std::size_t row = 0;
    int bit = 0;
    double ratio = 0, low = 0, high = 0; // with the fresh seeds alone
    BitVerdict verdict = BitVerdict::undecided;
};

// Instruments that must fail, tried with each measurement.
struct ControlResult {
    std::string name;
    bool must_fail = true; // false: a sound one, which must pass
    bool caught = false;
    std::string why;
    bool as_it_should() const noexcept { return caught == must_fail; }
};

struct SeedReport {
    SeedSettings settings;
    std::int64_t seeds = 0;  // base seeds used
    std::int64_t needed = 0; // by the power of the family, from the spread that was seen
    double variation = 0;    // the largest of a judged row, as `needed` takes it
    std::int64_t family = 0; // judged rows x bits
    double confidence = 0;   // of each interval: all of the family's hold with 1 - 2 level
    std::int64_t runs = 0;   // of the subject
    std::vector<SeedRow> rows;
    std::vector<SeedRepeat> repeats;
    std::vector<ControlResult> controls;
    RandomNumbers random_numbers;
    std::vector<std::string> unmet; // requirements, a sentence each without a full stop
    bool met() const noexcept { return unmet.empty(); }
};

// How a measurement is watched and kept. Calls come on any thread, one at a time.
struct SeedHooks {
    std::function<void(std::int64_t runs_done, std::int64_t runs_in_all, const char *stage)>
        progress{};
    std::function<void(const SeedSample &)> keep{}; // each new one
    std::vector<SeedSample> known{};                // of an earlier measurement of the same subject
};

// Runs go `options.threads` beside each other, each on one thread; the numbers are the same for
// every number of threads and every device. Throws Error(invalid_argument), Error(cancelled), what
// the subject throws, and Error(runtime) if a control does not turn out as it should: then the
// instrument is broken.
SeedReport measure_seed_sensitivity(const Subject &subject, const SeedSettings &settings,
                                    const Options &options, const SeedHooks &hooks = {});

// Throws Error(requirement_failed) that names what is not met.
void require_met(const SeedReport &report);

} // namespace karst::lab
