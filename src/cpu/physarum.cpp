// Physarum on CPU threads: agents in ranges, then rows. Two barriers a step.
#include "sim/physarum.hpp"

#include <algorithm>

#include "core/atomic.hpp"

namespace karst::cpu {

namespace {

class ThreadedPhysarum final : public sim::PhysarumEngine {
public:
    ThreadedPhysarum(core::Run &run, sim::PhysarumState state, const rules::PhysarumRule &rule)
        : run_(run), state_(std::move(state)),
          rule_(rule), count_{Field2D<std::uint32_t>(state_.trail.extent(), run.memory()),
                              Field2D<std::uint32_t>(state_.trail.extent(), run.memory())},
          next_(state_.trail.extent(), run.memory()) {}

    void advance(std::uint32_t steps) override {
        for (std::uint32_t i = 0; i < steps; ++i) {
            Field2D<std::uint32_t> &count = count_[state_.step & 1];
            Field2D<std::uint32_t> &other = count_[1 - (state_.step & 1)];
            move_and_deposit(count);
            run_.for_ranges(rule_.height, 16, [&](std::int64_t begin, std::int64_t end) {
                fold_diffuse_decay(count, other, begin, end);
            });
            std::swap(state_.trail, next_);
            ++state_.step;
        }
    }

    sim::PhysarumState take() override { return std::move(state_); }

private:
    void move_and_deposit(Field2D<std::uint32_t> &count) {
        const core::Direction *const directions = core::directions().data();
        const bool alone = run_.executor().concurrency() == 1;
        run_.for_ranges(static_cast<std::int64_t>(state_.agents.size()), 4096,
                        [&, directions](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t i = begin; i < end; ++i) {
                                const auto k = static_cast<std::size_t>(i);
                                const std::int64_t cell =
                                    rules::move_agent(rule_, state_.trail.data(), directions,
                                                      state_.ids[k], state_.step, state_.agents[k]);
                                if (cell < 0) {
                                    continue;
                                }
                                if (alone) {
                                    ++count[cell];
                                } else {
                                    core::atomic_add(count[cell], 1);
                                }
                            }
                        });
    }

    // Rows [begin, end): each cell from the three folded rows around it, and clears the counts of
    // the step before, which nobody reads any more.
    void fold_diffuse_decay(const Field2D<std::uint32_t> &count, Field2D<std::uint32_t> &other,
                            std::int64_t begin, std::int64_t end) {
        const auto width = static_cast<std::size_t>(rule_.width);
        // Column sums need the three rows; each row is folded once a range and kept.
        std::vector<std::uint32_t> rows[3];
        for (auto &row : rows) {
            row.assign(width, 0);
        }
        std::vector<std::uint64_t> column(width + 2);
        const auto fold_row = [&](std::int64_t y) {
            auto &target = rows[static_cast<std::size_t>((y + 3) % 3)];
            std::int64_t source = y;
            if (y < 0 || y >= rule_.height) {
                if (!rule_.torus) {
                    std::fill(target.begin(), target.end(), 0);
                    return;
                }
                source = y < 0 ? y + rule_.height : y - rule_.height;
            }
            const auto trail = state_.trail.row(source);
            const auto counts = count.row(source);
            for (std::size_t x = 0; x < width; ++x) {
                target[x] = rules::fold(trail[x], counts[x], rule_.deposit);
            }
        };
        fold_row(begin - 1);
        fold_row(begin);
        for (std::int64_t y = begin; y < end; ++y) {
            fold_row(y + 1);
            for (std::size_t x = 0; x < width; ++x) {
                column[x + 1] = std::uint64_t{rows[0][x]} + rows[1][x] + rows[2][x];
            }
            column[0] = rule_.torus ? column[width] : 0;
            column[width + 1] = rule_.torus ? column[1] : 0;
            const auto target = next_.row(y);
            for (std::size_t x = 0; x < width; ++x) {
                target[x] = rules::diffuse_decay(column[x] + column[x + 1] + column[x + 2],
                                                 rule_.retain_ninth);
            }
            std::ranges::fill(other.row(y), 0);
            if (!state_.birth_time.empty()) {
                const auto birth = state_.birth_time.row(y);
                const auto counts = count.row(y);
                for (std::size_t x = 0; x < width; ++x) {
                    birth[x] = rules::birth_time(birth[x], counts[x], state_.step);
                }
            }
        }
    }

    core::Run &run_;
    sim::PhysarumState state_;
    rules::PhysarumRule rule_;
    Field2D<std::uint32_t> count_[2]; // by the parity of the step
    Field2D<std::uint32_t> next_;
};

} // namespace

std::unique_ptr<sim::PhysarumEngine> make_physarum(core::Run &run, sim::PhysarumState state,
                                                   const rules::PhysarumRule &rule) {
    return std::make_unique<ThreadedPhysarum>(run, std::move(state), rule);
}

} // namespace karst::cpu
