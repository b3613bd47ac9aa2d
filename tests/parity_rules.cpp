#include "parity_rules.hpp"

#include <iomanip>
#include <iostream>

#include <karst/error.hpp>
#include <karst/seed.hpp>

#include "sim/life_code.hpp"
#include "sim/life_network.hpp"

namespace karst::test {

namespace {

struct Run {
    Extent2 extent;
    LifeBoundary boundary;
    std::int64_t generations;
};

// Fewer and more generations than a pass of 8, borders within a word, more strips than one.
constexpr Run kRuns[] = {
    {{1, 1}, LifeBoundary::torus, 9},      {{1, 40}, LifeBoundary::alive, 8},
    {{63, 17}, LifeBoundary::torus, 33},   {{64, 2}, LifeBoundary::dead, 16},
    {{128, 50}, LifeBoundary::torus, 24},  {{200, 31}, LifeBoundary::dead, 41},
    {{200, 31}, LifeBoundary::alive, 41},  {{4097, 40}, LifeBoundary::torus, 16},
    {{6000, 44}, LifeBoundary::alive, 17}, {{6016, 44}, LifeBoundary::dead, 25},
};

// Their networks have 1, 2, 3, 4, 4, 5, 6, 7 and 7 gates.
constexpr const char *kRules[] = {"B1357/S1357",   "B68/S1368",  "B5678/S45678",
                                  "B3/S23",        "B25/S0268",  "B1278/S03468",
                                  "B124568/S3467", "B013/S0478", "B0123478/S123468"};

void print(const std::string &name, std::uint64_t digest, const std::string &what) {
    std::cout << std::left << std::setw(44) << name << std::setw(20) << seed_to_string(digest)
              << "ok, " << what << std::endl;
}

// `generations` a pass of the kernel.
bool run_rule(const std::string &name, const char *text, int generations, Device device) {
    const LifeRule rule = parse_life_rule(text);
    cuda::LifeTuning tuning;
    tuning.generations = generations;
    std::uint64_t digests = 0;
    for (const Run &run : kRuns) {
        const LifeBoard soup = make_soup(run.extent, 0.45, 7);
        const auto plain = sim::make_plain_life(soup, rule, run.boundary);
        const auto compiled =
            cuda::make_life(device, soup, rule, run.boundary, cuda::LifeCode::compiled, tuning);
        const auto advance = [&](sim::LifeEngine &engine) {
            Options options;
            core::Run job(options);
            job.stage("parity", 1, device);
            sim::run_steps(job, engine, run.generations);
            return digest(engine.take());
        };
        const std::uint64_t expected = advance(*plain);
        if (advance(*compiled) != expected) {
            std::cout << "DIFFERS: " << name << ", plain and " << to_string(device) << ", "
                      << run.extent.width << "x" << run.extent.height << ", boundary "
                      << static_cast<int>(run.boundary) << std::endl;
            return false;
        }
        digests += expected;
    }
    print(name, digests, std::to_string(sim::make_life_network(rule).size()) + " gates");
    return true;
}

// An engine left to itself begins with masks and goes on with a kernel compiled for the rule.
bool run_change(const std::string &name, const char *text, Device device) {
    const LifeRule rule = parse_life_rule(text);
    const LifeBoard soup = make_soup({5000, 300}, 0.45, 7);
    const auto make = [&](cuda::LifeCode code) {
        return cuda::make_life(device, soup, rule, LifeBoundary::torus, code);
    };
    // Throws where nothing can be compiled.
    cuda::make_life(device, soup, LifeRule{}, LifeBoundary::torus, cuda::LifeCode::compiled);
    constexpr std::uint32_t kBlock = sim::kStepsAtOnce;
    constexpr std::int64_t kMostBlocks = 1 << 18;
    const auto engine = make(cuda::LifeCode::automatic);
    std::vector<KernelTime> first;
    engine->record(&first);
    engine->advance(kBlock);
    engine->record(nullptr);
    std::int64_t blocks = 1;
    std::vector<KernelTime> last;
    while (blocks < kMostBlocks && (last.empty() || last.front().kernel != "life_compiled")) {
        for (int i = 0; i < 1000; ++i) { // as graphs
            engine->advance(kBlock);
        }
        last.clear();
        engine->record(&last);
        engine->advance(kBlock);
        engine->record(nullptr);
        blocks += 1001;
    }
    const auto masks = make(cuda::LifeCode::masks);
    for (std::int64_t i = 0; i < blocks; ++i) {
        masks->advance(kBlock);
    }
    const std::uint64_t expected = digest(masks->take());
    if (first.front().kernel != "life_masks" || last.front().kernel != "life_compiled" ||
        digest(engine->take()) != expected) {
        std::cout << "DIFFERS: " << name << ", masks and " << last.front().kernel << " after "
                  << first.front().kernel << ", " << blocks << " blocks of generations"
                  << std::endl;
        return false;
    }
    print(name, expected, "masks, then compiled, in " + std::to_string(blocks * kBlock));
    return true;
}

} // namespace

bool run_compiled_rules(const std::vector<Device> &devices, Selection selection,
                        const std::string &prefix) {
    const auto wanted = [&](const std::string &name) { return name.starts_with(prefix); };
    for (const Device device : devices) {
        try {
            for (const char *rule : kRules) {
                const std::string name = std::string("rules/") + rule;
                if (wanted(name) && !run_rule(name, rule, 8, device)) {
                    return false;
                }
                if (wanted(name) && selection == Selection::quick) {
                    break;
                }
            }
            for (const int generations : {4, 2, 1}) {
                const std::string name = "rules/generations:" + std::to_string(generations);
                if (selection != Selection::quick && wanted(name) &&
                    !run_rule(name, "B25/S0268", generations, device)) {
                    return false;
                }
            }
            if (selection != Selection::quick && wanted("rules/change") &&
                !run_change("rules/change", "B36/S125", device)) {
                return false;
            }
        } catch (const Error &error) {
            if (error.code() != ErrorCode::unsupported) {
                throw;
            }
            std::cout << "skipped: rules/ on " << to_string(device) << ": " << error.what()
                      << std::endl;
        }
    }
    return true;
}

} // namespace karst::test
