#include <karst/heightmap.hpp>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/extent.hpp"
#include "core/fixed.hpp"
#include "core/memory.hpp"
#include "core/param_table.hpp"
#include "generators/controls.hpp"
#include "generators/heightmap.hpp"
#include "generators/heightmap_layers.hpp"
#include "generators/preview.hpp"
#include "generators/registry.hpp"
#include "generators/terrain_detail.hpp"
#include "generators/terrain_maps.hpp"
#include "shape/heightmesh.hpp"

namespace karst {

namespace {

using shape::Heights;

constexpr double kSmallestCell = 0.01; // m
constexpr double kLargestCell = 1000;
constexpr std::int64_t kMostCells = std::int64_t{1} << 31;

const core::ParamTable<HeightmapParams> &table() {
    using P = HeightmapParams;
    static const core::ParamTable<P> rows({
        core::real(&P::relief, "relief", "m", 1, 8000,
                   "Height from the lowest valley to the highest summit, about; less on a map "
                   "narrower than "
                   "the valley spacing."),
        core::real(&P::valley_spacing, "valley_spacing", "m", 10, 100000,
                   "Distance between the main valleys; at least 8 cells."),
        core::real(&P::tilt, "tilt", "fraction", 0, 1,
                   "How much the whole region leans, as a fraction of the relief."),
        core::real(&P::plateau, "plateau", "fraction", 0, 1,
                   "0 gives summits between the valleys, 1 flat tops that end at their rims."),
        core::real(&P::ruggedness, "ruggedness", "fraction", 0, 1,
                   "How strongly the two finer networks shape the ground between main valleys."),
        core::real(&P::erosion, "erosion", "fraction", 0.02, 1,
                   "How far rivers have cut into the shape that the networks give."),
        core::real(&P::talus, "talus", "degrees", 5, 80,
                   "Steepest slope that stands for long; steeper ground slides."),
        core::real(&P::hillside, "hillside", "m", 0, 2000,
                   "Length below which slopes are rounded instead of cut by gullies."),
        core::real(&P::valley_floor, "valley_floor", "m", 0, 1000,
                   "Width of the flat floor of a river that drains a square kilometre."),
        core::real(&P::terrace_height, "terrace_height", "m", 0, 1000,
                   "Height from one hard stratum of rock to the next; 0 for none."),
        core::real(&P::terrace_strength, "terrace_strength", "fraction", 0, 1,
                   "How much harder than the rest these strata are."),
        core::real(&P::food_strength, "food_strength", "", -1000, 1000,
                   "How much white in the map \"food\" draws valleys along; negative keeps them "
                   "away."),
        core::real(&P::detail_cell, "detail_cell", "m", 0, 1000,
                   "Ground between cells of this size is made by local rules, so that tiles need "
                   "little memory; 0: rivers of the whole map shape every cell."),
        core::boolean(&P::mesh, "mesh", "Make the mesh."),
        core::real(&P::mesh_error, "mesh_error", "m", 0, 1000,
                   "How far the mesh may lie above or below a sample; 0: every sample is a "
                   "vertex of it."),
        core::real(&P::skirt, "skirt", "m", 0, 10000,
                   "Strip that hangs down along the mesh's border, against cracks between tiles."),
        core::real(&P::base, "base", "m", 0, 10000,
                   "Makes the mesh a closed block down to so far below the lowest sample."),
    });
    return rows;
}

std::vector<Preset> presets() {
    return {
        {"alps", "sharp ridges above steep valleys", {}},
        {"canyon",
         "tables of layered rock, cut by wide canyons",
         {{"relief", 350.0},
          {"valley_spacing", 1600.0},
          {"plateau", 0.9},
          {"ruggedness", 0.6},
          {"erosion", 0.3},
          {"talus", 32.0},
          {"hillside", 30.0},
          {"valley_floor", 100.0},
          {"terrace_height", 70.0},
          {"terrace_strength", 0.8}}},
        {"hills",
         "rolling hills above broad valleys",
         {{"relief", 220.0},
          {"valley_spacing", 1100.0},
          {"tilt", 0.3},
          {"ruggedness", 0.7},
          {"talus", 26.0},
          {"hillside", 110.0},
          {"valley_floor", 120.0}}},
    };
}

void check_memory(const HeightmapParams &params, const terrain::Plan &plan, const Options &options,
                  const GroundControls &controls) {
    const double cells = static_cast<double>(plan.map.width) * static_cast<double>(plan.map.height);
    double bytes = terrain::base_memory(params, plan, controls);
    if (plan.levels > 0) {
        // Maps beside fine levels need the flow of the whole map.
        bytes =
            std::max(bytes, terrain::kept_memory(plan) + terrain::detail_memory(plan, plan.map)) +
            cells * (params.maps.empty() ? 0 : 20);
    }
    bytes += cells * ((params.mesh ? 140 : 0) + // a mesh of every sample
                      terrain::map_memory(params.maps));
    core::require_memory(static_cast<std::uint64_t>(std::min(bytes, 1e18)),
                         "a heightmap of this size", options);
    if (plan.map.width > kMostCells / plan.map.height) {
        throw Error(ErrorCode::unsupported, "width x height is more than 2147483648 cells");
    }
}

// The median of the slope at the samples that have four neighbours, in percent (rise over run);
// 0 without any.
double median_slope(core::Run &run, const Heights &heights, double cell) {
    const Extent2 inside{std::max<std::int64_t>(0, heights.width() - 2),
                         std::max<std::int64_t>(0, heights.height() - 2)};
    if (inside.cells() == 0) {
        return 0;
    }
    // Lengths of the rise over two cells, 1/4096 m.
    auto rise = core::unset_field<std::uint32_t>(run, inside);
    run.for_rows(inside.height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < inside.width; ++x) {
            const double dx = heights.at(x + 2, y + 1) - heights.at(x, y + 1);
            const double dy = heights.at(x + 1, y + 2) - heights.at(x + 1, y);
            rise.at(x, y) = static_cast<std::uint32_t>(std::min(4e9, std::sqrt(dx * dx + dy * dy)));
        }
    });
    const double median = shape::quantile(run, rise, std::uint64_t{1} << 31);
    const double percent = median / 8192 / cell * 100;
    return std::floor(percent * 100 + 0.5) / 100;
}

