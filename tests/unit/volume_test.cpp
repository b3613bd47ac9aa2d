// shape/volume.hpp against slow obvious versions.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include <karst/error.hpp>

#include "shape/volume.hpp"
#include "tests/unit/shape_fields.hpp"

using namespace shape_test;
using shape::Adjacency;
using shape::VolumeMask;

namespace {

const std::vector<Extent3> kVolumes = {{1, 1, 1}, {1, 1, 9}, {1, 7, 1},  {9, 1, 1},
                                       {2, 2, 2}, {7, 5, 3}, {65, 3, 2}, {2, 65, 4}};
constexpr std::array kAdjacencies{Adjacency::six, Adjacency::twenty_six};

// Values below `range`; 0: all bits.
template <class T>
Field3D<T> random_volume(Extent3 extent, std::uint64_t seed, std::uint32_t range = 0) {
    Field3D<T> volume(extent);
    const Heights flat = random_field({extent.width, extent.height * extent.depth}, seed, range);
    for (std::int64_t i = 0; i < volume.size(); ++i) {
        volume[i] = static_cast<T>(flat[i]);
    }
    return volume;
}

// 1 with probability share / 100.
VolumeMask random_volume_mask(Extent3 extent, std::uint64_t seed, std::uint32_t share) {
    VolumeMask mask = random_volume<std::uint8_t>(extent, seed, 100);
    for (auto &cell : mask.cells()) {
        cell = cell < share ? 1 : 0;
    }
    return mask;
}

template <class F>
void for_cells(Extent3 extent, F f) {
    for (std::int64_t z = 0; z < extent.depth; ++z) {
        for (std::int64_t y = 0; y < extent.height; ++y) {
            for (std::int64_t x = 0; x < extent.width; ++x) {
                f(x, y, z);
            }
        }
    }
}

template <class T>
T at_nearest(const Field3D<T> &volume, std::int64_t x, std::int64_t y, std::int64_t z) {
    return volume.at(read_at(x, volume.width(), Boundary::bounded),
                     read_at(y, volume.height(), Boundary::bounded),
                     read_at(z, volume.depth(), Boundary::bounded));
}

bool inside_volume(Extent3 extent, std::int64_t x, std::int64_t y, std::int64_t z) {
    return x >= 0 && y >= 0 && z >= 0 && x < extent.width && y < extent.height && z < extent.depth;
}

// The value, 0 outside.
int one_at(const VolumeMask &mask, std::int64_t x, std::int64_t y, std::int64_t z) {
    return inside_volume(mask.extent(), x, y, z) && mask.at(x, y, z) != 0 ? 1 : 0;
}

// Labels by spreading the smallest index until nothing changes.
Field3D<std::uint32_t> plain_labels(const VolumeMask &mask, Adjacency adjacency) {
    Field3D<std::uint32_t> first(mask.extent());
    for (std::int64_t i = 0; i < mask.size(); ++i) {
        first[i] = mask[i] != 0 ? static_cast<std::uint32_t>(i) + 1 : 0;
    }
    const int most = adjacency == Adjacency::six ? 1 : 3;
    for (bool changed = true; changed;) {
        changed = false;
        for_cells(mask.extent(), [&](auto x, auto y, auto z) {
            for (int k = 0; k < 27; ++k) {
                const int dx = k % 3 - 1;
                const int dy = k / 3 % 3 - 1;
                const int dz = k / 9 - 1;
                if (std::abs(dx) + std::abs(dy) + std::abs(dz) > most ||
                    !inside_volume(mask.extent(), x + dx, y + dy, z + dz)) {
                    continue;
                }
                const auto other = first.at(x + dx, y + dy, z + dz);
                auto &own = first.at(x, y, z);
                if (own != 0 && other != 0 && other < own) {
                    own = other;
                    changed = true;
                }
            }
        });
    }
    std::uint32_t next = 0;
    Field3D<std::uint32_t> label(mask.extent());
    for (std::int64_t i = 0; i < mask.size(); ++i) {
        if (first[i] != 0) {
            label[i] = first[i] == i + 1 ? ++next : label[first[i] - 1];
        }
    }
    return label;
}

Field3D<std::uint32_t> plain_distance(const VolumeMask &mask, std::int64_t cap) {
    Field3D<std::uint32_t> result(mask.extent());
    for_cells(mask.extent(), [&](auto x, auto y, auto z) {
        std::int64_t best = cap * cap;
        for_cells(mask.extent(), [&](auto u, auto v, auto w) {
            if (mask.at(u, v, w) != 0) {
                best = std::min(best, (x - u) * (x - u) + (y - v) * (y - v) + (z - w) * (z - w));
            }
        });
        result.at(x, y, z) = static_cast<std::uint32_t>(best);
    });
    return result;
}

VolumeMask plain_majority(const VolumeMask &mask, int radius) {
    VolumeMask result(mask.extent());
    for_cells(mask.extent(), [&](auto x, auto y, auto z) {
        int balance = 0;
        for (int dz = -radius; dz <= radius; ++dz) {
            for (int dy = -radius; dy <= radius; ++dy) {
                for (int dx = -radius; dx <= radius; ++dx) {
                    balance += at_nearest(mask, x + dx, y + dy, z + dz) != 0 ? 1 : -1;
                }
            }
        }
        result.at(x, y, z) = balance > 0 ? 1 : 0;
    });
    return result;
}

Field3D<std::uint16_t> plain_blur(const Field3D<std::uint16_t> &field, int radius) {
    Field3D<std::uint16_t> result = field;
    for (int axis = 0; axis < 3; ++axis) {
        const Field3D<std::uint16_t> in = result;
        for_cells(field.extent(), [&](auto x, auto y, auto z) {
            std::uint32_t sum = 0;
            for (int d = -radius; d <= radius; ++d) {
                sum += at_nearest(in, x + (axis == 0 ? d : 0), y + (axis == 1 ? d : 0),
                                  z + (axis == 2 ? d : 0));
            }
            result.at(x, y, z) =
                static_cast<std::uint16_t>(sum / (2 * static_cast<std::uint32_t>(radius) + 1));
        });
    }
    return result;
}

// On a grid twice as fine, with places at corners, edges, faces and insides of cells: even
// coordinates are between cells.
std::int64_t plain_euler_of_cubes(const VolumeMask &mask) {
    const Extent3 extent = mask.extent();
    Field3D<std::uint8_t> places(
        {2 * extent.width + 1, 2 * extent.height + 1, 2 * extent.depth + 1});
    for_cells(extent, [&](auto x, auto y, auto z) {
        for (int k = 0; k < 27 && mask.at(x, y, z) != 0; ++k) {
            places.at(2 * x + k % 3, 2 * y + k / 3 % 3, 2 * z + k / 9) = 1;
        }
    });
    std::int64_t sum = 0;
    for_cells(places.extent(), [&](auto x, auto y, auto z) {
        const bool even = (x % 2 + y % 2 + z % 2) % 2 == 0; // the dimension of the place
        sum += places.at(x, y, z) == 0 ? 0 : (even ? 1 : -1);
    });
    return sum;
}

// Boxes of 1 or 2 cells along each axis, all of value 1: with an odd number of twos they count -1.
std::int64_t plain_euler_of_neighbours(const VolumeMask &mask) {
    std::int64_t sum = 0;
    for_cells(mask.extent(), [&](auto x, auto y, auto z) {
        for (int k = 0; k < 8; ++k) {
            const int a = k & 1;
            const int b = (k >> 1) & 1;
            const int c = k >> 2;
            int full = 1;
            for (int n = 0; n < 8; ++n) {
                full &= one_at(mask, x + (n & a), y + ((n >> 1) & b), z + ((n >> 2) & c));
            }
            sum += (a + b + c) % 2 == 0 ? full : -full;
        }
    });
    return sum;
}

VolumeMask box(Extent3 extent, std::int64_t margin) {
    VolumeMask mask(extent);
    for_cells(extent, [&](auto x, auto y, auto z) {
        const bool in = x >= margin && y >= margin && z >= margin && x < extent.width - margin &&
                        y < extent.height - margin && z < extent.depth - margin;
        mask.at(x, y, z) = in ? 1 : 0;
    });
    return mask;
}

// x, y and z exchanged in a circle.
template <class T>
Field3D<T> turned(const Field3D<T> &volume) {
    Field3D<T> result({volume.height(), volume.depth(), volume.width()});
    for_cells(volume.extent(),
              [&](auto x, auto y, auto z) { result.at(y, z, x) = volume.at(x, y, z); });
    return result;
}

void check_refused(const char *expected, const std::function<void()> &call) {
    try {
        call();
        FAIL("accepted, expected: ", expected);
    } catch (const Error &error) {
        CHECK(error.code() == ErrorCode::invalid_argument);
        CHECK(std::string(error.what()).find(expected) != std::string::npos);
    }
}

} // namespace

