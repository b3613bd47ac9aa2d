#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "shape/grid.hpp"
#include "tests/unit/shape_fields.hpp"

using namespace shape_test;

namespace {

constexpr std::uint64_t kSeed = 77;

struct Neighbour {
    std::int64_t cell;
    int length;
};

std::vector<Neighbour> neighbours_of(Extent2 extent, std::int64_t cell, Boundary edges) {
    std::vector<Neighbour> result;
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
            const std::int64_t x = cell % extent.width + dx;
            const std::int64_t y = cell / extent.width + dy;
            const bool outside = x < 0 || y < 0 || x >= extent.width || y >= extent.height;
            if ((dx == 0 && dy == 0) || (outside && edges == Boundary::bounded)) {
                continue;
            }
            result.push_back(
                {read_at(y, extent.height, edges) * extent.width + read_at(x, extent.width, edges),
                 dx * dy == 0 ? 5 : 7});
        }
    }
    return result;
}

// The same definition without any of the means: relaxation, recursion and a search over all pairs
// of cells before each merge.
class PlainWatershed {
public:
    PlainWatershed(const Heights &field, Boundary edges) : field_(field), edges_(edges) {
        constexpr std::int64_t far = 1 << 30;
        const std::int64_t cells = field.size();
        std::vector<std::int64_t> distance(static_cast<std::size_t>(cells), far);
        for (bool changed = true; changed;) {
            changed = false;
            for (std::int64_t c = 0; c < cells; ++c) {
                auto &own = distance[static_cast<std::size_t>(c)];
                const auto before = own;
                for (const auto &n : neighbours_of(field.extent(), c, edges)) {
                    const auto theirs = distance[static_cast<std::size_t>(n.cell)];
                    if (field[n.cell] < field[c]) {
                        own = 0;
                    } else if (field[n.cell] == field[c] && theirs < far) {
                        own = std::min(own, theirs + n.length);
                    }
                }
                changed = changed || own != before;
            }
        }
        plate_.assign(static_cast<std::size_t>(cells), -1);
        for (std::int64_t c = 0; c < cells; ++c) {
            if (distance[static_cast<std::size_t>(c)] == far &&
                plate_[static_cast<std::size_t>(c)] < 0) {
                fill_minimum(c);
            }
        }
        for (std::int64_t c = 0; c < cells; ++c) {
            std::int64_t at = c;
            while (plate_[static_cast<std::size_t>(at)] < 0) {
                at = next(at, distance);
            }
            plate_[static_cast<std::size_t>(c)] = plate_[static_cast<std::size_t>(at)];
        }
    }

    void merge(std::uint32_t depth) {
        while (true) {
            using Order = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>;
            Order best{};
            std::int64_t from = -1;
            std::int64_t into = -1;
            for (std::int64_t a = 0; a < field_.size(); ++a) {
                for (const auto &n : neighbours_of(field_.extent(), a, edges_)) {
                    const std::int64_t p = plate_[static_cast<std::size_t>(a)];
                    const std::int64_t q = plate_[static_cast<std::size_t>(n.cell)];
                    if (p == q || order(a) < order(n.cell) ||
                        field_[a] - std::max(field_[p], field_[q]) >= depth) {
                        continue;
                    }
                    const Order key{field_[a], hash(a), hash(n.cell)};
                    if (from < 0 || key < best) {
                        best = key;
                        from = order(p) < order(q) ? q : p;
                        into = from == p ? q : p;
                    }
                }
            }
            if (from < 0) {
                return;
            }
            std::replace(plate_.begin(), plate_.end(), from, into);
        }
    }

