#include "cli/recipe.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <type_traits>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>
#include <karst/seed.hpp>

#include "cli/asset_options.hpp"
#include "cli/levels.hpp"
#include "cli/recipe_source.hpp"
#include "core/joined.hpp"
#include "core/nearest.hpp"
#include "io/file.hpp"
#include "io/json_file.hpp"
#include "io/manifest.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostItems = 1000000;

// A place in the recipe: what is wrong there can be said.
class Place {
public:
    Place(const RecipeSource &source, std::string pointer, const Json &value)
        : source_(source), pointer_(std::move(pointer)), value_(value) {}

    const Json &value() const { return value_; }
    const std::string &pointer() const { return pointer_; }
    Place at(const std::string &key) const {
        return {source_, pointer_ + pointer_step(key), value_[key]};
    }
    Place at(std::size_t i) const {
        return {source_, pointer_ + "/" + std::to_string(i), value_[i]};
    }
    const std::string &file() const { return source_.file_of(pointer_); }
    [[noreturn]] void refuse(const std::string &why) const { refuse_recipe(file(), pointer_, why); }
    // The same where the fault is that a key is there.
    [[noreturn]] void refuse_key(const std::string &key, const std::string &why) const {
        refuse_recipe(source_.file_of(pointer_ + pointer_step(key)), pointer_, why);
    }
    [[noreturn]] void refuse_type(const std::string &allowed) const {
        std::string got = value_.dump(-1, ' ', false, Json::error_handler_t::replace);
        got = got.size() > 60 ? got.substr(0, 57) + "..." : got;
        refuse("it is " + got + "; allowed is " + allowed);
    }
    // Throws for a key of this object that is not among `keys`.
    void allow(std::span<const std::string> keys) const {
        if (!value_.is_object()) {
            refuse_type("an object");
        }
        for (const auto &item : value_.items()) {
            if (std::find(keys.begin(), keys.end(), item.key()) == keys.end()) {
                refuse_key(item.key(), "there is no key '" + item.key() + "'" +
                                           core::did_you_mean(item.key(), keys) +
                                           "; allowed is one of " + core::joined(keys));
            }
        }
    }

private:
    const RecipeSource &source_;
    std::string pointer_;
    const Json &value_;
};

// Text, or a number as it would be typed.
std::string text_of(const Place &place, const std::string &allowed) {
    const auto text = io::typed_text(place.value());
    if (!text || place.value().is_boolean()) {
        place.refuse_type(allowed);
    }
    return *text;
}

// A seed as it would be typed: a fraction or a negative number is a mistake, not a text.
std::string seed_of(const Place &place) {
    const Json &value = place.value();
    if (!value.is_string() && !value.is_number_unsigned()) {
        place.refuse_type("a whole number from 0 to 18446744073709551615, or text");
    }
    const std::string seed = text_of(place, "a seed");
    try {
        parse_seed(seed);
    } catch (const Error &error) {
        place.refuse(error.what());
    }
    return seed;
}

// [1009, 1009] stands for "1009x1009".
std::string sides_of(const Place &place, const std::string &allowed) {
    if (!place.value().is_array()) {
        return text_of(place, allowed);
    }
    std::string text;
    for (std::size_t i = 0; i < place.value().size(); ++i) {
        text += (i == 0 ? "" : "x") + text_of(place.at(i), "a number");
    }
    return text;
}

std::vector<std::string> texts_of(const Place &place, const std::string &allowed) {
    if (!place.value().is_array()) {
        place.refuse_type("a list: " + allowed);
    }
    std::vector<std::string> list;
    for (std::size_t i = 0; i < place.value().size(); ++i) {
        list.push_back(text_of(place.at(i), allowed));
    }
    return list;
}

