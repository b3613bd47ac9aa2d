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

    __device__ std::uint32_t at(const rules::PhysarumRule &rule, std::int64_t cell) const {
        return rules::fold(trail[cell], strays[cell], rule.deposit);
    }
};

// Sums of three cells below this fit 32 bits, and so do windows.
inline constexpr std::uint32_t kSmallTrail = 1u << 28;

// The trail of one cell after the step, in whole; `field.at(rule, cell)` is the folded trail.
template <class Folded>
__device__ std::uint32_t diffused_at(const rules::PhysarumRule &rule, const Folded &field,
                                     std::int32_t column, std::int32_t row) {
    std::uint64_t sum = 0;
    for (std::int32_t y = row - 1; y <= row + 1; ++y) {
        for (std::int32_t x = column - 1; x <= column + 1; ++x) {
            const std::int64_t cell = rules::cell_index(rule, rule.origin_x + x, rule.origin_y + y);
            sum += cell < 0 ? 0 : field.at(rule, cell);
        }
    }
    return rules::diffuse_decay(sum, rule.retain_share);
}

// Four neighbouring columns. With kAligned the width of the field is a multiple of 4, so that they
// are all inside or all outside the field and are read at once.
template <bool kAligned>
class Columns {
public:
    __device__ Columns(bool torus, const Tiling &tiling, std::int32_t first) {
        near_ = false;
        for (int i = 0; i < kKept; ++i) {
            at_[i] = inside(torus, first + i, tiling.width);
            near_ = near_ || (at_[i] >= 0 && near_border(at_[i], tiling.width, tiling.drift));
        }
        if constexpr (kAligned) {
            near_ = near_ || (at_[0] >= 0 && near_border(at_[0] + 3, tiling.width, tiling.drift));
        }
    }

    // Strays can have come here.
    __device__ bool near() const { return near_; }

    // 0 outside, and everywhere if not `wanted`; `load(pointer)` reads.
    template <class Load>
    __device__ uint4 read(const std::uint32_t *row, bool wanted, const Load &load) const {
        if constexpr (kAligned) {
            return wanted && at_[0] >= 0 ? load(reinterpret_cast<const uint4 *>(row + at_[0]))
                                         : make_uint4(0, 0, 0, 0);
        } else {
            const auto one = [&](int i) { return wanted && at_[i] >= 0 ? load(row + at_[i]) : 0; };
            return make_uint4(one(0), one(1), one(2), one(3));
        }
    }

private:
    static constexpr int kKept = kAligned ? 1 : 4;
    std::int32_t at_[kKept];
    bool near_;
};

// Brings the folded cells of a window and of one cell more around it to shared memory; in x four
// more, so that groups of four stay groups. A warp takes a row at a time.
template <bool kAligned, bool kTorus>
__device__ void load_field(const rules::PhysarumRule &rule, const Tiling &tiling,
                           const FoldedField &field, const TilePlace &place,
                           std::uint32_t *folded) {
    const auto load = [](const auto *cells) { return __ldg(cells); };
    const std::int32_t groups = tiling.window_x / 4 + 2;
    const auto warps = static_cast<std::int32_t>(blockDim.x / 32);
    const auto warp = static_cast<std::int32_t>(threadIdx.x / 32);
    for (auto group = static_cast<std::int32_t>(threadIdx.x & 31u); group < groups; group += 32) {
        const Columns<kAligned> columns(kTorus, tiling,
                                        place.column - tiling.halo_x + 4 * (group - 1));
        auto *target = reinterpret_cast<uint4 *>(folded) + warp * groups + group;
#pragma unroll 3
        for (std::int32_t y = warp; y < tiling.window_y + 2; y += warps) {
            const std::int32_t row =
                inside(kTorus, place.row - tiling.halo_y - 1 + y, tiling.height);
            const std::int64_t start = std::int64_t{row} * tiling.width;
            const bool there = kTorus || row >= 0;
            const bool near = columns.near() || near_border(row, tiling.height, tiling.drift);
            uint4 cells = columns.read(field.trail + start, there, load);
            const uint4 counts = columns.read(field.strays + start, there && near, load);
            if ((counts.x | counts.y | counts.z | counts.w) != 0) {
                cells = make_uint4(rules::fold(cells.x, counts.x, rule.deposit),
                                   rules::fold(cells.y, counts.y, rule.deposit),
                                   rules::fold(cells.z, counts.z, rule.deposit),
                                   rules::fold(cells.w, counts.w, rule.deposit));
            }
            *target = cells;
            target += warps * groups;
        }
    }
}

