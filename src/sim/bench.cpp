#include "sim/bench.hpp"

#include <algorithm>

#include "core/digest.hpp"
#include "core/extent.hpp"
#include "core/rng.hpp"
#include "sim/bench_case.hpp"
#include "sim/life_bytes.hpp"

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
    if (extent.width % 64 != 0) { // no cells beyond the last of a row
        const std::int64_t words = (extent.width + 63) / 64;
        for (std::int64_t last = words - 1; last < board.words().size(); last += words) {
            board.words()[last] &= (std::uint64_t{1} << (extent.width % 64)) - 1;
        }
    }
    return board;
}

template <class Rule, class Extent>
BenchCase<Rule, LifeCells<Extent>> life_case(const char *engine, Rule rule, Extent extent) {
    core::require_sides(extent);
    const auto cells = static_cast<double>(extent.cells());
    // A bit in and a bit out.
    return {engine, size_class(extent.cells()), cells, cells / 4, rule, dense_board(extent), {}};
}

std::unique_ptr<LifeEngine> engine_of(core::Run &run, BoardCase &its) {
    const Options &options = run.options();
    if (options.device.kind == DeviceKind::cuda && its.code != cuda::LifeCode::automatic) {
        return cuda::make_life(options.device, std::move(its.start), its.rule, LifeBoundary::torus,
                               its.code,
                               chosen_tuning<cuda::LifeTuning>(tuning_of(options), its.size));
    }
    return make_engine(run, std::move(its.start), its.rule, LifeBoundary::torus);
}
std::unique_ptr<LifeVolumeEngine> engine_of(core::Run &run, VolumeCase &its) {
    return make_engine(run, std::move(its.start), its.rule, LifeBoundary::torus);
}
std::unique_ptr<PhysarumEngine> engine_of(core::Run &run, MapCase &its) {
    return make_engine(run, std::move(its.start), its.rule, nullptr);
}

template <class Extent>
std::uint64_t digest_of(const LifeCells<Extent> &board) {
    return digest(board);
}
std::uint64_t digest_of(const PhysarumState &state) {
    return core::digest(state.trail);
}

// The options that count.
Options own_options(const Options &options) {
    Options own;
    own.device = options.device;
    own.threads = options.threads;
    own.tuning = options.tuning;
    own.cancel = options.cancel;
    return own;
}

std::string tuning_text(const Options &options, const std::string &engine, SizeClass size) {
    const TuningChoice *const choice = find_choice(tuning_of(options), engine, size);
    const TuningAxes &axes = *find_axes(options.device.kind, engine);
    const auto point = choice == nullptr ? std::nullopt : point_of(axes, *choice);
    return text_of(axes, point.value_or(standard_point(axes)));
}

// `make` gives the engine.
template <class Make>
void time_engine(const core::Run &run, Timing &timing, int blocks, Make &&make) {
    const double start = core::clock_seconds();
    const auto engine = make();
    engine->advance(1);
    timing.first = core::clock_seconds() - start;
    engine->advance(kStepsAtOnce);
    for (int i = 0; i < blocks; ++i) {
        run.check_cancel();
        const double begin = core::clock_seconds();
        engine->advance(kStepsAtOnce);
        timing.seconds.push_back((core::clock_seconds() - begin) / kStepsAtOnce);
    }
    timing.memory = engine->memory();
    timing.digest = digest_of(engine->take());
}

template <class Case>
Timing time_blocks(const Options &options, Case its, int blocks) {
    core::Run run(own_options(options));
    Timing timing;
    timing.items = its.items;
    timing.bytes = its.bytes;
    timing.tuning = tuning_text(options, its.engine, its.size);
    time_engine(run, timing, blocks, [&] { return engine_of(run, its); });
    return timing;
}

} // namespace

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

BoardCase bench_case(LifeRule rule, Extent2 extent) {
    return life_case("life", rule, extent);
}

VolumeCase bench_case(LifeRule3 rule, Extent3 extent) {
    return life_case("life3d", rule, extent);
}

MapCase bench_case(const Options &options, const PhysarumParams &params, Extent2 extent) {
    core::require_sides(extent);
    core::Run run(own_options(options));
    const auto rule = quantise(params, extent, 1);
    auto state = spawn(run, params, rule);
    const auto agents = static_cast<std::int64_t>(state.agents.size());
    const auto items = static_cast<double>(agents);
    // An agent's 8 bytes in and out; a cell's trail in and out, its count in and cleared.
    const double bytes = 16 * items + 16 * static_cast<double>(extent.cells());
    return {"physarum", size_class(extent.cells(), agents), items, bytes, rule, std::move(state),
            {}};
}

Timing time_case(const Options &options, BoardCase its, int blocks) {
    return time_blocks(options, std::move(its), blocks);
}

Timing time_case(const Options &options, VolumeCase its, int blocks) {
    return time_blocks(options, std::move(its), blocks);
}

Timing time_case(const Options &options, MapCase its, int blocks) {
    return time_blocks(options, std::move(its), blocks);
}

Timing time_physarum(const Options &options, const PhysarumParams &params, Extent2 extent,
                     int blocks) {
    return time_blocks(options, bench_case(options, params, extent), blocks);
}

Timing time_life(const Options &options, LifeRule rule, Extent2 extent, int blocks,
                 cuda::LifeCode code) {
    BoardCase its = bench_case(rule, extent);
    its.code = code;
    return time_blocks(options, std::move(its), blocks);
}

Timing time_life(const Options &options, LifeRule3 rule, Extent3 extent, int blocks) {
    return time_blocks(options, bench_case(rule, extent), blocks);
}

Timing time_byte_life(const Options &options, Extent2 extent, int blocks) {
    core::require_sides(extent);
    const core::Run run(own_options(options));
    Timing timing;
    timing.items = static_cast<double>(extent.cells());
    timing.bytes = timing.items * 2;
    auto soup = dense_board(extent);
    time_engine(run, timing, blocks,
                [&] { return cuda::make_byte_life(options.device, std::move(soup)); });
    return timing;
}

} // namespace karst::sim
