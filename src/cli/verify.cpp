// karst verify: makes what a manifest describes again and compares.
#include "cli/commands.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <type_traits>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>

#include "cli/asset.hpp"
#include "cli/asset_options.hpp"
#include "cli/control_files.hpp"
#include "cli/job.hpp"
#include "io/json_file.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
    std::vector<std::string> manifests;
    JobArguments job;
};

// A manifest and what the comparison said.
struct Checked {
    std::string path; // of the manifest
    Json manifest;
    std::string difference; // empty: none
};

// Member `key` of type T; throws Error(invalid_input).
template <class T>
T member(const Checked &its, const Json &object, const char *key) {
    try {
        return object.at(key).get<T>();
    } catch (const Json::exception &) {
        throw Error(ErrorCode::invalid_input,
                    its.path + ": '" + key + "' is missing or of another type than karst writes");
    }
}

// Member `key`, an object or a list; throws Error(invalid_input).
Json structure(const Checked &its, const Json &object, const char *key) {
    if (!object.is_object() || !object.contains(key) || !object[key].is_structured()) {
        throw Error(ErrorCode::invalid_input,
                    its.path + ": '" + key + "' is missing or no object or list");
    }
    return object[key];
}

std::string file_of(const Checked &its) {
    const auto file = member<std::string>(its, its.manifest, "file");
    return (std::filesystem::path(its.path).parent_path() / file).string();
}

// What -o asked for: of a tile its map, of a level of detail the name of all.
std::string output_of(const Checked &its) {
    const auto layer = member<std::string>(its, structure(its, its.manifest, "layer"), "name");
    const auto folder = std::filesystem::path(its.path).parent_path();
    for (const auto &[part, whole] : {std::pair{"tile", "map"}, std::pair{"lod", "files"}}) {
        if (its.manifest.contains(part)) {
            const Json record = structure(its, its.manifest, part);
            return layer + "=" + (folder / member<std::string>(its, record, whole)).string();
        }
    }
    return layer + "=" + file_of(its);
}

Checked read_manifest(const std::string &argument) {
    constexpr std::string_view kEnd = ".karst.json";
    Checked its{argument.ends_with(kEnd) ? argument : io::manifest_path(argument), {}, {}};
    its.manifest = io::read_json(its.path);
    if (!its.manifest.is_object() || !its.manifest.contains("karst_manifest")) {
        throw Error(ErrorCode::invalid_input, its.path + ": it is no manifest of karst");
    }
    if (its.manifest["karst_manifest"] != io::kManifestVersion ||
        its.manifest.value("algorithm_version", Json()) != KARST_ALGORITHM_VERSION) {
        throw Error(ErrorCode::unsupported,
                    its.path +
                        ": it is of another version; this program verifies manifest version " +
                        std::to_string(io::kManifestVersion) + " and algorithm version " +
                        std::to_string(KARST_ALGORITHM_VERSION));
    }
    return its;
}

// The row whose command makes what the row `name` makes.
const GeneratorInfo &command_row(const Checked &its, const std::string &name) {
    for (const auto &generator : all_generators()) {
        if (generator.volume_name == name || generator.name == name) {
            if (!is_volume_row(generator)) {
                return generator;
            }
        }
    }
    throw Error(ErrorCode::unsupported, its.path + ": the generator '" + name +
                                            "' has no row in the registry; allowed are manifests "
                                            "of karst crack, cave, heightmap, simulate physarum");
}

std::string text_of(const Checked &its, const Json &value) {
    if (auto text = io::typed_text(value)) {
        return *std::move(text);
    }
    throw Error(ErrorCode::invalid_input,
                its.path + ": " + value.dump().substr(0, 60) + " is no single value");
}

void set_option(const Checked &its, const std::vector<AssetOption> &options,
                const std::string &name, const std::string &text, AssetRequest &request) {
    for (const auto &option : options) {
        if (option.name != name) {
            continue;
        }
        visit_option(option, request, [&text](auto &value) {
            using Value = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, bool>) {
                value = text == "true";
            } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
                value.push_back(text);
            } else {
                value = text;
            }
        });
        return;
    }
    throw Error(ErrorCode::invalid_input, its.path + ": there is no switch '" + name + "'");
}

std::string input_path(const Checked &its, const Json &input) {
    const auto folder = std::filesystem::path(its.path).parent_path();
    return (folder / member<std::string>(its, input, "file")).string();
}

[[noreturn]] void refuse_input(const Checked &its, const std::string &path, bool there) {
    throw Error(ErrorCode::requirement_failed, its.path + ": the file '" + path +
                                                   "' that it was made from " +
                                                   (there ? "has changed" : "is missing"));
}

// Throws Error(requirement_failed) for a file that was read and is not as it was.
void add_inputs(const Checked &its, const std::vector<AssetOption> &options,
                AssetRequest &request) {
    if (!its.manifest.contains("inputs")) {
        return;
    }
    for (const auto &input : structure(its, its.manifest, "inputs")) {
        const std::string path = input_path(its, input);
        const auto found = io::digest_file(path);
        if (!found || io::hexadecimal(found->digest) != member<std::string>(its, input, "digest")) {
            refuse_input(its, path, found.has_value());
        }
        const std::string text = input.contains("map")
                                     ? control_text({member<std::string>(its, input, "map"),
                                                     member<double>(its, input, "black"),
                                                     member<double>(its, input, "white")},
                                                    path)
                                     : path;
        set_option(its, options, member<std::string>(its, input, "name"), text, request);
    }
}

