// karst sensitivity report: all measurements of some generators, and a page that shows them.
#include "cli/commands.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

#include <nlohmann/json.hpp>

#include <karst/device.hpp>
#include <karst/error.hpp>
#include <karst/seed.hpp>

#include "cli/html_report.hpp"
#include "cli/job.hpp"
#include "cli/values.hpp"
#include "core/joined.hpp"
#include "io/file.hpp"
#include "lab/seed_sensitivity.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{1} << 28; // of a file of a part

// Metres a cell by which a map of the default size holds so much of what varies (plates, rooms,
// valleys) that the power of the tests asks for few base seeds.
std::string report_cell(const std::string &generator) {
    return generator == "crack" ? "0.005" : generator == "heightmap" ? "32" : "1";
}

struct ReportArguments {
    std::vector<std::string> generators;
    bool presets = false;
    std::string size = "256x256";
    std::string seed = "0";
    std::string seeds = "auto";
    std::string folder;
    bool dry_run = false;
    JobArguments job; // of these only those that parts take over
};

// A word as a shell takes it.
std::string quoted(const std::string &word) {
    const auto is_plain = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::string_view("_-+./:,=").find(c) != std::string_view::npos;
    };
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) {
        return word;
    }
    std::string text = "'";
    for (const char c : word) {
        text += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return text + "'";
}

// A command of karst sensitivity, and the name of its files in the folder.
struct ReportPart {
    std::string name;
    std::vector<std::string> words;

    std::string command() const {
        std::string text = "karst sensitivity";
        for (const std::string &word : words) {
            text += " " + quoted(word);
        }
        return text;
    }
};

void add_generator_parts(const GeneratorInfo &generator, const ReportArguments &arguments,
                         std::vector<ReportPart> &parts) {
    std::vector<std::string> presets;
    for (const auto &preset : generator.presets) {
        presets.push_back(preset.name);
    }
    if (!arguments.presets) {
        presets.resize(std::min<std::size_t>(presets.size(), 1));
    }
    const auto add = [&](const std::string &kind, const std::string &preset,
                         std::vector<std::string> more) {
        std::vector<std::string> words{kind, generator.name};
        if (!preset.empty()) {
            words.insert(words.end(), {"--preset", preset});
        }
        words.insert(words.end(), {"--size", arguments.size, "--cell", report_cell(generator.name),
                                   "--seed", arguments.seed});
        words.insert(words.end(), more.begin(), more.end());
        parts.push_back(
            {kind + "_" + generator.name + (preset.empty() ? "" : "_" + preset), words});
    };
    if (presets.empty()) {
        presets.emplace_back();
    }
    for (const std::string &preset : presets) {
        add("seed", preset, {"--seeds", arguments.seeds});
    }
    add("parameters", presets.front(), {});
}

std::vector<ReportPart> parts_of(const ReportArguments &arguments) {
    std::vector<ReportPart> parts{{"oracles", {"oracles"}}};
    for (const std::string &name : arguments.generators) {
        add_generator_parts(find_generator(name), arguments, parts);
    }
    const auto add_state = [&](const std::string &simulation, const std::string &perturbation,
                               const std::vector<std::string> &more) {
        std::vector<std::string> words{"state",  simulation,     "--perturb", perturbation,
                                       "--size", arguments.size, "--seed",    arguments.seed};
        words.insert(words.end(), more.begin(), more.end());
        parts.push_back({"state_" + simulation + "_" + perturbation, words});
    };
    add_state("physarum", "heading", {"--steps", "400"});
    add_state("physarum", "trail", {"--transient", "500", "--steps", "100"});
    add_state("life", "cell", {"--soup", "0.5", "--steps", "500"});
    return parts;
}