// A parameter's value by its type: a number, true or false, or text.
ParamValue param_value(const Place &place, const ParamInfo &info) {
    const Json &value = place.value();
    switch (info.type) {
    case ParamType::boolean:
        if (value.is_boolean()) {
            return value.get<bool>();
        }
        break;
    case ParamType::integer:
        if (value.is_number_integer() && !value.is_number_unsigned()) {
            return value.get<std::int64_t>();
        }
        if (value.is_number_unsigned() && value.get<std::uint64_t>() <= INT64_MAX) {
            return value.get<std::int64_t>();
        }
        break;
    case ParamType::real:
        if (value.is_number()) {
            return value.get<double>();
        }
        break;
    case ParamType::choice:
    case ParamType::text:
        if (value.is_string()) {
            return value.get<std::string>();
        }
        break;
    }
    place.refuse_type(allowed(info));
}

// Checked by itself, so that a message has the place of the parameter.
std::string assignment_of(const Place &place, const std::string &name,
                          std::span<const ParamInfo> infos) {
    try {
        ParamSet set(infos);
        set.value(name);
        const auto info = std::find_if(infos.begin(), infos.end(),
                                       [&name](const ParamInfo &its) { return its.name == name; });
        const ParamValue value = param_value(place, *info);
        set.set(name, value);
        return name + "=" + to_string(value);
    } catch (const Error &error) {
        if (error.code() == ErrorCode::invalid_argument) {
            place.refuse(error.what());
        }
        throw;
    }
}

std::string relative_to(const std::string &file, const std::string &path) {
    return (std::filesystem::path(file).parent_path() / path).string();
}

void read_option(const Place &place, const AssetOption &option, const std::string &recipe,
                 AssetRequest &request) {
    visit_option(option, request, [&](auto &member) {
        using Value = std::decay_t<decltype(member)>;
        if constexpr (std::is_same_v<Value, bool>) {
            if (!place.value().is_boolean()) {
                place.refuse_type("true or false");
            }
            member = place.value().template get<bool>();
        } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
            member = texts_of(place, option.type);
            for (std::string &text : member) { // NAME=FILE
                const std::size_t file = text.find('=') + 1;
                if (option.reads_file && file > 0) {
                    text = text.substr(0, file) + relative_to(recipe, text.substr(file));
                }
            }
        } else {
            const std::string text =
                option.name == "seed" ? seed_of(place) : sides_of(place, option.type);
            member = option.reads_file ? relative_to(recipe, text) : text;
        }
    });
}

// A file's name without what a path could do: letters, digits, "-" and "_".
std::string tame(const std::string &text, const std::string &other) {
    const bool good = !text.empty() && text.size() <= 64 &&
                      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789-_") == std::string::npos;
    return good ? text : other;
}

struct Tokens {
    std::vector<std::pair<std::string, std::string>> values;
};

// {name}, {seed} and so on; {x} and {y} stay for the tiles, {lod} for the levels of a mesh.
std::string with_tokens(const Place &place, const std::string &text, const Tokens &tokens) {
    std::string result;
    std::string list = "{x}, {y}, {lod}";
    for (const auto &[name, value] : tokens.values) {
        list += ", {" + name + "}";
    }
    for (std::size_t at = 0;;) {
        const auto begin = text.find('{', at);
        if (begin == std::string::npos) {
            return result + text.substr(at);
        }
        const auto end = text.find('}', begin);
        const std::string token =
            end == std::string::npos ? "" : text.substr(begin + 1, end - begin - 1);
        const auto found = std::find_if(tokens.values.begin(), tokens.values.end(),
                                        [&token](const auto &pair) { return pair.first == token; });
        const bool kept = token == "x" || token == "y" || token == "lod";
        if (found == tokens.values.end() && !kept) {
            place.refuse("'" + text + "' has the token '" + text.substr(begin, end - begin + 1) +
                         "'; allowed is one of " + list);
        }
        result += text.substr(at, begin - at) + (kept ? "{" + token + "}" : found->second);
        at = end + 1;
    }
}

// Throws for a path that could leave the folder.
void require_inside(const Place &place, const std::string &path) {
    const std::filesystem::path file(path);
    bool good = !path.empty() && !file.is_absolute() && !io::is_stdout(path) &&
                path.find('\0') == std::string::npos && path.find('\\') == std::string::npos &&
                file.has_filename();
    for (const auto &part : file) {
        good = good && part != ".." && part != ".";
    }
    if (!good) {
        place.refuse("the output '" + path +
                     "' is no file inside the recipe's folder; allowed is a relative path without "
                     "'..', '.', '\\' and '-'");
    }
}

