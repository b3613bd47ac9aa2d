// The JSON Schema of recipes, from the tables that read them.
#include <algorithm>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "cli/asset_options.hpp"
#include "cli/recipe.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

// A text that is one ${variable} stands for a value of any type.
Json or_variable(Json schema) {
    return {{"anyOf", {std::move(schema), {{"type", "string"}, {"pattern", "\\$\\{[^}]*\\}"}}}}};
}

Json schema_of(const ParamInfo &info) {
    Json schema = Json::object();
    switch (info.type) {
    case ParamType::boolean:
        schema["type"] = "boolean";
        break;
    case ParamType::integer:
    case ParamType::real:
        schema["type"] = info.type == ParamType::integer ? "integer" : "number";
        schema["minimum"] = info.minimum;
        schema["maximum"] = info.maximum;
        break;
    case ParamType::choice:
        schema["enum"] = info.choices;
        break;
    case ParamType::text:
        schema["type"] = "string";
        break;
    }
    Json whole = or_variable(std::move(schema));
    whole["description"] = info.help + (info.unit.empty() ? "" : " Unit: " + info.unit + ".");
    std::visit([&whole](const auto &value) { whole["default"] = value; }, info.default_value);
    return whole;
}

Json schema_of(const AssetOption &option, const GeneratorInfo &generator) {
    const AssetRequest request;
    Json schema = visit_option(option, request, [](const auto &value) -> Json {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, bool>) {
            return or_variable({{"type", "boolean"}});
        } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
            return {{"type", "array"}, {"items", {{"type", "string"}}}};
        } else {
            return {{"type", {"string", "number", "array"}}};
        }
    });
    if (option.name == "preset") {
        Json names = Json::array();
        for (const auto *row : {&generator, volume_row(generator)}) {
            for (const auto &preset : row != nullptr ? row->presets : std::vector<Preset>{}) {
                names.push_back(preset.name);
            }
        }
        schema = or_variable({{"enum", names}});
    }
    schema["description"] = option.help;
    return schema;
}

Json asset_schema(const GeneratorInfo &generator) {
    Json properties = Json::object();
    properties["generator"] = {{"const", generator.name}, {"description", generator.help}};
    for (const auto &option : asset_options(generator)) {
        properties[option.name] = schema_of(option, generator);
    }
    properties["seeds"] = {{"type", {"string", "array"}},
                           {"description", "Several seeds: \"0..99\" or a list"}};
    Json parameters = Json::object();
    for (const auto *row : {&generator, volume_row(generator)}) {
        for (const auto &info : row != nullptr ? row->params : std::span<const ParamInfo>{}) {
            if (!parameters.contains(info.name)) {
                parameters[info.name] = schema_of(info);
            }
        }
    }
    properties["parameters"] = {
        {"type", "object"}, {"properties", parameters}, {"additionalProperties", false}};
    properties["outputs"] = {
        {"type", "array"},
        {"items", {{"type", "string"}}},
        {"minItems", 1},
        {"description", "\"[LAYER=]FILE\" inside the folder; {name}, {seed}, {res} and, behind "
                        "LAYER=, {layer} are replaced"}};
    return {{"type", "object"},
            {"properties", properties},
            {"required", {"generator", "outputs"}},
            {"additionalProperties", false}};
}

// An asset is checked by the definition of its generator, so that a fault is told where it is.
Json any_asset_schema() {
    Json names = Json::array();
    Json choices = Json::array();
    for (const auto &generator : all_generators()) {
        if (!is_volume_row(generator)) {
            names.push_back(generator.name);
            choices.push_back(
                {{"if", {{"properties", {{"generator", {{"const", generator.name}}}}}}},
                 {"then", {{"$ref", "#/$defs/" + generator.name}}}});
        }
    }
    return {{"type", "object"},
            {"properties", {{"generator", {{"enum", names}}}}},
            {"required", {"generator", "outputs"}},
            {"allOf", choices}};
}

// What is laid over an asset of another recipe, by RFC 7386: null removes it or a member of it.
Json patch_schema(const Json &definitions) {
    Json names = Json::array();
    for (const auto &definition : definitions) {
        for (const auto &[name, value] : definition["properties"].items()) {
            if (std::find(names.begin(), names.end(), name) == names.end()) {
                names.push_back(name);
            }
        }
    }
    return {{"type", {"object", "null"}}, {"propertyNames", {{"enum", names}}}};
}

} // namespace

std::string recipe_schema() {
    Json definitions = Json::object();
    for (const auto &generator : all_generators()) {
        if (!is_volume_row(generator)) {
            definitions[generator.name] = asset_schema(generator);
        }
    }
    Json patch = patch_schema(definitions);
    definitions["asset"] = any_asset_schema();
    definitions["patch"] = std::move(patch);
    Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                {"title", "A recipe of karst"},
                {"type", "object"}};
    schema["properties"] = {
        {"karst", {{"const", kRecipeVersion}, {"description", "The version of this format"}}},
        {"$schema", {{"type", "string"}}},
        {"extends", {{"type", "string"}, {"description", "A recipe that this one is laid over"}}},
        {"folder",
         {{"type", "string"}, {"description", "Where the outputs lie, beside the recipe"}}},
        {"variables",
         {{"type", "object"},
          {"additionalProperties", {{"type", {"string", "number", "boolean", "null"}}}}}},
        {"seeds",
         {{"type", {"string", "array"}},
          {"description", "Seeds of assets that name none: \"0..99\" or a list"}}},
        {"assets",
         {{"type", "object"},
          {"propertyNames", {{"pattern", "^[A-Za-z0-9_-]{1,64}$"}}},
          {"additionalProperties", {{"type", {"object", "null"}}}}}}};
    schema["required"] = {"karst"};
    schema["additionalProperties"] = false;
    const auto assets = [](const char *definition) {
        const std::string reference = std::string("#/$defs/") + definition;
        return Json{
            {"properties", {{"assets", {{"additionalProperties", {{"$ref", reference}}}}}}}};
    };
    schema["if"] = {{"required", {"extends"}}};
    schema["then"] = assets("patch");
    schema["else"] = assets("asset");
    schema["else"]["required"] = {"assets"};
    schema["$defs"] = std::move(definitions);
    return schema.dump(2) + "\n";
}

} // namespace karst::cli
