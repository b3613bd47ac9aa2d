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

enum class Turn { none, left, right, random };

// Left is towards smaller headings. Random when both sides read more than the front (Jones 2010),
// or towards the larger of them (Jones and Adamatzky 2012, arXiv:1212.0023, figure 1b).
KARST_HD constexpr Turn choose_turn(std::uint32_t front, std::uint32_t left, std::uint32_t right,
                                    bool to_larger) {
    // Without branches: neighbouring agents decide differently.
    const bool none = (front > left) & (front > right);
    const bool random = (front < left) & (front < right) & !to_larger;
    const Turn side = left < right ? Turn::right : right < left ? Turn::left : Turn::none;
    return none ? Turn::none : random ? Turn::random : side;
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

// A place in Q.16 cells an axis. Absolute ones need 64 bits; an engine that counts from a corner
// near the agent does with 32.
template <class Coordinate>
struct Point {
    Coordinate x;
    Coordinate y;
};

// core::scaled for lengths below 2^31, in 32 bits: whole quarters of a cell need no rounding, and
// most lengths have nothing else.
KARST_HD constexpr std::int32_t scaled_32(std::int16_t component, std::uint32_t length) {
    const auto quarters = static_cast<std::int32_t>(length >> 14);
    const auto rest = static_cast<std::int32_t>(length & 0x3fff);
    const std::int32_t whole = component * quarters;
    return rest == 0 ? whole : whole + core::rounded(component * rest, 14);
}

// The point at `length` from another in the direction of `heading`.
template <class Coordinate>
KARST_HD constexpr Point<Coordinate> ahead(const Point<Coordinate> &from, std::uint16_t heading,
                                           std::uint32_t length,
                                           const core::Direction *directions) {
    const core::Direction direction = directions[core::direction_index(heading)];
    return {from.x + scaled_32(direction.cosine, length),
            from.y + scaled_32(direction.sine, length)};
}

// A ground is what an agent meets: `read(point)` is the trail there, 0 outside a bounded field, and
// `enter(point)` says whether an agent may move to a point. This one is the whole field in memory,
// with absolute points; engines that keep a part of it elsewhere have a type of their own.
template <class AnyControls>
struct WholeField {
    const PhysarumRule &rule;
    const std::uint32_t *trail;
    const AnyControls &controls;

    KARST_HD constexpr std::int64_t index(const Point<std::int64_t> &point) const {
        return cell_index(rule, static_cast<std::int32_t>(point.x >> core::kLengthBits),
                          static_cast<std::int32_t>(point.y >> core::kLengthBits));
    }
    KARST_HD constexpr std::uint32_t read(const Point<std::int64_t> &point) const {
        const std::int64_t cell = index(point);
        return cell < 0 ? 0 : trail[cell];
    }
    KARST_HD constexpr bool enter(const Point<std::int64_t> &point) const {
        const std::int64_t cell = index(point);
        return cell >= 0 && !is_wall(controls, cell);
    }
};

// What the sensor in the direction of `heading` reads.
template <class Ground, class Coordinate>
KARST_HD constexpr std::uint32_t sense(const PhysarumRule &rule, const Ground &ground,
                                       const Point<Coordinate> &from, std::uint16_t heading,
                                       const core::Direction *directions) {
    return ground.read(ahead(from, heading, rule.sensor_offset, directions));
}

// The turn of Steering::strongest; random where both sides are better and that decides.
template <class Ground, class Coordinate>
KARST_HD constexpr Turn steer_to_strongest(const PhysarumRule &rule, const Ground &ground,
                                           const core::Direction *directions,
                                           const Point<Coordinate> &from, std::uint16_t heading) {
    const auto look = [&](int angle) {
        return sense(rule, ground, from, static_cast<std::uint16_t>(heading + angle), directions);
    };
    const std::uint32_t front = look(0);
    const std::uint32_t left = look(-rule.sensor_angle);
    const std::uint32_t right = look(rule.sensor_angle);
    return choose_turn(front, left, right, rule.to_larger);
}

// Which side Turn::random is, by the step's draw.
KARST_HD constexpr Turn random_side(const core::Draw4 &draw) {
    return (draw.word[0] & 1u) != 0 ? Turn::right : Turn::left;
}

// Which way an agent turns by the rule's steering; `draw` gives the step's draw when asked. Word 0
// decides between two better sides, word 2 chooses the sampled side, word 3 draws by weights.
template <class Ground, class Coordinate, class Draw>
KARST_HD constexpr Turn steer(const PhysarumRule &rule, const Ground &ground, const Tables &tables,
                              const Point<Coordinate> &from, std::uint16_t heading, Draw &&draw) {
    if (rule.steering == Steering::strongest) {
        const Turn turn = steer_to_strongest(rule, ground, tables.directions, from, heading);
        return turn == Turn::random ? random_side(draw()) : turn;
    }
    const auto look = [&](int angle) {
        return sense(rule, ground, from, static_cast<std::uint16_t>(heading + angle),
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
    const std::uint32_t readings[3] = {front, look(-rule.sensor_angle), look(rule.sensor_angle)};
    const int choice = softmax_choice(rule, *tables.powers, readings, draw().word[3]);
    return choice == 0 ? Turn::none : choice == 1 ? Turn::left : Turn::right;
}

// Turns and moves. False if the way is blocked by the border or a wall: the agent then stays and
// draws a new heading (word 1).
template <class Ground, class Coordinate, class Draw>
KARST_HD constexpr bool follow(const PhysarumRule &rule, const Ground &ground, Turn turn,
                               const core::Direction *directions, Draw &&draw,
                               Point<Coordinate> &at, std::uint16_t &heading) {
    if (turn == Turn::left) {
        heading = static_cast<std::uint16_t>(heading - rule.rotation_angle);
    } else if (turn == Turn::right) {
        heading = static_cast<std::uint16_t>(heading + rule.rotation_angle);
    }
    const Point<Coordinate> target = ahead(at, heading, rule.step_size, directions);
    if (!ground.enter(target)) {
        heading = static_cast<std::uint16_t>(draw().word[1] >> 16);
        return false;
    }
    at = target;
    return true;
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
// the agent was blocked: it then does not deposit.
template <class AnyControls = NoControls>
KARST_HD inline std::int64_t move_agent(const PhysarumRule &everywhere, const std::uint32_t *trail,
                                        const Tables &tables, std::uint64_t id, std::uint32_t step,
                                        Agent &agent, const AnyControls &controls = {}) {
    const auto &rule = rule_for(everywhere, controls, tables, agent);
    const WholeField<AnyControls> ground{rule, trail, controls};
    const auto draw = [&] { return core::draw_of(rule.seed, id, step, rule.agent_use); };
    Point<std::int64_t> at{(std::int64_t{agent.x} << core::kLengthBits) | agent.fraction_x,
                           (std::int64_t{agent.y} << core::kLengthBits) | agent.fraction_y};
    const Turn turn = steer(rule, ground, tables, at, agent.heading, draw);
    if (!follow(rule, ground, turn, tables.directions, draw, at, agent.heading)) {
        return -1;
    }
    agent.x = static_cast<std::int32_t>(at.x >> core::kLengthBits);
    agent.y = static_cast<std::int32_t>(at.y >> core::kLengthBits);
    if (rule.torus) {
        agent.x = rule.origin_x + core::wrapped(agent.x - rule.origin_x, rule.width);
        agent.y = rule.origin_y + core::wrapped(agent.y - rule.origin_y, rule.height);
    }
    agent.fraction_x = static_cast<std::uint16_t>(at.x & 0xffff);
    agent.fraction_y = static_cast<std::uint16_t>(at.y & 0xffff);
    return ground.index(at);
}

} // namespace karst::rules
