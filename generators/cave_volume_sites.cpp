// Chambers and junctions of a cave, and the passages between them.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/fixed.hpp"
#include "core/rng.hpp"
#include "generators/cave_volume.hpp"
#include "generators/cave_ways.hpp"
#include "shape/grid.hpp"

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

// A quarter of the blocks have no site.
std::uint32_t least_strength(const Field3D<std::uint32_t> &trail, Extent3 blocks) {
    std::vector<std::uint32_t> strengths;
    for (std::int64_t k = 0; k < blocks.depth; ++k) {
        for (std::int64_t j = 0; j < blocks.height; ++j) {
            for (std::int64_t i = 0; i < blocks.width; ++i) {
                strengths.push_back(strongest(trail, blocks, i, j, k).strength);
            }
        }
    }
    std::sort(strengths.begin(), strengths.end());
    return strengths[strengths.size() / 4];
}

// A place that may become a site.
struct Candidate {
    std::uint32_t strength;
    std::int64_t cell;
    bool is_room;
    Room room;
};

constexpr double kLevels = 3; // widths of a passage from a level to the next, at least

using Triple = std::array<std::int64_t, 3>;

Triple place_of(std::int64_t cell, Extent3 extent) {
    const std::int64_t row = cell / extent.width;
    return {cell % extent.width, row % extent.height, row / extent.height};
}

constexpr std::int64_t kPlainToll = 64; // so that a way in a vein is at most 5 times as cheap

// A passage that could join two sites.
struct Link {
    std::int64_t cost;
    std::size_t a, b; // sites, a < b
    bool gentle;      // one can walk it
    friend bool operator<(const Link &l, const Link &r) {
        return std::tie(l.cost, l.a, l.b) < std::tie(r.cost, r.a, r.b);
    }
};

std::int64_t horizontal(const Triple &a, const Triple &b) {
    const std::int64_t x = a[0] - b[0];
    const std::int64_t y = a[1] - b[1];
    return core::integer_sqrt(static_cast<std::uint64_t>(x * x + y * y));
}

// The tolls along the straight line, and as much again for its length, dearer by slope: from 3 in
// 10 on, twenty times at 1 in 1.
Link link_of(std::size_t i, std::size_t j, const std::vector<Triple> &places,
             const Field3D<std::uint32_t> &toll) {
    const Triple &a = places[i];
    const Triple &b = places[j];
    const std::int64_t rise = std::abs(a[2] - b[2]);
    const std::int64_t run = std::max<std::int64_t>(1, horizontal(a, b));
    const std::int64_t steps = std::max(run, rise);
    std::int64_t sum = 0;
    for (std::int64_t k = 0; k <= steps; ++k) {
        const auto at = [&](std::size_t axis) { return a[axis] + (b[axis] - a[axis]) * k / steps; };
        sum += kPlainToll + toll.at(at(0), at(1), at(2));
    }
    const std::int64_t slope = rise * 10 / run; // tenths
    return {sum * (3 + std::max<std::int64_t>(0, slope - 3) * 8), i, j, slope <= 4};
}

// Between sites nearer than two and a half spacings (8 fraction bits); if that leaves a site
// without any, between all.
std::vector<Link> find_links(const std::vector<Triple> &places, const Field3D<std::uint32_t> &toll,
                             std::int64_t spacing) {
    std::vector<Link> links;
    const std::int64_t reach = (5 * spacing) >> 9;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const std::size_t before = links.size();
        for (const bool far : {false, true}) {
            for (std::size_t j = far ? 0 : i + 1; j < places.size(); ++j) {
                if (i != j && (far || horizontal(places[i], places[j]) <= reach)) {
                    links.push_back(link_of(std::min(i, j), std::max(i, j), places, toll));
                }
            }
            if (links.size() > before) {
                break;
            }
        }
    }
    std::sort(links.begin(), links.end());
    return links;
}

