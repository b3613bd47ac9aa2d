// The way from a seed to cracked ground: networks -> plates -> lines -> fracture -> cells -> depth.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>

#include <karst/crack.hpp>

#include "core/extent.hpp"
#include "core/fixed.hpp"
#include "core/rng.hpp"
#include "generators/crack.hpp"
#include "generators/crack_fracture.hpp"
#include "generators/crack_lines.hpp"
#include "generators/crack_pen.hpp"
#include "generators/crack_raster.hpp"
#include "generators/crack_relief.hpp"
#include "sim/device_choice.hpp"
#include "sim/physarum.hpp"

namespace karst {

namespace {

using namespace crack;

constexpr double kPlateCells = 36;   // of the primary network's grid, across a plate
constexpr double kWidestCells = 240; // what a stroke's 16 bits hold
constexpr double kPieceCells = 12;   // of the fracture's grid, across a piece

// The grids of one job. They follow from metres alone, so that the layout does not depend on the
// output's resolution, and they divide its ground evenly, so that all wraps.
struct Grids {
    Extent2 primary, fine;
};

Grids grids_of(const CrackParams &params, Extent2 extent, double cell) {
    const auto over = [&](double size) {
        const auto cells = [&](std::int64_t side) {
            const double count = std::floor(static_cast<double>(side) * cell / size + 0.5);
            return std::max<std::int64_t>(1, static_cast<std::int64_t>(count));
        };
        return Extent2{cells(extent.width), cells(extent.height)};
    };
    const double piece = std::min(params.piece_size, params.plate_size);
    return {over(params.plate_size / kPlateCells), over(piece / kPieceCells)};
}

PhysarumParams network(double sensor_offset, std::int64_t steps, double food_strength) {
    PhysarumParams p;
    p.sensor_angle = 60; // wide turns close the cells of the network soon
    p.rotation_angle = 60;
    p.sensor_offset = sensor_offset;
    p.agent_density = 0.3;
    p.retain = 0.93;
    p.steps = steps;
    p.food_strength = food_strength;
    return p;
}
PhysarumParams primary_network(const CrackParams &params) {
    return network(7, 80, params.food_strength);
}
PhysarumParams fine_network(const CrackParams &params) {
    return network(4.5, 50, params.food_strength);
}

core::Placement2 over_all(Extent2 grid) {
    return {core::over_all(grid.width), core::over_all(grid.height), true};
}

void check(const CrackParams &params, Extent2 extent, double cell) {
    crack_table().validate(params);
    const auto reject = [](const std::string &what) {
        throw Error(ErrorCode::invalid_argument, what);
    };
    core::require_sides(extent);
    if (!(cell >= 1e-6 && cell <= 1000)) {
        reject("cell is " + to_string(ParamValue(cell)) + " m; allowed is 1e-06 to 1000 m");
    }
    for (const auto &[name, size] :
         {std::pair{"plate_size", params.plate_size}, {"piece_size", params.piece_size}}) {
        if (size < 4 * cell) {
            reject(std::string(name) + " is " + to_string(ParamValue(size)) + " m; at a cell of " +
                   to_string(ParamValue(cell)) + " m allowed is at least 4 cells, " +
                   to_string(ParamValue(4 * cell)) + " m");
        }
    }
    if (params.crack_width > kWidestCells * cell) {
        reject("crack_width is " + to_string(ParamValue(params.crack_width)) + " m; at a cell of " +
               to_string(ParamValue(cell)) + " m allowed is at most " +
               to_string(ParamValue(kWidestCells)) + " cells, " +
               to_string(ParamValue(kWidestCells * cell)) + " m");
    }
}

void check_memory(const CrackParams &params, Extent2 extent, double cell, const Options &options,
                  const GroundControls &controls) {
    const Grids grids = grids_of(params, extent, cell);
    const std::uint64_t simulated =
        std::max(sim::memory_needed(primary_network(params), grids.primary),
                 sim::memory_needed(fine_network(params), grids.fine)) +
        sim::memory_needed(controls, std::max(grids.primary.cells(), grids.fine.cells()));
    const auto fracture = static_cast<std::uint64_t>(grids.fine.cells()) * 100;
    const auto cells = static_cast<std::uint64_t>(extent.cells()) * 48;
    core::require_memory(std::max({simulated, fracture, cells}), "crack", options);
    constexpr std::int64_t kMostCells = std::int64_t{1} << 30;
    if (extent.cells() > kMostCells) {
        throw Error(ErrorCode::unsupported, "the extent is " + std::to_string(extent.width) +
                                                " x " + std::to_string(extent.height) +
                                                "; cracks take at most 2^30 cells");
    }
}

std::vector<sim::Work> networks_of(const CrackParams &params, const Grids &grids) {
    std::vector<sim::Work> networks{sim::work_of(fine_network(params), grids.fine)};
    if (params.pattern == CrackPattern::network) {
        networks.push_back(sim::work_of(primary_network(params), grids.primary));
    }
    return networks;
}

template <class F>
void for_values(core::Run &run, Field2D<std::uint32_t> &field, F &&f) {
    run.for_rows(field.height(), [&](std::int64_t y) {
        for (std::uint32_t &value : field.row(y)) {
            value = f(value);
        }
    });
}

// The trail without its grain; the root lifts weak veins.
Field2D<std::uint32_t> soft_root(core::Run &run, const Field2D<std::uint32_t> &trail) {
    Field2D<std::uint32_t> soft = shape::box_blur(run, trail, 1, 2, Boundary::torus);
    for_values(run, soft, [](std::uint64_t value) { return core::integer_sqrt(value << 24); });
    return soft;
}

std::uint64_t top_of(core::Run &run, const Field2D<std::uint32_t> &soft) {
    return std::max<std::uint32_t>(1, shape::quantile(run, soft, core::to_threshold(0.97)));
}

// A network's veins as a strength from 0 to 65535, which is their 97 % quantile and above; of
// pinned ones the earlier network's.
Field2D<std::uint32_t> strength(core::Run &run, const PhysarumParams &params, Extent2 grid,
                                std::uint64_t seed, std::uint32_t number,
                                const GroundControls &controls) {
    Field2D<std::uint32_t> soft =
        soft_root(run, sim::simulate(run, params, grid, seed, number, controls, over_all(grid)));
    const Field2D<std::uint32_t> *const pinned = sim::pinned_trail(controls, number);
    const std::uint64_t top = top_of(run, pinned == nullptr ? soft : soft_root(run, *pinned));
    for_values(run, soft, [&](std::uint64_t value) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(65535, value * 65535 / top));
    });
    return soft;
}

