// Physarum simulations in two and three dimensions: quantised description, state, engines. What is
// the same in both is a template over the rule (rules::PhysarumRule, rules::Physarum3Rule).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <karst/field.hpp>
#include <karst/simulate.hpp>

#include "core/param_table.hpp"
#include "core/run.hpp"
#include "rules/births.hpp"
#include "rules/physarum.hpp"
#include "rules/physarum3.hpp"
#include "sim/controls.hpp"
#include "sim/engine.hpp"

namespace karst::sim {

// All that a simulation is, at the start of step `step`. The storage order of the agents carries
// no meaning: an agent is its id.
template <class Rule>
struct BasicPhysarumState {
    std::uint32_t step = 0;
    Field<std::uint32_t, typename Rule::Extent> trail;      // 16 fraction bits
    Field<std::uint16_t, typename Rule::Extent> birth_time; // empty: not kept
    std::vector<typename Rule::Agent> agents;
    std::vector<std::uint64_t> ids;
    // Set: nobody has set the trail or made the agents yet. The CUDA engine begins with a trail of
    // 0 and the agents that are born by this.
    std::optional<rules::Births> births;
};
using PhysarumState = BasicPhysarumState<rules::PhysarumRule>;
using Physarum3State = BasicPhysarumState<rules::Physarum3Rule>;

// The plain engine is the specification: one pass after another, one index at a time. Every other
// engine gives the same bytes.
template <class Rule>
class BasicPhysarumEngine : public Engine {
public:
    using State = BasicPhysarumState<Rule>;
    using Trail = Field<std::uint32_t, typename Rule::Extent>;

