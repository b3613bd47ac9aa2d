// Interpolation with weights of 16 fraction bits that add up to exactly 1: the sum over the 4 x 4
// coarse cells around is exact in 64 bits and rounded once.
#include <array>
#include <vector>

#include "shape/grid.hpp"
#include "shape/shape.hpp"

namespace karst::shape {

namespace {

constexpr std::uint64_t kOne = 1 << 16;
constexpr int kMaxLog2Factor = 12; // keeps the products of cubic() below 2^64

using Weights = std::array<std::uint64_t, 4>; // of coarse cells i - 1 to i + 2

// A fine cell's centre lies `part` / (2 factor) coarse cells right of the centre of coarse cell i.
struct Place {
    std::int64_t coarse; // i
    std::int64_t part;   // 0 to 2 factor - 1
};

Place place_of(std::int64_t fine, std::int64_t factor) {
    const std::int64_t halves = 2 * fine + 1 - factor; // from the centre of coarse cell 0
    const std::int64_t period = 2 * factor;
    const std::int64_t part = ((halves % period) + period) % period;
    return {(halves - part) / period, part};
}

Weights linear(std::uint64_t part, std::uint64_t period) {
    const std::uint64_t right = part * kOne / period; // exact: the period is a power of 2
    return {0, kOne - right, right, 0};
}

// The uniform cubic B-spline at t = part / period: (1 - t)^3, 3 t^3 - 6 t^2 + 4, ..., t^3, all / 6.
// The rounding goes into the greatest weight, and a mirrored place has the mirrored weights.
Weights cubic(std::uint64_t part, std::uint64_t period) {
    if (2 * part > period) {
        const Weights mirrored = cubic(period - part, period);
        return {mirrored[3], mirrored[2], mirrored[1], mirrored[0]};
    }
    const std::uint64_t whole = 6 * period * period * period;
    const auto rounded = [&](std::uint64_t share) { return (share * kOne + whole / 2) / whole; };
    const std::uint64_t t = part;
    const std::uint64_t s = period - part;
    const std::uint64_t first = rounded(s * s * s);
    // With s: 4 p^3 - 6 p s^2 + 3 s^3 for period p.
    const std::uint64_t third =
        rounded(4 * period * period * period + 3 * s * s * s - 6 * period * s * s);
    const std::uint64_t fourth = rounded(t * t * t);
    return {first, kOne - first - third - fourth, third, fourth};
}

} // namespace

Field2D<std::uint32_t> upsample(core::Run &run, const Field2D<std::uint32_t> &coarse,
                                int log2_factor, Extent2 extent, Cell2 offset,
                                Interpolation interpolation, Boundary edges) {
    require_cells(coarse.extent(), "upsample");
    require_cells(extent, "upsample");
    require_range(log2_factor, 0, kMaxLog2Factor, "upsample", "log2_factor");
    const std::int64_t factor = std::int64_t{1} << log2_factor;
    std::vector<Weights> weights(static_cast<std::size_t>(2 * factor)); // by part
    for (std::size_t part = 0; part < weights.size(); ++part) {
        weights[part] = interpolation == Interpolation::linear ? linear(part, weights.size())
                                                               : cubic(part, weights.size());
    }

    // The coarse columns [first, first + columns) hold all that a row of the result needs.
    const std::int64_t first = place_of(offset.x, factor).coarse - 1;
    const std::int64_t columns = place_of(offset.x + extent.width - 1, factor).coarse + 3 - first;
    std::vector<std::int64_t> source(static_cast<std::size_t>(columns));
    for (std::int64_t i = 0; i < columns; ++i) {
        source[static_cast<std::size_t>(i)] = inside(first + i, coarse.width(), edges);
    }

    Field2D<std::uint32_t> result(extent, run.memory());
    run.for_ranges(extent.height, 8, [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::uint64_t> column(static_cast<std::size_t>(columns)); // summed along y
        for (std::int64_t y = begin; y < end; ++y) {
            const Place down = place_of(y + offset.y, factor);
            const Weights &wy = weights[static_cast<std::size_t>(down.part)];
            std::array<const std::uint32_t *, 4> rows;
            for (int k = 0; k < 4; ++k) {
                rows[static_cast<std::size_t>(k)] =
                    coarse.row(inside(down.coarse - 1 + k, coarse.height(), edges)).data();
            }
            for (std::size_t i = 0; i < column.size(); ++i) {
                const std::int64_t x = source[i];
                column[i] = wy[0] * rows[0][x] + wy[1] * rows[1][x] + wy[2] * rows[2][x] +
                            wy[3] * rows[3][x];
            }
            Place across = place_of(offset.x, factor);
            const std::uint64_t *c = column.data() + (across.coarse - 1 - first);
            for (std::uint32_t &out : result.row(y)) {
                const Weights &wx = weights[static_cast<std::size_t>(across.part)];
                const std::uint64_t sum = wx[0] * c[0] + wx[1] * c[1] + wx[2] * c[2] + wx[3] * c[3];
                // At most (2^32 - 1) 2^32 before the rounding half: no overflow.
                out = static_cast<std::uint32_t>((sum + (std::uint64_t{1} << 31)) >> 32);
                across.part += 2;
                if (across.part >= 2 * factor) {
                    across.part -= 2 * factor;
                    ++c;
                }
            }
        }
    });
    return result;
}

} // namespace karst::shape
