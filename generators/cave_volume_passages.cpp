// The passages of a cave: ramps between its sites that keep clear of one another.
#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/disjoint_sets.hpp"
#include "core/memory.hpp"
#include "generators/cave_volume.hpp"
#include "generators/cave_volume_ramps.hpp"

namespace karst::cave_volume {

namespace {

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
    std::mutex mutex;
    run.for_ranges(
        static_cast<std::int64_t>(places.size()), 1, [&](std::int64_t begin, std::int64_t end) {
            std::vector<Link> its;
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
                run.check_cancel();
                for (std::size_t j = i + 1; j < places.size(); ++j) {
                    if (places[j][2] - places[i][2] > reach) { // they ascend
                        break;
                    }
                    if (near(places[i], places[j])) {
                        its.push_back(link_of(i, j, places, toll));
                    }
                }
            }
            const std::lock_guard lock(mutex);
            links.insert(links.end(), its.begin(), its.end());
        });
    std::vector<std::uint8_t> linked(places.size());
    for (const Link &link : links) {
        linked[link.a] = linked[link.b] = 1;
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
          crossings_(run, grid.extent, width_, width_ + 2),
          path_(grid.extent, core::large_pages(run)) {
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
        const auto is_joined = [&](const Link &link) { return !joined.apart(link.a, link.b); };
        std::vector<Link> waiting;
        std::vector<Link> around;
        std::size_t dug = 0;
        const auto join = [&](const Link &link, const Way &way) {
            dig(way);
            joined.unite(link.a, link.b);
            ++dug;
        };
        for_ways(find_links(run_, places_, toll_, grid_.to_cells(spacing)), is_joined,
                 [&](const Link &link, const Guess *guess) {
                     if (guess == nullptr) {
                         if (link.gentle) {
                             around.push_back(link);
                         }
                     } else if (is_clear(*guess)) {
                         join(link, guess->way);
                     } else {
                         waiting.push_back(link);
                     }
                 });
        for_ways(waiting, is_joined, [&](const Link &link, const Guess *guess) {
            if (guess != nullptr) {
                join(link, guess->way);
            }
        });
        auto wanted = static_cast<std::size_t>(loops * static_cast<double>(dug) + 0.5);
        around.resize(std::min(around.size(), kTries * wanted));
        for_ways(
            around, [&](const Link &) { return wanted == 0; },
            [&](const Link &, const Guess *guess) {
                if (guess != nullptr && is_clear(*guess)) {
                    dig(guess->way);
                    --wanted;
                }
            });
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

    // A way that was found, and how many of its cells cut others then.
    struct Guess {
        Way way;
        std::int64_t cuts = 0;
    };

    std::int64_t count_cuts(const Way &way) const {
        return std::count_if(way.begin(), way.end(),
                             [&](const Triple &at) { return crossings_(at); });
    }
    // Whether the way would be found now too: cells only become crossings.
    bool still_holds(const std::optional<Guess> &guess) const {
        return guess && count_cuts(guess->way) == guess->cuts;
    }
    bool is_clear(const Guess &guess) const {
        return guess.cuts <= width_; // about as many come of every fork
    }

    // f(link, guess) for the links in their order; the guess holds at that time, and is null if
    // left_out(link) is true then, as it stays from then on. Ways are looked for ahead, in
    // parallel: few of them change before their turn comes.
    template <class LeftOut, class F>
    void for_ways(const std::vector<Link> &links, LeftOut &&left_out, F &&f) {
        const auto threads = static_cast<std::size_t>(run_.executor().concurrency());
        const std::size_t ahead = threads == 1 ? 1 : 2 * threads;
        std::vector<std::optional<Guess>> guesses(links.size());
        std::vector<std::size_t> missing;
        for (std::size_t next = 0; next < links.size();) {
            missing.clear();
            std::size_t looked_at = 0;
            for (std::size_t i = next; i < links.size() && looked_at < ahead; ++i) {
                if (!left_out(links[i])) {
                    ++looked_at;
                    if (!still_holds(guesses[i])) {
                        missing.push_back(i);
                    }
                }
            }
            run_.for_ranges(static_cast<std::int64_t>(missing.size()), 1,
                            [&](std::int64_t begin, std::int64_t end) {
                                for (std::int64_t k = begin; k < end; ++k) {
                                    const std::size_t i = missing[static_cast<std::size_t>(k)];
                                    Way way = find_way(places_[links[i].a], places_[links[i].b],
                                                       toll_, crossings_);
                                    const std::int64_t cuts = count_cuts(way);
                                    guesses[i] = Guess{std::move(way), cuts};
                                }
                            });
            for (; next < links.size(); ++next) {
                std::optional<Guess> &guess = guesses[next];
                if (left_out(links[next])) {
                    f(links[next], nullptr);
                } else if (still_holds(guess)) {
                    f(links[next], &*guess);
                } else {
                    break;
                }
                guess.reset();
            }
        }
    }

    void dig(const Way &way) {
        for (const Triple &at : way) {
            path_.at(at[0], at[1], at[2]) = 1;
            crossings_.add(at);
        }
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
