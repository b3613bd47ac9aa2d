// Moving, turning and mirroring a whole state moves, turns and mirrors what becomes of it, exactly.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "support/physarum.hpp"

using namespace karst;
using sim::EngineKind;
using test::difference;
using test::run_physarum;
using test::spawn_physarum;

namespace {

constexpr std::int64_t kCell = 65536;

// A position in 2^-16 cells from the corner of the field, and a heading.
struct Pose {
    std::int64_t x, y;
    std::uint16_t heading;
};

using Map = std::function<Pose(Pose, std::int64_t width, std::int64_t height)>;

// The state under a map of poses; `turned` swaps the sides. Cells go where their centres go.
sim::PhysarumState mapped(const sim::PhysarumState &state, const Map &map, bool turned) {
    const std::int64_t width = state.trail.width();
    const std::int64_t height = state.trail.height();
    const Extent2 extent = turned ? Extent2{height, width} : state.trail.extent();
    sim::PhysarumState out;
    out.step = state.step;
    out.ids = state.ids;
    out.trail = Field2D<std::uint32_t>(extent);
    if (!state.birth_time.empty()) {
        out.birth_time = Field2D<std::uint16_t>(extent);
    }
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
            const Pose to = map({x * kCell, y * kCell, 0}, width, height);
            const std::int64_t u = to.x / kCell;
            const std::int64_t v = to.y / kCell;
            out.trail.at(u, v) = state.trail.at(x, y);
            if (!out.birth_time.empty()) {
                out.birth_time.at(u, v) = state.birth_time.at(x, y);
            }
        }
    }
    for (const rules::Agent &agent : state.agents) {
        const Pose to = map(
            {agent.x * kCell + agent.fraction_x, agent.y * kCell + agent.fraction_y, agent.heading},
            width, height);
        out.agents.push_back({static_cast<std::int32_t>(to.x / kCell),
                              static_cast<std::int32_t>(to.y / kCell),
                              static_cast<std::uint16_t>(to.x % kCell),
                              static_cast<std::uint16_t>(to.y % kCell), to.heading});
    }
    return out;
}

const Map kMirrorX = [](Pose p, std::int64_t width, std::int64_t) -> Pose {
    return {width * kCell - 1 - p.x, p.y, static_cast<std::uint16_t>(32768 - p.heading)};
};
const Map kMirrorY = [](Pose p, std::int64_t, std::int64_t height) -> Pose {
    return {p.x, height * kCell - 1 - p.y, static_cast<std::uint16_t>(-p.heading)};
};
const Map kQuarterTurn = [](Pose p, std::int64_t, std::int64_t height) -> Pose {
    return {height * kCell - 1 - p.y, p.x, static_cast<std::uint16_t>(p.heading + 16384)};
};
const Map kTranspose = [](Pose p, std::int64_t, std::int64_t) -> Pose {
    return {p.y, p.x, static_cast<std::uint16_t>(16384 - p.heading)};
};

void check_symmetry(const Map &map, bool turned, Boundary boundary, Extent2 extent) {
    PhysarumParams params;
    params.both_sides = BothSides::larger;
    params.boundary = boundary;
    // Odd multiples of 1/8 cell: half of all products with a direction lie between two units.
    params.sensor_offset = 5.375;
    params.step_size = 1.125;
    params.agent_density = 0.3;
    params.birth_time = true;
    const auto rule = sim::quantise(params, extent, 17);
    const Extent2 other_extent = turned ? Extent2{extent.height, extent.width} : extent;
    const auto other_rule = sim::quantise(params, other_extent, 17);
    auto start = spawn_physarum(params, rule);
    for (rules::Agent &agent : start.agents) {
        // A mirrored heading rounds to the mirrored direction unless it lies between two.
        agent.heading = static_cast<std::uint16_t>(agent.heading & 0xfff0);
        if (boundary == Boundary::bounded) {
            // A blocked agent draws a heading that no mirror knows: keep the agents off the walls.
            agent.x = std::clamp<std::int32_t>(agent.x, 25, rule.width - 26);
            agent.y = std::clamp<std::int32_t>(agent.y, 25, rule.height - 26);
        }
    }
    const std::int64_t steps = boundary == Boundary::bounded ? 18 : 60;
    for (const auto kind : {EngineKind::plain, EngineKind::fast}) {
        const auto end = run_physarum(start, rule, steps, kind, 2);
        const auto image = run_physarum(mapped(start, map, turned), other_rule, steps, kind, 2);
        CHECK(difference(mapped(end, map, turned), image) == "");
        CHECK(difference(end, start) != "");
    }
}