TEST_CASE("volume: regions equal spreading labels") {
    for (const Extent3 extent : kVolumes) {
        for (const Adjacency adjacency : kAdjacencies) {
            for (const std::uint32_t share : {0u, 8u, 30u, 50u, 100u}) {
                const VolumeMask mask = random_volume_mask(extent, 1 + share, share);
                const auto label = for_threads(
                    [&](core::Run &run) { return shape::regions(run, mask, adjacency).label; });
                CHECK(label == plain_labels(mask, adjacency));
                Job job(2);
                const auto found = shape::regions(job.run, mask, adjacency).regions;
                const auto cells = label.cells();
                REQUIRE(found.size() == *std::max_element(cells.begin(), cells.end()));
                for (std::size_t r = 0; r < found.size(); ++r) {
                    REQUIRE(found[r].cells == std::count(cells.begin(), cells.end(), r + 1));
                    REQUIRE(found[r].first ==
                            std::find(cells.begin(), cells.end(), r + 1) - cells.begin());
                }
            }
        }
    }
}

TEST_CASE("volume: cells that share an edge or a corner are neighbours among 26 only") {
    Job job(1);
    for (int k = 0; k < 27; ++k) {
        const std::int64_t x = k % 3;
        const std::int64_t y = k / 3 % 3;
        const std::int64_t z = k / 9;
        const auto apart = std::abs(x - 1) + std::abs(y - 1) + std::abs(z - 1);
        VolumeMask mask({3, 3, 3});
        mask.at(1, 1, 1) = 255;
        mask.at(x, y, z) = 7;
        CHECK(shape::regions(job.run, mask, Adjacency::twenty_six).regions.size() == 1);
        CHECK(shape::regions(job.run, mask, Adjacency::six).regions.size() == (apart > 1 ? 2 : 1));
    }
}

