// The parameters of Physarum simulations: their tables, their checks, their quantised form.
#include "sim/physarum.hpp"

#include <algorithm>
#include <numbers>

#include "core/extent.hpp"
#include "sim/physarum_spawn.hpp"

namespace karst::sim {

namespace {

constexpr std::uint32_t kNetworks = 16; // stages in core/rng.hpp

// An id holds the bits of each coordinate, and a sensor must not leave 32 bits.
void check_origin(std::int32_t cell, const char *axis, std::int64_t largest) {
    if (cell < -largest || cell > largest) {
        throw Error(ErrorCode::invalid_argument, "origin " + std::string(axis) + " is " +
                                                     std::to_string(cell) + "; allowed is " +
                                                     std::to_string(-largest) + " to " +
                                                     std::to_string(largest));
    }
}

template <class P>
using Rows = std::vector<core::ParamRow<P>>;

template <class P>
Rows<P> movement_rows() {
    return {
        core::real(&P::sensor_angle, "sensor_angle", "degrees", 0, 180,
                   "Angle between the front sensor and each side sensor (Jones: SA)."),
        core::real(&P::rotation_angle, "rotation_angle", "degrees", 0, 180,
                   "Angle an agent turns in a step (Jones: RA)."),
        core::real(&P::sensor_offset, "sensor_offset", "cells", 0, 1024,
                   "Distance from an agent to its sensors (Jones: SO)."),
        core::real(&P::step_size, "step_size", "cells", 0, 64,
                   "Distance an agent moves in a step (Jones: SS)."),
        core::real(&P::deposit, "deposit", "", 0, 1000,
                   "Trail an agent adds to its cell in a step (Jones: depT)."),
        core::real(&P::retain, "retain", "fraction", 0, 1,
                   "Fraction of the trail kept in a step (Jones: 1 - decayT)."),
        core::real(&P::food_strength, "food_strength", "", -1000, 1000,
                   "Trail that white in the map \"food\" adds to a cell in a step; agents avoid "
                   "what is negative."),
        core::real(&P::agent_density, "agent_density", "agents a cell", 0, 256,
                   "Agents in each cell of the spawn area, if agent_count is 0."),
        core::integer(&P::agent_count, "agent_count", "", 0, 1099511627776.0,
                      "Agents in all; 0 takes agent_density."),
        core::integer(&P::steps, "steps", "steps", 0, 1000000, "Steps to simulate."),
    };
}

template <class P>
Rows<P> rest_rows() {
    return {
        core::choice(
            &P::steering, "steering", {"strongest", "sampled", "softmax"},
            "Turn: to the sensor that reads most; or, for front and one random side, by "
            "readings to the power of sharpness; or, for all, by e^(sharpness * reading)."),
        core::real(&P::sharpness, "sharpness", "", 0, 64,
                   "How much sampled and softmax prefer what reads more; 0: not at all."),
        core::choice(&P::boundary, "boundary", {"torus", "bounded"},
                     "Whether the field wraps around or ends at its border."),
        core::choice(&P::spawn, "spawn", {"uniform", "disc", "ring", "edges"},
                     "Where the agents start; in a volume a ball, a shell or the faces."),
        core::real(&P::spawn_radius, "spawn_radius", "fraction", 0, 1,
                   "Radius of the disc or ring, as a fraction of half the shortest side."),
        core::real(&P::spawn_width, "spawn_width", "cells", 1, 65536,
                   "Width of the ring or of the band along the edges."),
        core::boolean(&P::birth_time, "birth_time",
                      "Keep, for each cell, the step at which the network first reached it."),
    };
}

template <class P>
core::ParamTable<P> table_of(const Rows<P> &own) {
    Rows<P> rows = movement_rows<P>();
    for (const Rows<P> &more : {own, rest_rows<P>()}) {
        rows.insert(rows.end(), more.begin(), more.end());
    }
    return core::ParamTable<P>(std::move(rows));
}

// What both rules have, and the checks of all that is not the extent.
template <class Params, class Extent>
void quantise_trail(rules::TrailRule &rule, const Params &params, Extent extent, std::uint64_t seed,
                    std::uint32_t stage, std::uint32_t network) {
    if (network >= kNetworks) {
        throw Error(ErrorCode::invalid_argument,
                    "network is " + std::to_string(network) + "; allowed is 0 to 15");
    }
    if (params.agent_count / kMostAgentsACell > extent.cells()) {
        refuse_agents(params.agent_count);
    }
    rule.seed = seed;
    rule.agent_use = core::use(stage + network);
    rule.sensor_offset = core::to_fixed(params.sensor_offset, core::kLengthBits);
    rule.step_size = core::to_fixed(params.step_size, core::kLengthBits);
    rule.deposit = core::to_fixed(params.deposit, 16);
    rule.retain_share = retain_share<Extent>(params.retain);
    const double natural = params.steering == Steering::softmax ? std::numbers::log2e : 1;
    rule.sharpness = core::to_fixed(params.sharpness * natural, 24);
    rule.steering = params.steering;
    rule.torus = params.boundary == Boundary::torus;
}

template <class Params, class Extent>
std::uint64_t memory_of(const Params &params, Extent extent, std::size_t agent_bytes) {
    const double cells = static_cast<double>(extent.cells());
    const double agents = params.agent_count > 0 ? static_cast<double>(params.agent_count)
                                                 : params.agent_density * cells;
    // Two trails, two counts; each agent's state and 8 bytes of id, on the CPU while it is packed
    // or sorted also its parts (cpu/packed_agents.hpp). The tickets of an agent count, 16 bytes a
    // cell, are gone before these are there.
    return static_cast<std::uint64_t>(cells * (params.birth_time ? 18 : 16) +
                                      agents * static_cast<double>(agent_bytes + 8));
}

} // namespace

template <>
std::uint32_t retain_share<Extent2>(double retain) {
    return core::to_fixed(retain / 9, 32);
}

template <>
std::uint32_t retain_share<Extent3>(double retain) {
    // round(2^32 / 27) * 27 is more than 2^32: a full window times it would not fit 64 bits.
    return std::min(core::to_fixed(retain / 27, 32), std::uint32_t{0xffffffff} / 27);
}

const core::ParamTable<PhysarumParams> &physarum_table() {
    static const auto table = table_of<PhysarumParams>({
        core::choice(&PhysarumParams::both_sides, "both_sides", {"random", "larger"},
                     "Turn of an agent whose two side sensors both read more than the front."),
    });
    return table;
}

const core::ParamTable<Physarum3Params> &physarum3_table() {
    static const auto table = table_of<Physarum3Params>({});
    return table;
}

rules::PhysarumRule quantise(const PhysarumParams &params, Extent2 extent, std::uint64_t seed,
                             std::uint32_t network, Cell2 origin) {
    physarum_table().validate(params);
    core::require_sides(extent);
    check_origin(origin.x, "x", core::kLargestSide);
    check_origin(origin.y, "y", core::kLargestSide);
    rules::PhysarumRule rule;
    quantise_trail(rule, params, extent, seed, core::stage_physarum_agent, network);
    rule.width = static_cast<std::int32_t>(extent.width);
    rule.height = static_cast<std::int32_t>(extent.height);
    rule.origin_x = origin.x;
    rule.origin_y = origin.y;
    rule.sensor_angle = core::to_angle(params.sensor_angle);
    rule.rotation_angle = core::to_angle(params.rotation_angle);
    rule.to_larger = params.both_sides == BothSides::larger;
    return rule;
}

rules::Physarum3Rule quantise(const Physarum3Params &params, Extent3 extent, std::uint64_t seed,
                              std::uint32_t network, Cell3 origin) {
    physarum3_table().validate(params);
    core::require_sides(extent);
    rules::Physarum3Rule rule;
    const std::int64_t sides[3] = {extent.width, extent.height, extent.depth};
    const std::int32_t origins[3] = {origin.x, origin.y, origin.z};
    const char *const names[3] = {"x", "y", "z"};
    for (int i = 0; i < 3; ++i) {
        check_origin(origins[i], names[i], core::kLargestVolumeSide);
        rule.size[i] = static_cast<std::int32_t>(sides[i]);
        rule.origin[i] = origins[i];
    }
    quantise_trail(rule, params, extent, seed, core::stage_physarum3_agent, network);
    const auto direction = [](double degrees) {
        return core::directions()[core::direction_index(core::to_angle(degrees))];
    };
    rule.sensor_angle = direction(params.sensor_angle);
    rule.rotation_angle = direction(params.rotation_angle);
    return rule;
}

std::uint64_t memory_needed(const PhysarumParams &params, Extent2 extent) {
    constexpr std::size_t kParts = 4 + 4 + 2 + 8;
    return memory_of(params, extent, sizeof(rules::Agent) + kParts);
}

std::uint64_t memory_needed(const Physarum3Params &params, Extent3 extent) {
    return memory_of(params, extent, sizeof(rules::Agent3));
}

} // namespace karst::sim
