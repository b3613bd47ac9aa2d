// karst sensitivity: what a small difference becomes.
#include "cli/commands.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>

#include "cli/job.hpp"
#include "cli/preview.hpp"
#include "cli/toy_picture.hpp"
#include "cli/values.hpp"
#include "lab/oracles.hpp"
#include "lab/real.hpp"
#include "lab/toy.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;
using lab::ToyOrder;

// What is not finite is null in JSON.
Json finite_or_null(double value) {
    return std::isfinite(value) ? Json(value) : Json();
}

template <class... Values>
std::string printed(const char *format, Values... values) {
    char text[256];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

// --- karst sensitivity toy --------------------------------------------------------------------

constexpr std::int64_t kIterations = 20'000;

struct ToyArguments {
    std::string alpha = "0.3", beta = "0.1", gamma = "0.2", kappa = "0.3";
    std::string order = "synchronous";
    OptionalText output;
    bool json = false;
};

ParamInfo coefficient(const std::string &name, double otherwise, const std::string &help) {
    return {name, "", ParamType::real, -10, 10, {}, otherwise, help};
}

ToyOrder parse_order(const std::string &text) {
    for (const auto order :
         {ToyOrder::synchronous, ToyOrder::deposit_first, ToyOrder::sequential}) {
        if (text == order_name(order)) {
            return order;
        }
    }
    throw Error(ErrorCode::invalid_argument,
                "--order is '" + text +
                    "'; allowed is one of synchronous, deposit_first, sequential");
}

const char *equations(ToyOrder order) {
    switch (order) {
    case ToyOrder::deposit_first:
        return "p' = (1-b)(p + a y), y' = g p + (1-k) y";
    case ToyOrder::sequential:
        return "p' = (1-b) p + a y, y' = g p' + (1-k) y";
    case ToyOrder::synchronous:
        break;
    }
    return "p' = (1-b) p + a y, y' = g p + (1-k) y";
}

std::string eigenvalue_text(const lab::ToyAnalysis &its) {
    const auto &[first, second] = its.eigenvalues;
    if (first.imaginary != 0) {
        return printed("%.6f +- %.6fi", first.real, first.imaginary);
    }
    return printed("%.6f, %.6f", first.real, second.real);
}

struct ToyReport {
    lab::Toy toy;
    lab::ToyAnalysis its;
    double iterated;
    double transient; // the most that a difference grows, t = 0 to 1000
    std::int64_t transient_at;
};

ToyReport toy_report(const lab::Toy &toy) {
    const auto curve = lab::growth_curve(toy, 1000);
    const auto top = std::max_element(curve.begin(), curve.end());
    return {toy, lab::analyse(toy), lab::iterated_exponent(toy, kIterations),
            lab::exponential(*top), top - curve.begin()};
}

Json as_json(const ToyReport &report) {
    const auto &[toy, its, iterated, transient, transient_at] = report;
    const bool decays = its.growth == lab::Growth::decays;
    Json eigenvalues = Json::array();
    for (const auto &e : its.eigenvalues) {
        eigenvalues.push_back({{"real", e.real}, {"imaginary", e.imaginary}});
    }
    return {{"alpha", toy.alpha},
            {"beta", toy.beta},
            {"gamma", toy.gamma},
            {"kappa", toy.kappa},
            {"order", order_name(toy.order)},
            {"equations", equations(toy.order)},
            {"eigenvalues", eigenvalues},
            {"radius", its.radius},
            {"exponent", finite_or_null(its.exponent)},
            {"iterated_exponent", finite_or_null(iterated)},
            {"iterations", kIterations},
            {"alpha_gamma", toy.alpha * toy.gamma},
            {"beta_kappa", toy.beta * toy.kappa},
            {"margins",
             {{"det_one_minus_a", its.margins[0]},
              {"det_one_plus_a", its.margins[1]},
              {"one_minus_det_a", its.margins[2]}}},
            {"condition", lab::growth_condition(toy.order)},
            {"criterion", its.claim},
            {"growth", growth_name(its.growth)},
            {"criterion_agrees", its.agrees},
            {"largest_transient", decays ? finite_or_null(transient) : Json()},
            {"largest_transient_step", decays ? Json(transient_at) : Json()}};
}

std::string as_text(const ToyReport &report) {
    const auto &[toy, its, iterated, transient, transient_at] = report;
    const auto row = [](const char *name, const std::string &text) {
        return printed("%-20s ", name) + text + "\n";
    };
    std::string text =
        row("model", printed("alpha %g, beta %g, gamma %g, kappa %g", toy.alpha, toy.beta,
                             toy.gamma, toy.kappa)) +
        row("order", std::string(order_name(toy.order)) + ": " + equations(toy.order)) +
        row("eigenvalues", eigenvalue_text(its)) +
        row("exponent",
            printed("%+.6f, ln of the largest absolute value %.6f", its.exponent, its.radius)) +
        row("iterated",
            printed("%+.6f over %lld steps", iterated, static_cast<long long>(kIterations))) +
        row("grows exactly if", std::string(lab::growth_condition(toy.order))) +
        row("margins of decay", printed("det(I-A) %.6g, det(I+A) %.6g, 1-det A %.6g",
                                        its.margins[0], its.margins[1], its.margins[2])) +
        row("a difference", growth_name(its.growth)) +
        row("criterion", printed("alpha gamma > beta kappa: %.6g > %.6g, %s", toy.alpha * toy.gamma,
                                 toy.beta * toy.kappa, its.claim ? "yes" : "no")) +
        row("", its.agrees
                    ? "agrees with what happens"
                    : (its.claim ? "is wrong: nothing grows" : "is wrong: it misses growth"));
    if (its.growth == lab::Growth::decays && transient > 1) {
        text += row("before it decays", printed("it grows %.4g times by step %lld", transient,
                                                static_cast<long long>(transient_at)));
    }
    return text;
}

void run_toy(const ToyArguments &arguments) {
    const auto value = [](const std::string &name, const std::string &text) {
        return parse_real(coefficient(name, 0, ""), text);
    };
    const lab::Toy toy{value("alpha", arguments.alpha), value("beta", arguments.beta),
                       value("gamma", arguments.gamma), value("kappa", arguments.kappa),
                       parse_order(arguments.order)};
    Claims claims;
    claims.report("", arguments.json);
    if (arguments.output) {
        require_picture_file(*arguments.output);
        claims.file(*arguments.output, "-o");
    }
    const ToyReport report = toy_report(toy);
    if (arguments.output) {
        write_picture(*arguments.output, toy_picture(toy, report.iterated), "sensitivity");
    }
    if (arguments.json) {
        print(as_json(report).dump(2) + "\n");
    } else if (arguments.output != "-") {
        print(as_text(report));
    }
}

void add_toy_command(CLI::App &parent) {
    CLI::App &command = *parent.add_subcommand(
        "toy", "the two-variable model of trail and agents: when does a difference grow?");
    const auto arguments = std::make_shared<ToyArguments>();
    command
        .add_option("--alpha", arguments->alpha,
                    "What the agents' difference adds to the trail's, -10 to 10 (default 0.3)")
        ->type_name("X");
    command
        .add_option("--beta", arguments->beta,
                    "Share that the trail's difference loses in a step (default 0.1)")
        ->type_name("X");
    command
        .add_option("--gamma", arguments->gamma,
                    "What the trail's difference adds to the agents' (default 0.2)")
        ->type_name("X");
    command
        .add_option("--kappa", arguments->kappa,
                    "Share that the agents' difference loses in a step (default 0.3)")
        ->type_name("X");
    command
        .add_option("--order", arguments->order,
                    "Of a step: synchronous, deposit_first (deposit, then decay), sequential "
                    "(agents see the new trail) (default synchronous)")
        ->type_name("ORDER");
    command.add_flag("--json", arguments->json, "As JSON");
    command
        .add_option("-o,--output", arguments->output,
                    "A picture, a .png: where the criterion is right, growth over time")
        ->type_name("FILE");
    command.callback([arguments] { run_toy(*arguments); });
}

// --- karst sensitivity oracles ----------------------------------------------------------------

Json as_json(const lab::Oracle &oracle) {
    return {{"system", oracle.system},
            {"measure", oracle.measure},
            {"known", oracle.known},
            {"estimate", finite_or_null(oracle.estimate)},
            {"tolerance", oracle.tolerance},
            {"origin", oracle.origin},
            {"met", oracle.met()}};
}

std::string as_text(std::span<const lab::Oracle> oracles) {
    std::string text = printed("%-25s %-46s %14s %14s %9s\n", "system", "measure", "known",
                               "estimate", "tolerance");
    for (const lab::Oracle &oracle : oracles) {
        text += printed("%-25s %-46s %14.9g %14.9g %9.2g  %s\n", oracle.system.c_str(),
                        oracle.measure.c_str(), oracle.known, oracle.estimate, oracle.tolerance,
                        oracle.met() ? "met" : "MISSED");
    }
    const auto met = std::count_if(oracles.begin(), oracles.end(),
                                   [](const lab::Oracle &oracle) { return oracle.met(); });
    return text + printed("%lld of %zu met\n", static_cast<long long>(met), oracles.size());
}

void run_oracles(const JobArguments &arguments) {
    Claims claims;
    claim_reports(claims, arguments);
    RunningJob running(arguments);
    Options options; // many short simulations: their stages are of no interest
    options.device = running.options().device;
    options.threads = running.options().threads;
    options.cancel = running.options().cancel;
    const auto oracles = lab::measure_oracles(options);
    if (!arguments.json) {
        print(as_text(oracles));
    }
    Json list = Json::array();
    for (const lab::Oracle &oracle : oracles) {
        list.push_back(as_json(oracle));
    }
    running.report({{"oracles", list}}, {});
    lab::require_met(oracles);
}

void add_oracles_command(CLI::App &parent) {
    CLI::App &command = *parent.add_subcommand(
        "oracles", "the estimators on systems whose sensitivity is known; status 6 if one misses");
    const auto arguments = std::make_shared<JobArguments>();
    add_job_options(command, *arguments);
    command.callback([arguments] { run_oracles(*arguments); });
}

} // namespace

void add_sensitivity_parts(CLI::App &parent) {
    add_seed_command(parent);
    add_state_command(parent);
    add_parameters_command(parent);
    add_toy_command(parent);
    add_oracles_command(parent);
}

CLI::App &add_sensitivity_command(CLI::App &parent) {
    CLI::App &command =
        *parent.add_subcommand("sensitivity", "what a small difference becomes, measured");
    command.require_subcommand(1);
    add_sensitivity_parts(command);
    add_report_command(command);
    return command;
}

} // namespace karst::cli
