// Life on CPU threads: rows in ranges, 64 cells a word.
#include "sim/life.hpp"

#include <algorithm>

namespace karst::cpu {

namespace {

class ThreadedLife final : public sim::LifeEngine {
public:
    ThreadedLife(core::Run &run, LifeBoard board, LifeRule rule, LifeBoundary boundary)
        : run_(run), board_(std::move(board)), next_(board_.extent(), run.memory()),
          selector_(rules::make_selector(rule)), boundary_(boundary) {}

    void advance(std::uint32_t generations) override {
        for (std::uint32_t i = 0; i < generations; ++i) {
            const rules::LifeView view =
                rules::make_view(board_.words().data(), board_.extent(), boundary_);
            // At least 16 Ki words a range: smaller boards are not worth waking a thread.
            const std::int64_t grain = std::max<std::int64_t>(1, 16384 / view.words);
            run_.for_ranges(view.height, grain, [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t y = begin; y < end; ++y) {
                    next_row(view, y);
                }
            });
            std::swap(board_, next_);
        }
    }

    LifeBoard take() override { return std::move(board_); }

private:
    void next_row(const rules::LifeView &view, std::int64_t y) {
        std::uint64_t *const target = next_.words().row(y).data();
        const bool inside = y > 0 && y + 1 < view.height;
        if (!inside || view.words < 3) {
            for (std::int64_t i = 0; i < view.words; ++i) {
                target[i] = rules::next_word_at(view, selector_, y, i);
            }
            return;
        }
        // Away from the border no word needs the boundary, so the loop has no branch and the
        // compiler turns it into vectors.
        const std::uint64_t *const row = view.cells + y * view.words;
        const auto triple = [](const std::uint64_t *words, std::int64_t i) {
            return rules::LifeTriple{(words[i] << 1) | (words[i - 1] >> 63), words[i],
                                     (words[i] >> 1) | (words[i + 1] << 63)};
        };
        const rules::LifeSelector selector = selector_;
        for (std::int64_t i = 1; i + 1 < view.words; ++i) {
            target[i] = rules::next_word(triple(row - view.words, i), triple(row, i),
                                         triple(row + view.words, i), selector);
        }
        target[0] = rules::next_word_at(view, selector_, y, 0);
        target[view.words - 1] = rules::next_word_at(view, selector_, y, view.words - 1);
    }

    core::Run &run_;
    LifeBoard board_;
    LifeBoard next_;
    rules::LifeSelector selector_;
    LifeBoundary boundary_;
};

} // namespace

std::unique_ptr<sim::LifeEngine> make_life(core::Run &run, LifeBoard board, LifeRule rule,
                                           LifeBoundary boundary) {
    return std::make_unique<ThreadedLife>(run, std::move(board), rule, boundary);
}

} // namespace karst::cpu