// Which parts were begun, by which commands: the folder's "parts.json". A part is done once its
// files are there.
class DoneParts {
public:
    explicit DoneParts(fs::path folder) : folder_(std::move(folder)) {
        const std::string path = file("parts.json");
        if (!fs::exists(path)) {
            return;
        }
        list_ = Json::parse(io::read_file(path, kMostBytes), nullptr, false);
        const auto is_text = [](const Json &value) { return value.is_string(); };
        if (!list_.is_object() || !std::all_of(list_.begin(), list_.end(), is_text)) {
            throw Error(ErrorCode::invalid_input,
                        "'" + path + "' is no list of parts of a sensitivity report");
        }
    }

    std::string file(const std::string &name) const { return (folder_ / name).string(); }

    // The numbers of a part that is done; null if it is not.
    Json find(const ReportPart &part) const {
        const std::string path = file(part.name + ".json");
        if (list_.value(part.name, "") != stamp(part) || !fs::exists(path) ||
            (part.name != "oracles" && !fs::exists(file(part.name + ".png")))) {
            return {};
        }
        Json numbers = Json::parse(io::read_file(path, kMostBytes), nullptr, false);
        return numbers.is_object() && (numbers.contains("kind") || numbers.contains("oracles"))
                   ? numbers
                   : Json();
    }

    // Removes what another command left, half done or whole; what this one left half done stays.
    void begin(const ReportPart &part) {
        std::vector<std::string> old{".json", ".png"};
        if (list_.value(part.name, "") != stamp(part)) {
            old.emplace_back(".json.state");
        }
        for (const std::string &ending : old) {
            std::error_code ignored; // then the part itself fails to write there, and says so
            fs::remove(file(part.name + ending), ignored);
        }
        list_[part.name] = stamp(part);
        io::write_file(file("parts.json"), list_.dump(1) + "\n");
    }

private:
    static std::string stamp(const ReportPart &part) {
        return part.command() + ", algorithm version " + std::to_string(KARST_ALGORITHM_VERSION) +
               ", measurement " + std::to_string(lab::kSeedMeasurement);
    }

    fs::path folder_;
    Json list_ = Json::object();
};

void run_part(const ReportPart &part, const DoneParts &done, const JobArguments &job) {
    std::vector<std::string> words = part.words;
    words.insert(words.end(),
                 {"--device", job.device, "--threads", job.threads, "--progress", job.progress});
    if (job.quiet) {
        words.emplace_back("--quiet");
    }
    const std::string numbers = done.file(part.name + ".json");
    if (part.name == "oracles") {
        words.insert(words.end(), {"--report", numbers});
    } else {
        words.insert(words.end(), {"-o", numbers, "-o", done.file(part.name + ".png")});
    }
    CLI::App commands;
    add_sensitivity_parts(commands);
    std::reverse(words.begin(), words.end()); // as CLI11 wants them
    try {
        commands.parse(std::move(words));
    } catch (const Error &error) {
        if (error.code() != ErrorCode::requirement_failed || !fs::exists(numbers)) {
            throw;
        }
        if (!job.quiet) {
            std::fputs((std::string(error.what()) + "\n").c_str(), stderr);
        }
    }
}

// What is the same on every device: of the oracles' report only its values.
Json result_of(const ReportPart &part, Json numbers) {
    if (part.name == "oracles") {
        return {{"kind", "oracles"}, {"oracles", std::move(numbers["oracles"])}};
    }
    return numbers;
}

bool is_met(const Json &result) {
    if (result["kind"] == "oracles") {
        const Json &all = result["oracles"];
        return std::all_of(all.begin(), all.end(),
                           [](const Json &oracle) { return oracle["met"].get<bool>(); });
    }
    return result["kind"] != "seed" || result["met"].get<bool>();
}

void make_folder(const fs::path &folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        throw Error(ErrorCode::io_failure,
                    "cannot make the folder '" + folder.string() + "': " + error.message());
    }
}

