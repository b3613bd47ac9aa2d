// karst tune: how the engines should divide their work on this device.
#include "cli/commands.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <new>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>

#include "cli/clock.hpp"
#include "cli/job.hpp"
#include "cli/tuning_file.hpp"
#include "cli/values.hpp"
#include "io/file.hpp"
#include "io/manifest.hpp"
#include "sim/tune.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
    JobArguments job;
    std::vector<std::string> only;
    std::vector<std::string> sizes;
    std::string density = "0.15";
    std::string metric = "time";
    std::string budget = "120";
    OptionalText cache;
};

const ParamInfo &budget_info() {
    static const ParamInfo info{
        "budget", "s", ParamType::real, 1,
        86400,    {},  120.0,           "Seconds after which no further point is tried."};
    return info;
}

const ParamInfo &density_info() {
    static const ParamInfo info{
        "density", "", ParamType::real, 0.0001, 256, {}, 0.15, "Agents a cell for --size."};
    return info;
}

struct Case {
    std::string engine;
    std::string name; // "physarum/2048x2048/density:0.15"
    std::function<sim::TuneResult(const sim::TuneSettings &)> run;
};

Case life_case(const Options &options, Extent2 extent) {
    return {"life", "life/" + size_text(extent), [&options, extent](const auto &settings) {
                return sim::tune_life(options, LifeRule{}, extent, settings);
            }};
}

Case volume_case(const Options &options, Extent3 extent) {
    return {"life3d", "life3d/" + size_text(extent), [&options, extent](const auto &settings) {
                return sim::tune_life(options, parse_life_rule_3d("B14-26/S13-26"), extent,
                                      settings);
            }};
}

Case physarum_case(const Options &options, Extent2 extent, double density) {
    char text[32];
    std::snprintf(text, sizeof text, "/density:%g", density);
    return {"physarum", "physarum/" + size_text(extent) + text,
            [&options, extent, density](const auto &settings) {
                PhysarumParams params;
                params.agent_density = density;
                return sim::tune_physarum(options, params, extent, settings);
            }};
}

// Sizes that are two classes apart, so that every size between them is next to one. What a person
// waits for: on the CPU smaller ones.
std::vector<Case> standard_cases(const Options &options) {
    const bool gpu = options.device.kind == DeviceKind::cuda;
    std::vector<Case> cases;
    for (std::int64_t side = gpu ? 1024 : 512; side <= (gpu ? 65536 : 4096); side *= 2) {
        cases.push_back(life_case(options, {side, side}));
    }
    for (std::int64_t side = 128; side <= (gpu ? 512 : 256); side *= 2) {
        cases.push_back(volume_case(options, {side, side, side}));
    }
    for (std::int64_t side = 512; side <= 2048; side *= 2) {
        cases.push_back(physarum_case(options, {side, side}, 0.15));
    }
    cases.push_back(physarum_case(options, {1024, 1024}, 1));
    if (gpu) {
        cases.push_back(physarum_case(options, {2048, 2048}, 1));
        cases.push_back(physarum_case(options, {2048, 2048}, 4));
        cases.push_back(physarum_case(options, {8192, 8192}, 1));
    }
    return cases;
}

std::vector<Case> given_cases(const Options &options, const Arguments &arguments) {
    const double density = parse_real(density_info(), arguments.density);
    std::vector<Case> cases;
    for (const std::string &size : arguments.sizes) {
        const auto [extent, depth] = parse_any_size(size);
        if (depth > 0) {
            cases.push_back(volume_case(options, {extent.width, extent.height, depth}));
        } else {
            cases.push_back(life_case(options, extent));
            cases.push_back(physarum_case(options, extent, density));
        }
    }
    return cases;
}

std::vector<Case> wanted_cases(const Options &options, const Arguments &arguments) {
    static const std::vector<std::string> kEngines{"life", "life3d", "physarum"};
    for (const std::string &engine : arguments.only) {
        if (std::find(kEngines.begin(), kEngines.end(), engine) == kEngines.end()) {
            throw Error(ErrorCode::invalid_argument,
                        "--only is '" + engine + "'; allowed is life, life3d or physarum");
        }
    }
    std::vector<Case> cases =
        arguments.sizes.empty() ? standard_cases(options) : given_cases(options, arguments);
    if (!arguments.only.empty()) {
        std::erase_if(cases, [&](const Case &its) {
            return std::find(arguments.only.begin(), arguments.only.end(), its.engine) ==
                   arguments.only.end();
        });
    }
    if (cases.empty()) {
        throw Error(ErrorCode::invalid_argument,
                    "no --size for --only; allowed is WxH of life and physarum, WxHxD of life3d");
    }
    return cases;
}

sim::TuneMetric parse_metric(const std::string &text) {
    if (text == "time") {
        return sim::TuneMetric::time;
    }
    if (text == "time-and-memory") {
        return sim::TuneMetric::time_and_memory;
    }
    throw Error(ErrorCode::invalid_argument,
                "--metric is '" + text + "'; allowed is time or time-and-memory");
}