TEST_CASE("volume: without_small keeps regions of at least that many cells") {
    const VolumeMask mask = random_volume_mask({33, 17, 9}, 2, 25);
    for (const Adjacency adjacency : kAdjacencies) {
        const auto label = plain_labels(mask, adjacency);
        std::vector<std::int64_t> sizes(static_cast<std::size_t>(mask.size()) + 1);
        for (const std::uint32_t l : label.cells()) {
            ++sizes[l];
        }
        for (const std::int64_t cells : {0, 1, 4, 30, 100000}) {
            const VolumeMask kept = for_threads(
                [&](core::Run &run) { return shape::without_small(run, mask, cells, adjacency); });
            for (std::int64_t i = 0; i < mask.size(); ++i) {
                REQUIRE(kept[i] == (mask[i] != 0 && sizes[label[i]] >= cells ? 1 : 0));
            }
        }
    }
}

TEST_CASE("volume: distance_squared equals the nearest 1 of all") {
    for (const Extent3 extent : kVolumes) {
        for (const std::uint32_t share : {1u, 10u, 60u}) {
            for (const std::uint32_t cap : {0u, 1u, 5u, 46340u}) {
                const VolumeMask mask = random_volume_mask(extent, 3 + share, share);
                CHECK(for_threads([&](core::Run &run) {
                          return shape::distance_squared(run, mask, cap);
                      }) == plain_distance(mask, cap));
            }
        }
    }
    Job job(2);
    VolumeMask mask({70, 40, 30});
    const auto empty = shape::distance_squared(job.run, mask, 46340);
    CHECK(std::all_of(empty.cells().begin(), empty.cells().end(),
                      [](auto d) { return d == 46340u * 46340u; }));
    mask.at(3, 38, 11) = 255;
    const auto one = shape::distance_squared(job.run, mask, 46340);
    for_cells(mask.extent(), [&](auto x, auto y, auto z) {
        REQUIRE(one.at(x, y, z) == (x - 3) * (x - 3) + (y - 38) * (y - 38) + (z - 11) * (z - 11));
    });
    CHECK(shape::distance_squared(job.run, turned(mask), 46340) == turned(one));
}

