#include "generators/crack_fracture.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/fixed.hpp"
#include "core/rng.hpp"

namespace karst::crack {

namespace {

constexpr std::int64_t kStep = kOneCell / 2; // a tip's step
constexpr std::int64_t kPointSpacing = kOneCell / 2;
constexpr std::uint32_t kDistanceCap = 4096;
constexpr int kMostRounds = 24;
constexpr std::int64_t kSharpestTurn = 4000; // of a tip in a step, binary angle: 22 degrees

Point along(std::uint16_t heading, std::int64_t length) {
    const core::Direction d = core::directions()[core::direction_index(heading)];
    return {core::scaled(d.cosine, static_cast<std::uint32_t>(length)),
            core::scaled(d.sine, static_cast<std::uint32_t>(length))};
}

Point centre(std::int64_t cell, Extent2 grid) {
    return {((cell % grid.width) << kPointBits) + kOneCell / 2,
            ((cell / grid.width) << kPointBits) + kOneCell / 2};
}

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
                   std::uint64_t seed)
    : run_(run), veins_(veins), toughness_(toughness), seed_(seed), first_(veins.extent()),
      standing_(veins.extent()) {
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

void Fracture::open(std::int64_t count) {
    if (count < 1) {
        return;
    }
    // One start in each box of a lattice, at its strongest vein.
    const std::int64_t area = std::max<std::int64_t>(1, grid().cells() / count);
    const std::int64_t side =
        std::max<std::int64_t>(1, core::integer_sqrt(static_cast<std::uint64_t>(area)));
    const std::int64_t columns = std::max<std::int64_t>(1, (grid().width + side / 2) / side);
    const std::int64_t rows = std::max<std::int64_t>(1, (grid().height + side / 2) / side);
    shadow_ = side / 3;
    std::vector<std::int64_t> starts;
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t column = 0; column < columns; ++column) {
            std::int64_t best = -1;
            for (std::int64_t y = row * grid().height / rows; y < (row + 1) * grid().height / rows;
                 ++y) {
                for (std::int64_t x = column * grid().width / columns;
                     x < (column + 1) * grid().width / columns; ++x) {
                    const std::int64_t cell = y * grid().width + x;
                    if (best < 0 || veins_[cell] > veins_[best] ||
                        (veins_[cell] == veins_[best] &&
                         draw(cell, slot_open) < draw(best, slot_open))) {
                        best = cell;
                    }
                }
            }
            if (best < 0) {
                continue;
            }
            starts.push_back(best);
        }
    }
    // The strongest first: weaker ones keep away from them.
    std::sort(starts.begin(), starts.end(), [&](std::int64_t a, std::int64_t b) {
        return std::tuple(veins_[b], draw(a, slot_open), a) <
               std::tuple(veins_[a], draw(b, slot_open), b);
    });
    std::vector<Tip> tips;
    for (const std::int64_t best : starts) {
        // Along the strongest vein, or the joint set that the draw takes.
        const Point start = centre(best, grid());
        std::uint16_t heading = 0;
        std::int64_t strongest = -1;
        for (std::uint32_t k = 0; k < 16; ++k) {
            const auto angle = static_cast<std::uint16_t>(k * 2048);
            std::int64_t sum = 0;
            for (std::int64_t r = -6; r <= 6; ++r) {
                const auto turned = static_cast<std::uint16_t>(angle + (r < 0 ? 32768 : 0));
                sum += veins_[cell_at(start + along(turned, std::abs(r) * kOneCell), grid())];
            }
            if (sum > strongest) {
                strongest = sum;
                heading = angle;
            }
        }
        const std::uint32_t chance = draw(best, slot_turn);
        if (toughness_.joint_sets > 0) {
            const std::int64_t set = chance % 100 < 65 ? 0 : 1 % toughness_.joint_sets;
            heading =
                static_cast<std::uint16_t>(toughness_.joint_heading + set * toughness_.joint_angle +
                                           (chance >> 16) % 1200 - 600);
        }
        const std::int64_t longest = 3 * (grid().width + grid().height);
        for (const int side_of : {1, -1}) {
            tips.push_back(tip(start,
                               static_cast<std::uint16_t>(heading + (side_of < 0 ? 32768 : 0)),
                               side_of, longest));
        }
        ++cracks_;
    }
    std::vector<std::size_t> growing(tips.size());
    for (std::size_t i = 0; i < tips.size(); ++i) {
        growing[i] = i;
    }
    while (!growing.empty()) {
        std::erase_if(growing, [&](std::size_t i) {
            Tip &t = tips[i];
            t.beside = shielded(t) ? t.beside + 1 : 0;
            return t.beside > shadow_ || !step(t, nullptr);
        });
    }
    for (std::size_t i = 0; i < tips.size(); i += 2) {
        keep(tips[i], tips[i + 1], 1 << 16);
    }
}

