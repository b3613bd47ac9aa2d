#include <algorithm>
#include <tuple>

#include "core/memory.hpp"
#include "core/rng.hpp"
#include "generators/cave_volume.hpp"
#include "generators/cave_volume_joins.hpp"
#include "shape/row_runs.hpp"
#include "sim/life.hpp"

namespace karst::cave_volume {

namespace {

VolumeMask inverted(core::Run &run, const VolumeMask &mask) {
    VolumeMask result(mask.extent(), core::large_pages(run));
    run.for_ranges(mask.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            result[i] = mask[i] != 0 ? 0 : 1;
        }
    });
    return result;
}

} // namespace

VolumeMask dilated(core::Run &run, const VolumeMask &core, std::int64_t radius) {
    const auto cap = static_cast<std::uint32_t>((radius >> 8) + 2);
    const auto square = shape::distance_squared(run, core, cap);
    const auto limit = static_cast<std::uint32_t>((radius * radius) >> 16);
    VolumeMask result(core.extent(), core::large_pages(run));
    run.for_ranges(result.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            result[i] = square[i] <= limit ? 1 : 0;
        }
    });
    return result;
}

namespace {

// The cells whose ball of `radius` is open.
VolumeMask eroded(core::Run &run, const VolumeMask &open, std::int64_t radius) {
    return inverted(run, dilated(run, inverted(run, open), radius));
}

// The open cells of the soup after five generations of the majority of 27.
VolumeMask make_open(core::Run &run, const Plan &plan, std::uint64_t seed) {
    constexpr int kGenerations = 5;
    const LifeRule3 majority = parse_life_rule_3d("B14-26/S13-26");
    const Extent3 extent = plan.wall.extent();
    LifeVolume rock(extent, run.memory());
    const std::uint32_t use = core::use(core::stage_life_soup + 2);
    run.for_rows(extent.height * extent.depth, [&](std::int64_t line) {
        const std::int64_t y = line % extent.height;
        const std::int64_t z = line / extent.height;
        for (std::int64_t x = 0; x < extent.width; ++x) {
            const core::Draw4 draw =
                core::draw_at(seed, static_cast<std::int32_t>(x), static_cast<std::int32_t>(y),
                              static_cast<std::int32_t>(z), use);
            rock.set(x, y, z, (draw.word[0] >> 16) < plan.wall.at(x, y, z));
        }
    });
    rock = sim::advance(run, std::move(rock), majority, LifeBoundary::alive, kGenerations);
    VolumeMask open(extent, core::large_pages(run));
    run.for_rows(extent.height * extent.depth, [&](std::int64_t line) {
        const std::int64_t y = line % extent.height;
        const std::int64_t z = line / extent.height;
        for (std::int64_t x = 0; x < extent.width; ++x) {
            const std::uint32_t wall = plan.wall.at(x, y, z);
            open.at(x, y, z) = wall == 0 || (wall < kCertain && !rock.alive(x, y, z)) ? 1 : 0;
        }
    });
    return open;
}

// The regions of at least `least` cells, or the largest.
VolumeMask without_pockets(core::Run &run, const VolumeMask &open, std::int64_t least) {
    shape::RowRuns runs = shape::united(run, open, shape::Adjacency::six,
                                        [](std::uint8_t cell) { return cell != 0; });
    const std::vector<shape::Region> regions = runs.find_regions();
    std::int64_t largest = 0;
    for (const shape::Region &region : regions) {
        largest = std::max(largest, region.cells);
    }
    VolumeMask result(open.extent(), core::large_pages(run));
    runs.mark_large(run, regions, std::min(least, largest), result.cells());
    return result;
}

// The least-walled cell; of equals that nearest to the middle, then by index.
std::int64_t least_walled(const Plan &plan) {
    const auto [w, h, d] = plan.wall.extent();
    const auto key = [&, w = w, h = h, d = d](std::int64_t i) {
        const std::int64_t x = 2 * (i % w) + 1 - w;
        const std::int64_t y = 2 * (i / w % h) + 1 - h;
        const std::int64_t z = 2 * (i / (w * h)) + 1 - d;
        return std::tuple(plan.wall[i], x * x + y * y + z * z, i);
    };
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < plan.wall.size(); ++i) {
        if (key(i) < key(best)) {
            best = i;
        }
    }
    return best;
}

} // namespace

Rock make_rock(core::Run &run, const CaveVolumeParams &params, const Grid &grid, const Plan &plan,
               std::uint64_t seed) {
    run.stage("life", 0.1, run.options().device);
    const VolumeMask soup = make_open(run, plan, seed);
    run.made(soup);
    run.stage("joins", 0.2);
    const std::int64_t least = grid.to_cells(params.least_width) / 2;
    const std::int64_t tunnel = std::max(least, grid.to_cells(params.passage_width) * 2 / 5);
    const double cell_volume = grid.cell * grid.cell * grid.cell;
    const auto pocket = static_cast<std::int64_t>(params.least_volume / cell_volume) + 1;

    Rock rock;
    rock.open = without_pockets(run, dilated(run, eroded(run, soup, least), least), pocket);
    if (std::all_of(rock.open.cells().begin(), rock.open.cells().end(),
                    [](std::uint8_t cell) { return cell == 0; })) {
        const std::int64_t cell = least_walled(plan);
        rock.open[cell] = 1;
        rock.open = dilated(run, rock.open, least);
        for (std::int64_t i = 0; i < rock.open.size(); ++i) {
            rock.open[i] = i == cell || (rock.open[i] != 0 && plan.wall[i] < kCertain) ? 1 : 0;
        }
    }
    const VolumeMask tunnels = dilated(run, find_tunnels(run, rock.open, plan.toll), tunnel);
    run.for_ranges(tunnels.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            if (tunnels[i] != 0 && plan.wall[i] < kCertain) {
                rock.open[i] = 1;
            }
        }
    });
    // Rock that nothing may open can keep parts apart; the largest is the cave.
    rock.open = without_pockets(run, rock.open, rock.open.size());
    open_mouths(run, params, grid, plan, tunnel, seed, rock);
    run.made(rock.open);
    return rock;
}

} // namespace karst::cave_volume