// Primary cracks as the borders of the basins between the veins, on the fine grid.
std::vector<Line> network_lines(core::Run &run, const CrackParams &params, const Grids &grids,
                                std::uint64_t seed, const GroundControls &controls) {
    const auto veins = strength(run, primary_network(params), grids.primary, seed, 0, controls);
    Field2D<std::uint32_t> plates = shape::watershed(run, veins, 12000, Boundary::torus, seed).id;
    merge_small(plates, veins, static_cast<std::int64_t>(kPlateCells * kPlateCells / 5));
    std::vector<Line> lines = trace_borders(plates, veins, 24);
    for (Line &line : lines) {
        // Width from the vein's strength along the line, without jumps.
        for (int pass = 0; pass < 40; ++pass) {
            std::uint32_t before = line.widths.front();
            for (std::size_t i = 1; i + 1 < line.widths.size(); ++i) {
                const std::uint32_t here = line.widths[i];
                line.widths[i] = (before + 2 * here + line.widths[i + 1]) / 4;
                before = here;
            }
        }
        for (std::uint32_t &width : line.widths) {
            width = 26000 + width * 6 / 10;
        }
        for (Point &p : line.points) {
            p = on_grid(p, grids.primary, grids.fine);
        }
    }
    return lines;
}

std::vector<Line> layout(core::Run &run, const CrackParams &params, const Grids &grids,
                         std::uint64_t seed, const GroundControls &controls) {
    run.stage("primary network", 0.3, run.options().device);
    std::vector<Line> primary;
    if (params.pattern == CrackPattern::network) {
        primary = network_lines(run, params, grids, seed, controls);
    }
    run.stage("secondary network", 0.2, run.options().device);
    const auto veins = strength(run, fine_network(params), grids.fine, seed, 1, controls);
    shape::Mask walls;
    if (!controls.walls.empty()) {
        walls = core::resample_mask(run, controls.walls, over_all(grids.fine));
    }
    run.stage("fracture", 0.1);
    Toughness toughness;
    toughness.joint_sets = params.joint_sets;
    toughness.joint_heading = core::to_angle(params.joint_heading);
    toughness.joint_angle = core::to_angle(params.joint_angle);
    toughness.vein_pull = core::to_fixed(params.vein_pull, 16);
    Fracture fracture(run, veins, toughness, std::move(walls), seed);
    fracture.add(std::move(primary));
    if (params.pattern == CrackPattern::joints) {
        const double plate =
            params.plate_size / std::min(params.piece_size, params.plate_size) * kPieceCells;
        fracture.open(static_cast<std::int64_t>(
            static_cast<double>(grids.fine.cells()) / (plate * plate) + 0.5));
    }
    SplitRule rule;
    rule.piece = params.piece_size < params.plate_size
                     ? static_cast<std::int64_t>(kPieceCells * kPieceCells)
                     : grids.fine.cells() * 4;
    rule.spread = core::to_fixed(params.piece_spread, 16);
    rule.dead_ends = core::to_fixed(params.dead_ends, 16);
    rule.width_ratio = core::to_fixed(params.width_ratio, 16);
    fracture.split(rule);
    return fracture.take();
}

