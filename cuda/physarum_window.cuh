// The trail of a tile and of what its agents can see, made in shared memory from what the step
// before left in device memory.
//
// A step of the tiled engine is one kernel. It begins with the second phase of the step before
// (diffuse and decay), which needs the deposits of neighbouring tiles, and ends with the fold of
// its own deposits. Between two steps the field is therefore kept folded. Deposits of agents that
// have left their tile are counted apart in `strays` and folded in when a window is made: saturated
// sums of numbers that are not negative may be formed in parts.
#pragma once

#include "physarum_tiles.cuh"

namespace karst::cuda {

// The field between two steps.
struct FoldedField {
    const std::uint32_t *trail;  // folded with the deposits that agents made in their own tile
    const std::uint32_t *strays; // counts of the other agents; 0 but near the border of tiles
    bool fresh;                  // the trail is that of a finished step: nothing is to be done yet
};

// Sums of three cells below this fit 32 bits, and so do windows.
inline constexpr std::uint32_t kSmallTrail = 1u << 28;

__device__ inline std::uint32_t folded_at(const rules::PhysarumRule &rule, const FoldedField &field,
                                          std::int64_t cell) {
    return rules::fold(field.trail[cell], field.strays[cell], rule.deposit);
}

// The trail of one cell after the step, in whole.
__device__ inline std::uint32_t diffused_at(const rules::PhysarumRule &rule,
                                            const FoldedField &field, std::int32_t column,
                                            std::int32_t row) {
    std::uint64_t sum = 0;
    for (std::int32_t y = row - 1; y <= row + 1; ++y) {
        for (std::int32_t x = column - 1; x <= column + 1; ++x) {
            const std::int64_t cell = rules::cell_index(rule, rule.origin_x + x, rule.origin_y + y);
            sum += cell < 0 ? 0 : folded_at(rule, field, cell);
        }
    }
    return rules::diffuse_decay(sum, rule.retain_share);
}

// A column or row of the field from one that may lie outside: -1 outside a bounded field.
__device__ inline std::int32_t inside(bool torus, std::int32_t place, std::int32_t size) {
    if (torus) {
        return core::wrapped(place, size);
    }
    return static_cast<std::uint32_t>(place) < static_cast<std::uint32_t>(size) ? place : -1;
}

// Four neighbouring cells of a row and one on either side. With kAligned the width of the field is
// a multiple of 4, so that the four lie together and are read at once.
template <bool kAligned>
class Columns {
public:
    __device__ Columns(const rules::PhysarumRule &rule, const Tiling &tiling, std::int32_t first) {
        near_ = false;
        for (std::int32_t i = 0; i < 6; ++i) {
            at_[i] = inside(rule.torus, first - 1 + i, tiling.width);
            near_ = near_ ||
                    (at_[i] >= 0 && near_border(at_[i], tiling.log_x, tiling.width, tiling.drift));
        }
    }

    __device__ bool outside(int i) const { return at_[i] < 0; }
    __device__ std::int32_t column(int i) const { return at_[i]; }

    // The folded cells of a row; 0 outside.
    __device__ void read(const rules::PhysarumRule &rule, const Tiling &tiling,
                         const FoldedField &field, std::int32_t row,
                         std::uint32_t (&cells)[6]) const {
        if (row < 0) {
            for (std::uint32_t &cell : cells) {
                cell = 0;
            }
            return;
        }
        const std::int64_t start = std::int64_t{row} * tiling.width;
        load(field.trail + start, cells);
        if (near_ || near_border(row, tiling.log_y, tiling.height, tiling.drift)) {
            std::uint32_t counts[6];
            load(field.strays + start, counts);
            for (int i = 0; i < 6; ++i) {
                if (counts[i] != 0) {
                    cells[i] = rules::fold(cells[i], counts[i], rule.deposit);
                }
            }
        }
    }

private:
    __device__ void load(const std::uint32_t *row, std::uint32_t (&cells)[6]) const {
        cells[0] = one(row, 0);
        cells[5] = one(row, 5);
        if constexpr (kAligned) {
            const uint4 four = at_[1] < 0 ? make_uint4(0, 0, 0, 0)
                                          : __ldg(reinterpret_cast<const uint4 *>(row + at_[1]));
            cells[1] = four.x;
            cells[2] = four.y;
            cells[3] = four.z;
            cells[4] = four.w;
        } else {
            for (int i = 1; i < 5; ++i) {
                cells[i] = one(row, i);
            }
        }
    }
    __device__ std::uint32_t one(const std::uint32_t *row, int i) const {
        return at_[i] < 0 ? 0 : __ldg(row + at_[i]);
    }

