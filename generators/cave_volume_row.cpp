// The generator of caves in three dimensions as the registry lists it.
#include <karst/cave_volume.hpp>

#include <algorithm>
#include <new>

#include "core/extent.hpp"
#include "core/levels.hpp"
#include "core/memory.hpp"
#include "generators/cave_volume.hpp"
#include "generators/controls.hpp"
#include "generators/registry.hpp"
#include "shape/gpu_order.hpp"
#include "shape/lod.hpp"
#include "shape/mesh.hpp"
#include "shape/surface.hpp"

namespace karst {

namespace cave_volume {

const core::ParamTable<CaveVolumeParams> &table() {
    using P = CaveVolumeParams;
    static const core::ParamTable<P> rows({
        core::real(&P::passage_width, "passage_width", "m", 0.5, 200,
                   "Typical width of a passage; it varies by about a third."),
        core::real(&P::passage_spacing, "passage_spacing", "m", 4, 2000,
                   "Typical distance from a passage to the next."),
        core::real(&P::flatness, "flatness", "", 0.2, 10,
                   "How many times the meshes of the passages are wider than high."),
        core::real(&P::loops, "loops", "", 0, 10,
                   "Ways around for each passage that joins two parts; 0 gives a tree."),
        core::real(&P::room_size, "room_size", "m", 1, 1000, "Typical width of a chamber."),
        core::real(&P::room_height, "room_height", "fraction", 0.1, 3,
                   "Height of a chamber over its width."),
        core::real(&P::room_share, "room_share", "fraction", 0, 1,
                   "Fraction of the places for chambers that have one; the strongest always has."),
        core::real(&P::roughness, "roughness", "m", 0, 100,
                   "Depth of the niches and spurs of the walls."),
        core::real(&P::least_width, "least_width", "m", 0, 100,
                   "Necks narrower than this are closed and tunnels are at least this wide."),
        core::real(&P::least_volume, "least_volume", "m^3", 0, 1000000,
                   "Smaller separate pockets are filled, larger ones are joined by tunnels."),
        core::real(
            &P::floor, "floor", "fraction", 0, 0.8,
            "Fraction of a height that a level floor fills, in passages, chambers and shapes."),
        core::integer(&P::entrances, "entrances", "", 0, 64, "Mouths in the side faces."),
        core::real(&P::border, "border", "m", 0, 1000,
                   "Solid rock along the faces, but for the entrances."),
        core::real(&P::agent_radius, "agent_radius", "m", 0, 10,
                   "Radius of the walker that floors and measures are for."),
        core::real(&P::agent_height, "agent_height", "m", 0.1, 20, "Height of the walker."),
        core::real(&P::agent_step, "agent_step", "m", 0, 10, "Highest step that it climbs."),
        core::real(&P::agent_slope, "agent_slope", "degrees", 0, 89,
                   "Steepest ground that it walks on."),
        core::choice(&P::shape_use, "shape_use", {"room", "rock"},
                     "What the inside of the mesh of --shape is."),
        core::real(&P::food_strength, "food_strength", "", -1000, 1000,
                   "How much white in the map \"food\" draws passages along; negative keeps them "
                   "away."),
    });
    return rows;
}

} // namespace cave_volume

namespace {

struct MeshParams {
    bool shell = false;     // make the mesh "shell"
    bool lods = false;      // make the mesh "lods"
    bool collision = false; // make the mesh "collision"
    bool solid = false;     // make the mesh "solid"
    bool caps = false;      // close the shell at the entrances
    bool tangents = false;  // give the shell tangents

