// Avalanche of the random numbers themselves: each bit of the seed against each bit of a draw.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <karst/options.hpp>

namespace karst::lab {

inline constexpr int kSeedBits = 64;
inline constexpr int kDrawBits = 128;

// Of draws as agents are spawned by, at cells and seeds that are drawn themselves.
struct RandomNumbers {
    std::int64_t samples = 0;
    // How often flipping a seed bit flips a bit of the draw.
    std::array<std::array<std::int64_t, kDrawBits>, kSeedBits> flips{};
    // |2 a - 1| of the worst cell, a = flips / samples, and the chance that the worst of as many
    // ideal cells is as bad.
    double worst_bias = 0, worst_p = 1;
    int worst_bit = 0, worst_output = 0;
    double average_sensitivity = 0; // sum over seed bits of the mean share of flipped outputs: 32
    // Degrees of completeness, avalanche and strict avalanche, ideally 1.
    double completeness = 0, avalanche = 0, strict_avalanche = 0;
    // Bit independence: the largest |correlation| of two outputs' flips, and its chance likewise.
    double worst_correlation = 0, correlation_p = 1;
    int correlation_bit = 0, correlation_first = 0, correlation_second = 0;

    // Both chances above 2^-20, SMHasher3's bound.
    bool met() const noexcept;
};

// `samples` is a multiple of 64. The same numbers for every number of threads.
RandomNumbers measure_random_numbers(std::int64_t samples, const Options &options);

} // namespace karst::lab
