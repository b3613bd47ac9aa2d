#include "cli/command_tree.hpp"

#include <algorithm>
#include <map>

#include "cli/request.hpp"
#include "generators/registry.hpp"
#include "io/profiles.hpp"

namespace karst::cli {

namespace {

const GeneratorInfo *generator_of(const CLI::App &app) {
    for (const auto &generator : all_generators()) {
        if (generator.name == app.get_name() && !is_volume_row(generator)) {
            return &generator;
        }
    }
    return nullptr;
}

// A generator and, if it has one, its row of volumes.
std::vector<const GeneratorInfo *> rows_of(const GeneratorInfo &generator) {
    std::vector<const GeneratorInfo *> rows{&generator};
    if (const GeneratorInfo *const volume = volume_row(generator)) {
        rows.push_back(volume);
    }
    return rows;
}

void add_once(std::vector<std::string> &list, const std::string &text) {
    if (std::find(list.begin(), list.end(), text) == list.end()) {
        list.push_back(text);
    }
}

// Values that a switch of this name takes everywhere.
std::vector<std::string> common_choices(const std::string &name) {
    static const std::map<std::string, std::vector<std::string>> lists{
        {"--device", {"auto", "cpu", "cuda"}},
        {"--order", {"synchronous", "deposit_first", "sequential"}},
        {"--perturb", {"cell", "heading", "position", "trail"}},
        {"--progress", {"auto", "bar", "json", "none"}},
        {"--units", {"m", "cm"}},
        {"--up", {"y", "z"}},
        {"--metric", {"time", "time-and-memory"}},
        {"simulation", {"life", "physarum"}},
    };
    const auto found = lists.find(name);
    return found == lists.end() ? std::vector<std::string>{} : found->second;
}

std::vector<std::string> choices_of(const CLI::App &app, const std::string &name) {
    std::vector<std::string> choices = common_choices(name);
    if (name == "--profile") {
        for (const auto &profile : io::profiles()) {
            choices.emplace_back(profile.name);
        }
    }
    if (name == "--only" && app.get_name() == "tune") {
        choices = {"life", "life3d", "physarum"};
    }
    if (name == "--only" && app.get_name() == "bench") {
        choices = {"life/", "life-int8/", "life3d/", "physarum/"};
        for (const auto &generator : all_generators()) {
            if (!generator.simulation) {
                choices.push_back("asset/" + generator.name);
            }
        }
    }
    if (name == "generator") { // of karst params and sensitivity parameters
        for (const auto &generator : all_generators()) {
            choices.push_back(generator.name);
        }
    }
    const GeneratorInfo *const generator = generator_of(app);
    if (generator == nullptr || !name.starts_with("--")) {
        return choices;
    }
    std::string parameter = name.substr(2);
    std::replace(parameter.begin(), parameter.end(), '-', '_');
    for (const GeneratorInfo *row : rows_of(*generator)) {
        for (const auto &preset : row->presets) {
            if (parameter == "preset") {
                add_once(choices, preset.name);
            }
        }
        for (const auto &info : row->params) {
            for (const auto &choice : info.choices) {
                if (info.name == parameter) {
                    add_once(choices, choice);
                }
            }
        }
    }
    return choices;
}

SwitchText switch_of(const CLI::App &app, const CLI::Option &option) {
    SwitchText text;
    for (const auto &name : option.get_snames()) {
        text.names.push_back("-" + name);
    }
    for (const auto &name : option.get_lnames()) {
        text.names.push_back("--" + name);
    }
    text.positional = text.names.empty();
    if (text.positional) {
        text.names.push_back(option.get_name());
    }
    const bool takes_value = option.get_items_expected_max() > 0;
    text.value = takes_value ? option.get_type_name() : "";
    text.required = option.get_required();
    text.help = option.get_description();
    text.group = option.get_group();
    text.choices = takes_value ? choices_of(app, text.names.back()) : std::vector<std::string>{};
    return text;
}

void collect(const CLI::App &app, const std::string &path, std::vector<CommandText> &list) {
    CommandText text;
    text.path = path;
    text.help = app.get_description();
    text.footer = app.get_footer();
    for (const CLI::Option *option : app.get_options()) {
        text.switches.push_back(switch_of(app, *option));
    }
    const auto commands = app.get_subcommands([](const CLI::App *) { return true; });
    for (const CLI::App *command : commands) {
        text.commands.push_back(command->get_name());
    }
    if (const GeneratorInfo *const generator = generator_of(app)) {
        for (const GeneratorInfo *row : rows_of(*generator)) {
            for (const auto &info : row->params) {
                add_once(text.parameters, info.name);
            }
        }
    }
    list.push_back(std::move(text));
    for (const CLI::App *command : commands) {
        collect(*command, path.empty() ? command->get_name() : path + " " + command->get_name(),
                list);
    }
}

} // namespace

std::vector<CommandText> command_tree(const CLI::App &program) {
    std::vector<CommandText> list;
    collect(program, "", list);
    return list;
}

} // namespace karst::cli