shape::Mask border_outlets(core::Run &run, Extent2 extent) {
    shape::Mask outlets = core::unset_field<std::uint8_t>(run, extent);
    run.for_rows(extent.height, [&](std::int64_t y) {
        const auto row = outlets.row(y);
        const bool border = y == 0 || y == extent.height - 1;
        std::ranges::fill(row, std::uint8_t{border});
        row.front() = row.back() = 1;
    });
    return outlets;
}

// Where water goes if it leaves at the border and stands in no lake.
shape::Flow whole_flow(core::Run &run, const Heights &heights, std::uint64_t seed) {
    shape::Router router(run, heights.extent(), seed);
    router.on_filled(run, heights, border_outlets(run, heights.extent()));
    return router.take();
}

// The fraction of the samples from which water does not run to the border.
double closed_depressions(core::Run &run, Heights heights) {
    const std::int64_t raised =
        shape::fill_depressions(run, heights, border_outlets(run, heights.extent()));
    return static_cast<double>(raised) / static_cast<double>(heights.size());
}

// The colours run over the middle 98 % of the heights, so that one summit does not take them all.
Layer preview_layer(core::Run &run, const Layer &height, double cell) {
    const auto &heights = std::get<Field2D<std::uint16_t>>(height.data);
    auto wide = core::unset_field<std::uint32_t>(run, heights.extent());
    run.for_rows(heights.height(), [&](std::int64_t y) {
        std::copy_n(heights.row(y).data(), heights.width(), wide.row(y).data());
    });
    const std::uint64_t percent = core::to_threshold(0.01);
    const auto low = static_cast<std::uint16_t>(shape::quantile(run, wide, percent));
    const auto high =
        static_cast<std::uint16_t>(shape::quantile(run, wide, (std::uint64_t{1} << 32) - percent));
    return {.name = "preview",
            .meaning = LayerMeaning::colour,
            .unit = "",
            .scale = 1,
            .offset = 0,
            .data = shape::lit(run, heights, height.scale / cell, low, high, kTerrain, false)};
}

