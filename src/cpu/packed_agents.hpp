// Agents of a map as arrays of their parts, for the loops of cpu/physarum_kernel.hpp. They are put
// in the order of tiles now and then, so that what they read lies in the cache; their order carries
// no meaning.
#pragma once

#include <vector>

#include "cpu/physarum_kernel.hpp"
#include "sim/physarum.hpp"
#include "sim/physarum_tuning.hpp"

namespace karst::cpu {

class PackedAgents {
public:
    // Whether the kernel can do the rule.
    static bool fits(const rules::PhysarumRule &rule);

    // Takes the agents out of the state.
    PackedAgents(const rules::PhysarumRule &rule, const PhysarumKernel &kernel,
                 const PhysarumTuning &tuning, sim::PhysarumState &state);

    void sort(core::Run &run);
    // Senses, turns, moves and counts, all agents once.
    void move_and_deposit(core::Run &run, const std::uint32_t *trail, std::uint32_t step,
                          Field2D<std::uint32_t> &count);
    // Copies the agents back.
    void unpack(sim::PhysarumState &state) const;

private:
    rules::PhysarumRule rule_;
    const PhysarumKernel &kernel_;
    PhysarumTuning tuning_;
    std::vector<Offset> sensor_; // in each direction
    std::vector<Offset> step_;
    std::size_t count_;
    // Q16.16 cells from the corner. The arrays are filled up to whole batches.
    std::vector<std::int32_t> x_;
    std::vector<std::int32_t> y_;
    std::vector<std::uint16_t> heading_;
    std::vector<std::uint64_t> ids_;
};

} // namespace karst::cpu
