// A second Physarum in three dimensions, written from docs/determinism.md alone and as plainly as
// can be: division where the rules shift, doubles where they are exact, one loop for each sentence.
// Only the random numbers (which have known answers of their own) are shared with karst.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/rng.hpp"
#include "sim/physarum.hpp"

namespace karst::test {

class Physarum3Reference {
public:
    Physarum3Reference(const Physarum3Params &params, const rules::Physarum3Rule &rule)
        : params_(params), rule_(rule) {}

    void step(sim::Physarum3State &state) const {
        const Field3D<std::uint32_t> old = state.trail;
        Field3D<std::uint32_t> deposits(old.extent());
        for (std::size_t i = 0; i < state.agents.size(); ++i) {
            move(old, deposits, state.step, state.ids[i], state.agents[i]);
        }
        const auto deposit = static_cast<std::uint64_t>(std::llround(params_.deposit * 65536));
        const std::uint64_t share =
            std::min(static_cast<std::uint64_t>(std::llround(params_.retain / 27 * 4294967296.0)),
                     std::uint64_t{159072862});
        for (std::int64_t z = 0; z < old.depth(); ++z) {
            for (std::int64_t y = 0; y < old.height(); ++y) {
                for (std::int64_t x = 0; x < old.width(); ++x) {
                    std::uint64_t sum = 0;
                    for (int k = 0; k < 27; ++k) {
                        const Place p{x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1};
                        const std::uint64_t folded = read(old, p) + deposit * read(deposits, p);
                        sum += folded > 4294967295u ? 4294967295u : folded;
                    }
                    state.trail.at(x, y, z) = static_cast<std::uint32_t>(sum * share / 4294967296u);
                    if (!state.birth_time.empty() && state.birth_time.at(x, y, z) == 0 &&
                        deposits.at(x, y, z) > 0) {
                        state.birth_time.at(x, y, z) = static_cast<std::uint16_t>(state.step + 1);
                    }
                }
            }
        }
        ++state.step;
    }

private:
    using Place = std::array<std::int64_t, 3>;  // by column, row and plane, or 2^-16 of them
    using Vector = std::array<std::int64_t, 3>; // Q14

    static std::int64_t modulo(std::int64_t a, std::int64_t n) { return ((a % n) + n) % n; }
    // Half away from zero.
    static std::int64_t divided(std::int64_t a, std::int64_t n) {
        return a < 0 ? -((-a + n / 2) / n) : (a + n / 2) / n;
    }

    static Place sides(const Field3D<std::uint32_t> &field) {
        return {field.width(), field.height(), field.depth()};
    }

    // Outside a bounded field 0.
    std::uint64_t read(const Field3D<std::uint32_t> &field, Place p) const {
        for (std::size_t i = 0; i < 3; ++i) {
            if (params_.boundary == Boundary::torus) {
                p[i] = modulo(p[i], sides(field)[i]);
            } else if (p[i] < 0 || p[i] >= sides(field)[i]) {
                return 0;
            }
        }
        return field.at(p[0], p[1], p[2]);
    }

    struct Angle {
        std::int64_t cosine, sine; // Q14
    };
    static Angle angle(std::int64_t index) { // of 4096 a turn
        const double radians = static_cast<double>(index) * (2 * std::numbers::pi / 4096);
        return {std::llround(std::cos(radians) * 16384), std::llround(std::sin(radians) * 16384)};
    }
    static Angle of_degrees(double degrees) {
        return angle((std::lround(degrees / 360 * 65536) + 8) / 16);
    }

    // a cos + b sin in Q28.
    static Vector mix(const Vector &a, const Vector &b, Angle by) {
        Vector sum;
        for (std::size_t i = 0; i < 3; ++i) {
            sum[i] = a[i] * by.cosine + b[i] * by.sine;
        }
        return sum;
    }
    static Vector q14(Vector v) {
        for (std::int64_t &component : v) {
            component = divided(component, 16384);
        }
        return v;
    }
    static Vector minus(const Vector &v) { return {-v[0], -v[1], -v[2]}; }
    static std::int64_t dot(const Vector &a, const Vector &b) {
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    }
    static Vector cross(const Vector &a, const Vector &b) {
        return q14(
            {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]});
    }
    static Vector unit(Vector v) {
        const Vector short_v = q14(v);
        for (std::int64_t &component : v) {
            component =
                divided(component * (3 * 268435456 - dot(short_v, short_v)), std::int64_t{1} << 43);
        }
        return v;
    }