// The asset that the manifest's job asks for, without outputs.
AssetRequest request_of(const Checked &its, const std::vector<AssetOption> &options) {
    AssetRequest request;
    const Json &manifest = its.manifest;
    request.seed = member<std::string>(its, manifest, "seed");
    request.cell = to_string(ParamValue(member<double>(its, manifest, "cell")));
    std::string size;
    for (const auto &side : structure(its, manifest, "extent")) {
        size += (size.empty() ? "" : "x") + text_of(its, side);
    }
    request.size = size;
    const Json parameters = structure(its, manifest, "parameters");
    for (const auto &pair : parameters.items()) {
        request.assignments.push_back(pair.key() + "=" + text_of(its, pair.value()));
    }
    if (manifest.contains("options")) {
        const Json given = structure(its, manifest, "options");
        for (const auto &pair : given.items()) {
            if (pair.key() != "require") { // it was met then, and makes no bytes
                set_option(its, options, pair.key(), text_of(its, pair.value()), request);
            }
        }
    }
    add_inputs(its, options, request);
    return request;
}

// What the new run gave that the manifest has otherwise; empty: nothing.
std::string first_difference(const Checked &its, const Output &output) {
    const Json stages = structure(its, its.manifest, "stages");
    if (!stages.is_array()) {
        throw Error(ErrorCode::invalid_input, its.path + ": 'stages' is no list");
    }
    const auto &found = output.manifest.stages;
    for (std::size_t i = 0; i < std::max(stages.size(), found.size()); ++i) {
        if (i >= stages.size() || i >= found.size() ||
            member<std::string>(its, stages[i], "stage") != found[i].stage) {
            return "the stages are other ones from number " + std::to_string(i + 1) + " on";
        }
        const auto wanted = member<std::string>(its, stages[i], "digest");
        if (wanted != io::hexadecimal(found[i].digest)) {
            return "the first stage that differs is '" + found[i].stage + "': " + wanted +
                   " in the manifest, " + io::hexadecimal(found[i].digest) + " now";
        }
    }
    const Json layer = structure(its, its.manifest, "layer");
    const auto wanted = member<std::string>(its, layer, "digest");
    const std::string now = io::hexadecimal(io::digest_of(output.manifest.layer));
    if (wanted != now) {
        return "the layer '" + output.layer + "' differs: " + wanted + " in the manifest, " + now +
               " now";
    }
    // What turns its numbers into metres, and all else that is told of it.
    const Json told = Json::parse(io::manifest_text(output.manifest))["layer"];
    for (const auto &[key, value] : told.items()) {
        if (!layer.contains(key) || layer[key] != value) {
            return "'" + key + "' of the layer '" + output.layer + "' is " +
                   (layer.contains(key) ? layer[key].dump() : "missing") + " in the manifest, " +
                   value.dump() + " now";
        }
    }
    return layer.size() == told.size() ? "" : "the layer has other members in the manifest";
}

std::string difference_of_bytes(const std::string &path, const std::string &wanted) {
    const auto found = io::digest_file(path);
    if (!found) {
        return "the file '" + path + "' is missing";
    }
    return wanted == io::hexadecimal(found->digest)
               ? ""
               : "the file '" + path + "' has other bytes: digest " + wanted +
                     " in the manifest, " + io::hexadecimal(found->digest) + " on the disk";
}

// Whether the bytes of the file and of those beside it are what the manifest describes.
std::string difference_of_file(const Checked &its) {
    std::string difference =
        difference_of_bytes(file_of(its), member<std::string>(its, its.manifest, "file_digest"));
    if (!its.manifest.contains("beside")) {
        return difference;
    }
    const auto folder = std::filesystem::path(its.path).parent_path();
    for (const auto &beside : structure(its, its.manifest, "beside")) {
        if (difference.empty()) {
            difference =
                difference_of_bytes((folder / member<std::string>(its, beside, "file")).string(),
                                    member<std::string>(its, beside, "digest"));
        }
    }
    return difference;
}

// Reads the files that it was made from: they must be what add_inputs saw.
Asset asset_of(const Checked &its, const GeneratorInfo &generator, const AssetRequest &request,
               Inputs &inputs) {
    try {
        Claims claims(Claims::Files::unseen);
        Asset asset = make_asset(generator, request, claims, inputs);
        for (const auto &input : asset.inputs) {
            const Json recorded = structure(its, its.manifest, "inputs");
            if (std::none_of(recorded.begin(), recorded.end(), [&](const Json &its_input) {
                    return input_path(its, its_input) == input.path &&
                           its_input["digest"] == io::hexadecimal(input.digest);
                })) {
                refuse_input(its, input.path, true);
            }
        }
        return asset;
    } catch (const Error &error) {
        if (error.code() == ErrorCode::invalid_argument || error.code() == ErrorCode::unsupported) {
            throw Error(ErrorCode::invalid_input, its.path + ": " + error.what());
        }
        throw;
    }
}