// The whole state moved by (i, j), wrapped into the window at `origin`.
sim::PhysarumState shifted(const sim::PhysarumState &state, Cell2 from, Cell2 to, std::int32_t i,
                           std::int32_t j) {
    const auto width = static_cast<std::int32_t>(state.trail.width());
    const auto height = static_cast<std::int32_t>(state.trail.height());
    sim::PhysarumState out = state;
    for (std::int32_t y = 0; y < height; ++y) {
        for (std::int32_t x = 0; x < width; ++x) {
            const auto u = core::wrapped(from.x + x + i - to.x, width);
            const auto v = core::wrapped(from.y + y + j - to.y, height);
            out.trail.at(u, v) = state.trail.at(x, y);
            if (!state.birth_time.empty()) {
                out.birth_time.at(u, v) = state.birth_time.at(x, y);
            }
        }
    }
    for (rules::Agent &agent : out.agents) {
        agent.x = to.x + core::wrapped(agent.x + i - to.x, width);
        agent.y = to.y + core::wrapped(agent.y + j - to.y, height);
    }
    return out;
}

} // namespace

TEST_CASE("physarum: mirrors and quarter turns") {
    for (const Boundary boundary : {Boundary::torus, Boundary::bounded}) {
        check_symmetry(kMirrorX, false, boundary, {72, 65});
        check_symmetry(kMirrorY, false, boundary, {72, 65});
        check_symmetry(kQuarterTurn, true, boundary, {72, 65});
        check_symmetry(kTranspose, true, boundary, {72, 65});
    }
}

TEST_CASE("physarum: quarter turns with any heading") {
    PhysarumParams params;
    params.both_sides = BothSides::larger;
    params.sensor_angle = 33.3;
    params.rotation_angle = 12.3;
    params.agent_density = 0.3;
    const auto rule = sim::quantise(params, {50, 41}, 5);
    const auto turned_rule = sim::quantise(params, {41, 50}, 5);
    const auto start = spawn_physarum(params, rule);
    const auto end = run_physarum(start, rule, 60, EngineKind::plain);
    const auto image =
        run_physarum(mapped(start, kQuarterTurn, true), turned_rule, 60, EngineKind::plain);
    CHECK(difference(mapped(end, kQuarterTurn, true), image) == "");
}

TEST_CASE("physarum: a shift on the torus shifts the result, wherever the window lies") {
    PhysarumParams params; // random turns: the draws are the agents' own
    params.agent_density = 0.3;
    params.birth_time = true;
    const Extent2 extent{61, 47};
    const Cell2 origins[] = {{0, 0}, {-1000, 999}, {-7, -46}, {100000000, -100000000}};
    const auto rule = sim::quantise(params, extent, 9);
    const auto start = spawn_physarum(params, rule);
    for (const auto kind : {EngineKind::plain, EngineKind::fast}) {
        const auto end = run_physarum(start, rule, 50, kind, 2);
        for (const Cell2 origin : origins) {
            const auto other = sim::quantise(params, extent, 9, 0, origin);
            for (const Cell2 by : {Cell2{0, 0}, Cell2{1, 0}, Cell2{-13, 46}, Cell2{500, -77}}) {
                const auto image =
                    run_physarum(shifted(start, {}, origin, by.x, by.y), other, 50, kind, 2);
                CHECK(difference(shifted(end, {}, origin, by.x, by.y), image) == "");
            }
        }
    }
}
