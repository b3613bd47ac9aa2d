// karst params and karst info: what there is.
#include "cli/commands.hpp"

#include <memory>

#include <nlohmann/json.hpp>

#include <karst/device.hpp>
#include <karst/error.hpp>

#include "cli/recipe.hpp"
#include "cli/request.hpp"
#include "cli/tuning_file.hpp"
#include "core/run.hpp"
#include "io/formats.hpp"
#include "io/manifest.hpp"
#include "sim/devices.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

const char *type_name(ParamType type) {
    switch (type) {
    case ParamType::boolean:
        return "boolean";
    case ParamType::integer:
        return "integer";
    case ParamType::real:
        return "real";
    case ParamType::choice:
        return "choice";
    case ParamType::text:
        return "text";
    }
    return "";
}

std::string values_of(const Preset &preset) {
    std::string list;
    for (const auto &[name, value] : preset.values) {
        list += (list.empty() ? "" : ", ") + name + " " + to_string(value);
    }
    return list.empty() ? "the defaults" : list;
}

// " (mesh)"; nothing for a map.
std::string kind_of(const LayerInfo &layer) {
    return layer.kind == LayerKind::map ? "" : " (" + std::string(io::kind_name(layer.kind)) + ")";
}

std::string as_text(const GeneratorInfo &generator) {
    std::string text = "karst " + command_of(generator) + ": " + generator.help + "\n";
    for (const auto &info : generator.params) {
        text += "  " + info.name + " = " + to_string(info.default_value) + "  (" + allowed(info) +
                ")\n      " + info.help + "\n";
    }
    for (const auto &preset : generator.presets) {
        text += "  preset " + preset.name + ": " + preset.help + "\n";
    }
    for (const auto &layer : generator.layers) {
        text += "  layer " + layer.name + kind_of(layer) + ": " + layer.help + "\n";
    }
    return text;
}

std::string as_markdown(const GeneratorInfo &generator) {
    std::string text = "## karst " + command_of(generator) + "\n\n" + generator.help +
                       "\n\nDefault size " + size_of(generator) + ", cell " +
                       to_string(ParamValue(generator.default_cell)) +
                       " m.\n\n| parameter | default | allowed | meaning |\n|---|---|---|---|\n";
    for (const auto &info : generator.params) {
        text += "| `" + info.name + "` | " + to_string(info.default_value) + " | " + allowed(info) +
                " | " + info.help + " |\n";
    }
    text += "\n| layer | meaning |\n|---|---|\n";
    for (const auto &layer : generator.layers) {
        text += "| `" + layer.name + "`" + kind_of(layer) + " | " + layer.help + " |\n";
    }
    if (!generator.presets.empty()) {
        text += "\n| preset | meaning | values |\n|---|---|---|\n";
    }
    for (const auto &preset : generator.presets) {
        text += "| `" + preset.name + "` | " + preset.help + " | " + values_of(preset) + " |\n";
    }
    return text;
}

Json as_json(const ParamInfo &info) {
    Json object{{"name", info.name}, {"type", type_name(info.type)}, {"unit", info.unit}};
    if (info.type == ParamType::integer || info.type == ParamType::real) {
        object["minimum"] = info.minimum;
        object["maximum"] = info.maximum;
    }
    if (info.type == ParamType::choice) {
        object["choices"] = info.choices;
    }
    std::visit([&object](const auto &value) { object["default"] = value; }, info.default_value);
    object["help"] = info.help;
    return object;
}

Json as_json(const GeneratorInfo &generator) {
    Json object{{"name", generator.name},
                {"command", "karst " + command_of(generator)},
                {"help", generator.help},
                {"default_cell", generator.default_cell}};
    object["default_extent"] = io::json(generator.default_extent, generator.default_depth);
    object["parameters"] = Json::array();
    for (const auto &info : generator.params) {
        object["parameters"].push_back(as_json(info));
    }
    object["presets"] = Json::array();
    for (const auto &preset : generator.presets) {
        object["presets"].push_back(
            {{"name", preset.name}, {"help", preset.help}, {"values", io::json(preset.values)}});
    }
    object["layers"] = Json::array();
    for (const auto &layer : generator.layers) {
        object["layers"].push_back(
            {{"name", layer.name}, {"kind", io::kind_name(layer.kind)}, {"help", layer.help}});
    }
    return object;
}

struct ParamsArguments {
    std::string generator;
    bool json = false;
    bool markdown = false;
    bool schema = false;
};

