// karst sensitivity seed: what one bit of the seed changes.
#include "cli/commands.hpp"

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>
#include <karst/seed.hpp>

#include "cli/job.hpp"
#include "cli/request.hpp"
#include "cli/seed_picture.hpp"
#include "cli/seed_report.hpp"
#include "cli/seed_subject.hpp"
#include "cli/sensitivity_files.hpp"
#include "cli/values.hpp"
#include "io/exporters.hpp"
#include "io/file.hpp"
#include "lab/seed_sensitivity.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

struct SeedArguments {
    std::string generator;
    AssetRequest asset;
    std::string bits = "0-63";
    std::string steps = "0,1,10,100";
    std::string seeds = "auto";
    std::string repeat = std::to_string(lab::kRepeatSeeds);
    std::vector<std::string> files;
    JobArguments job;
};

ParamInfo seed_number(const char *name, double least, double most) {
    return {name, "", ParamType::integer, least, most, {}, std::int64_t{0}, ""};
}

// "0-7,32": rising, each once.
std::vector<std::int64_t> parse_list(const ParamInfo &info, const std::string &text) {
    std::vector<std::int64_t> list;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string part = text.substr(begin, end - begin);
        const std::size_t dash = part.find('-');
        const std::int64_t first = parse_integer(info, part.substr(0, dash));
        const std::int64_t last =
            dash == part.npos ? first : parse_integer(info, part.substr(dash + 1));
        if (last < first || last - first > 1000) {
            throw Error(ErrorCode::invalid_argument,
                        "--" + info.name + " has '" + part +
                            "'; allowed are numbers and rising ranges such as 0-7,32");
        }
        for (std::int64_t number = first; number <= last; ++number) {
            list.push_back(number);
        }
        begin = end + 1;
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
}

lab::SeedSettings settings_of(const SeedArguments &arguments) {
    lab::SeedSettings settings;
    for (const std::int64_t bit : parse_list(seed_number("bits", 0, 63), arguments.bits)) {
        settings.bits.push_back(static_cast<int>(bit));
    }
    if (arguments.seeds != "auto") {
        settings.seeds = parse_integer(seed_number("seeds", 2, lab::kMostSeeds), arguments.seeds);
    }
    settings.repeat_seeds =
        parse_integer(seed_number("repeat", 0, lab::kMostSeeds), arguments.repeat);
    settings.base = parse_seed(arguments.asset.seed);
    return settings;
}

std::string waiting_text(double seconds) {
    char text[32];
    if (seconds < 120) {
        std::snprintf(text, sizeof text, "%.0f s", seconds);
    } else {
        std::snprintf(text, sizeof text, "%.0f min", seconds / 60);
    }
    return text;
}

// Tells what comes before each part, and shows how far all is. How many base seeds are needed is
// known after the pilot only, which therefore takes the first quarter of the bar.
class SeedWatch {
public:
    SeedWatch(RunningJob &running, bool has_pilot)
        : running_(running), next_(has_pilot ? 0.25 : 0.9) {}

    void plan(const lab::SeedPlan &plan) {
        char seconds[32];
        std::snprintf(seconds, sizeof seconds, "%.3g s", plan.seconds_a_run);
        const double all =
            plan.seconds_a_run * static_cast<double>(plan.runs) / std::max(1, plan.threads);
        running_.remark(plan.what + ": " + std::to_string(plan.runs) + " runs of about " + seconds +
                        ", " + std::to_string(plan.threads) + " at a time on " +
                        to_string(plan.device) + ", " + waiting_text(all));
        begin_ = end_;
        end_ = next_;
        next_ = next_ < 0.9 ? 0.9 : 1;
    }
    void progress(const char *part, std::int64_t done, std::int64_t all) {
        running_.display().show({part, begin_ + (end_ - begin_) * static_cast<double>(done) /
                                                    static_cast<double>(all)});
    }

private:
    RunningJob &running_;
    double begin_ = 0, end_ = 0, next_;
};

