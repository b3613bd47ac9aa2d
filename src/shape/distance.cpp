// Gaps along the columns, then the lower envelope along each row.
#include "core/memory.hpp"
#include "shape/distance_passes.hpp"

#include <array>
#include <cmath>

#include "shape/shape.hpp"

namespace karst::shape {

void column_gaps(core::Run &run, std::span<const std::uint8_t> mask, Extent3 stack,
                 std::uint16_t cap, Boundary edges, std::span<std::uint16_t> gaps) {
    const std::int64_t blocks = (stack.width + kColumnsAtOnce - 1) / kColumnsAtOnce;
    run.for_ranges(blocks * stack.depth, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t block = begin; block < end; ++block) {
            const std::int64_t image = block / blocks;
            const std::int64_t left = (block - image * blocks) * kColumnsAtOnce;
            const std::int64_t count = std::min(kColumnsAtOnce, stack.width - left);
            const std::int64_t corner = image * stack.width * stack.height + left;
            std::array<std::uint16_t, kColumnsAtOnce>
                gap; // to the last 1 that the sweep has passed
            const auto advance = [&](std::int64_t y) {
                const std::uint8_t *cells = mask.data() + corner + y * stack.width;
                for (std::int64_t x = 0; x < count; ++x) {
                    auto &g = gap[static_cast<std::size_t>(x)];
                    const auto further = static_cast<std::uint16_t>(std::min(g + 1, int{cap}));
                    g = cells[x] != 0 ? std::uint16_t{0} : further;
                }
            };
            const auto out = [&](std::int64_t y) { return gaps.data() + corner + y * stack.width; };
            const bool torus = edges == Boundary::torus;
            gap.fill(cap);
            // On the torus a lap before, to know what lies above.
            for (std::int64_t y = 0; torus && y < stack.height; ++y) {
                advance(y);
            }
            for (std::int64_t y = 0; y < stack.height; ++y) {
                advance(y);
                std::copy_n(gap.begin(), count, out(y));
            }
            gap.fill(cap);
            for (std::int64_t y = stack.height - 1; torus && y >= 0; --y) {
                advance(y);
            }
            for (std::int64_t y = stack.height - 1; y >= 0; --y) {
                advance(y);
                std::uint16_t *row = out(y);
                for (std::int64_t x = 0; x < count; ++x) {
                    row[x] = std::min(row[x], gap[static_cast<std::size_t>(x)]);
                }
            }
        }
    });
}

namespace {

template <class F>
Field2D<std::uint32_t> transform(core::Run &run, const Mask &mask, std::uint32_t cap,
                                 Boundary edges, F of_square) {
    require_cells(mask.extent(), "distance");
    require_range(cap, 0, kMaxDistanceCap, "distance", "cap");
    const std::int64_t width = mask.width();
    auto gaps = core::unset_field<std::uint16_t>(run, mask.extent());
    column_gaps(run, mask.cells(), {width, mask.height(), 1}, static_cast<std::uint16_t>(cap),
                edges, gaps.cells());
    const std::int64_t farthest = std::int64_t{cap} * cap;
    // On the torus the nearest copy of a column is at most half the width away.
    const std::int64_t beyond =
        edges == Boundary::torus ? std::min<std::int64_t>(cap, width / 2 + 1) : 0;
    auto result = core::unset_field<std::uint32_t>(run, mask.extent());
    run.for_ranges(mask.height(), 8, [&](std::int64_t begin, std::int64_t end) {
        LowerEnvelope envelope;
        for (std::int64_t y = begin; y < end; ++y) {
            const std::uint16_t *gap = gaps.row(y).data();
            std::uint32_t *out = result.row(y).data();
            // No cell of the row is farther from a 1 than along its column.
            const std::int64_t reach =
                std::min<std::int64_t>(beyond, *std::max_element(gap, gap + width));
            envelope.build(width, farthest, reach, edges,
                           [&](std::int64_t x) { return std::int64_t{gap[x]} * gap[x]; });
            envelope.read(width, farthest, [&](std::int64_t x, std::uint32_t square) {
                out[x] = of_square(square);
            });
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

Field2D<std::uint16_t> signed_distance(core::Run &run, const Mask &object, double range,
                                       Boundary edges) {
    const auto cap = static_cast<std::int64_t>(range) + 2;
    require_range(cap, 3, kMaxDistanceCap, "signed_distance", "range");
    const std::int64_t width = object.width();
    const std::int64_t height = object.height();
    Mask outside(object.extent(), core::large_pages(run));
    run.for_rows(height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < width; ++x) {
            outside.at(x, y) = object.at(x, y) == 0 ? 1 : 0;
        }
    });
    const auto to_object = distance_squared(run, object, static_cast<std::uint32_t>(cap), edges);
    const auto to_outside = distance_squared(run, outside, static_cast<std::uint32_t>(cap), edges);
    Field2D<std::uint16_t> result(object.extent(), core::large_pages(run));
    run.for_rows(height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < width; ++x) {
            double square = outside.at(x, y) != 0 ? to_object.at(x, y) : to_outside.at(x, y);
            if (edges == Boundary::bounded && outside.at(x, y) != 0) {
                const auto border =
                    static_cast<double>(1 + std::min({x, y, width - 1 - x, height - 1 - y}));
                square = std::min(square, border * border);
            }
            const double steps = std::min(32767.0, (std::sqrt(square) - 0.5) * 32767 / range + 0.5);
            const int whole = static_cast<int>(steps);
            result.at(x, y) =
                static_cast<std::uint16_t>(32768 + (outside.at(x, y) != 0 ? whole : -whole));
        }
    });
    return result;
}

} // namespace karst::shape
