// A step where agents are few: one kernel moves them over the field in device memory, a second one
// diffuses and decays. Making a window for each tile would cost more than its agents gain. Agents
// are sorted by tile all the same, so that those of a warp read neighbouring cells.
//
// Of the trail there are two copies at the start of a step: agents sense one and add what they
// deposit to the other, which thereby is folded and is what the second kernel reads. So there are
// no counts to be read and made 0, and less is moved and kept in the caches.
//
// A cell saturates, but additions do not. One that gives back what was there can see that it went
// beyond 32 bits, but takes longer; so agents ask only where that is possible, as Overflow says.
#pragma once

#include "overlap.cuh"
#include "physarum_step.cuh"

namespace karst::cuda {

inline constexpr std::int32_t kMostSparseSide = 1 << 22; // 16 bits tell its tiles apart
inline constexpr std::int32_t kSparseDrift = kTileSide;  // of agents until they are sorted again
inline constexpr int kSparseThreads = 512;
inline constexpr int kSparseBatch = 2; // agents that a thread handles at once
inline constexpr int kGridWarps = 4;   // of a block of the second kernel
inline constexpr int kGridRows = 4;    // that a warp reads at once, and two more
inline constexpr int kCrowdThreads = 1024;

// A trail with the deposits of a step in it.
struct SummedField {
    const std::uint32_t *trail;

    __device__ std::uint32_t at(const rules::PhysarumRule &, std::int64_t cell) const {
        return trail[cell];
    }
};

// When an addition may go beyond 32 bits. Below kSmallTrail, only so many agents can do that as
// never come together where tiles are not crowded.
struct Overflow {
    std::uint32_t crowded; // not 0: so many agents can meet in a cell before they are sorted again
    std::uint32_t step;    // which begins, as far as is known, with a cell of kSmallTrail or more
};

struct SparseStep {
    AgentStep agents;
    Tiling tiling;
    const std::uint32_t *tiles; // of each agent: column of tiles, and row in the upper 16 bits
    std::uint32_t agent_count;
    std::uint32_t agents_a_block;
    std::uint32_t *trail;       // that agents sense, then that of the next step
    std::uint32_t *folded;      // the same at the start, then with the deposits
    std::uint32_t *next_folded; // the trail of the next step
    std::uint16_t *birth;       // null: not kept
    Overflow *overflow;
};

// The field as rules::WholeField, with points from the corner of an agent's window.
template <bool kTorus>
struct FieldGround {
    const std::uint32_t *trail;
    std::int32_t column; // of the window's corner
    std::int32_t row;
    std::int32_t width; // of the field
    std::int32_t height;

    // Of the cell of a point from `trail`, or -1 outside a bounded field.
    __device__ std::int64_t index(const rules::Point<std::int32_t> &point) const {
        const std::int32_t x = inside(kTorus, column + (point.x >> core::kLengthBits), width);
        const std::int32_t y = inside(kTorus, row + (point.y >> core::kLengthBits), height);
        return !kTorus && (x | y) < 0 ? -1 : std::int64_t{y} * width + x;
    }
    __device__ std::uint32_t read(const rules::Point<std::int32_t> &point) const {
        const std::int64_t cell = index(point);
        return !kTorus && cell < 0 ? 0 : trail[cell];
    }
    __device__ bool enter(const rules::Point<std::int32_t> &point) const {
        return kTorus || index(point) >= 0;
    }
};

// core::atomic_add in words that the compiler cannot join with an addition that returns something.
__device__ inline void add_silently(std::uint32_t *target, std::uint32_t amount) {
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(target)), "r"(amount)
                 : "memory");
}

// The scene of move_agents on the whole field.
template <bool kTorus>
struct FieldScene {
    using Place = std::uint32_t;
    struct Deposit {
        std::uint32_t *cell;
        std::uint32_t before; // what it held
    };

    const SparseStep &step;
    bool careful; // additions may go beyond 32 bits

