// Where the agents of a new simulation start, and how many. A plane is a volume of depth 1 here.
#include "sim/physarum_spawn.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "core/memory.hpp"
#include "sim/physarum.hpp"

namespace karst::sim {

namespace {

// The cells of a simulation, whatever its rule.
struct Grid {
    std::int64_t side[3];
    std::int32_t origin[3]; // absolute cell of (0, 0, 0)
    std::size_t dimensions;
    std::uint32_t stage; // of the spawn's draws

    std::span<const std::int64_t> sides() const { return {side, dimensions}; }
    std::int64_t rows() const { return side[1] * side[2]; }
    std::int64_t cells() const { return side[0] * rows(); }
};

Grid grid_of(const rules::PhysarumRule &rule) {
    return {{rule.width, rule.height, 1},
            {rule.origin_x, rule.origin_y, 0},
            2,
            core::stage_physarum_spawn};
}

Grid grid_of(const rules::Physarum3Rule &rule) {
    return {{rule.size[0], rule.size[1], rule.size[2]},
            {rule.origin[0], rule.origin[1], rule.origin[2]},
            3,
            core::stage_physarum3_spawn};
}

// A row of cells along x. Divisions are dear beside the little that a cell takes.
struct BirthRow {
    BirthRow(const Grid &grid, std::int64_t row)
        : first_cell(row * grid.side[0]), y(row % grid.side[1]), z(row / grid.side[1]) {}
    std::int64_t first_cell;
    std::int64_t y, z;
};

struct BirthPlace {
    std::int32_t x, y, z; // absolute cell
};

BirthPlace place(const Grid &grid, std::int64_t x, const BirthRow &row) {
    return {grid.origin[0] + static_cast<std::int32_t>(x),
            grid.origin[1] + static_cast<std::int32_t>(row.y),
            grid.origin[2] + static_cast<std::int32_t>(row.z)};
}

constexpr std::int64_t kWhole = 65535; // weight of a cell that gets all of its agents

// Which cells of the field get agents. Tests cell centres, in doubled coordinates, so that they
// are integers.
class SpawnArea {
public:
    // `controls` may be null.
    template <class Params, class Extent>
    SpawnArea(const Params &params, const Grid &grid, const BasicControlFields<Extent> *controls)
        : spawn_(params.spawn), grid_(grid) {
        if (controls != nullptr) {
            walls_ = controls->walls.cells();
            weights_ = controls->spawn.cells();
        }
        diameter_ =
            (core::to_fixed(params.spawn_radius, 16) * std::ranges::min(grid.sides())) >> 16;
        band_ = static_cast<std::int64_t>(core::to_fixed(params.spawn_width, 0));
    }

    // How many of its agents a cell gets, of kWhole.
    std::int64_t weight(std::int64_t x, const BirthRow &row) const {
        const auto i = static_cast<std::size_t>(row.first_cell + x);
        if (!holds(x, row) || (!walls_.empty() && walls_[i] != 0)) {
            return 0;
        }
        return weights_.empty() ? kWhole : weights_[i];
    }

private:
    bool holds(std::int64_t x, const BirthRow &row) const {
        if (spawn_ == Spawn::uniform) {
            return true;
        }
        const std::int64_t at[3] = {x, row.y, row.z};
        std::int64_t squared = 0;
        std::int64_t to_edge = grid_.side[0];
        for (std::size_t i = 0; i < grid_.dimensions; ++i) {
            const std::int64_t d = 2 * at[i] + 1 - grid_.side[i];
            squared += d * d;
            to_edge = std::min({to_edge, at[i], grid_.side[i] - 1 - at[i]});
        }
        switch (spawn_) {
        case Spawn::disc:
            return squared <= diameter_ * diameter_;
        case Spawn::ring: {
            const std::int64_t inner = std::max<std::int64_t>(0, diameter_ - band_);
            const std::int64_t outer = diameter_ + band_;
            return squared >= inner * inner && squared <= outer * outer;
        }
        case Spawn::edges:
            return to_edge < band_;
        case Spawn::uniform:
            break;
        }
        return true;
    }

