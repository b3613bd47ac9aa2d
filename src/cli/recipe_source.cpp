#include "cli/recipe_source.hpp"

#include <algorithm>
#include <filesystem>

#include <karst/error.hpp>

#include "cli/values.hpp"
#include "core/joined.hpp"
#include "core/nearest.hpp"
#include "io/json_file.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestText = 4096; // with its variables
constexpr std::size_t kMostFiles = 16;     // in a chain of "extends"

std::vector<std::string> keys_of(const Json &object) {
    std::vector<std::string> keys;
    for (const auto &item : object.items()) {
        keys.push_back(item.key());
    }
    return keys;
}

// Adds the recipe and those that it extends to the source, and returns what they make together.
Json load(const std::string &path, RecipeSource &source, std::vector<std::string> *opened) {
    std::vector<std::string> &files = source.files;
    std::error_code error;
    const auto same = [&path, &error](const std::string &other) {
        return std::filesystem::equivalent(path, other, error);
    };
    if (files.size() == kMostFiles || std::any_of(files.begin(), files.end(), same)) {
        refuse_recipe(files.back(), "/extends",
                      "'" + path + "' closes a circle or makes more than " +
                          std::to_string(kMostFiles) + " recipes; allowed is a chain that ends");
    }
    if (opened != nullptr) {
        opened->push_back(path);
    }
    Json root = io::read_json(path);
    files.push_back(path);
    source.texts.push_back(root);
    if (!root.is_object()) {
        refuse_recipe(path, "", "it is no object; allowed is {\"karst\": 1, \"assets\": {...}}");
    }
    if (!root.contains("extends")) {
        return root;
    }
    const Json extends = root["extends"];
    if (!extends.is_string()) {
        refuse_recipe(path, "/extends", "it is no text; allowed is the path of a recipe");
    }
    const auto base_path = std::filesystem::path(path).parent_path() / extends.get<std::string>();
    Json base = load(base_path.string(), source, opened);
    root.erase("extends");
    base.merge_patch(root);
    return base;
}

// The assignment's value as JSON where it is a number or a switch, else as text.
Json value_of(const std::string &text) {
    const Json parsed = Json::parse(text, nullptr, false);
    return parsed.is_number() || parsed.is_boolean() ? parsed : Json(text);
}

void assign(const std::string &text, Json &root) {
    const auto [name, value] = parse_assignment(text);
    const auto dot = name.find('.');
    const auto refuse = [&text](const std::string &why) {
        throw Error(ErrorCode::invalid_argument, "--set " + text + ": " + why);
    };
    const char *const table = dot == std::string::npos ? "variables" : "assets";
    const std::string key = name.substr(0, dot);
    if (!root.contains(table) || !root[table].is_object() || !root[table].contains(key)) {
        const auto names = root.contains(table) ? keys_of(root[table]) : std::vector<std::string>{};
        const std::string list = core::joined(names);
        refuse("the recipe has no " + std::string(dot == std::string::npos ? "variable" : "asset") +
               " '" + key + "'; there is " + (list.empty() ? "none" : list));
    }
    if (dot == std::string::npos) {
        root[table][key] = value_of(value);
        return;
    }
    Json &asset = root[table][key];
    if (!asset.is_object() || (asset.contains("parameters") && !asset["parameters"].is_object())) {
        refuse("the asset '" + key + "' of the recipe is no object with an object \"parameters\"");
    }
    asset["parameters"][name.substr(dot + 1)] = value_of(value);
}

class Substitution {
public:
    Substitution(const RecipeSource &source, const Json &variables)
        : source_(source), variables_(variables) {}

    void apply(Json &value, const std::string &pointer) const {
        if (value.is_string()) {
            value = replaced(value.get<std::string>(), pointer);
        } else if (value.is_object()) {
            for (auto &item : value.items()) {
                apply(item.value(), pointer + pointer_step(item.key()));
            }
        } else if (value.is_array()) {
            for (std::size_t i = 0; i < value.size(); ++i) {
                apply(value[i], pointer + "/" + std::to_string(i));
            }
        }
    }

private:
    const Json &variable(const std::string &name, const std::string &pointer) const {
        if (!variables_.contains(name)) {
            refuse_recipe(source_.file_of(pointer), pointer,
                          "there is no variable '" + name + "'" +
                              core::did_you_mean(name, keys_of(variables_)));
        }
        return variables_[name];
    }

    Json replaced(const std::string &text, const std::string &pointer) const {
        std::string result;
        for (std::size_t at = 0;;) {
            const auto begin = text.find("${", at);
            if (begin == std::string::npos) {
                return result + text.substr(at);
            }
            const auto end = text.find('}', begin);
            if (end == std::string::npos) {
                refuse_recipe(source_.file_of(pointer), pointer,
                              "'" + text + "' has a ${ without its }");
            }
            const Json &value = variable(text.substr(begin + 2, end - begin - 2), pointer);
            if (begin == 0 && end + 1 == text.size()) {
                return value;
            }
            result += text.substr(at, begin - at) +
                      (value.is_string() ? value.get<std::string>() : value.dump());
            if (result.size() > kLongestText) {
                refuse_recipe(source_.file_of(pointer), pointer,
                              "with its variables it is longer than " +
                                  std::to_string(kLongestText) +
                                  " bytes, the most that is allowed");
            }
            at = end + 1;
        }
    }

    const RecipeSource &source_;
    const Json &variables_;
};

} // namespace

void refuse_recipe(const std::string &path, const std::string &pointer, const std::string &why) {
    throw Error(ErrorCode::invalid_input,
                path + (pointer.empty() ? "" : "#" + pointer) + ": " + why);
}

std::string pointer_step(const std::string &key) {
    std::string step = "/";
    for (const char c : key) {
        step += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    }
    return step;
}

const std::string &RecipeSource::file_of(const std::string &pointer) const {
    const Json::json_pointer place(pointer);
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (texts[i].contains(place)) {
            return files[i];
        }
    }
    return path;
}

RecipeSource read_recipe_source(const std::string &path, std::span<const std::string> assignments,
                                std::vector<std::string> *opened) {
    RecipeSource source{path, {}, {}, {}};
    source.root = load(path, source, opened);
    for (const auto &assignment : assignments) {
        assign(assignment, source.root);
    }
    Json variables = Json::object();
    if (source.root.contains("variables")) {
        variables = source.root["variables"];
        source.root.erase("variables");
    }
    const auto refuse = [&source](const std::string &pointer, const std::string &why) {
        refuse_recipe(source.file_of(pointer), pointer, why);
    };
    if (!variables.is_object()) {
        refuse("/variables", "it is no object; allowed is {\"NAME\": VALUE, ...}");
    }
    for (const auto &item : variables.items()) {
        if (item.value().is_structured() || item.value().is_null()) {
            refuse("/variables" + pointer_step(item.key()),
                   "it is no single value; allowed is text, a number, true or false");
        }
    }
    Substitution(source, variables).apply(source.root, "");
    return source;
}

} // namespace karst::cli
