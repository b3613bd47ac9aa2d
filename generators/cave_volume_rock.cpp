#include <algorithm>
#include <tuple>
#include <utility>

#include "core/rng.hpp"
#include "generators/cave_volume.hpp"
#include "generators/cave_volume_moves.hpp"
#include "sim/life.hpp"

namespace karst::cave_volume {

namespace {

using cave::find_ways;
using cave::Meeting;
using cave::Ways;

VolumeMask inverted(core::Run &run, const VolumeMask &mask) {
    VolumeMask result(mask.extent(), run.memory());
    run.for_ranges(mask.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            result[i] = mask[i] != 0 ? 0 : 1;
        }
    });
    return result;
}

// 1 in a ball of `radius` (8 fraction bits) around a cell of `core`.
VolumeMask dilated(core::Run &run, const VolumeMask &core, std::int64_t radius) {
    const auto cap = static_cast<std::uint32_t>((radius >> 8) + 2);
    const auto square = shape::distance_squared(run, core, cap);
    const auto limit = static_cast<std::uint32_t>((radius * radius) >> 16);
    VolumeMask result(core.extent(), run.memory());
    run.for_ranges(result.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            result[i] = square[i] <= limit ? 1 : 0;
        }
    });
    return result;
}

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
    VolumeMask open(extent, run.memory());
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

// The regions of at least `least` cells, or the largest (of equals the first).
VolumeMask without_pockets(core::Run &run, const VolumeMask &open, std::int64_t least) {
    std::int64_t largest = 0;
    for (const auto &region : shape::regions(run, open, shape::Adjacency::six).regions) {
        largest = std::max(largest, region.cells);
    }
    return shape::without_small(run, open, std::min(least, largest), shape::Adjacency::six);
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

// Marks tunnels between the regions of `open` along the cheapest ways through the rock.
VolumeMask find_tunnels(core::Run &run, const VolumeMask &open, const Plan &plan) {
    const Extent3 extent = open.extent();
    VolumeMask path(extent, run.memory());
    const shape::VolumeRegions regions = shape::regions(run, open, shape::Adjacency::six);
    if (regions.regions.size() < 2) {
        return path;
    }
    const Moves moves(plan.toll);
    const Ways ways = find_ways(
        run, extent.cells(), [&](std::int64_t cell) { return regions.label[cell]; }, moves);
    cave::for_joins(ways, find_meetings(run, ways, extent), regions.regions.size(), 0,
                    [&](const Meeting &meeting) {
                        mark_way(ways, moves, meeting.a, path);
                        mark_way(ways, moves, meeting.b, path);
                    });
    return path;
}

// A mouth in a side face and the way from it to the cave.
struct Candidate {
    std::uint32_t cost;
    std::uint64_t hash;
    std::int64_t inner; // the cell at the inset
    int dx, dy;         // outwards
};

std::vector<Candidate> find_candidates(const CaveVolumeParams &params, const Grid &grid,
                                       const Ways &ways, std::uint64_t seed) {
    const auto [w, h, d] = grid.extent;
    const std::int64_t x0 = grid.inset(params, w);
    const std::int64_t y0 = grid.inset(params, h);
    const std::int64_t z0 = grid.inset(params, d);
    std::vector<Candidate> candidates;
    const auto consider = [&, w = w, h = h](std::int64_t x, std::int64_t y, std::int64_t z, int dx,
                                            int dy) {
        const std::int64_t cell = (z * h + y) * w + x;
        const std::uint32_t cost = ways.cost[static_cast<std::size_t>(cell)];
        if (cost != cave::kUnreached) {
            const core::Draw4 draw = core::draw_at(
                seed, static_cast<std::int32_t>(x), static_cast<std::int32_t>(y),
                static_cast<std::int32_t>(z), core::use(core::stage_cave_volume, 0, 9));
            candidates.push_back({cost, draw.word[0], cell, dx, dy});
        }
    };
    for (std::int64_t z = z0; z < d - z0; ++z) {
        for (std::int64_t y = y0; y < h - y0; ++y) {
            consider(x0, y, z, -1, 0);
            consider(w - 1 - x0, y, z, 1, 0);
        }
        for (std::int64_t x = x0; x < w - x0; ++x) {
            consider(x, y0, z, 0, -1);
            consider(x, h - 1 - y0, z, 0, 1);
        }
    }
    std::sort(candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) {
        return std::tie(a.cost, a.hash, a.inner, a.dx, a.dy) <
               std::tie(b.cost, b.hash, b.inner, b.dx, b.dy);
    });
    return candidates;
}

