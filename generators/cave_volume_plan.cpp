#include <algorithm>

#include <karst/error.hpp>

#include "core/fixed.hpp"
#include "core/memory.hpp"
#include "core/rng.hpp"
#include "generators/cave_volume.hpp"
#include "shape/grid.hpp"
#include "shape/voxelise.hpp"
#include "sim/physarum.hpp"

namespace karst::cave_volume {

namespace {

std::int64_t rounded(double value) {
    return static_cast<std::int64_t>(value + 0.5);
}

// The two coarse cells around the centre of a fine cell and the weight of the second, of 256.
struct Tap {
    std::int64_t low, high;
    std::uint64_t weight;
};

std::vector<Tap> make_taps(std::int64_t fine, std::int64_t coarse) {
    std::vector<Tap> taps(static_cast<std::size_t>(fine));
    for (std::int64_t i = 0; i < fine; ++i) {
        const std::int64_t place = ((2 * i + 1) * coarse * 256) / (2 * fine) - 128;
        const std::int64_t low = place >> 8;
        taps[static_cast<std::size_t>(i)] = {shape::inside(low, coarse, Boundary::bounded),
                                             shape::inside(low + 1, coarse, Boundary::bounded),
                                             static_cast<std::uint64_t>(place & 255)};
    }
    return taps;
}

// A coarse field on the plan's grid, trilinear between cell centres.
Field3D<std::uint32_t> resample(core::Run &run, const Field3D<std::uint32_t> &coarse,
                                Extent3 extent) {
    const auto columns = make_taps(extent.width, coarse.width());
    const auto rows = make_taps(extent.height, coarse.height());
    const auto planes = make_taps(extent.depth, coarse.depth());
    const auto mixed = [](std::uint64_t a, std::uint64_t b, std::uint64_t weight) {
        return a * (256 - weight) + b * weight;
    };
    Field3D<std::uint32_t> fine(extent, core::large_pages(run));
    run.for_rows(extent.height * extent.depth, [&](std::int64_t line) {
        const Tap &row = rows[static_cast<std::size_t>(line % extent.height)];
        const Tap &plane = planes[static_cast<std::size_t>(line / extent.height)];
        const auto out = fine.row(line % extent.height, line / extent.height);
        const auto a = coarse.row(row.low, plane.low);
        const auto b = coarse.row(row.high, plane.low);
        const auto c = coarse.row(row.low, plane.high);
        const auto d = coarse.row(row.high, plane.high);
        for (std::size_t x = 0; x < out.size(); ++x) {
            const auto at = [&](std::int64_t column) {
                const auto i = static_cast<std::size_t>(column);
                return mixed(mixed(a[i], b[i], row.weight), mixed(c[i], d[i], row.weight),
                             plane.weight);
            };
            const Tap &column = columns[x];
            out[x] = static_cast<std::uint32_t>(
                mixed(at(column.low), at(column.high), column.weight) >> 24);
        }
    });
    return fine;
}

// Slow noise between 0 and 65536: a random value at each corner of a lattice of `period` metres.
Field3D<std::uint32_t> slow_noise(core::Run &run, const Grid &grid, double period,
                                  std::uint64_t seed, std::uint32_t draw) {
    const Extent3 cells = grid.divided(period, period);
    Field3D<std::uint32_t> corners({cells.width + 1, cells.height + 1, cells.depth + 1},
                                   run.memory());
    for (std::int64_t z = 0; z < corners.depth(); ++z) {
        for (std::int64_t y = 0; y < corners.height(); ++y) {
            for (std::int64_t x = 0; x < corners.width(); ++x) {
                corners.at(x, y, z) =
                    core::draw_at(seed, static_cast<std::int32_t>(x), static_cast<std::int32_t>(y),
                                  static_cast<std::int32_t>(z),
                                  core::use(core::stage_cave_volume, 0, draw))
                        .word[0] >>
                    16;
            }
        }
    }
    return resample(run, corners, grid.extent);
}

// From 1 where the network is strongest to 255 away from it, 0 beyond the inset.
Tolls make_toll(core::Run &run, const CaveVolumeParams &params, const Grid &grid,
                const Field3D<std::uint32_t> &trail) {
    const Field3D<std::uint32_t> strength = resample(run, trail, grid.extent);
    constexpr double kVeinShare = 0.03; // of the plan's cells lie on a vein of the network
    const std::uint32_t strong = std::max<std::uint32_t>(
        1, shape::quantile(run, strength, core::to_threshold(1 - kVeinShare)));
    Tolls toll(grid.extent, core::large_pages(run));
    const auto [w, h, d] = grid.extent;
    const auto beyond = [&](std::int64_t i, std::int64_t side) {
        const std::int64_t inset = grid.inset(params, side);
        return i < inset || i >= side - inset;
    };
    run.for_rows(h * d, [&, w = w, h = h, d = d](std::int64_t line) {
        const std::int64_t y = line % h;
        const std::int64_t z = line / h;
        for (std::int64_t x = 0; x < w; ++x) {
            const std::uint64_t value = std::min(strength.at(x, y, z), strong);
            const std::uint64_t weak = 255 - value * 255 / strong;
            toll.at(x, y, z) = beyond(x, w) || beyond(y, h) || beyond(z, d)
                                   ? 0
                                   : static_cast<std::uint8_t>(1 + weak * 254 / 255);
        }
    });
    return toll;
}

} // namespace

std::int64_t Grid::to_cells(double metres) const {
    return rounded(256 * metres / cell);
}

std::int64_t Grid::border(const CaveVolumeParams &params) const {
    return std::max<std::int64_t>(1, (to_cells(params.border) + 255) >> 8);
}

std::int64_t Grid::inset(const CaveVolumeParams &params, std::int64_t side) const {
    const std::int64_t radius =
        (to_cells(std::max(params.passage_width, params.least_width)) / 2 + 255) >> 8;
    return std::min(border(params) + radius, (side - 1) / 2);
}

Extent3 Grid::divided(double width, double height) const {
    const auto side = [&](std::int64_t cells, double size) {
        return std::max<std::int64_t>(1, rounded(static_cast<double>(cells) * cell / size));
    };
    return {side(extent.width, width), side(extent.height, width), side(extent.depth, height)};
}

core::Placement2 Grid::placement(Extent3 cells) const {
    // In parts of a cell of the output.
    const auto axis = [&](std::int64_t own, std::int64_t plan, std::int64_t map) {
        return core::Placement{own, plan << log2_factor, 0, map * own};
    };
    return {axis(cells.width, extent.width, output.width),
            axis(cells.height, extent.height, output.height), false};
}

Grid make_grid(const CaveVolumeParams &params, Extent3 extent, double cell) {
    constexpr double kRootOfTwo = 1.4142135623730951; // halfway between two powers of two
    constexpr int kMostDoublings = 12;                // that shape::upsample takes
    Grid grid{extent, cell, {}, 0, cell};
    const double side =
        static_cast<double>(std::min({extent.width, extent.height, extent.depth})) * cell;
    const double largest = std::min(params.passage_width / 4 / kRootOfTwo, side / 16);
    while (grid.cell < largest && grid.log2_factor < kMostDoublings) {
        grid.cell *= 2;
        ++grid.log2_factor;
    }
    const std::int64_t factor = std::int64_t{1} << grid.log2_factor;
    const auto cells = [factor](std::int64_t side_cells) {
        return (side_cells + factor - 1) / factor;
    };
    grid.extent = {cells(extent.width), cells(extent.height), cells(extent.depth)};
    return grid;
}

Network make_network(const CaveVolumeParams &params, const Grid &grid) {
    constexpr double kSensorOffset = 4;   // cells
    constexpr double kOffsetsPerMesh = 4; // from a vein to the next, as measured after kSteps
    constexpr std::int64_t kSteps = 60;
    Network network;
    network.cell = params.passage_spacing / kOffsetsPerMesh / kSensorOffset;
    network.cell_z = network.cell / params.flatness;
    network.extent = grid.divided(network.cell, network.cell_z);
    network.simulation.sensor_offset = kSensorOffset;
    network.simulation.agent_density = 0.15;
    network.simulation.steps = kSteps;
    network.simulation.food_strength = params.food_strength;
    return network;
}

Plan make_plan(core::Run &run, const CaveVolumeParams &params, const Network &network,
               const Grid &grid, std::uint64_t seed, const Mesh *shape,
               const GroundControls &controls) {
    run.stage("network", 0.3, run.options().device);
    const Field3D<std::uint32_t> trail = sim::simulate(
        run, network.simulation, network.extent, seed, 0, controls, grid.placement(network.extent));
    run.stage("plan", 0.1);
    Plan plan;
    plan.toll = make_toll(run, params, grid, trail);
    VolumeMask inside; // of the shape
    if (shape != nullptr) {
        inside = shape::voxelise(run, *shape, grid.extent, grid.cell, {0, 0, 0});
        if (std::none_of(inside.cells().begin(), inside.cells().end(),
                         [](std::uint8_t cell) { return cell != 0; })) {
            throw Error(ErrorCode::invalid_input,
                        "the shape lies outside the volume or between its cells; the volume "
                        "begins at 0, 0, 0 and goes east, up and south in metres");
        }
        for (std::int64_t i = 0; i < inside.size(); ++i) {
            if (inside[i] != 0 && plan.toll[i] != 0) {
                plan.toll[i] = params.shape_use == ShapeUse::room ? 1 : 0;
            }
        }
    }
    shape::Mask walls; // seen from above
    if (!controls.walls.empty()) {
        walls = core::resample_mask(run, controls.walls, grid.placement(grid.extent));
        for (std::int64_t i = 0; i < plan.toll.size(); ++i) {
            if (walls[i % walls.size()] != 0) {
                plan.toll[i] = 0;
            }
        }
    }
    const Sites sites = find_sites(run, params, grid, network, trail, seed);
    plan.path = find_passages(run, params, grid, plan.toll, sites);
    const std::int64_t radius = grid.to_cells(params.passage_width) / 2;
    const std::int64_t rough = std::max<std::int64_t>(grid.to_cells(params.roughness), 1);
    const auto cap = static_cast<std::uint32_t>(((2 * radius + rough) >> 8) + 2);
    const Field3D<std::uint32_t> square =
        shape::distance_squared(run, plan.path, std::min<std::uint32_t>(cap, 4096));
    const Field3D<std::uint32_t> width = slow_noise(run, grid, params.passage_spacing / 3, seed, 0);

    plan.wall = Field3D<std::uint32_t>(grid.extent, core::large_pages(run));
    run.for_ranges(plan.path.size(), 1 << 12, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t distance = core::integer_sqrt(std::uint64_t{square[i]} << 16);
            const std::int64_t here = (radius * (42000 + width[i] * 3 / 4)) >> 16;
            const std::int64_t beyond = distance - here;
            // From 0 in the heart of a passage to 0.61 beyond its walls.
            const std::int64_t share =
                std::clamp<std::int64_t>((beyond + rough) * 65536 / (2 * rough), 0, 65536);
            plan.wall[i] = static_cast<std::uint32_t>((share * 40000) >> 16);
        }
    });
    for (const Room &room : sites.rooms) {
        run.check_cancel();
        open_room(run, grid, room, plan.wall);
    }
    for (std::int64_t i = 0; i < inside.size(); ++i) {
        if (inside[i] != 0) {
            plan.wall[i] = params.shape_use == ShapeUse::room ? 0 : kCertain;
        }
    }
    const std::int64_t border = grid.border(params);
    const auto [w, h, d] = grid.extent;
    run.for_rows(h * d, [&, w = w, h = h, d = d](std::int64_t line) {
        const std::int64_t y = line % h;
        const std::int64_t z = line / h;
        for (std::int64_t x = 0; x < w; ++x) {
            if (std::min({x, y, z, w - 1 - x, h - 1 - y, d - 1 - z}) < border ||
                (!walls.empty() && walls.at(x, y) != 0)) {
                plan.wall.at(x, y, z) = kCertain;
            }
        }
    });
    return plan;
}

} // namespace karst::cave_volume
