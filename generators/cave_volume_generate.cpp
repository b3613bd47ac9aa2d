// Caves in three dimensions: Physarum passages and chambers -> soup -> Life -> joined -> floors.
#include <algorithm>
#include <new>
#include <numeric>
#include <string>

#include <karst/error.hpp>

#include "core/extent.hpp"
#include "core/memory.hpp"
#include "generators/cave_volume.hpp"
#include "shape/row_runs.hpp"
#include "shape/surface.hpp"
#include "sim/device_choice.hpp"

namespace karst {

namespace cave_volume {

namespace {

constexpr std::int64_t kLargest = 4096; // cells a side

// Times 1/256. Under the cubic spline a chain of single cells has 0.37 along the fine cells nearest
// to it, a quarter of a cell off its middle; so much stays open.
constexpr std::uint64_t kLift = 360;

void check(const CaveVolumeParams &params, Extent3 extent, double cell) {
    table().validate(params);
    for (const std::int64_t side : {extent.width, extent.height, extent.depth}) {
        if (side < 1 || side > kLargest) {
            throw Error(ErrorCode::invalid_argument,
                        "size is " + std::to_string(extent.width) + "x" +
                            std::to_string(extent.height) + "x" + std::to_string(extent.depth) +
                            " cells; allowed is 1 to " + std::to_string(kLargest) + " a side");
        }
    }
    if (!(cell >= 0.01 && cell <= 100)) {
        throw Error(ErrorCode::invalid_argument,
                    "cell is " + std::to_string(cell) + " m; allowed is 0.01 to 100 m");
    }
}

// Throws before the start for what does not fit; sums in double, which does not wrap.
void require_room(const Grid &grid, const Network &network, const Options &options) {
    const auto cells = [](Extent3 extent) {
        return static_cast<double>(extent.width) * static_cast<double>(extent.height) *
               static_cast<double>(extent.depth);
    };
    constexpr double kMostCells = 4294967294; // of the plan and the network: 32-bit cell numbers
    if (cells(grid.extent) > kMostCells || cells(network.extent) > kMostCells) {
        throw Error(ErrorCode::unsupported,
                    "the plan or the network of this cave has more than 4294967294 cells; allowed "
                    "are a larger passage_width, a larger passage_spacing or a smaller size");
    }
    // Wall, toll, distances and ways; density, spline and labels.
    const double plan = cells(grid.extent);
    const double bytes =
        static_cast<double>(sim::memory_needed(network.simulation, network.extent)) +
        std::max(60 * plan, 12 * plan + 14 * cells(grid.output));
    core::require_memory(static_cast<std::uint64_t>(std::min(bytes, 1e18)), "a cave of this size",
                         options);
}

constexpr auto is_open = [](std::uint16_t density) { return density >= shape::kOpen; };

// The largest region (of equals the first) stays open, all others become rock. Returns how many
// cells those had.
std::int64_t leave_largest(core::Run &run, Field3D<std::uint16_t> &density) {
    shape::RowRuns runs = shape::united(run, density, shape::Adjacency::six, is_open);
    const std::vector<shape::Region> regions = runs.find_regions();
    if (regions.size() < 2) {
        return 0;
    }
    std::int64_t cells = 0;
    std::size_t largest = 0;
    for (std::size_t i = 0; i < regions.size(); ++i) {
        cells += regions[i].cells;
        if (regions[i].cells > regions[largest].cells) {
            largest = i;
        }
    }
    runs.for_runs(
        run, [&](std::int64_t line, std::int64_t begin, std::int64_t end, std::uint32_t region) {
            std::uint16_t *row = density.data() + line * density.width();
            for (std::int64_t x = begin; x < end && region != largest; ++x) {
                row[x] = static_cast<std::uint16_t>(65535 - row[x]);
            }
        });
    return cells - regions[largest].cells;
}

// The plan's cells brought up under the cubic spline, without steps.
Field3D<std::uint16_t> raise_smooth(core::Run &run, const Grid &grid, const VolumeMask &open) {
    Field3D<std::uint32_t> level(grid.extent, core::large_pages(run));
    run.for_ranges(level.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            level[i] = open[i] != 0 ? 65535 : 0;
        }
    });
    Field3D<std::uint16_t> density(grid.output, core::large_pages(run));
    shape::upsample_rows(
        run, level, grid.log2_factor, grid.output, shape::Interpolation::smooth,
        [&](std::int64_t y, std::int64_t z, std::span<const std::uint32_t> fine) {
            std::transform(
                fine.begin(), fine.end(), density.row(y, z).begin(), [](std::uint32_t value) {
                    return static_cast<std::uint16_t>(
                        std::min<std::uint64_t>((std::uint64_t{value} * kLift) >> 8, 65535));
                });
        });
    return density;
}

// The plan's cells as they are: open stays open, so that one region stays one.
Field3D<std::uint16_t> raise_exact(core::Run &run, const Grid &grid, const VolumeMask &open) {
    VolumeMask fine(grid.output, core::large_pages(run));
    run.for_rows(grid.output.height * grid.output.depth, [&](std::int64_t line) {
        const std::int64_t y = line % grid.output.height;
        const std::int64_t z = line / grid.output.height;
        for (std::int64_t x = 0; x < grid.output.width; ++x) {
            fine.at(x, y, z) =
                open.at(x >> grid.log2_factor, y >> grid.log2_factor, z >> grid.log2_factor);
        }
    });
    return shape::smooth_density(run, fine, std::min(1 << grid.log2_factor >> 1, 127), 2);
}

bool nothing_open(const Field3D<std::uint16_t> &density) {
    return std::none_of(density.cells().begin(), density.cells().end(), is_open);
}

// Makes the volume's faces rock, but for a disc around each mouth in its own face. A side of fewer
// than three cells has nothing between its faces and stays as it is. If that leaves nothing open,
// the middle cell is.
void close_faces(core::Run &run, const CaveVolumeParams &params, const Grid &grid, const Rock &rock,
                 Field3D<std::uint16_t> &density) {
    const auto [w, h, d] = grid.output;
    const auto [pw, ph, pd] = grid.extent;
    const std::int64_t radius =
        (grid.to_cells(std::max(params.passage_width, params.least_width)) / 2 >> 8) + 2;
    const auto is_bored = [&, pw = pw, ph = ph](std::int64_t x, std::int64_t y, std::int64_t z,
                                                bool east_or_west) {
        return std::any_of(rock.mouths.begin(), rock.mouths.end(), [&](std::int64_t mouth) {
            const std::int64_t dx = (x >> grid.log2_factor) - mouth % pw;
            const std::int64_t dy = (y >> grid.log2_factor) - mouth / pw % ph;
            const std::int64_t dz = (z >> grid.log2_factor) - mouth / (pw * ph);
            const std::int64_t across = east_or_west ? dx : dy;
            return across == 0 && dx * dx + dy * dy + dz * dz <= radius * radius;
        });
    };
    run.for_rows(h * d, [&, w = w, h = h, d = d](std::int64_t line) {
        const std::int64_t y = line % h;
        const std::int64_t z = line / h;
        const bool level = d >= 3 && (z == 0 || z == d - 1);
        const bool north_or_south = h >= 3 && (y == 0 || y == h - 1);
        const bool whole = level || north_or_south || w < 3;
        for (std::int64_t x = 0; x < w; x += whole ? 1 : w - 1) { // else the ends of the row
            const bool east_or_west = w >= 3 && (x == 0 || x == w - 1);
            auto &value = density.at(x, y, z);
            const bool closed = level || (north_or_south && !is_bored(x, y, z, false)) ||
                                (east_or_west && !is_bored(x, y, z, true));
            if (closed && value >= shape::kOpen) {
                value = static_cast<std::uint16_t>(65535 - value);
            }
        }
    });
    if (nothing_open(density)) {
        density.at(w / 2, h / 2, d / 2) = 65535;
    }
}

} // namespace

