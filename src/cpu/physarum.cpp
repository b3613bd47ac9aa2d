// Physarum on CPU threads: agents in ranges, then rows. Two barriers a step.
#include "sim/physarum.hpp"

#include <algorithm>

#include "core/atomic.hpp"

namespace karst::cpu {

namespace {

// Of the rows in the order of memory: their number, and how many make a plane.
std::int64_t rows_a_plane(const rules::PhysarumRule &rule) {
    return rule.height;
}
std::int64_t rows_a_plane(const rules::Physarum3Rule &rule) {
    return rule.size[1];
}
std::int64_t planes(const rules::PhysarumRule &) {
    return 1;
}
std::int64_t planes(const rules::Physarum3Rule &rule) {
    return rule.size[2];
}

// AnyControls is rules::NoControls where there are none: the same code as if maps did not exist.
template <class Rule, class AnyControls>
class ThreadedPhysarum final : public sim::BasicPhysarumEngine<Rule> {
public:
    ThreadedPhysarum(core::Run &run, sim::BasicPhysarumState<Rule> state, const Rule &rule,
                     const AnyControls &controls)
        : run_(run), state_(std::move(state)), rule_(rule),
          controls_(controls), count_{Counts(state_.trail.extent(), run.memory()),
                                      Counts(state_.trail.extent(), run.memory())},
          next_(state_.trail.extent(), run.memory()) {}

    void advance(std::uint32_t steps) override {
        for (std::uint32_t i = 0; i < steps; ++i) {
            Counts &count = count_[state_.step & 1];
            Counts &other = count_[1 - (state_.step & 1)];
            move_and_deposit(count);
            run_.for_ranges(rows_a_plane(rule_) * planes(rule_), 16,
                            [&](std::int64_t begin, std::int64_t end) {
                                fold_diffuse_decay(count, other, begin, end);
                            });
            std::swap(state_.trail, next_);
            ++state_.step;
        }
    }

    sim::BasicPhysarumState<Rule> take() override { return std::move(state_); }

private:
    using Counts = Field<std::uint32_t, typename Rule::Extent>;
    static constexpr bool kVolume = std::is_same_v<Rule, rules::Physarum3Rule>;
    // A folded cell, or the sum of three of them above each other.
    using Folded = std::conditional_t<kVolume, std::uint64_t, std::uint32_t>;

    void move_and_deposit(Counts &count) {
        const rules::Tables tables = rules::host_tables();
        const bool alone = run_.executor().concurrency() == 1;
        run_.for_ranges(static_cast<std::int64_t>(state_.agents.size()), 4096,
                        [&](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t i = begin; i < end; ++i) {
                                const auto k = static_cast<std::size_t>(i);
                                const std::int64_t cell = rules::move_agent(
                                    rule_, state_.trail.data(), tables, state_.ids[k], state_.step,
                                    state_.agents[k], controls_);
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

    // The index on an axis of `size` cells, or -1 outside a bounded one; `i` is at most one off.
    std::int64_t inside(std::int64_t i, std::int64_t size) const {
        if (i >= 0 && i < size) {
            return i;
        }
        return !rule_.torus ? -1 : i < 0 ? i + size : i - size;
    }

    // Row y of plane z, folded; in a volume summed with the rows above and below it.
    void fold_row(const Counts &count, std::int64_t y, std::int64_t z,
                  std::vector<Folded> &target) const {
        std::fill(target.begin(), target.end(), 0);
        const std::int64_t row = inside(y, rows_a_plane(rule_));
        if (row < 0) {
            return;
        }
        for (std::int64_t dz = kVolume ? -1 : 0; dz <= (kVolume ? 1 : 0); ++dz) {
            const std::int64_t plane = inside(z + dz, planes(rule_));
            if (plane < 0) {
                continue;
            }
            const auto width = static_cast<std::int64_t>(target.size());
            const std::int64_t start = (plane * rows_a_plane(rule_) + row) * width;
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
        const std::int64_t height = rows_a_plane(rule_);
        // Column sums need three rows; each row is folded once a range and plane, and kept.
        std::vector<Folded> rows[3];
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
                column[x + 1] = std::uint64_t{rows[0][x]} + rows[1][x] + rows[2][x];
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
    sim::BasicPhysarumState<Rule> state_;
    Rule rule_;
    AnyControls controls_;
    Counts count_[2]; // by the parity of the step
    Counts next_;
};

template <class Rule>
std::unique_ptr<sim::BasicPhysarumEngine<Rule>>
make(core::Run &run, sim::BasicPhysarumState<Rule> state, const Rule &rule,
     const sim::BasicControlFields<typename Rule::Extent> *controls) {
    if (controls == nullptr) {
        return std::make_unique<ThreadedPhysarum<Rule, rules::NoControls>>(
            run, std::move(state), rule, rules::NoControls{});
    }
    return std::make_unique<ThreadedPhysarum<Rule, rules::Controls>>(run, std::move(state), rule,
                                                                     sim::view(controls));
}

} // namespace

std::unique_ptr<sim::PhysarumEngine> make_physarum(core::Run &run, sim::PhysarumState state,
                                                   const rules::PhysarumRule &rule,
                                                   const sim::ControlFields *controls) {
    return make(run, std::move(state), rule, controls);
}

std::unique_ptr<sim::Physarum3Engine> make_physarum(core::Run &run, sim::Physarum3State state,
                                                    const rules::Physarum3Rule &rule,
                                                    const sim::Control3Fields *controls) {
    return make(run, std::move(state), rule, controls);
}

} // namespace karst::cpu
