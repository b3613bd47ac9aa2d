// Networks that painted food makes, against geometry.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <doctest/doctest.h>

#include <karst/simulate.hpp>

#include "core/fixed.hpp"
#include "core/run.hpp"
#include "shape/shape.hpp"
#include "support/painted.hpp"
#include "support/thin_lines.hpp"

using namespace karst;
using test::Map;
using test::painted;

namespace {

constexpr double kPi = std::numbers::pi;

// Food points on a circle around the middle of a dish, whose rim is a wall.
struct Dish {
    static constexpr std::int64_t kSide = 160;
    static constexpr double kMiddle = kSide / 2.0;

    Dish(int points, double radius, double rim, double first_angle) {
        controls.food = Map({kSide, kSide});
        for (int i = 0; i < points; ++i) {
            const double angle = first_angle + i * 2 * kPi / points;
            const double x = kMiddle + radius * std::cos(angle);
            const double y = kMiddle + radius * std::sin(angle);
            foods.push_back(static_cast<std::int64_t>(y) * kSide + static_cast<std::int64_t>(x));
            for (std::int64_t k = 0; k < controls.food.size(); ++k) {
                if (std::hypot(static_cast<double>(k % kSide) + 0.5 - x,
                               static_cast<double>(k / kSide) + 0.5 - y) <= 2) {
                    controls.food[k] = 65535;
                }
            }
        }
        controls.walls = painted({kSide, kSide}, [&](auto x, auto y) {
            const double far = std::hypot(static_cast<double>(x) + 0.5 - kMiddle,
                                          static_cast<double>(y) + 0.5 - kMiddle);
            return far > radius + rim ? 1 : 0;
        });
    }

    Field2D<std::uint32_t> trail(const PhysarumParams &params, std::uint64_t seed) const {
        return simulate_physarum(params, controls, {kSide, kSide}, seed).trail;
    }

    // The lines between the food points where the trail is more than 0.14 of its 98 % quantile.
    test::ThinLines lines(core::Run &run, const Field2D<std::uint32_t> &trail) const {
        const auto soft = shape::box_blur(run, trail, 2, 2, Boundary::bounded);
        const auto strong = shape::quantile(run, soft, core::to_threshold(0.98));
        return test::ThinLines(shape::above(run, soft, static_cast<std::uint32_t>(strong * 0.14)),
                               foods);
    }

    PhysarumControls controls;
    std::vector<std::int64_t> foods;
};

// Agents with angles so wide draw a network together.
PhysarumParams wide_angles(std::int64_t agents, std::int64_t steps) {
    PhysarumParams params;
    params.sensor_angle = 60;
    params.rotation_angle = 60;
    params.retain = 0.8;
    params.food_strength = 100;
    params.agent_count = agents;
    params.steps = steps;
    return params;
}

int regions(core::Run &run, const Field2D<std::uint8_t> &mask, bool inverse) {
    shape::Mask own = mask;
    for (std::uint8_t &cell : own.cells()) {
        cell = (cell != 0) != inverse ? 1 : 0;
    }
    const auto kind = inverse ? shape::Connectivity::four : shape::Connectivity::eight;
    return static_cast<int>(shape::regions(run, own, kind, Boundary::bounded).regions.size());
}

} // namespace

// The shortest lines that join points meet three by three, at 120 degrees: Steiner trees. Jones's
// agents with wide angles draw a network together to them.
TEST_CASE("controls: lines between food points shrink to a Steiner tree") {
    struct Layout {
        int points;
        int junctions;
        double first_angle;
        double length; // over the circle's radius
    };
    const double root = std::sqrt(3.0);
    const Layout layouts[] = {{3, 1, -kPi / 2, root * root},                 // of sides sqrt(3)
                              {4, 2, kPi / 4, (1 + root) * std::sqrt(2.0)}}; // of sides sqrt(2)
    core::Run run{Options{}};
    PhysarumParams params = wide_angles(5000, 800);
    params.sensor_offset = 15;
    params.boundary = Boundary::bounded;
    constexpr double kRadius = 60;
    for (const Layout &layout : layouts) {
        CAPTURE(layout.points);
        const Dish dish(layout.points, kRadius, 20, layout.first_angle);
        for (std::uint64_t seed = 1; seed <= 2; ++seed) {
            CAPTURE(seed);
            const auto lines = dish.lines(run, dish.trail(params, seed));
            CHECK(regions(run, lines.bits(), false) == 1);
            CHECK(regions(run, lines.bits(), true) == 1); // no loop
            CHECK(lines.junctions() == layout.junctions);
            double around = 0; // each line twice
            for (std::size_t i = 0; i < dish.foods.size(); ++i) {
                around += lines.length(dish.foods[i], dish.foods[(i + 1) % dish.foods.size()]);
            }
            CHECK(around / 2 / kRadius == doctest::Approx(layout.length).epsilon(0.05));
        }
    }
}

TEST_CASE("controls: a network joins painted food through the gap of a wall") {
    Dish dish(2, 45, 15, 0);
    for (std::int64_t y = 65; y < Dish::kSide; ++y) {
        for (std::int64_t x = 78; x < 82; ++x) {
            dish.controls.walls.at(x, y) = 65535;
        }
    }
    core::Run run{Options{}};
    const PhysarumParams params = wide_angles(6000, 400);
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        CAPTURE(seed);
        const auto trail = dish.trail(params, seed);
        bool kept_out = true;
        for (std::int64_t i = 0; i < trail.size(); ++i) {
            kept_out = kept_out && (dish.controls.walls[i] == 0 || trail[i] == 0);
        }
        CHECK(kept_out);
        const auto lines = dish.lines(run, trail);
        const double way = lines.length(dish.foods[0], dish.foods[1]);
        const double shortest = 4 + 2 * std::hypot(43, 15); // over the wall's end
        CHECK(way > shortest * 0.98);
        CHECK(way < shortest * 1.25);
    }
}
