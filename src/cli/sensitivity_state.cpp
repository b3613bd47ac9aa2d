// karst sensitivity state: what one changed cell or one last bit of an agent becomes.
#include "cli/commands.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>
#include <karst/seed.hpp>

#include "cli/clock.hpp"
#include "cli/job.hpp"
#include "cli/life_input.hpp"
#include "cli/request.hpp"
#include "cli/sensitivity_files.hpp"
#include "cli/sensitivity_json.hpp"
#include "cli/sensitivity_pictures.hpp"
#include "lab/tasks.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;
using lab::Perturbation;

struct StateArguments {
    std::string simulation;
    LifeInput life;                       // seed and size are of both
    std::vector<std::string> assignments; // of Physarum
    OptionalText perturb, amount, flip, replicas;
    std::string transient = "0", steps = "400", every = "0";
    std::vector<std::string> files;
    bool dry_run = false;
    JobArguments job;
};

ParamInfo whole(const std::string &name, double least, double most, std::int64_t otherwise) {
    return {name, "", ParamType::integer, least, most, {}, otherwise, ""};
}

// What is measured: one of the two systems.
struct System {
    std::optional<lab::LifeDamage> life;
    lab::PhysarumDamage physarum;
    io::Parameters parameters;
};

[[noreturn]] void refuse_for(const std::string &simulation, const std::string &what) {
    throw Error(ErrorCode::invalid_argument,
                what + " is not for " + simulation + "; allowed is 'karst sensitivity state " +
                    (simulation == "life" ? "physarum" : "life") + "'");
}

System life_system(const StateArguments &arguments, const Options &options) {
    for (const auto &[name, given] :
         {std::pair{"--set", !arguments.assignments.empty()},
          {"--amount", arguments.amount.has_value()},
          {"--perturb", arguments.perturb.value_or("cell") != "cell"}}) {
        if (given) {
            refuse_for("life", name);
        }
    }
    LifeInput input = arguments.life;
    if (!input.in && !input.soup) {
        input.soup = "0.5";
    }
    LifeJob job = make_life_job(input, options);
    System system;
    system.life.emplace();
    system.life->rule = job.rule;
    system.life->boundary = job.boundary;
    system.life->size = job.board.extent();
    if (job.seed) {
        system.life->density = std::get<double>(job.parameters.front().second);
    } else {
        system.life->board = std::move(job.board);
    }
    if (arguments.flip) {
        system.life->flipped = parse_cell("flip", *arguments.flip);
    }
    system.parameters = job.parameters;
    return system;
}

System physarum_system(const StateArguments &arguments) {
    const LifeInput &other = arguments.life;
    for (const auto &[name, given] : {std::pair{"--in", other.in.has_value()},
                                      {"--soup", other.soup.has_value()},
                                      {"--rule", other.rule.has_value()},
                                      {"--boundary", other.boundary.has_value()},
                                      {"--flip", arguments.flip.has_value()}}) {
        if (given) {
            refuse_for("physarum", name);
        }
    }
    const GeneratorInfo &row = find_generator("physarum");
    AssetRequest request;
    request.size = other.size.value_or("256x256");
    request.assignments = arguments.assignments;
    const Job job = make_job(row, row, request);
    System system;
    system.physarum.params = lab::physarum_params(job.params);
    system.physarum.size = job.extent;
    const std::string kind = arguments.perturb.value_or("heading");
    bool known = false;
    for (const auto perturbation :
         {Perturbation::heading, Perturbation::position, Perturbation::trail}) {
        if (kind == lab::name_of(perturbation)) {
            system.physarum.perturbation = perturbation;
            known = true;
        }
    }
    if (!known) {
        throw Error(ErrorCode::invalid_argument, "--perturb is '" + kind +
                                                     "'; allowed is one of heading, position, "
                                                     "trail, and cell for life");
    }
    system.physarum.amount = arguments.amount
                                 ? parse_integer(whole("amount", 1, 65535, 1), *arguments.amount)
                                 : (system.physarum.perturbation == Perturbation::heading ? 16 : 1);
    for (const ParamInfo &info : row.params) {
        if (info.name == "steps") { // --steps says it here
            if (job.params.value(info.name) != info.default_value) {
                throw Error(ErrorCode::invalid_argument,
                            "--set steps is not for a measurement; allowed is --steps");
            }
        } else if (info.name != "birth_time") {
            system.parameters.emplace_back(info.name, job.params.value(info.name));
        }
    }
    return system;
}

