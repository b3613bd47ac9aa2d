// A Physarum simulation: its quantised description, its state, its engines.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <karst/field.hpp>
#include <karst/simulate.hpp>

#include "core/param_table.hpp"
#include "core/run.hpp"
#include "rules/physarum.hpp"

namespace karst::sim {

// All that a simulation is, at the start of step `step`. The storage order of the agents carries
// no meaning: an agent is its id.
struct PhysarumState {
    std::uint32_t step = 0;
    Field2D<std::uint32_t> trail;      // 16 fraction bits
    Field2D<std::uint16_t> birth_time; // empty: not kept
    std::vector<rules::Agent> agents;
    std::vector<std::uint64_t> ids;
};

// Runs steps of one simulation. The plain engine is the specification: one pass after another, one
// index at a time. Every other engine gives the same bytes.
class PhysarumEngine {
public:
    virtual ~PhysarumEngine() = default;
    // At most kStepsAtOnce steps.
    virtual void advance(std::uint32_t steps) = 0;
    // Moves the state out; the engine is finished.
    virtual PhysarumState take() = 0;
};

// A cancel waits for at most this many steps; it is also the length of a CUDA graph.
inline constexpr std::uint32_t kStepsAtOnce = 32;

enum class EngineKind { plain, fast }; // fast: the threaded one, or CUDA by the run's device

// `network` in [0, 16) tells simulations of one seed apart: each draws its own numbers.
rules::PhysarumRule quantise(const PhysarumParams &params, Extent2 extent, std::uint64_t seed,
                             std::uint32_t network = 0, Cell2 origin = {});

// The agents of a new simulation; their trail is 0 everywhere. Throws Error(invalid_argument) for
// more than 256 agents a cell.
PhysarumState spawn(core::Run &run, const PhysarumParams &params, const rules::PhysarumRule &rule,
                    std::uint32_t network = 0);

// Runs `steps` steps on the run's device, reporting progress.
PhysarumState advance(core::Run &run, PhysarumState state, const rules::PhysarumRule &rule,
                      std::int64_t steps, EngineKind engine = EngineKind::fast);

// quantise, spawn and advance in one, for generators. Validates the parameters.
PhysarumState simulate(core::Run &run, const PhysarumParams &params, Extent2 extent,
                       std::uint64_t seed, std::uint32_t network = 0);

// Sum modulo 2^64 of XXH3-64 of each agent's 24 bytes: id u64, x i32, y i32, fractions u16 u16,
// heading u16, 0 u16, little-endian.
std::uint64_t agents_digest(const PhysarumState &state);

// Bytes a simulation needs at its peak, with CUDA's copies when it runs there.
std::uint64_t memory_needed(const PhysarumParams &params, Extent2 extent);

const core::ParamTable<PhysarumParams> &physarum_table();

std::unique_ptr<PhysarumEngine> make_plain_physarum(PhysarumState state,
                                                    const rules::PhysarumRule &rule);

} // namespace karst::sim

namespace karst::cpu {
std::unique_ptr<sim::PhysarumEngine> make_physarum(core::Run &run, sim::PhysarumState state,
                                                   const rules::PhysarumRule &rule);
} // namespace karst::cpu

namespace karst::cuda {
// Throws Error(no_device) without CUDA.
std::unique_ptr<sim::PhysarumEngine> make_physarum(Device device, sim::PhysarumState state,
                                                   const rules::PhysarumRule &rule);
} // namespace karst::cuda
