#include "generators/cave_plan.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/fixed.hpp"
#include "core/rng.hpp"
#include "generators/cave_crests.hpp"
#include "generators/cave_resample.hpp"
#include "generators/cave_soup.hpp"
#include "shape/shape.hpp"

namespace karst::cave {

namespace {

using Field = Field2D<std::uint32_t>;

constexpr std::int64_t kHalf = kCertain / 2;
constexpr std::int64_t kOpen = kCertain * 28 / 100; // nothing of the soup's rock survives
constexpr std::int64_t kRock = kCertain * 74 / 100; // nothing of its floor does

// Slow noise, 0 to 65535, from a lattice of `step` metres.
Field slow_noise(core::Run &run, const Grid &grid, double step, std::uint64_t seed,
                 std::uint32_t slot) {
    step = std::max(step, grid.cell);
    Field lattice(grid.divided(step, step), run.memory());
    const std::uint32_t use = core::use(core::stage_cave, slot);
    run.for_rows(lattice.height(), [&](std::int64_t y) {
        for (std::int64_t x = 0; x < lattice.width(); ++x) {
            lattice.at(x, y) = core::draw_at(seed, static_cast<std::int32_t>(x),
                                             static_cast<std::int32_t>(y), 0, use)
                                   .word[0] >>
                               16;
        }
    });
    return resample(run, lattice, grid.extent, grid.edges);
}

// Distance to the map's border in cells; 0 is the last cell.
std::int64_t to_border(const Grid &grid, std::int64_t x, std::int64_t y) {
    return std::min({x, y, grid.extent.width - 1 - x, grid.extent.height - 1 - y});
}

// Metres; six make a room.
double room_cell(const CaveParams &params, const Grid &grid) {
    return std::max(params.room_size / 6, grid.cell);
}

// Rooms: the cave rule on a soup so coarse that its grains are rooms, open where many veins meet
// or, as far as they scatter, anywhere. On the soup's grid: kCertain inside a room, 0 outside,
// smooth between.
Field make_rooms(core::Run &run, const CaveParams &params, const Grid &grid, const Veins &veins,
                 std::uint64_t seed) {
    const double cell = room_cell(params, grid);
    const Extent2 extent = grid.divided(cell, cell);
    const int radius = static_cast<int>(
        std::clamp<std::int64_t>((grid.to_cells(params.room_size / 2) + 128) >> 8, 1, 1024));
    const auto crowd_of = [&](const Field &field) {
        return shape::box_blur(run, field, radius, 2, grid.edges);
    };
    const Field crowd = crowd_of(veins.field);
    const Field earlier = veins.earlier.empty() ? Field{} : crowd_of(veins.earlier);
    const Field &measured = earlier.empty() ? crowd : earlier;
    const std::int64_t level =
        shape::quantile(run, measured, core::to_threshold(1 - params.room_share));
    const std::int64_t top = shape::quantile(run, measured, core::to_threshold(0.99));
    const std::int64_t span = std::max<std::int64_t>(1, top - level);
    const std::int64_t border = grid.to_cells(params.border + params.room_size / 4);
    const auto scatter = static_cast<std::int64_t>(core::to_fixed(params.room_scatter, 8));
    // The cave rule leaves about half of an even soup open at 0.5 and a tenth at 0.59.
    const auto even =
        kHalf + static_cast<std::int64_t>((0.5 - params.room_share) * 0.22 * kCertain);

    Field wall(extent, run.memory());
    run.for_rows(extent.height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            const std::int64_t u = (2 * x + 1) * grid.extent.width / (2 * extent.width);
            const std::int64_t v = (2 * y + 1) * grid.extent.height / (2 * extent.height);
            const std::int64_t crowded = kHalf - (crowd.at(u, v) - level) * kHalf / span;
            const std::int64_t chance =
                (std::clamp(crowded, kOpen, kRock) * (256 - scatter) + even * scatter) >> 8;
            const bool solid =
                grid.edges == Boundary::bounded && 256 * to_border(grid, u, v) < border;
            wall.at(x, y) =
                solid || params.room_share == 0 ? kCertain : static_cast<std::uint32_t>(chance);
        }
    });
    const LifeBoard rock = cave_rule(run, make_soup(run, wall, seed, 0), 4, grid.edges);
    run.for_rows(extent.height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            wall.at(x, y) = rock.alive(x, y) ? 0 : kCertain;
        }
    });
    return resample(run, wall, grid.extent, grid.edges);
}

// How strong a cell's vein is beside the network's strongest, 0 to 65536.
class Strength {
public:
    Strength(core::Run &run, const Veins &veins)
        : veins_(veins.field),
          top_(std::max(1u, shape::quantile(run, veins.measured(), core::to_threshold(0.98)))) {}
    std::int64_t at(std::int64_t x, std::int64_t y) const {
        return std::min<std::int64_t>(65536, (std::int64_t{veins_.at(x, y)} << 16) / top_);
    }

private:
    const Field &veins_;
    std::int64_t top_;
};