MeshLayer mesh_layer(core::Run &run, const HeightmapParams &params, const Layer &height,
                     double cell) {
    const auto &heights = std::get<Field2D<std::uint16_t>>(height.data);
    const shape::Triangulation triangles =
        params.mesh_error > 0
            ? shape::triangulate_tin(run, heights, params.mesh_error / height.scale)
            : shape::triangulate_grid(heights.extent());
    return {"mesh",
            {{"terrain",
              shape::height_mesh(heights, triangles, {cell, height.scale, height.offset},
                                 params.skirt, params.base),
              {}}},
            {}};
}

std::vector<Extent2> network_grids(const HeightmapParams &params, Extent2 extent, double cell) {
    terrain::check_heightmap(params, extent, cell, kMostCells);
    const terrain::Plan plan = terrain::make_plan(params, extent, cell);
    std::vector<Extent2> grids;
    for (std::size_t i = 0; i < plan.networks.size(); ++i) {
        if (plan.runs(i)) {
            grids.push_back(plan.networks[i].extent);
        }
    }
    return grids;
}

// Which of the layers that need no request are made beside the heights.
struct Beside {
    bool flow = true;
    bool preview = true;
};

Artifact make_planned(const HeightmapParams &params, const terrain::Plan &plan, Extent2 extent,
                      double cell, std::uint64_t seed, const Options &options,
                      const GroundControls &controls, const Beside &beside) {
    const double layers_share = params.maps.empty() ? 0.05 : 0.2;
    const double detail = terrain::detail_work(plan, extent);
    const double work = (plan.work() + detail) / (1 - layers_share);
    core::Run run(options);
    const bool flow = beside.flow || plan.levels > 0 || !params.maps.empty();
    terrain::Base base =
        terrain::make_base(run, params, plan, seed, plan.work() / work, flow, controls);
    terrain::Ground made;
    if (plan.levels > 0) {
        run.stage("detail", detail / work);
        terrain::Patch patch = terrain::make_detail(run, params, base, seed, {0, 0, extent});
        run.made(patch.heights);
        base.ground = {};
        made.heights = std::move(patch.heights);
        made.flow.area = std::move(patch.area);
    } else {
        made = std::move(base.ground);
    }
    run.stage("layers", layers_share);
    Artifact artifact;
    artifact.generator = "heightmap";
    artifact.seed = seed;
    artifact.cell = cell;
    artifact.layers.push_back(terrain::height_layer(run, made.heights, base.lowest, base.highest));
    if (beside.flow) {
        artifact.layers.push_back(terrain::flow_layer(run, made.flow.area));
    }
    if (beside.preview) {
        artifact.layers.push_back(preview_layer(run, artifact.layers[0], cell));
    }
    if (params.mesh) {
        artifact.meshes.push_back(mesh_layer(run, params, artifact.layers[0], cell));
    }
    if (plan.levels > 0 && !params.maps.empty()) {
        made.flow = whole_flow(run, made.heights, seed);
    }
    for (Layer &map : terrain::make_maps(run, params, made, cell, params.maps)) {
        artifact.layers.push_back(std::move(map));
    }
    const Layer &height = artifact.layers[0];
    artifact.measures = {{"lowest m", height.offset},
                         {"highest m", height.offset + 65535 * height.scale},
                         {"median slope percent", median_slope(run, made.heights, cell)},
                         {"closed depressions", closed_depressions(run, std::move(made.heights))}};
    run.finish();
    return artifact;
}