void run_seed(const SeedArguments &arguments) {
    const lab::SeedSettings settings = settings_of(arguments);
    const auto steps = parse_list(seed_number("steps", 0, 1e9), arguments.steps);
    SeedJob its = seed_job(arguments.generator, arguments.asset, steps);
    its.job["base_seed"] = seed_to_string(settings.base);
    its.job["bits"] = settings.bits;
    its.job["steps"] = steps;
    Claims claims;
    claim_reports(claims, arguments.job);
    claim_sensitivity_files(claims, arguments.files);
    std::string state_path; // beside the numbers
    for (const std::string &file : arguments.files) {
        if (state_path.empty() && !io::is_stdout(file) && io::extension_of(file) == ".json") {
            state_path = file + ".state";
            claims.file(state_path, "the state of -o " + file);
        }
    }
    RunningJob running(arguments.job, 1000);
    // The number of base seeds may grow from one run to the next.
    SeedState state(state_path, {{"algorithm_version", KARST_ALGORITHM_VERSION},
                                 {"job", its.job},
                                 {"repeat", settings.repeat_seeds},
                                 {"seeds", arguments.seeds}});
    if (!state.samples().empty()) {
        running.remark(std::to_string(state.samples().size()) + " base seeds were measured before");
    }
    SeedWatch watch(running, !settings.seeds);
    lab::SeedHooks hooks;
    hooks.plan = [&](const lab::SeedPlan &plan) { watch.plan(plan); };
    hooks.progress = [&](const char *part, std::int64_t done, std::int64_t all) {
        watch.progress(part, done, all);
    };
    hooks.keep = [&](const lab::SeedSample &sample) { state.keep(sample); };
    hooks.known = state.samples();
    lab::SeedReport report;
    try {
        report = lab::measure_seed_sensitivity(*its.subject, settings, running.options(), hooks);
    } catch (...) {
        state.write();
        throw;
    }
    Json result{{"kind", "seed"}};
    result.update(its.job);
    result.update(json_of(report));
    running.display().clear();
    Json numbers{{"karst", KARST_VERSION}, {"algorithm_version", KARST_ALGORITHM_VERSION}};
    numbers.update(result);
    write_sensitivity_files(arguments.files, numbers, [&] { return seed_picture(numbers); });
    state.remove();
    if (!arguments.job.json) {
        print(text_of(report));
    }
    running.report(std::move(result), {});
    lab::require_met(report);
}

} // namespace

void add_seed_command(CLI::App &parent) {
    CLI::App &command = *parent.add_subcommand(
        "seed", "each bit of the seed against other seeds, stage by stage; status 6 if one is not "
                "as good");
    const auto arguments = std::make_shared<SeedArguments>();
    command.add_option("generator", arguments->generator, "One of " + seed_generators())
        ->type_name("GENERATOR")
        ->required();
    const auto text = [&command](const char *name, auto &value, const char *type,
                                 const std::string &help) {
        return command.add_option(name, value, help)->type_name(type)->allow_extra_args(false);
    };
    AssetRequest &asset = arguments->asset;
    add_seed_job_options(command, asset);
    text("--bits", arguments->bits, "LIST", "Bits of the seed to flip (default 0-63)");
    text("--steps", arguments->steps, "LIST",
         "Steps of simulations that are looked at besides their end, 0 their start (default "
         "0,1,10,100)");
    text("--seeds", arguments->seeds, "N",
         "Base seeds, 2 to 4096, or auto: as many as the power of all tests asks for (default "
         "auto)");
    text("--repeat", arguments->repeat, "N",
         "Fresh base seeds for bits that are not within, 0: none (default 128)");
    text("--seed", asset.seed, "SEED", "What the base seeds are functions of (default 0)");
    add_sensitivity_files(command, arguments->files);
    add_job_options(command, arguments->job);
    command.callback([arguments] { run_seed(*arguments); });
}

} // namespace karst::cli
