// Windows by running sums along one axis: O(1) a cell for every radius.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/run.hpp"
#include "shape/grid.hpp"

namespace karst::shape {

// out = finish(sum of 2 radius + 1 cells of in along x), in rows of `width` one after another.
template <class In, class Out, class Finish>
void window_rows(core::Run &run, std::span<const In> in, std::int64_t width, int radius,
                 Boundary edges, Finish finish, std::span<Out> out) {
    const std::int64_t rows = static_cast<std::int64_t>(in.size()) / width;
    run.for_ranges(rows, 8, [&](std::int64_t begin, std::int64_t end) {
        std::vector<In> padded(static_cast<std::size_t>(width + 2 * radius + 1));
        for (std::int64_t y = begin; y < end; ++y) {
            const In *row = in.data() + y * width;
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
            Out *result = out.data() + y * width;
            for (std::int64_t x = 0; x < width; ++x) {
                sum += enters[x];
                result[x] = finish(sum);
                sum -= leaves[x];
            }
        }
    });
}

// The same along y, in a stack of `depth` images of width x height; many columns at a time so that
// memory is read in whole lines.
template <class In, class Out, class Finish>
void window_columns(core::Run &run, std::span<const In> in, Extent3 stack, int radius,
                    Boundary edges, Finish finish, std::span<Out> out) {
    constexpr std::int64_t kColumns = 64;
    const std::int64_t blocks = (stack.width + kColumns - 1) / kColumns;
    run.for_ranges(blocks * stack.depth, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t block = begin; block < end; ++block) {
            const std::int64_t image = block / blocks;
            const std::int64_t left = (block - image * blocks) * kColumns;
            const std::int64_t count = std::min(kColumns, stack.width - left);
            const std::int64_t corner = image * stack.width * stack.height + left;
            std::array<std::uint64_t, kColumns> sums{};
            const auto row = [&](std::int64_t y) {
                return in.data() + corner + inside(y, stack.height, edges) * stack.width;
            };
            for (std::int64_t y = -radius; y < radius; ++y) {
                const In *enters = row(y);
                for (std::int64_t x = 0; x < count; ++x) {
                    sums[static_cast<std::size_t>(x)] += enters[x];
                }
            }
            for (std::int64_t y = 0; y < stack.height; ++y) {
                const In *enters = row(y + radius);
                const In *leaves = row(y - radius);
                Out *result = out.data() + corner + y * stack.width;
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

} // namespace karst::shape