std::int64_t Fracture::cut_cost(Point start, std::uint16_t heading,
                                const Field2D<std::uint32_t> &distance) const {
    std::int64_t cost = 0;
    for (const int back : {0, 32768}) {
        const Point by = along(static_cast<std::uint16_t>(heading + back), kOneCell);
        Point p = start;
        for (std::int64_t i = 0; i < 512; ++i) {
            const std::int64_t cell = cell_at(p, grid());
            if (distance[cell] == 0) {
                break;
            }
            cost += 65536 - ((std::int64_t{veins_[cell]} * toughness_.vein_pull) >> 17);
            p = p + by;
        }
    }
    return cost;
}

// The heading of the cheapest straight cut through a cell from crack to crack; one of the joint
// sets, if there are any.
std::uint16_t Fracture::shortest_cut(std::int64_t cell,
                                     const Field2D<std::uint32_t> &distance) const {
    const Point start = centre(cell, grid());
    const std::uint32_t chance = draw(cell, slot_start, 1);
    const bool joints = toughness_.joint_sets > 0;
    const std::uint32_t ways = joints ? static_cast<std::uint32_t>(toughness_.joint_sets) : 16;
    const std::uint32_t first =
        joints ? toughness_.joint_heading + chance % 1600 - 800 : chance % 2048;
    std::uint16_t best = 0;
    std::int64_t least = -1;
    for (std::uint32_t k = 0; k < ways; ++k) {
        const auto heading =
            static_cast<std::uint16_t>(first + k * (joints ? toughness_.joint_angle : 2048u));
        const std::int64_t cost = cut_cost(start, heading, distance);
        if (least < 0 || cost < least) {
            least = cost;
            best = heading;
        }
    }
    return best;
}

namespace {

// A place to start in a plate: as far from cracks as any place in it nearly is, else at random.
struct Middle {
    std::int64_t area = 0;
    std::uint32_t inner = 0; // largest distance to a crack, 8 fraction bits
    std::int64_t cell = -1;
};

} // namespace

bool Fracture::split_once(const SplitRule &rule, std::uint32_t round, std::uint32_t width) {
    const auto distance = shape::distance(run_, standing_, kDistanceCap, Boundary::torus);
    shape::Mask open(grid());
    for (std::int64_t i = 0; i < open.size(); ++i) {
        open[i] = standing_[i] == 0 ? 1 : 0;
    }
    const auto plates = shape::regions(run_, open, shape::Connectivity::four, Boundary::torus);
    std::vector<Middle> middles(plates.regions.size());
    for (std::int64_t i = 0; i < open.size(); ++i) {
        if (plates.label[i] != 0) {
            Middle &middle = middles[plates.label[i] - 1];
            ++middle.area;
            middle.inner = std::max(middle.inner, distance[i]);
        }
    }
    for (std::int64_t i = 0; i < open.size(); ++i) {
        if (plates.label[i] != 0) {
            Middle &middle = middles[plates.label[i] - 1];
            if (distance[i] >= middle.inner - middle.inner / 4 &&
                (middle.cell < 0 || std::pair(draw(i, slot_start), i) <
                                        std::pair(draw(middle.cell, slot_start), middle.cell))) {
                middle.cell = i;
            }
        }
    }
    // Without the corners of the cells, which would turn tips off at the last moment.
    const auto stress = shape::box_blur(run_, distance, 1, 2, Boundary::torus);
    bool any = false;
    for (const Middle &middle : middles) {
        // The plate with half of the cracks around it.
        const std::int64_t side =
            1 +
            std::int64_t{core::integer_sqrt(static_cast<std::uint64_t>(middle.area) << 16)} / 256;
        const std::int64_t vary =
            65536 +
            (((std::int64_t{draw(middle.cell, slot_spread, round) >> 15} - 65536) * rule.spread) >>
             16);
        if (middle.inner < 256 || side * side * 65536 < (rule.piece * 9 / 4) * vary) {
            continue;
        }
        any = true;
        const Point start = centre(middle.cell, grid());
        const std::uint16_t heading = shortest_cut(middle.cell, distance);
        const std::int64_t longest = 4 * (grid().width + grid().height);
        Tip forward = tip(start, heading, 1, longest);
        Tip backward = tip(start, static_cast<std::uint16_t>(heading + 32768), -1, longest);
        for (Tip *t : {&forward, &backward}) {
            t->turn_radius = std::clamp<std::int64_t>(middle.inner / 256 * 3 / 4, 2, 12);
            while (step(*t, &stress)) {
            }
        }
        keep(forward, backward, width);
    }
    return any;
}