// The cheapest tree (Kruskal), and the cheapest gentle links that close a loop: `loops` times as
// many as the tree has.
std::vector<Link> choose_links(const std::vector<Link> &links, std::size_t sites, double loops) {
    std::vector<std::size_t> parent(sites);
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto root = [&](std::size_t i) {
        while (parent[i] != i) {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        return i;
    };
    std::vector<Link> chosen;
    std::vector<Link> others;
    for (const Link &link : links) {
        const std::size_t a = root(link.a);
        const std::size_t b = root(link.b);
        if (a != b) {
            parent[std::max(a, b)] = std::min(a, b);
            chosen.push_back(link);
        } else if (link.gentle) {
            others.push_back(link);
        }
    }
    const auto more = static_cast<std::size_t>(loops * static_cast<double>(chosen.size()) + 0.5);
    others.resize(std::min(others.size(), more));
    chosen.insert(chosen.end(), others.begin(), others.end());
    return chosen;
}

// The sheet that rises evenly from a to b, over a box of the map around them.
class Ramp {
public:
    Ramp(const Triple &a, const Triple &b, Extent3 extent) : a_(a), b_(b) {
        const std::int64_t margin = horizontal(a, b) / 3 + 2;
        const std::int64_t sides[2] = {extent.width, extent.height};
        for (std::size_t k = 0; k < 2; ++k) {
            low_[k] = std::max<std::int64_t>(0, std::min(a[k], b[k]) - margin);
            size_[k] = std::min(sides[k], std::max(a[k], b[k]) + margin + 1) - low_[k];
        }
    }
    Extent2 extent() const { return {size_[0], size_[1]}; }
    std::int64_t cell(const Triple &at) const {
        return (at[1] - low_[1]) * size_[0] + at[0] - low_[0];
    }
    Triple place(std::int64_t cell) const {
        const std::int64_t x = low_[0] + cell % size_[0];
        const std::int64_t y = low_[1] + cell / size_[0];
        const std::int64_t dx = b_[0] - a_[0];
        const std::int64_t dy = b_[1] - a_[1];
        const std::int64_t square = std::max<std::int64_t>(1, dx * dx + dy * dy);
        const std::int64_t along =
            std::clamp<std::int64_t>((x - a_[0]) * dx + (y - a_[1]) * dy, 0, dx * dx + dy * dy);
        const std::int64_t rise = b_[2] - a_[2];
        // Rounded to the nearest, the same from both ends.
        const std::int64_t up = rise < 0 ? -((-rise * along * 2 + square) / (2 * square))
                                         : (rise * along * 2 + square) / (2 * square);
        return {x, y, a_[2] + up};
    }

private:
    Triple a_, b_;
    std::array<std::int64_t, 2> low_{};
    std::array<std::int64_t, 2> size_{};
};

// Marks the cheapest way on the ramp between two sites, 6-connected.
void mark_passage(const Triple &a, const Triple &b, const Field3D<std::uint32_t> &toll,
                  VolumeMask &path) {
    const Ramp ramp(a, b, toll.extent());
    const std::int64_t goal = ramp.cell(b);
    const auto price = [&](std::int64_t cell) {
        const Triple at = ramp.place(cell);
        return toll.at(at[0], at[1], at[2]);
    };
    const cave::Ways ways = cave::find_ways(
        ramp.extent().cells(), [&](std::int64_t cell) { return cell == goal ? 1u : 0u; },
        [&](std::int64_t cell, auto &&f) {
            shape::for_neighbours(
                ramp.extent(), cell, Boundary::bounded,
                [&](std::int64_t to, shape::Step step) { f(to, price(to) * step.length); });
        });
    std::int64_t cell = ramp.cell(a);
    Triple now = a;
    const auto go = [&](std::size_t axis, std::int64_t target) {
        while (now[axis] != target) {
            now[axis] += now[axis] < target ? 1 : -1;
            path.at(now[0], now[1], now[2]) = 1;
        }
    };
    for (;;) {
        const Triple next = ramp.place(cell);
        go(0, next[0]);
        go(1, next[1]);
        go(2, next[2]);
        if (ways.next[static_cast<std::size_t>(cell)] == cell) {
            break;
        }
        cell = ways.next[static_cast<std::size_t>(cell)];
    }
    go(0, b[0]); // where rock that nothing may open bars the ramp
    go(1, b[1]);
    go(2, b[2]);
}

} // namespace

Sites find_sites(const CaveVolumeParams &params, const Grid &grid, const Network &network,
                 const Field3D<std::uint32_t> &trail, std::uint64_t seed) {
    const double level = std::max(params.passage_spacing / params.flatness,
                                  kLevels * params.passage_width); // m from one to the next
    const Extent3 blocks = grid.divided(params.passage_spacing, level);
    const std::uint32_t least = least_strength(trail, blocks);
    std::vector<Candidate> candidates;
    const auto place = [&](double metres, std::int64_t cells) {
        const std::int64_t low = grid.inset(params, cells);
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(metres / grid.cell), low,
                                        cells - 1 - low);
    };
    for (std::int64_t k = 0; k < blocks.depth; ++k) {
        for (std::int64_t j = 0; j < blocks.height; ++j) {
            for (std::int64_t i = 0; i < blocks.width; ++i) {
                const Strongest found = strongest(trail, blocks, i, j, k);
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
    std::sort(candidates.begin(), candidates.end(), [](const Candidate &a, const Candidate &b) {
        return std::tuple(b.strength, a.cell) < std::tuple(a.strength, b.cell);
    });
    Sites sites;
    std::vector<Candidate> kept;
    for (const Candidate &candidate : candidates) {
        const bool near = std::any_of(kept.begin(), kept.end(), [&](const Candidate &other) {
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

VolumeMask find_passages(core::Run &run, const CaveVolumeParams &params, const Grid &grid,
                         const Field3D<std::uint32_t> &toll, const Sites &sites) {
    VolumeMask path(grid.extent, run.memory());
    std::vector<Triple> places;
    for (const std::int64_t cell : sites.cells) {
        path[cell] = 1;
        places.push_back(place_of(cell, grid.extent));
    }
    const std::vector<Link> links =
        choose_links(find_links(places, toll, grid.to_cells(params.passage_spacing)), places.size(),
                     params.loops);
    for (const Link &link : links) {
        run.check_cancel();
        mark_passage(places[link.a], places[link.b], toll, path);
    }
    return path;
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