TEST_CASE("volume: majority equals counting the window") {
    for (const Extent3 extent : kVolumes) {
        for (const int radius : {0, 1, 2}) {
            const VolumeMask mask = random_volume_mask(extent, 4, 50);
            CHECK((for_threads([&](core::Run &run) {
                       return shape::majority(run, mask, radius, 1);
                   }) == plain_majority(mask, radius)));
        }
    }
    Job job(2);
    const VolumeMask mask = random_volume_mask({33, 17, 9}, 5, 50);
    CHECK(shape::majority(job.run, mask, 1, 0) == mask);
    CHECK(shape::majority(job.run, mask, 1, 2) == plain_majority(plain_majority(mask, 1), 1));
    CHECK(shape::majority(job.run, turned(mask), 2, 3) ==
          turned(shape::majority(job.run, mask, 2, 3)));
    VolumeMask bytes = mask;
    std::for_each(bytes.data(), bytes.data() + bytes.size(), [](auto &cell) { cell *= 255; });
    CHECK(shape::majority(job.run, bytes, 1, 1) == shape::majority(job.run, mask, 1, 1));
    VolumeMask full({3, 2, 4});
    std::fill_n(full.data(), full.size(), std::uint8_t{1});
    CHECK(shape::majority(job.run, full, 127, 1) == full);
}

TEST_CASE("volume: box_blur equals the mean of the window, floored along x, y, z") {
    for (const Extent3 extent : kVolumes) {
        for (const int radius : {0, 1, 2, 5}) {
            const auto field = random_volume<std::uint16_t>(extent, 6);
            CHECK((for_threads([&](core::Run &run) {
                       return shape::box_blur(run, field, radius, 1);
                   }) == plain_blur(field, radius)));
        }
    }
    Job job(2);
    const auto field = random_volume<std::uint16_t>({33, 17, 9}, 7);
    CHECK(shape::box_blur(job.run, field, 3, 0) == field);
    CHECK(shape::box_blur(job.run, field, 3, 2) == plain_blur(plain_blur(field, 3), 3));
    Field3D<std::uint16_t> highest({3, 2, 1});
    std::fill_n(highest.data(), highest.size(), std::uint16_t{65535});
    CHECK(shape::box_blur(job.run, highest, 32767, 2) == highest);
}

TEST_CASE("volume: quantile is that of the same cells in 2D") {
    Job job(2);
    for (const Extent3 extent : kVolumes) {
        const auto volume = random_volume<std::uint32_t>(extent, 8);
        const Heights flat = random_field({volume.size(), 1}, 8);
        for (const std::uint64_t fraction : {std::uint64_t{0}, std::uint64_t{3} << 30}) {
            CHECK(shape::quantile(job.run, volume, fraction) ==
                  shape::quantile(job.run, flat, fraction));
        }
    }
}

