// karst bits: bits out of fields, for programs that test random numbers.
#include "cli/commands.hpp"

#include <memory>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>
#include <karst/seed.hpp>

#include "cli/job.hpp"
#include "cli/seed_subject.hpp"
#include "cli/signals.hpp"
#include "cli/values.hpp"
#include "core/joined.hpp"
#include "io/file.hpp"
#include "lab/bits.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

struct BitArguments {
    std::string generator = "physarum";
    AssetRequest asset;
    std::string source = "lowest";
    std::string bytes;
    std::string stride = "1";
    bool raw = false;
    bool whitened = false;
    std::string output;
    JobArguments job;
};

struct SourceName {
    const char *name;
    lab::BitSource source;
    const char *shows; // what a test of these bits is about
};
constexpr SourceName kSources[] = {
    {"random", lab::BitSource::random,
     "the generator of random numbers, Philox4x32-10; nothing of a simulation"},
    {"key", lab::BitSource::key,
     "how neighbouring seeds become different numbers; nothing of a simulation"},
    {"threshold", lab::BitSource::threshold,
     "the picture itself: neighbouring cells belong together, so every test must fail"},
    {"lowest", lab::BitSource::lowest,
     "the lowest bits of an amount. If they pass, that is a property of the extraction; the "
     "terrain is as ordered as the bits of 'threshold' show"},
};

const SourceName &find_source(const std::string &text) {
    for (const SourceName &source : kSources) {
        if (text == source.name) {
            return source;
        }
    }
    throw Error(ErrorCode::invalid_argument,
                "--source is '" + text + "'; allowed is one of " +
                    core::joined(kSources, [](const SourceName &its) { return its.name; }));
}

Json bits_json(const BitArguments &arguments, const Json &job, const SourceName &source,
               const lab::BitSettings &settings, const lab::BitReport &report) {
    Json result{{"kind", "bits"}};
    result.update(job);
    result["source"] = source.name;
    result["whitened"] = settings.whitened;
    result["bytes"] = settings.bytes;
    result["first_seed"] = seed_to_string(settings.seed);
    result["stride"] = settings.stride;
    result["file"] = arguments.output;
    result["fields"] = report.fields;
    result["cells"] = report.cells;
    result["bits_taken"] = report.bits;
    result["ones"] = report.ones;
    result["entropy"] = report.entropy;
    result["chi_square"] = report.chi_square;
    result["serial_correlation"] = report.serial_correlation;
    result["shows"] = source.shows;
    return result;
}

std::string bits_text(const SourceName &source, const lab::BitSettings &settings,
                      const lab::BitReport &report) {
    char text[640];
    std::snprintf(text, sizeof text,
                  "%lld bytes, %s bits of '%s': %lld fields, %lld cells, %lld bits taken (%.4f a "
                  "cell)\nones %.6f, entropy %.6f bits a byte, chi square %.1f (255 expected, sd "
                  "22.6), serial correlation %+.6f\nshows %s%s\n",
                  static_cast<long long>(settings.bytes), settings.whitened ? "whitened" : "raw",
                  source.name, static_cast<long long>(report.fields),
                  static_cast<long long>(report.cells), static_cast<long long>(report.bits),
                  static_cast<double>(report.bits) / static_cast<double>(report.cells), report.ones,
                  report.entropy, report.chi_square, report.serial_correlation, source.shows,
                  settings.whitened ? ". Whitened bits say less still: of any stream without "
                                      "memory they are even"
                                    : "");
    return text;
}

void run_bits(const BitArguments &arguments) {
    const SourceName &source = find_source(arguments.source);
    if (arguments.raw && arguments.whitened) {
        throw Error(ErrorCode::invalid_argument,
                    "--raw and --whitened together; allowed is one of them");
    }
    const auto number = [](const char *name, const std::string &text, double most) {
        return parse_integer({name, "", ParamType::integer, 1, most, {}, std::int64_t{1}, ""},
                             text);
    };
    lab::BitSettings settings;
    settings.source = source.source;
    settings.whitened = arguments.whitened;
    settings.bytes = number("bytes", arguments.bytes, 1099511627776.0);
    settings.stride = number("stride", arguments.stride, 65536);
    settings.seed = parse_seed(arguments.asset.seed);
    SeedJob its = seed_job(arguments.generator, arguments.asset, {});
    settings.unit = its.has_fraction ? 65536 : 1;
    Claims claims;
    claim_reports(claims, arguments.job);
    claims.file(arguments.output, "-o");
    RunningJob running(arguments.job, 1000);
    io::OutputFile file(arguments.output, &cancel_switch());
    const lab::BitReport report = lab::extract_bits(
        its.subject.get(), settings, running.options(),
        [&](std::span<const std::uint8_t> piece) { file.write(piece.data(), piece.size()); },
        [&](double fraction) {
            running.display().show({"bits", fraction});
        });
    file.commit();
    running.display().clear();
    if (!arguments.job.json && !io::is_stdout(arguments.output)) {
        print(bits_text(source, settings, report));
    }
    running.report(bits_json(arguments, its.job, source, settings, report), {});
}

} // namespace

void add_bits_command(CLI::App &parent) {
    CLI::App &command =
        *parent.add_subcommand("bits", "bits out of fields, for programs that test random numbers");
    const auto arguments = std::make_shared<BitArguments>();
    const auto text = [&command](const char *name, auto &value, const char *type,
                                 const std::string &help) {
        return command.add_option(name, value, help)->type_name(type)->allow_extra_args(false);
    };
    text("--generator", arguments->generator, "NAME",
         "Whose field, one of " + seed_generators() + " (default physarum)");
    add_seed_job_options(command, arguments->asset);
    text("--seed", arguments->asset.seed, "SEED",
         "Of the first field; the next have the next ones");
    text("--source", arguments->source, "NAME",
         "lowest: the lowest bit of each cell with one unit of trail or more; threshold: which "
         "cells lie above the mean; random: the random numbers; key: of seed after seed the first "
         "(default lowest)");
    text("--bytes", arguments->bytes, "N", "How many")->required();
    text("--stride", arguments->stride, "N", "Each N-th cell along both axes (default 1)");
    command.add_flag("--raw", arguments->raw, "As they are taken (the default)");
    command.add_flag("--whitened", arguments->whitened,
                     "By von Neumann: of two bits 01 gives 0, 10 gives 1, others nothing");
    text("-o,--output", arguments->output, "FILE", "Where the bytes go, - for the standard output")
        ->required();
    add_job_options(command, arguments->job);
    command.callback([arguments] { run_bits(*arguments); });
}

} // namespace karst::cli
