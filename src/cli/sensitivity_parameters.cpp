// karst sensitivity parameters: which knob changes the picture most.
#include "cli/commands.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>

#include "cli/clock.hpp"
#include "cli/field_cache.hpp"
#include "cli/job.hpp"
#include "cli/request.hpp"
#include "cli/sensitivity_files.hpp"
#include "cli/sensitivity_json.hpp"
#include "cli/sensitivity_pictures.hpp"
#include "cli/signals.hpp"
#include "core/run.hpp"
#include "lab/tasks.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kKeptFields = std::size_t{1} << 30; // bytes of trails that runs share
constexpr std::int64_t kUsualSide = 256;

struct KnobArguments {
    std::string generator;
    AssetRequest request;
    std::vector<std::string> only;
    OptionalText layer;
    std::string seeds = "4", halvings = "4", share = "0.1";
    std::vector<std::string> files;
    bool dry_run = false;
    JobArguments job;
};

// A small job where no size is asked for: a hundred runs of it or more.
AssetRequest with_size(const GeneratorInfo &row, AssetRequest request) {
    if (!request.size && !request.extent) {
        const auto side = [](std::int64_t cells) {
            return std::to_string(std::min(cells, kUsualSide));
        };
        request.size = side(row.default_extent.width) + "x" + side(row.default_extent.height) +
                       (row.default_depth > 0 ? "x" + side(row.default_depth) : "");
    }
    return request;
}

lab::ParameterSettings knob_settings(const KnobArguments &arguments) {
    const auto whole = [](const char *name, double least, double most) {
        return ParamInfo{name, "", ParamType::integer, least, most, {}, std::int64_t{4}, ""};
    };
    lab::ParameterSettings settings;
    settings.seeds = parse_integer(whole("seeds", 2, 1000), arguments.seeds);
    settings.halvings = parse_integer(whole("halvings", 0, 20), arguments.halvings);
    settings.share =
        parse_real({"share", "", ParamType::real, 1e-9, 1, {}, 0.1, ""}, arguments.share);
    settings.layer = arguments.layer.value_or("");
    settings.only = arguments.only;
    return settings;
}

void print_knob_estimate(const GeneratorInfo &row, const Job &job,
                         const lab::ParameterSettings &settings, const Options &options,
                         bool json) {
    const lab::ParameterPlan plan = lab::plan_parameters(row, job, settings, options);
    Options one;
    one.device = options.device;
    one.threads = 1;
    one.cancel = options.cancel;
    Job probe = job;
    probe.layers = {lab::compared_layer(row, settings.layer).name};
    const auto start = Clock::now();
    row.generate(probe, one);
    const int threads = lab::threads_of(options);
    const double seconds = seconds_since(start) * static_cast<double>(plan.runs) / threads;
    const std::uint64_t bytes = plan.bytes * static_cast<std::uint64_t>(threads);
    if (json) {
        print(Json{{"runs", plan.runs}, {"seconds", seconds}, {"memory_bytes", bytes}}.dump(2) +
              "\n");
        return;
    }
    char text[128];
    std::snprintf(text, sizeof text, "%lld runs, at most about %.1f s, %s\n",
                  static_cast<long long>(plan.runs), seconds, core::gibibytes(bytes).c_str());
    print(text);
}