Json json_of_case(const Case &its, const sim::TuneResult &result) {
    Json values = Json::object();
    for (const auto &[name, value] : result.choice.values) {
        values[name] = value;
    }
    return {{"name", its.name},
            {"engine", its.engine},
            {"cells", result.choice.cells},
            {"agents", result.choice.agents},
            {"default_seconds", result.default_seconds},
            {"tuned_seconds", result.tuned_seconds},
            {"speed_up", result.default_seconds / result.tuned_seconds},
            {"default_memory", result.default_memory},
            {"tuned_memory", result.tuned_memory},
            {"values", values},
            {"points", result.points},
            {"complete", result.complete},
            {"digest", io::hexadecimal(result.digest)}};
}

std::string row_of(const Case &its, const sim::TuneResult &result) {
    char text[320];
    std::snprintf(text, sizeof text, "%-32s %12.4f %12.4f %7.2fx %6d%c  %s  %s\n", its.name.c_str(),
                  result.default_seconds * 1e3, result.tuned_seconds * 1e3,
                  result.default_seconds / result.tuned_seconds, result.points,
                  result.complete ? ' ' : '+', io::hexadecimal(result.digest).c_str(),
                  result.choice.values.empty() ? "nothing better" : result.text.c_str());
    return text;
}

void run_tune(Arguments arguments) {
    take_best_device(arguments.job);
    sim::TuneSettings settings;
    settings.metric = parse_metric(arguments.metric);
    const double budget = parse_real(budget_info(), arguments.budget);
    Claims claims;
    claim_reports(claims, arguments.job);
    RunningJob running(arguments.job);
    const Options &options = running.options();
    const DeviceKey key = sim::device_key(options.device, options.threads);
    const std::vector<Case> cases = wanted_cases(options, arguments);
    const std::string path = arguments.cache.value_or(tuning_path());
    if (io::is_stdout(path)) {
        throw Error(ErrorCode::invalid_argument, "--cache is '-'; allowed is a file");
    }
    if (!path.empty()) {
        check_tuning_file(path);
    } else {
        running.remark("what is found is kept nowhere: KARST_TUNING is off, or there is no folder "
                       "for caches");
    }
    const auto say = [&](const std::string &text) {
        if (!arguments.job.json) {
            print(text);
        }
    };
    char heading[320];
    std::snprintf(heading, sizeof heading, "%s: %s\n%-32s %12s %12s %8s %7s  %-18s  %s\n",
                  to_string(options.device).c_str(), key.name.c_str(), "simulation", "default ms",
                  "tuned ms", "speed-up", "points", "digest", "tuning");
    say(heading);
    settings.tell = [&](const std::string &text) { running.detail(text); };
    std::vector<TunedEntry> found;
    Json report{{"results", Json::array()}};
    const auto keep = [&] {
        if (!path.empty() && !found.empty()) {
            const bool any = store_tuning(path, options.device.kind, key, found) > 0;
            say(any ? "kept in " + path + "\n" : "nothing to keep\n");
        }
    };
    const auto start = Clock::now();
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const double left = budget - seconds_since(start);
        settings.seconds = left / static_cast<double>(cases.size() - i);
        try {
            const sim::TuneResult result =
                running.timed(cases[i].name, [&] { return cases[i].run(settings); });
            say(row_of(cases[i], result));
            report["results"].push_back(json_of_case(cases[i], result));
            found.push_back({result.choice, result.default_seconds, result.tuned_seconds});
        } catch (const Error &error) {
            if (error.code() == ErrorCode::cancelled) {
                keep();
            }
            if (error.code() != ErrorCode::out_of_memory) {
                throw;
            }
            say(cases[i].name + ": " + error.what() + "\n");
            report["results"].push_back({{"name", cases[i].name}, {"skipped", error.what()}});
        } catch (const std::bad_alloc &) {
            say(cases[i].name + ": the memory ran out\n");
            report["results"].push_back(
                {{"name", cases[i].name}, {"skipped", "the memory ran out"}});
        }
    }
    report["cache"] = path.empty() ? Json() : Json(path);
    keep();
    running.report(std::move(report), {});
    if (found.empty()) {
        throw Error(ErrorCode::out_of_memory,
                    "no size was timed: the memory ran out; allowed are smaller ones");
    }
}

} // namespace

void add_tune_command(CLI::App &parent) {
    CLI::App &command = *parent.add_subcommand(
        "tune", "find the fastest way for the simulations on this device and keep it");
    const auto arguments = std::make_shared<Arguments>();
    command.add_option("--only", arguments->only, "life, life3d (volumes) or physarum; repeatable")
        ->type_name("NAME")
        ->allow_extra_args(false);
    command
        .add_option("--size", arguments->sizes,
                    "Cells WxH of a map, or WxHxD of a volume of Life; repeatable. Without: sizes "
                    "from small to large")
        ->type_name("SIZE")
        ->allow_extra_args(false);
    command.add_option("--density", arguments->density, density_info().help + " (default 0.15)")
        ->type_name("X");
    command
        .add_option(
            "--metric", arguments->metric,
            "What is to be small: time, or time-and-memory (seconds a step times bytes that "
            "the engine holds on its device)")
        ->type_name("KIND");
    command.add_option("--budget", arguments->budget, budget_info().help + " (default 120)")
        ->type_name("SECONDS");
    command
        .add_option(
            "--cache", arguments->cache,
            "Where the choices are kept, instead of the file that KARST_TUNING names or the one "
            "in the user's cache folder, which jobs read; KARST_TUNING=off: none")
        ->type_name("FILE");
    add_job_options(command, arguments->job);
    command.callback([arguments] { run_tune(*arguments); });
}

} // namespace karst::cli