    // The state after the last step, until the next call; the engine goes on.
    const State &look() { return read(); }
    // Moves it out; the engine is finished.
    State take() { return std::move(read()); }
    // The same two without agents and birth times, which then are copied from no device.
    const Trail &look_trail(core::Run &run) { return read_trail(run); }
    Trail take_trail(core::Run &run) { return std::move(read_trail(run)); }

private:
    // Brings the host's state up to date; later steps are the same as without.
    virtual State &read() = 0;
    virtual Trail &read_trail(core::Run &) { return read().trail; }
};
using PhysarumEngine = BasicPhysarumEngine<rules::PhysarumRule>;
using Physarum3Engine = BasicPhysarumEngine<rules::Physarum3Rule>;

// `network` in [0, 16) tells simulations of one seed apart: each draws its own numbers.
rules::PhysarumRule quantise(const PhysarumParams &params, Extent2 extent, std::uint64_t seed,
                             std::uint32_t network = 0, Cell2 origin = {});
rules::Physarum3Rule quantise(const Physarum3Params &params, Extent3 extent, std::uint64_t seed,
                              std::uint32_t network = 0, Cell3 origin = {});

// A retained fraction as TrailRule::retain_share.
template <class Extent>
std::uint32_t retain_share(double retain);
template <>
std::uint32_t retain_share<Extent2>(double retain);
template <>
std::uint32_t retain_share<Extent3>(double retain);

// `controls` may be null everywhere: there are no maps. They have the rule's extent.

// The agents of a new simulation; their trail is 0 everywhere. Throws Error(invalid_argument) for
// more than 256 agents a cell.
PhysarumState spawn(core::Run &run, const PhysarumParams &params, const rules::PhysarumRule &rule,
                    std::uint32_t network = 0, const ControlFields *controls = nullptr);
Physarum3State spawn(core::Run &run, const Physarum3Params &params,
                     const rules::Physarum3Rule &rule, std::uint32_t network = 0,
                     const Control3Fields *controls = nullptr);

// The same simulation for the fast engine of the run's device: on CUDA its agents are born there,
// where they are given by density and no maps, and 10 million of them are neither made nor copied
// here.
PhysarumState start(core::Run &run, const PhysarumParams &params, const rules::PhysarumRule &rule,
                    std::uint32_t network, const ControlFields *controls);
Physarum3State start(core::Run &run, const Physarum3Params &params,
                     const rules::Physarum3Rule &rule, std::uint32_t network,
                     const Control3Fields *controls);

// Runs `steps` steps on the run's device, reporting progress.
PhysarumState advance(core::Run &run, PhysarumState state, const rules::PhysarumRule &rule,
                      std::int64_t steps, EngineKind engine = EngineKind::fast,
                      const ControlFields *controls = nullptr);
Physarum3State advance(core::Run &run, Physarum3State state, const rules::Physarum3Rule &rule,
                       std::int64_t steps, EngineKind engine = EngineKind::fast,
                       const Control3Fields *controls = nullptr);

// quantise, start and advance in one, for generators: the trail. It comes from the run's cache
// where that has it.
Field2D<std::uint32_t> simulate(core::Run &run, const PhysarumParams &params, Extent2 extent,
                                std::uint64_t seed, std::uint32_t network = 0,
                                const ControlFields *controls = nullptr);
Field3D<std::uint32_t> simulate(core::Run &run, const Physarum3Params &params, Extent3 extent,
                                std::uint64_t seed, std::uint32_t network = 0,
                                const Control3Fields *controls = nullptr);

// The same under the maps of a ground on which the grid lies as `placement` says.
Field2D<std::uint32_t> simulate(core::Run &run, const PhysarumParams &params, Extent2 extent,
                                std::uint64_t seed, std::uint32_t network,
                                const GroundControls &controls, const core::Placement2 &placement);
Field3D<std::uint32_t> simulate(core::Run &run, const Physarum3Params &params, Extent3 extent,
                                std::uint64_t seed, std::uint32_t network,
                                const GroundControls &controls, const core::Placement2 &placement);

// Sum modulo 2^64 of XXH3-64 of each agent's bytes, little-endian. Two dimensions, 24 bytes: id
// u64, x i32, y i32, fractions u16 u16, heading u16, 0 u16. Three, 40 bytes: id u64, cell 3 i32,
// fractions 3 u16, front 3 i16, up 3 i16, 0 u16.
std::uint64_t agents_digest(const PhysarumState &state);
std::uint64_t agents_digest(const Physarum3State &state);

// Bytes a simulation needs at its peak, with CUDA's copies when it runs there.
std::uint64_t memory_needed(const PhysarumParams &params, Extent2 extent);
std::uint64_t memory_needed(const Physarum3Params &params, Extent3 extent);

const core::ParamTable<PhysarumParams> &physarum_table();
const core::ParamTable<Physarum3Params> &physarum3_table();

// The fast engine of the run's device, with the run's tuning.
std::unique_ptr<PhysarumEngine> make_engine(core::Run &run, PhysarumState state,
                                            const rules::PhysarumRule &rule,
                                            const ControlFields *controls);
std::unique_ptr<Physarum3Engine> make_engine(core::Run &run, Physarum3State state,
                                             const rules::Physarum3Rule &rule,
                                             const Control3Fields *controls);

std::unique_ptr<PhysarumEngine> make_plain_physarum(PhysarumState state,
                                                    const rules::PhysarumRule &rule,
                                                    const ControlFields *controls);
std::unique_ptr<Physarum3Engine> make_plain_physarum(Physarum3State state,
                                                     const rules::Physarum3Rule &rule,
                                                     const Control3Fields *controls);

} // namespace karst::sim

namespace karst::cpu {
struct PhysarumTuning; // sim/physarum_tuning.hpp
std::unique_ptr<sim::PhysarumEngine> make_physarum(core::Run &run, sim::PhysarumState state,
                                                   const rules::PhysarumRule &rule,
                                                   const sim::ControlFields *controls,
                                                   const PhysarumTuning &tuning);
std::unique_ptr<sim::Physarum3Engine> make_physarum(core::Run &run, sim::Physarum3State state,
                                                    const rules::Physarum3Rule &rule,
                                                    const sim::Control3Fields *controls);
} // namespace karst::cpu

namespace karst::cuda {
struct PhysarumTuning; // sim/physarum_tuning.hpp
// Throw Error(no_device) without CUDA.
std::unique_ptr<sim::PhysarumEngine> make_physarum(Device device, sim::PhysarumState state,
                                                   const rules::PhysarumRule &rule,
                                                   const sim::ControlFields *controls,
                                                   const PhysarumTuning &tuning);
std::unique_ptr<sim::Physarum3Engine> make_physarum(Device device, sim::Physarum3State state,
                                                    const rules::Physarum3Rule &rule,
                                                    const sim::Control3Fields *controls);
} // namespace karst::cuda
