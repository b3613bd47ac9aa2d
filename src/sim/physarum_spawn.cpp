// Where the agents of a new simulation start, and how many. A plane is a volume of depth 1 here.
#include "sim/physarum_spawn.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "core/memory.hpp"
#include "sim/physarum.hpp"

namespace karst::sim {

namespace {

using rules::BirthPlace;
using rules::Births;
using rules::kWholeWeight;

// A row of cells along x. Divisions are dear beside the little that a cell takes.
struct BirthRow {
    BirthRow(const Births &births, std::int64_t row)
        : first_cell(row * births.side[0]), y(row % births.side[1]), z(row / births.side[1]) {}
    std::int64_t first_cell;
    std::int64_t y, z;
};

std::int64_t rows_of(const Births &births) {
    return births.side[1] * births.side[2];
}

BirthPlace place(const Births &births, std::int64_t x, const BirthRow &row) {
    return births.place(x, row.y, row.z);
}

// Which cells of the field get agents: those of the spawn area, under maps.
class SpawnArea {
public:
    // `controls` may be null.
    template <class Extent>
    SpawnArea(const Births &births, const BasicControlFields<Extent> *controls) : births_(births) {
        if (controls != nullptr) {
            walls_ = controls->walls.cells();
            weights_ = controls->spawn.cells();
        }
    }

    // How many of its agents a cell gets, of kWholeWeight.
    std::int64_t weight(std::int64_t x, const BirthRow &row) const {
        const auto i = static_cast<std::size_t>(row.first_cell + x);
        if (!births_.holds(x, row.y, row.z) || (!walls_.empty() && walls_[i] != 0)) {
            return 0;
        }
        return weights_.empty() ? kWholeWeight : weights_[i];
    }

private:
    const Births &births_;
    std::span<const std::uint8_t> walls_;    // empty: none
    std::span<const std::uint16_t> weights_; // empty: kWholeWeight everywhere
};

void refuse_above(std::uint64_t most, std::int64_t count) {
    if (most > static_cast<std::uint64_t>(kMostAgentsACell)) {
        refuse_agents(count);
    }
}

template <class Params>
Births births_of(const Params &params, const rules::TrailRule &rule, std::uint32_t stage,
                 std::span<const std::int64_t> side, std::span<const std::int32_t> origin) {
    Births births;
    std::ranges::copy(side, births.side);
    std::ranges::copy(origin, births.origin);
    births.dimensions = static_cast<int>(side.size());
    births.area = params.spawn;
    births.diameter = (core::to_fixed(params.spawn_radius, 16) * std::ranges::min(side)) >> 16;
    births.band = static_cast<std::int64_t>(core::to_fixed(params.spawn_width, 0));
    if (params.agent_count == 0) {
        const auto whole = static_cast<std::uint64_t>(params.agent_density);
        births.density =
            (whole << 32) + core::to_threshold(params.agent_density - static_cast<double>(whole));
        refuse_above((births.density + 0xffffffffu) >> 32, params.agent_count);
    }
    births.seed = rule.seed;
    births.stage = stage;
    return births;
}

Births births_of(const PhysarumParams &params, const rules::PhysarumRule &rule,
                 std::uint32_t network) {
    const std::int64_t side[] = {rule.width, rule.height};
    const std::int32_t origin[] = {rule.origin_x, rule.origin_y};
    return births_of(params, rule, core::stage_physarum_spawn + network, side, origin);
}

Births births_of(const Physarum3Params &params, const rules::Physarum3Rule &rule,
                 std::uint32_t network) {
    const std::int64_t side[] = {rule.size[0], rule.size[1], rule.size[2]};
    return births_of(params, rule, core::stage_physarum3_spawn + network, side, rule.origin);
}

// The agents of each cell: by density, or by count in proportion to the weights, the remainder to
// the smallest (draw / weight, cell).
class SpawnCounts {
public:
    template <class Params>
    SpawnCounts(const Params &params, const Births &births, const SpawnArea &area)
        : births_(births), area_(area) {
        if (params.agent_count > 0) {
            divide(params.agent_count);
        }
    }

    std::int64_t at(std::int64_t x, const BirthRow &row) const {
        const std::int64_t weight = area_.weight(x, row);
        if (weight == 0) {
            return 0;
        }
        if (births_.density == 0) {
            const auto i = static_cast<std::size_t>(row.first_cell + x);
            return share(weight) + (extra_.empty() ? 0 : extra_[i]);
        }
        return births_.agents(place(births_, x, row), weight);
    }

private:
    // The agents that every cell of a weight gets.
    std::int64_t share(std::int64_t weight) const {
        return total_ == 0 ? 0 : agents_ * weight / total_;
    }

