// What one agent of a Physarum simulation in three dimensions does in one step. Integers only;
// compiled for the host and for the device. Formats and roundings in docs/determinism.md.
//
// Jones's agent (Artificial Life 16(2), 2010) with its side sensors on a cone around its front, as
// in Elek et al. 2022 (Artificial Life 28(1), arXiv:2204.01256). Everything is computed in the
// agent's own frame by sums and products that round symmetrically, so that a world turned by any of
// the 24 rotations of the cube stays turned, random choices included.
#pragma once

#include <cstdint>

#include <karst/field.hpp>

#include "core/fixed.hpp"
#include "core/rng.hpp"
#include "rules/controls.hpp"
#include "rules/steering.hpp"
#include "rules/trail.hpp"

namespace karst::rules {

struct Vector3 {
    std::int16_t axis[3]; // x, y, z in Q1.14

    friend constexpr bool operator==(const Vector3 &, const Vector3 &) = default;
};

// A direction and, at a right angle to it, the one from which azimuths count. Both have length 1
// and their product is 0 to within 2^-13 after any number of turns.
struct Frame {
    Vector3 front;
    Vector3 up;

    friend constexpr bool operator==(const Frame &, const Frame &) = default;
};

// Positions are absolute: a whole cell and a 16-bit fraction an axis. 32 bytes.
struct alignas(16) Agent3 {
    std::int32_t cell[3];
    std::uint16_t fraction[3];
    Frame frame;

    friend constexpr bool operator==(const Agent3 &, const Agent3 &) = default;
};

struct Physarum3Rule : TrailRule {
    using Agent = Agent3;
    using Extent = Extent3;

