// Damage of Life.
#include <bit>
#include <new>
#include <string>

#include <karst/error.hpp>

#include "core/extent.hpp"
#include "lab/cellular.hpp"
#include "lab/life_damage.hpp"
#include "lab/state_replicas.hpp"
#include "sim/life.hpp"

namespace karst::lab {

namespace {

constexpr std::int64_t kBooleanSide = 128;
constexpr std::int64_t kBooleanSteps = 200;

struct LifeSystem {
    using State = LifeBoard;
    using Engine = sim::LifeEngine;

    const LifeDamage &its;
    const StateSettings &settings;
    Extent2 size;

    std::uint64_t seed_of(std::int64_t replica) const {
        return settings.seed + static_cast<std::uint64_t>(replica);
    }

    LifeBoard start(core::Run &run, std::int64_t replica) const {
        return its.board ? *its.board
                         : make_soup(size, its.density, seed_of(replica), {},
                                     options_of_task(run.options()));
    }

    std::unique_ptr<Engine> engine(core::Run &run, LifeBoard board, std::int64_t) const {
        return sim::make_engine(run, std::move(board), its.rule, its.boundary);
    }

    Cell2 change(LifeBoard &board, std::int64_t replica) const {
        const core::Draw4 draw = core::philox4x32(0, 0, 0, use(slot_change), seed_of(replica));
        const auto drawn = [](std::uint32_t word, std::int64_t side) {
            return static_cast<std::int32_t>(word * static_cast<std::uint64_t>(side) >> 32);
        };
        const Cell2 cell = its.flipped.value_or(
            Cell2{drawn(draw.word[0], size.width), drawn(draw.word[1], size.height)});
        board.set(cell.x, cell.y, !board.alive(cell.x, cell.y));
        return cell;
    }

    Apart compare(const LifeBoard &u, const LifeBoard &v, Cell2 origin) const {
        Apart apart;
        const bool torus = its.boundary == LifeBoundary::torus;
        const std::int64_t words = u.words().width();
        for (std::int64_t y = 0; y < size.height; ++y) {
            for (std::int64_t i = 0; i < words; ++i) {
                const std::uint64_t one = u.words().at(i, y);
                const std::uint64_t other = v.words().at(i, y);
                apart.sum += static_cast<std::uint64_t>(std::popcount(one) + std::popcount(other));
                for (std::uint64_t rest = one ^ other; rest != 0; rest &= rest - 1) {
                    const std::int64_t x = 64 * i + std::countr_zero(rest);
                    apart.radius =
                        std::max(apart.radius, radius_between(origin, x, y, size, torus));
                    ++apart.cells;
                }
            }
        }
        apart.difference = static_cast<std::uint64_t>(apart.cells);
        return apart;
    }

    void compare_agents(const LifeBoard &, const LifeBoard &, Apart &) const {}
};

void require_life(const LifeDamage &its, const StateSettings &settings, Extent2 size) {
    core::require_sides(size);
    const auto refuse = [](const std::string &text) {
        throw Error(ErrorCode::invalid_argument, text);
    };
    if (its.flipped && (its.flipped->x < 0 || its.flipped->y < 0 || its.flipped->x >= size.width ||
                        its.flipped->y >= size.height)) {
        refuse("the flipped cell is " + std::to_string(its.flipped->x) + "," +
               std::to_string(its.flipped->y) + "; allowed is one of the board of " +
               std::to_string(size.width) + "x" + std::to_string(size.height));
    }
    if (its.board && its.flipped && settings.replicas > 1) {
        refuse("replicas is " + std::to_string(settings.replicas) +
               "; allowed is 1 for one cell of one board, which has one damage");
    }
}

// What the rule itself says, where it can be computed.
void add_theory(const LifeDamage &its, const StateSettings &settings, Extent2 size,
                const Options &options, StateReport &report) {
    if (its.boundary != LifeBoundary::torus || size.width < 3 || size.height < 3) {
        return;
    }
    if (!its.board && settings.transient == 0) {
        report.derrida_slope = average_sensitivity(sensitive_pairs(its.rule), its.density);
    }
    const Extent2 part{std::min(size.width, kBooleanSide), std::min(size.height, kBooleanSide)};
    if (its.board && part != size) {
        return;
    }
    Options here = options_of_task(options);
    here.device = Device{DeviceKind::cpu};
    report.boolean_exponent = boolean_exponent(
        its.rule, its.board ? *its.board : make_soup(part, its.density, settings.seed, {}, here),
        settings.transient, kBooleanSteps, here);
}

} // namespace

StateReport measure_state(const LifeDamage &system, const StateSettings &settings,
                          const Options &options) try {
    const Extent2 size = system.board ? system.board->extent() : system.size;
    require_settings(settings);
    require_life(system, settings, size);
    StateReport report;
    report.simulation = "life";
    report.perturbation = Perturbation::cell;
    report.size = size;
    report.settings = settings;
    report.steps = recorded_steps(settings.steps, settings.every);
    const int threads = threads_of(options);
    // Two replicas a thread, each twice, and what the engine of one adds; half as many pairs.
    const auto words = static_cast<std::uint64_t>((size.width + 63) / 64 * size.height);
    core::require_memory(static_cast<std::uint64_t>(threads) * 6 * 8 * words +
                             3 * Records::bytes(settings.replicas, report.steps.size()) / 2,
                         "damage on boards of this size", options);
    const auto measure = [&](const Options &chosen) {
        core::Run run(chosen);
        run.stage("damage", 1, chosen.device);
        Damages damages = run_replicas(run, LifeSystem{system, settings, size}, settings.transient,
                                       settings.replicas, report.steps);
        run.finish();
        return damages;
    };
    const sim::Work one = sim::work_of_life(size, settings.transient + settings.steps);
    summarise(sim::begin_on_device(
                  options,
                  on_best_device(options, threads, one, settings.replicas, report.steps.size()),
                  measure),
              !system.board, report);
    add_theory(system, settings, size, options, report);
    return report;
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}

} // namespace karst::lab