std::vector<Stroke> all_strokes(core::Run &run, const std::vector<Line> &lines, const Pen &pen) {
    std::vector<std::vector<Stroke>> by_line(lines.size());
    run.for_ranges(static_cast<std::int64_t>(lines.size()), 1,
                   [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t i = begin; i < end; ++i) {
                           by_line[static_cast<std::size_t>(i)] =
                               pen.strokes(lines[static_cast<std::size_t>(i)]);
                       }
                   });
    std::vector<Stroke> all;
    for (const auto &strokes : by_line) {
        all.insert(all.end(), strokes.begin(), strokes.end());
    }
    return all;
}

// Metres of line.
double length(std::span<const Stroke> strokes, double cell) {
    std::int64_t sum = 0; // cells, 8 fraction bits
    for (const Stroke &stroke : strokes) {
        const Point d = stroke.b.at - stroke.a.at;
        sum += core::integer_sqrt(static_cast<std::uint64_t>(d.x * d.x + d.y * d.y));
    }
    return static_cast<double>(sum) / 256 * cell;
}

CrackResult make_cracks(const CrackParams &params, const Grids &grids, Extent2 extent, double cell,
                        std::uint64_t seed, const Options &options,
                        const GroundControls &controls) {
    core::Run run(options);
    const std::vector<Line> lines = layout(run, params, grids, seed, controls);

    run.stage("cells", 0.2);
    const Pen pen(params, grids.fine, kPieceCells, extent, cell, seed);
    const std::vector<Stroke> strokes = all_strokes(run, lines, pen);
    const std::uint32_t ragged = core::to_fixed(params.ragged, 16);
    const Strokes drawn = draw(run, strokes, ragged, extent);
    shape::Mask mask = cover(run, drawn, ragged, seed);
    const double piece = std::min(params.piece_size, params.plate_size) / cell;
    const auto least = static_cast<std::int64_t>(piece * piece / 60);
    Ground ground = divide(run, mask, drawn.core, least, seed);
    run.made(mask);

    run.stage("depth", 0.2);
    CrackResult result;
    result.depth = depth_of(run, params, cell, seed, drawn, mask, ground.plates);
    run.made(result.depth);
    result.depth_scale = depth_range(params) / 65535;
    result.plates = std::move(ground.plates);
    result.plate_count = ground.count;
    result.mask = Field2D<std::uint8_t>(extent, run.memory());
    std::int64_t cracked = 0;
    for (std::int64_t i = 0; i < mask.size(); ++i) {
        result.mask[i] = mask[i] != 0 ? 255 : 0;
        cracked += mask[i] != 0 ? 1 : 0;
    }
    run.finish();
    const double area = cell * cell;
    result.crack_share = static_cast<double>(cracked) / static_cast<double>(extent.cells());
    result.mean_plate_area = static_cast<double>(extent.cells() - cracked) * area /
                             static_cast<double>(std::max<std::int64_t>(1, result.plate_count));
    const double metres = length(strokes, cell);
    result.mean_crack_width = metres > 0 ? static_cast<double>(cracked) * area / metres : 0;
    return result;
}

} // namespace

std::vector<Extent2> crack_network_grids(const CrackParams &params, Extent2 extent, double cell) {
    check(params, extent, cell);
    const Grids grids = grids_of(params, extent, cell);
    if (params.pattern == CrackPattern::joints) {
        return {grids.fine};
    }
    return {grids.primary, grids.fine};
}

CrackResult generate_crack(const CrackParams &params, Extent2 extent, double cell,
                           std::uint64_t seed, const Options &options,
                           const GroundControls &controls) try {
    check(params, extent, cell);
    check_memory(params, extent, cell, options, controls);
    const Grids grids = grids_of(params, extent, cell);
    return sim::on_device(options, networks_of(params, grids), [&](const Options &chosen) {
        return make_cracks(params, grids, extent, cell, seed, chosen, controls);
    });
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}

} // namespace karst
