// karst crack, cave, heightmap, simulate physarum: whatever the registry holds.
#include "cli/commands.hpp"

#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>
#include <karst/seed.hpp>

#include "cli/request.hpp"
#include "io/exporters.hpp"
#include "io/mesh_formats.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

// A layer that a switch makes is made when it is asked for.
void switch_on(const GeneratorInfo &generator, const std::string &layer, ParamSet &params) {
    for (const auto &info : generator.layers) {
        if (info.name == layer && !info.parameter.empty()) {
            params.set(info.parameter, true);
        }
    }
}

io::Manifest manifest_of(const Job &job, const Artifact &artifact, const std::string &path) {
    io::Manifest manifest;
    manifest.generator = artifact.generator;
    manifest.seed = job.seed;
    manifest.parameters = io::parameters(job.params);
    manifest.extent = job.extent;
    manifest.depth = job.depth;
    manifest.cell = job.cell;
    if (job.shape) {
        manifest.shape = digest(*job.shape);
    }
    manifest.file = io::file_name(path);
    return manifest;
}

// How meshes are written.
struct MeshWriting {
    MeshFileOptions axes;
    bool short_indices = false; // of the artifact's meshes
};

Output output_of(const Job &job, const Artifact &artifact, const Target &target,
                 const MeshWriting &writing) {
    Output output{target.layer, target.path, {}, manifest_of(job, artifact, target.path)};
    switch (target.kind) {
    case LayerKind::map:
    case LayerKind::volume: {
        const Layer &layer = artifact.layer(target.layer);
        const io::Format &format = io::find_format(target.path);
        output.write = [&format, &artifact, &layer](io::OutputFile &file) {
            io::write_layer(file, format, artifact, layer);
        };
        io::ArrayRecord record = io::array_record(layer);
        record.file_scale = io::file_scale(format, layer);
        output.manifest.layer = std::move(record);
        break;
    }
    case LayerKind::mesh: {
        const MeshLayer &mesh = artifact.mesh(target.layer);
        const io::MeshFormat &format = io::find_mesh_format(target.path);
        const MeshFileOptions file_axes = format.says_axes ? MeshFileOptions{} : writing.axes;
        output.write = [&format, &artifact, &mesh, file_axes](io::OutputFile &file) {
            io::write_mesh(file, format, artifact, mesh, file_axes);
        };
        io::MeshRecord record = io::mesh_record(mesh);
        record.short_indices = writing.short_indices;
        record.file_axes = file_axes;
        output.manifest.layer = std::move(record);
        break;
    }
    case LayerKind::document: {
        const Document &document = artifact.document(target.layer);
        output.write = [&document](io::OutputFile &file) { file.write(document.text); };
        output.manifest.layer = io::document_record(document);
        break;
    }
    }
    return output;
}

Json report_of(const Job &job, const Artifact &artifact) {
    Json report{{"generator", artifact.generator}, {"seed", seed_to_string(job.seed)}};
    report["extent"] = io::json(job.extent, job.depth);
    report["cell"] = job.cell;
    report["parameters"] = io::json(io::parameters(job.params));
    report["layers"] = Json::array();
    for (const auto &layer : artifact.layers) {
        report["layers"].push_back(io::json(io::array_record(layer)));
    }
    for (const auto &mesh : artifact.meshes) {
        report["layers"].push_back(io::json(io::mesh_record(mesh)));
    }
    for (const auto &document : artifact.documents) {
        report["layers"].push_back(io::json(io::document_record(document)));
    }
    report["measures"] = Json::object();
    for (const auto &[name, value] : artifact.measures) {
        report["measures"][name] = value;
    }
    return report;
}

// What is wrong with a shape names its file.
Artifact generate(const GeneratorInfo &row, const Job &job, const Request &request,
                  const Options &options) {
    try {
        return row.generate(job, options);
    } catch (const Error &error) {
        if (request.shape && error.code() == ErrorCode::invalid_input) {
            throw Error(error.code(), *request.shape + ": " + error.what());
        }
        throw;
    }
}

void run(const GeneratorInfo &generator, const Request &request) {
    const GeneratorInfo &row = requested_row(generator, request);
    Job job = make_job(generator, row, request);
    require_result(request.job);
    std::vector<Requirement> requirements;
    for (const auto &text : request.requirements) {
        requirements.push_back(parse_requirement(text));
    }
    std::vector<Target> targets;
    for (const auto &text : request.job.outputs) {
        targets.push_back(parse_target(text, row.layers));
    }
    check_targets(targets, request.job.report, request.job.json, request.shape);
    check_formats(targets, row.layers);
    const MeshFileOptions axes = mesh_options(request, targets);
    if (request.shape) {
        job.shape = read_obj(*request.shape, axes);
    }
    for (const auto &target : targets) {
        switch_on(row, target.layer, job.params);
    }
    RunningJob running(request.job);

    Artifact artifact = generate(row, job, request, running.options());
    check_requirements(requirements, artifact);
    if (request.short_indices) {
        cut_for_short_indices(artifact, running.options());
    }

    std::vector<Output> outputs;
    for (const auto &target : targets) {
        outputs.push_back(output_of(job, artifact, target, {axes, request.short_indices}));
    }
    write_outputs(outputs, running.stages());
    running.report(report_of(job, artifact), outputs);
}

