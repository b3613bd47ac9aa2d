// A span is an open column, one for tens of cells. The arrays, the lists of neighbours and those
// that spread distances add up to less than 150 bytes a span.
#include "generators/cave_volume_places.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "core/disjoint_sets.hpp"
#include "core/gather.hpp"
#include "generators/cave_volume_distances.hpp"

namespace karst::cave_volume {

namespace {

// To walls; the faces of the volume are none, as entrances lie in them.
std::vector<std::uint32_t> wall_distances(core::Run &run, const Floors &floors) {
    const auto [w, h] = floors.extent();
    const auto add_walls = [&, w = w, h = h](std::int64_t i, std::vector<Source> &walls) {
        std::array<bool, 4> open{floors.x(i) == 0, floors.x(i) == w - 1, floors.y(i) == 0,
                                 floors.y(i) == h - 1};
        floors.for_neighbours(
            i, [&](std::int64_t, int side) { open[static_cast<std::size_t>(side)] = true; });
        const std::array<std::int64_t, 4> step{-1, 1, -w, w};
        for (std::size_t side = 0; side < 4; ++side) {
            if (!open[side]) {
                walls.push_back({1, static_cast<std::uint32_t>(floors.column(i) + step[side]), i});
            }
        }
    };
    const auto walls = core::gather<Source>(run, floors.count(), add_walls);
    const std::int64_t side = std::min(w, h) + 1; // no circle is wider than the volume
    return distances(run, floors, walls, static_cast<std::uint32_t>(side * side / 4));
}

// m; between that of passages and that of chambers, as many times wider than the one as narrower
// than the other.
double room_width(const CaveVolumeParams &params) {
    return std::sqrt(params.passage_width *
                     std::max(params.room_size, 2.25 * params.passage_width));
}

class Finder {
public:
    Finder(core::Run &run, const CaveVolumeParams &params, double cell, const Floors &floors,
           const std::vector<std::int64_t> &mouths)
        : run_(run), floors_(floors), band_(band_of(params, cell)),
          headroom_(static_cast<std::int32_t>(kUnit * params.agent_height / cell)) {
        const double half = std::max(params.least_width / 2, params.agent_radius) / cell;
        narrow_ = half * half;
        found_.wall = wall_distances(run, floors);
        found_.place.assign(count(), -1);
        found_.steps.assign(count(), 0);
        const std::vector<std::uint8_t> wide = find_wide(room_width(params) / 2 / cell);
        // Mouths claim their spans before rooms do, and the rooms get the lower numbers.
        for (const std::int64_t mouth : mouths) {
            place(mouth) = places_++;
        }
        const int entrances = places_;
        const auto margin = static_cast<std::uint32_t>(band_ / 2);
        std::vector<std::int64_t> seeds = spread(mouths, margin);
        find_rooms(wide, margin, seeds);
        found_.entrances = entrances;
        found_.rooms = places_ - entrances;
        for (int &place : found_.place) {
            place += place < 0 ? 0 : place < entrances ? found_.rooms : -entrances;
        }
        find_parts(seeds);
        find_neighbours();
        drop_stubs();
        join_forks();
        drop_stubs();
    }

    Places take() { return std::move(found_); }

private:
    std::size_t count() const { return static_cast<std::size_t>(floors_.count()); }
    int fixed() const { return found_.rooms + found_.entrances; }
    int &place(std::int64_t i) { return found_.place[static_cast<std::size_t>(i)]; }
    std::uint32_t wall_at(std::int64_t i) const { return found_.wall[static_cast<std::size_t>(i)]; }
    std::uint32_t &steps(std::int64_t i) { return found_.steps[static_cast<std::size_t>(i)]; }

    // The spans in discs of `radius` cells between walls.
    std::vector<std::uint8_t> find_wide(double radius) {
        const auto middles = core::gather<Source>(run_, floors_.count(),
                                                  [&](std::int64_t i, std::vector<Source> &list) {
                                                      if (wall_at(i) >= radius * radius) {
                                                          list.push_back({0, floors_.column(i), i});
                                                      }
                                                  });
        std::vector<std::uint8_t> wide(count());
        if (!middles.empty()) {
            // No wall is farther than the volume is wide, so the square fits.
            const auto most = static_cast<std::uint32_t>(radius * radius) + 1;
            const auto square = distances(run_, floors_, middles, most);
            for (std::size_t i = 0; i < count(); ++i) {
                wide[i] = square[i] < radius * radius ? 1 : 0;
            }
        }
        return wide;
    }

