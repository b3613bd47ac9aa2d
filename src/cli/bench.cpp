// karst bench: how fast the simulations and whole assets are on a device.
#include "cli/commands.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>

#include "cli/job.hpp"
#include "cli/scaling.hpp"
#include "cli/values.hpp"
#include "core/digest.hpp"
#include "io/manifest.hpp"
#include "sim/bench.hpp"
#include "sim/devices.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
    JobArguments job;
    std::vector<std::string> only;
    std::string largest;
    std::string blocks = "5";
    bool scaling = false;
};

const ParamInfo &blocks_info() {
    static const ParamInfo info{
        "blocks", "", ParamType::integer, 1,
        1000,     {}, std::int64_t{5},    "Blocks of 32 steps, of which the median counts."};
    return info;
}

const ParamInfo &largest_info() {
    static const ParamInfo info{"largest", "", ParamType::integer, 256,
                                262144,    {}, std::int64_t{4096}, "The largest side of a map."};
    return info;
}

struct Case {
    std::string name;
    std::string unit; // of what a step has, for the rate
    std::int64_t side;
    std::function<sim::Timing(int blocks)> run;
    std::string against = {}; // the name of an earlier one to compare with
};

Case physarum_case(const Options &options, std::int64_t side, double density) {
    char text[32];
    std::snprintf(text, sizeof text, "/density:%g", density);
    const std::string name = "physarum/" + size_text(Extent2{side, side}) + text;
    return {name, "agent-steps", side, [&options, side, density](int blocks) {
                PhysarumParams params;
                params.agent_density = density;
                return sim::time_physarum(options, params, {side, side}, blocks);
            }};
}

template <class Rule, class Extent, class... Choice>
Case life_case(const Options &options, const std::string &name, Rule rule, Extent extent,
               Choice... choice) {
    return {name, "cells", extent.width, [=, &options](int blocks) {
                return sim::time_life(options, rule, extent, blocks, choice...);
            }};
}

// Conway's rule and one for which karst has nothing of its own, on CUDA by masks and as a kernel
// compiled for it. Of the networks for rules its is one of the longest.
void add_boards(std::vector<Case> &cases, const Options &options, Extent2 extent) {
    const std::string size = size_text(extent);
    const std::string conway = "life/" + size + "/B3/S23";
    const std::string other = "life/" + size + "/B013/S0478";
    const LifeRule rule = parse_life_rule("B013/S0478");
    cases.push_back(life_case(options, conway, LifeRule{}, extent));
    cases.push_back(life_case(options, other, rule, extent, cuda::LifeCode::masks));
    cases.back().against = conway;
    if (options.device.kind == DeviceKind::cuda) {
        cases.push_back(
            life_case(options, other + "/nvrtc", rule, extent, cuda::LifeCode::compiled));
        cases.back().against = conway;
        cases.push_back( // as articles measure it
            {"life-int8/" + size + "/B3/S23", "cells", extent.width,
             [&options, extent](int blocks) {
                 return sim::time_byte_life(options, extent, blocks);
             }});
        cases.back().against = conway;
    }
}

std::vector<Case> simulation_cases(const Options &options) {
    std::vector<Case> cases;
    for (const std::int64_t side : {1024, 4096, 16384, 65536}) {
        add_boards(cases, options, {side, side});
    }
    for (const std::int64_t side : {256, 512, 1024}) {
        const Extent3 extent{side, side, side};
        cases.push_back(life_case(options, "life3d/" + size_text(extent),
                                  parse_life_rule_3d("B14-26/S13-26"), extent));
    }
    for (const auto &[side, density] : {std::pair<std::int64_t, double>{512, 0.15},
                                        {2048, 0.15},
                                        {2048, 1},
                                        {2048, 4},
                                        {8192, 1}}) {
        cases.push_back(physarum_case(options, side, density));
    }
    return cases;
}

bool is_wanted(const Arguments &arguments, const std::string &name) {
    return arguments.only.empty() ||
           std::any_of(arguments.only.begin(), arguments.only.end(),
                       [&](const std::string &text) { return name.starts_with(text); });
}

