// What maps say about single cells of a Physarum simulation, in two and three dimensions.
// Integers only; compiled for the host and for the device.
#pragma once

#include <cstdint>

#include <karst/config.hpp>

#include "rules/trail.hpp"

namespace karst::rules {

// What a cell of Controls::walls is beside open, 0. Nothing enters either of them.
inline constexpr std::uint8_t kWall = 1;   // there is never trail
inline constexpr std::uint8_t kPinned = 2; // the trail stays what it is

// One value a cell, in the memory of the machine that reads it. Null: what the rule says counts
// everywhere. An agent moves and senses by the values of the cell in which it stands; what it
// deposits is a value of the cell that it reaches.
struct Controls {
    const std::uint8_t *walls = nullptr;         // 0, kWall or kPinned
    const std::int32_t *food = nullptr;          // trail units of 2^-16 that a step adds
    const std::uint16_t *sensor_angle = nullptr; // binary angles
    const std::uint16_t *rotation_angle = nullptr;
    const std::uint32_t *sensor_offset = nullptr; // Q16.16 cells
    const std::uint32_t *step_size = nullptr;     // Q16.16 cells
    const std::uint32_t *deposit = nullptr;       // trail units of 2^-16
    const std::uint32_t *retain_share = nullptr;  // Q0.32
};

// In its place, code for simulations without maps is what it would be if there were none.
struct NoControls {};

KARST_HD constexpr bool is_wall(const NoControls &, std::int64_t) {
    return false;
}
KARST_HD constexpr bool is_wall(const Controls &controls, std::int64_t cell) {
    return controls.walls != nullptr && controls.walls[cell] != 0;
}

// The rule's length values at a cell.
KARST_HD constexpr void set_lengths(TrailRule &rule, const Controls &controls, std::int64_t cell) {
    if (controls.sensor_offset != nullptr) {
        rule.sensor_offset = controls.sensor_offset[cell];
    }
    if (controls.step_size != nullptr) {
        rule.step_size = controls.step_size[cell];
    }
}

// The trail of a cell with this step's deposits and its food, saturated at both ends.
KARST_HD constexpr std::uint32_t fold_at(const TrailRule &rule, const NoControls &, std::int64_t,
                                         std::uint32_t trail, std::uint32_t count) {
    return fold(trail, count, rule.deposit);
}
KARST_HD constexpr std::uint32_t fold_at(const TrailRule &rule, const Controls &controls,
                                         std::int64_t cell, std::uint32_t trail,
                                         std::uint32_t count) {
    if (is_wall(controls, cell)) {
        return controls.walls[cell] == kPinned ? trail : 0;
    }
    const std::uint32_t deposit =
        controls.deposit != nullptr ? controls.deposit[cell] : rule.deposit;
    const std::int64_t food = controls.food != nullptr ? controls.food[cell] : 0;
    // A deposit is below 2^26: the sum fits 63 bits.
    const std::int64_t sum = static_cast<std::int64_t>(trail + std::uint64_t{count} * deposit);
    const std::int64_t fed = sum + food;
    return fed < 0 ? 0 : fed > 0xffffffff ? 0xffffffffu : static_cast<std::uint32_t>(fed);
}

// What a cell keeps of the sum of its window; `trail` is what it had before the step.
KARST_HD constexpr std::uint32_t diffuse_decay_at(const TrailRule &rule, const NoControls &,
                                                  std::int64_t, std::uint64_t window,
                                                  std::uint32_t) {
    return diffuse_decay(window, rule.retain_share);
}
KARST_HD constexpr std::uint32_t diffuse_decay_at(const TrailRule &rule, const Controls &controls,
                                                  std::int64_t cell, std::uint64_t window,
                                                  std::uint32_t trail) {
    if (is_wall(controls, cell)) {
        return controls.walls[cell] == kPinned ? trail : 0;
    }
    return diffuse_decay(window, controls.retain_share != nullptr ? controls.retain_share[cell]
                                                                  : rule.retain_share);
}

} // namespace karst::rules
