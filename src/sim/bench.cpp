#include "sim/bench.hpp"

#include <algorithm>

#include "core/digest.hpp"
#include "core/extent.hpp"
#include "core/rng.hpp"
#include "sim/life.hpp"
#include "sim/life_bytes.hpp"
#include "sim/physarum.hpp"

namespace karst::sim {

namespace {

// Three of eight cells alive, made faster than make_soup for boards of billions of cells.
template <class Extent>
LifeCells<Extent> dense_board(Extent extent) {
    LifeCells<Extent> board(extent);
    std::uint64_t counter = 0;
    for (std::uint64_t &word : board.words().cells()) {
        const std::uint64_t a = core::mix64(++counter);
        const std::uint64_t b = core::mix64(++counter);
        word = a & (b | core::mix64(++counter));
    }
    return board;
}

// `make` gives the engine.
template <class Make>
auto run_blocks(Timing &timing, int blocks, Make &&make) {
    const double start = core::clock_seconds();
    auto engine = make();
    engine->advance(1);
    timing.first = core::clock_seconds() - start;
    engine->advance(kStepsAtOnce);
    for (int i = 0; i < blocks; ++i) {
        const double begin = core::clock_seconds();
        engine->advance(kStepsAtOnce);
        timing.seconds.push_back((core::clock_seconds() - begin) / kStepsAtOnce);
    }
    return engine;
}

template <class Rule, class Extent, class... Choice>
Timing time_board(Device device, int threads, Rule rule, Extent extent, int blocks,
                  Choice... choice) {
    core::require_sides(extent);
    Options options;
    options.threads = threads;
    core::Run run(options);
    Timing timing;
    timing.items = static_cast<double>(extent.cells());
    timing.bytes = timing.items / 4; // a bit in and a bit out
    auto soup = dense_board(extent);
    const auto engine = run_blocks(timing, blocks, [&] {
        return device.kind == DeviceKind::cuda
                   ? cuda::make_life(device, std::move(soup), rule, LifeBoundary::torus, choice...)
                   : cpu::make_life(run, std::move(soup), rule, LifeBoundary::torus);
    });
    timing.digest = digest(engine->take());
    return timing;
}

} // namespace

double Timing::median() const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
}

Timing time_physarum(Device device, int threads, const PhysarumParams &params, Extent2 extent,
                     int blocks) {
    core::require_sides(extent);
    Options options;
    options.threads = threads;
    core::Run run(options);
    const auto rule = quantise(params, extent, 1);
    auto state = spawn(run, params, rule);
    Timing timing;
    timing.items = static_cast<double>(state.agents.size());
    // An agent's 8 bytes in and out; a cell's trail in and out, its count in and cleared.
    timing.bytes = 16 * timing.items + 16 * static_cast<double>(extent.cells());
    const auto engine = run_blocks(timing, blocks, [&] {
        return device.kind == DeviceKind::cuda
                   ? cuda::make_physarum(device, std::move(state), rule, nullptr)
                   : cpu::make_physarum(run, std::move(state), rule, nullptr);
    });
    timing.digest = core::digest(engine->take().trail);
    return timing;
}

Timing time_life(Device device, int threads, LifeRule rule, Extent2 extent, int blocks,
                 cuda::LifeCode code) {
    return time_board(device, threads, rule, extent, blocks, code);
}

Timing time_life(Device device, int threads, LifeRule3 rule, Extent3 extent, int blocks) {
    return time_board(device, threads, rule, extent, blocks);
}

Timing time_byte_life(Device device, Extent2 extent, int blocks) {
    core::require_sides(extent);
    Timing timing;
    timing.items = static_cast<double>(extent.cells());
    timing.bytes = timing.items * 2;
    auto soup = dense_board(extent);
    const auto engine =
        run_blocks(timing, blocks, [&] { return cuda::make_byte_life(device, std::move(soup)); });
    timing.digest = digest(engine->take());
    return timing;
}

} // namespace karst::sim
