// Life on CPU threads. A board goes through the cache in tiles, some generations a pass: a block of
// rows of a tile enters, and each generation makes from the block of the one before its own, which
// lies one row higher. A tile reads as many rows more above and below as there are generations, and
// a word more on the left and on the right.
//
// On a torus the rows and words around a tile are copies from the other side, so that nothing there
// is special. Else what lies outside of the board is put back after each generation, in the tiles
// at its border.
#include "cpu/life.hpp"

#include <algorithm>

#include "core/instruction_sets.hpp"
#include "sim/devices.hpp"

namespace karst::cpu {

namespace {

constexpr std::int64_t kRangeWords = 256 << 10; // times generations: less is not worth a thread

struct Tile {
    std::int64_t top, bottom; // rows [top, bottom)
    std::int64_t left, right; // words [left, right)
};

// 64 cells of a row of a torus from column x on, 0 <= x < width.
std::uint64_t cells_from(const std::uint64_t *row, std::int64_t width, std::int64_t x) {
    std::uint64_t cells = 0;
    for (std::int64_t have = 0; have < 64;) {
        const std::int64_t more = std::min({width - x, 64 - x % 64, 64 - have});
        const std::uint64_t valid = ~std::uint64_t{0} >> (64 - more);
        cells |= ((row[x / 64] >> (x % 64)) & valid) << have;
        have += more;
        x = x + more == width ? 0 : x + more;
    }
    return cells;
}

// Takes tiles of one board through some generations.
class Pipeline {
public:
    // For tiles of at most `words` words, with those at their sides.
    Pipeline(const rules::LifeView &view, const LifeKernel &kernel, LifeKernel::Rows next_rows,
             const rules::LifeSelector &selector, std::int64_t generations, std::int64_t words)
        : view_(view), next_rows_(next_rows), selector_(selector), generations_(generations),
          words_((words + kernel.lanes - 1) / kernel.lanes * kernel.lanes),
          stride_(words_ + kLifeGap), outside_(rules::outside_word(view.boundary)),
          torus_(view.boundary == LifeBoundary::torus) {
        const std::int64_t block = kLifeGap + kLifeRows * stride_;
        buffer_.resize(static_cast<std::size_t>(buffer_words(generations, words_)));
        const auto address = reinterpret_cast<std::uintptr_t>(buffer_.data());
        std::uint64_t *const aligned = buffer_.data() + (64 - address % 64) % 64 / 8;
        block_[0] = aligned + kLifeGap;
        block_[1] = aligned + block + kLifeGap;
        kept_ = aligned + 2 * block;
    }

    // Of a pipeline; `words` are whole vectors. 190 KiB with the default tuning.
    static std::int64_t buffer_words(std::int64_t generations, std::int64_t words) {
        const std::int64_t block = kLifeGap + kLifeRows * (words + kLifeGap);
        return 2 * block + generations * kLifeKept * words + 7;
    }

    void run(const Tile &tile, std::uint64_t *target) {
        tile_ = tile;
        const std::int64_t last = tile.bottom + generations_;
        for (std::int64_t y = tile.top - generations_; y < last; y += kLifeRows) {
            std::uint64_t *rows = block_[0];
            std::uint64_t *next = block_[1];
            for (std::int64_t i = 0; i < kLifeRows; ++i) {
                load(y + i, rows + i * stride_);
            }
            for (std::int64_t k = 0; k < generations_; ++k) {
                next_rows_({rows, next, kept_ + k * kLifeKept * words_, words_}, selector_);
                if (!torus_) {
                    restore_outside(y - 1 - k, next);
                }
                std::swap(rows, next);
            }
            for (std::int64_t i = 0; i < kLifeRows; ++i) {
                const std::int64_t row = y + i - generations_;
                if (row >= tile.top && row < tile.bottom) {
                    store(rows + i * stride_, target + row * view_.words);
                }
            }
        }
    }

private:
    bool at_left() const { return tile_.left == 0; }
    bool at_right() const { return tile_.right == view_.words; }