    // Hands the places of `front` on for `most` steps. Returns front and all that was reached.
    std::vector<std::int64_t> spread(std::vector<std::int64_t> front, std::uint32_t most) {
        std::vector<std::int64_t> all = front;
        for (std::uint32_t step = 0; step < most && !front.empty(); ++step) {
            run_.check_cancel();
            std::vector<std::int64_t> next;
            for (const std::int64_t i : front) {
                floors_.for_neighbours(i, [&](std::int64_t j, int) {
                    if (place(j) < 0) {
                        place(j) = place(i);
                        next.push_back(j);
                    }
                });
            }
            all.insert(all.end(), next.begin(), next.end());
            front = std::move(next);
        }
        return all;
    }

    // The spans connected with `start` that have no place yet and for which may(j) holds get one.
    template <class F>
    std::vector<std::int64_t> flood(std::int64_t start, F &&may) {
        std::vector<std::int64_t> all{start};
        place(start) = places_;
        for (std::size_t k = 0; k < all.size(); ++k) {
            floors_.for_neighbours(all[k], [&](std::int64_t j, int) {
                if (place(j) < 0 && may(j)) {
                    place(j) = places_;
                    all.push_back(j);
                }
            });
        }
        ++places_;
        return all;
    }

    // Connected wide floors and what lies around: rims of rough walls, which would otherwise join
    // passages outside the rooms.
    void find_rooms(const std::vector<std::uint8_t> &wide, std::uint32_t margin,
                    std::vector<std::int64_t> &seeds) {
        std::vector<std::int64_t> rooms;
        for (std::int64_t i = 0; i < floors_.count(); ++i) {
            if (wide[static_cast<std::size_t>(i)] != 0 && place(i) < 0) {
                run_.check_cancel();
                const auto room = flood(
                    i, [&](std::int64_t j) { return wide[static_cast<std::size_t>(j)] != 0; });
                rooms.insert(rooms.end(), room.begin(), room.end());
            }
        }
        const auto reached = spread(std::move(rooms), margin);
        seeds.insert(seeds.end(), reached.begin(), reached.end());
    }

    // Counts the steps from these spans on, which have theirs. Returns one of the farthest spans.
    std::int64_t count_steps(std::vector<std::int64_t> front) {
        std::vector<std::uint8_t> seen(count());
        for (const std::int64_t i : front) {
            seen[static_cast<std::size_t>(i)] = 1;
        }
        std::int64_t last = -1;
        while (!front.empty()) {
            run_.check_cancel();
            std::vector<std::int64_t> next;
            for (const std::int64_t i : front) {
                floors_.for_neighbours(i, [&](std::int64_t j, int) {
                    if (seen[static_cast<std::size_t>(j)] == 0) {
                        seen[static_cast<std::size_t>(j)] = 1;
                        steps(j) = steps(i) + 1;
                        next.push_back(j);
                    }
                });
            }
            last = front.front();
            front = std::move(next);
        }
        return last;
    }

    // Bands of equal distance to the seeds or, without any, to a far end of the cave.
    void find_parts(const std::vector<std::int64_t> &seeds) {
        if (seeds.empty()) {
            const std::int64_t end = count_steps({0});
            steps(end) = 1;
            count_steps({end});
        } else {
            count_steps(seeds);
        }
        const auto band = [&](std::int64_t i) { return (steps(i) - 1) / band_; };
        for (std::int64_t i = 0; i < floors_.count(); ++i) {
            if (place(i) < 0) {
                run_.check_cancel();
                flood(i, [&](std::int64_t j) { return band(j) == band(i); });
            }
        }
    }