    void divide(std::int64_t agents) {
        struct Ticket {
            std::uint64_t draw; // over the weight
            std::int64_t cell;
            bool operator<(const Ticket &o) const {
                return draw != o.draw ? draw < o.draw : cell < o.cell;
            }
        };
        std::vector<Ticket> tickets;
        std::int64_t most = 0;
        const std::int64_t rows = rows_of(births_);
        const std::int64_t width = births_.side[0];
        tickets.reserve(static_cast<std::size_t>(rows * width));
        for (std::int64_t i = 0; i < rows; ++i) {
            const BirthRow row(births_, i);
            for (std::int64_t x = 0; x < width; ++x) {
                const std::int64_t weight = area_.weight(x, row);
                if (weight > 0) {
                    tickets.push_back(
                        {(std::uint64_t{births_.draw(place(births_, x, row), 0, 0).word[0]} << 16) /
                             static_cast<std::uint64_t>(weight),
                         row.first_cell + x});
                    total_ += weight;
                    most = std::max(most, weight);
                }
            }
        }
        if (tickets.empty()) {
            throw Error(ErrorCode::invalid_argument,
                        "agent_count is " + std::to_string(agents) +
                            ", but no cell lies in the spawn area; allowed is 0 there");
        }
        agents_ = agents;
        refuse_above(static_cast<std::uint64_t>(share(most)), agents);
        std::int64_t rest = agents;
        for (const Ticket &ticket : tickets) {
            rest -=
                share(area_.weight(ticket.cell % width, BirthRow(births_, ticket.cell / width)));
        }
        if (rest > 0) {
            refuse_above(static_cast<std::uint64_t>(share(most)) + 1, agents);
            std::nth_element(tickets.begin(), tickets.begin() + rest, tickets.end());
            extra_.assign(static_cast<std::size_t>(rows * width), 0);
            for (std::int64_t i = 0; i < rest; ++i) {
                extra_[static_cast<std::size_t>(tickets[static_cast<std::size_t>(i)].cell)] = 1;
            }
        }
    }

    const Births &births_;
    const SpawnArea &area_;
    std::int64_t agents_ = 0;
    std::int64_t total_ = 0; // of the weights
    std::vector<std::uint8_t> extra_;
};

template <class Rule, class Params>
BasicPhysarumState<Rule> spawn_all(core::Run &run, const Params &params, const Rule &rule,
                                   typename Rule::Extent extent, std::uint32_t network,
                                   const BasicControlFields<typename Rule::Extent> *controls) {
    const Births births = births_of(params, rule, network);
    const SpawnArea area(births, controls);
    const SpawnCounts counts(params, births, area);

    BasicPhysarumState<Rule> state;
    state.trail = Field<std::uint32_t, typename Rule::Extent>(extent, core::large_pages(run));
    if (controls != nullptr && !controls->start.empty()) {
        state.trail = controls->start;
    }
    if (params.birth_time) {
        state.birth_time = Field<std::uint16_t, typename Rule::Extent>(extent, run.memory());
    }
    const std::int64_t rows = rows_of(births);
    std::vector<std::size_t> first(static_cast<std::size_t>(rows) + 1, 0);
    run.for_rows(rows, [&](std::int64_t i) {
        const BirthRow row(births, i);
        std::int64_t sum = 0;
        for (std::int64_t x = 0; x < births.side[0]; ++x) {
            sum += counts.at(x, row);
        }
        first[static_cast<std::size_t>(i) + 1] = static_cast<std::size_t>(sum);
    });
    std::partial_sum(first.begin(), first.end(), first.begin());
    core::resize(run, state.agents, first.back());
    core::resize(run, state.ids, first.back());
    const core::Direction *const directions = core::directions().data();
    run.for_rows(rows, [&](std::int64_t line) {
        const BirthRow row(births, line);
        std::size_t i = first[static_cast<std::size_t>(line)];
        for (std::int64_t x = 0; x < births.side[0]; ++x) {
            const BirthPlace at = place(births, x, row);
            const std::int64_t agents = counts.at(x, row);
            for (std::int64_t slot = 0; slot < agents; ++slot, ++i) {
                state.agents[i] = rules::born(rule, at, births.draw(at, slot, 1), directions);
                state.ids[i] = rules::agent_id(rule, at, slot);
            }
        }
    });
    return state;
}

// Whether the agents are born on the device: those of density, without maps, few enough for 32
// bits.
bool born_on_device(const core::Run &run, const Births &births, const ControlFields *controls) {
    constexpr std::uint64_t kMost = 0xf0000000;
    const std::uint64_t each = (births.density + 0xffffffffu) >> 32; // of a cell, at most
    const auto cells = static_cast<std::uint64_t>(births.side[0] * births.side[1]);
    return run.options().device.kind == DeviceKind::cuda && controls == nullptr && each > 0 &&
           cells <= kMost / each;
}

} // namespace

void refuse_agents(std::int64_t count) {
    throw Error(ErrorCode::invalid_argument,
                "agent_count is " + std::to_string(count) +
                    "; allowed is at most 256 agents in each cell of the spawn area");
}

PhysarumState spawn(core::Run &run, const PhysarumParams &params, const rules::PhysarumRule &rule,
                    std::uint32_t network, const ControlFields *controls) {
    return spawn_all(run, params, rule, {rule.width, rule.height}, network, controls);
}

PhysarumState start(core::Run &run, const PhysarumParams &params, const rules::PhysarumRule &rule,
                    std::uint32_t network, const ControlFields *controls) {
    const Births births = births_of(params, rule, network);
    if (!born_on_device(run, births, controls)) {
        return spawn(run, params, rule, network, controls);
    }
    PhysarumState state;
    state.births = births;
    state.trail = core::unset_field<std::uint32_t>(run, Extent2{rule.width, rule.height});
    if (params.birth_time) {
        state.birth_time = Field2D<std::uint16_t>(state.trail.extent(), run.memory());
    }
    return state;
}

Physarum3State start(core::Run &run, const Physarum3Params &params,
                     const rules::Physarum3Rule &rule, std::uint32_t network,
                     const Control3Fields *controls) {
    return spawn(run, params, rule, network, controls);
}

Physarum3State spawn(core::Run &run, const Physarum3Params &params,
                     const rules::Physarum3Rule &rule, std::uint32_t network,
                     const Control3Fields *controls) {
    return spawn_all(run, params, rule, {rule.size[0], rule.size[1], rule.size[2]}, network,
                     controls);
}

} // namespace karst::sim
