#include "lab/random_numbers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <string>

#include <karst/error.hpp>

#include "core/run.hpp"
#include "lab/distributions.hpp"
#include "lab/draws.hpp"

namespace karst::lab {

namespace {

constexpr double kLeastChance = 1.0 / (1 << 20); // SMHasher3 fails at this and below
constexpr int kBlock = 64;                       // samples, one a bit of a word
constexpr std::size_t kPairs = kDrawBits * (kDrawBits - 1) / 2;

// Of one seed bit: how often each output flips, and each two of them at once.
struct Counts {
    std::array<std::int64_t, kDrawBits> flips{};
    std::array<std::int64_t, kPairs> both{}; // (0, 1), (0, 2), ... (126, 127)
};
using AllCounts = std::array<Counts, kSeedBits>;

// Word j has in bit k whether output j differs in sample k.
using Columns = std::array<std::uint64_t, kDrawBits>;

struct Trial {
    std::uint64_t seed;
    std::int32_t x, y;
};

Trial trial_of(std::int64_t sample) {
    const core::Draw4 draw =
        core::philox4x32(static_cast<std::uint32_t>(sample), 0, 0, use(slot_trial), 0);
    return {draw.word[0] | (std::uint64_t{draw.word[1]} << 32),
            static_cast<std::int32_t>(draw.word[2] >> 16),
            static_cast<std::int32_t>(draw.word[3] >> 16)};
}

core::Draw4 spawn_draw(std::uint64_t seed, const Trial &trial) {
    return core::draw_at(seed, trial.x, trial.y, 0, core::use(core::stage_physarum_spawn));
}

Columns flipped(std::int64_t first_sample, int bit) {
    Columns columns{};
    for (int k = 0; k < kBlock; ++k) {
        const Trial trial = trial_of(first_sample + k);
        const core::Draw4 one = spawn_draw(trial.seed, trial);
        const core::Draw4 other = spawn_draw(trial.seed ^ (std::uint64_t{1} << bit), trial);
        for (int j = 0; j < kDrawBits; ++j) {
            const std::uint32_t differs = one.word[j / 32] ^ other.word[j / 32];
            columns[static_cast<std::size_t>(j)] |= std::uint64_t{(differs >> (j % 32)) & 1} << k;
        }
    }
    return columns;
}

void add(const Columns &columns, Counts &counts) {
    std::size_t pair = 0;
    for (std::size_t j = 0; j < kDrawBits; ++j) {
        counts.flips[j] += std::popcount(columns[j]);
        for (std::size_t k = j + 1; k < kDrawBits; ++k) {
            counts.both[pair++] += std::popcount(columns[j] & columns[k]);
        }
    }
}

// The chance that the largest of `cells` numbers |z| is as large, two-sided; at most 1.
double chance_of_worst(double z, double cells) {
    return std::min(1.0, 2 * normal_tail(z) * cells);
}

void find_worst_bias(RandomNumbers &result) {
    const auto n = static_cast<double>(result.samples);
    for (int bit = 0; bit < kSeedBits; ++bit) {
        for (int j = 0; j < kDrawBits; ++j) {
            const auto count = static_cast<double>(
                result.flips[static_cast<std::size_t>(bit)][static_cast<std::size_t>(j)]);
            const double bias = std::abs(2 * count / n - 1);
            if (bias > result.worst_bias) {
                result.worst_bias = bias;
                result.worst_bit = bit;
                result.worst_output = j;
            }
        }
    }
    result.worst_p =
        chance_of_worst(result.worst_bias * std::sqrt(n), double{kSeedBits} * kDrawBits);
}

void find_worst_correlation(const AllCounts &counts, RandomNumbers &result) {
    const auto n = static_cast<double>(result.samples);
    for (std::size_t bit = 0; bit < kSeedBits; ++bit) {
        const Counts &its = counts[bit];
        std::size_t pair = 0;
        for (std::size_t j = 0; j < kDrawBits; ++j) {
            const double a = static_cast<double>(its.flips[j]) / n;
            for (std::size_t k = j + 1; k < kDrawBits; ++k) {
                const double b = static_cast<double>(its.flips[k]) / n;
                const double both = static_cast<double>(its.both[pair++]) / n;
                const double spread = std::sqrt(a * (1 - a) * b * (1 - b));
                const double correlation = spread > 0 ? std::abs(both - a * b) / spread : 1;
                if (correlation > result.worst_correlation) {
                    result.worst_correlation = correlation;
                    result.correlation_bit = static_cast<int>(bit);
                    result.correlation_first = static_cast<int>(j);
                    result.correlation_second = static_cast<int>(k);
                }
            }
        }
    }
    result.correlation_p = chance_of_worst(result.worst_correlation * std::sqrt(n),
                                           static_cast<double>(kSeedBits * kPairs));
}

// Preneel's degrees; docs/sensitivity.md.
void find_degrees(RandomNumbers &result) {
    const auto n = static_cast<double>(result.samples);
    double never = 0;
    double avalanche = 0;
    double strict = 0;
    double flips = 0;
    for (const auto &row : result.flips) {
        double sum = 0;
        for (const std::int64_t count : row) {
            never += count == 0 ? 1 : 0;
            strict += std::abs(2 * static_cast<double>(count) / n - 1);
            sum += static_cast<double>(count);
        }
        avalanche += std::abs(2 * sum / n - kDrawBits);
        flips += sum;
    }
    constexpr double kCells = double{kSeedBits} * kDrawBits;
    result.completeness = 1 - never / kCells;
    result.avalanche = 1 - avalanche / kCells;
    result.strict_avalanche = 1 - strict / kCells;
    result.average_sensitivity = flips / n / kDrawBits;
}

} // namespace

bool RandomNumbers::met() const noexcept {
    return worst_p > kLeastChance && correlation_p > kLeastChance;
}

RandomNumbers measure_random_numbers(std::int64_t samples, const Options &options) {
    if (samples < kBlock || samples % kBlock != 0 || samples > std::int64_t{1} << 30) {
        throw Error(ErrorCode::invalid_argument, "the number of samples is " +
                                                     std::to_string(samples) +
                                                     "; allowed are multiples of 64 to 2^30");
    }
    Options own = options;
    own.progress = {};
    own.stages = nullptr;
    core::Run run(own);
    const auto counts = std::make_unique<AllCounts>();
    run.for_ranges(kSeedBits, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t bit = begin; bit < end; ++bit) {
            for (std::int64_t sample = 0; sample < samples; sample += kBlock) {
                run.check_cancel();
                add(flipped(sample, static_cast<int>(bit)),
                    (*counts)[static_cast<std::size_t>(bit)]);
            }
        }
    });
    RandomNumbers result;
    result.samples = samples;
    for (std::size_t bit = 0; bit < kSeedBits; ++bit) {
        result.flips[bit] = (*counts)[bit].flips;
    }
    find_worst_bias(result);
    find_worst_correlation(*counts, result);
    find_degrees(result);
    return result;
}

} // namespace karst::lab
