#include "sim/physarum.hpp"

#include <algorithm>
#include <cstring>

#include "core/digest.hpp"
#include "core/extent.hpp"

namespace karst::sim {

namespace {

constexpr std::int64_t kMostAgentsACell = 256;
constexpr std::uint32_t kNetworks = 16; // stages in core/rng.hpp

// An id holds 28 bits of each coordinate, and a sensor must not leave 32 bits.
void check_origin(Cell2 origin) {
    for (const auto &[cell, name] : {std::pair{origin.x, "x"}, {origin.y, "y"}}) {
        if (cell < -core::kLargestSide || cell > core::kLargestSide) {
            throw Error(ErrorCode::invalid_argument, "origin " + std::string(name) + " is " +
                                                         std::to_string(cell) +
                                                         "; allowed is -134217728 to 134217728");
        }
    }
}

[[noreturn]] void refuse_agents(std::int64_t count) {
    throw Error(ErrorCode::invalid_argument,
                "agent_count is " + std::to_string(count) +
                    "; allowed is at most 256 agents in each cell of the spawn area");
}

// Which cells of the field get agents. Tests cell centres, in doubled coordinates, so that they
// are integers.
class SpawnArea {
public:
    SpawnArea(const PhysarumParams &params, const rules::PhysarumRule &rule)
        : spawn_(params.spawn), width_(rule.width), height_(rule.height) {
        const std::int64_t shorter = std::min(width_, height_);
        diameter_ = (core::to_fixed(params.spawn_radius, 16) * shorter) >> 16;
        band_ = static_cast<std::int64_t>(core::to_fixed(params.spawn_width, 0));
    }

    bool holds(std::int64_t x, std::int64_t y) const {
        const std::int64_t dx = 2 * x + 1 - width_;
        const std::int64_t dy = 2 * y + 1 - height_;
        const std::int64_t squared = dx * dx + dy * dy;
        switch (spawn_) {
        case Spawn::disc:
            return squared <= diameter_ * diameter_;
        case Spawn::ring: {
            const std::int64_t inner = std::max<std::int64_t>(0, diameter_ - band_);
            const std::int64_t outer = diameter_ + band_;
            return squared >= inner * inner && squared <= outer * outer;
        }
        case Spawn::edges:
            return std::min({x, y, width_ - 1 - x, height_ - 1 - y}) < band_;
        case Spawn::uniform:
            break;
        }
        return true;
    }

private:
    Spawn spawn_;
    std::int64_t width_, height_;
    std::int64_t diameter_ = 0;
    std::int64_t band_ = 0;
};

// The agents of each cell: by density, a whole number and one more with the probability of the
// rest; by count, as equal as can be, the remainder to the smallest (draw, cell).
class SpawnCounts {
public:
    SpawnCounts(const PhysarumParams &params, const rules::PhysarumRule &rule,
                const SpawnArea &area, std::uint32_t use)
        : rule_(rule), area_(area), use_(use) {
        if (params.agent_count == 0) {
            each_ = static_cast<std::int64_t>(params.agent_density);
            threshold_ = core::to_threshold(params.agent_density - static_cast<double>(each_));
        } else {
            divide(params.agent_count);
        }
        if (each_ + (threshold_ > 0 || !extra_.empty() ? 1 : 0) > kMostAgentsACell) {
            refuse_agents(params.agent_count);
        }
    }

    std::int64_t at(std::int64_t x, std::int64_t y) const {
        if (!area_.holds(x, y)) {
            return 0;
        }
        if (!extra_.empty()) {
            return each_ + extra_[static_cast<std::size_t>(y * rule_.width + x)];
        }
        return each_ + (draw(x, y) < threshold_ ? 1 : 0);
    }

private:
    std::uint32_t draw(std::int64_t x, std::int64_t y) const {
        return core::draw_at(rule_.seed, rule_.origin_x + static_cast<std::int32_t>(x),
                             rule_.origin_y + static_cast<std::int32_t>(y), 0, use_)
            .word[0];
    }

    void divide(std::int64_t agents) {
        struct Ticket {
            std::uint32_t draw;
            std::int64_t cell;
            bool operator<(const Ticket &o) const {
                return draw != o.draw ? draw < o.draw : cell < o.cell;
            }
        };
        std::vector<Ticket> tickets;
        tickets.reserve(static_cast<std::size_t>(std::int64_t{rule_.width} * rule_.height));
        for (std::int64_t y = 0; y < rule_.height; ++y) {
            for (std::int64_t x = 0; x < rule_.width; ++x) {
                if (area_.holds(x, y)) {
                    tickets.push_back({draw(x, y), y * rule_.width + x});
                }
            }
        }
        if (tickets.empty()) {
            throw Error(ErrorCode::invalid_argument,
                        "agent_count is " + std::to_string(agents) +
                            ", but no cell lies in the spawn area; allowed is 0 there");
        }
        each_ = agents / static_cast<std::int64_t>(tickets.size());
        const auto rest = agents % static_cast<std::int64_t>(tickets.size());
        if (rest > 0) {
            std::nth_element(tickets.begin(), tickets.begin() + rest, tickets.end());
            extra_.assign(static_cast<std::size_t>(std::int64_t{rule_.width} * rule_.height), 0);
            for (std::int64_t i = 0; i < rest; ++i) {
                extra_[static_cast<std::size_t>(tickets[static_cast<std::size_t>(i)].cell)] = 1;
            }
        }
    }

