#include "io/saved_map.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include <nlohmann/json.hpp>

#include "io/formats.hpp"
#include "io/heights.hpp"
#include "io/json_file.hpp"
#include "io/manifest.hpp"
#include "io/mesh_formats.hpp"
#include "io/npy_read.hpp"
#include "io/png_read.hpp"
#include "io/profiles.hpp"

namespace karst::io {

namespace {

// What a manifest says of an array; members that it lacks keep their values.
struct Facts {
    std::string generator, seed;
    std::string layer, type, meaning, unit;
    double cell = 0;
    double scale = 1;
    double offset = 0;
    double channels = 1;
    std::vector<std::int64_t> extent; // of the whole map
    std::vector<std::int64_t> tiles;  // columns and rows that it is cut into; empty: it is not
    std::string profile;              // of an engine
};

class ManifestReader {
public:
    explicit ManifestReader(const std::string &path) : path_(path), json_(read_json(path)) {}

    Facts facts() const {
        if (!json_.is_object() || !json_.contains("karst_manifest")) {
            refuse("it is no manifest of karst: it has no key karst_manifest");
        }
        Facts facts;
        facts.generator = text(json_, "generator");
        facts.seed = text(json_, "seed");
        facts.cell = number(json_, "cell").value_or(0);
        if (facts.cell < 0) {
            refuse("cell is negative; allowed is a length in metres");
        }
        facts.extent = numbers(json_, "extent");
        if (const auto tile = json_.find("tile"); tile != json_.end() && tile->is_object()) {
            facts.tiles = numbers(*tile, "tiles");
        }
        if (const auto options = json_.find("options");
            options != json_.end() && options->is_object()) {
            facts.profile = text(*options, "profile");
        }
        const auto layer = json_.find("layer");
        if (layer == json_.end() || !layer->is_object()) {
            refuse("the key layer is not an object");
        }
        facts.layer = text(*layer, "name");
        facts.type = text(*layer, "type");
        facts.meaning = text(*layer, "meaning");
        facts.unit = text(*layer, "unit");
        const auto file_scale = number(*layer, "file_scale");
        facts.scale = file_scale ? *file_scale : number(*layer, "scale").value_or(1);
        const auto file_offset = number(*layer, "file_offset");
        facts.offset = file_offset ? *file_offset : number(*layer, "offset").value_or(0);
        facts.channels = number(*layer, "channels").value_or(1);
        if (facts.channels != 1 && facts.channels != 3 && facts.channels != 4) {
            refuse("channels is none of 1, 3 and 4");
        }
        return facts;
    }

private:
    [[noreturn]] void refuse(const std::string &what) const {
        throw Error(ErrorCode::invalid_input, path_ + ": " + what);
    }

    // Empty if the key is missing or null.
    std::string text(const nlohmann::ordered_json &object, const char *key) const {
        const auto found = object.find(key);
        if (found == object.end() || found->is_null()) {
            return {};
        }
        if (!found->is_string()) {
            refuse(std::string("the key ") + key + " is not a string");
        }
        return found->get<std::string>();
    }

    // Whole numbers below 2^30, others as 0; none if it is no list.
    static std::vector<std::int64_t> numbers(const nlohmann::ordered_json &object,
                                             const char *key) {
        std::vector<std::int64_t> list;
        if (const auto found = object.find(key); found != object.end() && found->is_array()) {
            for (const auto &number : *found) {
                const bool fits =
                    number.is_number_unsigned() && number.get<std::uint64_t>() < (1u << 30);
                list.push_back(fits ? number.get<std::int64_t>() : 0);
            }
        }
        return list;
    }

    std::optional<double> number(const nlohmann::ordered_json &object, const char *key) const {
        const auto found = object.find(key);
        if (found == object.end() || found->is_null()) {
            return std::nullopt;
        }
        if (!found->is_number() || !std::isfinite(found->get<double>())) {
            refuse(std::string("the key ") + key + " is not a number");
        }
        return found->get<double>();
    }

