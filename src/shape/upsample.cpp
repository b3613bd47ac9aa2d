// Interpolation with weights of 16 fraction bits that add up to exactly 1: in 2D the sum over the
// 4 x 4 coarse cells around is exact in 64 bits and rounded once; in 3D so is that of 4 x 4 along y
// and z, which leaves no room for x, so it is rounded to 16 fraction bits before.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "core/memory.hpp"
#include "shape/grid.hpp"
#include "shape/shape.hpp"
#include "shape/volume.hpp"

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

// What an upsampling knows of all its rows.
struct Scheme {
    std::int64_t factor;
    std::vector<Weights> weights; // by part

    Scheme(int log2_factor, Interpolation interpolation) : factor(std::int64_t{1} << log2_factor) {
        weights.resize(static_cast<std::size_t>(2 * factor));
        for (std::size_t part = 0; part < weights.size(); ++part) {
            weights[part] = interpolation == Interpolation::linear ? linear(part, weights.size())
                                                                   : cubic(part, weights.size());
        }
    }
    const Weights &of(const Place &place) const {
        return weights[static_cast<std::size_t>(place.part)];
    }
};

// The coarse columns that a row of fine cells [left, left + width) needs, and the row from them.
class RowScheme {
public:
    RowScheme(const Scheme &scheme, std::int64_t coarse_width, std::int64_t left,
              std::int64_t width, Boundary edges)
        : scheme_(scheme), start_(place_of(left, scheme.factor)) {
        const std::int64_t first = start_.coarse - 1;
        const std::int64_t end = place_of(left + width - 1, scheme.factor).coarse + 3;
        for (std::int64_t i = first; i < end; ++i) {
            sources_.push_back(inside(i, coarse_width, edges));
        }
    }

    // Column i of sums is coarse column sources()[i].
    const std::vector<std::int64_t> &sources() const { return sources_; }

    // From sums along the other axes with 16 fraction bits.
    void write(const std::vector<std::uint64_t> &sums, std::span<std::uint32_t> row) const {
        Place across = start_;
        const std::uint64_t *c = sums.data();
        for (std::uint32_t &out : row) {
            const Weights &w = scheme_.of(across);
            const std::uint64_t sum = w[0] * c[0] + w[1] * c[1] + w[2] * c[2] + w[3] * c[3];
            // At most (2^32 - 1) 2^32 before the rounding half: no overflow.
            out = static_cast<std::uint32_t>((sum + (std::uint64_t{1} << 31)) >> 32);
            across.part += 2;
            if (across.part >= 2 * scheme_.factor) {
                across.part -= 2 * scheme_.factor;
                ++c;
            }
        }
    }

private:
    const Scheme &scheme_;
    Place start_;
    std::vector<std::int64_t> sources_;
};

} // namespace

Field2D<std::uint32_t> upsample(core::Run &run, const Field2D<std::uint32_t> &coarse,
                                int log2_factor, Extent2 extent, Cell2 offset,
                                Interpolation interpolation, Boundary edges) {
    require_cells(coarse.extent(), "upsample");
    require_cells(extent, "upsample");
    require_range(log2_factor, 0, kMaxLog2Factor, "upsample", "log2_factor");
    const Scheme scheme(log2_factor, interpolation);
    const RowScheme across(scheme, coarse.width(), offset.x, extent.width, edges);
    Field2D<std::uint32_t> result(extent, core::large_pages(run));
    run.for_ranges(extent.height, 8, [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::uint64_t> sums(across.sources().size()); // along y
        for (std::int64_t y = begin; y < end; ++y) {
            const Place down = place_of(y + offset.y, scheme.factor);
            const Weights &wy = scheme.of(down);
            std::array<const std::uint32_t *, 4> rows;
            for (int k = 0; k < 4; ++k) {
                rows[static_cast<std::size_t>(k)] =
                    coarse.row(inside(down.coarse - 1 + k, coarse.height(), edges)).data();
            }
            for (std::size_t i = 0; i < sums.size(); ++i) {
                const std::int64_t x = across.sources()[i];
                sums[i] = wy[0] * rows[0][x] + wy[1] * rows[1][x] + wy[2] * rows[2][x] +
                          wy[3] * rows[3][x];
            }
            across.write(sums, result.row(y));
        }
    });
    return result;
}