lab::StateSettings settings_of(const StateArguments &arguments, const System &system) {
    const bool one = system.life && system.life->board && system.life->flipped;
    lab::StateSettings settings;
    settings.replicas = arguments.replicas
                            ? parse_integer(whole("replicas", 1, 1e6, 24), *arguments.replicas)
                            : (one ? 1 : 24);
    settings.transient = parse_integer(whole("transient", 0, 500'000, 0), arguments.transient);
    settings.steps = parse_integer(whole("steps", 1, 500'000, 400), arguments.steps);
    settings.every = parse_integer(whole("every", 0, 500'000, 0), arguments.every);
    settings.seed = parse_seed(arguments.life.seed.value_or("0"));
    return settings;
}

lab::StateReport measure_system(const System &system, const lab::StateSettings &settings,
                                const Options &options) {
    return system.life ? lab::measure_state(*system.life, settings, options)
                       : lab::measure_state(system.physarum, settings, options);
}

void print_estimate(const System &system, const lab::StateSettings &settings, Options options,
                    bool json) {
    lab::StateSettings probe = settings;
    probe.replicas = 1;
    probe.transient = 0;
    probe.every = 0;
    std::uint64_t bytes = 0;
    options.progress = {};
    options.stages = nullptr;
    options.memory_needed = [&bytes](std::uint64_t needed) { bytes = std::max(bytes, needed); };
    // First with one step, for what comes once; then twice as many each time until they can be
    // timed.
    constexpr double kLongEnough = 0.2;
    constexpr double kTooLong = 1;
    const auto seconds_of = [&](std::int64_t steps) {
        probe.steps = steps;
        const auto start = Clock::now();
        measure_system(system, probe, options);
        return seconds_since(start);
    };
    const double first = seconds_of(1);
    double once = 0;
    double each = first / 2; // if not even two steps are to be had
    for (std::int64_t steps = 2; steps <= settings.steps; steps *= 2) {
        const double took = seconds_of(steps);
        const bool too_long = took > kTooLong; // then all of it is for the steps, which is too much
        once = too_long ? 0 : first;
        each = too_long ? took / (2 * static_cast<double>(steps))
                        : std::max(took - first, 0.0) / (2 * static_cast<double>(steps - 1));
        if (too_long || took > first + kLongEnough) {
            break;
        }
    }
    const auto all = static_cast<double>(settings.replicas) *
                     static_cast<double>(settings.transient + 2 * settings.steps);
    const int threads = lab::threads_of(options);
    const double at_once =
        std::min<double>(threads, static_cast<double>(settings.replicas + 1) / 2);
    const double seconds = once + each * all / std::max(at_once, 1.0);
    if (json) {
        print(Json{{"replicas", settings.replicas}, {"seconds", seconds}, {"memory_bytes", bytes}}
                  .dump(2) +
              "\n");
        return;
    }
    char text[128];
    std::snprintf(text, sizeof text, "%lld replica%s, about %.1f s\n",
                  static_cast<long long>(settings.replicas), settings.replicas == 1 ? "" : "s",
                  seconds);
    print(text);
}

// "0.0123", "-" for what is none.
std::string brief(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return std::isfinite(value) ? text : "-";
}

std::string with_bounds(double value, double low, double high) {
    return brief(value) + (std::isfinite(low) ? " [" + brief(low) + ", " + brief(high) + "]" : "");
}

std::string as_text(const lab::StateReport &report) {
    char line[320];
    std::string text;
    std::snprintf(line, sizeof line, "%8s  %-34s %-12s %-12s %-12s %-8s %s\n", "step",
                  "damage, mean [interval]", "median", "agents", "Bray-Curtis", "radius", "alive");
    text += line;
    for (std::size_t k = 0; k < report.steps.size(); ++k) {
        const double agents = report.agents.mean.empty() ? std::nan("") : report.agents.mean[k];
        std::snprintf(
            line, sizeof line, "%8lld  %-34s %-12s %-12s %-12s %-8s %s\n",
            static_cast<long long>(report.steps[k]),
            with_bounds(report.damage.mean[k], report.damage.low[k], report.damage.high[k]).c_str(),
            brief(report.median[k]).c_str(), brief(agents).c_str(),
            brief(report.bray_curtis.mean[k]).c_str(), brief(report.front_radius.mean[k]).c_str(),
            brief(report.alive[k].share).c_str());
        text += line;
    }
    const auto row = [&](const char *name, const std::string &value) {
        std::snprintf(line, sizeof line, "%-22s ", name);
        text += line + value + "\n";
    };
    row("healed", with_bounds(report.healed.share, report.healed.low, report.healed.high));
    if (!report.independent_damage.empty()) {
        row("independent seeds", brief(report.independent_damage.back()) + " of the cells, " +
                                     brief(report.independent_bray_curtis.back()) + " Bray-Curtis");
    }
    const lab::DamageLaw &law = report.law;
    std::string its = lab::name_of(law.kind);
    if (law.exponent) {
        its += ", exponent " + with_bounds(*law.exponent, law.low.value_or(std::nan("")),
                                           law.high.value_or(std::nan("")));
    }
    if (law.criterion) {
        its += ", " + std::to_string(law.points) + " points from step " +
               std::to_string(law.first) + " to " + std::to_string(law.last) + ", criterion " +
               brief(*law.criterion);
    }
    row("law of growth", its);
    for (const auto &exponent : report.fsle) {
        row(&exponent == &report.fsle.front() ? "finite-size exponents" : "",
            brief(exponent.value) + " a step from " + brief(exponent.size) + " cells to twice (" +
                std::to_string(exponent.passages) + " passages, " +
                std::to_string(exponent.stayed) + " stayed)");
    }
    if (report.derrida_slope) {
        row("Derrida slope", brief(*report.derrida_slope) + " cells after one generation");
    }
    if (report.boolean_exponent) {
        row("Boolean exponent", brief(*report.boolean_exponent) + " a generation, all paths");
    }
    return text;
}

void run_state(const StateArguments &arguments) {
    if (arguments.simulation != "life" && arguments.simulation != "physarum") {
        throw Error(ErrorCode::invalid_argument, "the simulation is '" + arguments.simulation +
                                                     "'; allowed is one of life, physarum");
    }
    Claims claims;
    if (arguments.life.in) {
        claims.input(*arguments.life.in);
    }
    claim_sensitivity_files(claims, arguments.files);
    claim_reports(claims, arguments.job);
    RunningJob running(arguments.job);
    const System system = arguments.simulation == "life" ? life_system(arguments, running.options())
                                                         : physarum_system(arguments);
    const lab::StateSettings settings = settings_of(arguments, system);
    if (arguments.dry_run) {
        print_estimate(system, settings, running.options(), arguments.job.json);
        return;
    }
    running.details("damage of " + arguments.simulation + ", " + std::to_string(settings.replicas) +
                        " replicas",
                    system.parameters);
    const lab::StateReport report = measure_system(system, settings, running.options());
    const Json numbers = json_of(report, system.parameters);
    write_sensitivity_files(arguments.files, numbers, [&report] { return state_picture(report); });
    running.report(numbers, {});
    if (!arguments.job.json) {
        print(as_text(report));
    }
}

} // namespace

void add_state_command(CLI::App &parent) {
    CLI::App &command = *parent.add_subcommand(
        "state", "what one changed cell, or one last bit of an agent, becomes over time");
    const auto arguments = std::make_shared<StateArguments>();
    const auto text = [&command](const std::string &name, auto &value, const std::string &type,
                                 const std::string &help) {
        command.add_option(name, value, help)->type_name(type);
    };
    command.add_option("simulation", arguments->simulation, "life or physarum")
        ->type_name("SIMULATION")
        ->required();
    text("--size", arguments->life.size, "WxH", "Cells (default 256x256, of a pattern its own)");
    text("--seed", arguments->life.seed, "SEED",
         "Of the first replica, the others have those that follow (default 0)");
    text("--in", arguments->life.in, "FILE.rle", "Life: a pattern to start from");
    text("--soup", arguments->life.soup, "DENSITY",
         "Life: or each cell alive with this probability (default 0.5)");
    text("--rule", arguments->life.rule, "RULE", "Life: B3/S23 and the like");
    text("--boundary", arguments->life.boundary, "KIND",
         "Life: outside the board: torus (default), dead or alive");
    text("--flip", arguments->flip, "X,Y", "Life: the cell that is flipped (default: drawn)");
    text("--set", arguments->assignments, "NAME=VALUE",
         "Physarum: a parameter (karst params physarum); repeatable");
    command.get_option("--set")->allow_extra_args(false);
    text("--perturb", arguments->perturb, "WHAT",
         "Physarum: heading of an agent (default), position of an agent, or trail of the cell that "
         "has most");
    text("--amount", arguments->amount, "N",
         "Physarum: units that are added, of 1/65536 turn, cell or trail (default 1, of a heading "
         "16)");
    text("--transient", arguments->transient, "N", "Steps before the change (default 0)");
    text("--steps", arguments->steps, "N", "Steps after it (default 400)");
    text("--every", arguments->every, "N",
         "Record multiples of this step besides (default: a sixteenth of --steps)");
    text("--replicas", arguments->replicas, "N",
         "Runs that are changed, each with its own seed (default 24)");
    add_sensitivity_files(command, arguments->files);
    command.add_flag("--dry-run", arguments->dry_run, "Only estimate what it takes");
    add_job_options(command, arguments->job);
    command.callback([arguments] { run_state(*arguments); });
}

} // namespace karst::cli