    __device__ Place place_of(std::uint32_t agent) const { return step.tiles[agent]; }
    __device__ FieldGround<kTorus> ground(Place place) const {
        const Tiling &tiling = step.tiling;
        return {step.trail, (static_cast<std::int32_t>(place & 0xffff) << kTileLog) - tiling.halo_x,
                (static_cast<std::int32_t>(place >> 16) << kTileLog) - tiling.halo_y, tiling.width,
                tiling.height};
    }
    __device__ Deposit deposit(const FieldGround<kTorus> &ground,
                               const rules::Point<std::int32_t> &at) const {
        const std::int64_t cell = ground.index(at);
        if (step.birth != nullptr && step.birth[cell] == 0) { // whoever comes here writes the same
            step.birth[cell] = rules::birth_time(0, 1, step.agents.number());
        }
        std::uint32_t *const target = step.folded + cell;
        const std::uint32_t amount = step.agents.rule.deposit;
        if (careful) {
            return {target, atomicAdd(target, amount)};
        }
        add_silently(target, amount);
        return {};
    }
    // Saturates a sum beyond 32 bits. Whatever the order of all additions to the cell, one that
    // goes beyond comes last or is followed by this, so that the cell ends up as rules::fold says.
    __device__ void settle(const Deposit &deposit) const {
        if (deposit.before > ~step.agents.rule.deposit) {
            atomicExch(deposit.cell, 0xffffffffu);
        }
    }
};

template <bool kTorus, bool kPlain>
__global__ void __launch_bounds__(kSparseThreads, 2)
    move_sparse(const __grid_constant__ SparseStep step) {
    __shared__ alignas(16) core::Direction directions[core::kDirectionCount];
    __shared__ std::uint8_t queue[kSparseBatch * kSparseThreads];
    load_directions(step.agents.tables, directions);
    __syncthreads();
    wait_for_previous();
    let_next_begin();
    const bool careful = step.overflow->crowded != 0 || step.overflow->step == step.agents.number();
    const std::uint32_t begin = blockIdx.x * step.agents_a_block; // below agent_count
    const std::uint32_t end = begin + min(step.agents_a_block, step.agent_count - begin);
    move_agents<kPlain, kSparseBatch>(step.agents, begin, end, FieldScene<kTorus>{step, careful},
                                      directions, queue);
}

// Writes the trail of the next step: four columns, those inside the field.
template <bool kAligned>
__device__ void write_trail(const SparseStep &step, std::int32_t column, std::int32_t row,
                            const std::uint32_t (&cells)[4]) {
    const std::int64_t cell = std::int64_t{row} * step.tiling.width + column;
    for (std::uint32_t *const target : {step.trail + cell, step.next_folded + cell}) {
        if constexpr (kAligned) {
            *reinterpret_cast<uint4 *>(target) = make_uint4(cells[0], cells[1], cells[2], cells[3]);
        } else {
#pragma unroll
            for (std::int32_t i = 0; i < 4; ++i) {
                if (column + i < step.tiling.width) {
                    target[i] = cells[i];
                }
            }
        }
    }
}

// The same once more for kGridRows rows, from sums that may need more than 32 bits.
template <bool kAligned>
__device__ void write_bright(const SparseStep &step, std::int32_t column, std::int32_t begin) {
    step.overflow->step = step.agents.number() + 1; // all write the same
    const std::int32_t end = min(begin + kGridRows, step.tiling.height);
#pragma unroll 1
    for (std::int32_t row = begin; row < end; ++row) {
        std::uint32_t cells[4];
        for (std::int32_t i = 0; i < 4; ++i) {
            cells[i] = diffused_at(step.agents.rule, SummedField{step.folded}, column + i, row);
        }
        write_trail<kAligned>(step, column, row, cells);
    }
}

