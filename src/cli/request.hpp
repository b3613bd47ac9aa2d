// What is asked of a generator, as text, and as a checked job.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <karst/io.hpp>

#include "cli/outputs.hpp"
#include "cli/values.hpp"
#include "generators/registry.hpp"

namespace karst::cli {

// One asset as it is asked for: switches of the command line and keys of a recipe fill the same
// members (asset_options.hpp). Nothing is checked yet.
struct AssetRequest {
    std::string seed = "0";
    OptionalText size, extent, cell, preset;
    std::vector<std::string> assignments; // "NAME=VALUE", the last one of a name counts
    std::vector<std::string> requirements;
    OptionalText units, up, shape;
    OptionalText profile, tiles, holes;
    OptionalText food, walls_map, spawn_map, grow; // painted maps
    OptionalText pin;                              // the network of an earlier run
    std::vector<std::string> maps;                 // "NAME=FILE.png[@BLACK..WHITE]" of parameters
    OptionalText tile_size, tile_overlap, height_range, tile;
    bool short_indices = false;
    std::vector<std::string> outputs; // "[LAYER=]FILE"
};

// From --units and --up: how --shape is read and how targets are written whose format does not say.
// Without --shape a target whose format does is refused. Throws Error(invalid_argument),
// Error(unsupported).
MeshFileOptions mesh_options(const AssetRequest &request, std::span<const Target> targets);

// The row that makes volumes for `generator`; null: there is none.
const GeneratorInfo *volume_row(const GeneratorInfo &generator);

// Whether another row names this one as its volume_name: it has no command of its own.
bool is_volume_row(const GeneratorInfo &generator);

// "cave", "cave --size WxHxD", "simulate physarum".
std::string command_of(const GeneratorInfo &generator);

// The default size in cells: "1024x1024", "96x96x48".
std::string size_of(const GeneratorInfo &generator);

// The names of its presets: "dry_mud, rock_joints".
std::string presets_of(const GeneratorInfo &generator);

// The row that the request runs: volume_row() if --size or --extent has three numbers.
const GeneratorInfo &requested_row(const GeneratorInfo &generator, const AssetRequest &request);

// `row` is requested_row(generator, request). The preset first, the assignments over it in their
// order. Throws Error(invalid_argument); a parameter or preset that only the other row has is
// named so.
Job make_job(const GeneratorInfo &generator, const GeneratorInfo &row, const AssetRequest &request);

} // namespace karst::cli
