// Caves: Physarum passages and Life rooms -> soup -> Life -> regions -> joined -> map.
#include <karst/cave.hpp>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "core/extent.hpp"
#include "core/fixed.hpp"
#include "generators/cave_join.hpp"
#include "generators/cave_layers.hpp"
#include "generators/cave_plan.hpp"
#include "generators/cave_soup.hpp"
#include "generators/cave_table.hpp"
#include "shape/grid.hpp"
#include "shape/shape.hpp"
#include "sim/device_choice.hpp"
#include "sim/physarum.hpp"

namespace karst {

namespace {

using shape::Mask;

void check(const CaveParams &params, Extent2 extent, double cell) {
    cave::cave_table().validate(params);
    core::require_sides(extent, 65536);
    if (extent.cells() >= std::int64_t{1} << 32) {
        throw Error(ErrorCode::invalid_argument, "size is " + std::to_string(extent.cells()) +
                                                     " cells; allowed are fewer than 2^32");
    }
    if (!(cell >= 0.01 && cell <= 100)) {
        throw Error(ErrorCode::invalid_argument,
                    "cell is " + std::to_string(cell) + " m; allowed is 0.01 to 100 m");
    }
}

std::uint64_t memory_needed(const cave::NetworkGrid &grid_of_network, const cave::Grid &grid) {
    const auto network = sim::memory_needed(grid_of_network.simulation, grid_of_network.extent);
    const auto soup = static_cast<std::uint64_t>(grid.extent.cells());
    const auto map = static_cast<std::uint64_t>(grid.output.cells());
    return std::max(network + 4 * soup, std::max(40 * soup, 8 * soup + 24 * map));
}

// The open cells of the soup after the cave rule.
Mask make_open(core::Run &run, const cave::Grid &grid, const cave::Plan &plan, std::uint64_t seed) {
    constexpr int kGenerations = 5;
    const LifeBoard rock =
        cave::cave_rule(run, cave::make_soup(run, plan.wall, seed, 1), kGenerations, grid.edges);
    Mask open(grid.extent, run.memory());
    run.for_rows(grid.extent.height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < grid.extent.width; ++x) {
            const std::uint32_t wall = plan.wall.at(x, y);
            open.at(x, y) = wall == 0 || (wall < cave::kCertain && !rock.alive(x, y)) ? 1 : 0;
        }
    });
    return open;
}

// One region of the soup's grid.
Mask make_cave(core::Run &run, const CaveParams &params, const cave::Grid &grid,
               const cave::Plan &plan, const Mask &open) {
    const Mask cave = cave::joined(run, open, plan,
                                   {.least_area = grid.to_area(params.least_area),
                                    .least_radius = cave::least_radius(params, grid),
                                    .tunnel_radius = grid.to_cells(params.passage_width) / 2},
                                   grid.edges);
    return cave::without_pillars(run, cave, plan, grid.to_area(params.pillar_area), grid.edges);
}

// The map's cell over the least-walled cell of the plan, of equals the one furthest from the
// border, then by hash.
std::int64_t least_walled(const cave::Grid &grid, const cave::Plan &plan, std::uint64_t seed) {
    const auto key = [&](std::int64_t x, std::int64_t y) {
        const std::int64_t edge =
            std::min({x, y, grid.extent.width - 1 - x, grid.extent.height - 1 - y});
        return std::tuple(
            plan.wall.at(x, y), grid.edges == Boundary::bounded ? -edge : 0,
            shape::tie_hash(seed, static_cast<std::int32_t>(x), static_cast<std::int32_t>(y)));
    };
    Cell2 best;
    for (std::int32_t y = 0; y < grid.extent.height; ++y) {
        for (std::int32_t x = 0; x < grid.extent.width; ++x) {
            if (key(x, y) < key(best.x, best.y)) {
                best = {x, y};
            }
        }
    }
    const std::int64_t factor = std::int64_t{1} << grid.log2_factor;
    const std::int64_t x = std::min(best.x * factor + factor / 2, grid.output.width - 1);
    const std::int64_t y = std::min(best.y * factor + factor / 2, grid.output.height - 1);
    return y * grid.output.width + x;
}

// The cave on the map's grid: 1 where open. The mean of each 3x3 window takes the soup's corners
// off the walls, if `soft`; without it a chain of 4-adjacent cells keeps more than half along it
// under the spline, so that the cave stays one region but for slivers at its walls.
Mask raise(core::Run &run, const cave::Grid &grid, const Mask &cave, bool soft) {
    if (grid.log2_factor == 0) {
        return cave;
    }
    Field2D<std::uint32_t> level(cave.extent(), run.memory());
    for (std::int64_t i = 0; i < cave.size(); ++i) {
        level[i] = cave[i] != 0 ? 65536 : 0;
    }
    if (soft) {
        level = shape::box_blur(run, level, 1, 1, grid.edges);
    }
    return shape::above(run,
                        shape::upsample(run, level, grid.log2_factor, grid.output, {},
                                        shape::Interpolation::smooth, grid.edges),
                        32768);
}

