#include "generators/cave_volume_links.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <utility>

#include "core/gather.hpp"

namespace karst::cave_volume {

namespace {

constexpr std::array<std::array<int, 2>, 4> kSteps{{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}};
constexpr std::uint64_t kAhead = 5; // lengths of steps
constexpr std::uint64_t kDiagonal = 7;

} // namespace

Spot Contact::normal() const {
    const auto x = static_cast<double>(step[0]);
    const auto y = static_cast<double>(step[1]);
    const double far = std::sqrt(x * x + y * y);
    return far == 0 ? Spot{1, 0} : Spot{x / far, y / far};
}

Links::Links(core::Run &run, const CaveVolumeParams &params, double cell, const Floors &floors,
             const Places &places, const std::vector<std::int64_t> &mouths)
    : run_(run), floors_(floors), places_(places),
      half_(
          static_cast<std::uint64_t>(std::clamp<std::int64_t>(band_of(params, cell) / 2, 1, 64))) {
    find_middles(mouths);
    find_ways();
    find_contacts();
}

// A place's middle is its span nearest to its centre, rather where it is wide; that of an
// entrance is the mouth, that of a dead end at its far end, but off the wall.
void Links::find_middles(const std::vector<std::int64_t> &mouths) {
    const auto count = static_cast<std::size_t>(places_.count());
    const int fixed = places_.rooms + places_.entrances;
    std::vector<std::array<double, 4>> sums(count);
    for (std::int64_t i = 0; i < floors_.count(); ++i) {
        auto &[x, y, steps, spans] = sums[static_cast<std::size_t>(places_.of(i))];
        x += static_cast<double>(floors_.x(i));
        y += static_cast<double>(floors_.y(i));
        steps += places_.steps[static_cast<std::size_t>(i)];
        spans += 1;
    }
    middle_.assign(count, -1);
    std::vector<double> least(count, std::numeric_limits<double>::max());
    for (std::int64_t i = 0; i < floors_.count(); ++i) {
        const int p = places_.of(i);
        const auto at = static_cast<std::size_t>(p);
        const auto &[sum_x, sum_y, sum_steps, spans] = sums[at];
        const double dx = static_cast<double>(floors_.x(i)) - sum_x / spans;
        const double dy = static_cast<double>(floors_.y(i)) - sum_y / spans;
        double badness = dx * dx + dy * dy - places_.wall[static_cast<std::size_t>(i)];
        if (p >= fixed && places_.neighbours(p).size() == 1) {
            const auto &next = sums[static_cast<std::size_t>(places_.neighbours(p).front())];
            const double steps = places_.steps[static_cast<std::size_t>(i)];
            badness = (sum_steps / spans < next[2] / next[3] ? steps : -steps) -
                      3 * std::sqrt(places_.wall[static_cast<std::size_t>(i)]);
        }
        if (badness < least[at]) {
            least[at] = badness;
            middle_[at] = i;
        }
    }
    for (std::size_t k = 0; k < mouths.size(); ++k) {
        middle_[static_cast<std::size_t>(places_.rooms) + k] = mouths[k];
    }
}

// A step along a wall costs many times one in the middle of a passage.
std::uint64_t Links::price(std::int64_t i) const {
    return 16 + 16 * half_ * half_ / places_.wall[static_cast<std::size_t>(i)];
}

// From the middle of each place the cheapest ways to all its spans.
void Links::find_ways() {
    cost_.assign(static_cast<std::size_t>(floors_.count()), UINT64_MAX);
    before_.assign(static_cast<std::size_t>(floors_.count()), -1);
    run_.for_ranges(places_.count(), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t p = begin; p < end; ++p) {
            run_.check_cancel();
            find_ways_in(static_cast<int>(p));
        }
    });
}

// Reads and writes the spans of that place only.
void Links::find_ways_in(int p) {
    using Reached = std::pair<std::uint64_t, std::int64_t>;
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue;
    cost_[static_cast<std::size_t>(middle(p))] = 0;
    queue.emplace(0, middle(p));
    while (!queue.empty()) {
        const auto [cost, i] = queue.top();
        queue.pop();
        if (cost != cost_[static_cast<std::size_t>(i)]) {
            continue;
        }
        const auto reach = [&, cost = cost, i = i](std::int64_t j, std::uint64_t far) {
            if (places_.of(j) != p) {
                return;
            }
            auto &known = cost_[static_cast<std::size_t>(j)];
            const std::uint64_t sum = cost + far * price(j);
            if (sum < known) {
                known = sum;
                before_[static_cast<std::size_t>(j)] = i;
                queue.emplace(sum, j);
            }
        };
        floors_.for_neighbours(i, [&, i = i](std::int64_t j, int side) {
            reach(j, kAhead);
            if (places_.of(j) == p) {
                floors_.for_neighbours(j, [&](std::int64_t k, int then) {
                    if (side / 2 != then / 2 && floors_.overlap(i, k) >= 0) {
                        reach(k, kDiagonal);
                    }
                });
            }
        });
    }
}

