// Square windows by running sums: O(1) a cell for every radius.
#include <algorithm>
#include <array>
#include <vector>

#include "shape/grid.hpp"
#include "shape/shape.hpp"

namespace karst::shape {

namespace {

constexpr std::int64_t kMaxRadius = 32767; // a window row of ones fits 16 bits
constexpr std::int64_t kColumns = 64;      // columns that are summed together

// out = finish(sum of 2 radius + 1 cells of in along x).
template <class In, class Out, class Finish>
void window_rows(core::Run &run, const Field2D<In> &in, int radius, Boundary edges, Finish finish,
                 Field2D<Out> &out) {
    const std::int64_t width = in.width();
    run.for_ranges(in.height(), 8, [&](std::int64_t begin, std::int64_t end) {
        std::vector<In> padded(static_cast<std::size_t>(width + 2 * radius + 1));
        for (std::int64_t y = begin; y < end; ++y) {
            const In *row = in.row(y).data();
            std::copy_n(row, width, padded.begin() + radius);
            for (std::int64_t i = 1; i <= radius; ++i) {
                padded[static_cast<std::size_t>(radius - i)] = row[inside(-i, width, edges)];
                padded[static_cast<std::size_t>(radius + width - 1 + i)] =
                    row[inside(width - 1 + i, width, edges)];
            }
            std::uint64_t sum = 0;
            for (std::int64_t i = 0; i < 2 * radius; ++i) {
                sum += padded[static_cast<std::size_t>(i)];
            }
            const In *leaves = padded.data();
            const In *enters = leaves + 2 * radius;
            Out *result = out.row(y).data();
            for (std::int64_t x = 0; x < width; ++x) {
                sum += enters[x];
                result[x] = finish(sum);
                sum -= leaves[x];
            }
        }
    });
}

// The same along y, many columns at a time so that memory is read in whole lines.
template <class In, class Out, class Finish>
void window_columns(core::Run &run, const Field2D<In> &in, int radius, Boundary edges,
                    Finish finish, Field2D<Out> &out) {
    const std::int64_t height = in.height();
    const std::int64_t blocks = (in.width() + kColumns - 1) / kColumns;
    run.for_ranges(blocks, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t block = begin; block < end; ++block) {
            const std::int64_t left = block * kColumns;
            const std::int64_t count = std::min(kColumns, in.width() - left);
            std::array<std::uint64_t, kColumns> sums{};
            const auto row = [&](std::int64_t y) {
                return in.row(inside(y, height, edges)).data() + left;
            };
            for (std::int64_t y = -radius; y < radius; ++y) {
                const In *enters = row(y);
                for (std::int64_t x = 0; x < count; ++x) {
                    sums[static_cast<std::size_t>(x)] += enters[x];
                }
            }
            for (std::int64_t y = 0; y < height; ++y) {
                const In *enters = row(y + radius);
                const In *leaves = row(y - radius);
                Out *result = out.row(y).data() + left;
                for (std::int64_t x = 0; x < count; ++x) {
                    std::uint64_t &sum = sums[static_cast<std::size_t>(x)];
                    sum += enters[x];
                    result[x] = finish(sum);
                    sum -= leaves[x];
                }
            }
        }
    });
}

} // namespace

Mask majority(core::Run &run, const Mask &mask, int radius, int passes, Boundary edges) {
    require_cells(mask.extent(), "majority");
    require_range(radius, 0, kMaxRadius, "majority", "radius");
    require_range(passes, 0, 1000, "majority", "passes");
    const std::uint64_t side = 2 * static_cast<std::uint64_t>(radius) + 1;
    const std::uint64_t half = side * side / 2; // side^2 is odd: no tie
    Mask result(mask.extent(), run.memory());
    std::transform(mask.cells().begin(), mask.cells().end(), result.data(),
                   [](std::uint8_t cell) { return static_cast<std::uint8_t>(cell != 0 ? 1 : 0); });
    Field2D<std::uint16_t> sums(mask.extent(), run.memory());
    for (int pass = 0; pass < passes; ++pass) {
        window_rows(
            run, result, radius, edges,
            [](std::uint64_t sum) { return static_cast<std::uint16_t>(sum); }, sums);
        window_columns(
            run, sums, radius, edges,
            [half](std::uint64_t sum) { return static_cast<std::uint8_t>(sum > half ? 1 : 0); },
            result);
    }
    return result;
}

Field2D<std::uint32_t> box_blur(core::Run &run, const Field2D<std::uint32_t> &field, int radius,
                                int passes, Boundary edges) {
    require_cells(field.extent(), "box_blur");
    require_range(radius, 0, kMaxRadius, "box_blur", "radius");
    require_range(passes, 0, 1000, "box_blur", "passes");
    const std::uint64_t side = 2 * static_cast<std::uint64_t>(radius) + 1;
    const auto mean = [side](std::uint64_t sum) { return static_cast<std::uint32_t>(sum / side); };
    Field2D<std::uint32_t> result(field.extent(), run.memory());
    std::copy_n(field.data(), field.size(), result.data());
    if (radius == 0) {
        return result;
    }
    Field2D<std::uint32_t> means(field.extent(), run.memory());
    for (int pass = 0; pass < passes; ++pass) {
        window_rows(run, result, radius, edges, mean, means);
        window_columns(run, means, radius, edges, mean, result);
    }
    return result;
}

} // namespace karst::shape
