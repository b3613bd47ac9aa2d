#include <algorithm>
#include <cmath>
#include <limits>

#include <karst/error.hpp>

#include "tests/unit/shape_fields.hpp"

using namespace shape_test;

namespace {

Heights plain_distance_squared(const Mask &mask, std::int64_t cap, Boundary edges) {
    Heights result(mask.extent());
    for (std::int64_t y = 0; y < mask.height(); ++y) {
        for (std::int64_t x = 0; x < mask.width(); ++x) {
            std::int64_t best = cap * cap;
            for (std::int64_t v = 0; v < mask.height(); ++v) {
                for (std::int64_t u = 0; u < mask.width(); ++u) {
                    std::int64_t dx = std::abs(x - u);
                    std::int64_t dy = std::abs(y - v);
                    if (edges == Boundary::torus) {
                        dx = std::min(dx, mask.width() - dx);
                        dy = std::min(dy, mask.height() - dy);
                    }
                    if (mask.at(u, v) != 0) {
                        best = std::min(best, dx * dx + dy * dy);
                    }
                }
            }
            result.at(x, y) = static_cast<std::uint32_t>(best);
        }
    }
    return result;
}

Mask plain_majority(const Mask &mask, int radius, Boundary edges) {
    Mask result(mask.extent());
    for (std::int64_t y = 0; y < mask.height(); ++y) {
        for (std::int64_t x = 0; x < mask.width(); ++x) {
            int balance = 0;
            for (int dy = -radius; dy <= radius; ++dy) {
                for (int dx = -radius; dx <= radius; ++dx) {
                    const bool one = mask.at(read_at(x + dx, mask.width(), edges),
                                             read_at(y + dy, mask.height(), edges)) != 0;
                    balance += one ? 1 : -1;
                }
            }
            result.at(x, y) = balance > 0 ? 1 : 0;
        }
    }
    return result;
}

Heights plain_blur(const Heights &field, int radius, Boundary edges) {
    Heights rows(field.extent());
    Heights result(field.extent());
    for (const bool along_x : {true, false}) {
        const Heights &in = along_x ? field : rows;
        Heights &out = along_x ? rows : result;
        for (std::int64_t y = 0; y < field.height(); ++y) {
            for (std::int64_t x = 0; x < field.width(); ++x) {
                std::uint64_t sum = 0;
                for (int d = -radius; d <= radius; ++d) {
                    sum += in.at(read_at(x + (along_x ? d : 0), field.width(), edges),
                                 read_at(y + (along_x ? 0 : d), field.height(), edges));
                }
                out.at(x, y) =
                    static_cast<std::uint32_t>(sum / (2 * static_cast<std::uint64_t>(radius) + 1));
            }
        }
    }
    return result;
}

// Labels by spreading the smallest label until nothing changes.
Heights plain_labels(const Mask &mask, shape::Connectivity connectivity, Boundary edges) {
    const std::int64_t width = mask.width();
    const std::int64_t height = mask.height();
    Heights first(mask.extent());
    for (std::int64_t i = 0; i < mask.size(); ++i) {
        first[i] = mask[i] != 0 ? static_cast<std::uint32_t>(i) + 1 : 0;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::int64_t y = 0; y < height; ++y) {
            for (std::int64_t x = 0; x < width; ++x) {
                for (int dy = -1; dy <= 1; ++dy) {
                    for (int dx = -1; dx <= 1; ++dx) {
                        if (connectivity == shape::Connectivity::four && dx * dy != 0) {
                            continue;
                        }
                        const auto other =
                            first.at(read_at(x + dx, width, edges), read_at(y + dy, height, edges));
                        auto &own = first.at(x, y);
                        if (own != 0 && other != 0 && other < own) {
                            own = other;
                            changed = true;
                        }
                    }
                }
            }
        }
    }
    std::uint32_t next = 0;
    Heights label(mask.extent());
    for (std::int64_t i = 0; i < mask.size(); ++i) {
        if (first[i] != 0) {
            label[i] = first[i] == i + 1 ? ++next : label[first[i] - 1];
        }
    }
    return label;
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

TEST_CASE("quantile is the cell of that rank in the sorted field") {
    for (const Extent2 extent : kExtents) {
        for (const std::uint32_t range : {0u, 1u, 3u, 70000u}) {
            const Heights field = random_field(extent, 1, range);
            std::vector<std::uint32_t> sorted(field.cells().begin(), field.cells().end());
            std::sort(sorted.begin(), sorted.end());
            const std::uint64_t one = std::uint64_t{1} << 32;
            for (const std::uint64_t fraction :
                 {std::uint64_t{0}, one / 100, one / 2, one / 10 * 9, one - 1, one}) {
                const auto rank = static_cast<std::size_t>(
                    static_cast<std::uint64_t>(field.size() - 1) * fraction >> 32);
                CHECK(for_threads([&](core::Run &run) {
                          return shape::quantile(run, field, fraction);
                      }) == sorted[rank]);
            }
        }
    }
}

TEST_CASE("quantile of a field that many threads count") {
    const Heights field = random_field({1031, 997}, 2);
    std::vector<std::uint32_t> sorted(field.cells().begin(), field.cells().end());
    std::sort(sorted.begin(), sorted.end());
    CHECK(for_threads([&](core::Run &run) {
              return shape::quantile(run, field, std::uint64_t{1} << 31);
          }) == sorted[(sorted.size() - 1) / 2]);
}

TEST_CASE("above is a strict threshold") {
    const Heights field = random_field({65, 63}, 3, 5);
    const Mask mask = for_threads([&](core::Run &run) { return shape::above(run, field, 2); });
    for (std::int64_t i = 0; i < field.size(); ++i) {
        REQUIRE(mask[i] == (field[i] > 2 ? 1 : 0));
    }
    Job job(1);
    CHECK(shape::above(job.run, field, ~0u) == Mask(field.extent()));
}

TEST_CASE("majority equals counting the window") {
    for (const Extent2 extent : kExtents) {
        for (const Boundary edges : kEdges) {
            for (const int radius : {0, 1, 2, 5}) {
                const Mask mask = random_mask(extent, 4, 50);
                CHECK((for_threads([&](core::Run &run) {
                           return shape::majority(run, mask, radius, 1, edges);
                       }) == plain_majority(mask, radius, edges)));
            }
        }
    }
    const Mask mask = random_mask({65, 63}, 5, 45);
    Job job(2);
    CHECK(shape::majority(job.run, mask, 1, 0, Boundary::torus) == mask);
    CHECK(shape::majority(job.run, mask, 1, 2, Boundary::torus) ==
          plain_majority(plain_majority(mask, 1, Boundary::torus), 1, Boundary::torus));
    CHECK(shape::majority(job.run, shifted(mask, 9, 50), 2, 3, Boundary::torus) ==
          shifted(shape::majority(job.run, mask, 2, 3, Boundary::torus), 9, 50));
    CHECK(shape::majority(job.run, mirrored(mask), 2, 3, Boundary::bounded) ==
          mirrored(shape::majority(job.run, mask, 2, 3, Boundary::bounded)));
    Mask bytes = mask;
    std::for_each(bytes.data(), bytes.data() + bytes.size(), [](auto &cell) { cell *= 255; });
    CHECK(shape::majority(job.run, bytes, 1, 1, Boundary::torus) ==
          shape::majority(job.run, mask, 1, 1, Boundary::torus));
}

TEST_CASE("a window of the greatest radius counts 65535 x 65535 cells") {
    Mask full({3, 2});
    std::fill_n(full.data(), full.size(), std::uint8_t{1});
    Job job(1);
    CHECK(shape::majority(job.run, full, 32767, 1, Boundary::torus) == full);
    Heights highest({3, 2});
    std::fill_n(highest.data(), highest.size(), ~0u);
    CHECK(shape::box_blur(job.run, highest, 32767, 2, Boundary::torus) == highest);
}

TEST_CASE("box_blur equals the mean of the window, floored along x, then along y") {
    for (const Extent2 extent : kExtents) {
        for (const Boundary edges : kEdges) {
            for (const int radius : {0, 1, 2, 5}) {
                const Heights field = random_field(extent, 6);
                CHECK((for_threads([&](core::Run &run) {
                           return shape::box_blur(run, field, radius, 1, edges);
                       }) == plain_blur(field, radius, edges)));
            }
        }
    }
    const Heights field = random_field({65, 63}, 7);
    Job job(2);
    CHECK(shape::box_blur(job.run, field, 3, 0, Boundary::torus) == field);
    CHECK(shape::box_blur(job.run, field, 3, 2, Boundary::bounded) ==
          plain_blur(plain_blur(field, 3, Boundary::bounded), 3, Boundary::bounded));
}

TEST_CASE("distance_squared equals the nearest 1 of all") {
    for (const Extent2 extent : kExtents) {
        for (const Boundary edges : kEdges) {
            for (const std::uint32_t share : {1u, 10u, 60u}) {
                for (const std::uint32_t cap : {0u, 5u, 46340u}) {
                    const Mask mask = random_mask(extent, 8 + share, share);
                    CHECK((for_threads([&](core::Run &run) {
                               return shape::distance_squared(run, mask, cap, edges);
                           }) == plain_distance_squared(mask, cap, edges)));
                }
            }
        }
    }
}

TEST_CASE("distance of empty, full and one-cell masks") {
    Job job(2);
    for (const Boundary edges : kEdges) {
        Mask mask({90, 70});
        const Heights empty = shape::distance_squared(job.run, mask, 46340, edges);
        CHECK(std::all_of(empty.cells().begin(), empty.cells().end(),
                          [](auto d) { return d == 46340u * 46340u; }));
        mask.at(0, 0) = 255;
        CHECK(shape::distance_squared(job.run, mask, 100, edges) ==
              plain_distance_squared(mask, 100, edges));
        std::fill_n(mask.data(), mask.size(), std::uint8_t{1});
        CHECK(shape::distance_squared(job.run, mask, 100, edges) == Heights(mask.extent()));
    }
    Mask line({60000, 1}); // farther than the cap and than 16 bits of square
    line.at(0, 0) = 1;
    const Heights far = shape::distance_squared(job.run, line, 46340, Boundary::bounded);
    CHECK(far[46339] == 46339u * 46339u);
    CHECK(far[59999] == 46340u * 46340u);
    const Heights around = shape::distance_squared(job.run, line, 46340, Boundary::torus);
    CHECK(around[30001] == 29999u * 29999u);
}

TEST_CASE("distance is 256 times the root, rounded down") {
    Job job(1);
    const Mask mask = random_mask({65, 63}, 9, 2);
    const Heights squares = shape::distance_squared(job.run, mask, 46340, Boundary::torus);
    const Heights roots = for_threads(
        [&](core::Run &run) { return shape::distance(run, mask, 46340, Boundary::torus); });
    for (std::int64_t i = 0; i < roots.size(); ++i) {
        const std::uint64_t square = std::uint64_t{squares[i]} << 16;
        const std::uint64_t root = roots[i];
        REQUIRE(root * root <= square);
        REQUIRE((root + 1) * (root + 1) > square);
    }
    const Heights far = shape::distance(job.run, Mask({3, 3}), 46340, Boundary::torus);
    CHECK(far[0] == 46340u * 256u);
}

TEST_CASE("distance does not know directions") {
    Job job(2);
    const Mask mask = random_mask({65, 63}, 10, 3);
    for (const Boundary edges : kEdges) {
        const Heights distances = shape::distance_squared(job.run, mask, 30, edges);
        CHECK(shape::distance_squared(job.run, mirrored(mask), 30, edges) == mirrored(distances));
        CHECK(shape::distance_squared(job.run, transposed(mask), 30, edges) ==
              transposed(distances));
    }
    CHECK(shape::distance_squared(job.run, shifted(mask, 40, 7), 30, Boundary::torus) ==
          shifted(shape::distance_squared(job.run, mask, 30, Boundary::torus), 40, 7));
}

TEST_CASE("regions equal spreading labels") {
    for (const Extent2 extent : kExtents) {
        for (const Boundary edges : kEdges) {
            for (const auto connectivity :
                 {shape::Connectivity::four, shape::Connectivity::eight}) {
                for (const std::uint32_t share : {0u, 20u, 50u, 65u, 100u}) {
                    const Mask mask = random_mask(extent, 11 + share, share);
                    const Heights label = for_threads([&](core::Run &run) {
                        return shape::regions(run, mask, connectivity, edges).label;
                    });
                    CHECK(label == plain_labels(mask, connectivity, edges));
                    Job job(2);
                    const auto found = shape::regions(job.run, mask, connectivity, edges).regions;
                    for (std::size_t r = 0; r < found.size(); ++r) {
                        const auto cells = label.cells();
                        REQUIRE(found[r].cells == std::count(cells.begin(), cells.end(), r + 1));
                        REQUIRE(found[r].first ==
                                std::find(cells.begin(), cells.end(), r + 1) - cells.begin());
                    }
                    REQUIRE(found.size() ==
                            *std::max_element(label.cells().begin(), label.cells().end()));
                }
            }
        }
    }
}

TEST_CASE("regions touch across the edges of a torus, also by corners") {
    Mask mask({5, 4});
    mask.at(0, 0) = mask.at(4, 3) = 1; // corners that meet only diagonally around the torus
    Job job(1);
    const auto count = [&](shape::Connectivity connectivity, Boundary edges) {
        return shape::regions(job.run, mask, connectivity, edges).regions.size();
    };
    CHECK(count(shape::Connectivity::eight, Boundary::torus) == 1);
    CHECK(count(shape::Connectivity::four, Boundary::torus) == 2);
    CHECK(count(shape::Connectivity::eight, Boundary::bounded) == 2);
}

TEST_CASE("without_small keeps regions of at least that many cells") {
    const Mask mask = random_mask({65, 63}, 12, 45);
    for (const Boundary edges : kEdges) {
        const Heights label = plain_labels(mask, shape::Connectivity::four, edges);
        for (const std::int64_t cells : {0, 1, 4, 30, 100000}) {
            const Mask kept = for_threads([&](core::Run &run) {
                return shape::without_small(run, mask, cells, shape::Connectivity::four, edges);
            });
            for (std::int64_t i = 0; i < mask.size(); ++i) {
                const bool large =
                    std::count(label.cells().begin(), label.cells().end(), label[i]) >= cells;
                REQUIRE(kept[i] == (mask[i] != 0 && large ? 1 : 0));
            }
        }
    }
}

TEST_CASE("what cannot be shaped is refused with the argument and what is allowed") {
    Job job(1);
    const Mask mask({3, 3});
    const Heights field({3, 3});
    const auto torus = Boundary::torus;
    check_refused("quantile: the field is 0 x 0 cells",
                  [&] { shape::quantile(job.run, Heights(), 0); });
    check_refused("quantile: fraction is 4294967297 / 2^32",
                  [&] { shape::quantile(job.run, field, (std::uint64_t{1} << 32) + 1); });
    check_refused("majority: radius is -1; allowed are 0 to 32767",
                  [&] { shape::majority(job.run, mask, -1, 1, torus); });
    check_refused("majority: passes is -1", [&] { shape::majority(job.run, mask, 1, -1, torus); });
    check_refused("box_blur: radius is 32768",
                  [&] { shape::box_blur(job.run, field, 32768, 1, torus); });
    check_refused("distance: cap is 46341; allowed are 0 to 46340",
                  [&] { shape::distance_squared(job.run, mask, 46341, torus); });
    check_refused("watershed: the field is 0 x 0 cells",
                  [&] { shape::watershed(job.run, Heights(), 0, torus, 1); });
    check_refused("upsample: log2_factor is 13; allowed are 0 to 12", [&] {
        shape::upsample(job.run, field, 13, {4, 4}, {}, shape::Interpolation::linear, torus);
    });
}