Field3D<std::uint16_t> make_density(core::Run &run, const CaveVolumeParams &params,
                                    const Grid &grid, const Rock &rock) {
    // Slivers that the spline cuts off at the walls become rock; no part of the cave does.
    const std::int64_t sliver = std::int64_t{16} << (3 * grid.log2_factor); // 16 cells of the plan
    Field3D<std::uint16_t> density = grid.log2_factor == 0
                                         ? shape::smooth_density(run, rock.open, 1, 2)
                                         : raise_smooth(run, grid, rock.open);
    if (leave_largest(run, density) > sliver || nothing_open(density)) {
        density = raise_exact(run, grid, rock.open);
    }
    close_faces(run, params, grid, rock, density);
    leave_largest(run, density);
    level_floors(run, params, grid.output_cell, density);
    leave_largest(run, density);
    return density;
}

double water_level(core::Run &run, const Field3D<std::uint16_t> &density, double cell) {
    const std::int64_t plane = density.width() * density.height();
    std::vector<std::int64_t> below(static_cast<std::size_t>(density.depth()) + 1, 0);
    run.for_ranges(density.depth(), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t z = begin; z < end; ++z) {
            const auto cells = density.cells().subspan(static_cast<std::size_t>(z * plane),
                                                       static_cast<std::size_t>(plane));
            below[static_cast<std::size_t>(z) + 1] =
                std::count_if(cells.begin(), cells.end(), is_open);
        }
    });
    std::partial_sum(below.begin(), below.end(), below.begin());
    const auto above = std::find_if(below.begin(), below.end(),
                                    [&](std::int64_t count) { return count * 20 > below.back(); });
    return static_cast<double>(above - below.begin() - 1) * cell;
}