// What the parts would refuse, before the first of them has taken its time.
void require_report_arguments(const ReportArguments &arguments) {
    parse_size(arguments.size);
    parse_seed(arguments.seed);
    if (arguments.seeds != "auto") {
        parse_integer({"seeds", "", ParamType::integer, 2, 4096, {}, std::int64_t{2}, ""},
                      arguments.seeds);
    }
    if (io::is_stdout(arguments.folder)) {
        throw Error(ErrorCode::invalid_argument, "-o is '-'; allowed is a folder");
    }
    parse_device(arguments.job.device);
}

void run_report(const ReportArguments &arguments) {
    require_report_arguments(arguments);
    const std::vector<ReportPart> parts = parts_of(arguments);
    if (arguments.dry_run) {
        for (const ReportPart &part : parts) {
            print(part.command() + "\n");
        }
        return;
    }
    make_folder(arguments.folder);
    DoneParts done(arguments.folder);
    Json list = Json::array();
    std::vector<std::string> unmet;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const ReportPart &part = parts[i];
        Json numbers = done.find(part);
        if (!arguments.job.quiet) {
            std::fprintf(stderr, "part %zu of %zu%s: %s\n", i + 1, parts.size(),
                         numbers.is_null() ? "" : ", done before", part.command().c_str());
        }
        if (numbers.is_null()) {
            done.begin(part);
            run_part(part, done, arguments.job);
            numbers = Json::parse(io::read_file(done.file(part.name + ".json"), kMostBytes));
        }
        Json result = result_of(part, std::move(numbers));
        if (!is_met(result)) {
            unmet.push_back(part.name);
        }
        list.push_back(
            {{"name", part.name}, {"command", part.command()}, {"result", std::move(result)}});
    }
    const Json report{{"kind", "report"},
                      {"karst", KARST_VERSION},
                      {"algorithm_version", KARST_ALGORITHM_VERSION},
                      {"met", unmet.empty()},
                      {"parts", std::move(list)}};
    io::write_file(done.file("report.json"),
                   report.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
    io::write_file(done.file("report.html"), html_report(report));
    if (!unmet.empty()) {
        throw Error(ErrorCode::requirement_failed, "a requirement is not met in " +
                                                       core::joined(unmet) + "; see '" +
                                                       done.file("report.html") + "'");
    }
}

} // namespace

void add_report_command(CLI::App &parent) {
    CLI::App &command = *parent.add_subcommand(
        "report", "all of these for some generators, as JSON, pictures and a page; status 6 if a "
                  "requirement is not met");
    const auto arguments = std::make_shared<ReportArguments>();
    arguments->generators = {"crack", "cave", "heightmap"};
    const auto text = [&command](const char *name, auto &value, const char *type,
                                 const std::string &help) {
        return command.add_option(name, value, help)->type_name(type);
    };
    text("generators", arguments->generators, "GENERATOR ...",
         "Of karst params (default crack cave heightmap)");
    command.add_flag("--presets", arguments->presets,
                     "Seeds of all their presets, not of the first");
    text("--size", arguments->size, "WxH", "Cells (default 256x256)");
    text("--seed", arguments->seed, "SEED", "What all seeds are functions of (default 0)");
    text("--seeds", arguments->seeds, "N",
         "Base seeds for a seed's bits, or auto: by power (default auto)");
    text("-o,--output", arguments->folder, "FOLDER",
         "report.html, report.json, and for each part its JSON and PNG. Parts that are there "
         "already are kept: an interrupted report goes on")
        ->required();
    command.add_flag("--dry-run", arguments->dry_run, "Only print the commands of the parts");
    JobArguments &job = arguments->job;
    text("--device", job.device, "DEVICE", "Where the simulations run: auto, cpu, cuda, cuda:N");
    text("--threads", job.threads, "N", "CPU threads, 0: all that the process may use.");
    text("--progress", job.progress, "KIND", "On the standard error: auto, bar, json, none");
    command.add_flag("--quiet", job.quiet, "No progress and no notes");
    command.callback([arguments] { run_report(*arguments); });
}

} // namespace karst::cli