    // Contacts that a walker does not fit through, slits in walls and under ceilings, count only
    // where without them places would be apart.
    void find_neighbours() {
        struct Contact {
            std::uint32_t wall; // of the widest way across, 0 if all are too low
            int a, b;
        };
        auto contacts = core::gather<Contact>(
            run_, floors_.count(), [&](std::int64_t i, std::vector<Contact> &list) {
                floors_.for_neighbours(i, [&](std::int64_t j, int) {
                    if (place(i) < place(j)) {
                        const std::uint32_t wall = std::min(wall_at(i), wall_at(j));
                        list.push_back(
                            {floors_.overlap(i, j) >= headroom_ ? wall : 0, place(i), place(j)});
                    }
                });
            });
        run_.check_cancel();
        std::sort(contacts.begin(), contacts.end(), [](const Contact &x, const Contact &y) {
            return std::tuple(y.wall, x.a, x.b) < std::tuple(x.wall, y.a, y.b);
        });
        core::DisjointSets<std::size_t> joined(static_cast<std::size_t>(places_));
        std::vector<std::pair<int, int>> edges;
        for (const auto &[wall, a, b] : contacts) {
            const bool apart =
                joined.unite(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
            if (apart || (wall > 0 && wall >= narrow_)) {
                edges.emplace_back(a, b);
                edges.emplace_back(b, a);
            }
        }
        std::sort(edges.begin(), edges.end());
        edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
        found_.around.assign(static_cast<std::size_t>(places_), {});
        for (const auto &[a, b] : edges) {
            found_.around[static_cast<std::size_t>(a)].push_back(b);
        }
    }

    // Gives parts with one neighbour that are small or not even as deep as wide to that neighbour:
    // niches are no dead ends.
    void drop_stubs() {
        struct Size {
            std::int64_t spans = 0;
            std::uint32_t nearest = UINT32_MAX; // steps
            std::uint32_t farthest = 0;
            std::uint32_t wall = 0; // where it is widest

            void add(const Size &other) {
                spans += other.spans;
                nearest = std::min(nearest, other.nearest);
                farthest = std::max(farthest, other.farthest);
                wall = std::max(wall, other.wall);
            }
        };
        std::vector<Size> sizes(static_cast<std::size_t>(places_));
        for (std::int64_t i = 0; i < floors_.count(); ++i) {
            sizes[static_cast<std::size_t>(place(i))].add({1, steps(i), steps(i), wall_at(i)});
        }
        const auto is_stub = [&](int p) {
            const Size &size = sizes[static_cast<std::size_t>(p)];
            const std::int64_t deep = std::int64_t{size.farthest} - size.nearest + 1;
            return found_.neighbours(p).size() == 1 &&
                   (size.spans < band_ * band_ / 2 || deep < band_ / 2 ||
                    deep * deep < 4 * std::int64_t{size.wall});
        };
        std::vector<int> into(static_cast<std::size_t>(places_), -1);
        std::vector<std::pair<std::int64_t, int>> stubs;
        do { // the smallest first, and those that have become stubs next
            run_.check_cancel();
            stubs.clear();
            for (int p = fixed(); p < places_; ++p) {
                if (is_stub(p)) {
                    stubs.emplace_back(sizes[static_cast<std::size_t>(p)].spans, p);
                }
            }
            std::sort(stubs.begin(), stubs.end());
            for (const auto &[spans, p] : stubs) {
                auto &around = found_.around[static_cast<std::size_t>(p)];
                if (around.empty()) { // its neighbour was a stub too and has joined it
                    continue;
                }
                const int to = around.front();
                sizes[static_cast<std::size_t>(to)].add(sizes[static_cast<std::size_t>(p)]);
                std::erase(found_.around[static_cast<std::size_t>(to)], p);
                around.clear();
                into[static_cast<std::size_t>(p)] = to;
            }
        } while (!stubs.empty());
        join(into);
    }

    // Forks less than a passage's width apart are one.
    void join_forks() {
        const auto is_fork = [&](int p) { return p >= fixed() && found_.neighbours(p).size() > 2; };
        std::vector<int> into(static_cast<std::size_t>(places_), -1);
        std::vector<bool> joined(static_cast<std::size_t>(places_));
        for (int p = fixed(); p < places_; ++p) {
            if (!is_fork(p) || joined[static_cast<std::size_t>(p)]) {
                continue;
            }
            for (const int to : found_.neighbours(p)) {
                if (to > p && is_fork(to) && !joined[static_cast<std::size_t>(to)]) {
                    into[static_cast<std::size_t>(to)] = p;
                    joined[static_cast<std::size_t>(to)] = true;
                }
            }
        }
        join(into);
    }

    // Gives each place p with into[p] >= 0 to that one, and numbers the parts without gaps.
    void join(const std::vector<int> &into) {
        std::vector<int> number(static_cast<std::size_t>(places_), -1);
        places_ = fixed();
        for (int &place : found_.place) {
            while (into[static_cast<std::size_t>(place)] >= 0) {
                place = into[static_cast<std::size_t>(place)];
            }
            if (place >= fixed()) {
                int &its = number[static_cast<std::size_t>(place)];
                its = its < 0 ? places_++ : its;
                place = its;
            }
        }
        find_neighbours();
    }

    core::Run &run_;
    const Floors &floors_;
    std::int64_t band_;
    std::int32_t headroom_; // of a walker, in steps of 1/256 cell
    double narrow_ = 0;     // squared cells from the middle of a neck to its wall
    int places_ = 0;
    Places found_;
};

} // namespace

std::int64_t band_of(const CaveVolumeParams &params, double cell) {
    return std::max<std::int64_t>(2, static_cast<std::int64_t>(params.passage_width / cell));
}

Places find_places(core::Run &run, const CaveVolumeParams &params, double cell,
                   const Floors &floors, const std::vector<std::int64_t> &mouths) {
    return Finder(run, params, cell, floors, mouths).take();
}

} // namespace karst::cave_volume
