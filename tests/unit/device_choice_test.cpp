// Where jobs run with an automatic device, on machines that are made up.
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <karst/error.hpp>

#include "generators/registry.hpp"
#include "sim/device_choice.hpp"
#include "sim/devices.hpp"
#include "sim/erosion.hpp"

using namespace karst;
using sim::Gpu;
using sim::Machine;
using sim::Simulation;
using sim::Work;

namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
constexpr Device kFirst{DeviceKind::cuda, 0};

// A machine that counts how often its driver is asked.
struct Fake {
    int threads = 16;
    bool is_open = false;
    double speed = 1;
    std::uint64_t memory = 140 * kGiB;
    std::int64_t jobs = 1;
    int asked = 0;

    DeviceChoice choose(std::vector<Work> job) {
        const Machine machine{threads, is_open, [this](std::string &reason) -> std::optional<Gpu> {
                                  ++asked;
                                  if (speed > 0) {
                                      return Gpu{kFirst, "GPU", speed, memory};
                                  }
                                  reason = "none here";
                                  return std::nullopt;
                              }};
        return sim::choose_device(job, machine, jobs);
    }
};

Work physarum(std::int64_t side, double density, std::int64_t steps) {
    PhysarumParams params;
    params.agent_density = density;
    params.steps = steps;
    return sim::work_of(params, {side, side});
}

} // namespace

TEST_CASE("device choice: small jobs stay on the CPU, large ones do not") {
    const struct {
        const char *what;
        std::vector<Work> job;
        Fake machine;
        bool cuda;
        int asked;
    } cases[] = {
        {"a small map", {physarum(512, 0.15, 200)}, {}, false, 0},
        {"nothing to do", {}, {}, false, 0},
        {"a large map", {physarum(8192, 1, 200)}, {}, true, 1},
        {"a large board", {sim::work_of_life(Extent2{65536, 65536}, 1000)}, {}, true, 1},
        {"a board of few generations", {sim::work_of_life(Extent2{16384, 16384}, 1)}, {}, false, 0},
        {"a volume", {sim::work_of_life(Extent3{1024, 1024, 1024}, 200)}, {}, true, 1},
        {"ground of many passes", {sim::work_of_erosion({4096, 4096}, 60)}, {}, true, 1},
        {"a small ground", {sim::work_of_erosion({505, 505}, 36)}, {}, false, 0},
        {"three networks that pay together only",
         {physarum(2048, 0.15, 150), physarum(2048, 0.15, 150), physarum(2048, 0.15, 150)},
         {},
         true,
         1},
        {"one of them", {physarum(2048, 0.15, 150)}, {}, false, 0},
        {"with one thread", {physarum(2048, 0.15, 150)}, {.threads = 1}, true, 1},
        {"the device is open", {physarum(1024, 0.15, 200)}, {.is_open = true}, true, 1},
        {"it is, for less than a launch", {physarum(16, 0.15, 200)}, {.is_open = true}, false, 1},
        {"as one of many jobs", {physarum(1024, 0.15, 200)}, {.jobs = 100}, true, 1},
        {"a weak device", {physarum(4096, 0.15, 200)}, {.speed = 0.004}, false, 1},
        {"no device", {physarum(8192, 1, 200)}, {.speed = 0}, false, 1},
        {"little memory", {physarum(8192, 1, 200)}, {.memory = 4 * kGiB}, false, 1},
    };
    for (auto its : cases) {
        INFO(its.what);
        const DeviceChoice choice = its.machine.choose(its.job);
        INFO(choice.reason);
        CHECK(choice.device == (its.cuda ? kFirst : Device{}));
        CHECK(its.machine.asked == its.asked);
        CHECK((its.cuda ? choice.cuda_seconds < choice.cpu_seconds : true));
    }
}

TEST_CASE("device choice: the reason tells what was compared") {
    const std::vector<Work> large{physarum(8192, 1, 200)};
    CHECK(Fake{.speed = 0}.choose(large).reason == "no CUDA: none here");
    CHECK(Fake{.memory = 4 * kGiB}.choose(large).reason.find("GPU has 4.0 GiB and would need") ==
          0);
    CHECK(Fake{}.choose(large).reason.find(" on the CPU, about ") != std::string::npos);
    CHECK(Fake{}.choose({}).reason.find("no more than opening a CUDA device") != std::string::npos);
}

TEST_CASE("device choice: estimates follow what is to be done") {
    const Work once = physarum(1024, 0.5, 100);
    const Work twice = physarum(1024, 0.5, 200);
    CHECK(once.agents == 1024 * 512);
    CHECK(sim::cpu_seconds({&twice, 1}, 1) == doctest::Approx(2 * sim::cpu_seconds({&once, 1}, 1)));
    CHECK(sim::cpu_seconds({&once, 1}, 8) < sim::cpu_seconds({&once, 1}, 2));
    CHECK(sim::cuda_seconds({&once, 1}, 0.5) > sim::cuda_seconds({&once, 1}, 1));
    // One thread of the table in bench/results: 10.5 ms a step, and a sort.
    const Work known = physarum(2048, 0.15, 1);
    CHECK(sim::cpu_seconds({&known, 1}, 1) == doctest::Approx(10.7e-3).epsilon(0.05));
}

