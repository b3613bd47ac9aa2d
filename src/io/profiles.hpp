// What each engine wants of a heightmap, one row an engine: sizes, files, tiles and their names.
// Where each rule comes from stands in docs/engines.md.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <karst/field.hpp>

#include "io/heights.hpp"

namespace karst::io {

struct HeightPlan;

// A format of heights that an engine reads.
struct HeightFormat {
    std::string_view extension;
    HeightEncoding encoding;
    bool south_first = false; // the first row of the file is the southern one
};

// The file of holes that stands beside one of heights.
enum class HoleFile {
    none,       // the engine has no holes
    nan,        // no file: NaN in .exr, and nothing in other formats
    visibility, // holes.hpp: unreal_visibility as .png
    quads,      // unity_holes as .png
    control,    // terrain3d_control as .exr
};

struct Profile {
    std::string_view name;
    std::string_view help;
    std::span<const HeightFormat> formats;
    std::int64_t largest; // samples a side of one file; more are cut into tiles
    bool shares_borders;  // neighbouring tiles hold the same row of samples
    HoleFile holes;
    std::string_view size; // which sizes fit, for messages
    // Whether the engine takes a map of `whole` samples as tiles of `tile` samples, both sides of
    // which were divided as shares_borders says.
    bool (*takes)(Extent2 whole, Extent2 tile);
    // Throws Error(invalid_argument) for a base name, without folder and extension, that the engine
    // would misread.
    void (*check_name)(const std::string &base, const HeightPlan &plan);
    std::string_view place; // what a name may end in to say where the tile's place stands
    // What stands there for tile (x, y), counted from the north-west.
    std::string (*suffix)(const HeightPlan &plan, std::int64_t x, std::int64_t y);
    // Adds the numbers to type in ("import") and what to click ("steps").
    void (*explain)(nlohmann::ordered_json &object, const HeightPlan &plan,
                    const HeightSource &source);
};

std::span<const Profile> profiles();

// Throws Error(invalid_argument) that lists the names.
const Profile &find_profile(std::string_view name);

struct HeightTile {
    std::int64_t x = 0; // from the west
    std::int64_t y = 0; // from the north
    Window window;
    std::string path;
    std::string holes{}; // the file of holes beside it (add_holes); empty: none
};

// Which files a heightmap becomes.
struct HeightPlan {
    const Profile *profile = nullptr;
    const HeightFormat *format = nullptr; // null: another map
    Extent2 extent;                       // samples of the whole map
    Extent2 counts;                       // tiles
    Extent2 tile;                         // samples of each
    std::string path;                     // as asked for, without {x} and {y}
    std::vector<HeightTile> tiles;        // by rows from the north-west
    std::string raw_sidecar; // JSON that Unreal reads beside headerless heights; empty: none
    bool holes = false;      // the heights have some (hole_files.hpp)

    bool tiled() const { return counts.cells() > 1; }
    std::string import_path() const { return path + ".import.json"; }
    // What stands beside the tiles, once.
    std::vector<std::string> files_beside() const;
};

// The plan for `path`, whose extension chooses the format. Without `counts` as few tiles as the
// profile allows. Throws Error(invalid_argument) for a size that the engine does not take, which
// names the nearest that it does, for a bad count of tiles, an extension that it does not read and
// a name that it misreads.
HeightPlan plan_heights(const Profile &profile, const std::string &path, Extent2 extent,
                        const std::optional<Extent2> &counts);

// The same for another map of the same job, in any format.
HeightPlan plan_map(const Profile &profile, const std::string &path, Extent2 extent,
                    const std::optional<Extent2> &counts);

// What the file of one tile holds.
Layer tile_layer(const HeightPlan &plan, const HeightSource &source, const HeightTile &tile);

// The text of import_path(): JSON with the numbers to type in and what to click.
std::string import_text(const HeightPlan &plan, const HeightSource &source);

// The text of raw_sidecar.
std::string raw_sidecar_text(const HeightPlan &plan);

} // namespace karst::io
