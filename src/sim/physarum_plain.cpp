// The specification of a Physarum step: one pass after another, one index at a time.
#include "sim/physarum.hpp"

namespace karst::sim {

namespace {

class PlainPhysarum final : public PhysarumEngine {
public:
    PlainPhysarum(PhysarumState state, const rules::PhysarumRule &rule)
        : state_(std::move(state)), rule_(rule), count_(state_.trail.extent()),
          folded_(state_.trail.extent()) {}

    void advance(std::uint32_t steps) override {
        for (std::uint32_t i = 0; i < steps; ++i) {
            move_and_deposit();
            keep_birth_times();
            fold();
            diffuse_and_decay();
            ++state_.step;
        }
    }

    PhysarumState take() override { return std::move(state_); }

private:
    void move_and_deposit() {
        for (std::size_t i = 0; i < state_.agents.size(); ++i) {
            const std::int64_t cell =
                rules::move_agent(rule_, state_.trail.data(), core::directions().data(),
                                  state_.ids[i], state_.step, state_.agents[i]);
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
            folded_[i] = rules::fold(state_.trail[i], count_[i], rule_.deposit);
            count_[i] = 0;
        }
    }

    void diffuse_and_decay() {
        for (std::int32_t y = 0; y < rule_.height; ++y) {
            for (std::int32_t x = 0; x < rule_.width; ++x) {
                std::uint64_t window = 0;
                for (std::int32_t dy = -1; dy <= 1; ++dy) {
                    for (std::int32_t dx = -1; dx <= 1; ++dx) {
                        const std::int64_t cell = rules::cell_index(rule_, rule_.origin_x + x + dx,
                                                                    rule_.origin_y + y + dy);
                        window += cell < 0 ? 0 : folded_[cell];
                    }
                }
                state_.trail.at(x, y) = rules::diffuse_decay(window, rule_.retain_ninth);
            }
        }
    }

    PhysarumState state_;
    rules::PhysarumRule rule_;
    Field2D<std::uint32_t> count_;
    Field2D<std::uint32_t> folded_;
};

} // namespace

std::unique_ptr<PhysarumEngine> make_plain_physarum(PhysarumState state,
                                                    const rules::PhysarumRule &rule) {
    return std::make_unique<PlainPhysarum>(std::move(state), rule);
}

} // namespace karst::sim