Entrances place_entrances(const Grid &grid, const Rock &rock, const Spans &spans) {
    const auto [w, h, d] = grid.extent;
    const std::int64_t factor = std::int64_t{1} << grid.log2_factor;
    Entrances placed;
    for (const std::int64_t mouth : rock.mouths) {
        const std::int64_t x = mouth % w;
        const std::int64_t y = mouth / w % h;
        const std::int64_t z = mouth / (w * h);
        CaveEntrance entrance{};
        entrance.outwards = {x == 0 ? -1 : x == w - 1 ? 1 : 0, 0};
        if (entrance.outwards[0] == 0) {
            entrance.outwards[1] = y == 0 ? -1 : 1;
        }
        const auto column = [&](std::int64_t cell, std::int64_t last, std::int64_t side, int out) {
            const std::int64_t middle = std::min(cell * factor + factor / 2, side - 1);
            return out == 0 ? middle : cell == last ? side - 1 : std::int64_t{0};
        };
        const std::int64_t u = column(x, w - 1, grid.output.width, entrance.outwards[0]);
        const std::int64_t v = column(y, h - 1, grid.output.height, entrance.outwards[1]);
        const std::int64_t height = (z * factor + factor / 2) * kUnit;
        for (std::int64_t i = spans.begin(v * grid.output.width + u);
             i < spans.end(v * grid.output.width + u); ++i) {
            if (spans[i].bottom <= height + factor * kUnit && height <= spans[i].top) {
                const auto place = [&](std::int64_t cell, std::int64_t side, int out) {
                    return (out < 0   ? 0.0
                            : out > 0 ? static_cast<double>(side)
                                      : static_cast<double>(cell) + 0.5) *
                           grid.output_cell;
                };
                entrance.position = {place(u, grid.output.width, entrance.outwards[0]),
                                     place(v, grid.output.height, entrance.outwards[1]),
                                     spans[i].bottom * grid.output_cell / kUnit};
                if (std::find(placed.spans.begin(), placed.spans.end(), i) == placed.spans.end()) {
                    placed.entrances.push_back(entrance);
                    placed.spans.push_back(i);
                }
                break;
            }
        }
    }
    return placed;
}

