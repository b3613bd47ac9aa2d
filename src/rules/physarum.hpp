// What one agent of a Physarum simulation in two dimensions does in one step. Integers only;
// compiled for the host and for the device. After Jones 2010 (Artificial Life 16(2)); formats in
// docs/determinism.md.
#pragma once

#include <cstdint>

#include <karst/field.hpp>

#include "core/fixed.hpp"
#include "core/rng.hpp"
#include "rules/controls.hpp"
#include "rules/steering.hpp"
#include "rules/trail.hpp"

namespace karst::rules {

// Positions are absolute: a whole cell and a 16-bit fraction an axis. A heading of 65536 would be
// one turn, from +x towards +y. 16 bytes, so that the device loads an agent at once.
struct alignas(16) Agent {
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::uint16_t fraction_x = 0;
    std::uint16_t fraction_y = 0;
    std::uint16_t heading = 0;

    friend constexpr bool operator==(const Agent &, const Agent &) = default;
};

struct PhysarumRule : TrailRule {
    using Agent = rules::Agent;
    using Extent = Extent2;

    std::int32_t width = 1;
    std::int32_t height = 1;
    std::int32_t origin_x = 0; // absolute cell of column 0
    std::int32_t origin_y = 0;
    std::uint16_t sensor_angle = 0; // binary angles
    std::uint16_t rotation_angle = 0;
    bool to_larger = false; // both sides better: to the larger instead of at random
};

enum class Turn : std::uint8_t { none, left, right, random };

// Left is towards smaller headings. Random when both sides read more than the front (Jones 2010),
// or towards the larger of them (Jones and Adamatzky 2012, arXiv:1212.0023, figure 1b).
KARST_HD constexpr Turn choose_turn(std::uint32_t front, std::uint32_t left, std::uint32_t right,
                                    bool to_larger) {
    if (front > left && front > right) {
        return Turn::none;
    }
    if (front < left && front < right && !to_larger) {
        return Turn::random;
    }
    if (left < right) {
        return Turn::right;
    }
    return right < left ? Turn::left : Turn::none;
}

// Index of an absolute cell in the row-major field, or -1 outside a bounded one.
KARST_HD constexpr std::int64_t cell_index(const PhysarumRule &rule, std::int32_t x,
                                           std::int32_t y) {
    const std::int32_t column = x - rule.origin_x;
    const std::int32_t row = y - rule.origin_y;
    if (rule.torus) {
        return std::int64_t{core::wrapped(row, rule.height)} * rule.width +
               core::wrapped(column, rule.width);
    }
    if (static_cast<std::uint32_t>(column) >= static_cast<std::uint32_t>(rule.width) ||
        static_cast<std::uint32_t>(row) >= static_cast<std::uint32_t>(rule.height)) {
        return -1;
    }
    return std::int64_t{row} * rule.width + column;
}

struct Point {
    std::int64_t x; // Q48.16 cells, absolute
    std::int64_t y;
};

// The point at `length` from the agent in the direction of `heading`.
KARST_HD constexpr Point ahead(const Agent &agent, std::uint16_t heading, std::uint32_t length,
                               const core::Direction *directions) {
    const core::Direction direction = directions[core::direction_index(heading)];
    const std::int64_t x = (std::int64_t{agent.x} << core::kLengthBits) | agent.fraction_x;
    const std::int64_t y = (std::int64_t{agent.y} << core::kLengthBits) | agent.fraction_y;
    return {x + core::scaled(direction.cosine, length), y + core::scaled(direction.sine, length)};
}

KARST_HD constexpr std::uint32_t sense(const PhysarumRule &rule, const std::uint32_t *trail,
                                       const Agent &agent, std::uint16_t heading,
                                       const core::Direction *directions) {
    const Point sensor = ahead(agent, heading, rule.sensor_offset, directions);
    const std::int64_t index =
        cell_index(rule, static_cast<std::int32_t>(sensor.x >> core::kLengthBits),
                   static_cast<std::int32_t>(sensor.y >> core::kLengthBits));
    return index < 0 ? 0 : trail[index];
}

// Which way an agent turns by the rule's steering; `draw` gives the step's draw when asked. Word 0
// decides between two better sides, word 2 chooses the sampled side, word 3 draws by weights.
template <class Draw>
KARST_HD constexpr Turn steer(const PhysarumRule &rule, const std::uint32_t *trail,
                              const Tables &tables, const Agent &agent, Draw &&draw) {
    const auto look = [&](int angle) {
        return sense(rule, trail, agent, static_cast<std::uint16_t>(agent.heading + angle),
                     tables.directions);
    };
    const std::uint32_t front = look(0);
    if (rule.steering == Steering::sampled) {
        const core::Draw4 random = draw();
        const bool right = (random.word[2] & 1u) != 0;
        const std::uint32_t side = look(right ? rule.sensor_angle : -rule.sensor_angle);
        if (!sampled_turn(rule, *tables.powers, front, side, random.word[3])) {
            return Turn::none;
        }
        return right ? Turn::right : Turn::left;
    }
    const std::uint32_t left = look(-rule.sensor_angle);
    const std::uint32_t right = look(rule.sensor_angle);
    if (rule.steering == Steering::softmax) {
        const std::uint32_t readings[3] = {front, left, right};
        const int choice = softmax_choice(rule, *tables.powers, readings, draw().word[3]);
        return choice == 0 ? Turn::none : choice == 1 ? Turn::left : Turn::right;
    }
    const Turn turn = choose_turn(front, left, right, rule.to_larger);
    if (turn != Turn::random) {
        return turn;
    }
    return (draw().word[0] & 1u) != 0 ? Turn::right : Turn::left;
}

// The rule for an agent in its cell.
KARST_HD constexpr const PhysarumRule &rule_for(const PhysarumRule &rule, const NoControls &,
                                                const Tables &, const Agent &) {
    return rule;
}
KARST_HD constexpr PhysarumRule rule_for(const PhysarumRule &rule, const Controls &controls,
                                         const Tables &, const Agent &agent) {
    const std::int64_t cell = cell_index(rule, agent.x, agent.y);
    PhysarumRule here = rule;
    set_lengths(here, controls, cell);
    if (controls.sensor_angle != nullptr) {
        here.sensor_angle = controls.sensor_angle[cell];
    }
    if (controls.rotation_angle != nullptr) {
        here.rotation_angle = controls.rotation_angle[cell];
    }
    return here;
}

// Senses, turns and moves. Returns the index of the cell that gets the agent's deposit, or -1 if
// the agent was blocked by the border or a wall: it then stays, does not deposit and draws a new
// heading (word 1).
template <class AnyControls = NoControls>
KARST_HD inline std::int64_t move_agent(const PhysarumRule &everywhere, const std::uint32_t *trail,
                                        const Tables &tables, std::uint64_t id, std::uint32_t step,
                                        Agent &agent, const AnyControls &controls = {}) {
    const auto &rule = rule_for(everywhere, controls, tables, agent);
    const auto draw = [&] { return core::draw_of(rule.seed, id, step, rule.agent_use); };
    const Turn turn = steer(rule, trail, tables, agent, draw);
    if (turn == Turn::left) {
        agent.heading = static_cast<std::uint16_t>(agent.heading - rule.rotation_angle);
    } else if (turn == Turn::right) {
        agent.heading = static_cast<std::uint16_t>(agent.heading + rule.rotation_angle);
    }

    const Point target = ahead(agent, agent.heading, rule.step_size, tables.directions);
    std::int32_t x = static_cast<std::int32_t>(target.x >> core::kLengthBits);
    std::int32_t y = static_cast<std::int32_t>(target.y >> core::kLengthBits);
    const std::int64_t index = cell_index(rule, x, y);
    if (index < 0 || is_wall(controls, index)) {
        agent.heading = static_cast<std::uint16_t>(draw().word[1] >> 16);
        return -1;
    }
    if (rule.torus) {
        x = rule.origin_x + core::wrapped(x - rule.origin_x, rule.width);
        y = rule.origin_y + core::wrapped(y - rule.origin_y, rule.height);
    }
    agent.x = x;
    agent.y = y;
    agent.fraction_x = static_cast<std::uint16_t>(target.x & 0xffff);
    agent.fraction_y = static_cast<std::uint16_t>(target.y & 0xffff);
    return index;
}

} // namespace karst::rules
