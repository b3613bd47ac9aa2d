// The specification of a Physarum step: one pass after another, one index at a time.
#include "sim/physarum.hpp"

namespace karst::sim {

namespace {

std::uint64_t window_sum(const rules::PhysarumRule &rule, const Field2D<std::uint32_t> &folded,
                         std::int32_t x, std::int32_t y) {
    std::uint64_t sum = 0;
    for (std::int32_t dy = -1; dy <= 1; ++dy) {
        for (std::int32_t dx = -1; dx <= 1; ++dx) {
            const std::int64_t cell =
                rules::cell_index(rule, rule.origin_x + x + dx, rule.origin_y + y + dy);
            sum += cell < 0 ? 0 : folded[cell];
        }
    }
    return sum;
}

std::uint64_t window_sum(const rules::Physarum3Rule &rule, const Field3D<std::uint32_t> &folded,
                         std::int32_t x, std::int32_t y, std::int32_t z) {
    std::uint64_t sum = 0;
    for (std::int32_t dz = -1; dz <= 1; ++dz) {
        for (std::int32_t dy = -1; dy <= 1; ++dy) {
            for (std::int32_t dx = -1; dx <= 1; ++dx) {
                const std::int64_t cell =
                    rules::cell_index(rule, rule.origin[0] + x + dx, rule.origin[1] + y + dy,
                                      rule.origin[2] + z + dz);
                sum += cell < 0 ? 0 : folded[cell];
            }
        }
    }
    return sum;
}

// Of every cell, in the order of memory.
void window_sums(const rules::PhysarumRule &rule, const Field2D<std::uint32_t> &folded,
                 Field2D<std::uint64_t> &sums) {
    for (std::int32_t y = 0; y < rule.height; ++y) {
        for (std::int32_t x = 0; x < rule.width; ++x) {
            sums.at(x, y) = window_sum(rule, folded, x, y);
        }
    }
}

void window_sums(const rules::Physarum3Rule &rule, const Field3D<std::uint32_t> &folded,
                 Field3D<std::uint64_t> &sums) {
    for (std::int32_t z = 0; z < rule.size[2]; ++z) {
        for (std::int32_t y = 0; y < rule.size[1]; ++y) {
            for (std::int32_t x = 0; x < rule.size[0]; ++x) {
                sums.at(x, y, z) = window_sum(rule, folded, x, y, z);
            }
        }
    }
}

template <class Rule>
class PlainPhysarum final : public BasicPhysarumEngine<Rule> {
public:
    PlainPhysarum(BasicPhysarumState<Rule> state, const Rule &rule, const rules::Controls &controls)
        : state_(std::move(state)), rule_(rule), controls_(controls), count_(state_.trail.extent()),
          folded_(state_.trail.extent()), sums_(state_.trail.extent()) {}

    void advance(std::uint32_t steps) override {
        for (std::uint32_t i = 0; i < steps; ++i) {
            move_and_deposit();
            keep_birth_times();
            fold();
            window_sums(rule_, folded_, sums_);
            diffuse_and_decay();
            ++state_.step;
        }
    }

private:
    BasicPhysarumState<Rule> &read() override { return state_; }

    void move_and_deposit() {
        for (std::size_t i = 0; i < state_.agents.size(); ++i) {
            const std::int64_t cell =
                rules::move_agent(rule_, state_.trail.data(), rules::host_tables(), state_.ids[i],
                                  state_.step, state_.agents[i], controls_);
            if (cell >= 0) {
                ++count_[cell];
            }
        }
    }

    void keep_birth_times() {
        for (std::int64_t i = 0; i < state_.birth_time.size(); ++i) {
            state_.birth_time[i] = rules::birth_time(state_.birth_time[i], count_[i], state_.step);
        }
    }

    void fold() {
        for (std::int64_t i = 0; i < folded_.size(); ++i) {
            folded_[i] = rules::fold_at(rule_, controls_, i, state_.trail[i], count_[i]);
            count_[i] = 0;
        }
    }

    void diffuse_and_decay() {
        for (std::int64_t i = 0; i < sums_.size(); ++i) {
            state_.trail[i] =
                rules::diffuse_decay_at(rule_, controls_, i, sums_[i], state_.trail[i]);
        }
    }

    BasicPhysarumState<Rule> state_;
    Rule rule_;
    rules::Controls controls_;
    Field<std::uint32_t, typename Rule::Extent> count_;
    Field<std::uint32_t, typename Rule::Extent> folded_;
    Field<std::uint64_t, typename Rule::Extent> sums_; // of each cell's window
};

} // namespace

std::unique_ptr<PhysarumEngine> make_plain_physarum(PhysarumState state,
                                                    const rules::PhysarumRule &rule,
                                                    const ControlFields *controls) {
    return std::make_unique<PlainPhysarum<rules::PhysarumRule>>(std::move(state), rule,
                                                                view(controls));
}

std::unique_ptr<Physarum3Engine> make_plain_physarum(Physarum3State state,
                                                     const rules::Physarum3Rule &rule,
                                                     const Control3Fields *controls) {
    return std::make_unique<PlainPhysarum<rules::Physarum3Rule>>(std::move(state), rule,
                                                                 view(controls));
}

} // namespace karst::sim