struct Sizes {
    std::int64_t largest = 0; // cells of the largest region
    std::int64_t others = 0;  // cells of all others
};

// Leaves the largest region (of equals the first) of `open`.
Sizes leave_largest(core::Run &run, Boundary edges, Mask &open) {
    const shape::Regions found = shape::regions(run, open, shape::Connectivity::four, edges);
    Sizes sizes;
    std::uint32_t largest = 0;
    for (std::size_t i = 0; i < found.regions.size(); ++i) {
        sizes.others += found.regions[i].cells;
        if (found.regions[i].cells > sizes.largest) {
            sizes.largest = found.regions[i].cells;
            largest = static_cast<std::uint32_t>(i + 1);
        }
    }
    sizes.others -= sizes.largest;
    if (sizes.others > 0) {
        run.for_ranges(open.size(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                open[i] = found.label[i] == largest ? 1 : 0;
            }
        });
    }
    return sizes;
}

// Painted walls are rock on the map's own cells; where its soup is coarser, its soft walls reach
// into them.
void keep_walls(core::Run &run, const cave::Grid &grid, const Field2D<std::uint16_t> &walls,
                Mask &open) {
    if (walls.empty()) {
        return;
    }
    const Mask solid =
        core::resample_mask(run, walls,
                            {core::over_all(open.width()), core::over_all(open.height()),
                             grid.edges == Boundary::torus});
    for (std::int64_t i = 0; i < open.size(); ++i) {
        open[i] = solid[i] != 0 ? 0 : open[i];
    }
}

Mask make_map(core::Run &run, const cave::Grid &grid, const cave::Plan &plan, const Mask &cave,
              std::uint64_t seed, const Field2D<std::uint16_t> &walls) {
    const std::int64_t sliver = std::int64_t{16} << (2 * grid.log2_factor); // 16 soup cells
    Mask open = raise(run, grid, cave, true);
    keep_walls(run, grid, walls, open);
    Sizes sizes = leave_largest(run, grid.edges, open);
    if (sizes.largest == 0 || sizes.others > sliver) {
        open = raise(run, grid, cave, false);
        keep_walls(run, grid, walls, open);
        sizes = leave_largest(run, grid.edges, open);
    }
    if (sizes.largest == 0) {
        open[least_walled(grid, plan, seed)] = 1;
    }
    return open;
}

CaveResult make_whole_cave(const CaveParams &params, const cave::NetworkGrid &network,
                           const cave::Grid &grid, double cell, std::uint64_t seed,
                           const Options &options, const GroundControls &controls) {
    core::Run run(options);
    const cave::Plan plan = cave::make_plan(run, params, network, grid, seed, controls);
    run.stage("life", 0.05, options.device);
    const Mask life = make_open(run, grid, plan, seed);
    run.made(life);
    run.stage("joins", 0.15);
    const Mask cave = make_cave(run, params, grid, plan, life);
    run.made(cave);
    run.stage("map", 0.2);
    const Mask open = make_map(run, grid, plan, cave, seed, controls.walls);
    run.made(open);
    run.advance(0.4);

    CaveResult result;
    result.map = Field2D<std::uint8_t>(grid.output, run.memory());
    run.for_ranges(open.size(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            result.map[i] = open[i] != 0 ? 255 : 0;
        }
    });
    cave::add_layers(run, params, cell, open, grid.edges, result);
    run.finish();
    return result;
}

} // namespace

Extent2 cave::cave_network_grid(const CaveParams &params, Extent2 extent, double cell) {
    check(params, extent, cell);
    return make_network_grid(params, make_grid(params, extent, cell)).extent;
}

CaveResult generate_cave(const CaveParams &params, Extent2 extent, double cell, std::uint64_t seed,
                         const Options &options, const GroundControls &controls) try {
    check(params, extent, cell);
    const cave::Grid grid = cave::make_grid(params, extent, cell);
    const cave::NetworkGrid network = cave::make_network_grid(params, grid);
    core::require_memory(
        memory_needed(network, grid) +
            sim::memory_needed(controls, std::max(network.extent.cells(), extent.cells())),
        "cave", options);
    const sim::Work work = sim::work_of(network.simulation, network.extent);
    return sim::on_device(options, work, [&](const Options &chosen) {
        return make_whole_cave(params, network, grid, cell, seed, chosen, controls);
    });
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}

} // namespace karst