template <class... Values>
std::string knob_text(const char *format, Values... values) {
    char text[320];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

std::string as_text(const lab::ParameterReport &report) {
    std::string text =
        knob_text("%4s  %-24s %-12s %-28s %6s  %-13s %s\n", "rank", "parameter", "value",
                  "effect [interval]", "order", "verdict", "change: distance");
    for (const lab::ParameterRow &row : report.rows) {
        std::string steps;
        for (std::size_t i = 0; i < row.changed.size(); ++i) {
            const bool number = row.type == ParamType::real || row.type == ParamType::integer;
            steps += (i == 0 ? "" : ", ") +
                     (number ? knob_text("%+.4g", row.steps[i]) : to_string(row.changed[i])) +
                     knob_text(": %.3g", row.distance[i].value);
        }
        if (!row.reason.empty()) {
            steps += (steps.empty() ? "" : "; ") + row.reason;
        }
        text +=
            knob_text("%4s  %-24s %-12s %-28s %6s  %-13s ",
                      row.rank > 0 ? std::to_string(row.rank).c_str() : "-", row.name.c_str(),
                      to_string(row.value).c_str(),
                      row.effect
                          ? knob_text("%.3g [%.3g, %.3g]", *row.effect, *row.low, *row.high).c_str()
                          : "-",
                      row.order ? knob_text("%.2f", *row.order).c_str() : "-",
                      lab::name_of(row.verdict)) +
            steps + "\n";
    }
    return text + knob_text("distance 1: layer %s of independent seeds, %.6g; %lld runs\n",
                            report.layer.c_str(), report.independent,
                            static_cast<long long>(report.runs));
}

void run_parameters(const KnobArguments &arguments) {
    const GeneratorInfo &named = find_generator(arguments.generator);
    const GeneratorInfo &row = requested_row(named, arguments.request);
    const AssetRequest request = with_size(row, arguments.request);
    const Job job = make_job(named, row, request);
    lab::ParameterSettings settings = knob_settings(arguments);
    lab::compared_layer(row, settings.layer);
    Claims claims;
    claim_sensitivity_files(claims, arguments.files);
    claim_reports(claims, arguments.job);
    RunningJob running(arguments.job);
    if (arguments.dry_run) {
        print_knob_estimate(row, job, settings, running.options(), arguments.job.json);
        return;
    }
    io::Parameters parameters;
    for (std::size_t i = 0; i < row.params.size(); ++i) {
        parameters.emplace_back(row.params[i].name, job.params.value(i));
    }
    running.details("parameters of " + row.name + " around these", parameters);
    RecipeCache cache(kKeptFields, "", &cancel_switch());
    Options options = running.options();
    options.cache = &cache;
    settings.run_ended = [&cache] { cache.give_up(); };
    const lab::ParameterReport report = lab::measure_parameters(row, job, settings, options);
    const std::string preset = request.preset        ? *request.preset
                               : row.presets.empty() ? ""
                                                     : row.presets.front().name;
    const Json numbers = json_of(report, job, preset, settings.confidence);
    write_sensitivity_files(arguments.files, numbers, [&] {
        return parameters_picture(
            report,
            knob_text("%s %s, %lld x %lld cells, layer %s: parameters changed by %g, %lld "
                      "seeds",
                      row.name.c_str(), preset.c_str(), static_cast<long long>(job.extent.width),
                      static_cast<long long>(job.extent.height), report.layer.c_str(),
                      settings.share, static_cast<long long>(report.seeds)));
    });
    running.report(numbers, {});
    if (!arguments.job.json) {
        print(as_text(report));
    }
}

} // namespace

void add_parameters_command(CLI::App &parent) {
    CLI::App &command = *parent.add_subcommand(
        "parameters", "which parameter of a generator changes the result most");
    const auto arguments = std::make_shared<KnobArguments>();
    const auto text = [&command](const std::string &name, auto &value, const std::string &type,
                                 const std::string &help) {
        return command.add_option(name, value, help)->type_name(type);
    };
    text("generator", arguments->generator, "GENERATOR", "One of karst params")->required();
    text("--preset", arguments->request.preset, "NAME", "Start from its values");
    text("--set", arguments->request.assignments, "NAME=VALUE", "Then a parameter; repeatable")
        ->allow_extra_args(false);
    text("--size", arguments->request.size, "WxH[xD]",
         "Cells (default: the generator's, at most 256 a side)");
    text("--extent", arguments->request.extent, "W[xH[xD]]", "Metres");
    text("--cell", arguments->request.cell, "M", "Metres a cell");
    text("--seed", arguments->request.seed, "SEED",
         "The first seed, the others follow (default 0)");
    text("--seeds", arguments->seeds, "N", "How many (default 4)");
    text("--layer", arguments->layer, "NAME", "What is compared (default: the first layer)");
    text("--only", arguments->only, "NAME", "Only this parameter; repeatable")
        ->allow_extra_args(false);
    text("--share", arguments->share, "X",
         "First step of a number as a share of its value (default 0.1)");
    text("--halvings", arguments->halvings, "N", "Of the first step (default 4)");
    add_sensitivity_files(command, arguments->files);
    command.add_flag("--dry-run", arguments->dry_run, "Only estimate what it takes");
    add_job_options(command, arguments->job);
    command.callback([arguments] { run_parameters(*arguments); });
}

} // namespace karst::cli