// Diffuses and decays. A lane takes four columns, a warp kGridRows rows of 128. With kLastUse what
// is read leaves the caches first.
template <bool kAligned, bool kTorus, bool kLastUse>
__global__ void __launch_bounds__(32 * kGridWarps)
    diffuse_sparse(const __grid_constant__ SparseStep step) {
    const rules::PhysarumRule &rule = step.agents.rule;
    const Tiling &tiling = step.tiling;
    const unsigned lane = threadIdx.x & 31u;
    const auto column = static_cast<std::int32_t>(4 * (blockIdx.x * 32 + lane));
    const Columns<kAligned> columns(kTorus, tiling, column);
    // What the first and the last lane need beside their columns.
    const std::int32_t edge = lane == 0    ? inside(kTorus, column - 1, tiling.width)
                              : lane == 31 ? inside(kTorus, column + 4, tiling.width)
                                           : -1;
    const std::int32_t strips = (tiling.height + kGridRows - 1) / kGridRows;
    const auto stride = static_cast<std::int32_t>(gridDim.y * kGridWarps);
    const auto load = [](const auto *cells) { return kLastUse ? __ldcs(cells) : *cells; };
    wait_for_previous();
    let_next_begin();
    for (auto strip = static_cast<std::int32_t>(blockIdx.y * kGridWarps + threadIdx.x / 32);
         strip < strips; strip += stride) {
        const std::int32_t begin = strip * kGridRows;
        uint4 cells[kGridRows + 2]; // all are asked for before the first is used
        std::uint32_t edges[kGridRows + 2];
#pragma unroll
        for (std::int32_t i = 0; i < kGridRows + 2; ++i) {
            const std::int32_t row = inside(kTorus, begin - 1 + i, tiling.height);
            const bool there = kTorus || row >= 0;
            const std::uint32_t *const start = step.folded + std::int64_t{row} * tiling.width;
            cells[i] = columns.read(start, there, load);
            edges[i] = there && edge >= 0 ? start[edge] : 0;
        }
        const auto sums_of = [&](std::int32_t i) {
            const std::uint32_t left = __shfl_up_sync(kWholeWarp, cells[i].w, 1);
            const std::uint32_t right = __shfl_down_sync(kWholeWarp, cells[i].x, 1);
            return RowSums(cells[i], lane == 0 ? edges[i] : left, lane == 31 ? edges[i] : right);
        };
        std::uint32_t any = 0;
        RowSums above = sums_of(0);
        RowSums here = sums_of(1);
#pragma unroll
        for (std::int32_t i = 0; i < kGridRows; ++i) { // unrolled, so that nothing is moved
            const RowSums below = sums_of(i + 2);
            any |= above.any | here.any | below.any;
            if (begin + i < tiling.height && column < tiling.width) {
                std::uint32_t out[4];
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    out[k] = rules::diffuse_decay(above.of[k] + here.of[k] + below.of[k],
                                                  rule.retain_share);
                }
                write_trail<kAligned>(step, column, begin + i, out);
            }
            above = here;
            here = below;
        }
        if (any >= kSmallTrail && column < tiling.width) {
            write_bright<kAligned>(step, column, begin);
        }
    }
}

// Finds out whether more than `most` agents can meet in a cell. Until they are sorted again, those
// that can come there are in the tiles at most `radius` away. One block.
__global__ void __launch_bounds__(kCrowdThreads)
    find_crowds(const std::uint32_t *first, Tiling tiling, std::int32_t radius, std::uint64_t most,
                std::uint32_t *crowded) {
    bool found = false;
    for (std::uint32_t tile = threadIdx.x; tile < tiling.tiles(); tile += kCrowdThreads) {
        const auto x = static_cast<std::int32_t>(tile) % tiling.tiles_x;
        const auto y = static_cast<std::int32_t>(tile) / tiling.tiles_x;
        std::uint64_t agents = 0;
        for (std::int32_t row = y - radius; row <= y + radius; ++row) {
            for (std::int32_t column = x - radius; column <= x + radius; ++column) {
                const std::int32_t near = core::wrapped(row, tiling.tiles_y) * tiling.tiles_x +
                                          core::wrapped(column, tiling.tiles_x);
                agents += first[near + 1] - first[near];
            }
        }
        found = found || agents > most;
    }
    const int any = __syncthreads_or(found ? 1 : 0);
    if (threadIdx.x == 0) {
        *crowded = static_cast<std::uint32_t>(any);
    }
}

} // namespace karst::cuda