    const rules::PhysarumRule &rule_;
    const SpawnArea &area_;
    std::uint32_t use_;
    std::int64_t each_ = 0;
    std::uint64_t threshold_ = 0;
    std::vector<std::uint8_t> extra_;
};

// 28 bits of each absolute coordinate and 8 of the slot.
std::uint64_t agent_id(std::int32_t x, std::int32_t y, std::int64_t slot) {
    constexpr std::uint64_t kMask = (1u << 28) - 1;
    return ((static_cast<std::uint64_t>(y) & kMask) << 36) |
           ((static_cast<std::uint64_t>(x) & kMask) << 8) | static_cast<std::uint64_t>(slot);
}

} // namespace

const core::ParamTable<PhysarumParams> &physarum_table() {
    using P = PhysarumParams;
    static const core::ParamTable<P> table({
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
        core::real(&P::agent_density, "agent_density", "agents a cell", 0, 256,
                   "Agents in each cell of the spawn area, if agent_count is 0."),
        core::integer(&P::agent_count, "agent_count", "", 0, 1099511627776.0,
                      "Agents in all; 0 takes agent_density."),
        core::integer(&P::steps, "steps", "steps", 0, 1000000, "Steps to simulate."),
        core::choice(&P::both_sides, "both_sides", {"random", "larger"},
                     "Turn of an agent whose two side sensors both read more than the front."),
        core::choice(&P::boundary, "boundary", {"torus", "bounded"},
                     "Whether the field wraps around or ends at its border."),
        core::choice(&P::spawn, "spawn", {"uniform", "disc", "ring", "edges"},
                     "Where the agents start."),
        core::real(&P::spawn_radius, "spawn_radius", "fraction", 0, 1,
                   "Radius of the disc or ring, as a fraction of half the shorter side."),
        core::real(&P::spawn_width, "spawn_width", "cells", 1, 65536,
                   "Width of the ring or of the band along the edges."),
        core::boolean(&P::birth_time, "birth_time",
                      "Keep, for each cell, the step at which the network first reached it."),
    });
    return table;
}

rules::PhysarumRule quantise(const PhysarumParams &params, Extent2 extent, std::uint64_t seed,
                             std::uint32_t network, Cell2 origin) {
    physarum_table().validate(params);
    core::require_sides(extent);
    check_origin(origin);
    if (network >= kNetworks) {
        throw Error(ErrorCode::invalid_argument,
                    "network is " + std::to_string(network) + "; allowed is 0 to 15");
    }
    if (params.agent_count / kMostAgentsACell > extent.cells()) {
        refuse_agents(params.agent_count);
    }
    rules::PhysarumRule rule;
    rule.width = static_cast<std::int32_t>(extent.width);
    rule.height = static_cast<std::int32_t>(extent.height);
    rule.origin_x = origin.x;
    rule.origin_y = origin.y;
    rule.seed = seed;
    rule.agent_use = core::use(core::stage_physarum_agent + network);
    rule.sensor_offset = core::to_fixed(params.sensor_offset, core::kLengthBits);
    rule.step_size = core::to_fixed(params.step_size, core::kLengthBits);
    rule.deposit = core::to_fixed(params.deposit, 16);
    rule.retain_ninth = core::to_fixed(params.retain / 9, 32);
    rule.sensor_angle = core::to_angle(params.sensor_angle);
    rule.rotation_angle = core::to_angle(params.rotation_angle);
    rule.torus = params.boundary == Boundary::torus;
    rule.to_larger = params.both_sides == BothSides::larger;
    return rule;
}

PhysarumState spawn(core::Run &run, const PhysarumParams &params, const rules::PhysarumRule &rule,
                    std::uint32_t network) {
    const SpawnArea area(params, rule);
    const auto use = [&](std::int64_t slot, std::uint32_t draw) {
        return core::use(core::stage_physarum_spawn + network, static_cast<std::uint32_t>(slot),
                         draw);
    };
    const SpawnCounts counts(params, rule, area, use(0, 0));

    PhysarumState state;
    const Extent2 extent{rule.width, rule.height};
    state.trail = Field2D<std::uint32_t>(extent, run.memory());
    if (params.birth_time) {
        state.birth_time = Field2D<std::uint16_t>(extent, run.memory());
    }
    std::vector<std::size_t> first(static_cast<std::size_t>(extent.height) + 1, 0);
    run.for_rows(extent.height, [&](std::int64_t y) {
        std::int64_t sum = 0;
        for (std::int64_t x = 0; x < extent.width; ++x) {
            sum += counts.at(x, y);
        }
        first[static_cast<std::size_t>(y) + 1] = static_cast<std::size_t>(sum);
    });
    for (std::size_t y = 1; y < first.size(); ++y) {
        first[y] += first[y - 1];
    }
    state.agents.resize(first.back());
    state.ids.resize(first.back());
    run.for_rows(extent.height, [&](std::int64_t row) {
        std::size_t i = first[static_cast<std::size_t>(row)];
        const std::int32_t y = rule.origin_y + static_cast<std::int32_t>(row);
        for (std::int64_t column = 0; column < extent.width; ++column) {
            const std::int32_t x = rule.origin_x + static_cast<std::int32_t>(column);
            const std::int64_t agents = counts.at(column, row);
            for (std::int64_t slot = 0; slot < agents; ++slot, ++i) {
                const core::Draw4 draw = core::draw_at(rule.seed, x, y, 0, use(slot, 1));
                state.agents[i] = {x, y, static_cast<std::uint16_t>(draw.word[0]),
                                   static_cast<std::uint16_t>(draw.word[0] >> 16),
                                   static_cast<std::uint16_t>(draw.word[1] >> 16)};
                state.ids[i] = agent_id(x, y, slot);
            }
        }
    });
    return state;
}

PhysarumState advance(core::Run &run, PhysarumState state, const rules::PhysarumRule &rule,
                      std::int64_t steps, EngineKind kind) {
    const Device device = run.options().device;
    std::unique_ptr<PhysarumEngine> engine;
    if (kind == EngineKind::plain) {
        engine = make_plain_physarum(std::move(state), rule);
    } else if (device.kind == DeviceKind::cuda) {
        engine = cuda::make_physarum(device, std::move(state), rule);
    } else {
        engine = cpu::make_physarum(run, std::move(state), rule);
    }
    for (std::int64_t done = 0; done < steps;) {
        const auto now = std::min<std::int64_t>(kStepsAtOnce, steps - done);
        engine->advance(static_cast<std::uint32_t>(now));
        done += now;
        run.advance(static_cast<double>(done) / static_cast<double>(steps));
    }
    return engine->take();
}

PhysarumState simulate(core::Run &run, const PhysarumParams &params, Extent2 extent,
                       std::uint64_t seed, std::uint32_t network) {
    const rules::PhysarumRule rule = quantise(params, extent, seed, network);
    return advance(run, spawn(run, params, rule, network), rule, params.steps);
}

std::uint64_t agents_digest(const PhysarumState &state) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < state.agents.size(); ++i) {
        const rules::Agent &agent = state.agents[i];
        const std::uint16_t small[4] = {agent.fraction_x, agent.fraction_y, agent.heading, 0};
        unsigned char bytes[24];
        std::memcpy(bytes, &state.ids[i], 8);
        std::memcpy(bytes + 8, &agent.x, 4);
        std::memcpy(bytes + 12, &agent.y, 4);
        std::memcpy(bytes + 16, small, 8);
        sum += core::xxh3(bytes, sizeof bytes);
    }
    return sum;
}

