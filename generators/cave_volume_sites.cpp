// The chambers and junctions of a cave.
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/fixed.hpp"
#include "core/rng.hpp"
#include "generators/cave_volume.hpp"

namespace karst::cave_volume {

namespace {

// Cells [first, last) of a block along one axis.
std::pair<std::int64_t, std::int64_t> block(std::int64_t i, std::int64_t blocks,
                                            std::int64_t cells) {
    return {i * cells / blocks, (i + 1) * cells / blocks};
}

// The strongest cell of a block, of equals the first; strength 0 if there is none.
struct Strongest {
    std::uint32_t strength = 0;
    std::array<std::int64_t, 3> at{};
};
Strongest strongest(const Field3D<std::uint32_t> &trail, Extent3 blocks, std::int64_t i,
                    std::int64_t j, std::int64_t k) {
    const auto [x0, x1] = block(i, blocks.width, trail.width());
    const auto [y0, y1] = block(j, blocks.height, trail.height());
    const auto [z0, z1] = block(k, blocks.depth, trail.depth());
    Strongest found;
    for (std::int64_t z = z0; z < z1; ++z) {
        for (std::int64_t y = y0; y < y1; ++y) {
            for (std::int64_t x = x0; x < x1; ++x) {
                if (trail.at(x, y, z) > found.strength) {
                    found = {trail.at(x, y, z), {x, y, z}};
                }
            }
        }
    }
    return found;
}

// Of each block, along x, then y, then z.
std::vector<Strongest> find_strongest(core::Run &run, const Field3D<std::uint32_t> &trail,
                                      Extent3 blocks) {
    std::vector<Strongest> all(static_cast<std::size_t>(blocks.cells()));
    run.for_ranges(blocks.cells(), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            all[static_cast<std::size_t>(i)] =
                strongest(trail, blocks, i % blocks.width, i / blocks.width % blocks.height,
                          i / blocks.width / blocks.height);
        }
    });
    return all;
}

// A quarter of the blocks have no site.
std::uint32_t least_strength(const std::vector<Strongest> &all) {
    std::vector<std::uint32_t> strengths;
    for (const Strongest &block : all) {
        strengths.push_back(block.strength);
    }
    std::sort(strengths.begin(), strengths.end());
    return strengths[strengths.size() / 4];
}

// A place that may become a site.
struct SiteCandidate {
    std::uint32_t strength;
    std::int64_t cell;
    bool is_room;
    Room room;
};

constexpr double kLevels = 3; // widths of a passage from a level to the next, at least

} // namespace