    bool any() const { return shell || lods || collision || solid; }
};

const core::ParamTable<MeshParams> &mesh_table() {
    using P = MeshParams;
    static const core::ParamTable<P> rows({
        core::boolean(&P::shell, "shell", "Make the mesh that a player sees."),
        core::boolean(&P::lods, "lods", "Make its levels of detail."),
        core::boolean(&P::collision, "collision", "Make its collision mesh."),
        core::boolean(&P::solid, "solid", "Make the mesh of the rock."),
        core::boolean(&P::caps, "caps", "Close the shell at the entrances."),
        core::boolean(&P::tangents, "tangents", "Give the shell tangents."),
    });
    return rows;
}

std::vector<Preset> presets() {
    return {
        {"limestone", "winding passages on several levels, chambers where they meet", {}},
        {"grotto",
         "few wide halls with rough walls, joined by short passages",
         {{"passage_width", 5.0},
          {"passage_spacing", 34.0},
          {"room_size", 26.0},
          {"room_height", 0.4},
          {"room_share", 0.6},
          {"roughness", 1.8},
          {"least_width", 2.0}}},
        {"mine",
         "long, even, nearly level tunnels with hardly a chamber",
         {{"passage_width", 3.2},
          {"passage_spacing", 18.0},
          {"flatness", 4.0},
          {"room_size", 8.0},
          {"room_share", 0.05},
          {"roughness", 0.4},
          {"floor", 0.4}}},
    };
}

Layer volume_layer(core::Run &run, const Field3D<std::uint16_t> &density) {
    Field3D<std::uint8_t> open(density.extent(), core::large_pages(run));
    run.for_ranges(open.size(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            open[i] = density[i] >= shape::kOpen ? 255 : 0;
        }
    });
    return {.name = "volume",
            .meaning = LayerMeaning::mask,
            .unit = "",
            .scale = 1,
            .offset = 0,
            .data = std::move(open)};
}

// Seen from above: how much of each column is open.
Layer map_layer(core::Run &run, const Field3D<std::uint16_t> &density) {
    Field2D<std::uint16_t> map({density.width(), density.height()}, run.memory());
    run.for_rows(density.height(), [&](std::int64_t y) {
        const auto row = map.row(y);
        for (std::int64_t z = 0; z < density.depth(); ++z) {
            const auto cells = density.row(y, z);
            for (std::size_t x = 0; x < row.size(); ++x) {
                row[x] = static_cast<std::uint16_t>(row[x] + (cells[x] >= shape::kOpen ? 1 : 0));
            }
        }
        for (std::uint16_t &count : row) {
            count = static_cast<std::uint16_t>(count * std::int64_t{65535} / density.depth());
        }
    });
    return {.name = "map",
            .meaning = LayerMeaning::amount,
            .unit = "fraction",
            .scale = 1.0 / 65535,
            .offset = 0,
            .data = std::move(map)};
}

std::vector<Socket> sockets(const CaveVolume &cave) {
    std::vector<Socket> result;
    for (std::size_t i = 0; i < cave.entrances.size(); ++i) {
        const CaveEntrance &entrance = cave.entrances[i];
        const auto at = [&](std::size_t k) { return static_cast<float>(entrance.position[k]); };
        result.push_back({"SOCKET_entrance_" + std::to_string(i),
                          {at(0), at(2), at(1)},
                          {static_cast<float>(-entrance.outwards[0]), 0,
                           static_cast<float>(-entrance.outwards[1])}});
    }
    return result;
}

// The meshes that were asked for. The shell and the solid share no triangles: where they end, at
// the entrances, they differ.
void add_meshes(core::Run &run, const MeshParams &params, double cell, const CaveVolume &cave,
                Artifact &artifact) {
    const auto add = [&](const char *name, std::vector<MeshPart> parts) {
        artifact.meshes.push_back({name, std::move(parts), sockets(cave)});
    };
    constexpr double kChunk = 32; // m
    if (params.shell || params.lods || params.collision) {
        Mesh welded = shape::extract_surface(
            run, cave.density, cell, params.caps ? shape::Outside::rock : shape::Outside::cut);
        if (params.shell) {
            Mesh shell = params.lods || params.collision ? welded : std::move(welded);
            shape::add_normals(run, shell);
            shell = shape::with_box_uvs(run, shell);
            if (params.tangents) {
                shape::add_tangents(run, shell);
            }
            add("shell", {{"cave", shape::in_gpu_order(run, shell), {}}});
        }
        if (params.lods) {
            add("lods", shape::lod_chain(run, welded, core::kLevels, "cave"));
        }
        if (params.collision) {
            add("collision",
                shape::collision_chunks(run, welded, kChunk, cell / 2, "cave_collision"));
        }
    }
    if (params.solid) {
        Mesh solid = shape::extract_surface(run, cave.density, cell, shape::Outside::open);
        shape::add_normals(run, solid);
        add("solid", {{"rock", std::move(solid), {}}});
    }
}

// The options of a part of a job that takes `share` of its time from `start` on.
Options part_of(const Options &options, double start, double share) {
    Options part = options;
    if (options.progress) {
        part.progress = [&options, start, share](const Progress &progress) {
            options.progress({progress.stage, start + share * progress.fraction});
        };
    }
    return part;
}

Artifact cave_volume_artifact(const Job &job, const Options &options) try {
    const CaveVolumeParams params = cave_volume::table().from(job.params);
    const Extent3 extent{job.extent.width, job.extent.height, job.depth};
    const MeshParams meshes = mesh_table().from(job.params);
    if (meshes.any()) { // of their surfaces and the density
        const double cells = static_cast<double>(extent.width) *
                             static_cast<double>(extent.height) * static_cast<double>(extent.depth);
        core::require_memory(static_cast<std::uint64_t>(std::min(22 * cells, 1e18)),
                             "a cave of this size with meshes", options);
    }
    constexpr double kCave = 0.75; // of the time
    CaveVolume cave = generate_cave_volume(
        params, extent, job.cell, job.seed, part_of(options, 0, kCave),
        job.shape ? &*job.shape : nullptr, ground_controls(job, "cave3d", Pins::no));
    Artifact artifact;
    artifact.generator = "cave3d";
    artifact.seed = job.seed;
    artifact.cell = job.cell;
    core::Run run(part_of(options, kCave, 1 - kCave));
    run.stage("meshes", 1);
    add_meshes(run, meshes, job.cell, cave, artifact);
    artifact.layers.push_back(volume_layer(run, cave.density));
    artifact.layers.push_back(map_layer(run, cave.density));
    if (wants(job, "graph")) {
        artifact.documents.push_back({"graph", cave_volume::level_json(cave, extent, job.cell)});
    }
    artifact.measures = std::move(cave.measures);
    artifact.layers.push_back({.name = "density",
                               .meaning = LayerMeaning::amount,
                               .unit = "",
                               .scale = 1.0 / 65535,
                               .offset = 0,
                               .data = std::move(cave.density)});
    run.finish();
    return artifact;
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}

} // namespace

