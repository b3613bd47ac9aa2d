// A step where agents are few: one kernel moves them over the field in device memory, a second one
// folds, diffuses and decays. Making a window for each tile would cost more than its agents gain.
// Agents are sorted by tile all the same, so that those of a warp read neighbouring cells.
#pragma once

#include "physarum_step.cuh"

namespace karst::cuda {

inline constexpr std::int32_t kMostSparseWidth = 1 << 20; // a row of a window times it fits 32 bits
inline constexpr int kSparseThreads = 128;
inline constexpr int kGridWarps = 4;   // of a block of the second kernel
inline constexpr int kGridRows = 8;    // that a warp walks down
inline constexpr int kGridGroups = 30; // of four columns that a warp writes

// The field around a tile as rules::WholeField, with points from the window's corner. With kInner
// all that agents can reach and see lies inside the field, so that no place needs a check.
template <bool kTorus, bool kInner>
struct FieldGround {
    const std::uint32_t *trail; // at the window's corner with kInner, else at the field's
    std::int32_t column;        // of the window's corner
    std::int32_t row;
    std::int32_t width; // of the field
    std::int32_t height;

    // Of the cell of a point from `trail`, or -1 outside a bounded field.
    __device__ std::int64_t index(const rules::Point<std::int32_t> &point) const {
        const std::int32_t x = point.x >> core::kLengthBits;
        const std::int32_t y = point.y >> core::kLengthBits;
        if constexpr (kInner) {
            return y * width + x; // a window of a field of at most kMostSparseWidth columns
        } else {
            const std::int32_t in_x = inside(kTorus, column + x, width);
            const std::int32_t in_y = inside(kTorus, row + y, height);
            return (in_x | in_y) < 0 ? -1 : std::int64_t{in_y} * width + in_x;
        }
    }
    __device__ std::uint32_t read(const rules::Point<std::int32_t> &point) const {
        const std::int64_t cell = index(point);
        return !kInner && cell < 0 ? 0 : __ldg(trail + cell);
    }
    __device__ bool enter(const rules::Point<std::int32_t> &point) const {
        return kTorus || kInner || index(point) >= 0;
    }
};

template <bool kTorus, bool kPlain, bool kInner>
__device__ void move_on_field(const TileStep &step, const TilePlace &place, std::uint32_t tile,
                              std::uint8_t *queue) {
    const Tiling &tiling = step.tiling;
    const std::int32_t column = place.column - tiling.halo_x;
    const std::int32_t row = place.row - tiling.halo_y;
    const std::int64_t corner = kInner ? std::int64_t{row} * tiling.width + column : 0;
    const FieldGround<kTorus, kInner> ground{step.field.trail + corner, column, row, tiling.width,
                                             tiling.height};
    std::uint32_t *const counts = step.next_strays + corner;
    move_agents<kPlain>(step, tile, ground, step.directions, queue,
                        [&](const rules::Point<std::int32_t> &at) {
                            core::atomic_add(counts[ground.index(at)], 1);
                        });
}

// The counts go to next_strays, which must be 0. `reach` is how far agents come and see beyond
// their tile.
template <bool kTorus, bool kPlain>
__global__ void __launch_bounds__(kSparseThreads, 8)
    move_sparse(const __grid_constant__ TileStep step, std::int32_t reach) {
    __shared__ std::uint8_t queue[kBatch * kSparseThreads];
    const Tiling &tiling = step.tiling;
    for (std::uint32_t tile = blockIdx.x; tile < tiling.tiles(); tile += gridDim.x) {
        const TilePlace place = place_of(tiling, tile);
        if (place.column >= reach && place.column + kTileSide + reach <= tiling.width &&
            place.row >= reach && place.row + kTileSide + reach <= tiling.height) {
            move_on_field<kTorus, kPlain, true>(step, place, tile, queue);
        } else {
            move_on_field<kTorus, kPlain, false>(step, place, tile, queue);
        }
    }
}

// Folds the counts of step.next_strays into the trail, diffuses and decays into next_trail, keeps
// birth times and makes old_strays 0. A lane takes four columns, and all but the first and the last
// lane of a warp write them.
template <bool kAligned, bool kTorus>
__global__ void __launch_bounds__(32 * kGridWarps)
    diffuse_sparse(const __grid_constant__ TileStep step) {
    const rules::PhysarumRule &rule = step.rule;
    const Tiling &tiling = step.tiling;
    const FoldedField field{step.field.trail, step.next_strays, false};
    const auto lane = static_cast<std::int32_t>(threadIdx.x & 31u);
    const std::int32_t column =
        4 * (static_cast<std::int32_t>(blockIdx.x) * kGridGroups + lane - 1);
    const Columns<kAligned> columns(kTorus, tiling, column);
    const bool writes = lane > 0 && lane <= kGridGroups && column < tiling.width;
    const std::int32_t strips = (tiling.height + kGridRows - 1) / kGridRows;
    const auto stride = static_cast<std::int32_t>(gridDim.y * kGridWarps);
    for (auto strip = static_cast<std::int32_t>(blockIdx.y * kGridWarps + threadIdx.x / 32);
         strip < strips; strip += stride) {
        const std::int32_t begin = strip * kGridRows;
        const std::int32_t end = min(begin + kGridRows, tiling.height);
        const auto sums_of = [&](std::int32_t place) {
            const std::int32_t row = inside(kTorus, place, tiling.height);
            const bool there = kTorus || row >= 0;
            const std::int64_t start = std::int64_t{row} * tiling.width;
            const uint4 cells = columns.read(field.trail + start, there);
            const uint4 counts = columns.read(field.strays + start, there);
            return RowSums(make_uint4(rules::fold(cells.x, counts.x, rule.deposit),
                                      rules::fold(cells.y, counts.y, rule.deposit),
                                      rules::fold(cells.z, counts.z, rule.deposit),
                                      rules::fold(cells.w, counts.w, rule.deposit)));
        };
        const auto write = [&](std::int32_t y, const RowSums &above, const RowSums &here,
                               const RowSums &below) {
            if (!writes) {
                return;
            }
            std::uint32_t out[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                out[i] =
                    rules::diffuse_decay(above.of[i] + here.of[i] + below.of[i], rule.retain_share);
            }
            if ((above.any | here.any | below.any) >= kSmallTrail) {
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    out[i] = diffused_at(rule, field, column + i, y);
                }
            }
            const std::int64_t cell = std::int64_t{y} * tiling.width + column;
            if constexpr (kAligned) {
                *reinterpret_cast<uint4 *>(step.next_trail + cell) =
                    make_uint4(out[0], out[1], out[2], out[3]);
                *reinterpret_cast<uint4 *>(step.old_strays + cell) = make_uint4(0, 0, 0, 0);
            }
            if (!kAligned || step.birth != nullptr) {
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    if (column + i >= tiling.width) {
                        break;
                    }
                    if constexpr (!kAligned) {
                        step.next_trail[cell + i] = out[i];
                        step.old_strays[cell + i] = 0;
                    }
                    if (step.birth != nullptr) {
                        step.birth[cell + i] =
                            rules::birth_time(step.birth[cell + i], field.strays[cell + i],
                                              *step.first_step + step.offset);
                    }
                }
            }
        };
        RowSums a = sums_of(begin - 1);
        RowSums b = sums_of(begin);
#pragma unroll
        for (std::int32_t i = 0; i < kGridRows; ++i) { // unrolled, so that nothing is moved
            if (begin + i < end) {
                const RowSums c = sums_of(begin + i + 1);
                write(begin + i, a, b, c);
                a = b;
                b = c;
            }
        }
    }
}

} // namespace karst::cuda