Sites find_sites(core::Run &run, const CaveVolumeParams &params, const Grid &grid,
                 const Network &network, const Field3D<std::uint32_t> &trail, std::uint64_t seed) {
    const double level = std::max(params.passage_spacing / params.flatness,
                                  kLevels * params.passage_width); // m from one to the next
    const Extent3 blocks = grid.divided(params.passage_spacing, level);
    const std::vector<Strongest> all = find_strongest(run, trail, blocks);
    const std::uint32_t least = least_strength(all);
    auto next = all.begin();
    std::vector<SiteCandidate> candidates;
    const auto place = [&](double metres, std::int64_t cells) {
        const std::int64_t low = grid.inset(params, cells);
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(metres / grid.cell), low,
                                        cells - 1 - low);
    };
    for (std::int64_t k = 0; k < blocks.depth; ++k) {
        for (std::int64_t j = 0; j < blocks.height; ++j) {
            for (std::int64_t i = 0; i < blocks.width; ++i) {
                const Strongest &found = *next++;
                if (found.strength == 0 || found.strength < least) {
                    continue;
                }
                const auto middle = [&](std::size_t axis, double cell) {
                    return (static_cast<double>(found.at[axis]) + 0.5) * cell;
                };
                const double x = middle(0, network.cell);
                const double y = middle(1, network.cell);
                const double z = middle(2, network.cell_z);
                const std::int64_t column = place(x, grid.extent.width);
                const std::int64_t row = place(y, grid.extent.height);
                const std::int64_t plane = place(z, grid.extent.depth);
                const core::Draw4 draw = core::draw_at(
                    seed, static_cast<std::int32_t>(i), static_cast<std::int32_t>(j),
                    static_cast<std::int32_t>(k), core::use(core::stage_cave_volume, 0, 8));
                const double scale = 0.7 + 0.6 * (draw.word[1] >> 16) / 65536.0;
                const double radius = params.room_size / 2 * scale;
                candidates.push_back(
                    {found.strength,
                     (plane * grid.extent.height + row) * grid.extent.width + column,
                     draw.word[0] < core::to_threshold(params.room_share),
                     {x, y, z, radius, std::max(radius * params.room_height, grid.cell)}});
            }
        }
    }
    // The strongest first; none near one that is there.
    std::sort(candidates.begin(), candidates.end(),
              [](const SiteCandidate &a, const SiteCandidate &b) {
                  return std::tuple(b.strength, a.cell) < std::tuple(a.strength, b.cell);
              });
    Sites sites;
    std::vector<SiteCandidate> kept;
    for (const SiteCandidate &candidate : candidates) {
        const bool near = std::any_of(kept.begin(), kept.end(), [&](const SiteCandidate &other) {
            const double dx = candidate.room.x - other.room.x;
            const double dy = candidate.room.y - other.room.y;
            return std::abs(candidate.room.z - other.room.z) < level &&
                   dx * dx + dy * dy < params.passage_spacing * params.passage_spacing / 4;
        });
        if (near) {
            continue;
        }
        sites.cells.push_back(candidate.cell);
        if (candidate.is_room || kept.empty()) { // the strongest always: no cave is a mere burrow
            sites.rooms.push_back(candidate.room);
        }
        kept.push_back(candidate);
    }
    std::sort(sites.cells.begin(), sites.cells.end());
    sites.cells.erase(std::unique(sites.cells.begin(), sites.cells.end()), sites.cells.end());
    return sites;
}

void open_room(core::Run &run, const Grid &grid, const Room &room, Field3D<std::uint32_t> &wall) {
    constexpr double kReach = 1.2; // of the radius
    const auto range = [&](double middle, double radius, std::int64_t cells) {
        const auto low = static_cast<std::int64_t>((middle - kReach * radius) / grid.cell);
        const auto high = static_cast<std::int64_t>((middle + kReach * radius) / grid.cell) + 1;
        return std::pair(std::clamp<std::int64_t>(low, 0, cells),
                         std::clamp<std::int64_t>(high, 0, cells));
    };
    const auto [x0, x1] = range(room.x, room.radius, grid.extent.width);
    const auto [y0, y1] = range(room.y, room.radius, grid.extent.height);
    const auto [z0, z1] = range(room.z, room.radius_z, grid.extent.depth);
    const auto offset = [&](std::int64_t i, double middle, double radius) {
        return ((static_cast<double>(i) + 0.5) * grid.cell - middle) / radius;
    };
    run.for_ranges(
        z1 - z0, 1,
        [&, x0 = x0, x1 = x1, y0 = y0, y1 = y1, z0 = z0](std::int64_t begin, std::int64_t end) {
            for (std::int64_t z = z0 + begin; z < z0 + end; ++z) {
                const double dz = offset(z, room.z, room.radius_z);
                for (std::int64_t y = y0; y < y1; ++y) {
                    const double dy = offset(y, room.y, room.radius);
                    for (std::int64_t x = x0; x < x1; ++x) {
                        const double dx = offset(x, room.x, room.radius);
                        const double square = dx * dx + dy * dy + dz * dz; // 1 at the wall
                        const double probability = square < 0.6 ? 0.3 : 0.3 + (square - 0.6) * 0.35;
                        const auto value = static_cast<std::uint32_t>(probability * kCertain);
                        wall.at(x, y, z) = std::min(wall.at(x, y, z), value);
                    }
                }
            }
        });
}

} // namespace karst::cave_volume
