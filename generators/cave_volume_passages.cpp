// The passages of a cave: ramps between its sites that keep clear of one another.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "core/fixed.hpp"
#include "generators/cave_volume.hpp"
#include "generators/cave_ways.hpp"
#include "shape/grid.hpp"

namespace karst::cave_volume {

namespace {

using Triple = std::array<std::int64_t, 3>;

Triple place_of(std::int64_t cell, Extent3 extent) {
    const std::int64_t row = cell / extent.width;
    return {cell % extent.width, row % extent.height, row / extent.height};
}

constexpr std::int64_t kPlainToll = 64; // so that a way in a vein is at most 5 times as cheap
constexpr std::uint32_t kCrossing = 8;  // times the toll where a passage cuts another

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

// Between sites nearer than three spacings (8 fraction bits), no steeper than 1 in 1; if that
// leaves a site without any, between all.
std::vector<Link> find_links(core::Run &run, const std::vector<Triple> &places,
                             const Field3D<std::uint32_t> &toll, std::int64_t spacing) {
    const std::int64_t reach = (3 * spacing) >> 8;
    const auto near = [&](const Triple &a, const Triple &b) {
        const std::int64_t away = horizontal(a, b);
        return away <= reach && std::abs(a[2] - b[2]) <= away;
    };
    std::vector<Link> links;
    std::vector<std::uint8_t> linked(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        run.check_cancel();
        for (std::size_t j = i + 1; j < places.size(); ++j) {
            if (near(places[i], places[j])) {
                links.push_back(link_of(i, j, places, toll));
                linked[i] = linked[j] = 1;
            }
        }
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        run.check_cancel();
        for (std::size_t j = 0; linked[i] == 0 && j < places.size(); ++j) {
            if (i != j) {
                links.push_back(link_of(std::min(i, j), std::max(i, j), places, toll));
            }
        }
    }
    std::sort(links.begin(), links.end());
    const auto same = [](const Link &l, const Link &r) { return l.a == r.a && l.b == r.b; };
    links.erase(std::unique(links.begin(), links.end(), same), links.end());
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

// Where the middle of a passage would cut the floor or the ceiling of another, so that nobody could
// walk on: over or under it, and not reached from it on a slope of 1 in 2.
class Crossings {
public:
    // Widths and heights in cells.
    Crossings(core::Run &run, Extent3 extent, std::int64_t width, std::int64_t height)
        : mask_(extent, run.memory()), width_(width), height_(height) {}

    void add(const Triple &at) { add(at, width_, height_); }
    // A chamber: its half width and half height.
    void add_room(const Triple &at, std::int64_t radius, std::int64_t radius_z) {
        add(at, radius + width_ / 2, radius_z + height_ / 2);
    }
    bool operator()(const Triple &at) const { return mask_.at(at[0], at[1], at[2]) != 0; }

private:
    void add(const Triple &at, std::int64_t reach, std::int64_t height) {
        const auto [w, h, d] = mask_.extent();
        for (std::int64_t y = std::max<std::int64_t>(0, at[1] - reach);
             y <= std::min(h - 1, at[1] + reach); ++y) {
            for (std::int64_t x = std::max<std::int64_t>(0, at[0] - reach);
                 x <= std::min(w - 1, at[0] + reach); ++x) {
                const std::int64_t away = horizontal({x, y, 0}, {at[0], at[1], 0});
                if (away > reach) {
                    continue;
                }
                for (std::int64_t rise = 2 + away / 2; rise <= height; ++rise) {
                    if (at[2] >= rise) {
                        mask_.at(x, y, at[2] - rise) = 1;
                    }
                    if (at[2] + rise < d) {
                        mask_.at(x, y, at[2] + rise) = 1;
                    }
                }
            }
        }
    }

    VolumeMask mask_;
    std::int64_t width_;
    std::int64_t height_;
};

// Marks the cheapest way on the ramp between two sites, 6-connected.
void mark_passage(const Triple &a, const Triple &b, const Field3D<std::uint32_t> &toll,
                  Crossings &crossings, VolumeMask &path) {
    const Ramp ramp(a, b, toll.extent());
    const std::int64_t goal = ramp.cell(b);
    const auto price = [&](std::int64_t cell) {
        const Triple at = ramp.place(cell);
        return toll.at(at[0], at[1], at[2]) * (crossings(at) ? kCrossing : 1);
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
    std::vector<Triple> way{a};
    const auto go = [&](std::size_t axis, std::int64_t target) {
        while (now[axis] != target) {
            now[axis] += now[axis] < target ? 1 : -1;
            path.at(now[0], now[1], now[2]) = 1;
            way.push_back(now);
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
    for (const Triple &at : way) {
        crossings.add(at);
    }
}

// Where a passage that is too steep turns, so that both legs rise 2 in 5: half-way up, beside the
// middle, on the side with more room. None where the straight way will do, or where there is no
// room.
std::optional<Triple> switchback(const Triple &a, const Triple &b,
                                 const Field3D<std::uint32_t> &toll) {
    const std::int64_t rise = std::abs(a[2] - b[2]);
    const std::int64_t run = horizontal(a, b);
    const std::int64_t leg = rise * 5 / 4; // cells of the map
    if (run >= 2 * rise || 2 * leg <= run) {
        return std::nullopt;
    }
    const std::int64_t aside =
        core::integer_sqrt(static_cast<std::uint64_t>(leg * leg - run * run / 4));
    const std::int64_t dx = run == 0 ? 0 : a[1] - b[1]; // across
    const std::int64_t dy = run == 0 ? 1 : b[0] - a[0];
    const std::int64_t length = std::max<std::int64_t>(1, run);
    std::optional<Triple> best;
    std::int64_t most = 0;
    for (const std::int64_t side : {1, -1}) {
        Triple corner{(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2};
        for (std::int64_t step = 1; step <= aside; ++step) {
            const Triple next{(a[0] + b[0]) / 2 + side * dx * step / length,
                              (a[1] + b[1]) / 2 + side * dy * step / length, corner[2]};
            const bool inside =
                next[0] >= 0 && next[0] < toll.width() && next[1] >= 0 && next[1] < toll.height();
            if (!inside || toll.at(next[0], next[1], next[2]) == 0) {
                break;
            }
            corner = next;
            if (step > most) {
                most = step;
                best = corner;
            }
        }
    }
    return best;
}

} // namespace

VolumeMask find_passages(core::Run &run, const CaveVolumeParams &params, const Grid &grid,
                         const Field3D<std::uint32_t> &toll, const Sites &sites) {
    VolumeMask path(grid.extent, run.memory());
    std::vector<Triple> places;
    for (const std::int64_t cell : sites.cells) {
        path[cell] = 1;
        places.push_back(place_of(cell, grid.extent));
    }
    const std::int64_t width = std::max<std::int64_t>(1, grid.to_cells(params.passage_width) >> 8);
    Crossings crossings(run, grid.extent, width, width + 2);
    for (const Room &room : sites.rooms) {
        const auto cell = [&](double metres, std::int64_t side) {
            return std::clamp<std::int64_t>(static_cast<std::int64_t>(metres / grid.cell), 0,
                                            side - 1);
        };
        crossings.add_room({cell(room.x, grid.extent.width), cell(room.y, grid.extent.height),
                            cell(room.z, grid.extent.depth)},
                           grid.to_cells(room.radius) >> 8, grid.to_cells(room.radius_z) >> 8);
    }
    const std::vector<Link> links =
        choose_links(find_links(run, places, toll, grid.to_cells(params.passage_spacing)),
                     places.size(), params.loops);
    for (const Link &link : links) {
        run.check_cancel();
        const Triple &a = places[link.a];
        const Triple &b = places[link.b];
        if (const std::optional<Triple> corner = switchback(a, b, toll)) {
            mark_passage(a, *corner, toll, crossings, path);
            mark_passage(*corner, b, toll, crossings, path);
        } else {
            mark_passage(a, b, toll, crossings, path);
        }
    }
    return path;
}

} // namespace karst::cave_volume