// "[LAYER=]FILE" with its tokens replaced and the folder before it.
std::string output_of(const Place &place, const std::string &text, const std::string &folder,
                      Tokens tokens) {
    const OutputText parts = split_output(text);
    if (!parts.layer.empty()) {
        tokens.values.emplace_back("layer", parts.layer);
    }
    const std::string file = with_tokens(place, parts.path, tokens);
    require_inside(place, file);
    const std::string path = (std::filesystem::path(folder) / file).string();
    if (!parts.layer.empty()) {
        return parts.layer + "=" + path;
    }
    // A folder "a=b" names no layer.
    return split_output(path).layer.empty() ? path : "./" + path;
}

std::string resolution(const AssetRequest &request, const GeneratorInfo &row) {
    const std::string size = request.size ? *request.size : size_of(row);
    const auto x = size.find('x');
    const bool square = x != std::string::npos && size.substr(0, x) == size.substr(x + 1);
    return tame(square ? size.substr(0, x) : size, "size");
}

std::vector<std::string> seeds_of(const Place &place) {
    const Json &value = place.value();
    std::vector<std::string> list;
    if (value.is_array() && !value.empty()) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            list.push_back(seed_of(place.at(i)));
        }
        return list;
    }
    if (!value.is_string()) {
        place.refuse_type("\"0..99\" or a list of seeds");
    }
    try {
        return parse_seeds(value.get<std::string>());
    } catch (const Error &error) {
        place.refuse(error.what());
    }
}

const GeneratorInfo &generator_of(const Place &asset) {
    std::vector<std::string> names;
    for (const auto &generator : all_generators()) {
        if (!is_volume_row(generator)) {
            names.push_back(generator.name);
        }
    }
    const std::string list = core::joined(names);
    if (!asset.value().is_object() || !asset.value().contains("generator")) {
        asset.refuse("the key 'generator' is missing; allowed is one of " + list);
    }
    const Place place = asset.at("generator");
    const std::string name = text_of(place, "one of " + list);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        place.refuse("there is no generator '" + name + "'" + core::did_you_mean(name, names) +
                     "; allowed is one of " + list);
    }
    return find_generator(name);
}

// All items of one asset. The command line's seeds are for all assets, the recipe's for those that
// have none.
void read_asset(const Place &asset, const std::string &name, const Recipe &recipe,
                const std::vector<std::string> &own_seeds, bool seeds_given,
                std::vector<RecipeItem> &items) {
    const GeneratorInfo &generator = generator_of(asset);
    const std::vector<AssetOption> options = asset_options(generator);
    std::vector<std::string> keys{"generator", "parameters", "outputs", "seeds"};
    for (const auto &option : options) {
        keys.push_back(option.name);
    }
    asset.allow(keys);

    RecipeItem item{name, name, asset.pointer(), asset.file(), &generator, {}};
    for (const auto &option : options) {
        if (asset.value().contains(option.name)) {
            read_option(asset.at(option.name), option, recipe.path, item.request);
        }
    }
    const GeneratorInfo &row = requested_row(generator, item.request);
    if (asset.value().contains("parameters")) {
        const Place parameters = asset.at("parameters");
        if (!parameters.value().is_object()) {
            parameters.refuse_type("an object");
        }
        for (const auto &pair : parameters.value().items()) {
            item.request.assignments.push_back(
                assignment_of(parameters.at(pair.key()), pair.key(), row.params));
        }
    }
    if (asset.value().contains("seed") && asset.value().contains("seeds")) {
        asset.refuse("it has 'seed' and 'seeds'; allowed is one of them");
    }
    std::vector<std::string> seeds = own_seeds;
    if (!seeds_given && asset.value().contains("seeds")) {
        seeds = seeds_of(asset.at("seeds"));
    } else if (!seeds_given && asset.value().contains("seed")) {
        seeds = {item.request.seed};
    }
    if (!asset.value().contains("outputs") || asset.value()["outputs"].empty()) {
        asset.refuse("the list 'outputs' is missing or empty; allowed is [\"[LAYER=]FILE\", ...]");
    }
    const Place outputs = asset.at("outputs");
    const std::vector<std::string> texts = texts_of(outputs, "\"[LAYER=]FILE\"");
    if ((items.size() + seeds.size()) * texts.size() > kMostItems) {
        asset.refuse("the recipe has more than " + std::to_string(kMostItems) +
                     " outputs; allowed are so many");
    }
    for (const auto &seed : seeds) {
        item.request.seed = seed;
        item.request.outputs.clear();
        item.id = seeds.size() == 1 ? name : name + "/" + seed;
        const Tokens tokens{{{"name", name},
                             {"seed", tame(seed, seed_to_string(parse_seed(seed)))},
                             {"res", resolution(item.request, row)}}};
        for (std::size_t i = 0; i < texts.size(); ++i) {
            item.request.outputs.push_back(
                output_of(outputs.at(i), texts[i], recipe.folder, tokens));
        }
        items.push_back(item);
    }
}