    struct Pose {
        Vector front, up;
    };
    static Pose turn(const Pose &pose, const Vector &radial, Angle by) {
        const Vector front = unit(mix(pose.front, radial, by));
        Vector up = mix(radial, minus(pose.front), by);
        const std::int64_t lean = dot(q14(up), front);
        for (std::size_t i = 0; i < 3; ++i) {
            up[i] -= divided(front[i] * lean, 16384);
        }
        return {front, unit(up)};
    }

    static Place moved(Place from, const Vector &direction, double length) {
        for (std::size_t i = 0; i < 3; ++i) {
            from[i] += divided(direction[i] * std::llround(length * 65536), 16384);
        }
        return from;
    }
    static Place cell(Place p) {
        for (std::int64_t &v : p) {
            v = (v - modulo(v, 65536)) / 65536;
        }
        return p;
    }

    void move(const Field3D<std::uint32_t> &trail, Field3D<std::uint32_t> &deposits,
              std::uint32_t step, std::uint64_t id, rules::Agent3 &agent) const {
        const core::Draw4 draw = core::draw_of(rule_.seed, id, step, rule_.agent_use);
        Place at{};
        Pose pose;
        for (std::size_t i = 0; i < 3; ++i) {
            at[i] = (agent.cell[i] - std::int64_t{rule_.origin[i]}) * 65536 + agent.fraction[i];
            pose.front[i] = agent.frame.front.axis[i];
            pose.up[i] = agent.frame.up.axis[i];
        }
        const auto radial = [&](std::int64_t azimuth) {
            return q14(mix(pose.up, cross(pose.front, pose.up), angle(azimuth)));
        };
        const auto look = [&](const Vector &direction) {
            return read(trail, cell(moved(at, direction, params_.sensor_offset)));
        };
        const std::int64_t roll = draw.word[0] / 1048576;
        std::uint64_t best = look(pose.front);
        int towards = -1;
        for (int k = 0; k < 4; ++k) {
            const std::uint64_t reading = look(
                q14(mix(pose.front, radial(roll + 1024 * k), of_degrees(params_.sensor_angle))));
            if (reading > best) {
                best = reading;
                towards = k;
            }
        }
        if (towards >= 0) {
            pose = turn(pose, radial(roll + 1024 * towards), of_degrees(params_.rotation_angle));
        }
        const Place target = moved(at, pose.front, params_.step_size);
        Place to = cell(target);
        bool inside = true;
        for (std::size_t i = 0; i < 3; ++i) {
            if (params_.boundary == Boundary::torus) {
                to[i] = modulo(to[i], sides(trail)[i]);
            }
            inside = inside && to[i] >= 0 && to[i] < sides(trail)[i];
        }
        if (inside) {
            ++deposits.at(to[0], to[1], to[2]);
        } else {
            const std::int64_t cosine = divided(2 * std::int64_t{draw.word[2] / 65536} - 65535, 4);
            const auto sine =
                std::llround(std::sqrt(static_cast<double>(268435456 - cosine * cosine)));
            pose = turn(pose, radial(draw.word[1] / 1048576), {cosine, sine});
        }
        for (std::size_t i = 0; i < 3; ++i) {
            if (inside) {
                agent.cell[i] = static_cast<std::int32_t>(rule_.origin[i] + to[i]);
                agent.fraction[i] = static_cast<std::uint16_t>(modulo(target[i], 65536));
            }
            agent.frame.front.axis[i] = static_cast<std::int16_t>(pose.front[i]);
            agent.frame.up.axis[i] = static_cast<std::int16_t>(pose.up[i]);
        }
    }

    Physarum3Params params_;
    rules::Physarum3Rule rule_;
};

} // namespace karst::test
