#include "generators/crack.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "generators/controls.hpp"
#include "generators/crack_maps.hpp"
#include "generators/preview.hpp"
#include "generators/registry.hpp"

namespace karst {

const core::ParamTable<CrackParams> &crack_table() {
    using core::choice;
    using core::integer;
    using core::real;
    using P = CrackParams;
    static const core::ParamTable<P> table({
        choice(&P::pattern, "pattern", {"network", "joints"},
               "How the first cracks come about: closed cells as drying leaves them, or long "
               "cracks that run until they meet another."),
        real(&P::plate_size, "plate_size", "m", 0.001, 1000,
             "Distance between the primary cracks."),
        real(&P::piece_size, "piece_size", "m", 0.001, 1000,
             "Size of the pieces that secondary cracks cut the plates into; as large as plate_size "
             "for none."),
        real(&P::piece_spread, "piece_spread", "fraction", 0, 0.9,
             "How much the pieces differ in area."),
        real(&P::crack_width, "crack_width", "m", 0.0001, 100, "Width of a strong primary crack."),
        real(&P::width_ratio, "width_ratio", "fraction", 0.1, 1,
             "Width of each order of cracks, relative to the order before."),
        real(&P::depth, "depth", "m", 0.0001, 100, "Depth of a crack of full width."),
        choice(&P::profile, "profile", {"v", "u"}, "Cross section of the cracks."),
        real(&P::dead_ends, "dead_ends", "fraction", 0, 1,
             "Share of the pieces into which a crack runs that ends inside."),
        real(&P::vein_pull, "vein_pull", "fraction", 0, 1,
             "How much growing cracks bend towards the veins of a fine network."),
        real(&P::roughness, "roughness", "fraction", 0, 1,
             "How jagged the lines are; 0 leaves smooth curves."),
        real(&P::ragged, "ragged", "fraction", 0, 1,
             "Share of a crack's half width in which its rim crumbles."),
        integer(&P::joint_sets, "joint_sets", "", 0, 3,
                "Number of preferred directions of the cracks; 0 for none."),
        real(&P::joint_heading, "joint_heading", "degrees", 0, 360,
             "Direction of the first joint set, clockwise from the x axis."),
        real(&P::joint_angle, "joint_angle", "degrees", 20, 90,
             "Angle between one joint set and the next."),
        real(&P::curl, "curl", "m", -10, 10,
             "How far the rim of a plate stands above its middle; negative for a worn rim."),
        real(&P::relief, "relief", "m", 0, 10, "How far plates tilt and settle."),
        real(&P::food_strength, "food_strength", "", -1000, 1000,
             "How much white in the map \"food\" draws cracks along; negative keeps them away."),
    });
    return table;
}

std::span<const Preset> crack_presets() {
    static const std::vector<Preset> presets{
        {"dry_mud", "a dried lake bed: closed plates with curled rims and crumbling edges", {}},
        {"rock_joints",
         "bedrock with two sets of long joints and cross joints between them",
         {{"pattern", std::string("joints")},
          {"joint_sets", std::int64_t{2}},
          {"profile", std::string("v")},
          {"plate_size", 0.6},
          {"piece_size", 0.3},
          {"crack_width", 0.016},
          {"piece_spread", 0.8},
          {"width_ratio", 0.75},
          {"curl", -0.008},
          {"relief", 0.008},
          {"dead_ends", 0.15},
          {"ragged", 0.7},
          {"roughness", 0.5}}},
        {"craquelure",
         "fine cracks in glaze or paint, smooth and thin",
         {{"profile", std::string("v")},
          {"plate_size", 0.7},
          {"piece_size", 0.2},
          {"vein_pull", 0.8},
          {"crack_width", 0.014},
          {"width_ratio", 0.7},
          {"depth", 0.01},
          {"dead_ends", 0.15},
          {"roughness", 0.1},
          {"ragged", 0.0},
          {"curl", 0.001},
          {"relief", 0.001}}},
    };
    return presets;
}

namespace {

Artifact crack_artifact(const Job &job, const Options &options) {
    check_crack_maps(job, options);
    const CrackParams params = crack_table().from(job.params);
    const GroundControls controls = ground_controls(job, "crack", Pins::yes);
    const NetworkLayer network(job, options, crack_network_grids(params, job.extent, job.cell));
    CrackResult result =
        generate_crack(params, job.extent, job.cell, job.seed, network.options(), controls);
    Layer preview =
        relief_preview(options, result.depth, -result.depth_scale / job.cell, kCrackedGround, true);
    Artifact artifact;
    artifact.generator = "crack";
    artifact.seed = job.seed;
    artifact.cell = job.cell;
    CrackMaps maps = make_crack_maps(job, options, params, result);
    artifact.documents = std::move(maps.documents);
    network.add_to(artifact);
    artifact.layers.push_back({.name = "mask",
                               .meaning = LayerMeaning::mask,
                               .unit = "",
                               .data = std::move(result.mask)});
    artifact.layers.push_back({.name = "depth",
                               .meaning = LayerMeaning::amount,
                               .unit = "m",
                               .scale = result.depth_scale,
                               .data = std::move(result.depth)});
    artifact.layers.push_back({.name = "plates",
                               .meaning = LayerMeaning::id,
                               .unit = "",
                               .data = std::move(result.plates)});
    artifact.layers.push_back(std::move(preview));
    std::move(maps.layers.begin(), maps.layers.end(), std::back_inserter(artifact.layers));
    artifact.measures = {{"plates", static_cast<double>(result.plate_count)},
                         {"crack share", result.crack_share},
                         {"mean plate area m2", result.mean_plate_area},
                         {"mean crack width m", result.mean_crack_width}};
    return artifact;
}

} // namespace

GeneratorInfo crack_generator() {
    std::vector<LayerInfo> layers{
        {"mask", "255 in a crack, else 0."},
        {"depth", "How deep the ground lies, 0 is its highest level."},
        {"plates", "The plate of each cell: the index of the plate's cell farthest from any crack; "
                   "4294967295 in a crack."},
        kPreviewInfo,
        kNetworkInfo};
    for (LayerInfo &map : crack_map_infos()) {
        layers.push_back(std::move(map));
    }
    return {.name = "crack",
            .help = "cracked ground that tiles: plates and the cracks between them",
            .layers = std::move(layers),
            .params = crack_table().infos(),
            .presets = {crack_presets().begin(), crack_presets().end()},
            .default_cell = 0.0025,
            .default_extent = {1024, 1024},
            .controls = ground_control_names(Pins::yes),
            .generate = crack_artifact};
}

} // namespace karst
