// The agents of a simulation that begins: copied from its state, or born on the device.
#pragma once

#include <type_traits>

#include "resources.cuh"
#include "rules/births.hpp"
#include "sim/physarum.hpp"

namespace karst::cuda {

// How many agents are born on a map.
std::uint32_t count_births(const rules::Births &births, const Stream &stream);
// Those agents, in any order.
void give_birth(const rules::Births &births, const rules::PhysarumRule &rule, rules::Agent *agents,
                std::uint64_t *ids, const Stream &stream);

// How many agents a simulation begins with.
template <class Rule>
std::size_t count_of(const sim::BasicPhysarumState<Rule> &state, const Stream &stream) {
    return state.births ? count_births(*state.births, stream) : state.agents.size();
}

// Those agents, in device memory.
template <class Rule>
struct NewAgents {
    Buffer<typename Rule::Agent> agents;
    Buffer<std::uint64_t> ids;

    // The state must stay alive until the stream is synchronised.
    NewAgents(const sim::BasicPhysarumState<Rule> &state, const Rule &rule, std::size_t count,
              const Stream &stream)
        : agents(count, stream), ids(count, stream) {
        if constexpr (std::is_same_v<Rule, rules::PhysarumRule>) {
            if (state.births) {
                give_birth(*state.births, rule, agents.data(), ids.data(), stream);
                return;
            }
        }
        agents.upload(state.agents, stream);
        ids.upload(state.ids, stream);
    }
};

// The trail that a simulation begins with.
template <class Rule>
void load_trail(const sim::BasicPhysarumState<Rule> &state, Buffer<std::uint32_t> &trail,
                const Stream &stream) {
    if (state.births) {
        trail.clear(stream);
    } else {
        trail.upload(state.trail.cells(), stream);
    }
}

// Makes room on the host for the agents that an engine gives back.
template <class Rule>
void resize_agents(sim::BasicPhysarumState<Rule> &state, std::size_t agents) {
    state.births.reset();
    state.agents.resize(agents);
    state.ids.resize(agents);
}

} // namespace karst::cuda
