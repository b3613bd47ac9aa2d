// Physarum in a volume on CPU threads: agents in ranges, then rows. Two barriers a step.
#include "sim/physarum.hpp"

#include <algorithm>

#include "cpu/deposit.hpp"

namespace karst::cpu {

namespace {

// AnyControls is rules::NoControls where there are none: the same code as if maps did not exist.
template <class AnyControls>
class ThreadedPhysarum3 final : public sim::Physarum3Engine {
public:
    ThreadedPhysarum3(core::Run &run, sim::Physarum3State state, const rules::Physarum3Rule &rule,
                      const AnyControls &controls)
        : run_(run), state_(std::move(state)), rule_(rule),
          controls_(controls), count_{Counts(state_.trail.extent(), run.memory()),
                                      Counts(state_.trail.extent(), run.memory())},
          next_(state_.trail.extent(), run.memory()) {}

    void advance(std::uint32_t steps) override {
        for (std::uint32_t i = 0; i < steps; ++i) {
            Counts &count = count_[state_.step & 1];
            Counts &other = count_[1 - (state_.step & 1)];
            this->timed("sense_turn_move", 2 * state_.ids.size() * sizeof(rules::Agent3), 0,
                        [&] { move_and_deposit(run_, state_, rule_, controls_, count); });
            this->timed("diffuse_decay", 4 * count.cells().size_bytes(), 1, [&] {
                run_.for_ranges(std::int64_t{rule_.size[1]} * rule_.size[2], 16,
                                [&](std::int64_t begin, std::int64_t end) {
                                    fold_diffuse_decay(count, other, begin, end);
                                });
            });
            std::swap(state_.trail, next_);
            ++state_.step;
        }
    }

private:
    sim::Physarum3State &read() override { return state_; }
    Field3D<std::uint32_t> &read_trail(core::Run &) override { return state_.trail; }

    using Counts = Field3D<std::uint32_t>;

    // The index on an axis of `size` cells, or -1 outside a bounded one; `i` is at most one off.
    std::int64_t inside(std::int64_t i, std::int64_t size) const {
        if (i >= 0 && i < size) {
            return i;
        }
        return !rule_.torus ? -1 : i < 0 ? i + size : i - size;
    }

    // Row y of plane z, folded and summed with the rows above and below it.
    void fold_row(const Counts &count, std::int64_t y, std::int64_t z,
                  std::vector<std::uint64_t> &target) const {
        std::fill(target.begin(), target.end(), 0);
        const std::int64_t row = inside(y, rule_.size[1]);
        if (row < 0) {
            return;
        }
        for (std::int64_t dz = -1; dz <= 1; ++dz) {
            const std::int64_t plane = inside(z + dz, rule_.size[2]);
            if (plane < 0) {
                continue;
            }
            const auto width = static_cast<std::int64_t>(target.size());
            const std::int64_t start = (plane * rule_.size[1] + row) * width;
            const std::uint32_t *const trail = state_.trail.data() + start;
            const std::uint32_t *const counts = count.data() + start;
            for (std::size_t x = 0; x < target.size(); ++x) {
                target[x] += rules::fold_at(rule_, controls_, start + static_cast<std::int64_t>(x),
                                            trail[x], counts[x]);
            }
        }
    }

    // Rows [begin, end) of all, in the order of memory: each cell from the folded rows around it,
    // and clears the counts of the step before, which nobody reads any more.
    void fold_diffuse_decay(const Counts &count, Counts &other, std::int64_t begin,
                            std::int64_t end) {
        const auto width = static_cast<std::size_t>(state_.trail.width());
        const std::int64_t height = rule_.size[1];
        // Column sums need three rows; each row is folded once a range and plane, and kept.
        std::vector<std::uint64_t> rows[3];
        for (auto &row : rows) {
            row.assign(width, 0);
        }
        std::vector<std::uint64_t> column(width + 2);
        const auto slot = [](std::int64_t y) { return static_cast<std::size_t>((y + 3) % 3); };
        for (std::int64_t row = begin; row < end; ++row) {
            const std::int64_t y = row % height;
            const std::int64_t z = row / height;
            if (row == begin || y == 0) {
                fold_row(count, y - 1, z, rows[slot(y - 1)]);
                fold_row(count, y, z, rows[slot(y)]);
            }
            fold_row(count, y + 1, z, rows[slot(y + 1)]);
            for (std::size_t x = 0; x < width; ++x) {
                column[x + 1] = rows[0][x] + rows[1][x] + rows[2][x];
            }
            column[0] = rule_.torus ? column[width] : 0;
            column[width + 1] = rule_.torus ? column[1] : 0;
            const std::int64_t start = row * static_cast<std::int64_t>(width);
            std::uint32_t *const target = next_.data() + start;
            const std::uint32_t *const before = state_.trail.data() + start;
            for (std::size_t x = 0; x < width; ++x) {
                target[x] =
                    rules::diffuse_decay_at(rule_, controls_, start + static_cast<std::int64_t>(x),
                                            column[x] + column[x + 1] + column[x + 2], before[x]);
            }
            std::fill_n(other.data() + start, width, 0);
            if (!state_.birth_time.empty()) {
                std::uint16_t *const birth = state_.birth_time.data() + start;
                const std::uint32_t *const counts = count.data() + start;
                for (std::size_t x = 0; x < width; ++x) {
                    birth[x] = rules::birth_time(birth[x], counts[x], state_.step);
                }
            }
        }
    }

    core::Run &run_;
    sim::Physarum3State state_;
    rules::Physarum3Rule rule_;
    AnyControls controls_;
    Counts count_[2]; // by the parity of the step
    Counts next_;
};

} // namespace

std::unique_ptr<sim::Physarum3Engine> make_physarum(core::Run &run, sim::Physarum3State state,
                                                    const rules::Physarum3Rule &rule,
                                                    const sim::Control3Fields *controls) {
    if (controls == nullptr) {
        return std::make_unique<ThreadedPhysarum3<rules::NoControls>>(run, std::move(state), rule,
                                                                      rules::NoControls{});
    }
    return std::make_unique<ThreadedPhysarum3<rules::Controls>>(run, std::move(state), rule,
                                                                sim::view(controls));
}

} // namespace karst::cpu