// Half of the noise's range and the vein's strength set the width, 0.7 to 1.7 times the typical.
Field make_widths(core::Run &run, const CaveParams &params, const Grid &grid,
                  const Strength &strength, std::uint64_t seed) {
    Field width = slow_noise(run, grid, 3 * params.passage_width, seed, 0);
    run.for_rows(grid.extent.height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < grid.extent.width; ++x) {
            auto &value = width.at(x, y);
            const std::int64_t noise = std::int64_t{value} - 32768;
            const std::int64_t factor = 52000 + noise + strength.at(x, y) * 2 / 5;
            value = static_cast<std::uint32_t>(std::clamp<std::int64_t>(factor, 45875, 111411));
        }
    });
    return width;
}

// Tunnels follow weak veins, and where there is none the level lines of a noise, so that they wind.
Field make_tolls(core::Run &run, const CaveParams &params, const Grid &grid,
                 const Strength &strength, std::uint64_t seed) {
    Field toll = slow_noise(run, grid, 2 * params.passage_width, seed, 1);
    run.for_rows(grid.extent.height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < grid.extent.width; ++x) {
            auto &value = toll.at(x, y);
            const std::int64_t off = std::abs(std::int64_t{value} - 32768);
            const std::int64_t weak = 65536 - std::min<std::int64_t>(65536, 2 * strength.at(x, y));
            value = static_cast<std::uint32_t>(
                std::min<std::int64_t>(255, 4 + (weak * 24 >> 16) + off * 200 / 32768));
        }
    });
    return toll;
}

} // namespace

std::int64_t least_radius(const CaveParams &params, const Grid &grid) {
    // A disc of radius r covers 2 r + 1 cells. The soft walls of a finer map would close a way of
    // one cell.
    const std::int64_t radius = (grid.to_cells(params.least_width) - 256) / 2;
    return std::max<std::int64_t>(grid.log2_factor > 0 ? 256 : 0, radius);
}

Plan make_plan(core::Run &run, const CaveParams &params, const NetworkGrid &network,
               const Grid &grid, std::uint64_t seed, const GroundControls &controls) {
    run.stage("network", kPlanShare * 0.75, run.options().device);
    const Veins veins = make_veins(run, network, grid, seed, controls);

    run.stage("plan", kPlanShare * 0.25);
    const Strength strength(run, veins);
    Plan plan;
    plan.width = make_widths(run, params, grid, strength, seed);
    plan.toll = make_tolls(run, params, grid, strength, seed);
    const std::int64_t half_width = grid.to_cells(params.passage_width / 2);
    const std::int64_t room_depth = grid.to_cells(room_cell(params, grid));
    const std::int64_t rough = std::max<std::int64_t>(1, grid.to_cells(params.roughness));
    const std::int64_t border = grid.to_cells(params.border);
    const std::int64_t way = 64 + least_radius(params, grid); // a disc more than fits
    const auto cap = static_cast<std::uint32_t>(
        std::clamp<std::int64_t>((4 * half_width + 4 * rough) >> 8, 4, 4096));
    const Field to_crest =
        shape::distance(run, crests(run, params, network, grid, veins), cap, grid.edges);
    const Field room = make_rooms(run, params, grid, veins, seed);
    const auto room_open =
        kOpen + static_cast<std::int64_t>(params.pillars * static_cast<double>(kCertain) * 0.19);

    shape::Mask walls;
    if (!controls.walls.empty()) {
        walls = core::resample_mask(run, controls.walls, grid.placement(grid.extent));
    }
    plan.wall = Field(grid.extent, run.memory());
    run.for_rows(grid.extent.height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < grid.extent.width; ++x) {
            if (!walls.empty() && walls.at(x, y) != 0) {
                plan.wall.at(x, y) = kCertain;
                continue;
            }
            std::int64_t solid = INT32_MIN; // depth in the border's rock, negative inside the map
            if (grid.edges == Boundary::bounded) {
                const std::int64_t edge = to_border(grid, x, y);
                solid = border - 256 * edge;
                if (edge == 0 || solid > 0) {
                    plan.wall.at(x, y) = kCertain;
                    continue;
                }
            }
            if (to_crest.at(x, y) <= way) {
                plan.wall.at(x, y) = 0;
                continue;
            }
            // Depths in the rock, in soup cells with 8 fraction bits, to probabilities.
            const auto chance = [&](std::int64_t depth, std::int64_t least) {
                return std::clamp(kHalf + std::max(depth, solid) * (kHalf / 2) / rough, least,
                                  kRock);
            };
            const std::int64_t passage =
                to_crest.at(x, y) - ((half_width * plan.width.at(x, y)) >> 16);
            const std::int64_t hall = ((kHalf - room.at(x, y)) * room_depth) >> 16;
            plan.wall.at(x, y) = static_cast<std::uint32_t>(
                std::min(chance(passage, kOpen), chance(hall, room_open)));
        }
    });
    return plan;
}

} // namespace karst::cave