    std::int32_t size[3] = {1, 1, 1};
    std::int32_t origin[3] = {}; // absolute cell of index 0
    core::Direction sensor_angle = {};
    core::Direction rotation_angle = {};
};

// Index of an absolute cell in the field, or -1 outside a bounded one.
KARST_HD constexpr std::int64_t cell_index(const Physarum3Rule &rule, std::int32_t x,
                                           std::int32_t y, std::int32_t z) {
    std::int32_t at[3] = {x - rule.origin[0], y - rule.origin[1], z - rule.origin[2]};
    for (int i = 0; i < 3; ++i) {
        if (rule.torus) {
            at[i] = core::wrapped(at[i], rule.size[i]);
        } else if (static_cast<std::uint32_t>(at[i]) >= static_cast<std::uint32_t>(rule.size[i])) {
            return -1;
        }
    }
    return (std::int64_t{at[2]} * rule.size[1] + at[1]) * rule.size[0] + at[0];
}

// a * cosine + b * sine in Q2.28, exact.
struct Wide3 {
    std::int32_t axis[3];
};

KARST_HD constexpr Wide3 combined(const Vector3 &a, const Vector3 &b, core::Direction angle) {
    Wide3 sum{};
    for (int i = 0; i < 3; ++i) {
        sum.axis[i] = a.axis[i] * angle.cosine + b.axis[i] * angle.sine;
    }
    return sum;
}

KARST_HD constexpr Vector3 rounded(const Wide3 &wide) {
    Vector3 v{};
    for (int i = 0; i < 3; ++i) {
        v.axis[i] = static_cast<std::int16_t>(core::rounded(wide.axis[i], 14));
    }
    return v;
}

KARST_HD constexpr Vector3 opposite(const Vector3 &v) {
    return {{static_cast<std::int16_t>(-v.axis[0]), static_cast<std::int16_t>(-v.axis[1]),
             static_cast<std::int16_t>(-v.axis[2])}};
}

// In Q2.28.
KARST_HD constexpr std::int32_t dot(const Vector3 &a, const Vector3 &b) {
    return a.axis[0] * b.axis[0] + a.axis[1] * b.axis[1] + a.axis[2] * b.axis[2];
}

KARST_HD constexpr Vector3 cross(const Vector3 &a, const Vector3 &b) {
    return rounded(Wide3{{a.axis[1] * b.axis[2] - a.axis[2] * b.axis[1],
                          a.axis[2] * b.axis[0] - a.axis[0] * b.axis[2],
                          a.axis[0] * b.axis[1] - a.axis[1] * b.axis[0]}});
}

// A vector of nearly length 1 brought to length 1 by one step of Newton's iteration for the inverse
// square root, v (3 - v.v) / 2: an error e of the length becomes 3/2 e^2, and e is below 2^-11.
KARST_HD constexpr Vector3 normalised(const Wide3 &wide) {
    const Vector3 v = rounded(wide);
    const std::int64_t factor = 3 * (std::int64_t{1} << 28) - dot(v, v); // Q28, twice the factor
    Vector3 out{};
    for (int i = 0; i < 3; ++i) {
        out.axis[i] = static_cast<std::int16_t>(core::rounded(wide.axis[i] * factor, 43));
    }
    return out;
}

// The frame turned by `angle` from its front towards `radial`, which is at a right angle to it; its
// new up is the turned radial, made perpendicular to the new front (Gram and Schmidt).
KARST_HD constexpr Frame turned(const Frame &frame, const Vector3 &radial, core::Direction angle) {
    Frame out{};
    out.front = normalised(combined(frame.front, radial, angle));
    Wide3 up = combined(radial, opposite(frame.front), angle);
    const std::int64_t lean = dot(rounded(up), out.front); // Q28
    for (int i = 0; i < 3; ++i) {
        up.axis[i] -= static_cast<std::int32_t>(core::rounded(out.front.axis[i] * lean, 14));
    }
    out.up = normalised(up);
    return out;
}

// The direction at a right angle to the front at an azimuth, counted from up towards front x up.
KARST_HD constexpr Vector3 radial_at(const Frame &frame, core::Direction azimuth) {
    return rounded(combined(frame.up, cross(frame.front, frame.up), azimuth));
}

// The frame turned into a random direction, all equally likely: azimuth and cosine of the turn are
// uniform (Archimedes). `azimuth` and `height` are 32-bit draws.
KARST_HD constexpr Frame any_direction(const Frame &frame, std::uint32_t azimuth,
                                       std::uint32_t height, const core::Direction *directions) {
    const std::int64_t cosine =
        core::rounded(2 * static_cast<std::int64_t>(height >> 16) - 65535, 2);
    const std::uint32_t twice_sine =
        core::integer_sqrt(4 * static_cast<std::uint64_t>((1 << 28) - cosine * cosine));
    const core::Direction turn{static_cast<std::int16_t>(cosine),
                               static_cast<std::int16_t>((twice_sine + 1) / 2)};
    return turned(frame, radial_at(frame, directions[azimuth >> 20]), turn);
}

struct Point3 {
    std::int64_t axis[3]; // Q48.16 cells, absolute
};

// The point at `length` from the agent in a direction.
KARST_HD constexpr Point3 ahead(const Agent3 &agent, const Vector3 &direction,
                                std::uint32_t length) {
    Point3 point{};
    for (int i = 0; i < 3; ++i) {
        point.axis[i] = ((std::int64_t{agent.cell[i]} << core::kLengthBits) | agent.fraction[i]) +
                        core::scaled(direction.axis[i], length);
    }
    return point;
}

KARST_HD constexpr std::int64_t cell_index(const Physarum3Rule &rule, const Point3 &point) {
    return cell_index(rule, static_cast<std::int32_t>(point.axis[0] >> core::kLengthBits),
                      static_cast<std::int32_t>(point.axis[1] >> core::kLengthBits),
                      static_cast<std::int32_t>(point.axis[2] >> core::kLengthBits));
}

KARST_HD constexpr std::uint32_t sense(const Physarum3Rule &rule, const std::uint32_t *trail,
                                       const Agent3 &agent, const Vector3 &direction) {
    const std::int64_t index = cell_index(rule, ahead(agent, direction, rule.sensor_offset));
    return index < 0 ? 0 : trail[index];
}

// Side sensors, a quarter turn apart on the cone. The cone is rolled at random in every step, so
// that no plane through the front is preferred.
inline constexpr int kConeSensors = 4;

// The radial vector of side sensor i; the other two lie opposite of the first two.
struct Cone {
    Vector3 first;
    Vector3 second;