void print_params(const ParamsArguments &arguments) {
    if (arguments.json + arguments.markdown + arguments.schema > 1) {
        throw Error(ErrorCode::invalid_argument,
                    "two of --json, --markdown and --schema; allowed is one of them");
    }
    if (arguments.schema) {
        if (!arguments.generator.empty()) {
            throw Error(ErrorCode::invalid_argument,
                        "--schema is of recipes with every generator; allowed is no GENERATOR");
        }
        print(recipe_schema());
        return;
    }
    std::span<const GeneratorInfo> list = all_generators();
    if (!arguments.generator.empty()) {
        list = {&find_generator(arguments.generator), 1};
    }
    std::string text = arguments.markdown ? "# Parameters\n" : "";
    Json array = Json::array();
    for (const auto &generator : list) {
        if (arguments.json) {
            array.push_back(as_json(generator));
        } else {
            text += text.empty() ? "" : "\n";
            text += arguments.markdown ? as_markdown(generator) : as_text(generator);
        }
    }
    print(arguments.json ? array.dump(2) + "\n" : text);
}

void print_info(bool json) {
    std::string no_cuda;
    cuda::devices(&no_cuda);
    Json report{{"karst", KARST_VERSION}, {"algorithm_version", KARST_ALGORITHM_VERSION}};
    std::string text = std::string("karst ") + KARST_VERSION + ", algorithm version " +
                       std::to_string(KARST_ALGORITHM_VERSION) + "\n";
    report["devices"] = Json::array();
    const std::string tuning = tuning_path();
    const bool there = has_tuning(tuning);
    std::size_t tuned = 0; // choices of all devices
    for (const auto &info : available_devices()) {
        std::size_t choices = 0;
        if (there) {
            choices = load_tuning(tuning, info.device.kind, sim::device_key(info.device, 0))
                          .tuning.choices.size();
            tuned += choices;
        }
        report["devices"].push_back({{"device", to_string(info.device)},
                                     {"name", info.name},
                                     {"memory_bytes", info.memory_bytes},
                                     {"tuned", choices}});
        text +=
            to_string(info.device) + ": " + info.name + ", " + core::gibibytes(info.memory_bytes) +
            (choices == 0 ? ""
                          : ", tuned for " + std::to_string(choices) +
                                (choices == 1 ? " kind of simulation" : " kinds of simulation")) +
            "\n";
    }
    report["tuning"] = tuned > 0 ? Json(tuning) : Json();
    if (there) {
        text += "tuning: " + tuning + (tuned > 0 ? "" : " has nothing for this machine") + "\n";
    }
    report["no_cuda"] = no_cuda.empty() ? Json() : Json(no_cuda);
    text += no_cuda.empty() ? "" : "no CUDA: " + no_cuda + "\n";
    report["generators"] = Json::array();
    for (const auto &generator : all_generators()) {
        report["generators"].push_back(generator.name);
        text += "karst " + command_of(generator) + ": " + generator.help + "\n";
    }
    report["formats"] = Json::array();
    for (const auto &format : io::all_formats()) {
        Json kinds = Json::array();
        for (const auto kind : format.kinds) {
            kinds.push_back(io::kind_name(kind));
        }
        report["formats"].push_back(
            {{"extension", format.extension}, {"help", format.help}, {"kinds", kinds}});
        text += std::string(format.extension) + ": " + std::string(format.help) + "\n";
    }
    print(json ? report.dump(2) + "\n" : text);
}

} // namespace

void add_params_command(CLI::App &parent) {
    CLI::App &command = *parent.add_subcommand("params", "the parameters, presets and layers");
    const auto arguments = std::make_shared<ParamsArguments>();
    command.add_option("generator", arguments->generator, "One of them; all without")
        ->type_name("GENERATOR");
    command.add_flag("--json", arguments->json, "As JSON");
    command.add_flag("--markdown", arguments->markdown, "As Markdown tables");
    command.add_flag("--schema", arguments->schema, "The JSON Schema of recipes");
    command.callback([arguments] { print_params(*arguments); });
}

void add_info_command(CLI::App &parent) {
    CLI::App &command =
        *parent.add_subcommand("info", "version, devices, generators and file formats");
    const auto json = std::make_shared<bool>(false);
    command.add_flag("--json", *json, "As JSON");
    command.callback([json] { print_info(*json); });
}

} // namespace karst::cli