void say(const JobArguments &job, const std::string &line) {
    if (!job.json) {
        print(line + "\n");
    }
}

std::string row(const char *format, auto... values) {
    char text[256];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

Json measure(const Arguments &arguments, RunningJob &running, const Case &its, int blocks,
             double copy_rate) {
    Json entry{{"name", its.name}};
    try {
        const sim::Timing timing = running.timed(its.name, [&] { return its.run(blocks); });
        const double seconds = timing.median();
        entry["unit"] = its.unit;
        entry["per_step"] = timing.items;
        entry["median_seconds"] = seconds;
        entry["seconds"] = timing.seconds;
        entry["first_step_seconds"] = timing.first;
        entry["rate"] = timing.items / seconds;
        entry["bytes_per_second"] = timing.bytes / seconds;
        entry["share_of_copy"] = timing.bytes / seconds / copy_rate;
        entry["digest"] = io::hexadecimal(timing.digest);
        entry["tuning"] = timing.tuning;
        say(arguments.job, row("%-34s %12.4f %12.4g %9.1f %6.0f%% %9.2f  %s  %s", its.name.c_str(),
                               seconds * 1e3, timing.items / seconds, timing.bytes / seconds / 1e9,
                               100 * timing.bytes / seconds / copy_rate, timing.first * 1e3,
                               io::hexadecimal(timing.digest).c_str(), timing.tuning.c_str()));
    } catch (const Error &error) {
        if (error.code() != ErrorCode::out_of_memory && error.code() != ErrorCode::unsupported) {
            throw;
        }
        entry["skipped"] = error.what();
        say(arguments.job, row("%-34s %s", its.name.c_str(), error.what()));
    } catch (const std::bad_alloc &) {
        entry["skipped"] = "the memory ran out";
        say(arguments.job, row("%-34s the memory ran out", its.name.c_str()));
    }
    return entry;
}

// Adds how the last of the results compares with the one called `against`, if both were measured.
void compare_last(const Arguments &arguments, Json &results, const std::string &against) {
    Json &last = results.back();
    for (const Json &entry : results) {
        if (entry["name"] == against && entry.contains("median_seconds") &&
            last.contains("median_seconds")) {
            const double times =
                last["median_seconds"].get<double>() / entry["median_seconds"].get<double>();
            last["against"] = against;
            last["times"] = times;
            say(arguments.job, row("%-34s %12.2f times %s", "", times, against.c_str()));
        }
    }
}

// A whole asset with its defaults, from the seed to the layers in memory.
Json measure_asset(const Arguments &arguments, const GeneratorInfo &generator,
                   RunningJob &running) {
    Job job{ParamSet(generator.params), generator.default_extent, generator.default_cell, 1,
            generator.default_depth};
    std::vector<StageTime> stages;
    std::vector<StageDigest> digests;
    Options options = running.options();
    options.stages = &stages;
    options.digests = &digests;
    const std::string name = "asset/" + generator.name;
    running.timed(name, [&] { return generator.generate(job, options); });
    Json entry{{"name", name}};
    double seconds = 0;
    for (const StageTime &stage : stages) {
        seconds += stage.seconds;
        entry["stages"].push_back(
            {{"stage", stage.stage}, {"device", stage.device}, {"seconds", stage.seconds}});
    }
    entry["seconds"] = seconds;
    if (!digests.empty()) {
        entry["digest"] = io::hexadecimal(digests.back().digest);
    }
    say(arguments.job, row("%-34s %12.1f ms whole %36s  %s", name.c_str(), seconds * 1e3, "",
                           digests.empty() ? "" : entry["digest"].get<std::string>().c_str()));
    return entry;
}

// That each --only is the beginning of a name.
void require_names(const Arguments &arguments, std::span<const Case> cases) {
    for (const std::string &text : arguments.only) {
        const auto begins = [&](const std::string &name) { return name.starts_with(text); };
        const bool found =
            std::any_of(cases.begin(), cases.end(),
                        [&](const Case &its) { return begins(its.name); }) ||
            std::any_of(all_generators().begin(), all_generators().end(),
                        [&](const GeneratorInfo &generator) {
                            return !generator.simulation && begins("asset/" + generator.name);
                        });
        if (!found) {
            throw Error(ErrorCode::invalid_argument,
                        "--only is '" + text +
                            "'; allowed is how life/SIZE, life-int8/SIZE, life3d/SIZE, "
                            "physarum/SIZE or asset/NAME begins");
        }
    }
    if (arguments.scaling && !arguments.only.empty()) {
        throw Error(ErrorCode::invalid_argument,
                    "--only and --scaling together; allowed is one of them");
    }
}

void run_bench(Arguments arguments) {
    take_best_device(arguments.job);
    const int blocks = static_cast<int>(parse_integer(blocks_info(), arguments.blocks));
    Claims claims;
    claim_reports(claims, arguments.job);
    RunningJob running(arguments.job);
    const Options &options = running.options();
    const bool gpu = options.device.kind == DeviceKind::cuda;
    const std::vector<Case> cases = simulation_cases(options);
    require_names(arguments, cases);
    // What a person waits for: without a limit, boards that the CPU has done in a minute.
    const std::int64_t largest = arguments.largest.empty()
                                     ? (gpu ? 65536 : 4096)
                                     : parse_integer(largest_info(), arguments.largest);
    const double copy_rate = sim::copy_rate(options.device, options.threads);
    say(arguments.job, row("%s; a copy reads and writes %.1f GB/s",
                           to_string(options.device).c_str(), copy_rate / 1e9));
    Json report{{"copy_bytes_per_second", copy_rate}};
    if (arguments.scaling) {
        report["scaling"] = measure_scaling(
            options, largest, blocks, [&](const std::string &line) { say(arguments.job, line); });
        running.report(std::move(report), {});
        return;
    }
    say(arguments.job, row("%-34s %12s %12s %9s %7s %9s  %-18s  %s", "simulation", "ms a step",
                           "items/s", "GB/s", "of copy", "first ms", "digest", "tuning"));
    report["results"] = Json::array();
    for (const Case &its : cases) {
        // A volume has as many cells as a map of 1.5 powers of its side.
        const bool volume = its.name.starts_with("life3d");
        const double side = static_cast<double>(its.side);
        if (is_wanted(arguments, its.name) &&
            (volume ? std::pow(side, 1.5) : side) <= static_cast<double>(largest)) {
            report["results"].push_back(measure(arguments, running, its, blocks, copy_rate));
            compare_last(arguments, report["results"], its.against);
        }
    }
    for (const GeneratorInfo &generator : all_generators()) {
        if (!generator.simulation && is_wanted(arguments, "asset/" + generator.name)) {
            report["results"].push_back(measure_asset(arguments, generator, running));
        }
    }
    running.report(std::move(report), {});
}

} // namespace

void add_bench_command(CLI::App &parent) {
    CLI::App &command = *parent.add_subcommand(
        "bench", "how fast simulations and assets are, with the digest of each result");
    const auto arguments = std::make_shared<Arguments>();
    command
        .add_option("--only", arguments->only,
                    "Names that begin so: life, life3d, physarum/2048, asset/crack; repeatable")
        ->type_name("NAME");
    command
        .add_option("--largest", arguments->largest,
                    "No map with a larger side, and no volume of more cells than it has (default "
                    "4096 on the CPU, 65536 with CUDA)")
        ->type_name("CELLS");
    command.add_option("--blocks", arguments->blocks, blocks_info().help + " (default 5)")
        ->type_name("N");
    command.add_flag("--scaling", arguments->scaling,
                     "Fit t = a n^b + c to the time of Physarum over its side, agents and steps, "
                     "and of Life over its side");
    add_job_options(command, arguments->job);
    command.callback([arguments] { run_bench(*arguments); });
}

} // namespace karst::cli
