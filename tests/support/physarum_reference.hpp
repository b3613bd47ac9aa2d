// A second Physarum, written from the contract alone and as plainly as can be: doubles where they
// are exact, division where the rules shift, one loop for each sentence. Only the random numbers
// (which have known answers of their own) are shared with karst.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "core/rng.hpp"
#include "sim/physarum.hpp"

namespace karst::test {

class PhysarumReference {
public:
    PhysarumReference(const PhysarumParams &params, const rules::PhysarumRule &rule)
        : params_(params), rule_(rule) {}

    void step(sim::PhysarumState &state) const {
        const Field2D<std::uint32_t> old = state.trail;
        Field2D<std::uint32_t> deposits(old.extent());
        for (std::size_t i = 0; i < state.agents.size(); ++i) {
            move(old, deposits, state.step, state.ids[i], state.agents[i]);
        }
        const auto deposit = static_cast<std::uint64_t>(std::llround(params_.deposit * 65536));
        const auto ninth =
            static_cast<std::uint64_t>(std::llround(params_.retain / 9 * 4294967296.0));
        for (std::int64_t y = 0; y < old.height(); ++y) {
            for (std::int64_t x = 0; x < old.width(); ++x) {
                std::uint64_t sum = 0;
                for (std::int64_t v = y - 1; v <= y + 1; ++v) {
                    for (std::int64_t u = x - 1; u <= x + 1; ++u) {
                        const std::uint64_t folded =
                            read(old, u, v) + deposit * read(deposits, u, v);
                        sum += folded > 4294967295u ? 4294967295u : folded;
                    }
                }
                state.trail.at(x, y) = static_cast<std::uint32_t>(sum * ninth / 4294967296u);
                if (!state.birth_time.empty() && state.birth_time.at(x, y) == 0 &&
                    deposits.at(x, y) > 0) {
                    state.birth_time.at(x, y) = static_cast<std::uint16_t>(state.step + 1);
                }
            }
        }
        ++state.step;
    }

private:
    static std::int64_t modulo(std::int64_t a, std::int64_t n) { return ((a % n) + n) % n; }

    // By column and row; outside a bounded field 0.
    std::uint64_t read(const Field2D<std::uint32_t> &field, std::int64_t x, std::int64_t y) const {
        if (params_.boundary == Boundary::torus) {
            return field.at(modulo(x, field.width()), modulo(y, field.height()));
        }
        const bool inside = x >= 0 && y >= 0 && x < field.width() && y < field.height();
        return inside ? field.at(x, y) : 0;
    }

    // The offset, in 2^-16 cells, of the point at `length` cells along a heading.
    static std::pair<std::int64_t, std::int64_t> offset(int heading, double length) {
        const int index = (heading + 8) / 16 % 4096;
        const double angle = index * (2 * std::numbers::pi / 4096);
        const double units = static_cast<double>(std::llround(length * 65536));
        const auto component = [&](double value) {
            const auto q14 = static_cast<double>(std::llround(value * 16384));
            return std::llround(q14 * units / 16384); // exact up to the rounding, half away from 0
        };
        return {component(std::cos(angle)), component(std::sin(angle))};
    }

    void move(const Field2D<std::uint32_t> &trail, Field2D<std::uint32_t> &deposits,
              std::uint32_t step, std::uint64_t id, rules::Agent &agent) const {
        const std::int64_t x = (agent.x - std::int64_t{rule_.origin_x}) * 65536 + agent.fraction_x;
        const std::int64_t y = (agent.y - std::int64_t{rule_.origin_y}) * 65536 + agent.fraction_y;
        const auto cell = [](std::int64_t v) { return (v - modulo(v, 65536)) / 65536; };
        const auto angle = [](double degrees) {
            return static_cast<int>(std::lround(degrees / 360 * 65536));
        };
        const auto look = [&](int turn) {
            const auto [dx, dy] = offset(static_cast<int>(modulo(agent.heading + turn, 65536)),
                                         params_.sensor_offset);
            return read(trail, cell(x + dx), cell(y + dy));
        };
        const std::uint64_t front = look(0);
        const std::uint64_t left = look(-angle(params_.sensor_angle));
        const std::uint64_t right = look(angle(params_.sensor_angle));
        const core::Draw4 draw = core::draw_of(rule_.seed, id, step, rule_.agent_use);
        int turn = 0;
        if (front > left && front > right) {
            turn = 0;
        } else if (front < left && front < right && params_.both_sides == BothSides::random) {
            turn = draw.word[0] % 2 == 1 ? 1 : -1;
        } else {
            turn = (right > left) - (left > right);
        }
        const auto heading =
            static_cast<int>(modulo(agent.heading + turn * angle(params_.rotation_angle), 65536));
        agent.heading = static_cast<std::uint16_t>(heading);
        const auto [dx, dy] = offset(heading, params_.step_size);
        std::int64_t column = cell(x + dx);
        std::int64_t row = cell(y + dy);
        if (params_.boundary == Boundary::torus) {
            column = modulo(column, trail.width());
            row = modulo(row, trail.height());
        } else if (column < 0 || row < 0 || column >= trail.width() || row >= trail.height()) {
            agent.heading = static_cast<std::uint16_t>(draw.word[1] / 65536);
            return;
        }
        agent.x = static_cast<std::int32_t>(rule_.origin_x + column);
        agent.y = static_cast<std::int32_t>(rule_.origin_y + row);
        agent.fraction_x = static_cast<std::uint16_t>(modulo(x + dx, 65536));
        agent.fraction_y = static_cast<std::uint16_t>(modulo(y + dy, 65536));
        ++deposits.at(column, row);
    }

    PhysarumParams params_;
    rules::PhysarumRule rule_;
};

} // namespace karst::test