    Spawn spawn_;
    const Grid &grid_;
    std::span<const std::uint8_t> walls_;    // empty: none
    std::span<const std::uint16_t> weights_; // empty: kWhole everywhere
    std::int64_t diameter_ = 0;
    std::int64_t band_ = 0;
};

// The agents of each cell: by density times weight, a whole number and one more with the
// probability of the rest; by count, in proportion to the weights, the remainder to the smallest
// (draw / weight, cell).
class SpawnCounts {
public:
    template <class Params>
    SpawnCounts(const Params &params, const Grid &grid, const SpawnArea &area, std::uint64_t seed,
                std::uint32_t use)
        : grid_(grid), area_(area), seed_(seed), use_(use) {
        if (params.agent_count == 0) {
            const auto whole = static_cast<std::uint64_t>(params.agent_density);
            density_ = (whole << 32) +
                       core::to_threshold(params.agent_density - static_cast<double>(whole));
            refuse_above((density_ + 0xffffffffu) >> 32, params.agent_count);
        } else {
            divide(params.agent_count);
        }
    }

    std::int64_t at(std::int64_t x, const BirthRow &row) const {
        const std::int64_t weight = area_.weight(x, row);
        if (weight == 0) {
            return 0;
        }
        if (density_ == 0) {
            const auto i = static_cast<std::size_t>(row.first_cell + x);
            return share(weight) + (extra_.empty() ? 0 : extra_[i]);
        }
        const std::uint64_t mean = density_ * static_cast<std::uint64_t>(weight) / kWhole;
        return static_cast<std::int64_t>(mean >> 32) +
               (draw(x, row) < (mean & 0xffffffffu) ? 1 : 0);
    }

private:
    std::uint32_t draw(std::int64_t x, const BirthRow &row) const {
        const BirthPlace p = place(grid_, x, row);
        return core::draw_at(seed_, p.x, p.y, p.z, use_).word[0];
    }