TEST_CASE("volume: upsample of a volume that is the same along z is that of its slice") {
    for (const auto interpolation : {shape::Interpolation::linear, shape::Interpolation::smooth}) {
        for (const int log2_factor : {0, 1, 3}) {
            const Heights slice = random_field({7, 5}, 9);
            Field3D<std::uint32_t> coarse({7, 5, 3});
            for_cells(coarse.extent(),
                      [&](auto x, auto y, auto z) { coarse.at(x, y, z) = slice.at(x, y); });
            const Extent3 extent{50, 41, 9};
            const auto fine = for_threads([&](core::Run &run) {
                return shape::upsample(run, coarse, log2_factor, extent, interpolation);
            });
            Job job(1);
            const Heights expected = shape::upsample(job.run, slice, log2_factor, {50, 41}, {},
                                                     interpolation, Boundary::bounded);
            for_cells(extent, [&](auto x, auto y, auto z) {
                REQUIRE(fine.at(x, y, z) == expected.at(x, y));
            });
        }
    }
}

TEST_CASE("volume: linear upsampling is trilinear") {
    const Extent3 extent{13, 9, 7};
    const auto coarse = random_volume<std::uint32_t>({4, 3, 2}, 10);
    Job job(1);
    const auto fine = shape::upsample(job.run, coarse, 2, extent, shape::Interpolation::linear);
    for_cells(extent, [&](auto x, auto y, auto z) {
        double sum = 0;
        const auto place_of = [](std::int64_t i) { return static_cast<double>(2 * i - 3) / 8; };
        const std::array place{place_of(x), place_of(y), place_of(z)};
        for (int k = 0; k < 8; ++k) {
            double weight = 1;
            std::array<std::int64_t, 3> cell{};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double low = std::floor(place[axis]);
                const int step = (k >> axis) & 1;
                cell[axis] = static_cast<std::int64_t>(low) + step;
                weight *= step == 1 ? place[axis] - low : 1 - (place[axis] - low);
            }
            sum += weight * at_nearest(coarse, cell[0], cell[1], cell[2]);
        }
        REQUIRE(std::abs(fine.at(x, y, z) - sum) <= 0.51);
    });
    CHECK(shape::upsample(job.run, coarse, 0, coarse.extent(), shape::Interpolation::linear) ==
          coarse);
    Field3D<std::uint32_t> highest({2, 3, 2});
    std::fill_n(highest.data(), highest.size(), ~0u);
    const auto full = shape::upsample(job.run, highest, 1, extent, shape::Interpolation::smooth);
    CHECK(std::all_of(full.cells().begin(), full.cells().end(), [](auto v) { return v == ~0u; }));
}

TEST_CASE("volume: largest_clearance is the first cell farthest from rock and from outside") {
    for (const Extent3 extent : kVolumes) {
        for (const std::uint32_t share : {0u, 50u, 97u, 100u}) {
            const VolumeMask open = random_volume_mask(extent, 11 + share, share);
            VolumeMask rock({extent.width + 2, extent.height + 2, extent.depth + 2});
            for_cells(rock.extent(), [&](auto x, auto y, auto z) {
                rock.at(x, y, z) = one_at(open, x - 1, y - 1, z - 1) == 1 ? 0 : 1;
            });
            const auto distances = plain_distance(rock, 1000);
            shape::Clearance best{-1, 0};
            for_cells(extent, [&](auto x, auto y, auto z) {
                const auto square = distances.at(x + 1, y + 1, z + 1);
                if (square > best.distance_squared) {
                    best = {(z * extent.height + y) * extent.width + x, square};
                }
            });
            const auto found = for_threads([&](core::Run &run) {
                const auto c = shape::largest_clearance(run, open);
                return std::pair(c.cell, c.distance_squared);
            });
            CHECK(found == std::pair(best.cell, best.distance_squared));
        }
    }
}

