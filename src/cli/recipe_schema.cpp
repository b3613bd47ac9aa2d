// The JSON Schema of recipes, from the tables that read them.
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

} // namespace

std::string recipe_schema() {
    Json assets = Json::array();
    for (const auto &generator : all_generators()) {
        if (!is_volume_row(generator)) {
            assets.push_back(asset_schema(generator));
        }
    }
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
          {"additionalProperties", {{"type", {"string", "number", "boolean"}}}}}},
        {"seeds",
         {{"type", {"string", "array"}},
          {"description", "Seeds of assets that name none: \"0..99\" or a list"}}},
        {"assets",
         {{"type", "object"},
          {"propertyNames", {{"pattern", "^[A-Za-z0-9_-]{1,64}$"}}},
          {"additionalProperties", {{"oneOf", assets}}}}}};
    schema["required"] = {"karst", "assets"};
    schema["additionalProperties"] = false;
    return schema.dump(2) + "\n";
}

} // namespace karst::cli