// Sums of three cells of a row around each of four, of which the one to the left and the one to the
// right are given or are those of the neighbouring lanes; then all lanes of the warp must make one.
struct RowSums {
    std::uint32_t of[4];
    std::uint32_t any; // all cells that took part, or-ed

    __device__ explicit RowSums(uint4 cells)
        : RowSums(cells, __shfl_up_sync(0xffffffffu, cells.w, 1),
                  __shfl_down_sync(0xffffffffu, cells.x, 1)) {}

    __device__ RowSums(uint4 cells, std::uint32_t left, std::uint32_t right) {
        of[0] = left + cells.x + cells.y;
        of[1] = cells.x + cells.y + cells.z;
        of[2] = cells.y + cells.z + cells.w;
        of[3] = cells.z + cells.w + right;
        any = left | cells.x | cells.y | cells.z | cells.w | right;
    }
};

// Makes the trail that the agents of a tile sense from what load_field brought. A warp walks down a
// strip of rows, a lane four columns; each but the first and the last lane writes them. Sums have
// 32 bits where that is enough.
template <bool kTorus>
__device__ void make_window(const rules::PhysarumRule &rule, const Tiling &tiling,
                            const FoldedField &field, const TilePlace &place,
                            const std::uint32_t *folded, std::uint32_t *window) {
    const std::int32_t groups = tiling.window_x / 4;
    const auto warps = static_cast<std::int32_t>(blockDim.x / 32);
    const std::int32_t each = (tiling.window_y + warps - 1) / warps; // rows
    const std::int32_t begin = static_cast<std::int32_t>(threadIdx.x / 32) * each;
    const std::int32_t end = min(begin + each, tiling.window_y);
    if (begin >= end) {
        return;
    }
    const auto lane = static_cast<std::int32_t>(threadIdx.x & 31u);
    for (std::int32_t first = 0; first < groups; first += 30) {
        const std::int32_t group = first + lane; // of the folded cells; of the window one less
        const bool writes = lane > 0 && lane < 31 && group <= groups;
        const auto *source =
            reinterpret_cast<const uint4 *>(folded) + begin * (groups + 2) + min(group, groups + 1);
        auto *target = reinterpret_cast<uint4 *>(window) + begin * groups + group - 1;
        const auto next_row = [&] {
            const uint4 cells = *source;
            source += groups + 2;
            return cells;
        };
        // The row of sums `here` is the window's row y.
        const auto write = [&](std::int32_t y, const RowSums &above, const RowSums &here,
                               const RowSums &below) {
            const auto keep = [&](int i) {
                return rules::diffuse_decay(above.of[i] + here.of[i] + below.of[i],
                                            rule.retain_share);
            };
            uint4 out = make_uint4(keep(0), keep(1), keep(2), keep(3));
            const std::int32_t column = place.column - tiling.halo_x + 4 * (group - 1);
            const std::int32_t row = place.row - tiling.halo_y + y;
            const auto correct = [&](auto &&value) {
                out = make_uint4(value(column), value(column + 1), value(column + 2),
                                 value(column + 3));
            };
            if ((above.any | here.any | below.any) >= kSmallTrail) {
                correct([&](std::int32_t x) { return diffused_at(rule, field, x, row); });
            }
            if constexpr (!kTorus) { // outside there is no trail, whatever comes there
                if (column < 0 || column + 3 >= tiling.width ||
                    inside(false, row, tiling.height) < 0) {
                    const std::uint32_t made[4] = {out.x, out.y, out.z, out.w};
                    correct([&](std::int32_t x) {
                        return inside(false, x, tiling.width) < 0 ||
                                       inside(false, row, tiling.height) < 0
                                   ? 0
                                   : made[x - column];
                    });
                }
            }
            if (writes) {
                *target = out;
            }
            target += groups;
        };
        if (field.fresh) {
            next_row();
            for (std::int32_t y = begin; y < end; ++y, target += groups) {
                const uint4 cells = next_row();
                if (writes) {
                    *target = cells;
                }
            }
            continue;
        }
        RowSums a(next_row());
        RowSums b(next_row());
        for (std::int32_t y = begin; y < end; y += 3) { // rows change their part, not their place
            RowSums c(next_row());
            write(y, a, b, c);
            if (y + 1 < end) {
                a = RowSums(next_row());
                write(y + 1, b, c, a);
            }
            if (y + 2 < end) {
                b = RowSums(next_row());
                write(y + 2, c, a, b);
            }
        }
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