namespace {

CaveVolume make_cave_volume(const CaveVolumeParams &params, const Network &network,
                            const Grid &grid, double cell, std::uint64_t seed,
                            const Options &options, const Mesh *shape,
                            const GroundControls &controls) {
    core::Run run(options);
    constexpr double kFine = 4; // cells
    if (params.passage_width < kFine * cell) {
        run.note("a passage is narrower than 4 cells: too coarse for floors and for the layout of "
                 "finer cells");
    }

    const Plan plan = make_plan(run, params, network, grid, seed, shape, controls);
    const Rock rock = make_rock(run, params, grid, plan, seed);
    CaveVolume cave;
    run.stage("floors", 0.15);
    cave.density = make_density(run, params, grid, rock);
    run.made(cave.density, StageCells::level);
    run.stage("measures", 0.15);
    const Spans spans = find_spans(run, cave.density);
    auto [entrances, mouths] = place_entrances(grid, rock, spans);
    if (static_cast<std::int64_t>(entrances.size()) < params.entrances) {
        run.note(std::to_string(entrances.size()) + " of " + std::to_string(params.entrances) +
                 " entrances made: the side faces have no other place far enough from those with a "
                 "floor");
    }
    cave.measures = topology_measures(run, cave.density);
    const Floors floors(run, spans);
    const Walk walked = walk(run, params, cell, spans, floors, entrances);
    cave.measures.insert(cave.measures.end(), walked.measures.begin(), walked.measures.end());
    const auto joined = std::count_if(entrances.begin(), entrances.end(),
                                      [](const CaveEntrance &its) { return its.walkable; });
    if (joined < static_cast<std::int64_t>(entrances.size())) {
        run.note("the largest part that one can walk through has " + std::to_string(joined) +
                 " of the " + std::to_string(entrances.size()) + " entrances");
    }
    cave.graph = make_graph(run, params, cell, floors, mouths, walked.standing);
    for (std::size_t i = 0; i < entrances.size(); ++i) {
        entrances[i].node = static_cast<int>(cave.graph.rooms.size() + i);
    }
    cave.entrances = std::move(entrances);
    cave.graph.water_level = water_level(run, cave.density, cell);
    for (const CaveSpawn &spawn : cave.graph.spawn_points) { // nobody spawns in the water
        cave.graph.water_level = std::min(cave.graph.water_level, spawn.position[2]);
    }
    for (const CaveEntrance &entrance : cave.entrances) { // nor does it run out
        cave.graph.water_level = std::min(cave.graph.water_level, entrance.position[2]);
    }
    double length = 0;
    for (const CavePassage &passage : cave.graph.passages) {
        length += passage.length;
    }
    cave.measures.emplace_back("passage_length", length);
    cave.measures.emplace_back("rooms", static_cast<double>(cave.graph.rooms.size()));
    cave.measures.emplace_back("dead_ends", cave.graph.dead_ends);
    run.finish();
    return cave;
}

} // namespace

} // namespace cave_volume

CaveVolume generate_cave_volume(const CaveVolumeParams &params, Extent3 extent, double cell,
                                std::uint64_t seed, const Options &options, const Mesh *shape,
                                const GroundControls &controls) try {
    using namespace cave_volume;
    check(params, extent, cell);
    sim::require_no_pin(controls, "generate_cave_volume");
    const Grid grid = make_grid(params, extent, cell);
    const Network network = make_network(params, grid);
    require_room(grid, network, options);
    const sim::Work work = sim::work_of(network.simulation, network.extent);
    return sim::on_device(options, work, [&](const Options &chosen) {
        return make_cave_volume(params, network, grid, cell, seed, chosen, shape, controls);
    });
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}

} // namespace karst
