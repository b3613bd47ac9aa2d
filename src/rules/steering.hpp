// The two random laws by which an agent of Physarum may turn, in fixed point. Integers only.
//
// sampled: of the front and one side sensor, with weights d^s (Elek et al. 2022, Artificial Life
// 28(1), arXiv:2204.01256: it turns with probability d1^s / (d0^s + d1^s)).
// softmax: of all sensors, with weights e^(s d).
// Weights are relative to that of the largest reading, so that none overflows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/powers.hpp"
#include "rules/trail.hpp"

namespace karst::rules {

// The index of a weight, each as likely as its share: `draw` is uniform in 32 bits. The weights are
// at most 1 in Q28, one of them is 1, and there are at most 15.
template <std::size_t N>
KARST_HD constexpr int pick(const std::uint32_t (&weights)[N], std::uint32_t draw) {
    std::uint64_t total = 0;
    for (const std::uint32_t weight : weights) {
        total += weight;
    }
    const std::uint64_t at = (total * draw) >> 32;
    std::uint64_t below = 0;
    int index = 0; // as many as have their share below; no loop that depends on the weights
    for (std::size_t i = 0; i + 1 < N; ++i) {
        below += weights[i];
        index += at >= below ? 1 : 0;
    }
    return index;
}

// Whether an agent that reads `front` and `side` turns to the side. Where there is no trail it goes
// straight on, unless s is 0: then every choice is a fair coin.
KARST_HD constexpr bool sampled_turn(const TrailRule &rule, const core::PowerTables &tables,
                                     std::uint32_t front, std::uint32_t side, std::uint32_t draw) {
    if (side == 0 && rule.sharpness != 0) {
        return false;
    }
    const std::uint32_t most = front > side ? front : side;
    const auto weight = [&](std::uint32_t reading) -> std::uint32_t {
        if (rule.sharpness == 0) {
            return 1u << core::kPowerBits;
        }
        if (reading == 0) {
            return 0;
        }
        const std::uint64_t less =
            core::logarithm(tables, most) - core::logarithm(tables, reading); // Q26, below 2^31
        return core::power_of_half(tables, (less * rule.sharpness) >> 24);
    };
    const std::uint32_t weights[2] = {weight(front), weight(side)};
    return pick(weights, draw) == 1;
}

// The index of the reading that an agent follows.
template <std::size_t N>
KARST_HD constexpr int softmax_choice(const TrailRule &rule, const core::PowerTables &tables,
                                      const std::uint32_t (&readings)[N], std::uint32_t draw) {
    std::uint32_t most = 0;
    for (const std::uint32_t reading : readings) {
        most = reading > most ? reading : most;
    }
    std::uint32_t weights[N] = {};
    for (std::size_t i = 0; i < N; ++i) {
        const std::uint64_t less = most - readings[i]; // Q16.16, times Q8.24 is Q40 below 2^63
        weights[i] = core::power_of_half(tables, (less * rule.sharpness) >> 14);
    }
    return pick(weights, draw);
}

} // namespace karst::rules
