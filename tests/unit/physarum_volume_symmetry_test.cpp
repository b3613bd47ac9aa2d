// Turning and moving a whole volume turns and moves what becomes of it, exactly. All choices of an
// agent are made in its own frame, so this holds with every random number in play: rolls of the
// cone, random steering, and the new direction of a blocked agent.
#include <doctest/doctest.h>

#include <array>

#include "support/physarum.hpp"

using namespace karst;
using sim::EngineKind;
using test::difference;
using test::run_physarum;
using test::spawn_physarum;

namespace {

// Axis i of the image is axis `from[i]` of the original, backwards if `sign[i]` is -1.
struct Rotation {
    std::array<int, 3> from;
    std::array<int, 3> sign;
};

std::vector<Rotation> cube_rotations() {
    std::vector<Rotation> all;
    const std::array<int, 3> orders[] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                         {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
    for (int o = 0; o < 6; ++o) {
        const int parity = o < 3 ? 1 : -1;
        for (int bits = 0; bits < 8; ++bits) {
            const std::array<int, 3> sign{bits & 1 ? -1 : 1, bits & 2 ? -1 : 1, bits & 4 ? -1 : 1};
            if (sign[0] * sign[1] * sign[2] == parity) { // else a mirror
                all.push_back({orders[o], sign});
            }
        }
    }
    return all;
}

Extent3 turned(const Rotation &r, Extent3 extent) {
    const std::int64_t sides[3] = {extent.width, extent.height, extent.depth};
    return {sides[r.from[0]], sides[r.from[1]], sides[r.from[2]]};
}

rules::Vector3 turned(const Rotation &r, const rules::Vector3 &v) {
    rules::Vector3 out{};
    for (std::size_t i = 0; i < 3; ++i) {
        out.axis[i] = static_cast<std::int16_t>(r.sign[i] * v.axis[r.from[i]]);
    }
    return out;
}

sim::Physarum3State turned(const Rotation &r, const sim::Physarum3State &state) {
    const Extent3 from = state.trail.extent();
    const std::int64_t sides[3] = {from.width, from.height, from.depth};
    sim::Physarum3State out;
    out.step = state.step;
    out.ids = state.ids;
    out.trail = Field3D<std::uint32_t>(turned(r, from));
    out.birth_time = Field3D<std::uint16_t>(turned(r, from));
    for (std::int64_t i = 0; i < state.trail.size(); ++i) {
        const std::int64_t at[3] = {i % from.width, i / from.width % from.height,
                                    i / from.width / from.height};
        std::int64_t to[3];
        for (std::size_t k = 0; k < 3; ++k) {
            const int axis = r.from[k];
            to[k] = r.sign[k] > 0 ? at[axis] : sides[axis] - 1 - at[axis];
        }
        out.trail.at(to[0], to[1], to[2]) = state.trail[i];
        out.birth_time.at(to[0], to[1], to[2]) = state.birth_time[i];
    }
    for (const rules::Agent3 &agent : state.agents) {
        rules::Agent3 image{};
        for (std::size_t k = 0; k < 3; ++k) {
            const int axis = r.from[k];
            const std::int64_t p = std::int64_t{agent.cell[axis]} * 65536 + agent.fraction[axis];
            const std::int64_t q = r.sign[k] > 0 ? p : sides[axis] * 65536 - 1 - p;
            image.cell[k] = static_cast<std::int32_t>(q / 65536);
            image.fraction[k] = static_cast<std::uint16_t>(q % 65536);
        }
        image.frame = {turned(r, agent.frame.front), turned(r, agent.frame.up)};
        out.agents.push_back(image);
    }
    return out;
}

Physarum3Params params_for(Boundary boundary) {
    Physarum3Params params;
    params.boundary = boundary;
    // Odd multiples of 1/8 cell: half of all products with a direction lie between two units.
    params.sensor_offset = 3.375;
    params.step_size = 1.125;
    params.agent_density = 0.4;
    params.birth_time = true;
    return params;
}

} // namespace

TEST_CASE("physarum volume: the 24 rotations of the cube") {
    REQUIRE(cube_rotations().size() == 24);
    const Extent3 extent{13, 10, 12};
    for (const Boundary boundary : {Boundary::torus, Boundary::bounded}) {
        for (const auto steering : {Steering::strongest, Steering::sampled, Steering::softmax}) {
            auto params = params_for(boundary);
            params.steering = steering;
            params.sharpness = steering == Steering::softmax ? 0.2 : 3;
            const auto rule = sim::quantise(params, extent, 17);
            const auto start = spawn_physarum(params, rule);
            const auto end = run_physarum(start, rule, 20, EngineKind::plain);
            CHECK(difference(end, start) != "");
            for (const Rotation &r : cube_rotations()) {
                const auto other = sim::quantise(params, turned(r, extent), 17);
                const auto image = run_physarum(turned(r, start), other, 20, EngineKind::fast);
                CHECK(difference(turned(r, end), image) == "");
            }
        }
    }
}

TEST_CASE("physarum volume: a shift on the torus shifts the result, wherever the window lies") {
    const auto params = params_for(Boundary::torus);
    const Extent3 extent{11, 9, 10};
    const std::int32_t sides[3] = {11, 9, 10};
    const auto rule = sim::quantise(params, extent, 9);
    const auto start = spawn_physarum(params, rule);
    const auto shifted = [&](const sim::Physarum3State &state, Cell3 origin, Cell3 by) {
        const std::int32_t to[3] = {origin.x, origin.y, origin.z};
        const std::int32_t step[3] = {by.x, by.y, by.z};
        sim::Physarum3State out = state;
        const auto place = [&](std::int64_t absolute, std::size_t axis) {
            return core::wrapped(static_cast<std::int32_t>(absolute) + step[axis] - to[axis],
                                 sides[axis]);
        };
        for (std::int64_t i = 0; i < state.trail.size(); ++i) {
            const std::int64_t x = place(i % 11, 0), y = place(i / 11 % 9, 1), z = place(i / 99, 2);
            out.trail.at(x, y, z) = state.trail[i];
            out.birth_time.at(x, y, z) = state.birth_time[i];
        }
        for (rules::Agent3 &agent : out.agents) {
            for (std::size_t k = 0; k < 3; ++k) {
                agent.cell[k] = to[k] + place(agent.cell[k], k);
            }
        }
        return out;
    };
    const auto end = run_physarum(start, rule, 33, EngineKind::plain);
    for (const Cell3 origin : {Cell3{}, Cell3{-1000, 999, 7}, Cell3{100000, -100000, 131072}}) {
        const auto other = sim::quantise(params, extent, 9, 0, origin);
        for (const Cell3 by : {Cell3{0, 0, 0}, Cell3{1, 0, 0}, Cell3{-13, 46, -500}}) {
            const auto image =
                run_physarum(shifted(start, origin, by), other, 33, EngineKind::fast, 2);
            CHECK(difference(shifted(end, origin, by), image) == "");
        }
    }
}
