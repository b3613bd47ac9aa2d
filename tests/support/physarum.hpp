// States of a Physarum simulation for tests: made by hand, run by a chosen engine, compared as sets
// of agents.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/run.hpp"
#include "sim/physarum.hpp"

namespace karst::test {

template <class Rule>
sim::BasicPhysarumState<Rule> run_physarum(sim::BasicPhysarumState<Rule> state, const Rule &rule,
                                           std::int64_t steps, sim::EngineKind kind,
                                           int threads = 1) {
    Options options;
    options.threads = threads;
    core::Run run(options);
    run.stage("test", 1);
    return sim::advance(run, std::move(state), rule, steps, kind);
}

template <class Params, class Rule>
sim::BasicPhysarumState<Rule> spawn_physarum(const Params &params, const Rule &rule,
                                             std::uint32_t network = 0, int threads = 1) {
    Options options;
    options.threads = threads;
    core::Run run(options);
    run.stage("test", 1);
    return sim::spawn(run, params, rule, network);
}

// Empty trail, no agents.
inline sim::PhysarumState empty_state(const rules::PhysarumRule &rule) {
    sim::PhysarumState state;
    state.trail = Field2D<std::uint32_t>({rule.width, rule.height});
    return state;
}

inline sim::Physarum3State empty_state(const rules::Physarum3Rule &rule) {
    sim::Physarum3State state;
    state.trail = Field3D<std::uint32_t>({rule.size[0], rule.size[1], rule.size[2]});
    return state;
}

// The agents by ascending id: a state without its storage order.
template <class Rule>
auto agents_by_id(const sim::BasicPhysarumState<Rule> &state) {
    std::vector<std::size_t> order(state.ids.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return state.ids[i]; });
    std::vector<std::pair<std::uint64_t, typename Rule::Agent>> sorted;
    for (const std::size_t i : order) {
        sorted.emplace_back(state.ids[i], state.agents[i]);
    }
    return sorted;
}

// Empty if the states are the same, else the first thing that differs.
template <class Rule>
std::string difference(const sim::BasicPhysarumState<Rule> &a,
                       const sim::BasicPhysarumState<Rule> &b) {
    if (a.step != b.step) {
        return "step " + std::to_string(a.step) + " and " + std::to_string(b.step);
    }
    if (a.trail.extent() != b.trail.extent()) {
        return "extent of the trail";
    }
    for (std::int64_t i = 0; i < a.trail.size(); ++i) {
        if (a.trail[i] != b.trail[i]) {
            return "trail of cell " + std::to_string(i) + ": " + std::to_string(a.trail[i]) +
                   " and " + std::to_string(b.trail[i]);
        }
    }
    if (!(a.birth_time == b.birth_time)) {
        return "birth times";
    }
    if (a.agents.size() != b.agents.size()) {
        return "number of agents";
    }
    return agents_by_id(a) == agents_by_id(b) ? "" : "agents";
}

} // namespace karst::test