void compare(Checked &its, const Output &output) {
    its.difference = difference_of_file(its);
    if (its.difference.empty()) {
        its.difference = first_difference(its, output);
    }
}

[[noreturn]] void refuse_file(const Checked &its) {
    throw Error(ErrorCode::invalid_input,
                its.path + ": its job makes no file '" + file_of(its) + "'");
}

// Tiles of --tile-size of one map, whose base is made once.
void check_tiles(const std::vector<Checked *> &group, const Asset &asset, const Options &options) {
    std::map<std::string, std::vector<Checked *>> at; // "x,y"
    for (Checked *its : group) {
        const Json given = structure(*its, its->manifest, "options");
        at[member<std::string>(*its, given, "tile")].push_back(its);
    }
    const auto place = [](std::int64_t x, std::int64_t y) {
        return std::to_string(x) + "," + std::to_string(y);
    };
    TileOptions tiles = asset.tiles->options;
    tiles.wanted = [&](std::int64_t x, std::int64_t y) { return at.contains(place(x, y)); };
    const auto check = [&](const HeightmapTile &tile) {
        const auto its_place = at.extract(place(tile.x, tile.y));
        for (Checked *its : its_place.mapped()) {
            const auto layer =
                member<std::string>(*its, structure(*its, its->manifest, "layer"), "name");
            Output output = layer_output({}, {layer, LayerKind::map, file_of(*its)}, tile.artifact);
            output.manifest.stages = *options.digests;
            compare(*its, output);
        }
    };
    asset.row->generate_tiles(asset.job, tiles, check, options);
    if (!at.empty()) {
        refuse_file(*at.begin()->second.front());
    }
}

// All manifests of one job: it is made once.
void check_job(std::vector<Checked *> &group, Inputs &inputs, const Options &options) {
    const Checked &first = *group.front();
    const GeneratorInfo &generator =
        command_row(first, member<std::string>(first, first.manifest, "generator"));
    AssetRequest request = request_of(first, asset_options(generator));
    for (const Checked *its : group) {
        std::string output = output_of(*its);
        if (std::find(request.outputs.begin(), request.outputs.end(), output) ==
            request.outputs.end()) {
            request.outputs.push_back(std::move(output));
        }
    }
    const Asset asset = asset_of(first, generator, request, inputs);
    std::vector<StageDigest> stages;
    Options own = options;
    own.digests = &stages;
    own.notes = nullptr; // who made it was told
    if (asset.tiles) {
        check_tiles(group, asset, own);
        return;
    }
    const Artifact artifact = generate(asset, own);
    const std::vector<Output> outputs = outputs_of(asset, artifact, stages, options);
    for (Checked *its : group) {
        const auto output =
            std::find_if(outputs.begin(), outputs.end(),
                         [path = file_of(*its)](const Output &one) { return one.path == path; });
        if (output == outputs.end()) {
            refuse_file(*its);
        }
        compare(*its, *output);
    }
}

void verify(const Arguments &arguments) {
    std::vector<Checked> all;
    for (const auto &path : arguments.manifests) {
        all.push_back(read_manifest(path));
    }
    std::map<std::string, std::vector<Checked *>> jobs;
    for (auto &its : all) {
        Json job = io::job_of(its.manifest);
        job.erase("file");
        job.erase("recipe");
        if (job.contains("options") && job["options"].is_object()) {
            job["options"].erase("tile"); // which of the map's tiles it is
        }
        jobs[std::filesystem::path(its.path).parent_path().string() + " " +
             job.dump(-1, ' ', false, Json::error_handler_t::replace)]
            .push_back(&its);
    }
    RunningJob running(arguments.job, jobs.size());
    Inputs inputs;
    for (auto &pair : jobs) {
        check_job(pair.second, inputs, running.options());
    }
    Json report{{"manifests", Json::array()}};
    std::string failure;
    for (const auto &its : all) {
        report["manifests"].push_back({{"manifest", its.path},
                                       {"same", its.difference.empty()},
                                       {"difference", its.difference}});
        if (failure.empty() && !its.difference.empty()) {
            failure = its.path + ": " + its.difference;
        }
    }
    running.report(std::move(report), {});
    if (!failure.empty()) {
        throw Error(ErrorCode::requirement_failed, failure);
    }
}

} // namespace

void add_verify_command(CLI::App &parent) {
    CLI::App &command =
        *parent.add_subcommand("verify", "make what manifests describe again and compare");
    const auto arguments = std::make_shared<Arguments>();
    command.allow_extras();
    command.add_option("manifests", arguments->manifests, "FILE.karst.json, or FILE")
        ->type_name("MANIFEST")
        ->required();
    add_job_options(command, arguments->job);
    command.callback([&command, arguments] {
        refuse_unknown(command, {});
        verify(*arguments);
    });
}

} // namespace karst::cli