// One spelling for each file: its folder with links followed, which is looked up once.
class Spelling {
public:
    std::string of(const std::string &file) {
        namespace fs = std::filesystem;
        const fs::path path = fs::path(file).lexically_normal();
        const auto [folder, fresh] = folders_.try_emplace(path.parent_path().string());
        if (fresh) {
            std::error_code error;
            const fs::path whole = fs::absolute(path, error).parent_path();
            const fs::path real = fs::weakly_canonical(whole, error);
            folder->second = error ? whole : real;
        }
        return (folder->second / path.filename()).string();
    }

private:
    std::map<std::string, std::filesystem::path> folders_;
};

// The files that the recipe's items read, and the recipe's own.
std::set<std::string> inputs_of(const Recipe &recipe, Spelling &spelling) {
    std::set<std::string> inputs;
    const auto add = [&](const std::string &file) {
        inputs.insert(spelling.of(file));
        std::error_code error;
        const auto real = std::filesystem::canonical(file, error);
        if (!error) { // it may be a link itself
            inputs.insert(real.string());
        }
    };
    std::for_each(recipe.files.begin(), recipe.files.end(), add);
    const std::string *last = nullptr;
    for (const auto &item : recipe.items) {
        if (last != nullptr && *last == item.asset) { // of another seed: it reads the same
            continue;
        }
        last = &item.asset;
        const std::vector<std::string> files = inputs_of(*item.generator, item.request);
        std::for_each(files.begin(), files.end(), add);
    }
    return inputs;
}

// No file is written twice, however it is spelt: without {seed} every seed would write the same.
// And none is written that an item reads.
void require_own_files(const Recipe &recipe) {
    Spelling spelling;
    const std::set<std::string> inputs = inputs_of(recipe, spelling);
    std::set<std::string> files;
    const auto claim = [&](const RecipeItem &item, const std::string &path) {
        const std::string file = spelling.of(path);
        const std::string its = "'" + std::filesystem::path(path).lexically_normal().string() + "'";
        if (inputs.contains(file)) {
            refuse_recipe(item.file, item.pointer + "/outputs",
                          its + " is written by '" + item.id +
                              "' and read too; allowed is another file");
        }
        if (!files.insert(file).second) {
            refuse_recipe(item.file, item.pointer + "/outputs",
                          its + " is written twice, the second time by '" + item.id +
                              "'; allowed is a name of its own for each, with {seed} or {name}");
        }
    };
    for (const auto &item : recipe.items) {
        for (const auto &output : item.request.outputs) {
            for (const auto &path : level_files(split_output(output).path)) {
                claim(item, path);
                claim(item, io::manifest_path(path));
            }
        }
    }
}

std::vector<std::string> default_seeds_of(const Place &root, const RecipeOverrides &overrides) {
    if (overrides.seeds) {
        return parse_seeds(*overrides.seeds);
    }
    if (overrides.seed) {
        parse_seed(*overrides.seed);
        return {*overrides.seed};
    }
    return root.value().contains("seeds") ? seeds_of(root.at("seeds"))
                                          : std::vector<std::string>{"0"};
}