std::uint64_t memory_needed(const PhysarumParams &params, Extent2 extent) {
    const double cells = static_cast<double>(extent.cells());
    const double agents = params.agent_count > 0 ? static_cast<double>(params.agent_count)
                                                 : params.agent_density * cells;
    // Two trails, two counts; 16 bytes of state and 8 of id. The tickets of an agent count, 16
    // bytes a cell, are gone before these are there.
    const double bytes = cells * (params.birth_time ? 18 : 16) + agents * 24;
    return static_cast<std::uint64_t>(bytes);
}

} // namespace karst::sim

namespace karst {

PhysarumResult simulate_physarum(const PhysarumParams &params, Extent2 extent, std::uint64_t seed,
                                 const Options &options) try {
    const rules::PhysarumRule rule = sim::quantise(params, extent, seed);
    core::require_memory(sim::memory_needed(params, extent), "a simulation of this size", options);
    core::Run run(options);
    run.stage("spawn", 0.02);
    sim::PhysarumState state = sim::spawn(run, params, rule);
    run.stage("physarum", 0.98, options.device);
    state = sim::advance(run, std::move(state), rule, params.steps);
    PhysarumResult result;
    result.agents = static_cast<std::int64_t>(state.agents.size());
    result.agents_digest = sim::agents_digest(state);
    result.trail = std::move(state.trail);
    result.birth_time = std::move(state.birth_time);
    run.finish();
    return result;
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}

} // namespace karst
