#include "io/profiles.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdlib>
#include <utility>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>

#include "core/joined.hpp"
#include "io/engine_notes.hpp"
#include "io/formats.hpp"
#include "io/manifest.hpp"

namespace karst::io {

namespace {

constexpr std::int64_t kAnySide = std::int64_t{1} << 31; // more than any map has

// --- sizes ------------------------------------------------------------------------------------

bool takes_unreal(Extent2 whole, Extent2 tile) {
    const auto layout = unreal_layout(whole);
    constexpr std::int64_t kRecommended = 1024; // components, as Epic recommends
    return layout && (tile != whole || layout->components.cells() <= kRecommended);
}

// TerrainData.heightmapResolution; the import dialog stops at 4097.
bool takes_unity(Extent2, Extent2 tile) {
    const auto quads = static_cast<std::uint64_t>(tile.width - 1);
    return tile.width == tile.height && std::has_single_bit(quads) && quads >= 32 && quads <= 4096;
}

bool takes_any(Extent2, Extent2) {
    return true;
}

// Samples of one of `count` tiles along a side; nothing if they do not come out even.
std::optional<std::int64_t> tile_side(const Profile &profile, std::int64_t side,
                                      std::int64_t count) {
    const std::int64_t shared = profile.shares_borders ? 1 : 0;
    if ((side - shared) % count != 0) {
        return std::nullopt;
    }
    const std::int64_t tile = (side - shared) / count + shared;
    return tile >= 2 ? std::optional(tile) : std::nullopt;
}

std::optional<Extent2> tile_extent(const Profile &profile, Extent2 whole, Extent2 counts) {
    const auto width = tile_side(profile, whole.width, counts.width);
    const auto height = tile_side(profile, whole.height, counts.height);
    if (!width || !height || std::max(*width, *height) > profile.largest) {
        return std::nullopt;
    }
    const Extent2 tile{*width, *height};
    return profile.takes(whole, tile) ? std::optional(tile) : std::nullopt;
}

// The tiles a side that are tried without being asked for: the fewest that `largest` allows and up
// to twice as many, so that no tile is small.
std::pair<std::int64_t, std::int64_t> count_range(const Profile &profile, std::int64_t side) {
    const std::int64_t least = (side + profile.largest - 1) / profile.largest;
    return {least, least > 1 ? 2 * least : 1};
}

// `counts`, or without them the fewest tiles that fit; nothing: there are none.
std::optional<Extent2> fitting_counts(const Profile &profile, Extent2 whole,
                                      const std::optional<Extent2> &counts) {
    if (counts) {
        return tile_extent(profile, whole, *counts) ? counts : std::nullopt;
    }
    const auto [x_least, x_most] = count_range(profile, whole.width);
    const auto [y_least, y_most] = count_range(profile, whole.height);
    std::optional<Extent2> best;
    for (std::int64_t x = x_least; x <= x_most; ++x) {
        for (std::int64_t y = y_least; y <= y_most; ++y) {
            const Extent2 candidate{x, y};
            if ((!best || candidate.cells() < best->cells()) &&
                tile_extent(profile, whole, candidate)) {
                best = candidate;
            }
        }
    }
    return best;
}

// Sides of squares that fit, nearest first: `wanted` below, as many above, and the side itself.
std::vector<std::int64_t> nearest_sides(const Profile &profile, std::int64_t side,
                                        const std::optional<std::int64_t> &count,
                                        std::size_t wanted) {
    const auto fits = [&](std::int64_t candidate) {
        const auto [least, most] =
            count ? std::pair(*count, *count) : count_range(profile, candidate);
        for (std::int64_t tiles = least; tiles <= most; ++tiles) {
            if (tile_extent(profile, {candidate, candidate}, {tiles, tiles})) {
                return true;
            }
        }
        return false;
    };
    std::vector<std::int64_t> sides;
    if (fits(side)) {
        sides.push_back(side);
    }
    std::size_t below = 0;
    std::size_t above = 0;
    // Every profile takes a side in each doubling.
    for (std::int64_t d = 1; d <= side + 64 && (below < wanted || above < wanted); ++d) {
        if (below < wanted && side - d >= 2 && fits(side - d)) {
            sides.push_back(side - d);
            ++below;
        }
        if (above < wanted && fits(side + d)) {
            sides.push_back(side + d);
            ++above;
        }
    }
    return sides;
}

// At most two sizes that fit: for a square the next smaller and the next larger, else those whose
// sides differ least in sum.
std::vector<Extent2> nearest_sizes(const Profile &profile, Extent2 whole,
                                   const std::optional<Extent2> &counts) {
    const auto count = [&counts](std::int64_t Extent2::*side) {
        return counts ? std::optional((*counts).*side) : std::nullopt;
    };
    std::vector<Extent2> sizes;
    if (whole.width == whole.height && (!counts || counts->width == counts->height)) {
        for (const std::int64_t side :
             nearest_sides(profile, whole.width, count(&Extent2::width), 1)) {
            sizes.push_back({side, side});
        }
        return sizes;
    }
    constexpr std::size_t kCandidates = 24; // a side and a direction
    const auto far = [whole](Extent2 size) {
        return std::abs(size.width - whole.width) + std::abs(size.height - whole.height);
    };
    for (const std::int64_t width :
         nearest_sides(profile, whole.width, count(&Extent2::width), kCandidates)) {
        for (const std::int64_t height :
             nearest_sides(profile, whole.height, count(&Extent2::height), kCandidates)) {
            if (fitting_counts(profile, {width, height}, counts)) {
                sizes.push_back({width, height});
            }
        }
    }
    std::stable_sort(sizes.begin(), sizes.end(),
                     [&far](Extent2 a, Extent2 b) { return far(a) < far(b); });
    sizes.resize(std::min<std::size_t>(sizes.size(), 2));
    return sizes;
}

std::string text_of(Extent2 size) {
    return std::to_string(size.width) + "x" + std::to_string(size.height);
}

[[noreturn]] void refuse_size(const Profile &profile, Extent2 whole,
                              const std::optional<Extent2> &counts) {
    std::string message = "size is " + text_of(whole);
    message += counts ? " in " + text_of(*counts) + " tiles" : "";
    message += "; profile " + std::string(profile.name) + " takes " + std::string(profile.size);
    std::string nearest;
    for (const Extent2 size : nearest_sizes(profile, whole, counts)) {
        nearest += (nearest.empty() ? "" : " and ") + text_of(size);
    }
    message += nearest.empty() ? "" : "; the nearest: " + nearest;
    throw Error(ErrorCode::invalid_argument, message);
}

// --- names ------------------------------------------------------------------------------------

void refuse_name(const HeightPlan &plan, const std::string &why) {
    throw Error(ErrorCode::invalid_argument,
                "'" + plan.path + "': profile " + std::string(plan.profile->name) + " " + why);
}

// Unreal reads the last "_x" and "_y" of a name as a tile's place, in any case.
void check_unreal_name(const std::string &base, const HeightPlan &plan) {
    for (std::size_t i = 0; i + 2 < base.size(); ++i) {
        const char letter =
            static_cast<char>(std::tolower(static_cast<unsigned char>(base[i + 1])));
        if (base[i] == '_' && (letter == 'x' || letter == 'y') &&
            std::isdigit(static_cast<unsigned char>(base[i + 2])) != 0) {
            refuse_name(plan, "takes '" + base.substr(i, 3) +
                                  "' in a name for a tile's place; allowed is a name without it");
        }
    }
    if (plan.tiled() && extension_of(plan.path) == ".raw") {
        refuse_name(plan, "cannot read .raw tiles; allowed is .png, or .r16 for square tiles");
    }
    if (plan.tiled() && extension_of(plan.path) == ".r16" && plan.tile.width != plan.tile.height) {
        refuse_name(plan, "reads only square .r16 tiles, and these have " + text_of(plan.tile) +
                              " samples; allowed is .png");
    }
}

// The Terrain Toolbox sorts files by what follows the first "_".
void check_unity_name(const std::string &base, const HeightPlan &plan) {
    if (plan.tiled() && base.find('_') != std::string::npos) {
        refuse_name(plan, "sorts tiles by what follows the first '_'; allowed is a name without");
    }
}

void take_any_name(const std::string &, const HeightPlan &) {}

constexpr std::string_view kLetters = "_x{x}_y{y}";

std::string letter_suffix(const HeightPlan &, std::int64_t x, std::int64_t y) {
    return "_x" + std::to_string(x) + "_y" + std::to_string(y);
}

// Columns from the west, rows from the south; with as many digits as the last has, since they are
// sorted as text.
std::string unity_suffix(const HeightPlan &plan, std::int64_t x, std::int64_t y) {
    const auto number = [](std::int64_t value, std::int64_t count) {
        const std::string digits = std::to_string(value);
        return "_" + std::string(std::to_string(count - 1).size() - digits.size(), '0') + digits;
    };
    return number(x, plan.counts.width) + number(plan.counts.height - 1 - y, plan.counts.height);
}

// --- the table --------------------------------------------------------------------------------

constexpr auto kLevels = HeightEncoding::levels;
constexpr auto kMetres = HeightEncoding::metres;
constexpr std::array kUnreal{HeightFormat{".png", kLevels}, HeightFormat{".r16", kLevels},
                             HeightFormat{".raw", kLevels}};
constexpr std::array kUnity{HeightFormat{".raw", kLevels, true}};
constexpr std::array kGodot{HeightFormat{".exr", kMetres}, HeightFormat{".r16", kLevels}};
constexpr std::array kBlender{HeightFormat{".png", kLevels}, HeightFormat{".exr", kMetres}};
constexpr std::array kGeneric{HeightFormat{".png", kLevels}, HeightFormat{".exr", kMetres},
                              HeightFormat{".r16", kLevels}, HeightFormat{".raw", kLevels},
                              HeightFormat{".r32", kMetres}};

constexpr std::array kProfiles{
    Profile{"unreal", "Unreal Engine 5, Landscape", kUnreal, 8129, false, HoleFile::visibility,
            "components x quads + 1 samples a side, quads being 7, 15, 31, 63, 127 or 255 or twice "
            "that, with at most 1024 components; beyond 8129 tiles that abut, all alike",
            takes_unreal, check_unreal_name, kLetters, letter_suffix, explain_unreal},
    Profile{"unity", "Unity, Terrain", kUnity, 4097, true, HoleFile::quads,
            "a power of two and 1 samples a side, 33 to 4097, the same on both sides; beyond "
            "square tiles of such a size that share their borders",
            takes_unity, check_unity_name, "_{x}_{y}", unity_suffix, explain_unity},
    Profile{"godot", "Godot 4, HeightMapShape3D and the add-on Terrain3D", kGodot, 16384, true,
            HoleFile::control,
            "2 to 16384 samples a side; beyond tiles that share their borders, all alike",
            takes_any, take_any_name, kLetters, letter_suffix, explain_godot},
    Profile{"blender", "Blender, a grid with the modifier Displace", kBlender, kAnySide, true,
            HoleFile::none, "2 samples a side or more; tiles share their borders, all alike",
            takes_any, take_any_name, kLetters, letter_suffix, explain_blender},
    Profile{"generic", "any other program", kGeneric, kAnySide, true, HoleFile::nan,
            "2 samples a side or more; tiles share their borders, all alike", takes_any,
            take_any_name, kLetters, letter_suffix, explain_generic},
};

// Without the place of a tile, which recipes write into names.
std::string base_path(const Profile &profile, std::string stem) {
    if (stem.ends_with(profile.place)) {
        stem.resize(stem.size() - profile.place.size());
    }
    if (stem.find("{x}") != std::string::npos || stem.find("{y}") != std::string::npos) {
        throw Error(ErrorCode::invalid_argument,
                    "'" + stem + "': profile " + std::string(profile.name) +
                        " names its tiles itself; allowed is a name without {x} and {y}, or one "
                        "that ends in " +
                        std::string(profile.place));
    }
    return stem;
}

const HeightFormat &find_height_format(const Profile &profile, const std::string &path) {
    const std::string extension = extension_of(path);
    for (const auto &format : profile.formats) {
        if (format.extension == extension) {
            return format;
        }
    }
    throw Error(ErrorCode::invalid_argument,
                "'" + path + "': profile " + std::string(profile.name) + " has no heights as " +
                    (extension.empty() ? "that" : extension) + "; allowed is one of " +
                    core::joined(profile.formats, &HeightFormat::extension));
}

} // namespace

std::span<const Profile> profiles() {
    return kProfiles;
}

const Profile &find_profile(std::string_view name) {
    for (const auto &profile : kProfiles) {
        if (profile.name == name) {
            return profile;
        }
    }
    throw Error(ErrorCode::invalid_argument, "profile is '" + std::string(name) +
                                                 "'; allowed is one of " +
                                                 core::joined(kProfiles, &Profile::name));
}

std::vector<std::string> HeightPlan::files_beside() const {
    std::vector<std::string> files;
    if (format != nullptr) {
        files.push_back(import_path());
    }
    if (!raw_sidecar.empty()) {
        files.push_back(raw_sidecar);
    }
    return files;
}

HeightPlan plan_map(const Profile &profile, const std::string &path, Extent2 extent,
                    const std::optional<Extent2> &counts) {
    HeightPlan plan;
    plan.profile = &profile;
    plan.extent = extent;
    const std::string extension = path.substr(path.size() - extension_of(path).size());
    const std::string stem = base_path(profile, path.substr(0, path.size() - extension.size()));
    plan.path = stem + extension;
    const auto fitting = fitting_counts(profile, extent, counts);
    if (!fitting) {
        refuse_size(profile, extent, counts);
    }
    plan.counts = *fitting;
    constexpr std::int64_t kMostTiles = 1000000;
    if (plan.counts.width > kMostTiles / plan.counts.height) {
        throw Error(ErrorCode::invalid_argument, "tiles are " + std::to_string(plan.counts.width) +
                                                     "x" + std::to_string(plan.counts.height) +
                                                     "; allowed are at most " +
                                                     std::to_string(kMostTiles));
    }
    plan.tile = *tile_extent(profile, extent, plan.counts);
    profile.check_name(file_name(stem), plan);
    const std::int64_t shared = profile.shares_borders ? 1 : 0;
    for (std::int64_t y = 0; y < plan.counts.height; ++y) {
        for (std::int64_t x = 0; x < plan.counts.width; ++x) {
            const std::string suffix = plan.tiled() ? profile.suffix(plan, x, y) : "";
            plan.tiles.push_back(
                {x,
                 y,
                 {x * (plan.tile.width - shared), y * (plan.tile.height - shared), plan.tile},
                 stem + suffix + extension});
        }
    }
    return plan;
}

HeightPlan plan_heights(const Profile &profile, const std::string &path, Extent2 extent,
                        const std::optional<Extent2> &counts) {
    const HeightFormat &format = find_height_format(profile, path);
    HeightPlan plan = plan_map(profile, path, extent, counts);
    plan.format = &format;
    // Unreal guesses the sides of a square .r16. Where it looks for tiles, such a JSON would be
    // taken for one, so it is written only where Unreal needs it.
    const bool guessed = format.extension == ".r16" && extent.width == extent.height;
    if (profile.name == "unreal" && format.extension != ".png" && !guessed && !plan.tiled()) {
        plan.raw_sidecar =
            plan.path.substr(0, plan.path.size() - format.extension.size()) + ".json";
    }
    return plan;
}

Layer tile_layer(const HeightPlan &plan, const HeightSource &source, const HeightTile &tile) {
    Layer layer = height_layer(source, tile.window, plan.format->encoding);
    if (plan.format->south_first) {
        flip_rows(layer);
    }
    return layer;
}

std::string raw_sidecar_text(const HeightPlan &plan) {
    const nlohmann::ordered_json object{
        {"width", plan.extent.width}, {"height", plan.extent.height}, {"bpp", 16}};
    return object.dump(2) + "\n";
}

} // namespace karst::io
