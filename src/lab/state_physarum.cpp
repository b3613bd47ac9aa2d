// Damage of Physarum.
#include <algorithm>
#include <limits>
#include <new>
#include <string>

#include <karst/error.hpp>

#include "lab/state_replicas.hpp"
#include "sim/physarum.hpp"

namespace karst::lab {

namespace {

// An agent's place in a list that does not depend on how engines store agents: the agents born in
// each cell lie behind each other, by their slot.
class BirthPlaces {
public:
    BirthPlaces(const std::vector<std::uint64_t> &ids, Extent2 size)
        : width_(size.width), first_(static_cast<std::size_t>(size.cells()) + 1) {
        for (const std::uint64_t id : ids) {
            ++first_[cell(id) + 1];
        }
        for (std::size_t i = 1; i < first_.size(); ++i) {
            first_[i] += first_[i - 1];
        }
    }

    std::size_t operator()(std::uint64_t id) const { return first_[cell(id)] + (id & 0xff); }

private:
    std::size_t cell(std::uint64_t id) const { // 8 bits of slot, 28 of x, 28 of y
        constexpr std::uint64_t kCoordinate = (std::uint64_t{1} << 28) - 1;
        return static_cast<std::size_t>(id >> 36) * static_cast<std::size_t>(width_) +
               static_cast<std::size_t>((id >> 8) & kCoordinate);
    }

    std::int64_t width_;
    std::vector<std::uint32_t> first_;
};

struct PhysarumSystem {
    using State = sim::PhysarumState;
    using Engine = sim::PhysarumEngine;

    const PhysarumDamage &system;
    const StateSettings &settings;

    std::uint64_t seed_of(std::int64_t replica) const {
        return settings.seed + static_cast<std::uint64_t>(replica);
    }

    rules::PhysarumRule rule_of(std::int64_t replica) const {
        return sim::quantise(system.params, system.size, seed_of(replica));
    }

    State start(core::Run &run, std::int64_t replica) const {
        return sim::spawn(run, system.params, rule_of(replica));
    }

    std::unique_ptr<Engine> engine(core::Run &run, State state, std::int64_t replica) const {
        return sim::make_engine(run, std::move(state), rule_of(replica), nullptr);
    }

    bool torus() const { return system.params.boundary == Boundary::torus; }

    Cell2 change(State &state, std::int64_t replica) const {
        const Extent2 size = system.size;
        if (system.perturbation == Perturbation::trail) {
            const auto cells = state.trail.cells();
            const auto most = std::max_element(cells.begin(), cells.end()); // the first of them
            const auto amount = static_cast<std::uint32_t>(system.amount);
            const bool full = *most > std::numeric_limits<std::uint32_t>::max() - amount;
            *most = full ? *most - amount : *most + amount;
            const std::int64_t cell = most - cells.begin();
            return {static_cast<std::int32_t>(cell % size.width),
                    static_cast<std::int32_t>(cell / size.width)};
        }
        rules::Agent &agent = drawn_agent(state, replica);
        const Cell2 origin{agent.x, agent.y};
        if (system.perturbation == Perturbation::heading) {
            agent.heading = static_cast<std::uint16_t>(agent.heading + system.amount);
            return origin;
        }
        const std::int64_t width = size.width << 16;
        std::int64_t x = (std::int64_t{agent.x} << 16) + agent.fraction_x + system.amount;
        if (x >= width) { // around the torus; inside a bounded field, which has room on the left
            x -= torus() ? width : 2 * system.amount;
        }
        agent.x = static_cast<std::int32_t>(x >> 16);
        agent.fraction_x = static_cast<std::uint16_t>(x & 0xffff);
        return origin;
    }

    Apart compare(const State &u, const State &v, Cell2 origin) const {
        Apart apart;
        const Extent2 size = system.size;
        for (std::int64_t y = 0; y < size.height; ++y) {
            const auto one = u.trail.row(y);
            const auto other = v.trail.row(y);
            for (std::size_t x = 0; x < one.size(); ++x) {
                apart.sum += std::uint64_t{one[x]} + other[x];
                if (one[x] != other[x]) {
                    ++apart.cells;
                    apart.difference += std::max(one[x], other[x]) - std::min(one[x], other[x]);
                    apart.radius =
                        std::max(apart.radius, radius_between(origin, static_cast<std::int64_t>(x),
                                                              y, size, torus()));
                }
            }
        }
        return apart;
    }