// The cheapest mouths that lie apart: as far as can be had, but never closer than `least`.
std::vector<Candidate> choose_mouths(const Grid &grid, const std::vector<Candidate> &candidates,
                                     std::int64_t count, std::int64_t least) {
    const auto [w, h, d] = grid.extent;
    const auto far = [&, w = w, h = h](std::int64_t a, std::int64_t b) {
        return std::max({std::abs(a % w - b % w), std::abs(a / w % h - b / w % h),
                         std::abs(a / (w * h) - b / (w * h))});
    };
    std::vector<Candidate> chosen;
    for (std::int64_t apart = std::max(std::max(w, h), least);; apart = apart * 3 / 4) {
        apart = std::max(apart, least);
        chosen.clear();
        for (const Candidate &candidate : candidates) {
            if (static_cast<std::int64_t>(chosen.size()) == count) {
                return chosen;
            }
            if (std::all_of(chosen.begin(), chosen.end(), [&](const Candidate &other) {
                    return far(candidate.inner, other.inner) >= apart;
                })) {
                chosen.push_back(candidate);
            }
        }
        if (static_cast<std::int64_t>(chosen.size()) == count || apart == least) {
            return chosen;
        }
    }
}

// Opens the mouths and the ways to them.
void open_mouths(core::Run &run, const CaveVolumeParams &params, const Grid &grid, const Plan &plan,
                 std::int64_t tunnel, std::uint64_t seed, Rock &rock) {
    if (params.entrances == 0) {
        return;
    }
    const Extent3 extent = grid.extent;
    // To the middles of passages, where their floors are level; to any open cell if there are none.
    const auto is_middle = [&](std::int64_t cell) {
        return plan.path[cell] != 0 && rock.open[cell] != 0;
    };
    bool any_middle = false;
    for (std::int64_t cell = 0; cell < extent.cells() && !any_middle; ++cell) {
        any_middle = is_middle(cell);
    }
    const Moves moves(plan.toll);
    const Ways ways = find_ways(
        run, extent.cells(),
        [&](std::int64_t cell) {
            return std::uint32_t{any_middle ? is_middle(cell) : rock.open[cell] != 0};
        },
        moves);
    VolumeMask way(extent, run.memory());
    VolumeMask drill(extent, run.memory());
    const auto mouths =
        choose_mouths(grid, find_candidates(params, grid, ways, seed), params.entrances,
                      std::max<std::int64_t>(2, (3 * tunnel) >> 8));
    for (const Candidate &mouth : mouths) {
        mark_way(ways, moves, mouth.inner, way);
        std::int64_t cell = mouth.inner;
        const std::int64_t side = mouth.dx != 0 ? extent.width : extent.height;
        for (std::int64_t i = grid.inset(params, side); i > 0; --i) {
            cell += mouth.dx + mouth.dy * extent.width;
            drill[cell] = 1;
        }
        rock.mouths.push_back(cell);
    }
    const VolumeMask wide = dilated(run, way, tunnel);
    const VolumeMask bore = dilated(run, drill, tunnel);
    run.for_ranges(wide.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            if (bore[i] != 0 || way[i] != 0 || (wide[i] != 0 && plan.wall[i] < kCertain)) {
                rock.open[i] = 1;
            }
        }
    });
}

} // namespace

Rock make_rock(core::Run &run, const CaveVolumeParams &params, const Grid &grid, const Plan &plan,
               std::uint64_t seed) {
    run.stage("life", 0.1, run.options().device);
    const VolumeMask soup = make_open(run, plan, seed);
    run.digest(soup);
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
    const VolumeMask tunnels = dilated(run, find_tunnels(run, rock.open, plan), tunnel);
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
    run.digest(rock.open);
    return rock;
}

} // namespace karst::cave_volume