Artifact make_heightmap(const HeightmapParams &params, Extent2 extent, double cell,
                        std::uint64_t seed, const Options &options, const GroundControls &controls,
                        const Beside &beside) try {
    terrain::check_heightmap(params, extent, cell, kMostCells);
    const terrain::Plan plan = terrain::make_plan(params, extent, cell);
    check_memory(params, plan, options, controls);

    return sim::on_device(options, terrain::device_works(params, plan), [&](const Options &chosen) {
        return make_planned(params, plan, extent, cell, seed, chosen, controls, beside);
    });
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}

Artifact heightmap_artifact(const Job &job, const Options &options) {
    HeightmapParams params = table().from(job.params);
    for (const LayerInfo &info : terrain::map_infos()) {
        if (asks_for(job, info.name)) {
            params.maps.push_back(info.name);
        }
    }
    const GroundControls controls = ground_controls(job, "heightmap", Pins::yes);
    const NetworkLayer network(job, options, network_grids(params, job.extent, job.cell));
    Artifact artifact =
        make_heightmap(params, job.extent, job.cell, job.seed, network.options(), controls,
                       {wants(job, "flow"), wants(job, kPreviewInfo.name)});
    network.add_to(artifact);
    return artifact;
}

void generate_tiles(const Job &job, const TileOptions &tiles,
                    const std::function<void(const HeightmapTile &)> &sink,
                    const Options &options) {
    generate_heightmap_tiles(table().from(job.params), job.extent, job.cell, job.seed, tiles, sink,
                             options, ground_controls(job, "heightmap", Pins::yes));
}

} // namespace

void terrain::check_heightmap(const HeightmapParams &params, Extent2 extent, double cell,
                              std::int64_t largest_side) {
    table().validate(params);
    terrain::check_map_names(params.maps);
    core::require_sides(extent, largest_side);
    if (!(cell >= kSmallestCell && cell <= kLargestCell)) {
        throw Error(ErrorCode::invalid_argument,
                    "cell is " + to_string(ParamValue(cell)) + " m; allowed is 0.01 to 1000 m");
    }
    if (params.mesh && (extent.width < 2 || extent.height < 2)) {
        throw Error(ErrorCode::invalid_argument, "size is " + std::to_string(extent.width) + "x" +
                                                     std::to_string(extent.height) +
                                                     "; a mesh needs at least 2x2 samples");
    }
    if (params.mesh && params.skirt > 0 && params.base > 0) {
        throw Error(ErrorCode::invalid_argument,
                    "skirt and base are both above 0; allowed is one of them");
    }
    if (params.valley_spacing < 8 * cell) {
        throw Error(ErrorCode::invalid_argument, "valley_spacing is " +
                                                     to_string(ParamValue(params.valley_spacing)) +
                                                     " m; allowed is at least 8 cells, here " +
                                                     to_string(ParamValue(8 * cell)) + " m");
    }
}

Artifact generate_heightmap(const HeightmapParams &params, Extent2 extent, double cell,
                            std::uint64_t seed, const Options &options,
                            const GroundControls &controls) {
    return make_heightmap(params, extent, cell, seed, options, controls, {});
}

GeneratorInfo heightmap_generator() {
    std::vector<LayerInfo> layers{
        {"height", "Height in metres, 16 bits from the lowest to the highest."},
        {"flow", "Binary logarithm of the drained area in cells."},
        {"preview", "The ground in colours, lit from the upper left."},
        {"mesh", "The ground as triangles.", "mesh", LayerKind::mesh},
        kNetworkInfo};
    for (LayerInfo &map : terrain::map_infos()) {
        layers.push_back(std::move(map));
    }
    return {.name = "heightmap",
            .help = "terrain of 16-bit heights with ridges and river valleys",
            .layers = std::move(layers),
            .params = table().infos(),
            .presets = presets(),
            .default_cell = 8,
            .default_extent = {505, 505},
            .controls = ground_control_names(Pins::yes),
            .generate = heightmap_artifact,
            .generate_tiles = generate_tiles,
            .corner_samples = true};
}

} // namespace karst