GeneratorInfo cave_volume_generator() {
    static const std::vector<ParamInfo> params =
        core::joined(cave_volume::table().infos(), mesh_table().infos());
    return {.name = "cave3d",
            .help = "a cave as a volume and as meshes, always one connected cave",
            .layers = {{"shell",
                        "What a player sees: walls, floors and ceilings, open at the entrances.",
                        "shell", LayerKind::mesh},
                       {"lods", "The shell in four levels of detail.", "lods", LayerKind::mesh},
                       {"collision", "The shell with few triangles, in chunks of 32 m.",
                        "collision", LayerKind::mesh},
                       {"solid", "The rock, a closed block.", "solid", LayerKind::mesh},
                       {"volume", "255 where the cave is open, 0 in rock.", "", LayerKind::volume},
                       {"density", "Open where at least half, smooth across the walls.", "",
                        LayerKind::volume},
                       {"map", "Seen from above: the open fraction of each column."},
                       {"graph", "Rooms, passages, portals, entrances and spawn points.", "",
                        LayerKind::document}},
            .params = params,
            .presets = presets(),
            .default_cell = 0.5,
            .default_extent = {128, 128},
            .default_depth = 64,
            .takes_shape = true,
            .controls = ground_control_names(Pins::no),
            .generate = cave_volume_artifact};
}

} // namespace karst
