#include "io/engine_notes.hpp"

#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

#include <karst/params.hpp>

#include "io/manifest.hpp"
#include "io/profiles.hpp"

namespace karst::io {

namespace {

using Json = nlohmann::ordered_json;

std::string text(double value) {
    return to_string(ParamValue(value));
}

std::string text(std::int64_t value) {
    return std::to_string(value);
}

std::string pair(Extent2 size) {
    return text(size.width) + " x " + text(size.height);
}

double metres(std::int64_t samples, double cell) {
    return static_cast<double>(samples - 1) * cell;
}

// Metres of the stored number 0.
double stored_zero(const HeightSource &source) {
    return source.metres(source.lowest);
}

std::string first_file(const HeightPlan &plan) {
    return file_name(plan.tiles.front().path);
}

bool stores_metres(const HeightPlan &plan) {
    return plan.format->encoding == HeightEncoding::metres;
}

} // namespace

std::optional<UnrealLayout> unreal_layout(Extent2 samples) {
    constexpr std::int64_t kMostComponents = 256; // a side
    for (const std::int64_t quads : {255, 127, 63, 31, 15, 7}) {
        for (const std::int64_t sections : {2, 1}) {
            const std::int64_t component = quads * sections;
            const Extent2 components{(samples.width - 1) / component,
                                     (samples.height - 1) / component};
            const bool even = (samples.width - 1) % component == 0 &&
                              (samples.height - 1) % component == 0 && components.width > 0 &&
                              components.height > 0;
            if (even && components.width <= kMostComponents &&
                components.height <= kMostComponents) {
                return UnrealLayout{quads, sections, components};
            }
        }
    }
    return std::nullopt;
}

// A Landscape stores (height in cm) * 128 / (scale Z) + 32768. The location in the dialog is the
// middle of the landscape.
void explain_unreal(Json &object, const HeightPlan &plan, const HeightSource &source) {
    const UnrealLayout layout = *unreal_layout(plan.extent);
    const double step = level_step(source);
    const double xy = source.cell * 100;
    const double scale_z = step * 12800;
    const double z = (stored_zero(source) + step * 32768) * 100;
    const double x = metres(plan.extent.width, source.cell) * 50;
    const double y = metres(plan.extent.height, source.cell) * 50;
    object["import"] = {{"scale", {xy, xy, scale_z}},
                        {"location_cm", {x, y, z}},
                        {"section_quads", layout.quads},
                        {"sections_per_component", layout.sections},
                        {"components", json(layout.components, 0)},
                        {"overall_resolution", json(plan.extent, 0)},
                        {"flip_y", false}};
    Json steps = Json::array();
    if (plan.tiled()) {
        steps.push_back("Open a level with World Partition. Copy the height files alone into a "
                        "folder of their own: some versions of Unreal take every file there "
                        "whose name begins like theirs for a tile.");
    }
    steps.push_back(
        "Landscape mode > Manage > New > Import from File. Heightmap File: " + first_file(plan) +
        (plan.tiled() ? "; Unreal finds the others." : ".") + " Flip Y Axis stays off.");
    steps.push_back("Section Size " + text(layout.quads) + " x " + text(layout.quads) +
                    " Quads, Sections Per Component " + text(layout.sections) + " x " +
                    text(layout.sections) + ", Number of Components " + pair(layout.components) +
                    "; Overall Resolution reads " + pair(plan.extent) + ".");
    steps.push_back("Location X " + text(x) + ", Y " + text(y) + ", Z " + text(z) +
                    ": the north-western corner comes to the origin, metres of height stay "
                    "metres above Z = 0. Another X and Y moves it.");
    steps.push_back("Scale X " + text(xy) + ", Y " + text(xy) + ", Z " + text(scale_z) + ".");
    steps.push_back("Import.");
    if (layout.components.cells() > 1024) {
        steps.push_back("Mind that these are " + text(layout.components.cells()) +
                        " components; Epic recommends at most 1024.");
    }
    object["steps"] = std::move(steps);
}

// The dialog Import Raw divides a number by 65536, the Terrain Toolbox by 65535.
void explain_unity(Json &object, const HeightPlan &plan, const HeightSource &source) {
    const double step = level_step(source);
    const double width = metres(plan.tile.width, source.cell);
    const double height = step * (plan.tiled() ? 65535 : 65536);
    Json import{{"heightmap_resolution", plan.tile.width},
                {"depth", "16 bit"},
                {"byte_order", "Windows"},
                {"flip_vertically", false},
                {"terrain_width", width},
                {"terrain_height", height},
                {"terrain_length", width},
                {"position_y", stored_zero(source)}};
    Json steps = Json::array();
    if (!plan.tiled()) {
        steps = {"GameObject > 3D Object > Terrain; Terrain Settings (the gear) > Import Raw...: " +
                     first_file(plan) + ".",
                 "Depth Bit 16, Resolution " + text(plan.tile.width) +
                     ", Byte Order Windows, Flip Vertically off.",
                 "Terrain Size X " + text(width) + ", Y " + text(height) + ", Z " + text(width) +
                     "; Import.",
                 "Position Y of the terrain " + text(stored_zero(source)) +
                     ": metres of height stay metres above 0."};
    } else {
        const double total_x = metres(plan.extent.width, source.cell);
        const double total_z = metres(plan.extent.height, source.cell);
        import["tiles_x"] = plan.counts.width;
        import["tiles_z"] = plan.counts.height;
        import["total_width"] = total_x;
        import["total_length"] = total_z;
        steps = {"Copy the .raw files alone into a folder whose whole path has no '_': the Terrain "
                 "Toolbox sorts by what follows the first one.",
                 "Window > Terrain > Terrain Toolbox > Create New Terrain: Total Terrain Width " +
                     text(total_x) + ", Length " + text(total_z) + ", Terrain Height " +
                     text(height) + ", Start Position Y " + text(stored_zero(source)) +
                     ", Tiles X Axis " + text(plan.counts.width) + ", Tiles Z Axis " +
                     text(plan.counts.height) + ", Heightmap Resolution " + text(plan.tile.width) +
                     ".",
                 "Import Heightmap: mode Batch, that folder; Height Remap 0 to " + text(height) +
                     "; Flip Axis None; Create."};
        if (width != std::floor(width)) {
            steps.push_back("The Toolbox places tiles at whole metres, and these are " +
                            text(width) + " m wide: move them, or choose another --cell.");
        }
    }
    object["import"] = std::move(import);
    object["steps"] = std::move(steps);
}

void explain_godot(Json &object, const HeightPlan &plan, const HeightSource &source) {
    const std::string cell = text(source.cell);
    const std::string files = first_file(plan) + (plan.tiled() ? " and the other tiles" : "");
    if (!stores_metres(plan)) {
        const double low = stored_zero(source);
        const double high = low + level_step(source) * 65535;
        object["import"] = {{"terrain3d",
                             {{"r16_range", {low, high}},
                              {"r16_size", json(plan.tile, 0)},
                              {"import_scale", 1},
                              {"height_offset", 0},
                              {"vertex_spacing", source.cell}}}};
        object["steps"] = {
            "Terrain3D, tools/importer.tscn, node Importer: Height File Name " + files + ".",
            "R16 Range " + text(low) + " to " + text(high) + " (of every tile), R16 Size " +
                pair(plan.tile) + ", Import Scale 1, Height Offset 0; Run Import.",
            "Vertex Spacing of the Terrain3D node " + cell + ".",
            "Godot itself does not read .r16: HeightMapShape3D takes the .exr."};
        return;
    }
    object["import"] = {
        {"height_min", source.metres(source.lowest)},
        {"height_max", source.metres(source.highest)},
        {"heightmapshape3d",
         {{"map_width", plan.tile.width},
          {"map_depth", plan.tile.height},
          {"height_factor", 1 / source.cell},
          {"node_scale", source.cell}}},
        {"terrain3d",
         {{"import_scale", 1}, {"height_offset", 0}, {"vertex_spacing", source.cell}}}};
    const std::string divide = source.cell == 1 ? "" : ", each height divided by " + cell;
    object["steps"] = {
        "Copy " + files +
            " into the project; Import dock: Import As Image, Reimport. Godot 4 "
            "keeps the 32-bit floats; Godot 3 halves them to 16 bits.",
        "HeightMapShape3D: image.convert(Image.FORMAT_RF); map_width = " + text(plan.tile.width) +
            "; map_depth = " + text(plan.tile.height) +
            "; map_data = image.get_data().to_float32_array()" + divide + ".",
        "Its grid has a spacing of 1: scale the CollisionShape3D evenly by " + cell +
            ". Its middle is the node's origin.",
        "Or Terrain3D, tools/importer.tscn, node Importer: Height File Name " + files +
            ", Import Scale 1, Height Offset 0; Run Import; Vertex Spacing " + cell + "."};
}

// Displace moves a vertex by strength * (number - midlevel), numbers of integers being 0 to 1. A
// vertex reads its own sample if its UV is the middle of the pixel.
void explain_blender(Json &object, const HeightPlan &plan, const HeightSource &source) {
    const double strength = stores_metres(plan) ? 1 : level_step(source) * 65535;
    const double z = stores_metres(plan) ? 0 : stored_zero(source);
    const double x = metres(plan.tile.width, source.cell);
    const double y = metres(plan.tile.height, source.cell);
    const auto width = static_cast<double>(plan.tile.width);
    const auto height = static_cast<double>(plan.tile.height);
    object["import"] = {{"colour_space", "Non-Color"},
                        {"subdivisions", json({plan.tile.width - 1, plan.tile.height - 1}, 0)},
                        {"size_m", {x, y}},
                        {"uv_scale", {(width - 1) / width, (height - 1) / height}},
                        {"uv_offset", {0.5 / width, 0.5 / height}},
                        {"strength", strength},
                        {"midlevel", 0},
                        {"location_z", z}};
    object["steps"] = {
        "Add > Mesh > Grid: X Subdivisions " + text(plan.tile.width - 1) + ", Y Subdivisions " +
            text(plan.tile.height - 1) + ", Size 1; Dimensions X " + text(x) + ", Y " + text(y) +
            "; Apply Scale.",
        "UV Editor: select all, scale about the middle by " + text((width - 1) / width) +
            " along X and " + text((height - 1) / height) +
            " along Y, so that each vertex reads the middle of its pixel.",
        "Texture properties > New > Image or Movie: " + first_file(plan) +
            ", Color Space Non-Color, Extension Extend, Interpolation off" +
            (stores_metres(plan) ? ", Clamping off." : "."),
        "Modifier Displace: that texture, Coordinates UV, Direction Z, Strength " + text(strength) +
            ", Midlevel 0.",
        "Location Z " + text(z) + ": metres of height stay metres."};
}

void explain_generic(Json &object, const HeightPlan &plan, const HeightSource &source) {
    const double scale = stores_metres(plan) ? 1 : level_step(source);
    const double offset = stores_metres(plan) ? 0 : stored_zero(source);
    object["import"] = {{"scale_m", scale}, {"offset_m", offset}, {"spacing_m", source.cell}};
    object["steps"] = {"metres = number * " + text(scale) + " + " + text(offset) +
                           "; samples lie " + text(source.cell) + " m apart.",
                       "The numbers are linear: no sRGB, no gamma, no colour management."};
}

namespace {

// Adds the key "holes" and what to click for them.
void explain_holes(Json &object, const HeightPlan &plan) {
    const bool nan = plan.format->extension == ".exr";
    Json files = Json::array();
    for (const HeightTile &tile : plan.tiles) {
        if (!tile.holes.empty()) {
            files.push_back(file_name(tile.holes));
        }
    }
    const std::string first = files.empty() ? "" : files[0].get<std::string>();
    object["holes"] = {{"heights_are_nan", nan}, {"files", std::move(files)}};
    Json &steps = object["steps"];
    switch (plan.profile->holes) {
    case HoleFile::none:
        return;
    case HoleFile::nan:
        steps.push_back("Where there is a hole, the number is NaN.");
        return;
    case HoleFile::visibility:
        steps.push_back("Holes: a landscape material with Landscape Visibility Mask; import " +
                        first +
                        " as the weights of the layer Visibility (255 is a hole), as other "
                        "layers are.");
        return;
    case HoleFile::quads:
        steps.push_back("Holes: in a script, TerrainData.SetHoles(0, 0, ground) with ground[y, x] "
                        "true where GetPixel(x, y) of " +
                        first +
                        " is not black. Both count rows from the south. The texture is imported "
                        "with Non-Power of 2 None, Read/Write on and no compression.");
        return;
    case HoleFile::control:
        steps.push_back("Holes in Terrain3D: Control File Name " + first + " in the same import." +
                        (nan ? " In HeightMapShape3D they are there already, as NaN." : ""));
        return;
    }
}

} // namespace

std::string import_text(const HeightPlan &plan, const HeightSource &source) {
    Json object{
        {"karst_import", 1}, {"profile", plan.profile->name}, {"engine", plan.profile->help}};
    plan.profile->explain(object, plan, source);
    if (plan.holes) {
        explain_holes(object, plan);
    }
    object["files"] = Json::array();
    for (const auto &tile : plan.tiles) {
        object["files"].push_back({{"file", file_name(tile.path)},
                                   {"tile", {tile.x, tile.y}},
                                   {"first_sample", {tile.window.x, tile.window.y}},
                                   {"north_west_m",
                                    {static_cast<double>(tile.window.x) * source.cell,
                                     static_cast<double>(tile.window.y) * source.cell}}});
    }
    object["samples"] = json(plan.extent, 0);
    object["tiles"] = json(plan.counts, 0);
    object["tile_samples"] = json(plan.tile, 0);
    object["borders"] = !plan.tiled()                  ? "one file"
                        : plan.profile->shares_borders ? "neighbours share a row of samples"
                                                       : "neighbours abut, no sample is twice";
    object["cell_m"] = source.cell;
    object["size_m"] = {metres(plan.extent.width, source.cell),
                        metres(plan.extent.height, source.cell)};
    object["lowest_m"] = source.metres(source.lowest);
    object["highest_m"] = source.metres(source.highest);
    object["bits"] = stores_metres(plan) ? 32 : 16;
    object["numbers"] = stores_metres(plan) ? "float" : "unsigned integer";
    object["byte_order"] = plan.format->extension == ".png" ? "big-endian" : "little-endian";
    object["rows"] = plan.format->south_first ? "from the south" : "from the north";
    object["scale_m"] = stores_metres(plan) ? 1 : level_step(source);
    object["offset_m"] = stores_metres(plan) ? 0 : stored_zero(source);
    object["sampling"] = "corners: a sample stands for a vertex, W samples span W - 1 cells";
    object["colour_space"] = "linear";
    return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace karst::io
