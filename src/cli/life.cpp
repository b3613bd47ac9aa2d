// karst simulate life: a pattern or a soup, advanced, counted and written.
#include "cli/commands.hpp"

#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>
#include <karst/seed.hpp>
#include <karst/simulate.hpp>

#include "cli/job.hpp"
#include "cli/life_input.hpp"
#include "cli/values.hpp"
#include "core/run.hpp"
#include "io/exporters.hpp"
#include "io/rle.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
    LifeInput input;
    std::string generations = "0";
    std::vector<std::string> outputs;
    JobArguments job;
};

const ParamInfo &generations_info() {
    static const ParamInfo info{"generations", "", ParamType::integer, 0,
                                1e15,          {}, std::int64_t{0},    "Generations to advance."};
    return info;
}

bool is_rle(const std::string &path) {
    return io::extension_of(path) == ".rle";
}

const std::vector<LayerInfo> &layers_of(bool volume) {
    static const std::vector<LayerInfo> board{{"cells", "The cells."}};
    static const std::vector<LayerInfo> cells{{"cells", "The cells.", "", LayerKind::volume}};
    return volume ? cells : board;
}

Extent2 area_of(Extent2 extent) {
    return extent;
}
Extent2 area_of(Extent3 extent) {
    return {extent.width, extent.height};
}
std::int64_t depth_of(Extent2) {
    return 0;
}
std::int64_t depth_of(Extent3 extent) {
    return extent.depth;
}

// A byte a cell, 255 for live ones: white in a picture.
template <class Extent>
Artifact picture(const LifeCells<Extent> &board, std::optional<std::uint64_t> seed) {
    Field<std::uint8_t, Extent> cells(board.extent());
    const std::int64_t words = board.words().width();
    for (std::int64_t i = 0; i < cells.size(); ++i) {
        const std::int64_t row = i / cells.width();
        const std::int64_t x = i - row * cells.width();
        const std::uint64_t word = board.words()[row * words + x / 64];
        cells[i] = ((word >> (x % 64)) & 1) != 0 ? 255 : 0;
    }
    Artifact artifact;
    artifact.generator = "life";
    artifact.seed = seed;
    artifact.layers.push_back({"cells", LayerMeaning::mask, "", 1, 0, std::move(cells)});
    return artifact;
}

template <class Job>
io::Manifest manifest_of(const Job &job, std::int64_t generations, const typename Job::Board &board,
                         const std::string &path) {
    io::Manifest manifest;
    manifest.generator = "life";
    manifest.seed = job.seed;
    manifest.parameters = job.parameters;
    manifest.parameters.emplace_back("generations", generations);
    manifest.extent = area_of(board.extent());
    manifest.depth = depth_of(board.extent());
    io::ArrayRecord cells;
    cells.name = "cells";
    cells.type = "bits";
    cells.bits = 1;
    cells.meaning = io::meaning_name(LayerMeaning::mask);
    cells.digest = digest(board);
    cells.bytes = board.words().cells().size_bytes();
    manifest.layer = cells;
    manifest.file = io::file_name(path);
    return manifest;
}

template <class Job>
Output output_of(const Job &job, std::int64_t generations, const typename Job::Board &board,
                 const std::string &path) {
    const auto write = [&job, &board, path](io::OutputFile &file) {
        if constexpr (std::is_same_v<Job, LifeJob>) {
            if (is_rle(path)) {
                file.write(io::format_rle(board, to_string(job.rule)));
                return;
            }
        }
        const Artifact artifact = picture(board, job.seed);
        io::write_layer(file, io::find_format(path), artifact, artifact.layers.front());
    };
    return {"cells", path, write, manifest_of(job, generations, board, path)};
}

template <class Job>
Json report_of(const Job &job, std::int64_t generations, const typename Job::Board &board) {
    Json report{{"generator", "life"}};
    if (job.seed) {
        report["seed"] = seed_to_string(*job.seed);
    }
    report["extent"] = io::json(area_of(board.extent()), depth_of(board.extent()));
    report["parameters"] = io::json(job.parameters);
    report["generation"] = generations;
    report["population"] = board.population();
    report["digest"] = io::hexadecimal(digest(board));
    return report;
}

template <class Job>
void simulate(const Job &job, std::int64_t generations, std::span<const Target> targets,
              RunningJob &running) {
    if (!targets.empty()) { // a byte a cell, for the picture or the text of a dense pattern
        core::require_memory(static_cast<std::uint64_t>(job.board.extent().cells()),
                             "the picture of this board", running.options());
    }
    running.details("life, " + std::to_string(generations) + " generations", job.parameters);
    const auto board =
        simulate_life(job.board, job.rule, job.boundary, generations, running.options());

    std::vector<Output> outputs;
    for (const auto &target : targets) {
        outputs.push_back(output_of(job, generations, board, target.path));
    }
    write_outputs(outputs, running.stages(), running.options().threads);
    running.report(report_of(job, generations, board), outputs);
}

void run(const Arguments &arguments) {
    const std::int64_t generations = parse_integer(generations_info(), arguments.generations);
    require_result(arguments.job, arguments.outputs);
    const bool volume = is_volume(arguments.input);
    const auto &layers = layers_of(volume);
    std::vector<Target> targets;
    for (const auto &text : arguments.outputs) {
        targets.push_back(parse_target(text, layers));
    }
    Claims claims;
    if (arguments.input.in) {
        claims.input(*arguments.input.in);
    }
    if (arguments.input.soup_map) {
        claims.input(*arguments.input.soup_map);
    }
    claims.targets(targets);
    claim_reports(claims, arguments.job);
    if (volume) {
        check_formats(targets, layers);
    }
    for (const auto &target : targets) {
        if (!volume && !is_rle(target.path)) {
            io::find_format(target.path, ".rle");
        }
    }
    RunningJob running(arguments.job);
    if (volume) {
        simulate(make_life_volume_job(arguments.input, running.options()), generations, targets,
                 running);
    } else {
        simulate(make_life_job(arguments.input, running.options()), generations, targets, running);
    }
}

} // namespace

void add_life_command(CLI::App &parent) {
    CLI::App &command =
        *parent.add_subcommand("life", "a Life-like automaton, from a pattern or a random soup");
    const auto arguments = std::make_shared<Arguments>();
    command.allow_extras();
    add_life_input_options(command, arguments->input);
    command
        .add_option("--generations", arguments->generations, "Generations to advance (default 0)")
        ->type_name("N");
    add_output_option(command, arguments->outputs);
    add_job_options(command, arguments->job);
    add_profile_options(command, arguments->job);
    command.footer("Files: .rle of a board, and all that other layers can be written to.");
    command.callback([&command, arguments] {
        refuse_unknown(command, {});
        run(*arguments);
    });
}

} // namespace karst::cli
