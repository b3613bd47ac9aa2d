// Where cracks begin: joints on veins, cuts through plates, and cracks that end inside of one.
#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "generators/crack_fracture.hpp"

namespace karst::crack {

namespace {

constexpr std::uint32_t kDistanceCap = 4096;
constexpr int kMostRounds = 24;
constexpr std::uint32_t kFirstSetPercent = 65; // of the joints belong to the first set

} // namespace

// The cell of the strongest vein in each box of a lattice; the strongest of all first.
std::vector<std::int64_t> Fracture::strongest_veins(std::int64_t columns, std::int64_t rows) const {
    const auto before = [&](std::int64_t a, std::int64_t b) {
        return std::tuple(veins_[b], draw(a, slot_open), a) <
               std::tuple(veins_[a], draw(b, slot_open), b);
    };
    std::vector<std::int64_t> found(static_cast<std::size_t>(columns * rows), -1);
    for (std::int64_t cell = 0; cell < veins_.size(); ++cell) {
        if (in_wall(cell)) {
            continue;
        }
        const std::int64_t column = (cell % grid().width) * columns / grid().width;
        const std::int64_t row = (cell / grid().width) * rows / grid().height;
        std::int64_t &best = found[static_cast<std::size_t>(row * columns + column)];
        if (best < 0 || before(cell, best)) {
            best = cell;
        }
    }
    std::erase(found, -1);
    std::sort(found.begin(), found.end(), before);
    return found;
}

// Along the strongest vein, or the joint set that the draw takes.
std::uint16_t Fracture::opening_heading(std::int64_t cell) const {
    if (const std::int64_t sets = toughness_.joint_sets; sets > 0) {
        const std::uint32_t chance = draw(cell, slot_turn);
        const std::int64_t set =
            sets == 1 || chance % 100 < kFirstSetPercent ? 0 : 1 + (chance >> 8) % (sets - 1);
        return static_cast<std::uint16_t>(toughness_.joint_heading + set * toughness_.joint_angle +
                                          (chance >> 16) % 1200 - 600);
    }
    std::uint16_t heading = 0;
    std::int64_t strongest = -1;
    for (std::uint32_t k = 0; k < 16; ++k) {
        const auto angle = static_cast<std::uint16_t>(k * 2048);
        std::int64_t sum = 0;
        for (std::int64_t r = -6; r <= 6; ++r) {
            const auto turned = static_cast<std::uint16_t>(angle + (r < 0 ? 32768 : 0));
            const Point p = centre(cell, grid()) + along(turned, std::abs(r) * kOneCell);
            sum += veins_[cell_at(p, grid())];
        }
        if (sum > strongest) {
            strongest = sum;
            heading = angle;
        }
    }
    return heading;
}

void Fracture::open(std::int64_t count) {
    if (count < 1) {
        return;
    }
    const std::int64_t area = std::max<std::int64_t>(1, grid().cells() / count);
    const std::int64_t side =
        std::max<std::int64_t>(1, core::integer_sqrt(static_cast<std::uint64_t>(area)));
    const std::int64_t columns = std::max<std::int64_t>(1, (grid().width + side / 2) / side);
    const std::int64_t rows = std::max<std::int64_t>(1, (grid().height + side / 2) / side);
    shadow_ = side / 3;
    std::vector<Tip> tips;
    for (const std::int64_t cell : strongest_veins(columns, rows)) {
        const std::uint16_t heading = opening_heading(cell);
        const std::int64_t longest = 3 * (grid().width + grid().height);
        for (const int side_of : {1, -1}) {
            tips.push_back(tip(centre(cell, grid()),
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
            if (distance[cell] == 0 || in_wall(cell)) {
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

Fracture::Survey Fracture::survey() const {
    shape::Mask open(grid());
    for (std::int64_t i = 0; i < open.size(); ++i) {
        open[i] = standing_[i] == 0 && !in_wall(i) ? 1 : 0;
    }
    return {shape::distance(run_, standing_, kDistanceCap, Boundary::torus),
            shape::regions(run_, open, shape::Connectivity::four, Boundary::torus)};
}

template <class F>
std::vector<Fracture::Place> Fracture::places(const Survey &survey, std::uint32_t slot,
                                              F &&suits) const {
    std::vector<Place> found(survey.plates.regions.size());
    const auto for_open = [&](auto &&f) {
        for (std::int64_t i = 0; i < survey.distance.size(); ++i) {
            if (const std::uint32_t label = survey.plates.label[i]; label != 0) {
                f(i, found[label - 1]);
            }
        }
    };
    for_open([&](std::int64_t i, Place &place) {
        ++place.area;
        place.inner = std::max(place.inner, survey.distance[i]);
    });
    for_open([&](std::int64_t i, Place &place) {
        if (suits(place, survey.distance[i]) &&
            (place.cell < 0 ||
             std::pair(draw(i, slot), i) < std::pair(draw(place.cell, slot), place.cell))) {
            place.cell = i;
        }
    });
    return found;
}

bool Fracture::split_once(const SplitRule &rule, std::uint32_t round, std::uint32_t width) {
    const Survey ground = survey();
    // As far from cracks as any place in the plate nearly is, else at random.
    const auto middles = places(ground, slot_start, [](const Place &place, std::uint32_t distance) {
        return distance >= place.inner - place.inner / 4;
    });
    // Without the corners of the cells, which would turn tips off at the last moment.
    const auto stress = shape::box_blur(run_, ground.distance, 1, 2, Boundary::torus);
    bool any = false;
    for (const Place &middle : middles) {
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
        const std::uint16_t heading = shortest_cut(middle.cell, ground.distance);
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
    const Survey ground = survey();
    const auto &distance = ground.distance;
    // Beside a crack, a place drawn at random.
    const auto starts = places(ground, slot_dead_end,
                               [](const Place &, std::uint32_t away) { return away < 2 * 256; });
    for (const Place &place : starts) {
        if (place.cell < 0 || place.inner < 4 * 256 ||
            (draw(place.cell, slot_dead_end, 1) >> 16) >= rule.dead_ends) {
            continue;
        }
        const Point start = centre(place.cell, grid());
        const std::int64_t x = place.cell % grid().width;
        const std::int64_t y = place.cell / grid().width;
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
            place.inner / 256 * (6 + draw(place.cell, slot_dead_end, 2) % 8) / 4;
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
