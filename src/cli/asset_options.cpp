#include "cli/asset_options.hpp"

#include <algorithm>
#include <type_traits>

#include "cli/control_files.hpp"
#include "cli/height_files.hpp"
#include "core/joined.hpp"
#include "io/profiles.hpp"

namespace karst::cli {

namespace {

bool makes_meshes(const GeneratorInfo &row) {
    return std::any_of(row.layers.begin(), row.layers.end(),
                       [](const LayerInfo &layer) { return layer.kind == LayerKind::mesh; });
}

} // namespace

std::vector<AssetOption> asset_options(const GeneratorInfo &generator) {
    const GeneratorInfo *const volume = volume_row(generator);
    const auto any = [&](auto property) {
        return property(generator) || (volume != nullptr && property(*volume));
    };
    const bool map = generator.default_depth == 0;
    const std::string sides = !map ? "WxHxD" : volume != nullptr ? "WxH[xD]" : "WxH";

    std::vector<AssetOption> options{
        {"seed", "SEED",
         "A decimal or 0x-hexadecimal number of at most 64 bits, or text (default 0)",
         &AssetRequest::seed},
        {"size", sides,
         "Cells (default " + size_of(generator) + ")" +
             (volume != nullptr ? "; with a depth a volume" : ""),
         &AssetRequest::size},
        {"extent", "M",
         map ? "Metres: the width, or " + sides + ". Without --size it is divided into cells"
             : "Metres. Without --size it is divided into cells",
         &AssetRequest::extent},
        {"cell", "M",
         "Metres a cell (default " + to_string(ParamValue(generator.default_cell)) + ")",
         &AssetRequest::cell},
    };
    if (any([](const GeneratorInfo &row) { return !row.presets.empty(); })) {
        options.push_back({"preset", "NAME",
                           "One of " + presets_of(generator) +
                               (volume != nullptr ? "; of volumes " + presets_of(*volume) : "") +
                               " (default the first)",
                           &AssetRequest::preset});
    }
    options.push_back(
        {"require", "NAME=VALUE",
         "What the result must measure, else nothing is written and the exit status is 6: "
         "\"components=1\", \"open share>=0.3\" (= >= <= > <); repeatable",
         &AssetRequest::requirements, true});
    if (any([](const GeneratorInfo &row) { return row.takes_shape; })) {
        options.push_back({"shape", "FILE.obj",
                           "A closed mesh that is open or rock, as the parameter shape_use says; "
                           "from the north-western bottom corner",
                           &AssetRequest::shape, false, true});
    }
    const auto takes = [](const char *name) {
        return [name](const GeneratorInfo &row) {
            return std::find(row.controls.begin(), row.controls.end(), name) != row.controls.end();
        };
    };
    if (any(takes("food"))) {
        options.push_back({"food", "FILE.png",
                           "A painted map over the whole ground: white draws the network along, as "
                           "strongly as food_strength says",
                           &AssetRequest::food, false, true});
    }
    if (any(takes("walls"))) {
        options.push_back({"walls_map", "FILE.png", "Where it is bright the network cannot go",
                           &AssetRequest::walls_map, false, true});
    }
    if (any(takes("spawn"))) {
        options.push_back({"spawn_map", "FILE.png",
                           "Where the network starts from: white is as without it, black nowhere",
                           &AssetRequest::spawn_map, false, true});
    }
    if (any(takes("grow"))) {
        options.push_back(
            {"pin", "FILE.json",
             "The layer network of an earlier run: it stays as it is but where --grow "
             "is bright",
             &AssetRequest::pin, false, true});
        options.push_back({"grow", "FILE.png",
                           "With --pin: where the network is made anew and joins what stays",
                           &AssetRequest::grow, false, true});
    }
    if (any(takes("retain"))) {
        options.push_back({"map", "NAME=FILE.png",
                           "A parameter from place to place: sensor_angle, rotation_angle, "
                           "sensor_offset, step_size, deposit or retain. White is the parameter, "
                           "black 0, or as @BLACK..WHITE after the file says; repeatable",
                           &AssetRequest::maps, false, true});
    }
    if (any(makes_meshes)) {
        options.push_back(
            {"units", "UNIT",
             "Of lengths in .obj, .ply and .stl, read or written: m or cm (default m)",
             &AssetRequest::units, true});
        options.push_back(
            {"up", "AXIS",
             "The axis upwards in .obj, .ply and .stl, read or written: y or z (default y)",
             &AssetRequest::up, true});
        options.push_back({"short_indices", "",
                           "Cut meshes into parts of at most 65535 vertices, for 16-bit indices",
                           &AssetRequest::short_indices, true});
    }
    if (any(makes_heights)) {
        options.push_back({"profile", "ENGINE",
                           "Heights as an engine wants them, one of " +
                               core::joined(io::profiles(), &io::Profile::name) +
                               ": sizes, format, names, and the numbers to type in beside them",
                           &AssetRequest::profile, true});
        options.push_back({"tiles", "XxY",
                           "Cut maps into so many files, by the profile's rule (default as few as "
                           "it allows)",
                           &AssetRequest::tiles, true});
        options.push_back({"holes", "FILE.png",
                           "With --profile: a painted map over the whole ground; where it is "
                           "bright the ground is open, as the engine keeps holes",
                           &AssetRequest::holes, false, true});
    }
    if (generator.generate_tiles) {
        options.push_back(
            {"tile_size", "N",
             "Make square tiles of so many samples a side one after another, each a file: {x} and "
             "{y} in its name are the tile's column and row",
             &AssetRequest::tile_size, true});
        options.push_back({"tile_overlap", "N",
                           "Samples that neighbouring tiles share: 0 or 1 (default 1)",
                           &AssetRequest::tile_overlap, true});
        options.push_back({"height_range", "LOW..HIGH",
                           "Metres of the lowest and the highest 16-bit number of tiles, so that "
                           "maps made apart fit (default the map's own)",
                           &AssetRequest::height_range, true});
        options.push_back({"tile", "X,Y", "Make only this tile", &AssetRequest::tile, true});
    }
    return options;
}

std::vector<std::string> inputs_of(const GeneratorInfo &generator, const AssetRequest &request) {
    std::vector<std::string> files;
    for (const auto &option : asset_options(generator)) {
        if (!option.reads_file) {
            continue;
        }
        visit_option(option, request, [&files](const auto &value) {
            using Value = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, OptionalText>) {
                if (value) {
                    files.push_back(*value);
                }
            } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
                for (const std::string &text : value) { // NAME=FILE[@BLACK..WHITE]
                    files.push_back(painted_file(text));
                }
            }
        });
    }
    return files;
}

} // namespace karst::cli
