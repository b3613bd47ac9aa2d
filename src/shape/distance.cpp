// The exact Euclidean distance transform of Meijster, Roerdink and Hesselink, "A general algorithm
// for computing distance transforms in linear time", 2000: along the columns, then the lower
// envelope of one parabola a column along each row, all in integers.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "shape/grid.hpp"
#include "shape/shape.hpp"

namespace karst::shape {

namespace {

constexpr std::int64_t kMaxCap = 46340; // the largest whose square fits 31 bits
constexpr std::int64_t kColumns = 64;   // columns that are swept together

// The distance to the nearest 1 in the same column, at most cap.
Field2D<std::uint16_t> column_distance(core::Run &run, const Mask &mask, std::uint16_t cap,
                                       Boundary edges) {
    const std::int64_t height = mask.height();
    const std::int64_t blocks = (mask.width() + kColumns - 1) / kColumns;
    Field2D<std::uint16_t> nearest(mask.extent(), run.memory());
    run.for_ranges(blocks, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t block = begin; block < end; ++block) {
            const std::int64_t left = block * kColumns;
            const std::int64_t count = std::min(kColumns, mask.width() - left);
            std::array<std::uint16_t, kColumns> gap; // to the last 1 that the sweep has passed
            const auto advance = [&](std::int64_t y) {
                const std::uint8_t *cells = mask.row(y).data() + left;
                for (std::int64_t x = 0; x < count; ++x) {
                    auto &g = gap[static_cast<std::size_t>(x)];
                    const auto further = static_cast<std::uint16_t>(std::min(g + 1, int{cap}));
                    g = cells[x] != 0 ? std::uint16_t{0} : further;
                }
            };
            const bool torus = edges == Boundary::torus;
            gap.fill(cap);
            for (std::int64_t y = 0; torus && y < height; ++y) { // a lap to know what lies above
                advance(y);
            }
            for (std::int64_t y = 0; y < height; ++y) {
                advance(y);
                std::copy_n(gap.begin(), count, nearest.row(y).data() + left);
            }
            gap.fill(cap);
            for (std::int64_t y = height - 1; torus && y >= 0; --y) {
                advance(y);
            }
            for (std::int64_t y = height - 1; y >= 0; --y) {
                advance(y);
                std::uint16_t *out = nearest.row(y).data() + left;
                for (std::int64_t x = 0; x < count; ++x) {
                    out[x] = std::min(out[x], gap[static_cast<std::size_t>(x)]);
                }
            }
        }
    });
    return nearest;
}

// The parabola (x - column)^2 + square, lowest from x = start on.
struct Parabola {
    std::int64_t column;
    std::int64_t square;
    std::int64_t start;

    std::int64_t at(std::int64_t x) const { return (x - column) * (x - column) + square; }
};

// The parabolas of a row that are lowest somewhere in [0, width), from left to right.
void lower_envelope(const std::uint16_t *gaps, std::int64_t width, std::uint16_t cap,
                    Boundary edges, std::vector<Parabola> &envelope) {
    envelope.clear();
    // On the torus the nearest copy of a column is at most half the width away.
    const std::int64_t beyond =
        edges == Boundary::torus ? std::min<std::int64_t>(cap, width / 2 + 1) : 0;
    std::int64_t column = inside(-beyond, width, edges);
    for (std::int64_t x = -beyond; x < width + beyond; ++x) {
        const std::int64_t gap = gaps[column];
        column = column + 1 == width ? 0 : column + 1;
        if (gap >= cap) {
            continue; // nowhere below cap^2
        }
        Parabola next{x, gap * gap, 0};
        while (!envelope.empty() &&
               envelope.back().at(envelope.back().start) > next.at(envelope.back().start)) {
            envelope.pop_back();
        }
        if (!envelope.empty()) {
            const Parabola &last = envelope.back();
            // Not negative: `last` is not above `next` at last.start >= 0.
            next.start = 1 + (x * x - last.column * last.column + next.square - last.square) /
                                 (2 * (x - last.column));
        }
        if (next.start < width) {
            envelope.push_back(next);
        }
    }
}

template <class F>
Field2D<std::uint32_t> transform(core::Run &run, const Mask &mask, std::uint32_t cap,
                                 Boundary edges, F of_square) {
    require_cells(mask.extent(), "distance");
    require_range(cap, 0, kMaxCap, "distance", "cap");
    const auto gap_cap = static_cast<std::uint16_t>(cap);
    const auto gaps = column_distance(run, mask, gap_cap, edges);
    const std::int64_t width = mask.width();
    const std::int64_t farthest = std::int64_t{cap} * cap;
    Field2D<std::uint32_t> result(mask.extent(), run.memory());
    run.for_ranges(mask.height(), 8, [&](std::int64_t begin, std::int64_t end) {
        std::vector<Parabola> envelope;
        for (std::int64_t y = begin; y < end; ++y) {
            lower_envelope(gaps.row(y).data(), width, gap_cap, edges, envelope);
            std::uint32_t *out = result.row(y).data();
            if (envelope.empty()) {
                std::fill_n(out, width, of_square(static_cast<std::uint32_t>(farthest)));
            }
            for (std::size_t i = 0; i < envelope.size(); ++i) {
                const std::int64_t stop = i + 1 < envelope.size() ? envelope[i + 1].start : width;
                for (std::int64_t x = envelope[i].start; x < stop; ++x) {
                    out[x] = of_square(
                        static_cast<std::uint32_t>(std::min(farthest, envelope[i].at(x))));
                }
            }
        }
    });
    return result;
}

} // namespace

Field2D<std::uint32_t> distance_squared(core::Run &run, const Mask &mask, std::uint32_t cap,
                                        Boundary edges) {
    return transform(run, mask, cap, edges, [](std::uint32_t square) { return square; });
}

Field2D<std::uint32_t> distance(core::Run &run, const Mask &mask, std::uint32_t cap,
                                Boundary edges) {
    // 2^16 * square < 2^47 is exact in double and the square root is rounded correctly; a root just
    // below a whole number k < 2^24 is at least 1 / 2^25 below it, so it is not rounded up to k.
    return transform(run, mask, cap, edges, [](std::uint32_t square) {
        return static_cast<std::uint32_t>(std::sqrt(65536.0 * square));
    });
}

} // namespace karst::shape