    KARST_HD constexpr Vector3 radial(int i) const {
        Vector3 v{};
        for (int k = 0; k < 3; ++k) {
            const int component = i % 2 == 0 ? first.axis[k] : second.axis[k];
            v.axis[k] = static_cast<std::int16_t>(i < 2 ? component : -component);
        }
        return v;
    }
};

// The side sensor towards which an agent turns by the rule's steering, or -1: straight on.
// Strongest is the side sensor that reads most, if it reads more than the front; of equal ones the
// first from the roll. `random` is the draw of the weighted choices.
KARST_HD constexpr int steer(const Physarum3Rule &rule, const std::uint32_t *trail,
                             const core::PowerTables &powers, const Agent3 &agent, const Cone &cone,
                             std::uint32_t random) {
    const auto look = [&](int i) {
        return sense(rule, trail, agent,
                     rounded(combined(agent.frame.front, cone.radial(i), rule.sensor_angle)));
    };
    const std::uint32_t front = sense(rule, trail, agent, agent.frame.front);
    if (rule.steering == Steering::sampled) {
        return sampled_turn(rule, powers, front, look(0), random) ? 0 : -1;
    }
    const std::uint32_t readings[1 + kConeSensors] = {front, look(0), look(1), look(2), look(3)};
    if (rule.steering == Steering::softmax) {
        return softmax_choice(rule, powers, readings, random) - 1;
    }
    int side = -1;
    std::uint32_t most = front;
    for (int i = 0; i < kConeSensors; ++i) {
        if (readings[1 + i] > most) {
            most = readings[1 + i];
            side = i;
        }
    }
    return side;
}

// The rule for an agent in its cell.
KARST_HD constexpr const Physarum3Rule &rule_for(const Physarum3Rule &rule, const NoControls &,
                                                 const Tables &, const Agent3 &) {
    return rule;
}
KARST_HD constexpr Physarum3Rule rule_for(const Physarum3Rule &rule, const Controls &controls,
                                          const Tables &tables, const Agent3 &agent) {
    const std::int64_t cell = cell_index(rule, agent.cell[0], agent.cell[1], agent.cell[2]);
    Physarum3Rule here = rule;
    set_lengths(here, controls, cell);
    if (controls.sensor_angle != nullptr) {
        here.sensor_angle = tables.directions[core::direction_index(controls.sensor_angle[cell])];
    }
    if (controls.rotation_angle != nullptr) {
        here.rotation_angle =
            tables.directions[core::direction_index(controls.rotation_angle[cell])];
    }
    return here;
}

// Senses, turns and moves. Returns the index of the cell that gets the agent's deposit, or -1 if
// the agent was blocked by the border or a wall: it then stays, does not deposit and draws a new
// direction. Of the step's draw, word 0 is the roll, words 1 and 2 are the new direction, word 3 is
// for steering.
template <class AnyControls = NoControls>
KARST_HD inline std::int64_t move_agent(const Physarum3Rule &everywhere, const std::uint32_t *trail,
                                        const Tables &tables, std::uint64_t id, std::uint32_t step,
                                        Agent3 &agent, const AnyControls &controls = {}) {
    const auto &rule = rule_for(everywhere, controls, tables, agent);
    const core::Draw4 draw = core::draw_of(rule.seed, id, step, rule.agent_use);
    const core::Direction roll = tables.directions[draw.word[0] >> 20];
    const core::Direction quarter{static_cast<std::int16_t>(-roll.sine), roll.cosine};
    const Cone cone{radial_at(agent.frame, roll), radial_at(agent.frame, quarter)};
    const int side = steer(rule, trail, *tables.powers, agent, cone, draw.word[3]);
    if (side >= 0) {
        agent.frame = turned(agent.frame, cone.radial(side), rule.rotation_angle);
    }

    const Point3 target = ahead(agent, agent.frame.front, rule.step_size);
    const std::int64_t index = cell_index(rule, target);
    if (index < 0 || is_wall(controls, index)) {
        agent.frame = any_direction(agent.frame, draw.word[1], draw.word[2], tables.directions);
        return -1;
    }
    for (int i = 0; i < 3; ++i) {
        const auto cell = static_cast<std::int32_t>(target.axis[i] >> core::kLengthBits);
        agent.cell[i] =
            rule.torus ? rule.origin[i] + core::wrapped(cell - rule.origin[i], rule.size[i]) : cell;
        agent.fraction[i] = static_cast<std::uint16_t>(target.axis[i] & 0xffff);
    }
    return index;
}

} // namespace karst::rules