TEST_CASE("volume: euler_characteristic counts vertices, edges, faces and cubes") {
    for (const Extent3 extent : kVolumes) {
        for (const std::uint32_t share : {0u, 20u, 50u, 80u, 100u}) {
            const VolumeMask mask = random_volume_mask(extent, 12 + share, share);
            CHECK(for_threads([&](core::Run &run) {
                      return shape::euler_characteristic(run, mask, Adjacency::twenty_six);
                  }) == plain_euler_of_cubes(mask));
            CHECK(for_threads([&](core::Run &run) {
                      return shape::euler_characteristic(run, mask, Adjacency::six);
                  }) == plain_euler_of_neighbours(mask));
        }
    }
}

TEST_CASE("volume: euler_characteristic of known bodies") {
    Job job(1);
    const auto both = [&](const VolumeMask &mask) {
        return std::pair(shape::euler_characteristic(job.run, mask, Adjacency::six),
                         shape::euler_characteristic(job.run, mask, Adjacency::twenty_six));
    };
    using Pair = std::pair<std::int64_t, std::int64_t>;
    CHECK(both(box({5, 4, 3}, 0)) == Pair(1, 1));
    VolumeMask hollow = box({7, 6, 5}, 1);
    hollow.at(3, 3, 2) = 0;
    CHECK(both(hollow) == Pair(2, 2));
    VolumeMask ring = box({5, 5, 1}, 0);
    ring.at(2, 2, 0) = 0;
    CHECK(both(ring) == Pair(0, 0));
    VolumeMask corner({2, 2, 2}); // two cells that share a corner
    corner.at(0, 0, 0) = corner.at(1, 1, 1) = 255;
    CHECK(both(corner) == Pair(2, 1));
    // Rock around an open space has one tunnel where that has one: complements in a box of rock
    // with one layer of rock around them differ by the ball that the box is.
    const VolumeMask open = [&] {
        VolumeMask inner = random_volume_mask({12, 11, 10}, 13, 40);
        const VolumeMask room = box({12, 11, 10}, 1);
        for (std::int64_t i = 0; i < inner.size(); ++i) {
            inner[i] = inner[i] & room[i];
        }
        return inner;
    }();
    VolumeMask rock = open;
    for (auto &cell : rock.cells()) {
        cell ^= 1;
    }
    CHECK(both(rock).second == 1 + both(open).first);
    CHECK(both(rock).first == 1 + both(open).second);
}

TEST_CASE("volume: what cannot be shaped is refused with the argument and what is allowed") {
    Job job(1);
    const VolumeMask mask({3, 3, 3});
    const Field3D<std::uint16_t> field({3, 3, 3});
    check_refused("the volume is 0 x 3 x 3 cells; at least 1 x 1 x 1", [&] {
        shape::regions(job.run, VolumeMask({0, 3, 3}), Adjacency::six);
    });
    check_refused("the volume is 3 x 3 x 0 cells", [&] {
        shape::largest_clearance(job.run, VolumeMask({3, 3, 0}));
    });
    check_refused("cap is 46341; allowed are 0 to 46340",
                  [&] { shape::distance_squared(job.run, mask, 46341); });
    check_refused("radius is 128; allowed are 0 to 127",
                  [&] { shape::majority(job.run, mask, 128, 1); });
    check_refused("radius is 32768", [&] { shape::box_blur(job.run, field, 32768, 1); });
    check_refused("passes is -1", [&] { shape::box_blur(job.run, field, 1, -1); });
    check_refused("log2_factor is 13; allowed are 0 to 12", [&] {
        shape::upsample(job.run, Field3D<std::uint32_t>({3, 3, 3}), 13, {3, 3, 3},
                        shape::Interpolation::linear);
    });
}
