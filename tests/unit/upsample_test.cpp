#include <algorithm>
#include <cmath>

#include "tests/unit/shape_fields.hpp"

using namespace shape_test;
using shape::Interpolation;

namespace {

// The weight of a coarse cell at `distance` coarse cells from the centre of a fine cell.
double kernel(double distance, Interpolation interpolation) {
    const double d = std::abs(distance);
    if (interpolation == Interpolation::linear) {
        return std::max(0.0, 1 - d);
    }
    if (d < 1) {
        return (4 - 6 * d * d + 3 * d * d * d) / 6;
    }
    return d < 2 ? (2 - d) * (2 - d) * (2 - d) / 6 : 0;
}

double plain_value(const Heights &coarse, std::int64_t factor, std::int64_t x, std::int64_t y,
                   Interpolation interpolation, Boundary edges) {
    const double u = (static_cast<double>(x) + 0.5) / static_cast<double>(factor) - 0.5;
    const double v = (static_cast<double>(y) + 0.5) / static_cast<double>(factor) - 0.5;
    double sum = 0;
    const auto left = static_cast<std::int64_t>(std::floor(u));
    const auto top = static_cast<std::int64_t>(std::floor(v));
    for (std::int64_t j = top - 2; j <= top + 3; ++j) {
        for (std::int64_t i = left - 2; i <= left + 3; ++i) {
            sum += kernel(u - static_cast<double>(i), interpolation) *
                   kernel(v - static_cast<double>(j), interpolation) *
                   coarse.at(read_at(i, coarse.width(), edges), read_at(j, coarse.height(), edges));
        }
    }
    return sum;
}

const std::vector<Interpolation> kInterpolations = {Interpolation::linear, Interpolation::smooth};

} // namespace

TEST_CASE("upsample equals the kernel in floating point, within the rounding") {
    for (const Extent2 extent : {Extent2{1, 1}, {1, 7}, {5, 3}, {9, 8}}) {
        for (const Boundary edges : kEdges) {
            for (const auto interpolation : kInterpolations) {
                for (const int log2_factor : {0, 1, 3}) {
                    const Heights coarse = random_field(extent, 50, 1 << 16);
                    const Cell2 offset{-11, 3};
                    const Heights fine = for_threads([&](core::Run &run) {
                        return shape::upsample(run, coarse, log2_factor, {33, 29}, offset,
                                               interpolation, edges);
                    });
                    for (std::int64_t y = 0; y < 29; ++y) {
                        for (std::int64_t x = 0; x < 33; ++x) {
                            const double expected =
                                plain_value(coarse, 1 << log2_factor, x + offset.x, y + offset.y,
                                            interpolation, edges);
                            REQUIRE(std::abs(fine.at(x, y) - expected) < 4);
                        }
                    }
                }
            }
        }
    }
}

TEST_CASE("upsample keeps constants exactly, the highest value too") {
    Job job(2);
    for (const auto interpolation : kInterpolations) {
        for (int log2_factor = 0; log2_factor <= 12; ++log2_factor) {
            for (const std::uint32_t value : {0u, 1u, 12345u, ~0u}) {
                Heights coarse({3, 2});
                std::fill_n(coarse.data(), coarse.size(), value);
                const Heights fine = shape::upsample(job.run, coarse, log2_factor, {70, 5}, {},
                                                     interpolation, Boundary::torus);
                CHECK(std::all_of(fine.cells().begin(), fine.cells().end(),
                                  [&](auto cell) { return cell == value; }));
            }
        }
    }
}

TEST_CASE("linear by 1 copies, by 2 mixes 9 3 3 1") {
    Job job(1);
    const Heights coarse = random_field({5, 3}, 51);
    CHECK(shape::upsample(job.run, coarse, 0, {5, 3}, {}, Interpolation::linear,
                          Boundary::bounded) == coarse);
    Heights four({2, 2});
    four.at(0, 0) = 1600;
    const Heights mixed =
        shape::upsample(job.run, four, 1, {4, 4}, {}, Interpolation::linear, Boundary::bounded);
    CHECK(mixed.at(0, 0) == 1600);
    CHECK(mixed.at(1, 1) == 900);
    CHECK(mixed.at(2, 1) == 300);
    CHECK(mixed.at(1, 2) == 300);
    CHECK(mixed.at(2, 2) == 100);
    CHECK(mixed.at(3, 3) == 0);
}

TEST_CASE("upsample: a window is part of the whole; mirror, transpose and shift commute") {
    Job job(2);
    const Heights coarse = random_field({9, 8}, 52);
    for (const auto interpolation : kInterpolations) {
        for (const Boundary edges : kEdges) {
            const auto up = [&](const Heights &field) {
                return shape::upsample(job.run, field, 3, {field.width() * 8, field.height() * 8},
                                       {}, interpolation, edges);
            };
            const Heights whole = up(coarse);
            CHECK(up(mirrored(coarse)) == mirrored(whole));
            CHECK(up(transposed(coarse)) == transposed(whole));
            if (edges == Boundary::torus) {
                CHECK(up(shifted(coarse, 2, 5)) == shifted(whole, 16, 40));
            }
            const Heights window =
                shape::upsample(job.run, coarse, 3, {13, 7}, {31, 22}, interpolation, edges);
            for (std::int64_t y = 0; y < 7; ++y) {
                for (std::int64_t x = 0; x < 13; ++x) {
                    REQUIRE(window.at(x, y) == whole.at(31 + x, 22 + y));
                }
            }
        }
    }
}

TEST_CASE("smooth has no creases where coarse cells meet") {
    Job job(1);
    Heights coarse({8, 1});
    coarse[3] = 1u << 30;
    const Heights fine =
        shape::upsample(job.run, coarse, 6, {512, 1}, {}, Interpolation::smooth, Boundary::torus);
    // The slope of a step of 1/64 cell changes by at most the greatest second derivative, 2 h /
    // 64^2.
    for (std::int64_t x = 1; x < 511; ++x) {
        const std::int64_t bend =
            std::int64_t{fine[x - 1]} - 2 * std::int64_t{fine[x]} + std::int64_t{fine[x + 1]};
        REQUIRE(std::abs(bend) < (std::int64_t{2} << 30) / 4096 + (1 << 17));
    }
}