void Fracture::grow_dead_ends(const SplitRule &rule, std::uint32_t width) {
    const auto distance = shape::distance(run_, standing_, kDistanceCap, Boundary::torus);
    shape::Mask open(grid());
    for (std::int64_t i = 0; i < open.size(); ++i) {
        open[i] = standing_[i] == 0 ? 1 : 0;
    }
    const auto plates = shape::regions(run_, open, shape::Connectivity::four, Boundary::torus);
    std::vector<Middle> middles(plates.regions.size());
    for (std::int64_t i = 0; i < open.size(); ++i) {
        if (plates.label[i] != 0) {
            Middle &middle = middles[plates.label[i] - 1];
            middle.inner = std::max(middle.inner, distance[i]);
            // Beside a crack, a place drawn at random.
            if (distance[i] < 2 * 256 &&
                (middle.cell < 0 || std::pair(draw(i, slot_dead_end), i) <
                                        std::pair(draw(middle.cell, slot_dead_end), middle.cell))) {
                middle.cell = i;
            }
        }
    }
    for (const Middle &middle : middles) {
        if (middle.cell < 0 || middle.inner < 4 * 256 ||
            (draw(middle.cell, slot_dead_end, 1) >> 16) >= rule.dead_ends) {
            continue;
        }
        const Point start = centre(middle.cell, grid());
        const std::int64_t x = middle.cell % grid().width;
        const std::int64_t y = middle.cell / grid().width;
        const auto at = [&](std::int64_t dx, std::int64_t dy) {
            return std::int64_t{
                distance.at(wrap(x + dx, grid().width), wrap(y + dy, grid().height))};
        };
        // Straight away from the crack: the heading of steepest ascent among 32.
        const Point up{at(1, 0) - at(-1, 0), at(0, 1) - at(0, -1)};
        std::uint16_t inwards = 0;
        std::int64_t best = -1;
        for (std::uint32_t k = 0; k < 32; ++k) {
            const auto heading = static_cast<std::uint16_t>(k * 2048);
            const Point d = along(heading, 1 << 10);
            if (const std::int64_t dot = d.x * up.x + d.y * up.y; dot > best) {
                best = dot;
                inwards = heading;
            }
        }
        const std::int64_t length =
            middle.inner / 256 * (6 + draw(middle.cell, slot_dead_end, 2) % 8) / 4;
        Tip forward = tip(start, inwards, 1, length);
        Tip backward = tip(start, static_cast<std::uint16_t>(inwards + 32768), -1, 12);
        while (step(backward, nullptr)) {
        }
        while (step(forward, nullptr)) {
        }
        if (forward.met) { // a crack across would cut off a sliver
            forward.met = false;
            forward.path.resize(std::max<std::size_t>(2, forward.path.size() * 3 / 5));
        }
        keep(forward, backward, width);
    }
}

void Fracture::split(const SplitRule &rule) {
    std::uint64_t width = 1 << 16;
    for (int round = 0; round < kMostRounds; ++round) {
        width = std::max<std::uint64_t>((width * rule.width_ratio) >> 16, 1 << 13);
        if (!split_once(rule, static_cast<std::uint32_t>(round),
                        static_cast<std::uint32_t>(width))) {
            break;
        }
        run_.advance(static_cast<double>(round + 1) / kMostRounds);
    }
    grow_dead_ends(rule, static_cast<std::uint32_t>(width));
}

} // namespace karst::crack