    void compare_agents(const State &u, const State &v, Apart &apart) const {
        const BirthPlaces place(u.ids, system.size);
        std::vector<rules::Agent> agents(u.agents.size());
        for (std::size_t i = 0; i < agents.size(); ++i) {
            agents[place(u.ids[i])] = u.agents[i];
        }
        for (std::size_t i = 0; i < agents.size(); ++i) {
            apart.agents += agents[place(v.ids[i])] == v.agents[i] ? 0 : 1;
        }
        apart.agents_in_all = static_cast<std::int64_t>(agents.size());
    }

private:
    // The same agent however they are stored: the one of the k-th smallest id, k drawn.
    rules::Agent &drawn_agent(State &state, std::int64_t replica) const {
        std::vector<std::uint64_t> ids = state.ids;
        if (ids.empty()) {
            throw Error(ErrorCode::invalid_argument,
                        std::string("the change is ") + name_of(system.perturbation) +
                            " and there is no agent; allowed is trail");
        }
        const core::Draw4 draw = core::philox4x32(0, 0, 0, use(slot_change), seed_of(replica));
        const auto k = static_cast<std::ptrdiff_t>(std::uint64_t{draw.word[0]} * ids.size() >> 32);
        std::nth_element(ids.begin(), ids.begin() + k, ids.end());
        const auto found = std::find(state.ids.begin(), state.ids.end(), ids.begin()[k]);
        return state.agents[static_cast<std::size_t>(found - state.ids.begin())];
    }
};

void require_physarum(const PhysarumDamage &its) {
    if (its.perturbation == Perturbation::cell) {
        throw Error(ErrorCode::invalid_argument,
                    "the change is cell; allowed is one of heading, position, trail");
    }
    // Half a cell at most: then there is room on one side of any agent.
    const std::int64_t most = its.perturbation == Perturbation::position ? 32767 : 65535;
    if (its.amount < 1 || its.amount > most) {
        throw Error(ErrorCode::invalid_argument, "amount is " + std::to_string(its.amount) +
                                                     "; allowed is 1 to " + std::to_string(most) +
                                                     " units of " + name_of(its.perturbation));
    }
}

} // namespace

PhysarumParams physarum_params(const ParamSet &values) {
    return sim::physarum_table().from(values);
}

StateReport measure_state(const PhysarumDamage &system, const StateSettings &settings,
                          const Options &options) try {
    require_settings(settings);
    require_physarum(system);
    PhysarumDamage its = system;
    its.params.steps = settings.transient + settings.steps;
    its.params.birth_time = false;
    sim::quantise(its.params, its.size, settings.seed); // checks them
    StateReport report;
    report.simulation = "physarum";
    report.perturbation = its.perturbation;
    report.amount = its.amount;
    report.size = its.size;
    report.settings = settings;
    report.steps = recorded_steps(settings.steps, settings.every);
    const int threads = threads_of(options);
    // Two replicas a thread, each in two engines with what was looked at; half as many pairs.
    core::require_memory(static_cast<std::uint64_t>(threads) * 6 *
                                 sim::memory_needed(its.params, its.size) +
                             3 * Records::bytes(settings.replicas, report.steps.size()) / 2,
                         "damage in simulations of this size", options);
    const auto measure = [&](const Options &chosen) {
        core::Run run(chosen);
        run.stage("damage", 1, chosen.device);
        Damages damages = run_replicas(run, PhysarumSystem{its, settings}, settings.transient,
                                       settings.replicas, report.steps);
        run.finish();
        return damages;
    };
    const sim::Work one = sim::work_of(its.params, its.size);
    summarise(sim::begin_on_device(
                  options,
                  on_best_device(options, threads, one, settings.replicas, report.steps.size()),
                  measure),
              true, report);
    return report;
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}

} // namespace karst::lab
