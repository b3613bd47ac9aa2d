// Several generations of Life in one pass over a board in device memory. A warp walks down a strip
// of the board: each lane holds one word of 64 cells of a row, the first and the last lane only
// what their neighbours need. Row y enters at generation 0 and goes through a pipeline in
// registers: its stage k keeps two rows of generation k, so that the third gives it a row of
// generation k + 1. Nothing but the first and the last generation meets memory.
#pragma once

#include <cstdint>

#include "rules/life.hpp"

namespace karst::cuda {

constexpr int kStripLanes = 30;    // words of a strip that are written; one lane more on each side
constexpr int kStripThreads = 128; // of a block, at most: each warp has a strip of its own
constexpr int kStripUnroll = 3;    // rows; then the names of the rows in the pipeline repeat

// 64 cells as two registers; `low` holds those of smaller x.
struct StripWord {
    std::uint32_t low;
    std::uint32_t high;
};

// A row of one generation in the pipeline.
struct StripRow {
    rules::BasicRowSum<std::uint32_t> low;
    rules::BasicRowSum<std::uint32_t> high;
    StripWord centre;
};

__device__ inline StripWord split(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
}

__device__ inline std::uint64_t joined(StripWord word) {
    return word.low | (std::uint64_t{word.high} << 32);
}

// The sums of a row, with the cells of the lanes beside. What the outermost cells of a warp read is
// wrong; each generation the fault moves in by a cell, and both outer lanes have 64.
__device__ inline StripRow sum_row(StripWord word) {
    const std::uint32_t before = __shfl_up_sync(~0u, word.high, 1);
    const std::uint32_t after = __shfl_down_sync(~0u, word.low, 1);
    const auto sums = [](std::uint32_t left, std::uint32_t centre, std::uint32_t right) {
        return rules::row_sum(__funnelshift_l(left, centre, 1), centre,
                              __funnelshift_r(centre, right, 1));
    };
    return {sums(before, word.low, word.high), sums(word.low, word.high, after), word};
}

template <class Rule>
__device__ inline StripWord next_row(const StripRow &above, const StripRow &row,
                                     const StripRow &below, const Rule &rule) {
    return {rules::next_from_sums(above.low, row.low, below.low, row.centre.low, rule),
            rules::next_from_sums(above.high, row.high, below.high, row.centre.high, rule)};
}

// 64 cells of a torus from column `start` on, which is in [0, width).
__device__ inline std::uint64_t torus_word(const std::uint64_t *row, std::int64_t width,
                                           std::int64_t start) {
    if ((start & 63) == 0 && start + 64 <= width) {
        return row[start >> 6];
    }
    std::uint64_t word = 0;
    for (std::int64_t filled = 0; filled < 64;) {
        const std::int64_t bit = start & 63;
        const std::int64_t room = width - start < 64 - bit ? width - start : 64 - bit;
        const std::int64_t count = room < 64 - filled ? room : 64 - filled;
        const std::uint64_t cells = (row[start >> 6] >> bit) & (~std::uint64_t{0} >> (64 - count));
        word |= cells << filled;
        filled += count;
        start = start + count == width ? 0 : start + count;
    }
    return word;
}

__device__ inline std::int64_t modulo(std::int64_t value, std::int64_t size) {
    return ((value % size) + size) % size;
}

// Reads one column of words down the rows of a board, beyond its borders too. On a torus the cells
// behind the end of a row are those of its start.
class BorderReader {
public:
    // Begins at word i of row y, either of which may be outside of the board.
    __device__ BorderReader(const rules::LifeView &view, std::int64_t y, std::int64_t i)
        : view_(view), torus_(view.boundary == LifeBoundary::torus),
          row_(torus_ ? modulo(y, view.height) : y),
          start_(torus_ ? modulo(64 * i, view.width) : 64 * i),
          valid_(i >= 0 && i < view.words ? rules::valid_bits(view, i) : 0) {}

    // The word, then goes to the next row.
    __device__ std::uint64_t take() {
        const std::int64_t y = row_++;
        if (torus_) {
            row_ = row_ == view_.height ? 0 : row_;
            return torus_word(view_.cells + y * view_.words, view_.width, start_);
        }
        const std::uint64_t outside = rules::outside_word(view_.boundary);
        if (y < 0 || y >= view_.height || valid_ == 0) {
            return outside;
        }
        return view_.cells[y * view_.words + (start_ >> 6)] | (outside & ~valid_);
    }

