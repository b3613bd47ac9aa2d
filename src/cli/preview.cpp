// karst preview: pictures of files, for people.
#include "cli/commands.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <memory>

#include <karst/error.hpp>
#include <karst/seed.hpp>

#include "cli/contact_sheet.hpp"
#include "cli/growth.hpp"
#include "cli/outputs.hpp"
#include "cli/preview.hpp"
#include "cli/signals.hpp"
#include "cli/values.hpp"
#include "core/run.hpp"
#include "io/apng.hpp"
#include "io/exporters.hpp"
#include "io/png.hpp"
#include "io/saved_map.hpp"

namespace karst::cli {

namespace {

using Picture = Field2D<std::uint32_t>;

const ParamInfo &width_info() {
    static const ParamInfo info{
        "width", "pixels",           ParamType::integer, 32, kLargestPictureSide,
        {},      std::int64_t{1024}, "Of the picture."};
    return info;
}
const ParamInfo &frames_info() {
    static const ParamInfo info{"frames", "", ParamType::integer, 2,
                                1000,     {}, std::int64_t{60},   "Of --animate."};
    return info;
}
const ParamInfo &strip_info() {
    static const ParamInfo info{"strip", "", ParamType::integer, 2,
                                64,      {}, std::int64_t{8},    "Pictures of --strip."};
    return info;
}

constexpr std::int64_t kUsualWidth = 1024;

struct Arguments {
    std::vector<std::string> files;
    std::string output = kPreviewFile;
    OptionalText width, frames, strip;
    bool animate = false;
};

// Half of what is free, as a picture is made beside the map.
std::uint64_t memory_limit() {
    return core::available_memory() / 2;
}

Options quiet_options() {
    Options options;
    options.cancel = &cancel_switch();
    return options;
}

Extent2 size_of_layer(const Layer &layer) {
    const Extent3 size = extent(layer.data);
    return {size.width, size.height};
}

// A picture takes its colours, as much again while it is made, and the bytes of its file.
void require_room(Extent2 pixels) {
    constexpr std::uint64_t kBytes = 16; // a pixel
    core::require_memory(kBytes * static_cast<std::uint64_t>(pixels.cells()),
                         "a picture of " + std::to_string(pixels.width) + "x" +
                             std::to_string(pixels.height) + " pixels",
                         quiet_options());
}

// The usual width, or a whole multiple of the map's width below it.
std::int64_t natural_width(Extent2 size) {
    const std::int64_t times = std::max<std::int64_t>(kUsualWidth / 2 / size.width, 1);
    return std::min(size.width * times, kUsualWidth);
}

std::int64_t width_of(const Arguments &arguments, std::int64_t otherwise) {
    return arguments.width ? parse_integer(width_info(), *arguments.width) : otherwise;
}

Picture colours_of_ids(const Layer &layer) {
    return std::visit(
        [](const auto &field) {
            using Id = std::remove_cvref_t<decltype(field[0])>;
            Picture picture({field.width(), field.height()});
            if constexpr (std::is_integral_v<Id>) { // ids have one channel
                for (std::int64_t i = 0; i < picture.size(); ++i) {
                    picture[i] =
                        field[i] == std::numeric_limits<Id>::max() ? 0 : io::id_colour(field[i]);
                }
            }
            return picture;
        },
        layer.data);
}

Picture picture_of_map(io::SavedMap &map, Extent2 size) {
    if (map.layer.meaning == LayerMeaning::id) {
        map.layer.data = colours_of_ids(map.layer);
        map.layer.meaning = LayerMeaning::colour;
    }
    return picture_of(map.layer, map.generator, map.cell, size, quiet_options());
}

// "seed 7"; empty if nothing says.
std::string caption_of(const io::SavedMap &map) {
    if (map.seed.empty()) {
        return {};
    }
    try {
        return seed_caption(parse_seed(map.seed));
    } catch (const Error &) { // it may be anything, as the file is a stranger's
        return "seed " + map.seed.substr(0, 64);
    }
}

Tile tile_of(const std::string &path, std::int64_t side) {
    io::SavedMap map = io::read_map(path, memory_limit());
    Tile tile;
    tile.picture = picture_of_map(map, fitted(size_of_layer(map.layer), side, true));
    const std::string seed = caption_of(map);
    tile.title = seed.empty() ? io::file_name(path) : seed;
    tile.subtitle = seed.empty() ? "" : io::file_name(path);
    return tile;
}

// The seed says most where it differs.
void title_by_name_if_one_seed(std::vector<Tile> &tiles) {
    const auto differs = [&tiles](const Tile &tile) {
        return tile.subtitle.empty() || tile.title != tiles.front().title;
    };
    if (std::none_of(tiles.begin(), tiles.end(), differs)) {
        for (auto &tile : tiles) {
            std::swap(tile.title, tile.subtitle);
        }
    }
}

void write_single(const Arguments &arguments) {
    io::SavedMap map = io::read_map(arguments.files.front(), memory_limit());
    const Extent2 size = size_of_layer(map.layer);
    const Extent2 pixels = fitted(size, width_of(arguments, natural_width(size)), false);
    require_room(pixels);
    Picture picture = picture_of_map(map, pixels);
    write_picture(arguments.output, std::move(picture),
                  map.generator.empty() ? "preview" : map.generator);
}

void write_sheet(const Arguments &arguments) {
    const SheetLayout layout = arguments.width
                                   ? SheetLayout(arguments.files.size(), width_of(arguments, 0))
                                   : SheetLayout(arguments.files.size());
    const auto count = static_cast<std::int64_t>(arguments.files.size());
    require_room({layout.tile, layout.tile * count}); // none is higher than wide
    std::vector<Tile> tiles;
    for (const auto &path : arguments.files) {
        tiles.push_back(tile_of(path, layout.tile));
    }
    title_by_name_if_one_seed(tiles);
    write_picture(arguments.output, contact_sheet(tiles, layout), "preview");
}

Growth growth_of(const Arguments &arguments, std::int64_t width) {
    const std::string &path = arguments.files.front();
    const io::SavedMap map = io::read_map(path, memory_limit());
    const auto *birth = std::get_if<Field2D<std::uint16_t>>(&map.layer.data);
    const bool other = !map.layer.name.empty() && map.layer.name != "birth_time";
    if (birth == nullptr || other) {
        throw Error(ErrorCode::invalid_input,
                    path + ": " +
                        (other ? "layer " + map.layer.name
                               : std::to_string(bits(map.layer.data)) + " bits a cell") +
                        " is no birth time; allowed is the 16-bit layer birth_time of karst "
                        "simulate physarum --birth-time");
    }
    return Growth(*birth, fitted(birth->extent(), std::min(width, birth->width()), false), path);
}

void write_animation(const Arguments &arguments) {
    constexpr int kMilliseconds = 80;
    const auto frames =
        static_cast<int>(parse_integer(frames_info(), arguments.frames.value_or("60")));
    const Growth growth = growth_of(arguments, width_of(arguments, 512));
    io::Animation animation = growth.animation(frames, kMilliseconds);
    animation.texts = {{"karst:generator", "preview"}, {"karst:layer", "growth"}};
    io::OutputFile file(arguments.output, &cancel_switch());
    io::write_apng(file, animation);
    file.commit();
}

void write_strip(const Arguments &arguments) {
    const auto count = static_cast<int>(parse_integer(strip_info(), *arguments.strip));
    SheetLayout layout(static_cast<std::size_t>(count));
    layout.columns = std::min(count, 8);
    if (arguments.width) {
        layout = SheetLayout(static_cast<std::size_t>(count), width_of(arguments, 0));
    }
    const Growth growth = growth_of(arguments, layout.tile);
    if (!arguments.width) { // no wider than a small map, but for its caption
        constexpr std::int64_t kCaption = 96;
        layout.tile = std::max(kCaption, growth.size().width);
    }
    std::vector<Tile> tiles;
    for (int i = 0; i < count; ++i) {
        tiles.push_back(
            {growth.picture(i, count), "step " + std::to_string(growth.step_of(i, count)), ""});
    }
    write_picture(arguments.output, contact_sheet(tiles, layout), "preview");
}

void run(const Arguments &arguments) {
    const bool growth = arguments.animate || arguments.strip;
    if (arguments.animate && arguments.strip) {
        throw Error(ErrorCode::invalid_argument,
                    "--animate and --strip together; allowed is one of them");
    }
    if (growth && arguments.files.size() != 1) {
        throw Error(ErrorCode::invalid_argument,
                    std::to_string(arguments.files.size()) +
                        " files; allowed with --animate or --strip is one");
    }
    if (arguments.frames && !arguments.animate) {
        throw Error(ErrorCode::invalid_argument, "--frames is allowed with --animate only");
    }
    require_picture_file(arguments.output);
    Claims claims;
    for (const auto &path : arguments.files) {
        claims.input(path);
    }
    claims.file(arguments.output, "-o");
    if (arguments.animate) {
        write_animation(arguments);
    } else if (arguments.strip) {
        write_strip(arguments);
    } else if (arguments.files.size() == 1) {
        write_single(arguments);
    } else {
        write_sheet(arguments);
    }
}

} // namespace

Extent2 fitted(Extent2 size, std::int64_t width, bool square) {
    const std::int64_t highest = square ? width : kLargestPictureSide;
    std::int64_t w = width;
    std::int64_t h = (size.height * width + size.width / 2) / size.width;
    if (h > highest) {
        h = highest;
        w = (size.width * highest + size.height / 2) / size.height;
    }
    return {std::max<std::int64_t>(w, 1), std::max<std::int64_t>(h, 1)};
}

std::string seed_caption(std::uint64_t seed) {
    return "seed " + (seed < 1'000'000'000 ? std::to_string(seed) : seed_to_string(seed));
}

void require_picture_file(const std::string &path) {
    if (path != "-" && io::extension_of(path) != ".png") {
        throw Error(ErrorCode::invalid_argument,
                    "'" + path + "' is not a name of a picture; allowed is FILE.png");
    }
    std::error_code error;
    if (std::filesystem::exists(io::manifest_path(path), error)) {
        throw Error(ErrorCode::invalid_argument,
                    "the picture would replace '" + path +
                        "', which has a manifest of its own; allowed is another file");
    }
}

void write_picture(const std::string &path, Picture picture, const std::string &generator) {
    Artifact artifact;
    artifact.generator = generator;
    Layer layer;
    layer.name = "preview";
    layer.meaning = LayerMeaning::colour;
    layer.data = std::move(picture);
    artifact.layers.push_back(std::move(layer));
    io::OutputFile file(path, &cancel_switch());
    io::write_png(file, artifact, artifact.layers.front());
    file.commit();
}

void add_preview_command(CLI::App &parent) {
    CLI::App &command = *parent.add_subcommand("preview", "pictures of files, for people");
    const auto arguments = std::make_shared<Arguments>();
    command
        .add_option("files", arguments->files,
                    "Maps: " + io::map_extensions() +
                        " (.r16 and .raw with their manifests). Several become a contact sheet")
        ->type_name("FILE...")
        ->required();
    command
        .add_option("-o,--output", arguments->output,
                    "The picture, a .png, - for the standard output (default preview.png)")
        ->type_name("FILE");
    command
        .add_option("--width", arguments->width,
                    "Of the picture in pixels, " + allowed(width_info()) +
                        " (default: as the map, at most 1024; 256 for each map of a sheet)")
        ->type_name("N");
    command.add_flag("--animate", arguments->animate,
                     "From a birth time (simulate physarum --birth-time): an animated PNG");
    command
        .add_option("--frames", arguments->frames,
                    "Of --animate, " + allowed(frames_info()) + " (default 60)")
        ->type_name("N");
    command
        .add_option("--strip", arguments->strip,
                    "From a birth time: so many pictures side by side, " + allowed(strip_info()))
        ->type_name("N");
    command.callback([arguments] { run(*arguments); });
}

} // namespace karst::cli
