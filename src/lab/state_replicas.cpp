#include "lab/state_replicas.hpp"

#include "lab/require.hpp"
#include <algorithm>
#include <string>

#include <karst/error.hpp>

namespace karst::lab {

void require_settings(const StateSettings &its) {
    require_within("replicas", its.replicas, 1, 1'000'000);
    require_within("transient", its.transient, 0, 500'000);
    require_within("steps", its.steps, 1, 500'000);
    // So many records that they are no longer a curve.
    require_within("every", its.every, 0, its.steps);
    if (its.every > 0 && its.steps / its.every > 10'000) {
        require_within("every", its.every, (its.steps + 9'999) / 10'000, its.steps);
    }
    if (!(its.confidence > 0 && its.confidence < 1)) {
        throw Error(ErrorCode::invalid_argument, "the confidence is " +
                                                     std::to_string(its.confidence) +
                                                     "; allowed is above 0 and below 1");
    }
}

std::int64_t radius_between(Cell2 origin, std::int64_t x, std::int64_t y, Extent2 size,
                            bool torus) {
    const auto along = [torus](std::int64_t a, std::int64_t b, std::int64_t side) {
        const std::int64_t d = a < b ? b - a : a - b;
        return torus ? std::min(d, side - d) : d;
    };
    return std::max(along(origin.x, x, size.width), along(origin.y, y, size.height));
}

Options on_best_device(const Options &options, int threads, sim::Work simulation,
                       std::int64_t replicas, std::size_t records) {
    const double runs = 2 * static_cast<double>(replicas);
    // As one simulation of one thread: each replica has a thread of its own.
    simulation.steps *= runs / threads;
    // At each record the state comes to the host. On an H200 with 16 cores that took 0.2 ms of
    // Physarum and 0.02 ms of Life on 256 x 256 cells, as long as so many steps of an empty field,
    // which cost the CPU nothing.
    const double empty_steps = simulation.simulation == sim::Simulation::physarum ? 16 : 20;
    sim::Work looks = simulation;
    looks.agents = looks.cells = 0;
    looks.steps = runs * static_cast<double>(records) * empty_steps;
    const sim::Work both[] = {simulation, looks};
    Options alone = options;
    alone.executor = nullptr;
    alone.threads = 1;
    Options chosen = options;
    chosen.device = sim::on_device(alone, both).device;
    return chosen;
}

} // namespace karst::lab
