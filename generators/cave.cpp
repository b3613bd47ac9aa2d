// The cave generator as the registry lists it: parameters, presets, layers.
#include "generators/cave_table.hpp"

#include <new>
#include <optional>
#include <span>

#include "generators/controls.hpp"
#include "generators/distance_layer.hpp"
#include "generators/preview.hpp"
#include "generators/registry.hpp"
#include "shape/contours.hpp"
#include "shape/mesh.hpp"

namespace karst::cave {

const core::ParamTable<CaveParams> &cave_table() {
    using P = CaveParams;
    static const core::ParamTable<P> table({
        core::real(&P::passage_width, "passage_width", "m", 0.5, 200,
                   "Typical width of a passage; it varies by about a third."),
        core::real(&P::passage_spacing, "passage_spacing", "m", 4, 2000,
                   "Typical distance from a passage to the next."),
        core::real(&P::room_size, "room_size", "m", 1, 1000, "Typical width of a room."),
        core::real(&P::room_share, "room_share", "fraction", 0, 1,
                   "Fraction of the ground where rooms open, where most passages meet."),
        core::real(&P::room_scatter, "room_scatter", "fraction", 0, 1,
                   "How far rooms stray from where most passages meet: 1 puts them anywhere."),
        core::real(&P::roughness, "roughness", "m", 0, 100,
                   "Depth of the niches and spurs of the walls."),
        core::real(&P::pillars, "pillars", "fraction", 0, 1,
                   "Pillars in the rooms: 0 bare, 1 as many as leave them open."),
        core::real(&P::least_width, "least_width", "m", 0, 100,
                   "Necks narrower than this are closed and tunnels are at least this wide."),
        core::real(&P::least_area, "least_area", "m^2", 0, 1000000,
                   "Smaller separate pockets are filled, larger ones are joined by tunnels."),
        core::real(&P::pillar_area, "pillar_area", "m^2", 0, 1000000,
                   "Smaller pillars are removed."),
        core::real(&P::stretch, "stretch", "", 0.2, 5,
                   "How many times longer the passages' meshes are along x than along y."),
        core::real(&P::border, "border", "m", 0, 1000,
                   "Solid rock along the border of a map that is not tileable."),
        core::boolean(&P::tileable, "tileable", "Make a map that repeats without a seam."),
        core::real(&P::food_strength, "food_strength", "", -1000, 1000,
                   "How much white in the map \"food\" draws passages along; negative keeps them "
                   "away."),
    });
    return table;
}

std::vector<Preset> cave_presets() {
    return {
        {"limestone", "winding passages, rooms where they meet, a few pillars", {}},
        {"lava_tubes",
         "long, wide, smooth tubes that run side by side, with hardly a room",
         {{"passage_width", 9.0},
          {"passage_spacing", 48.0},
          {"room_size", 30.0},
          {"room_share", 0.02},
          {"roughness", 1.0},
          {"pillars", 0.0},
          {"least_width", 4.0},
          {"least_area", 100.0},
          {"pillar_area", 30.0},
          {"stretch", 2.5}}},
        {"warren",
         "many small rooms and narrow corridors, for dungeons and mines",
         {{"passage_width", 3.0},
          {"passage_spacing", 34.0},
          {"room_size", 13.0},
          {"room_share", 0.25},
          {"room_scatter", 0.6},
          {"roughness", 0.5},
          {"pillars", 0.0},
          {"least_width", 1.5},
          {"least_area", 40.0},
          {"pillar_area", 6.0}}},
        {"cavern",
         "wide halls full of pillars and the passages between them",
         {{"passage_width", 6.0},
          {"passage_spacing", 40.0},
          {"room_size", 40.0},
          {"room_share", 0.5},
          {"roughness", 3.0},
          {"pillars", 0.8},
          {"least_width", 3.0},
          {"least_area", 60.0},
          {"pillar_area", 12.0}}},
    };
}

} // namespace karst::cave