    // Row y of the board, any whole number, from the word before the tile to the one behind it.
    void load(std::int64_t y, std::uint64_t *row) const {
        if (y < 0 || y >= view_.height) {
            if (!torus_) {
                std::fill_n(row, words_, outside_);
                return;
            }
            y %= view_.height;
            y += y < 0 ? view_.height : 0;
        }
        const std::uint64_t *const board = view_.cells + y * view_.words;
        const std::int64_t first = std::max<std::int64_t>(tile_.left - 1, 0);
        const std::int64_t last = std::min(tile_.right + 1, view_.words);
        std::copy_n(board + first, last - first, row + (first - tile_.left + 1));
        if (!torus_) {
            restore_sides(row);
            return;
        }
        const std::int64_t width = view_.width;
        if (at_left()) {
            row[0] = cells_from(board, width, (width - 64 % width) % width);
        }
        if (at_right()) {
            std::uint64_t *const behind = row + 1 + (tile_.right - tile_.left);
            if (width % 64 != 0) {
                behind[-1] |= cells_from(board, width, 0) << (width % 64);
            }
            *behind = cells_from(board, width, 64 * view_.words % width);
        }
    }

    void store(const std::uint64_t *row, std::uint64_t *board) const {
        std::copy_n(row + 1, tile_.right - tile_.left, board + tile_.left);
        if (at_right()) {
            board[view_.words - 1] &= rules::valid_bits(view_, view_.words - 1);
        }
    }

    void restore_sides(std::uint64_t *row) const {
        if (at_left()) {
            row[0] = outside_;
        }
        if (at_right()) {
            std::uint64_t *const behind = row + 1 + (tile_.right - tile_.left);
            const std::uint64_t valid = rules::valid_bits(view_, view_.words - 1);
            behind[-1] = (behind[-1] & valid) | (outside_ & ~valid);
            *behind = outside_;
        }
    }

    // In a block whose first row is y.
    void restore_outside(std::int64_t y, std::uint64_t *rows) const {
        const bool inside = y >= 0 && y + kLifeRows <= view_.height;
        if (inside && !at_left() && !at_right()) {
            return;
        }
        for (std::int64_t i = 0; i < kLifeRows; ++i) {
            std::uint64_t *const row = rows + i * stride_;
            if (y + i < 0 || y + i >= view_.height) {
                std::fill_n(row, words_, outside_);
            } else {
                restore_sides(row);
            }
        }
    }

    rules::LifeView view_;
    LifeKernel::Rows next_rows_;
    rules::LifeSelector selector_;
    std::int64_t generations_;
    std::int64_t words_;  // of a row of a tile, with those at its sides and unused ones
    std::int64_t stride_; // from row to row
    std::uint64_t outside_;
    bool torus_;
    Tile tile_{};
    std::vector<std::uint64_t> buffer_;
    std::uint64_t *block_[2];
    std::uint64_t *kept_; // of each generation
};

LifeKernel::Rows rows_for(const LifeKernel &kernel, LifeRule rule) {
    if (rule == LifeRule{}) {
        return kernel.b3s23;
    }
    if (rule == LifeRule{0b111100000, 0b111110000}) {
        return kernel.majority;
    }
    return kernel.any;
}

class ThreadedLife final : public sim::LifeEngine {
public:
    ThreadedLife(core::Run &run, LifeBoard board, LifeRule rule, LifeBoundary boundary,
                 const LifeKernel &kernel, const LifeTuning &tuning)
        : run_(run), board_(std::move(board)), next_(board_.extent(), run.memory()),
          selector_(rules::make_selector(rule)), boundary_(boundary), tuning_(tuning),
          kernel_(kernel), next_rows_(rows_for(kernel, rule)) {}

    void advance(std::uint32_t generations) override {
        const Layout layout = lay_out(generations);
        std::int64_t left = generations;
        for (std::int64_t passes = passes_of(layout, left); passes > 0; --passes) {
            const std::int64_t now = (left + passes - 1) / passes;
            timed("life", 2 * board_.words().cells().size_bytes(), static_cast<std::uint32_t>(now),
                  [&] { pass(layout, now); });
            left -= now;
        }
    }

    std::uint64_t memory() const override {
        const std::int64_t words =
            std::min<std::int64_t>(tuning_.words, board_.words().width() + 2);
        return 2 * board_.words().cells().size_bytes() +
               8 * static_cast<std::uint64_t>(run_.executor().concurrency() *
                                              Pipeline::buffer_words(tuning_.generations, words));
    }

private:
    LifeBoard &read() override { return board_; }

    struct Layout {
        std::int64_t columns, words; // of tiles, and the words a row of one
        std::int64_t bands, rows;
    };