    const std::vector<std::int64_t> &plates() const { return plate_; }

private:
    std::uint64_t hash(std::int64_t c) const {
        return shape::tie_hash(kSeed, static_cast<std::int32_t>(c % field_.width()),
                               static_cast<std::int32_t>(c / field_.width()));
    }
    std::pair<std::uint32_t, std::uint64_t> order(std::int64_t c) const {
        return {field_[c], hash(c)};
    }
    void fill_minimum(std::int64_t start) {
        std::set<std::int64_t> seen{start};
        std::vector<std::int64_t> open{start};
        std::int64_t least = start;
        while (!open.empty()) {
            const std::int64_t c = open.back();
            open.pop_back();
            least = hash(c) < hash(least) ? c : least;
            for (const auto &n : neighbours_of(field_.extent(), c, edges_)) {
                if (field_[n.cell] == field_[start] && seen.insert(n.cell).second) {
                    open.push_back(n.cell);
                }
            }
        }
        for (const std::int64_t c : seen) {
            plate_[static_cast<std::size_t>(c)] = least;
        }
    }
    std::int64_t next(std::int64_t c, const std::vector<std::int64_t> &distance) const {
        const auto own = distance[static_cast<std::size_t>(c)];
        std::vector<std::tuple<double, std::uint64_t, std::int64_t>> choices;
        for (const auto &n : neighbours_of(field_.extent(), c, edges_)) {
            if (own == 0 && field_[n.cell] < field_[c]) {
                const double drop = static_cast<double>(field_[c]) - field_[n.cell];
                choices.emplace_back(-(35 / n.length) * drop, hash(n.cell), n.cell);
            } else if (own > 0 && field_[n.cell] == field_[c] &&
                       distance[static_cast<std::size_t>(n.cell)] + n.length == own) {
                choices.emplace_back(0, hash(n.cell), n.cell);
            }
        }
        return std::get<2>(*std::min_element(choices.begin(), choices.end()));
    }

    const Heights &field_;
    Boundary edges_;
    std::vector<std::int64_t> plate_; // the cell of its minimum
};

Heights plates_of(core::Run &run, const Heights &field, std::uint32_t depth, Boundary edges) {
    return shape::watershed(run, field, depth, edges, kSeed).id;
}

// The plates without their names: each cell's first cell of the same plate.
Heights partition(const Heights &id) {
    std::map<std::uint32_t, std::uint32_t> first;
    Heights result(id.extent());
    for (std::int64_t i = 0; i < id.size(); ++i) {
        result[i] = first.emplace(id[i], static_cast<std::uint32_t>(i)).first->second;
    }
    return result;
}

} // namespace

TEST_CASE("watershed equals its definition, with and without plateaus") {
    std::vector<Extent2> extents = kExtents;
    extents.insert(extents.end(), {{19, 12}, {40, 30}});
    for (const Extent2 extent : extents) {
        // The search over all pairs before each merge takes too long on the largest.
        const bool merges = extent.cells() < 2000;
        for (const Boundary edges : kEdges) {
            for (const std::uint32_t range : {0u, 1u, 2u, 3u, 6u, 12u}) {
                const Heights field = random_field(extent, 20 + range, range);
                const PlainWatershed basins(field, edges);
                for (const std::uint32_t depth : {0u, 1u, 2u, 3u, 1u << 30}) {
                    if (depth > 0 && !merges) {
                        break;
                    }
                    PlainWatershed plain = basins;
                    plain.merge(depth);
                    const Heights id = for_threads(
                        [&](core::Run &run) { return plates_of(run, field, depth, edges); });
                    CHECK(std::equal(id.cells().begin(), id.cells().end(), plain.plates().begin(),
                                     plain.plates().end()));
                }
            }
        }
    }
}

TEST_CASE("plates are connected, named after their minimum and counted") {
    Job job(2);
    for (const Boundary edges : kEdges) {
        for (const std::uint32_t range : {0u, 2u, 5u}) {
            const Heights field =
                shape::box_blur(job.run, random_field({130, 67}, 30 + range, range), 2, 1, edges);
            const std::uint32_t depth = range == 0 ? 1u << 28 : 1;
            const auto plates = shape::watershed(job.run, field, depth, edges, kSeed);
            std::set<std::uint32_t> names(plates.id.cells().begin(), plates.id.cells().end());
            CHECK(static_cast<std::int64_t>(names.size()) == plates.count);
            for (const std::uint32_t name : names) {
                Mask plate(field.extent());
                for (std::int64_t i = 0; i < field.size(); ++i) {
                    plate[i] = plates.id[i] == name ? 1 : 0;
                    REQUIRE((plate[i] == 0 || field[i] >= field[name]));
                }
                REQUIRE(plate[name] == 1);
                REQUIRE(shape::regions(job.run, plate, shape::Connectivity::eight, edges)
                            .regions.size() == 1);
            }
        }
    }
}

