// The passages of a cave: ramps between its sites that keep clear of one another.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "core/disjoint_sets.hpp"
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
static_assert(255 * kCrossing * 7 < cave::kPrices); // toll, crossing, diagonal step

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
Link link_of(std::size_t i, std::size_t j, const std::vector<Triple> &places, const Tolls &toll) {
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

// Between sites nearer than three spacings (8 fraction bits), no steeper than 1 in 1; from a site
// that has none, to all. `places` ascend by height.
std::vector<Link> find_links(core::Run &run, const std::vector<Triple> &places, const Tolls &toll,
                             std::int64_t spacing) {
    const std::int64_t reach = (3 * spacing) >> 8;
    const auto near = [&](const Triple &a, const Triple &b) {
        const std::int64_t x = a[0] - b[0];
        const std::int64_t y = a[1] - b[1];
        const std::int64_t z = a[2] - b[2];
        const std::int64_t away = x * x + y * y;
        return away < (reach + 1) * (reach + 1) && z * z <= away;
    };
    std::vector<Link> links;
    std::vector<std::uint8_t> linked(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        run.check_cancel();
        for (std::size_t j = i + 1; j < places.size(); ++j) {
            if (places[j][2] - places[i][2] > reach) { // they ascend
                break;
            }
            if (near(places[i], places[j])) {
                links.push_back(link_of(i, j, places, toll));
                linked[i] = linked[j] = 1;
            }
        }
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        run.check_cancel();
        for (std::size_t j = 0; linked[i] == 0 && j < places.size(); ++j) {
            if (i != j && (j > i || linked[j] != 0)) { // or j made it
                links.push_back(link_of(std::min(i, j), std::max(i, j), places, toll));
            }
        }
    }
    std::sort(links.begin(), links.end());
    return links;
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
    Crossings(const core::Run &run, Extent3 extent, std::int64_t width, std::int64_t height)
        : run_(run), mask_(extent, run.memory()), width_(width), height_(height) {}

    void add(const Triple &at) { add(at, width_, height_); }
    // A chamber: its half width and half height.
    void add_room(const Triple &at, std::int64_t radius, std::int64_t radius_z) {
        add(at, radius + width_ / 2, radius_z + height_ / 2);
    }
    bool operator()(const Triple &at) const { return mask_.at(at[0], at[1], at[2]) != 0; }

private:
    void add(const Triple &at, std::int64_t reach, std::int64_t height) {
        const auto [w, h, d] = mask_.extent();
        const std::int64_t farthest = std::min(height, std::max(at[2], d - 1 - at[2]));
        for (std::int64_t y = std::max<std::int64_t>(0, at[1] - reach);
             y <= std::min(h - 1, at[1] + reach); ++y) {
            run_.check_cancel();
            for (std::int64_t x = std::max<std::int64_t>(0, at[0] - reach);
                 x <= std::min(w - 1, at[0] + reach); ++x) {
                const std::int64_t away = horizontal({x, y, 0}, {at[0], at[1], 0});
                if (away > reach) {
                    continue;
                }
                for (std::int64_t rise = 2 + away / 2; rise <= farthest; ++rise) {
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

    const core::Run &run_;
    VolumeMask mask_;
    std::int64_t width_;
    std::int64_t height_;
};

using Way = std::vector<Triple>; // cells, each beside the one before

// The cheapest way on the ramp between two places.
Way way_on_ramp(core::Run &run, const Triple &a, const Triple &b, const Tolls &toll,
                const Crossings &crossings) {
    const Ramp ramp(a, b, toll.extent());
    const std::int64_t goal = ramp.cell(b);
    std::vector<std::uint32_t> price(static_cast<std::size_t>(ramp.extent().cells()));
    run.for_ranges(ramp.extent().cells(), 1 << 12, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t cell = begin; cell < end; ++cell) {
            const Triple at = ramp.place(cell);
            price[static_cast<std::size_t>(cell)] =
                std::uint32_t{toll.at(at[0], at[1], at[2])} * (crossings(at) ? kCrossing : 1);
        }
    });
    const cave::Ways ways = cave::find_ways(
        run, ramp.extent().cells(), [&](std::int64_t cell) { return cell == goal ? 1u : 0u; },
        [&](std::int64_t cell, auto &&f) {
            shape::for_neighbours(ramp.extent(), cell, Boundary::bounded,
                                  [&](std::int64_t to, shape::Step step) {
                                      f(to, price[static_cast<std::size_t>(to)] * step.length);
                                  });
        },
        ramp.cell(a));
    Way way{a};
    const auto go = [&](std::size_t axis, std::int64_t target) {
        Triple now = way.back();
        while (now[axis] != target) {
            now[axis] += now[axis] < target ? 1 : -1;
            way.push_back(now);
        }
    };
    for (std::int64_t cell = ramp.cell(a);;) {
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
    return way;
}

// Where a passage that is too steep turns: half-way up, beside the middle, on the side with more
// room, so far out that both legs rise 2 in 5, or as far as there is room. None where the straight
// way will do, and none above 1 in 1, where the legs would lie over each other.
std::optional<Triple> switchback(const Triple &a, const Triple &b, const Tolls &toll) {
    const std::int64_t rise = std::abs(a[2] - b[2]);
    const std::int64_t run = horizontal(a, b);
    const std::int64_t leg = rise * 5 / 4; // cells of the map
    if (run >= 2 * rise || run < rise) {
        return std::nullopt;
    }
    const std::int64_t aside =
        core::integer_sqrt(static_cast<std::uint64_t>(leg * leg - run * run / 4));
    const std::int64_t dx = a[1] - b[1]; // across
    const std::int64_t dy = b[0] - a[0];
    std::optional<Triple> best;
    std::int64_t most = 0;
    for (const std::int64_t side : {1, -1}) {
        Triple corner{(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2};
        for (std::int64_t step = 1; step <= aside; ++step) {
            const Triple next{(a[0] + b[0]) / 2 + side * dx * step / run,
                              (a[1] + b[1]) / 2 + side * dy * step / run, corner[2]};
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

// Digs passages: of the links the cheapest tree between the sites (Kruskal), and of the cheapest
// gentle ones that close a loop so many as are wanted. One that would cut another over more cells
// than a fork does waits until all others of the tree are dug, and is dug if they do not join its
// ends; no such loop is dug.
class Passages {
public:
    Passages(core::Run &run, const CaveVolumeParams &params, const Grid &grid, const Tolls &toll,
             const Sites &sites)
        : run_(run), grid_(grid), toll_(toll),
          width_(std::max<std::int64_t>(1, grid.to_cells(params.passage_width) >> 8)),
          crossings_(run, grid.extent, width_, width_ + 2), path_(grid.extent, run.memory()) {
        for (const std::int64_t cell : sites.cells) {
            path_[cell] = 1;
            places_.push_back(place_of(cell, grid.extent));
        }
        for (const Room &room : sites.rooms) {
            add_room(room);
        }
    }

    void dig(double spacing, double loops) {
        core::DisjointSets<std::size_t> joined(places_.size());
        std::vector<Link> waiting;
        std::vector<Link> around;
        std::size_t dug = 0;
        for (const Link &link : find_links(run_, places_, toll_, grid_.to_cells(spacing))) {
            if (!joined.apart(link.a, link.b)) {
                if (link.gentle) {
                    around.push_back(link);
                }
            } else if (dig(link, false)) {
                joined.unite(link.a, link.b);
                ++dug;
            } else {
                waiting.push_back(link);
            }
        }
        for (const Link &link : waiting) {
            if (joined.apart(link.a, link.b)) {
                dig(link, true);
                joined.unite(link.a, link.b);
                ++dug;
            }
        }
        auto wanted = static_cast<std::size_t>(loops * static_cast<double>(dug) + 0.5);
        around.resize(std::min(around.size(), kTries * wanted));
        for (auto link = around.begin(); link != around.end() && wanted > 0; ++link) {
            if (dig(*link, false)) {
                --wanted;
            }
        }
    }

    VolumeMask path() && { return std::move(path_); }

private:
    static constexpr std::size_t kTries = 4; // for each loop that is wanted

    void add_room(const Room &room) {
        const auto cell = [&](double metres, std::int64_t side) {
            return std::clamp<std::int64_t>(static_cast<std::int64_t>(metres / grid_.cell), 0,
                                            side - 1);
        };
        crossings_.add_room({cell(room.x, grid_.extent.width), cell(room.y, grid_.extent.height),
                             cell(room.z, grid_.extent.depth)},
                            grid_.to_cells(room.radius) >> 8, grid_.to_cells(room.radius_z) >> 8);
    }

    // False if the way would cut another, which only `even_so` may.
    bool dig(const Link &link, bool even_so) {
        run_.check_cancel();
        const Triple &a = places_[link.a];
        const Triple &b = places_[link.b];
        Way way;
        if (const std::optional<Triple> corner = switchback(a, b, toll_)) {
            way = way_on_ramp(run_, a, *corner, toll_, crossings_);
            const Way rest = way_on_ramp(run_, *corner, b, toll_, crossings_);
            way.insert(way.end(), rest.begin(), rest.end());
        } else {
            way = way_on_ramp(run_, a, b, toll_, crossings_);
        }
        const auto cuts =
            std::count_if(way.begin(), way.end(), [&](const Triple &at) { return crossings_(at); });
        if (cuts > width_ && !even_so) { // about as many come of every fork
            return false;
        }
        for (const Triple &at : way) {
            path_.at(at[0], at[1], at[2]) = 1;
            crossings_.add(at);
        }
        return true;
    }

    core::Run &run_;
    const Grid &grid_;
    const Tolls &toll_;
    std::int64_t width_;
    Crossings crossings_;
    VolumeMask path_;
    std::vector<Triple> places_;
};

} // namespace

VolumeMask find_passages(core::Run &run, const CaveVolumeParams &params, const Grid &grid,
                         const Tolls &toll, const Sites &sites) {
    Passages passages(run, params, grid, toll, sites);
    passages.dig(params.passage_spacing, params.loops);
    return std::move(passages).path();
}

} // namespace karst::cave_volume