std::string presets_of(const GeneratorInfo &row) {
    std::string list;
    for (const auto &preset : row.presets) {
        list += (list.empty() ? "" : ", ") + preset.name;
    }
    return list;
}

bool makes_meshes(const GeneratorInfo &row) {
    return std::any_of(row.layers.begin(), row.layers.end(),
                       [](const LayerInfo &layer) { return layer.kind == LayerKind::mesh; });
}

std::string layers_of(const GeneratorInfo &row) {
    std::string list;
    for (const auto &layer : row.layers) {
        list += "\n  " + layer.name + ": " + layer.help;
    }
    return list;
}

} // namespace

void refuse_unknown(const CLI::App &command, std::span<const ParamInfo> infos) {
    const auto unknown = command.remaining();
    if (unknown.empty()) {
        return;
    }
    const std::string &text = unknown.front();
    std::string reason;
    if (text.starts_with("--") && !infos.empty()) {
        std::string name = text.substr(2, text.find('=') - 2);
        std::replace(name.begin(), name.end(), '-', '_');
        try {
            ParamSet(infos).value(name);
        } catch (const Error &error) { // it knows the nearest name
            reason = std::string(": ") + error.what();
        }
    }
    std::string command_line;
    for (const CLI::App *app = &command; app != nullptr; app = app->get_parent()) {
        command_line = app->get_name() + " " + command_line;
    }
    throw Error(ErrorCode::invalid_argument, "'" + text + "' is not expected" + reason + "; " +
                                                 command_line + "--help lists what is allowed");
}

void add_generator_command(CLI::App &parent, const GeneratorInfo &generator) {
    const GeneratorInfo *volume = volume_row(generator);
    CLI::App &command = *parent.add_subcommand(generator.name, generator.help);
    const auto request = std::make_shared<Request>();
    command.allow_extras();
    command
        .add_option("--seed", request->seed,
                    "A decimal or 0x-hexadecimal number of at most 64 bits, or text (default 0)")
        ->type_name("SEED");
    const bool map = generator.default_depth == 0;
    const std::string sides = !map ? "WxHxD" : volume != nullptr ? "WxH[xD]" : "WxH";
    command
        .add_option("--size", request->size,
                    "Cells (default " + size_of(generator) + ")" +
                        (volume != nullptr ? "; with a depth a volume" : ""))
        ->type_name(sides);
    command
        .add_option("--extent", request->extent,
                    map ? "Metres: the width, or " + sides +
                              ". Without --size it is divided into cells"
                        : "Metres. Without --size it is divided into cells")
        ->type_name("M");
    command
        .add_option("--cell", request->cell,
                    "Metres a cell (default " + to_string(ParamValue(generator.default_cell)) + ")")
        ->type_name("M");
    if (!generator.presets.empty() || (volume != nullptr && !volume->presets.empty())) {
        command
            .add_option("--preset", request->preset,
                        "One of " + presets_of(generator) +
                            (volume != nullptr ? "; of volumes " + presets_of(*volume) : "") +
                            " (default the first)")
            ->type_name("NAME");
    }
    command
        .add_option("--set", request->assignments,
                    "A parameter by its name in the tables of karst params; repeatable")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    command
        .add_option("--require", request->requirements,
                    "What the result must measure, else nothing is written and the exit status is "
                    "6: \"components=1\", \"open share>=0.3\" (= >= <= > <); repeatable")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    if (generator.takes_shape || (volume != nullptr && volume->takes_shape)) {
        command
            .add_option("--shape", request->shape,
                        "A closed mesh that is open or rock, as the parameter shape_use says; from "
                        "the north-western bottom corner")
            ->type_name("FILE.obj");
    }
    if (makes_meshes(generator) || (volume != nullptr && makes_meshes(*volume))) {
        command
            .add_option("--units", request->units,
                        "Of lengths in .obj, .ply and .stl, read or written: m or cm (default m)")
            ->type_name("UNIT");
        command
            .add_option("--up", request->up,
                        "The axis upwards in .obj, .ply and .stl, read or written: y or z (default "
                        "y)")
            ->type_name("AXIS");
        command.add_flag("--short-indices", request->short_indices,
                         "Cut meshes into parts of at most 65535 vertices, for 16-bit indices");
    }
    add_job_options(command, request->job);
    const auto volume_params = volume != nullptr ? volume->params : std::span<const ParamInfo>{};
    request->flags = std::make_unique<ParameterFlags>(command, generator.params, volume_params);
    command.footer("Layers:" + layers_of(generator) +
                   (volume != nullptr ? "\nLayers of volumes:" + layers_of(*volume) : ""));
    command.callback([&command, &generator, volume_params, request] {
        std::vector<ParamInfo> infos(generator.params.begin(), generator.params.end());
        infos.insert(infos.end(), volume_params.begin(), volume_params.end());
        refuse_unknown(command, infos);
        run(generator, *request);
    });
}

} // namespace karst::cli
