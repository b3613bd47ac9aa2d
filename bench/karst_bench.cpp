// Speed of the two simulations on every device, whole steps. Each line carries the digest of what
// it computed: the same number on every device, or the speed means nothing.
//
//     karst_bench --benchmark_out=result.json --benchmark_out_format=json
#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>

#include <karst/device.hpp>
#include <karst/seed.hpp>

#include "core/digest.hpp"
#include "core/rng.hpp"
#include "core/run.hpp"
#include "sim/life.hpp"
#include "sim/physarum.hpp"

using namespace karst;

namespace {

constexpr std::int64_t kIterations = 5;

void physarum(benchmark::State &state, Device device, std::int64_t side, double density) {
    Options options;
    options.device = device;
    core::Run run(options);
    PhysarumParams params;
    params.agent_density = density;
    const auto rule = sim::quantise(params, {side, side}, 1);
    auto start = sim::spawn(run, params, rule);
    const auto agents = static_cast<double>(start.agents.size());
    auto engine = device.kind == DeviceKind::cuda
                      ? cuda::make_physarum(device, std::move(start), rule, nullptr)
                      : cpu::make_physarum(run, std::move(start), rule, nullptr);
    engine->advance(sim::kStepsAtOnce); // the graph is captured and the network has begun
    for (auto _ : state) {
        engine->advance(sim::kStepsAtOnce);
    }
    const double steps = static_cast<double>(state.iterations()) * sim::kStepsAtOnce;
    state.counters["agent_steps/s"] =
        benchmark::Counter(agents * steps, benchmark::Counter::kIsRate);
    state.counters["s/step"] =
        benchmark::Counter(steps, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
    state.SetLabel(seed_to_string(core::digest(engine->take().trail)));
}

// Random words with 3 of 8 bits set, made faster than make_soup for boards of billions of cells.
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

void life(benchmark::State &state, Device device, auto extent, auto rule) {
    Options options;
    options.device = device;
    core::Run run(options);
    auto soup = dense_board(extent);
    auto engine = device.kind == DeviceKind::cuda
                      ? cuda::make_life(device, std::move(soup), rule, LifeBoundary::torus)
                      : cpu::make_life(run, std::move(soup), rule, LifeBoundary::torus);
    engine->advance(sim::kStepsAtOnce);
    for (auto _ : state) {
        engine->advance(sim::kStepsAtOnce);
    }
    const double generations = static_cast<double>(state.iterations()) * sim::kStepsAtOnce;
    state.counters["cells/s"] = benchmark::Counter(
        static_cast<double>(extent.cells()) * generations, benchmark::Counter::kIsRate);
    state.counters["s/generation"] =
        benchmark::Counter(generations, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
    state.SetLabel(seed_to_string(digest(engine->take())));
}

// Fixed iterations, so that every device ends in the same state; the median of the repetitions is
// the figure to quote.
void configure(benchmark::internal::Benchmark *bench) {
    bench->Iterations(kIterations)->Repetitions(5)->UseRealTime()->Unit(benchmark::kMillisecond);
    bench->ReportAggregatesOnly(false);
}

} // namespace

int main(int argc, char **argv) {
    benchmark::Initialize(&argc, argv);
    for (const DeviceInfo &info : available_devices()) {
        std::printf("# %s: %s\n", to_string(info.device).c_str(), info.name.c_str());
        const bool gpu = info.device.kind == DeviceKind::cuda;
        const auto name = [&](const std::string &what) {
            return what + "/" + to_string(info.device);
        };
        for (const auto &[side, density] :
             {std::pair<std::int64_t, double>{512, 0.15}, {2048, 0.15}, {2048, 1.0}, {8192, 1.0}}) {
            if (gpu || density < 1) {
                const std::string size = std::to_string(side);
                configure(benchmark::RegisterBenchmark(
                    name("physarum/" + size + "x" + size +
                         "/density:" + (density < 1 ? "0.15" : "1"))
                        .c_str(),
                    [device = info.device, s = side, d = density](benchmark::State &state) {
                        physarum(state, device, s, d);
                    }));
            }
        }
        for (const std::int64_t side : {1024, 2048, 4096, 16384, 65536}) {
            const std::string size = std::to_string(side);
            configure(benchmark::RegisterBenchmark(
                name("life/" + size + "x" + size).c_str(),
                [device = info.device, side](benchmark::State &state) {
                    life(state, device, Extent2{side, side}, LifeRule{});
                }));
        }
        configure(benchmark::RegisterBenchmark(
            name("life/4096x4096/B36_S125").c_str(),
            [device = info.device](benchmark::State &state) {
                life(state, device, Extent2{4096, 4096}, parse_life_rule("B36/S125"));
            }));
        for (const std::int64_t side : {256, 512, 1024}) {
            if (gpu || side <= 512) {
                const std::string size = std::to_string(side);
                configure(benchmark::RegisterBenchmark(
                    name("life3d/" + size + "x" + size + "x" + size).c_str(),
                    [device = info.device, side](benchmark::State &state) {
                        life(state, device, Extent3{side, side, side},
                             parse_life_rule_3d("B14-26/S13-26"));
                    }));
            }
        }
    }
    std::fflush(stdout);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