    static void refuse_above(std::uint64_t most, std::int64_t count) {
        if (most > static_cast<std::uint64_t>(kMostAgentsACell)) {
            refuse_agents(count);
        }
    }

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
        tickets.reserve(static_cast<std::size_t>(grid_.cells()));
        for (std::int64_t i = 0; i < grid_.rows(); ++i) {
            const BirthRow row(grid_, i);
            for (std::int64_t x = 0; x < grid_.side[0]; ++x) {
                const std::int64_t weight = area_.weight(x, row);
                if (weight > 0) {
                    tickets.push_back(
                        {(std::uint64_t{draw(x, row)} << 16) / static_cast<std::uint64_t>(weight),
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
            rest -= share(area_.weight(ticket.cell % grid_.side[0],
                                       BirthRow(grid_, ticket.cell / grid_.side[0])));
        }
        if (rest > 0) {
            refuse_above(static_cast<std::uint64_t>(share(most)) + 1, agents);
            std::nth_element(tickets.begin(), tickets.begin() + rest, tickets.end());
            extra_.assign(static_cast<std::size_t>(grid_.cells()), 0);
            for (std::int64_t i = 0; i < rest; ++i) {
                extra_[static_cast<std::size_t>(tickets[static_cast<std::size_t>(i)].cell)] = 1;
            }
        }
    }

    const Grid &grid_;
    const SpawnArea &area_;
    std::uint64_t seed_;
    std::uint32_t use_;
    std::uint64_t density_ = 0; // agents a cell, 32 fraction bits; 0: by count
    std::int64_t agents_ = 0;
    std::int64_t total_ = 0; // of the weights
    std::vector<std::uint8_t> extra_;
};

// The low bits of an absolute coordinate.
constexpr std::uint64_t low(std::int32_t value, int bits) {
    return static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << bits) - 1);
}

// 8 bits of the slot and 28 of each absolute coordinate, or 18 of each of three.
std::uint64_t agent_id(const rules::PhysarumRule &, BirthPlace p, std::int64_t slot) {
    return (low(p.y, 28) << 36) | (low(p.x, 28) << 8) | static_cast<std::uint64_t>(slot);
}

std::uint64_t agent_id(const rules::Physarum3Rule &, BirthPlace p, std::int64_t slot) {
    return (low(p.z, 18) << 44) | (low(p.y, 18) << 26) | (low(p.x, 18) << 8) |
           static_cast<std::uint64_t>(slot);
}

constexpr std::uint16_t low_half(std::uint32_t word) {
    return static_cast<std::uint16_t>(word);
}

constexpr std::uint16_t high_half(std::uint32_t word) {
    return static_cast<std::uint16_t>(word >> 16);
}

rules::Agent born(const rules::PhysarumRule &, BirthPlace p, const core::Draw4 &draw) {
    return {p.x, p.y, low_half(draw.word[0]), high_half(draw.word[0]), high_half(draw.word[1])};
}

rules::Agent3 born(const rules::Physarum3Rule &, BirthPlace p, const core::Draw4 &draw) {
    constexpr rules::Frame kEastAndUp{{{1 << 14, 0, 0}}, {{0, 0, 1 << 14}}};
    return {
        {p.x, p.y, p.z},
        {low_half(draw.word[0]), high_half(draw.word[0]), low_half(draw.word[1])},
        rules::any_direction(kEastAndUp, draw.word[2], draw.word[3], core::directions().data())};
}

template <class Rule, class Params>
BasicPhysarumState<Rule> spawn_all(core::Run &run, const Params &params, const Rule &rule,
                                   typename Rule::Extent extent, std::uint32_t network,
                                   const BasicControlFields<typename Rule::Extent> *controls) {
    const Grid grid = grid_of(rule);
    const SpawnArea area(params, grid, controls);
    const auto use = [&](std::int64_t slot, std::uint32_t draw) {
        return core::use(grid.stage + network, static_cast<std::uint32_t>(slot), draw);
    };
    const SpawnCounts counts(params, grid, area, rule.seed, use(0, 0));

    BasicPhysarumState<Rule> state;
    state.trail = Field<std::uint32_t, typename Rule::Extent>(extent, core::large_pages(run));
    if (controls != nullptr && !controls->start.empty()) {
        state.trail = controls->start;
    }
    if (params.birth_time) {
        state.birth_time = Field<std::uint16_t, typename Rule::Extent>(extent, run.memory());
    }
    std::vector<std::size_t> first(static_cast<std::size_t>(grid.rows()) + 1, 0);
    run.for_rows(grid.rows(), [&](std::int64_t i) {
        const BirthRow row(grid, i);
        std::int64_t sum = 0;
        for (std::int64_t x = 0; x < grid.side[0]; ++x) {
            sum += counts.at(x, row);
        }
        first[static_cast<std::size_t>(i) + 1] = static_cast<std::size_t>(sum);
    });
    std::partial_sum(first.begin(), first.end(), first.begin());
    core::resize(run, state.agents, first.back());
    core::resize(run, state.ids, first.back());
    run.for_rows(grid.rows(), [&](std::int64_t line) {
        const BirthRow row(grid, line);
        std::size_t i = first[static_cast<std::size_t>(line)];
        for (std::int64_t x = 0; x < grid.side[0]; ++x) {
            const BirthPlace p = place(grid, x, row);
            const std::int64_t agents = counts.at(x, row);
            for (std::int64_t slot = 0; slot < agents; ++slot, ++i) {
                state.agents[i] =
                    born(rule, p, core::draw_at(rule.seed, p.x, p.y, p.z, use(slot, 1)));
                state.ids[i] = agent_id(rule, p, slot);
            }
        }
    });
    return state;
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

Physarum3State spawn(core::Run &run, const Physarum3Params &params,
                     const rules::Physarum3Rule &rule, std::uint32_t network,
                     const Control3Fields *controls) {
    return spawn_all(run, params, rule, {rule.size[0], rule.size[1], rule.size[2]}, network,
                     controls);
}

} // namespace karst::sim