// The middle of the edge between span i and its neighbour at `side`, in cells.
Spot Links::edge(std::int64_t i, std::size_t side) const {
    return {static_cast<double>(floors_.x(i)) + 0.5 + 0.5 * kSteps[side][0],
            static_cast<double>(floors_.y(i)) + 0.5 + 0.5 * kSteps[side][1]};
}

std::size_t Links::index(int a, int b) const {
    const std::pair<int, int> ends{std::min(a, b), std::max(a, b)};
    const auto of = [](const Contact &contact) { return std::pair(contact.a, contact.b); };
    const auto at =
        std::partition_point(contacts_.begin(), contacts_.end(),
                             [&](const Contact &contact) { return of(contact) < ends; });
    return at != contacts_.end() && of(*at) == ends
               ? static_cast<std::size_t>(at - contacts_.begin())
               : contacts_.size();
}

void Links::find_contacts() {
    for (int a = 0; a < places_.count(); ++a) {
        for (const int b : places_.neighbours(a)) {
            if (a < b) {
                contacts_.push_back({.a = a, .b = b});
            }
        }
    }
    // Spans that touch and whose places are neighbours, i in the smaller place.
    struct Pair {
        std::size_t contact;
        std::int64_t i, j;
        std::size_t side;
    };
    const auto pairs =
        core::gather<Pair>(run_, floors_.count(), [&](std::int64_t i, std::vector<Pair> &list) {
            floors_.for_neighbours(i, [&](std::int64_t j, int side) {
                if (places_.of(i) < places_.of(j)) {
                    const std::size_t at = index(places_.of(i), places_.of(j));
                    if (at < count()) {
                        list.push_back({at, i, j, static_cast<std::size_t>(side)});
                    }
                }
            });
        });
    for (const auto &[at, i, j, side] : pairs) {
        Contact &contact = contacts_[at];
        const std::uint64_t cost = cost_[static_cast<std::size_t>(i)] +
                                   cost_[static_cast<std::size_t>(j)] + kAhead * price(j);
        if (cost < contact.cost) {
            contact.cost = cost;
            contact.from = i;
            contact.to = j;
        }
        ++contact.pairs;
        for (std::size_t k = 0; k < 2; ++k) {
            contact.middle[k] += edge(i, side)[k];
            contact.step[k] += kSteps[side][k];
        }
        contact.low = std::min(contact.low, std::max(floors_[i].bottom, floors_[j].bottom));
        contact.high = std::max(contact.high, std::min(floors_[i].top, floors_[j].top));
    }
    for (Contact &contact : contacts_) {
        contact.middle[0] /= static_cast<double>(contact.pairs);
        contact.middle[1] /= static_cast<double>(contact.pairs);
    }
    for (const auto &[at, i, j, side] : pairs) {
        Contact &contact = contacts_[at];
        const Spot normal = contact.normal();
        const Spot spot = edge(i, side);
        const double along =
            (spot[0] - contact.middle[0]) * -normal[1] + (spot[1] - contact.middle[1]) * normal[0];
        const double half = std::abs(normal[0] * kSteps[side][0] + normal[1] * kSteps[side][1]) / 2;
        contact.left = std::min(contact.left, along - half);
        contact.right = std::max(contact.right, along + half);
    }
}

void Links::extend(std::vector<std::int64_t> &way, int from, int to) const {
    const Contact &contact = contacts_[index(from, to)];
    const auto [near, far] =
        from < to ? std::pair(contact.from, contact.to) : std::pair(contact.to, contact.from);
    std::vector<std::int64_t> out;
    for (std::int64_t i = near; i >= 0; i = before_[static_cast<std::size_t>(i)]) {
        out.push_back(i);
    }
    const auto add = [&](std::int64_t i) {
        if (way.size() > 1 && way[way.size() - 2] == i) {
            way.pop_back(); // a middle off the way: not there and back
        } else {
            way.push_back(i);
        }
    };
    std::for_each(out.rbegin() + 1, out.rend(), add);
    for (std::int64_t i = far; i >= 0; i = before_[static_cast<std::size_t>(i)]) {
        add(i);
    }
}

} // namespace karst::cave_volume
