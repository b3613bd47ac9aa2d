// The second half of a step of Physarum on a map, in place: each row is folded once, as soon as the
// row above it no longer needs its neighbours, and its counts are cleared on the way.
#pragma once

#include <algorithm>
#include <vector>

#include "cpu/physarum_kernel.hpp"
#include "sim/physarum.hpp"

namespace karst::cpu {

// AnyControls is rules::NoControls where there are none: the same code as if maps did not exist.
template <class AnyControls>
class TrailPass {
public:
    TrailPass(const rules::PhysarumRule &rule, const AnyControls &controls,
              const PhysarumKernel &kernel, std::int64_t pieces_a_thread)
        : rule_(rule), controls_(controls), kernel_(kernel), pieces_a_thread_(pieces_a_thread) {}

    // Folds the counts into the trail, takes the mean of each window and clears the counts.
    void run(core::Run &run, sim::PhysarumState &state, Field2D<std::uint32_t> &count) {
        state_ = &state;
        count_ = &count;
        cut(run.executor().concurrency());
        const auto pieces = static_cast<std::int64_t>(pieces_.size());
        const auto each = [&](auto &&f) {
            run.for_ranges(pieces, 1, [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i) {
                    f(pieces_[static_cast<std::size_t>(i)]);
                }
            });
        };
        // What a piece reads of its neighbours it folds before any of them changes.
        each([&](Piece &piece) {
            fold(piece.begin - 1, piece.above);
            fold(piece.end, piece.below);
        });
        each([&](Piece &piece) { diffuse(piece); });
    }

private:
    // A folded row with a cell more at both ends, and the bits that occur in it.
    struct Row {
        std::vector<std::uint32_t> cells;
        std::uint32_t bits = 0;
    };
    struct Piece { // rows [begin, end)
        std::int64_t begin, end;
        Row above, below;                   // of its neighbours
        Row own[3];                         // row y in y % 3
        std::vector<std::uint32_t> columns; // sums of three rows
    };

    // Into as many pieces as keep the threads busy. The scratch memory stays.
    void cut(int threads) {
        const std::int64_t wanted = threads == 1 ? 1 : pieces_a_thread_ * threads;
        const std::int64_t rows = std::max<std::int64_t>(16, (rule_.height + wanted - 1) / wanted);
        if (!pieces_.empty() && rows == pieces_.front().end) {
            return;
        }
        pieces_.clear();
        const auto width = static_cast<std::size_t>(rule_.width) + 2;
        const Row empty{std::vector<std::uint32_t>(width), 0};
        for (std::int64_t y = 0; y < rule_.height; y += rows) {
            pieces_.push_back({y,
                               std::min<std::int64_t>(y + rows, rule_.height),
                               empty,
                               empty,
                               {empty, empty, empty},
                               empty.cells});
        }
    }

    std::int64_t width() const { return rule_.width; }
    std::int64_t start(std::int64_t y) const { return y * width(); }

    // Row y, which may be -1 or the height.
    void fold(std::int64_t y, Row &row) const {
        if (y < 0 || y >= rule_.height) {
            if (!rule_.torus) {
                std::fill(row.cells.begin(), row.cells.end(), 0);
                row.bits = 0;
                return;
            }
            y += y < 0 ? rule_.height : -rule_.height;
        }
        const std::uint32_t *const trail = state_->trail.data() + start(y);
        const std::uint32_t *const count = count_->data() + start(y);
        std::uint32_t *const folded = row.cells.data() + 1;
        if (!fold_little(trail, count, row)) {
            row.bits = 0;
            for (std::int64_t x = 0; x < width(); ++x) {
                folded[x] = rules::fold_at(rule_, controls_, start(y) + x, trail[x], count[x]);
                row.bits |= folded[x];
            }
        }
        folded[-1] = rule_.torus ? folded[width() - 1] : 0;
        folded[width()] = rule_.torus ? folded[0] : 0;
    }

    // By the kernel, if there are no maps and the counts are small.
    bool fold_little(const std::uint32_t *trail, const std::uint32_t *count, Row &row) const {
        if constexpr (!std::is_same_v<AnyControls, rules::NoControls>) {
            return false;
        }
        const PhysarumKernel::Bits bits =
            kernel_.fold(trail, count, rule_.deposit, row.cells.data() + 1, width());
        row.bits = bits.folded;
        return bits.counts <= kFewCounts;
    }

    // Row y of the piece, whose deposits nobody else needs any more.
    Row &fold_own(std::int64_t y, Piece &piece) const {
        Row &row = piece.own[y % 3];
        fold(y, row);
        std::uint32_t *const count = count_->data() + start(y);
        if (!state_->birth_time.empty()) {
            std::uint16_t *const birth = state_->birth_time.data() + start(y);
            for (std::int64_t x = 0; x < width(); ++x) {
                birth[x] = rules::birth_time(birth[x], count[x], state_->step);
            }
        }
        std::fill_n(count, width(), 0);
        return row;
    }

    void diffuse(Piece &piece) const {
        const Row *above = &piece.above;
        const Row *here = &fold_own(piece.begin, piece);
        for (std::int64_t y = piece.begin; y < piece.end; ++y) {
            const Row *const below = y + 1 < piece.end ? &fold_own(y + 1, piece) : &piece.below;
            const std::uint32_t *const folded[3] = {above->cells.data(), here->cells.data(),
                                                    below->cells.data()};
            std::uint32_t *const trail = state_->trail.data() + start(y);
            if (((above->bits | here->bits | below->bits) & ~kLittleTrail) == 0 &&
                std::is_same_v<AnyControls, rules::NoControls>) {
                kernel_.diffuse(folded, rule_.retain_share, piece.columns.data(), trail, width());
            } else {
                diffuse_any(folded, start(y), trail);
            }
            above = here;
            here = below;
        }
    }

    void diffuse_any(const std::uint32_t *const folded[3], std::int64_t first,
                     std::uint32_t *trail) const {
        const auto column = [&](std::int64_t x) {
            return std::uint64_t{folded[0][x]} + folded[1][x] + folded[2][x];
        };
        std::uint64_t left = column(0);
        std::uint64_t middle = column(1);
        for (std::int64_t x = 0; x < width(); ++x) {
            const std::uint64_t right = column(x + 2);
            trail[x] = rules::diffuse_decay_at(rule_, controls_, first + x, left + middle + right,
                                               trail[x]);
            left = middle;
            middle = right;
        }
    }

    rules::PhysarumRule rule_;
    AnyControls controls_;
    const PhysarumKernel &kernel_;
    std::int64_t pieces_a_thread_;
    sim::PhysarumState *state_ = nullptr;
    Field2D<std::uint32_t> *count_ = nullptr;
    std::vector<Piece> pieces_;
};

} // namespace karst::cpu