namespace karst {

namespace {

struct WallParams {
    bool walls = false;     // make the mesh "walls"
    double wall_height = 3; // m
    bool ceiling = false;   // give it a ceiling
};

const core::ParamTable<WallParams> &wall_table() {
    using P = WallParams;
    static const core::ParamTable<P> table({
        core::boolean(&P::walls, "walls", "Make the mesh of floor and walls."),
        core::real(&P::wall_height, "wall_height", "m", 0.1, 1000, "Height of its walls."),
        core::boolean(&P::ceiling, "ceiling", "Give it a ceiling, which closes it."),
    });
    return table;
}

// Floor and walls of the open ground, shaded apart.
MeshLayer walls_layer(const Options &options, const WallParams &params, double cell,
                      const Field2D<std::uint8_t> &map) {
    constexpr double kCrease = 0.5; // cosine of the angle from which two sides are shaded apart
    core::Run run(options);
    Mesh mesh = shape::with_creases(
        run, shape::extruded_walls(run, map, cell, params.wall_height, true, params.ceiling),
        kCrease);
    shape::add_normals(run, mesh);
    return {"walls", {{"walls", shape::with_box_uvs(run, mesh), {}}}, {}};
}

Layer distance_of(const Options &options, const CaveParams &params, double cell,
                  const Field2D<std::uint8_t> &map) {
    const Options quiet = quietly(options);
    core::Run run(quiet);
    Field2D<std::uint8_t> rock(map.extent(), run.memory());
    run.for_rows(map.height(), [&](std::int64_t y) {
        for (std::int64_t x = 0; x < map.width(); ++x) {
            rock.at(x, y) = map.at(x, y) != 0 ? 0 : 1;
        }
    });
    return distance_layer(run, rock, params.passage_spacing / 2, cell,
                          params.tileable ? Boundary::torus : Boundary::bounded);
}

Artifact cave_artifact(const Job &job, const Options &options) try {
    const CaveParams params = cave::cave_table().from(job.params);
    const GroundControls controls = ground_controls(job, "cave", Pins::yes);
    const Extent2 grid = cave::cave_network_grid(params, job.extent, job.cell);
    const NetworkLayer network(job, options, std::span(&grid, 1));
    CaveResult cave =
        generate_cave(params, job.extent, job.cell, job.seed, network.options(), controls);
    Layer preview = map_preview(options, cave.map, cave.clearance, cave.clearance_unit / job.cell,
                                std::get<bool>(job.params.value("tileable")));
    Artifact artifact;
    artifact.generator = "cave";
    artifact.seed = job.seed;
    artifact.cell = job.cell;
    network.add_to(artifact);
    const WallParams walls = wall_table().from(job.params);
    if (walls.walls) {
        artifact.meshes.push_back(walls_layer(options, walls, job.cell, cave.map));
    }
    std::optional<Layer> distance;
    if (asks_for(job, "distance")) {
        distance = distance_of(options, params, job.cell, cave.map);
    }
    artifact.layers.push_back({.name = "map",
                               .meaning = LayerMeaning::mask,
                               .unit = "",
                               .scale = 1,
                               .offset = 0,
                               .data = std::move(cave.map)});
    artifact.layers.push_back({.name = "clearance",
                               .meaning = LayerMeaning::amount,
                               .unit = "m",
                               .scale = cave.clearance_unit,
                               .offset = 0,
                               .data = std::move(cave.clearance)});
    artifact.layers.push_back({.name = "rooms",
                               .meaning = LayerMeaning::id,
                               .unit = "",
                               .scale = 1,
                               .offset = 0,
                               .data = std::move(cave.rooms)});
    artifact.layers.push_back(std::move(preview));
    if (distance) {
        artifact.layers.push_back(std::move(*distance));
    }
    artifact.measures = std::move(cave.measures);
    return artifact;
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}

} // namespace

GeneratorInfo cave_generator() {
    static const std::vector<ParamInfo> params =
        core::joined(cave::cave_table().infos(), wall_table().infos());
    return {.name = "cave",
            .help = "a map of rooms and passages, always one connected cave",
            .layers = {{"map", "255 where the cave is open, 0 in rock."},
                       {"clearance", "Distance to the nearest rock, 0 in rock."},
                       {"rooms", "A number for each room, 0 in passages and in rock."},
                       kPreviewInfo,
                       kNetworkInfo,
                       {"distance",
                        "Distance to the wall, 32768 on it, less in rock; up to half of "
                        "passage_spacing.",
                        "", LayerKind::map, true},
                       {"walls", "Floor and walls as triangles.", "walls", LayerKind::mesh}},
            .params = params,
            .presets = cave::cave_presets(),
            .default_cell = 0.5,
            .default_extent = {1024, 1024},
            .volume_name = "cave3d",
            .controls = ground_control_names(Pins::yes),
            .generate = cave_artifact};
}

} // namespace karst
