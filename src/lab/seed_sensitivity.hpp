// What one flipped bit of the seed changes, stage by stage, against what another seed changes.
// Formulas, and what a verdict does not say: docs/sensitivity.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <karst/options.hpp>

#include "lab/random_numbers.hpp"
#include "lab/seed_controls.hpp"
#include "lab/seed_rows.hpp"
#include "lab/seed_subject.hpp"

namespace karst::lab {

// Against each base seed: its own run, kPartners of independent seeds, one for each bit.
inline constexpr int kPartners = 4;
// With the number of base seeds left open these come first, and their spread tells how many.
inline constexpr std::int64_t kPilotSeeds = 16;
// A bit that was not shown to be as good as another seed is tried once more, with fresh seeds.
inline constexpr std::int64_t kRepeatSeeds = 128;
inline constexpr std::int64_t kMostSeeds = 4096;
// Rises when the same job is measured in another way: base seeds that an older one kept are refused
// then, parts of a report made once more.
inline constexpr int kSeedMeasurement = 3;

struct SeedSettings {
    std::vector<int> bits;               // of the seed, rising, 0 to 63
    std::optional<std::int64_t> seeds{}; // base seeds, 2 to kMostSeeds; nothing: by power
    // 2 to kMostSeeds; 0: no bit is tried again. With seeds by power at least as many as the first.
    std::int64_t repeat_seeds = kRepeatSeeds;
    std::uint64_t base = 0; // the base seeds are functions of it
    Interval margin{0.9, 1.1};
    double level = 0.05; // of a single wrong "within" in the family
    double power = 0.95; // of the whole family passing if every bit is ideal
};

struct SeedRepeat {
    std::size_t row = 0;
    int bit = 0;                                // of the seed
    std::int64_t seeds = 0;                     // fresh ones
    double ratio = 0, low = 0, high = 0;        // of the fresh seeds alone, as in SeedRow
    BitVerdict verdict = BitVerdict::undecided; // replaces the first one
};

struct SeedReport {
    SeedSettings settings;
    std::int64_t seeds = 0;  // base seeds used, without those of repeats
    std::int64_t needed = 0; // by the power of the family, from the spread of the pilot; 0: none
    double variation = 0;    // the largest of a judged row, as `needed` takes it
    std::int64_t runs = 0;   // of the subject, without those of a pilot's estimate
    SeedRows found;
    std::vector<SeedRepeat> repeats;
    std::vector<ControlResult> controls;
    RandomNumbers random_numbers;
    std::vector<std::string> unmet; // requirements, a sentence each without a full stop

    bool met() const noexcept { return unmet.empty(); }
};

struct SeedPlan {
    std::string what;         // "16 base seeds, whose spread tells how many more are needed"
    std::int64_t runs = 0;    // still to be done
    double seconds_a_run = 0; // as measured
    Device device;
    int threads = 1;
};

// How a measurement is watched and kept. Calls come on any thread, one at a time.
struct SeedHooks {
    std::function<void(const SeedPlan &)> plan{}; // before each part
    std::function<void(const char *part, std::int64_t done, std::int64_t runs)> progress{};
    std::function<void(const SeedSample &)> keep{}; // each new one
    std::vector<SeedSample> known{}; // of an earlier measurement with equal settings and subject
};

// `options.threads` runs go beside each other, each on one thread; an automatic device is chosen
// for all of them. The numbers are the same for every number of threads and every device. Throws
// Error(invalid_argument), Error(cancelled) and what the subject throws.
SeedReport measure_seeds(const Subject &subject, const SeedSettings &settings,
                         const Options &options, const SeedHooks &hooks = {});

// The same with the random numbers and the controls. Throws Error(requirement_failed) if a control
// does not turn out as it should: then the instrument is broken, and says nothing.
SeedReport measure_seed_sensitivity(const Subject &subject, const SeedSettings &settings,
                                    const Options &options, const SeedHooks &hooks = {});

// Throws Error(requirement_failed) that names what is not met.
void require_met(const SeedReport &report);

} // namespace karst::lab
