#include "generators/crack_fracture.hpp"

#include <algorithm>
#include <utility>

#include "core/fixed.hpp"
#include "core/rng.hpp"

namespace karst::crack {

namespace {

constexpr std::int64_t kStep = kOneCell / 2; // a tip's step
constexpr std::int64_t kPointSpacing = kOneCell / 2;
constexpr std::int64_t kSharpestTurn = 4000; // of a tip in a step, binary angle: 22 degrees

// The shift by whole turns that brings `p` nearest to `to`.
Point turns(Point p, Point to, Extent2 grid) {
    const auto nearest = [](std::int64_t d, std::int64_t size) {
        return floor_div(d + size / 2, size) * size;
    };
    return {nearest(to.x - p.x, grid.width << kPointBits),
            nearest(to.y - p.y, grid.height << kPointBits)};
}

} // namespace

Fracture::Fracture(core::Run &run, const Field2D<std::uint32_t> &veins, const Toughness &toughness,
                   shape::Mask walls, std::uint64_t seed)
    : run_(run), veins_(veins), toughness_(toughness), walls_(std::move(walls)), seed_(seed),
      first_(veins.extent()), standing_(veins.extent()) {
    for (std::int32_t &first : first_.cells()) {
        first = -1;
    }
}

std::uint32_t Fracture::draw(std::int64_t cell, std::uint32_t slot, std::uint32_t number) const {
    return core::draw_at(seed_, static_cast<std::int32_t>(cell % grid().width),
                         static_cast<std::int32_t>(cell / grid().width), 0,
                         core::use(core::stage_crack, slot, number))
        .word[0];
}

void Fracture::mark(Point a, Point b) {
    const Point middle{(a.x + b.x) >> 1, (a.y + b.y) >> 1};
    for (const Point p : {a, middle, b}) {
        standing_[cell_at(p, grid())] = 1;
    }
}

void Fracture::insert(Point a, Point b, std::int32_t crack, std::int32_t order) {
    mark(a, b);
    const auto index = [](std::int64_t v) { return v >> kPointBits; };
    for (std::int64_t y = index(std::min(a.y, b.y)); y <= index(std::max(a.y, b.y)); ++y) {
        for (std::int64_t x = index(std::min(a.x, b.x)); x <= index(std::max(a.x, b.x)); ++x) {
            std::int32_t &first = first_.at(wrap(x, grid().width), wrap(y, grid().height));
            segments_.push_back({a, b, crack, order, first});
            first = static_cast<std::int32_t>(segments_.size() - 1);
        }
    }
}

void Fracture::add(std::vector<Line> lines) {
    for (Line &line : lines) {
        line = refined(line, kPointSpacing);
        const std::int32_t crack = cracks_++;
        for (std::size_t i = 0; i + 1 < line.points.size(); ++i) {
            insert(line.points[i], line.points[i + 1], crack, static_cast<std::int32_t>(i));
        }
        lines_.push_back(std::move(line));
    }
}

Fracture::Tip Fracture::tip(Point start, std::uint16_t heading, int side,
                            std::int64_t steps) const {
    Tip tip;
    tip.crack = cracks_;
    tip.side = side;
    tip.heading = tip.course = heading;
    tip.steps_left = steps;
    tip.path.push_back(start);
    return tip;
}

// Whether the way from `from` to `to` meets a standing crack; `to` becomes the first such place.
bool Fracture::meets(const Tip &tip, Point from, Point &to) const {
    const auto index = [](std::int64_t v) { return v >> kPointBits; };
    const Point d = to - from;
    bool met = false;
    std::int64_t best = kOneCell + 1; // of the way, 16 fraction bits
    for (std::int64_t y = index(std::min(from.y, to.y)); y <= index(std::max(from.y, to.y)); ++y) {
        for (std::int64_t x = index(std::min(from.x, to.x)); x <= index(std::max(from.x, to.x));
             ++x) {
            std::int32_t i = first_.at(wrap(x, grid().width), wrap(y, grid().height));
            for (; i >= 0; i = segments_[static_cast<std::size_t>(i)].next) {
                const Segment &s = segments_[static_cast<std::size_t>(i)];
                if (s.crack == tip.crack && std::abs(s.order - tip.order) < 16) {
                    continue; // its own tail
                }
                const Point shift = turns(s.a, from, grid());
                const Point a = s.a + shift - from;
                const Point e = s.b - s.a;
                // from + t d = a + u e
                const std::int64_t cross = d.x * e.y - d.y * e.x;
                if (cross == 0) {
                    continue;
                }
                const std::int64_t sign = cross < 0 ? -1 : 1;
                const std::int64_t t = (a.x * e.y - a.y * e.x) * sign;
                const std::int64_t u = (a.x * d.y - a.y * d.x) * sign;
                const std::int64_t whole = cross * sign;
                if (t < 0 || t > whole || u < 0 || u > whole) {
                    continue;
                }
                const std::int64_t part = floor_div(t << 16, whole);
                if (part < best) {
                    best = part;
                    met = true;
                }
            }
        }
    }
    if (met) {
        to = {from.x + ((d.x * best) >> 16), from.y + ((d.y * best) >> 16)};
    }
    return met;
}

// Whether a crack with a smaller number, or this crack's own farther part, runs beside the tip: it
// has already released the stress there.
bool Fracture::shielded(const Tip &tip) const {
    const Point here = tip.path.back();
    for (const int side : {16384, -16384}) {
        const Point by = along(static_cast<std::uint16_t>(tip.heading + side), kOneCell);
        Point p = here;
        for (std::int64_t i = 0; i < shadow_; ++i) {
            p = p + by;
            const std::int32_t found = first_[cell_at(p, grid())];
            if (found < 0) {
                continue;
            }
            const Segment &s = segments_[static_cast<std::size_t>(found)];
            if (s.crack < tip.crack ||
                (s.crack == tip.crack && std::abs(s.order - tip.order) > 8 * shadow_)) {
                return true;
            }
        }
    }
    return false;
}

// One step of a tip; false when it has ended.
bool Fracture::step(Tip &tip, const Field2D<std::uint32_t> *distance) {
    if (tip.steps_left-- <= 0) {
        return false;
    }
    const Point here = tip.path.back();
    // Back to its course.
    const auto off = static_cast<std::int16_t>(tip.course - tip.heading);
    std::int32_t turn = off / 8;
    // To the stronger vein, as an agent of Physarum does.
    const auto vein = [&](std::int32_t angle) {
        const Point p = here + along(static_cast<std::uint16_t>(tip.heading + angle), 3 * kOneCell);
        return std::int64_t{veins_[cell_at(p, grid())]};
    };
    const std::int64_t pull = vein(5461) - vein(-5461); // 30 degrees to both sides
    turn += static_cast<std::int32_t>((((pull * 1200) >> 16) * toughness_.vein_pull) >> 16);
    // Across the stress of a crack that is near.
    if (distance != nullptr) {
        const std::int64_t cell = cell_at(here, grid());
        const std::int64_t x = cell % grid().width;
        const std::int64_t y = cell / grid().width;
        const std::int64_t near = (*distance)[cell];
        const std::int64_t radius = tip.turn_radius * 256;
        if (near < radius) {
            const auto at = [&](std::int64_t dx, std::int64_t dy) {
                return std::int64_t{
                    distance->at(wrap(x + dx, grid().width), wrap(y + dy, grid().height))};
            };
            const Point target{at(-1, 0) - at(1, 0), at(0, -1) - at(0, 1)};
            // A joint set's direction holds against the stress.
            const std::int64_t sharpest =
                toughness_.joint_sets > 0 ? kSharpestTurn / 4 : kSharpestTurn;
            const Point ahead = along(tip.heading, 1 << 10);
            const std::int64_t cross = ahead.x * target.y - ahead.y * target.x;
            const std::int64_t dot = ahead.x * target.x + ahead.y * target.y;
            if (dot > 0) { // to the crack ahead, not to the one behind
                const std::int64_t most = sharpest * (radius - near) / radius;
                const std::int64_t by =
                    most * std::min<std::int64_t>(std::abs(cross) >> 9, 256) / 256;
                turn += static_cast<std::int32_t>(cross > 0 ? by : -by);
                tip.course = static_cast<std::uint16_t>(tip.course + (cross > 0 ? by : -by));
            }
        }
    }
    tip.heading = static_cast<std::uint16_t>(tip.heading + turn);
    Point next = here + along(tip.heading, kStep);
    tip.met = meets(tip, here, next);
    if (in_wall(cell_at(next, grid()))) {
        tip.met = true; // the crack goes right up to the wall
        return false;
    }
    tip.order += tip.side;
    insert(here, next, tip.crack, tip.order);
    tip.path.push_back(next);
    return !tip.met;
}

// The two halves of a crack as one line: full width along it, less where it ends on another crack,
// none where it ends inside a plate.
void Fracture::keep(const Tip &forward, const Tip &backward, std::uint32_t width) {
    Line line;
    line.points.assign(backward.path.rbegin(), backward.path.rend());
    line.points.insert(line.points.end(), forward.path.begin() + 1, forward.path.end());
    const auto count = static_cast<std::int64_t>(line.points.size());
    if (count < 2) {
        return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
        const auto taper = [&](bool met, std::int64_t from_end) -> std::int64_t {
            const std::int64_t over = std::max<std::int64_t>(1, met ? 8 : count * 3 / 4);
            const std::int64_t least = met ? 52000 : 6000;
            return least + (65536 - least) * std::min(from_end, over) / over;
        };
        const std::int64_t both =
            std::min(taper(backward.met, i), taper(forward.met, count - 1 - i));
        line.widths.push_back(static_cast<std::uint32_t>((both * width) >> 16));
    }
    lines_.push_back(std::move(line));
    ++cracks_;
}

} // namespace karst::crack
