// Distances in volumes: gaps along y, then the lower envelope along x and along z.
#include <array>
#include <mutex>

#include "core/memory.hpp"
#include "shape/distance_passes.hpp"
#include "shape/volume.hpp"

namespace karst::shape {

namespace {

// The lower envelope along x of the gaps along y.
void rows(core::Run &run, const std::uint16_t *gaps, std::int64_t farthest,
          Field3D<std::uint32_t> &squares) {
    const std::int64_t width = squares.width();
    run.for_ranges(
        squares.height() * squares.depth(), 8, [&](std::int64_t begin, std::int64_t end) {
            LowerEnvelope envelope;
            for (std::int64_t row = begin; row < end; ++row) {
                const std::uint16_t *gap = gaps + row * width;
                std::uint32_t *out = squares.data() + row * width;
                envelope.build(width, farthest, 0, Boundary::bounded,
                               [&](std::int64_t x) { return std::int64_t{gap[x]} * gap[x]; });
                envelope.read(width, farthest,
                              [&](std::int64_t x, std::uint32_t square) { out[x] = square; });
            }
        });
}

// The lower envelope along z, in place; many pillars at a time go through a transposed copy, so
// that memory is read in whole lines.
void pillars(core::Run &run, std::int64_t farthest, Field3D<std::uint32_t> &squares) {
    const std::int64_t depth = squares.depth();
    const std::int64_t slice = squares.width() * squares.height();
    const std::int64_t blocks = (slice + kColumnsAtOnce - 1) / kColumnsAtOnce;
    run.for_ranges(blocks, 1, [&](std::int64_t begin, std::int64_t end) {
        LowerEnvelope envelope;
        std::vector<std::uint32_t> pillar(static_cast<std::size_t>(depth * kColumnsAtOnce));
        for (std::int64_t block = begin; block < end; ++block) {
            std::uint32_t *corner = squares.data() + block * kColumnsAtOnce;
            const std::int64_t count = std::min(kColumnsAtOnce, slice - block * kColumnsAtOnce);
            for (std::int64_t z = 0; z < depth; ++z) {
                for (std::int64_t i = 0; i < count; ++i) {
                    pillar[static_cast<std::size_t>(i * depth + z)] = corner[z * slice + i];
                }
            }
            for (std::int64_t i = 0; i < count; ++i) {
                std::uint32_t *line = pillar.data() + i * depth;
                // The envelope knows all of the line before the first result overwrites it.
                envelope.build(depth, farthest, 0, Boundary::bounded,
                               [&](std::int64_t z) { return std::int64_t{line[z]}; });
                envelope.read(depth, farthest,
                              [&](std::int64_t z, std::uint32_t square) { line[z] = square; });
            }
            for (std::int64_t z = 0; z < depth; ++z) {
                for (std::int64_t i = 0; i < count; ++i) {
                    corner[z * slice + i] = pillar[static_cast<std::size_t>(i * depth + z)];
                }
            }
        }
    });
}

} // namespace

Field3D<std::uint32_t> distance_squared(core::Run &run, const VolumeMask &mask, std::uint32_t cap) {
    require_cells(mask.extent(), "distance");
    require_range(cap, 0, kMaxDistanceCap, "distance", "cap");
    const std::int64_t farthest = std::int64_t{cap} * cap;
    Field3D<std::uint32_t> squares(mask.extent(), core::large_pages(run));
    {
        const std::size_t cells = mask.cells().size();
        const auto gaps = core::unwritten_array<std::uint16_t>(cells);
        column_gaps(run, mask.cells(), mask.extent(), static_cast<std::uint16_t>(cap),
                    Boundary::bounded, {gaps.get(), cells});
        rows(run, gaps.get(), farthest, squares);
    }
    pillars(run, farthest, squares);
    return squares;
}

Clearance largest_clearance(core::Run &run, const VolumeMask &open) {
    require_cells(open.extent(), "largest_clearance");
    VolumeMask closed(open.extent(), core::large_pages(run));
    run.for_ranges(open.size(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
        std::transform(open.data() + begin, open.data() + end, closed.data() + begin,
                       [](std::uint8_t cell) { return static_cast<std::uint8_t>(cell == 0); });
    });
    // Steps from cell i of n to the nearest cell outside.
    const auto to_outside = [](std::int64_t i, std::int64_t n) { return std::min(i + 1, n - i); };
    // No cell is farther from outside than the middle of the shortest side.
    const std::int64_t shortest = std::min({open.width(), open.height(), open.depth()});
    const Field3D<std::uint32_t> squares =
        distance_squared(run, closed, static_cast<std::uint32_t>((shortest + 1) / 2));
    Clearance best{-1, 0};
    std::mutex mutex;
    run.for_rows(open.height() * open.depth(), [&](std::int64_t row) {
        const std::int64_t z = row / open.height();
        const std::int64_t y = row - z * open.height();
        const std::int64_t beside =
            std::min(to_outside(y, open.height()), to_outside(z, open.depth()));
        Clearance found{-1, 0};
        for (std::int64_t x = 0; x < open.width(); ++x) {
            const std::int64_t outside = std::min(beside, to_outside(x, open.width()));
            const std::int64_t cell = row * open.width() + x;
            const auto square = static_cast<std::uint32_t>(
                std::min<std::int64_t>(squares[cell], outside * outside));
            if (square > found.distance_squared) { // 0 in closed cells only
                found = {cell, square};
            }
        }
        if (found.cell < 0) {
            return;
        }
        const std::lock_guard lock(mutex);
        const bool tie = found.distance_squared == best.distance_squared;
        if (found.distance_squared > best.distance_squared || (tie && found.cell < best.cell)) {
            best = found;
        }
    });
    return best;
}

} // namespace karst::shape