    std::string path_;
    nlohmann::ordered_json json_;
};

std::optional<Facts> manifest_of(const std::string &path) {
    std::error_code error;
    const std::string manifest = manifest_path(path);
    if (!std::filesystem::exists(manifest, error)) {
        return std::nullopt;
    }
    return ManifestReader(manifest).facts();
}

// The same from the texts of a PNG (png.cpp); nothing if it was not karst that wrote it.
std::optional<Facts> texts_of(const std::string &path) {
    std::optional<Facts> facts;
    for (const auto &[key, value] : read_png_text(path)) {
        if (!facts) {
            facts.emplace().meaning = "mask";
        }
        if (key == "karst:generator") {
            facts->generator = value;
        } else if (key == "karst:layer") {
            facts->layer = value;
        } else if (key == "karst:seed") {
            facts->seed = value;
        } else if (key == "karst:unit") { // only amounts have one
            facts->unit = value;
            facts->meaning = "amount";
        }
    }
    return facts;
}

LayerMeaning meaning_of(const Facts &facts) {
    for (const auto meaning : {LayerMeaning::mask, LayerMeaning::id, LayerMeaning::colour}) {
        if (facts.meaning == meaning_name(meaning)) {
            return meaning;
        }
    }
    return LayerMeaning::amount;
}

bool is_two_valued(const Field2D<std::uint8_t> &field) {
    return std::all_of(field.cells().begin(), field.cells().end(),
                       [](std::uint8_t value) { return value == 0 || value == 255; });
}

Layer png_layer(const std::string &path, std::uint64_t memory_limit,
                const std::optional<Facts> &facts) {
    const PngHeader header = read_png_header(path);
    Layer layer;
    if (header.colour && header.alpha && facts && facts->channels == 4) { // weights, no colours
        layer.data = read_rgba_png(path, memory_limit);
        return layer;
    }
    if (header.colour) {
        layer.meaning = LayerMeaning::colour;
        layer.data = read_rgb_png(path, memory_limit);
        return layer;
    }
    auto wide = read_grey_png(path, memory_limit);
    layer.meaning = facts ? meaning_of(*facts) : LayerMeaning::amount;
    if (header.depth == 16) {
        layer.data = std::move(wide);
        return layer;
    }
    Field2D<std::uint8_t> bytes(wide.extent());
    std::transform(wide.cells().begin(), wide.cells().end(), bytes.cells().begin(),
                   [](std::uint16_t value) { return static_cast<std::uint8_t>(value >> 8); });
    if (!facts && is_two_valued(bytes)) {
        layer.meaning = LayerMeaning::mask;
    }
    layer.data = std::move(bytes);
    return layer;
}

// The profile that the heights of a file were written by; null: none.
const Profile *profile_of(const Facts &facts) {
    for (const Profile &profile : profiles()) {
        if (profile.name == facts.profile) {
            return &profile;
        }
    }
    return nullptr;
}

// Of the file: all tiles of a map are alike (profiles.hpp).
Extent2 size_of(const Facts &facts) {
    Extent2 size{facts.extent[0], facts.extent[1]};
    if (facts.tiles.size() == 2 && facts.tiles[0] > 0 && facts.tiles[1] > 0) {
        const Profile *const profile = profile_of(facts);
        const std::int64_t shared = profile != nullptr && profile->shares_borders ? 1 : 0;
        size = {(size.width - shared) / facts.tiles[0] + shared,
                (size.height - shared) / facts.tiles[1] + shared};
    }
    return size;
}

bool is_south_first(const std::string &path, const Facts &facts) {
    const Profile *const profile = profile_of(facts);
    if (profile == nullptr || facts.layer != "height") {
        return false;
    }
    return std::any_of(profile->formats.begin(), profile->formats.end(),
                       [&path](const HeightFormat &format) {
                           return format.south_first && format.extension == extension_of(path);
                       });
}

Layer raw_layer(const std::string &path, std::uint64_t memory_limit, const Facts &facts) {
    const auto refuse = [&](const std::string &what) {
        throw Error(ErrorCode::invalid_input, manifest_path(path) + ": " + what);
    };
    if (facts.extent.size() != 2) {
        refuse("extent has " + std::to_string(facts.extent.size()) +
               " sides; allowed is a map, which has two");
    }
    const int bits = facts.type == "u8" || facts.type == "bits" ? 8
                     : facts.type == "u16"                      ? 16
                     : facts.type == "u32"                      ? 32
                                                                : 0;
    if (bits == 0) {
        refuse("the layer's type is '" + facts.type + "'; allowed is u8, u16 or u32");
    }
    InputFile input(path);
    Layer layer;
    layer.meaning = meaning_of(facts);
    layer.data =
        read_cells(input, size_of(facts), static_cast<int>(facts.channels), bits, memory_limit);
    if (is_south_first(path, facts)) {
        flip_rows(layer);
    }
    return layer;
}

void require_map_file(const std::string &path) {
    const std::string extension = extension_of(path);
    for (const char *known : {".png", ".npy", ".r16", ".raw"}) {
        if (extension == known) {
            return;
        }
    }
    const FormatInfo *const format = format_of(path);
    const bool mesh = format != nullptr && can_hold(*format, LayerKind::mesh);
    throw Error(ErrorCode::unsupported,
                "'" + path + "' " +
                    (mesh                ? "is a mesh, which has no preview yet"
                     : extension.empty() ? "has no extension"
                                         : "has the extension " + extension) +
                    "; allowed is one of " + map_extensions());
}

} // namespace

std::string map_extensions() {
    return ".png, .npy, .r16, .raw";
}

SavedMap read_map(const std::string &path, std::uint64_t memory_limit) {
    require_map_file(path);
    const std::string extension = extension_of(path);
    std::optional<Facts> facts = manifest_of(path);
    SavedMap map;
    if (extension == ".png") {
        if (!facts) {
            facts = texts_of(path);
        }
        map.layer = png_layer(path, memory_limit, facts);
    } else if (extension == ".npy") {
        map.layer.data = read_npy(path, memory_limit);
        map.layer.meaning = facts ? meaning_of(*facts) : LayerMeaning::amount;
        const auto *bytes = std::get_if<Field2D<std::uint8_t>>(&map.layer.data);
        if (!facts && bytes != nullptr && is_two_valued(*bytes)) {
            map.layer.meaning = LayerMeaning::mask;
        }
    } else {
        if (!facts) {
            const InputFile input(path); // a file that is missing is said to be
            input.refuse("its size stands in no manifest; allowed is " + extension + " beside " +
                         manifest_path(path));
        }
        map.layer = raw_layer(path, memory_limit, *facts);
    }
    if (facts) {
        map.generator = facts->generator;
        map.seed = facts->seed;
        map.cell = facts->cell;
        map.layer.name = facts->layer;
        map.layer.unit = facts->unit;
        map.layer.scale = facts->scale;
        map.layer.offset = facts->offset;
    }
    return map;
}

} // namespace karst::io