    // The bits of the words that are on the board.
    __device__ std::uint64_t valid() const { return valid_; }

private:
    const rules::LifeView &view_;
    bool torus_;
    std::int64_t row_;
    std::int64_t start_; // column of the first cell
    std::uint64_t valid_;
};

// What a strip of rows [begin, end) and words [first - 1, first + 30] is.
struct Strip {
    std::int64_t begin;
    std::int64_t end;
    std::int64_t word; // of this lane; may be outside of the board
    bool writes;       // this lane
};

// A row of a strip goes through all generations: each keeps it, and makes the row before it from
// the three that it has then. `then` may change what generation k made before the next takes it.
template <int kGenerations, class Rule, class Then>
__device__ inline StripWord pass_row(StripWord word, StripRow (&above)[kGenerations],
                                     StripRow (&row)[kGenerations], const Rule &rule, Then &&then) {
#pragma unroll
    for (int k = 0; k < kGenerations; ++k) {
        const StripRow below = sum_row(word);
        word = next_row(above[k], row[k], below, rule);
        above[k] = row[k];
        row[k] = below;
        then(k, word);
    }
    return word;
}

// A strip that needs no care for a border: it is away from them (the rows read may be up to
// 2 kStripUnroll more than it needs), or, if kWraps, it may be anywhere on a torus of whole words.
template <int kGenerations, bool kWraps, class Rule>
__device__ inline void walk_freely(const rules::LifeView &view, const Rule &rule,
                                   const Strip &strip, std::uint64_t *__restrict__ next) {
    constexpr int kAhead = kGenerations < 4 ? kStripUnroll : 1; // rows on their way from memory
    const std::int64_t column = kWraps ? modulo(strip.word, view.words) : strip.word;
    const std::int64_t first = strip.begin - kGenerations;
    const std::uint64_t *from =
        view.cells + (kWraps ? modulo(first, view.height) : first) * view.words + column;
    const std::uint64_t *const end = view.cells + view.height * view.words + column;
    std::uint64_t *to = next + (strip.begin - 2 * kGenerations) * view.words + strip.word;
    const auto take = [&] {
        const std::uint64_t word = *from;
        from += view.words;
        if (kWraps && from == end) {
            from -= view.height * view.words;
        }
        return word;
    };
    const int rows = static_cast<int>(strip.end - strip.begin);
    StripRow above[kGenerations] = {};
    StripRow row[kGenerations] = {};
    std::uint64_t coming[kAhead];
#pragma unroll
    for (int a = 0; a < kAhead; ++a) {
        coming[a] = take();
    }
    for (int i = 0; i < rows + 2 * kGenerations; i += kStripUnroll) {
#pragma unroll
        for (int u = 0; u < kStripUnroll; ++u) {
            const StripWord read = split(coming[u % kAhead]);
            coming[u % kAhead] = take();
            const StripWord word = pass_row(read, above, row, rule, [](int, StripWord &) {});
            if (strip.writes && i + u >= 2 * kGenerations && i + u < rows + 2 * kGenerations) {
                *to = joined(word);
            }
            to += view.words;
        }
    }
}

// A strip at the border of a board. After each generation the cells outside of a bounded one are
// set to what they always are; those outside of a torus live on, as they are cells of the other
// side.
template <int kGenerations, class Rule>
__device__ inline void walk_at_border(const rules::LifeView &view, const Rule &rule,
                                      const Strip &strip, std::uint64_t *__restrict__ next) {
    const bool torus = view.boundary == LifeBoundary::torus;
    const std::uint64_t outside = rules::outside_word(view.boundary);
    const bool needed = strip.word <= view.words;
    BorderReader reader(view, strip.begin - kGenerations, strip.word);
    StripRow above[kGenerations] = {};
    StripRow row[kGenerations] = {};
#pragma unroll 1
    for (std::int64_t y = strip.begin - kGenerations; y < strip.end + kGenerations; ++y) {
        const StripWord read = split(needed ? reader.take() : 0);
        const StripWord word = pass_row(read, above, row, rule, [&](int k, StripWord &made) {
            if (!torus) {
                const std::int64_t its = y - k - 1;
                const std::uint64_t inside = its >= 0 && its < view.height ? reader.valid() : 0;
                made = split((joined(made) & inside) | (outside & ~inside));
            }
        });
        const std::int64_t its = y - kGenerations;
        if (strip.writes && its >= strip.begin) {
            next[its * view.words + strip.word] = joined(word) & reader.valid();
        }
    }
}

// `rows` of a strip; the grid has a warp for each strip, those beside one another first.
template <int kGenerations, class Rule>
__global__ void __launch_bounds__(kStripThreads)
    walk_strips(rules::LifeView view, Rule rule, std::uint64_t *__restrict__ next,
                std::int64_t rows) {
    const std::int64_t columns = (view.words + kStripLanes - 1) / kStripLanes;
    const std::int64_t warp =
        std::int64_t{blockIdx.x} * (blockDim.x / 32) + static_cast<int>(threadIdx.x / 32);
    const int lane = static_cast<int>(threadIdx.x % 32);
    const std::int64_t first = warp % columns * kStripLanes;
    Strip strip;
    strip.begin = warp / columns * rows;
    if (strip.begin >= view.height) {
        return;
    }
    strip.end = strip.begin + rows < view.height ? strip.begin + rows : view.height;
    strip.word = first - 1 + lane;
    strip.writes = lane > 0 && lane <= kStripLanes && strip.word < view.words;
    const bool whole = (view.width & 63) == 0;
    const bool inside = first > 0 && first + kStripLanes + (whole ? 0 : 1) < view.words &&
                        strip.begin >= kGenerations &&
                        strip.end + kGenerations + 2 * kStripUnroll <= view.height;
    if (inside) {
        walk_freely<kGenerations, false>(view, rule, strip, next);
    } else if (whole && view.boundary == LifeBoundary::torus) {
        walk_freely<kGenerations, true>(view, rule, strip, next);
    } else {
        walk_at_border<kGenerations>(view, rule, strip, next);
    }
}

} // namespace karst::cuda
