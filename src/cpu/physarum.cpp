// Physarum on a map on CPU threads: agents, then rows. Three barriers a step.
#include "cpu/physarum.hpp"

#include <optional>

#include "core/instruction_sets.hpp"
#include "cpu/deposit.hpp"
#include "cpu/packed_agents.hpp"
#include "cpu/trail_pass.hpp"

namespace karst::cpu {

namespace {

template <class AnyControls>
class ThreadedPhysarum final : public sim::PhysarumEngine {
public:
    ThreadedPhysarum(core::Run &run, sim::PhysarumState state, const rules::PhysarumRule &rule,
                     const AnyControls &controls, const PhysarumKernel &kernel,
                     const PhysarumTuning &tuning)
        : run_(run), state_(std::move(state)), rule_(rule), controls_(controls),
          agents_(state_.agents.size()), count_(state_.trail.extent(), run.memory()),
          pass_(rule, controls, kernel, tuning.pieces),
          sort_interval_(static_cast<std::uint32_t>(tuning.sort_interval)) {
        if (std::is_same_v<AnyControls, rules::NoControls> && PackedAgents::fits(rule)) {
            packed_.emplace(rule, kernel, tuning, state_);
        }
    }

    void advance(std::uint32_t steps) override {
        if (packed_ && steps_since_sort_ >= sort_interval_) {
            packed_->sort(run_);
            steps_since_sort_ = 0;
        }
        steps_since_sort_ += steps;
        const std::uint64_t cells = count_.cells().size();
        for (std::uint32_t i = 0; i < steps; ++i) {
            this->timed("sense_turn_move", 2 * agents_ * sizeof(rules::Agent), 0, [&] {
                if (packed_) {
                    packed_->move_and_deposit(run_, state_.trail.data(), state_.step, count_);
                } else {
                    move_and_deposit(run_, state_, rule_, controls_, count_);
                }
            });
            this->timed("diffuse_decay", 4 * cells * sizeof(std::uint32_t), 1,
                        [&] { pass_.run(run_, state_, count_); });
            ++state_.step;
        }
    }

    std::uint64_t memory() const override {
        // A cell's trail and count; an agent, twice where it is sorted.
        return count_.cells().size() * 2 * sizeof(std::uint32_t) +
               agents_ * (packed_ ? 2 : 1) * (sizeof(rules::Agent) + sizeof(std::uint64_t));
    }

private:
    sim::PhysarumState &read() override {
        if (packed_) {
            packed_->unpack(state_);
        }
        return state_;
    }

    Field2D<std::uint32_t> &read_trail(core::Run &) override { return state_.trail; }

    core::Run &run_;
    sim::PhysarumState state_;
    rules::PhysarumRule rule_;
    AnyControls controls_;
    std::uint64_t agents_;
    Field2D<std::uint32_t> count_;
    TrailPass<AnyControls> pass_;
    std::optional<PackedAgents> packed_;
    std::uint32_t sort_interval_;
    std::uint32_t steps_since_sort_ = 0;
};

} // namespace

std::vector<const PhysarumKernel *> physarum_kernels() {
    std::vector<const PhysarumKernel *> kernels{&kPhysarumBaseline};
#if defined(__x86_64__)
    core::add_supported(kernels, kPhysarumAvx2, kPhysarumAvx512);
#endif
    return kernels;
}

std::unique_ptr<sim::PhysarumEngine> make_physarum(core::Run &run, sim::PhysarumState state,
                                                   const rules::PhysarumRule &rule,
                                                   const sim::ControlFields *controls,
                                                   const PhysarumKernel &kernel,
                                                   const PhysarumTuning &tuning) {
    if (controls == nullptr) {
        return std::make_unique<ThreadedPhysarum<rules::NoControls>>(
            run, std::move(state), rule, rules::NoControls{}, kernel, tuning);
    }
    return std::make_unique<ThreadedPhysarum<rules::Controls>>(run, std::move(state), rule,
                                                               sim::view(controls), kernel, tuning);
}

std::unique_ptr<sim::PhysarumEngine> make_physarum(core::Run &run, sim::PhysarumState state,
                                                   const rules::PhysarumRule &rule,
                                                   const sim::ControlFields *controls,
                                                   const PhysarumTuning &tuning) {
    const auto kernels = physarum_kernels();
    const std::size_t older = std::min(static_cast<std::size_t>(tuning.older), kernels.size() - 1);
    return make_physarum(run, std::move(state), rule, controls,
                         *kernels[kernels.size() - 1 - older], tuning);
}

} // namespace karst::cpu
