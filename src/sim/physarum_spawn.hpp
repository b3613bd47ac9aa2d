// Limits of the agents of a new simulation.
#pragma once

#include <cstdint>

namespace karst::sim {

inline constexpr std::int64_t kMostAgentsACell = 256; // an id holds 8 bits of slot

// Throws Error(invalid_argument) for this agent_count.
[[noreturn]] void refuse_agents(std::int64_t count);

} // namespace karst::sim
