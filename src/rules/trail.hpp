// The trail of a Physarum simulation, in two and three dimensions: what one cell does in one step.
// Integers only; compiled for the host and for the device. Formats in docs/determinism.md.
//
// A step has two phases: every agent senses the old trail, turns, moves and adds 1 to the count of
// its cell; then every cell folds its count into the trail, takes the mean of its window of 3 cells
// an axis and keeps a fraction of it.
#pragma once

#include <cstdint>

#include <karst/config.hpp>
#include <karst/simulate.hpp>

#include "core/fixed.hpp"
#include "core/powers.hpp"

namespace karst::rules {

// What agents look up, in the memory of the machine that runs them.
struct Tables {
    const core::Direction *directions;
    const core::PowerTables *powers;
};

inline Tables host_tables() {
    return {core::directions().data(), &core::power_tables()};
}

// The parameters that both rules have, quantised once on the host.
struct TrailRule {
    std::uint64_t seed = 0;
    std::uint32_t agent_use = 0;     // core::use of this network's agents
    std::uint32_t sensor_offset = 0; // Q16.16 cells
    std::uint32_t step_size = 0;     // Q16.16 cells
    std::uint32_t deposit = 0;       // trail units of 2^-16
    std::uint32_t retain_share = 0;  // Q0.32: retain divided by the cells of a window
    std::uint32_t sharpness = 0;     // Q8.24: s of rules/steering.hpp; of softmax s / ln 2 a unit
    Steering steering = Steering::strongest;
    bool torus = true;
};

// The trail of a cell with this step's deposits, saturated.
KARST_HD constexpr std::uint32_t fold(std::uint32_t trail, std::uint32_t count,
                                      std::uint32_t deposit) {
    const std::uint64_t sum = trail + std::uint64_t{count} * deposit;
    return sum > 0xffffffffu ? 0xffffffffu : static_cast<std::uint32_t>(sum);
}

// What a cell keeps of the sum of its window: floor(window * retain / cells). The product fits 64
// bits, since window <= cells (2^32 - 1) and cells * retain_share < 2^32.
KARST_HD constexpr std::uint32_t diffuse_decay(std::uint64_t window, std::uint32_t retain_share) {
    return static_cast<std::uint32_t>((window * retain_share) >> 32);
}

// The birth time of a cell after this step (0 = first): the step, from 1, of its first deposit.
KARST_HD constexpr std::uint16_t birth_time(std::uint16_t birth, std::uint32_t count,
                                            std::uint32_t step) {
    if (birth != 0 || count == 0) {
        return birth;
    }
    return step >= 65534 ? 65535 : static_cast<std::uint16_t>(step + 1);
}

} // namespace karst::rules
