// What karst can make, as data: the command line, the C API, the docs and the tests loop over this
// list and name no generator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <karst/artifact.hpp>
#include <karst/controls.hpp>
#include <karst/field.hpp>
#include <karst/heightmap_tiles.hpp>
#include <karst/options.hpp>
#include <karst/params.hpp>

namespace karst {

struct LayerInfo {
    std::string name;
    std::string help;           // one sentence
    std::string parameter = {}; // the boolean parameter that makes this layer; empty: always there
    LayerKind kind = LayerKind::map;
    bool on_request = false; // it costs time or memory, and is made if Job::layers names it
};

// A painted map over the whole ground: 0 is black, 65535 white (karst/controls.hpp).
struct ControlMap {
    std::string name; // one of GeneratorInfo::controls
    Field2D<std::uint16_t> map;
    double black = 0; // of a parameter: what the two mean
    double white = 0;
};

// Everything a generator needs. `params` holds values for GeneratorInfo::params.
struct Job {
    ParamSet params;
    Extent2 extent;
    double cell = 1; // metres a cell
    std::uint64_t seed = 0;
    std::int64_t depth = 0;      // cells upwards, of generators of volumes
    std::optional<Mesh> shape{}; // closed, in metres, for GeneratorInfo::takes_shape
    std::vector<ControlMap> controls{};
    std::optional<SavedNetworks> pin{}; // of an earlier run, with the map "grow"
    std::vector<std::string> layers{};  // names of layers; of those made on request, which
    bool only_named = false;            // of the others too: what is not named may be left out
};

// Whether Job::layers names the layer.
inline bool asks_for(const Job &job, std::string_view layer) {
    return std::find(job.layers.begin(), job.layers.end(), layer) != job.layers.end();
}

// Whether a layer that is not made on request is to be made.
inline bool wants(const Job &job, std::string_view layer) {
    return !job.only_named || asks_for(job, layer);
}

struct GeneratorInfo {
    std::string name;
    std::string help;              // one sentence
    std::vector<LayerInfo> layers; // the first is the default
    std::span<const ParamInfo> params;
    std::vector<Preset> presets;    // the first is used when none is named
    double default_cell = 1;        // metres a cell
    Extent2 default_extent;         // cells
    std::int64_t default_depth = 0; // cells; 0: it makes no volumes
    // The row that runs instead when three numbers are asked for: `karst NAME --size WxHxD`. That
    // row has no command of its own. Parameters of one name have one type in both.
    std::string volume_name = {};           // empty: none
    bool takes_shape = false;               // Job::shape says where it is open or rock
    std::vector<std::string> controls = {}; // the maps that it takes
    // Throws Error as the public functions do.
    std::function<Artifact(const Job &, const Options &)> generate;
    // The map in tiles that are made one after another; empty: it makes none. Throws as
    // generate_heightmap_tiles.
    std::function<void(const Job &, const TileOptions &,
                       const std::function<void(const HeightmapTile &)> &sink, const Options &)>
        generate_tiles{};
    bool simulation = false; // a raw field: `karst simulate NAME` instead of `karst NAME`
    // Sample (x, y) lies at (x, y) * cell, so W samples span W - 1 cells.
    bool corner_samples = false;
};

std::span<const GeneratorInfo> all_generators();

// Cuts the parts of all meshes that have more than 65535 vertices into parts "NAME_0", "NAME_1" and
// so on, whose vertices 16-bit indices number.
void cut_for_short_indices(Artifact &artifact, const Options &options);

// What people want to see of a map that a file holds, `size` cells large, 0x00RRGGBB: heights and
// depths as lit ground, a cave's map with its clearance, other numbers by a ramp of colours.
// Nothing of 16 bits or more is ever flat grey. `generator` and layer.name may be empty: nothing is
// known of it, and its numbers are taken for heights. `cell` is in metres, 0: unknown. `layer` is a
// map and no id.
Field2D<std::uint32_t> picture_of(const Layer &layer, std::string_view generator, double cell,
                                  Extent2 size, const Options &options);

// Throws Error(invalid_argument) that lists what exists.
const GeneratorInfo &find_generator(std::string_view name);

} // namespace karst
