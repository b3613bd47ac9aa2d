// Times the tiled Physarum engine of CUDA under many tunings and compares what it computes with the
// engine of two kernels.
//
//     karst_physarum_sweep SIDE DENSITY DENSE_PERCENT,THREADS,DRIFT,BLOCKS...
//
// A tuning is as in PhysarumTuning. Exit status 1 if an engine gives
// another trail.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "core/digest.hpp"
#include "core/run.hpp"
#include "sim/physarum_tuning.hpp"

using namespace karst;

namespace {

constexpr int kRounds = 5;

struct Result {
    double first;  // ms until the first step was done
    double median; // ms a step, of rounds of 32
    std::uint64_t digest;
};

double milliseconds(auto &&work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    return took.count();
}

Result time_engine(auto &&make, const sim::PhysarumState &start) {
    auto state = start;
    std::unique_ptr<sim::PhysarumEngine> engine;
    Result result{};
    result.first = milliseconds([&] {
        engine = make(state);
        if (engine) {
            engine->advance(1);
        }
    });
    if (!engine) {
        return result;
    }
    engine->advance(sim::kStepsAtOnce - 1);
    std::vector<double> times;
    for (int i = 0; i < kRounds; ++i) {
        times.push_back(milliseconds([&] { engine->advance(sim::kStepsAtOnce); }));
    }
    std::ranges::sort(times);
    result.median = times[kRounds / 2] / sim::kStepsAtOnce;
    result.digest = core::digest(engine->take().trail);
    return result;
}

} // namespace

int main(int count, char **arguments) {
    if (count < 3) {
        std::fputs("usage: karst_physarum_sweep SIDE DENSITY TUNING...\n", stderr);
        return 2;
    }
    const std::int64_t side = std::atoll(arguments[1]);
    Options options;
    options.device = {DeviceKind::cuda, 0};
    core::Run run(options);
    PhysarumParams params;
    params.agent_density = std::atof(arguments[2]);
    const auto rule = sim::quantise(params, {side, side}, 1);
    const auto start = sim::spawn(run, params, rule);
    const auto agents = static_cast<double>(start.agents.size());
    std::printf("%lld^2, %.2f M agents\n%-18s%10s%12s%14s  %s\n", static_cast<long long>(side),
                agents / 1e6, "tuning", "first ms", "us a step", "G steps/s", "trail");
    const auto print = [&](const char *name, const Result &r) {
        std::printf("%-18s%10.2f%12.2f%14.2f  %016llx\n", name, r.first, r.median * 1e3,
                    agents / r.median / 1e6, static_cast<unsigned long long>(r.digest));
        std::fflush(stdout);
    };
    const auto tiled = [&](const cuda::PhysarumTuning &tuning) {
        return time_engine(
            [&](sim::PhysarumState &state) {
                return cuda::make_tiled_physarum(options.device, state, rule, tuning);
            },
            start);
    };
    const Result reference = time_engine(
        [&](sim::PhysarumState &state) {
            return cuda::make_two_pass_physarum(options.device, std::move(state), rule);
        },
        start);
    print("two kernels", reference);
    bool same = true;
    for (int i = 2; i < count; ++i) {
        cuda::PhysarumTuning tuning;
        const bool given = i > 2;
        if (given && std::sscanf(arguments[i], "%d,%d,%d,%d", &tuning.dense_percent,
                                 &tuning.threads, &tuning.drift, &tuning.blocks) != 4) {
            std::fprintf(stderr, "'%s' is no tuning\n", arguments[i]);
            return 2;
        }
        if (given) {
            tuning.least_tiles = 0;
            tuning.least_sparse_agents = 0;
        }
        const Result result = tiled(tuning);
        if (result.median == 0) {
            std::printf("%-18s does not apply here\n", given ? arguments[i] : "default");
            continue;
        }
        print(given ? arguments[i] : "default", result);
        same = same && result.digest == reference.digest;
    }
    std::puts(same ? "all equal" : "DIFFERS");
    return same ? 0 : 1;
}