void require_names(const Place &assets, const std::vector<std::string> &only) {
    for (const auto &name : only) {
        if (!assets.value().contains(name)) {
            std::vector<std::string> names;
            for (const auto &item : assets.value().items()) {
                names.push_back(item.key());
            }
            throw Error(ErrorCode::invalid_argument, "--only " + name +
                                                         ": the recipe has no such asset" +
                                                         core::did_you_mean(name, names));
        }
    }
}

std::string folder_of(const Place &root, const std::string &path) {
    if (!root.value().contains("folder")) {
        return relative_to(path, "");
    }
    const Place place = root.at("folder");
    if (!place.value().is_string()) {
        place.refuse_type("a folder beside the recipe");
    }
    const auto folder = place.value().get<std::string>();
    require_inside(place, folder);
    return relative_to(path, folder);
}

} // namespace

std::vector<std::string> parse_seeds(const std::string &text) {
    const auto dots = text.find("..");
    std::vector<std::string> list;
    if (dots != std::string::npos) {
        std::uint64_t first = 0, last = 0;
        const char *const end = text.data() + text.size();
        const auto [a, bad_a] = std::from_chars(text.data(), text.data() + dots, first);
        const auto [b, bad_b] = std::from_chars(text.data() + dots + 2, end, last);
        if (bad_a != std::errc() || bad_b != std::errc() || a != text.data() + dots || b != end ||
            last < first || last - first >= kMostItems) {
            throw Error(ErrorCode::invalid_argument,
                        "seeds is '" + text + "'; allowed is FIRST..LAST with at most " +
                            std::to_string(kMostItems) + " numbers, or a list");
        }
        for (std::uint64_t i = 0; i <= last - first; ++i) {
            list.push_back(std::to_string(first + i));
        }
        return list;
    }
    for (std::size_t at = 0;;) {
        const auto comma = text.find(',', at);
        list.push_back(text.substr(at, comma == std::string::npos ? comma : comma - at));
        parse_seed(list.back());
        if (comma == std::string::npos) {
            return list;
        }
        at = comma + 1;
    }
}

Recipe read_recipe(const std::string &path, const RecipeOverrides &overrides,
                   std::vector<std::string> *opened) {
    const RecipeSource source = read_recipe_source(path, overrides.assignments, opened);
    const Place root(source, "", source.root);
    const std::string keys[] = {"karst", "$schema", "folder", "seeds", "assets"};
    root.allow(keys);
    if (!source.root.contains("karst") || source.root["karst"] != kRecipeVersion) {
        root.refuse_key("karst",
                        "the key 'karst' is missing or of another version; allowed is \"karst\": " +
                            std::to_string(kRecipeVersion));
    }
    Recipe recipe{path, folder_of(root, path), !overrides.folder, source.files, {}};
    if (overrides.folder) {
        recipe.folder = *overrides.folder;
    }
    if (!source.root.contains("assets") || !source.root["assets"].is_object() ||
        source.root["assets"].empty()) {
        root.refuse("the object 'assets' is missing or empty; allowed is {\"NAME\": {...}, ...}");
    }
    const std::vector<std::string> seeds = default_seeds_of(root, overrides);
    const Place assets = root.at("assets");
    require_names(assets, overrides.only);
    for (const auto &pair : assets.value().items()) {
        const Place asset = assets.at(pair.key());
        if (tame(pair.key(), "") != pair.key()) {
            asset.refuse("the name of an asset has letters, digits, '-' and '_', at most 64");
        }
        const bool wanted = overrides.only.empty() ||
                            std::find(overrides.only.begin(), overrides.only.end(), pair.key()) !=
                                overrides.only.end();
        if (wanted) {
            read_asset(asset, pair.key(), recipe, seeds,
                       overrides.seed.has_value() || overrides.seeds.has_value(), recipe.items);
        }
    }
    require_own_files(recipe);
    return recipe;
}

} // namespace karst::cli