TEST_CASE("device choice: every job with simulations makes one before it starts") {
    const std::atomic<bool> from_the_start{true};
    for (const auto &row : all_generators()) {
        INFO(row.name);
        const auto choices_of = [&](Device device, bool tiles) {
            std::vector<DeviceChoice> choices;
            Options options;
            options.device = device;
            options.choices = &choices;
            options.cancel = &from_the_start;
            const Job job{ParamSet(row.params),
                          {64, 48},
                          row.default_cell,
                          1,
                          row.default_depth > 0 ? 16 : 0};
            try {
                tiles ? row.generate_tiles(
                            job, {}, [](const HeightmapTile &) {}, options)
                      : static_cast<void>(row.generate(job, options));
            } catch (const Error &error) {
                CHECK(error.code() == ErrorCode::cancelled);
            }
            return choices.size();
        };
        CHECK(choices_of({DeviceKind::automatic}, false) == 1);
        CHECK(choices_of({}, false) == 0);
        if (row.generate_tiles) {
            CHECK(choices_of({DeviceKind::automatic}, true) == 1);
        }
    }
}

TEST_CASE("device choice: what a device refuses, the CPU does from the beginning") {
    std::vector<DeviceChoice> choices;
    std::vector<StageDigest> digests{{"an earlier job", 1}};
    std::vector<std::string> notes{"of an earlier job"};
    std::vector<PinnedNetwork> networks(1);
    std::vector<double> fractions;
    Options options;
    options.choices = &choices;
    options.digests = &digests;
    options.notes = &notes;
    options.networks = &networks;
    options.progress = [&](const Progress &now) { fractions.push_back(now.fraction); };
    std::vector<Device> tried;
    const auto refuse = [] { throw cuda::Refusal(ErrorCode::out_of_memory, "it is full"); };
    // A job that a device does not come to the end of.
    const auto begin = [&](Device asked, const std::function<void()> &fail) {
        choices = {{kFirst, "by an estimate", 3, 2}};
        options.device = asked;
        Options chosen = options;
        chosen.device = kFirst;
        return sim::begin_on_device(options, chosen, [&](const Options &given) {
            const Options its = given; // as a run copies them
            tried.push_back(its.device);
            its.progress({"part", 0.25});
            its.digests->push_back({"part", 2});
            its.notes->push_back("a part");
            its.networks->emplace_back();
            if (its.device.kind == DeviceKind::cuda) {
                its.progress({"part", 0.5});
                fail();
            }
            its.progress({"rest", 1});
            return 7;
        });
    };
    SUBCASE("memory that it does not have") {
        CHECK(begin({DeviceKind::automatic}, refuse) == 7);
        CHECK(tried == std::vector{kFirst, Device{}});
        CHECK(digests == std::vector<StageDigest>{{"an earlier job", 1}, {"part", 2}});
        CHECK(networks.size() == 2);
        CHECK(notes == std::vector<std::string>{
                           "of an earlier job",
                           "the simulations ran on the CPU, as cuda:0 refused: it is full",
                           "a part"});
        REQUIRE(choices.size() == 2);
        CHECK(choices[1].device == Device{});
        CHECK(choices[1].reason == "cuda:0 refused: it is full");
        CHECK(choices[1].cpu_seconds == 3);
        CHECK(fractions == std::vector<double>{0.25, 0.5, 0.5, 1});
    }
    SUBCASE("any other failure is told") {
        CHECK_THROWS_WITH_AS(
            begin({DeviceKind::automatic},
                  [] { throw Error(ErrorCode::out_of_memory, "the host is full"); }),
            "the host is full", Error);
        CHECK(tried == std::vector{kFirst});
    }
    SUBCASE("a device by name is the only one") {
        CHECK_THROWS_WITH_AS(begin(kFirst, refuse), "it is full", Error);
        CHECK(tried == std::vector{kFirst});
        CHECK(choices.size() == 1);
    }
}

TEST_CASE("device choice: erosion of maps that are too thin for a device") {
    CHECK(cuda::erosion_tiles({1, 1}) == Extent2{1, 1});
    CHECK(cuda::erosion_tiles({64, 65}) == Extent2{1, 2});
    CHECK(cuda::can_erode({46340, 46340}));                     // the largest square of a heightmap
    constexpr std::int64_t kMost = (std::int64_t{1} << 20) - 1; // tiles
    CHECK(cuda::can_erode({kMost * 64, 1}));
    CHECK(cuda::can_erode({64, kMost * 64}));
    CHECK(!cuda::can_erode({kMost * 64 + 1, 1}));
    CHECK(!cuda::can_erode({3, kMost * 64 + 1}));
    CHECK(!cuda::can_erode({INT32_MAX, 1}));
}

TEST_CASE("device choice: asking for devices opens none") {
    available_devices();
    CHECK(!cuda::is_open());
}
