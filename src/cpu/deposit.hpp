// The first half of a step of Physarum on CPU threads, for any rule.
#pragma once

#include "core/atomic.hpp"
#include "sim/physarum.hpp"

namespace karst::cpu {

// Every agent senses, turns, moves and counts itself in its cell.
template <class Rule, class AnyControls, class Counts>
void move_and_deposit(core::Run &run, sim::BasicPhysarumState<Rule> &state, const Rule &rule,
                      const AnyControls &controls, Counts &count) {
    const rules::Tables tables = rules::host_tables();
    const bool alone = run.executor().concurrency() == 1;
    run.for_ranges(static_cast<std::int64_t>(state.agents.size()), 4096,
                   [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t i = begin; i < end; ++i) {
                           const auto k = static_cast<std::size_t>(i);
                           const std::int64_t cell =
                               rules::move_agent(rule, state.trail.data(), tables, state.ids[k],
                                                 state.step, state.agents[k], controls);
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

} // namespace karst::cpu