    // Bands only as threads need them, since each computes rows of its neighbours again: the most
    // tiles a thread for which a pass of a tile is worth a thread, else fewer tiles than threads.
    Layout lay_out(std::int64_t generations) const {
        const std::int64_t inner = tuning_.words - 2;
        const std::int64_t columns = (board_.words().width() + inner - 1) / inner;
        const std::int64_t threads = run_.executor().concurrency();
        for (std::int64_t pieces = threads == 1 ? 0 : tuning_.pieces; pieces > 0; --pieces) {
            const Layout layout = with_bands(columns, (pieces * threads + columns - 1) / columns);
            if (is_worth(layout, generations)) {
                return layout;
            }
        }
        for (std::int64_t bands = (threads - 1) / columns; bands > 1; --bands) {
            const Layout layout = with_bands(columns, bands);
            if (is_worth(layout, generations)) {
                return layout;
            }
        }
        return with_bands(columns, 1);
    }

    bool is_worth(const Layout &layout, std::int64_t generations) const {
        return layout.words * layout.rows * generations >=
               kRangeWords * passes_of(layout, generations);
    }

    Layout with_bands(std::int64_t columns, std::int64_t bands) const {
        const std::int64_t height = board_.extent().height;
        return {columns, (board_.words().width() + columns - 1) / columns, bands,
                (height + bands - 1) / bands};
    }

    // As many generations a pass as its rows above and below allow, all passes alike.
    std::int64_t passes_of(const Layout &layout, std::int64_t generations) const {
        const std::int64_t most = std::min<std::int64_t>(
            tuning_.generations, std::max<std::int64_t>(layout.rows / 16, 8));
        return (generations + most - 1) / most;
    }

    void pass(const Layout &layout, std::int64_t generations) {
        const rules::LifeView view =
            rules::make_view(board_.words().data(), board_.extent(), boundary_);
        std::uint64_t *const target = next_.words().data();
        const std::int64_t grain =
            std::max<std::int64_t>(1, kRangeWords / (layout.words * layout.rows * generations));
        run_.for_ranges(layout.columns * layout.bands, grain,
                        [&](std::int64_t begin, std::int64_t end) {
                            Pipeline pipeline(view, kernel_, next_rows_, selector_, generations,
                                              layout.words + 2);
                            for (std::int64_t i = begin; i < end; ++i) {
                                const std::int64_t top = i / layout.columns * layout.rows;
                                const std::int64_t left = i % layout.columns * layout.words;
                                const Tile tile{top, std::min(top + layout.rows, view.height), left,
                                                std::min(left + layout.words, view.words)};
                                if (tile.top < tile.bottom && tile.left < tile.right) {
                                    pipeline.run(tile, target);
                                }
                            }
                        });
        std::swap(board_, next_);
    }

    core::Run &run_;
    LifeBoard board_;
    LifeBoard next_;
    rules::LifeSelector selector_;
    LifeBoundary boundary_;
    LifeTuning tuning_;
    const LifeKernel &kernel_;
    LifeKernel::Rows next_rows_;
};

} // namespace

std::vector<const LifeKernel *> life_kernels() {
    std::vector<const LifeKernel *> kernels{&kLifeBaseline};
#if defined(__x86_64__)
    core::add_supported(kernels, kLifeAvx2, kLifeAvx512);
#endif
    return kernels;
}

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (const LifeKernel *kernel : life_kernels()) {
        names.emplace_back(kernel->name);
    }
    return names;
}

std::unique_ptr<sim::LifeEngine> make_life(core::Run &run, LifeBoard board, LifeRule rule,
                                           LifeBoundary boundary, const LifeKernel &kernel,
                                           const LifeTuning &tuning) {
    return std::make_unique<ThreadedLife>(run, std::move(board), rule, boundary, kernel, tuning);
}

std::unique_ptr<sim::LifeEngine> make_life(core::Run &run, LifeBoard board, LifeRule rule,
                                           LifeBoundary boundary, const LifeTuning &tuning) {
    const auto kernels = life_kernels();
    const std::size_t older = std::min(static_cast<std::size_t>(tuning.older), kernels.size() - 1);
    return make_life(run, std::move(board), rule, boundary, *kernels[kernels.size() - 1 - older],
                     tuning);
}

} // namespace karst::cpu