void upsample_rows(
    core::Run &run, const Field3D<std::uint32_t> &coarse, int log2_factor, Extent3 extent,
    Interpolation interpolation,
    const std::function<void(std::int64_t, std::int64_t, std::span<const std::uint32_t>)> &f) {
    require_cells(coarse.extent(), "upsample");
    require_cells(extent, "upsample");
    require_range(log2_factor, 0, kMaxLog2Factor, "upsample", "log2_factor");
    const Scheme scheme(log2_factor, interpolation);
    const RowScheme across(scheme, coarse.width(), 0, extent.width, Boundary::bounded);
    run.for_ranges(extent.height * extent.depth, 8, [&](std::int64_t begin, std::int64_t end) {
        const std::size_t columns = across.sources().size();
        std::array<std::vector<std::uint64_t>, 4> along_z; // of coarse row j: along_z[j & 3]
        along_z.fill(std::vector<std::uint64_t>(columns));
        std::int64_t z_known = -1;
        std::int64_t rows_known = 0;              // of that z, those before this one
        std::vector<std::uint64_t> sums(columns); // along z, then y
        std::vector<std::uint32_t> fine(static_cast<std::size_t>(extent.width));
        for (std::int64_t row = begin; row < end; ++row) {
            const std::int64_t z = row / extent.height;
            const std::int64_t y = row - z * extent.height;
            const Place down = place_of(y, scheme.factor);
            const Place up = place_of(z, scheme.factor);
            if (z != z_known) {
                z_known = z;
                rows_known = down.coarse - 1;
            }
            for (; rows_known < down.coarse + 3; ++rows_known) {
                const auto slice = [&](int k) {
                    return coarse
                        .row(inside(rows_known, coarse.height(), Boundary::bounded),
                             inside(up.coarse - 1 + k, coarse.depth(), Boundary::bounded))
                        .data();
                };
                const std::array cells{slice(0), slice(1), slice(2), slice(3)};
                const Weights &w = scheme.of(up);
                std::uint64_t *const out = along_z[static_cast<std::size_t>(rows_known & 3)].data();
                for (std::size_t i = 0; i < columns; ++i) {
                    const std::int64_t x = across.sources()[i];
                    out[i] = w[0] * cells[0][x] + w[1] * cells[1][x] + w[2] * cells[2][x] +
                             w[3] * cells[3][x];
                }
            }
            const Weights &w = scheme.of(down);
            const auto known = [&](std::int64_t k) {
                return along_z[static_cast<std::size_t>((down.coarse - 1 + k) & 3)].data();
            };
            const std::array lines{known(0), known(1), known(2), known(3)};
            for (std::size_t i = 0; i < columns; ++i) {
                sums[i] = ((std::uint64_t{1} << 15) + w[0] * lines[0][i] + w[1] * lines[1][i] +
                           w[2] * lines[2][i] + w[3] * lines[3][i]) >>
                          16;
            }
            across.write(sums, fine);
            f(y, z, fine);
        }
    });
}

Field3D<std::uint32_t> upsample(core::Run &run, const Field3D<std::uint32_t> &coarse,
                                int log2_factor, Extent3 extent, Interpolation interpolation) {
    require_cells(extent, "upsample");
    Field3D<std::uint32_t> result(extent, core::large_pages(run));
    upsample_rows(run, coarse, log2_factor, extent, interpolation,
                  [&](std::int64_t y, std::int64_t z, std::span<const std::uint32_t> fine) {
                      std::copy(fine.begin(), fine.end(), result.row(y, z).begin());
                  });
    return result;
}

} // namespace karst::shape
