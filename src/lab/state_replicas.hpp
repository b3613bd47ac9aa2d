// Replicas of a system, each run with and without the change: what measure_state() of every
// simulation shares.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <karst/field.hpp>

#include "lab/state.hpp"
#include "lab/tasks.hpp"
#include "sim/device_choice.hpp"
#include "sim/engine.hpp"

namespace karst::lab {

// How far two states lie apart: whole numbers, so the same everywhere.
struct Apart {
    std::int64_t cells = 0;  // that differ
    std::int64_t agents = 0; // that differ, of `agents_in_all`
    std::int64_t agents_in_all = 0;
    std::int64_t radius = 0;      // largest distance of a differing cell from the change
    std::uint64_t difference = 0; // sum |u - v| over the cells
    std::uint64_t sum = 0;        // sum u + sum v

    bool alive() const noexcept { return cells > 0 || agents > 0; }
};

// By replica and recorded step.
class Records {
public:
    Records(std::int64_t replicas, std::size_t steps)
        : steps_(steps), all_(static_cast<std::size_t>(replicas) * steps) {}

    std::span<Apart> of(std::int64_t replica) {
        return std::span(all_).subspan(static_cast<std::size_t>(replica) * steps_, steps_);
    }
    std::span<const Apart> of(std::int64_t replica) const {
        return std::span(all_).subspan(static_cast<std::size_t>(replica) * steps_, steps_);
    }
    static std::uint64_t bytes(std::int64_t replicas, std::size_t steps) {
        return static_cast<std::uint64_t>(replicas) * steps * sizeof(Apart);
    }
    std::int64_t replicas() const noexcept {
        return static_cast<std::int64_t>(all_.size() / steps_);
    }

private:
    std::size_t steps_;
    std::vector<Apart> all_;
};

struct Damages {
    Records changed;                // the changed run against the unchanged one
    std::vector<Apart> independent; // unchanged runs of replicas 2 p and 2 p + 1: by pair, step
};

// Throws Error(invalid_argument) for settings that are none.
void require_settings(const StateSettings &settings);

// If the device is automatic, the one where all replicas of `simulation` are done first by an
// estimate, `threads` of them at a time.
Options on_best_device(const Options &options, int threads, sim::Work simulation,
                       std::int64_t replicas, std::size_t records);

// The largest of the two distances of cell (x, y) from `origin`, the short way around a torus.
std::int64_t radius_between(Cell2 origin, std::int64_t x, std::int64_t y, Extent2 size, bool torus);

// Fills the report, whose settings and steps are set, with what was recorded. Without `independent`
// that part stays empty.
void summarise(const Damages &damages, bool independent, StateReport &report);

// A System has a State, an Engine whose look() shows one, and
//   State start(core::Run &, std::int64_t replica) const;       before the transient
//   std::unique_ptr<Engine> engine(core::Run &, State, std::int64_t replica) const;
//   Cell2 change(State &, std::int64_t replica) const;          returns where
//   Apart compare(const State &, const State &, Cell2 origin) const;   of the fields
//   void compare_agents(const State &, const State &, Apart &) const;  of the same agents
// `run` is in its stage. A replica's two engines go on from record to record.
template <class System>
Damages run_replicas(core::Run &run, const System &system, std::int64_t transient,
                     std::int64_t replicas, std::span<const std::int64_t> steps) {
    using State = typename System::State;
    using Engine = typename System::Engine;
    const std::int64_t pairs = (replicas + 1) / 2;
    Damages damages{Records(replicas, steps.size()),
                    std::vector<Apart>(static_cast<std::size_t>(replicas / 2) * steps.size())};
    const Options options = options_of_task(run.options());
    for_each_task(run, pairs, [&](std::int64_t pair) {
        struct Twins {
            std::unique_ptr<Engine> plain, changed;
            Cell2 origin;
        };
        core::Run own(options);
        std::vector<Twins> both;
        for (std::int64_t r = 2 * pair; r < std::min(replicas, 2 * pair + 2); ++r) {
            Twins twins{system.engine(own, system.start(own, r), r), {}, {}};
            sim::run_steps(own, *twins.plain, transient);
            State changed = twins.plain->look();
            twins.origin = system.change(changed, r);
            twins.changed = system.engine(own, std::move(changed), r);
            both.push_back(std::move(twins));
        }
        std::int64_t now = 0;
        const State *plain[2] = {}; // of both, as last looked at
        for (std::size_t k = 0; k < steps.size(); ++k) {
            for (std::size_t i = 0; i < both.size(); ++i) {
                const Twins &twins = both[i];
                sim::run_steps(own, *twins.plain, steps[k] - now);
                sim::run_steps(own, *twins.changed, steps[k] - now);
                const State &u = twins.plain->look();
                const State &v = twins.changed->look();
                Apart &apart = damages.changed.of(2 * pair + static_cast<std::int64_t>(i))[k];
                apart = system.compare(u, v, twins.origin);
                system.compare_agents(u, v, apart);
                plain[i] = &u;
            }
            if (both.size() == 2) {
                damages.independent[static_cast<std::size_t>(pair) * steps.size() + k] =
                    system.compare(*plain[0], *plain[1], both[0].origin);
            }
            now = steps[k];
        }
    });
    return damages;
}

} // namespace karst::lab