    std::int32_t at_[6];
    bool near_; // strays can have come to one of the columns
};

// Sums of three cells of a row around each of four, and whether all six are small.
struct RowSums {
    std::uint32_t of[4];
    std::uint32_t any; // all cells or-ed

    __device__ explicit RowSums(const std::uint32_t (&cells)[6]) {
        for (int i = 0; i < 4; ++i) {
            of[i] = cells[i] + cells[i + 1] + cells[i + 2];
        }
        any = cells[0] | cells[1] | cells[2] | cells[3] | cells[4] | cells[5];
    }
};

// Writes the trail that the agents of a tile sense. A thread walks down a strip of four columns
// and keeps the sums of the rows above and at its own. Sums have 32 bits where that is enough.
template <bool kAligned>
__device__ void make_window(const rules::PhysarumRule &rule, const Tiling &tiling,
                            const FoldedField &field, const TilePlace &place,
                            std::uint32_t *window) {
    const std::int32_t groups = tiling.window_x() / 4;
    const std::int32_t strips = static_cast<std::int32_t>(blockDim.x) / groups;
    const std::int32_t rows = (tiling.window_y() + strips - 1) / strips;
    const std::int32_t strip = static_cast<std::int32_t>(threadIdx.x) / groups;
    const std::int32_t group = static_cast<std::int32_t>(threadIdx.x) - strip * groups;
    const std::int32_t begin = strip * rows;
    const std::int32_t end = min(begin + rows, tiling.window_y());
    if (begin >= end) {
        return;
    }
    const Columns<kAligned> columns(rule, tiling, place.column - tiling.halo_x + 4 * group);
    const auto row_of = [&](std::int32_t y) {
        return inside(rule.torus, place.row - tiling.halo_y + y, tiling.height);
    };
    auto *target = reinterpret_cast<uint4 *>(window + begin * tiling.window_x() + 4 * group);
    std::uint32_t cells[6];
    if (field.fresh) {
        for (std::int32_t y = begin; y < end; ++y, target += groups) {
            columns.read(rule, tiling, field, row_of(y), cells);
            *target = make_uint4(cells[1], cells[2], cells[3], cells[4]);
        }
        return;
    }
    columns.read(rule, tiling, field, row_of(begin - 1), cells);
    RowSums above(cells);
    std::int32_t row = row_of(begin);
    columns.read(rule, tiling, field, row, cells);
    RowSums here(cells);
#pragma unroll 2
    for (std::int32_t y = begin; y < end; ++y, target += groups) {
        const std::int32_t next_row = row_of(y + 1);
        columns.read(rule, tiling, field, next_row, cells);
        const RowSums below(cells);
        std::uint32_t out[4];
        if ((above.any | here.any | below.any) < kSmallTrail) {
            for (int i = 0; i < 4; ++i) {
                out[i] =
                    rules::diffuse_decay(above.of[i] + here.of[i] + below.of[i], rule.retain_share);
            }
        } else if (row >= 0) {
            for (int i = 0; i < 4; ++i) {
                out[i] = columns.outside(i + 1)
                             ? 0
                             : diffused_at(rule, field, columns.column(i + 1), row);
            }
        }
        for (int i = 0; i < 4; ++i) {
            if (row < 0 || columns.outside(i + 1)) {
                out[i] = 0;
            }
        }
        *target = make_uint4(out[0], out[1], out[2], out[3]);
        above = here;
        here = below;
        row = next_row;
    }
}

// The trail of a finished step, for the end of a run. `last_step` is the number of the last one.
__global__ void finish(rules::PhysarumRule rule, FoldedField field, std::uint32_t *__restrict__ out,
                       std::uint16_t *__restrict__ birth, std::uint32_t last_step) {
    const std::int64_t cells = std::int64_t{rule.width} * rule.height;
    const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
    for (std::int64_t cell = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; cell < cells;
         cell += stride) {
        out[cell] = diffused_at(rule, field, static_cast<std::int32_t>(cell % rule.width),
                                static_cast<std::int32_t>(cell / rule.width));
        if (birth != nullptr) {
            birth[cell] = rules::birth_time(birth[cell], field.strays[cell], last_step);
        }
    }
}

} // namespace karst::cuda