TEST_CASE("line is where the right or lower neighbour has another plate") {
    Job job(2);
    const Heights field = random_field({65, 63}, 40);
    for (const Boundary edges : kEdges) {
        const auto plates = shape::watershed(job.run, field, 1u << 30, edges, kSeed);
        for (std::int64_t y = 0; y < 63; ++y) {
            for (std::int64_t x = 0; x < 65; ++x) {
                const auto id = plates.id.at(x, y);
                const bool differs = plates.id.at(read_at(x + 1, 65, edges), y) != id ||
                                     plates.id.at(x, read_at(y + 1, 63, edges)) != id;
                REQUIRE(plates.line.at(x, y) == (differs ? 1 : 0));
            }
        }
    }
}

TEST_CASE("plates move with the field, with ties if the origin moves too") {
    Job job(2);
    const Heights distinct = random_field({65, 63}, 41);
    const auto plates = partition(plates_of(job.run, distinct, 1u << 29, Boundary::torus));
    const auto moved = plates_of(job.run, shifted(distinct, 20, 11), 1u << 29, Boundary::torus);
    CHECK(partition(shifted(moved, -20, -11)) == plates);
    const auto turned = plates_of(job.run, mirrored(distinct), 1u << 29, Boundary::bounded);
    CHECK(partition(mirrored(turned)) ==
          partition(plates_of(job.run, distinct, 1u << 29, Boundary::bounded)));

    // A window of a field with plateaus, surrounded by a wall, in two places of a larger field.
    const Heights ties = random_field({20, 17}, 42, 3);
    const auto walled = [&](int left, int top, Cell2 origin) {
        Heights field({40, 30});
        std::fill_n(field.data(), field.size(), 9u);
        for (std::int64_t i = 0; i < ties.size(); ++i) {
            field.at(left + i % 20, top + i / 20) = ties[i];
        }
        const auto there = shape::watershed(job.run, field, 1, Boundary::bounded, kSeed, origin);
        Heights window(ties.extent());
        for (std::int64_t i = 0; i < ties.size(); ++i) {
            window[i] = there.id.at(left + i % 20, top + i / 20);
        }
        return partition(window);
    };
    const Heights here = walled(1, 1, {-1, -1});
    CHECK(here == walled(17, 9, {-17, -9}));
    CHECK(!(here == walled(17, 9, {-1, -9})));
    CHECK(!(here == walled(17, 9, {-17, -1})));
}

TEST_CASE("a flat field is one plate, two pits are two until their depth is merged") {
    Job job(2);
    const auto flat = shape::watershed(job.run, Heights({65, 63}), 0, Boundary::bounded, kSeed);
    CHECK(flat.count == 1);
    CHECK(flat.line == Mask({65, 63}));

    Heights pits({9, 1});
    const std::array<std::uint32_t, 9> heights = {9, 2, 5, 7, 8, 4, 3, 6, 9};
    std::copy(heights.begin(), heights.end(), pits.data());
    const auto two = shape::watershed(job.run, pits, 5, Boundary::bounded, kSeed);
    CHECK(two.count == 2); // the saddle is 8, the higher minimum 3: a depth of 5
    CHECK(two.id[0] == 1);
    CHECK(two.id[8] == 6);
    const auto one = shape::watershed(job.run, pits, 6, Boundary::bounded, kSeed);
    CHECK(one.count == 1);
    CHECK(one.id[8] == 1); // the deeper one's name
    CHECK(shape::watershed(job.run, pits, 6, Boundary::torus, kSeed).count == 1);
}

TEST_CASE("other seeds cut plateaus elsewhere") {
    Job job(1);
    Heights ridge({41, 41}); // a plateau of height 1 between two pits
    std::fill_n(ridge.data(), ridge.size(), 1u);
    ridge.at(0, 20) = ridge.at(40, 20) = 0;
    const auto a = shape::watershed(job.run, ridge, 0, Boundary::bounded, 1);
    const auto b = shape::watershed(job.run, ridge, 0, Boundary::bounded, 2);
    CHECK(a.count == 2);
    CHECK(a.id.at(19, 20) == 20 * 41);
    CHECK(a.id.at(21, 20) == 20 * 41 + 40);
    CHECK(!(a.id == b.id)); // the cells in the middle are a draw
}
