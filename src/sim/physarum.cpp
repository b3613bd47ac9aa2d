// Running Physarum simulations: the choice of the engine, the public functions.
#include "sim/physarum.hpp"

#include <cmath>
#include <cstring>

#include "core/digest.hpp"
#include "sim/device_choice.hpp"
#include "sim/physarum_tuning.hpp"
#include "sim/tuning.hpp"

namespace karst::sim {

namespace {

std::int64_t cell_of(const rules::Agent &agent, Extent2 extent) {
    return agent.y * extent.width + agent.x;
}
std::int64_t cell_of(const rules::Agent3 &agent, Extent3 extent) {
    return (agent.cell[2] * extent.height + agent.cell[1]) * extent.width + agent.cell[0];
}

// Of a world that begins at cell 0.
template <class Rule>
void show_agents(core::Run &run, const BasicPhysarumState<Rule> &state) {
    Field<std::uint32_t, typename Rule::Extent> counts(state.trail.extent());
    for (const auto &agent : state.agents) {
        ++counts[cell_of(agent, counts.extent())];
    }
    run.show(counts, StageCells::count, "agents", state.step);
}

// With stops where the run's observer wants to see the trail; take(engine) after the last step.
template <class Rule, class Take>
auto run_watched(core::Run &run, BasicPhysarumState<Rule> state, const Rule &rule,
                 std::int64_t steps, EngineKind kind,
                 const BasicControlFields<typename Rule::Extent> *controls, Take &&take) {
    const StageObserver *const observer = run.options().observer;
    const auto stops = observer == nullptr ? std::span<const std::int64_t>() : observer->steps();
    if (!stops.empty() && stops.front() == 0) {
        show_agents(run, state);
    }
    std::unique_ptr<BasicPhysarumEngine<Rule>> engine;
    {
        const core::Range range("upload");
        engine = kind == EngineKind::plain ? make_plain_physarum(std::move(state), rule, controls)
                                           : make_engine(run, std::move(state), rule, controls);
    }
    std::int64_t done = 0;
    for (const std::int64_t step : stops) {
        if (step > done && step < steps) {
            run_steps(run, *engine, step - done, done, steps);
            done = step;
            run.show(engine->look_trail(run), StageCells::amount, {}, step);
        }
    }
    run_steps(run, *engine, steps - done, done, steps);
    const core::Range range("download");
    return take(*engine);
}

// Agents that are born in the engine are not there to be shown.
template <class Params, class Rule>
BasicPhysarumState<Rule> first_state(core::Run &run, const Params &params, const Rule &rule,
                                     std::uint32_t network,
                                     const BasicControlFields<typename Rule::Extent> *controls) {
    return run.options().observer != nullptr ? spawn(run, params, rule, network, controls)
                                             : start(run, params, rule, network, controls);
}

// `controls` may be null.
template <class State, class Result, class Rule, class Params, class Extent>
Result run_job(const Params &params, const Rule &rule, const PhysarumControls *controls,
               Extent extent, const Options &options) {
    core::Run run(options);
    run.stage("spawn", 0.02);
    BasicControlFields<Extent> fields;
    if (controls != nullptr) {
        fields = control_fields(run, *controls, params, extent);
    }
    const auto *const steer = controls == nullptr ? nullptr : &fields;
    State state = first_state(run, params, rule, 0, steer);
    run.stage("physarum", 0.98, run.options().device);
    state = advance(run, std::move(state), rule, params.steps, EngineKind::fast, steer);
    Result result;
    result.agents = static_cast<std::int64_t>(state.agents.size());
    result.agents_digest = agents_digest(state);
    result.trail = std::move(state.trail);
    result.birth_time = std::move(state.birth_time);
    run.made(result.trail, StageCells::amount, params.steps);
    run.finish();
    return result;
}

template <class State, class Result, class Params, class Extent>
Result whole_job(const Params &params, const PhysarumControls *controls, Extent extent,
                 std::uint64_t seed, const Options &options) {
    if (controls != nullptr) {
        require_no_pin(*controls, "simulate_physarum");
    }
    const auto rule = quantise(params, extent, seed);
    std::uint64_t memory = memory_needed(params, extent);
    memory += controls == nullptr ? 0 : memory_needed(*controls, extent.cells());
    core::require_memory(memory, "a simulation of this size", options);
    return on_device(options, work_of(params, extent), [&](const Options &chosen) {
        return run_job<State, Result>(params, rule, controls, extent, chosen);
    });
}

std::string text_of(Extent2 extent) {
    return std::to_string(extent.width) + "x" + std::to_string(extent.height);
}
std::string text_of(Extent3 extent) {
    return text_of(Extent2{extent.width, extent.height}) + "x" + std::to_string(extent.depth);
}

// Names and digests of the fields that are there.
template <class Extent>
std::string text_of(const BasicControlFields<Extent> *controls) {
    std::string text;
    const auto add = [&text](const char *name, const auto &field) {
        if (!field.empty()) {
            text += std::string(" ") + name + "=" +
                    std::to_string(core::xxh3(field.data(), field.cells().size_bytes()));
        }
    };
    if (controls != nullptr) {
        add("walls", controls->walls);
        add("food", controls->food);
        add("spawn", controls->spawn);
        add("sensor_angle", controls->sensor_angle);
        add("rotation_angle", controls->rotation_angle);
        add("sensor_offset", controls->sensor_offset);
        add("step_size", controls->step_size);
        add("deposit", controls->deposit);
        add("retain", controls->retain_share);
        add("start", controls->start);
    }
    return text;
}

template <class Params, class Extent>
Field<std::uint32_t, Extent>
simulate_or_load(core::Run &run, const std::string &name, const std::string &parameters,
                 const Params &params, Extent extent, std::uint64_t seed, std::uint32_t network,
                 const BasicControlFields<Extent> *controls) {
    FieldCache *const cache = run.options().cache;
    const std::string key = name + " " + std::to_string(KARST_ALGORITHM_VERSION) + " " +
                            parameters + "size=" + text_of(extent) +
                            " seed=" + std::to_string(seed) +
                            " network=" + std::to_string(network) + text_of(controls);
    const auto rule = quantise(params, extent, seed, network);
    if (cache != nullptr) { // what is taken for the load is given back before the spawn
        Field<std::uint32_t, Extent> kept(extent, run.memory());
        if (cache->load(key, std::as_writable_bytes(kept.cells()))) {
            run.made(kept, StageCells::amount, params.steps);
            return kept;
        }
    }
    auto trail = run_watched(run, first_state(run, params, rule, network, controls), rule,
                             params.steps, EngineKind::fast, controls,
                             [&run](auto &engine) { return engine.take_trail(run); });
    if (cache != nullptr) {
        cache->store(key, std::as_bytes(trail.cells()));
    }
    run.made(trail, StageCells::amount, params.steps);
    return trail;
}

} // namespace

SizeClass size_class(const PhysarumState &state) {
    // Those that are still to be born are as many as their density says, about.
    const std::int64_t agents =
        state.births ? static_cast<std::int64_t>(
                           std::ldexp(static_cast<double>(state.births->density), -32) *
                           static_cast<double>(state.trail.size()))
                     : static_cast<std::int64_t>(state.agents.size());
    return size_class(state.trail.size(), agents);
}

std::unique_ptr<PhysarumEngine> make_engine(core::Run &run, PhysarumState state,
                                            const rules::PhysarumRule &rule,
                                            const ControlFields *controls) {
    const Options &options = run.options();
    const SizeClass size = size_class(state);
    const Tuning *const tuning = tuning_of(options);
    if (options.device.kind == DeviceKind::cuda) {
        return cuda::make_physarum(options.device, std::move(state), rule, controls,
                                   chosen_tuning<cuda::PhysarumTuning>(tuning, size));
    }
    return cpu::make_physarum(run, std::move(state), rule, controls,
                              chosen_tuning<cpu::PhysarumTuning>(tuning, size));
}

std::unique_ptr<Physarum3Engine> make_engine(core::Run &run, Physarum3State state,
                                             const rules::Physarum3Rule &rule,
                                             const Control3Fields *controls) {
    const Device device = run.options().device;
    return device.kind == DeviceKind::cuda
               ? cuda::make_physarum(device, std::move(state), rule, controls)
               : cpu::make_physarum(run, std::move(state), rule, controls);
}

PhysarumState advance(core::Run &run, PhysarumState state, const rules::PhysarumRule &rule,
                      std::int64_t steps, EngineKind kind, const ControlFields *controls) {
    return run_watched(run, std::move(state), rule, steps, kind, controls,
                       [](auto &engine) { return engine.take(); });
}

Physarum3State advance(core::Run &run, Physarum3State state, const rules::Physarum3Rule &rule,
                       std::int64_t steps, EngineKind kind, const Control3Fields *controls) {
    return run_watched(run, std::move(state), rule, steps, kind, controls,
                       [](auto &engine) { return engine.take(); });
}

Field2D<std::uint32_t> simulate(core::Run &run, const PhysarumParams &params, Extent2 extent,
                                std::uint64_t seed, std::uint32_t network,
                                const ControlFields *controls) {
    return simulate_or_load(run, "physarum", physarum_table().describe(params), params, extent,
                            seed, network, controls);
}

Field3D<std::uint32_t> simulate(core::Run &run, const Physarum3Params &params, Extent3 extent,
                                std::uint64_t seed, std::uint32_t network,
                                const Control3Fields *controls) {
    return simulate_or_load(run, "physarum3", physarum3_table().describe(params), params, extent,
                            seed, network, controls);
}

Field2D<std::uint32_t> simulate(core::Run &run, const PhysarumParams &params, Extent2 extent,
                                std::uint64_t seed, std::uint32_t network,
                                const GroundControls &controls, const core::Placement2 &placement) {
    require_whole_pin(controls);
    Field2D<std::uint32_t> trail;
    if (any(controls)) {
        ControlFields fields = control_fields(run, controls, params, placement);
        pin(run, controls, network, placement, fields);
        trail = simulate(run, params, extent, seed, network, &fields);
    } else {
        trail = simulate(run, params, extent, seed, network);
    }
    if (run.options().networks != nullptr) {
        run.options().networks->push_back({network, trail});
    }
    return trail;
}

Field3D<std::uint32_t> simulate(core::Run &run, const Physarum3Params &params, Extent3 extent,
                                std::uint64_t seed, std::uint32_t network,
                                const GroundControls &controls, const core::Placement2 &placement) {
    if (!any(controls)) {
        return simulate(run, params, extent, seed, network);
    }
    const Control3Fields fields = control_fields(run, controls, params, placement, extent.depth);
    return simulate(run, params, extent, seed, network, &fields);
}

std::uint64_t agents_digest(const PhysarumState &state) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < state.agents.size(); ++i) {
        const rules::Agent &agent = state.agents[i];
        const std::uint16_t small[4] = {agent.fraction_x, agent.fraction_y, agent.heading, 0};
        unsigned char bytes[24];
        std::memcpy(bytes, &state.ids[i], 8);
        std::memcpy(bytes + 8, &agent.x, 4);
        std::memcpy(bytes + 12, &agent.y, 4);
        std::memcpy(bytes + 16, small, 8);
        sum += core::xxh3(bytes, sizeof bytes);
    }
    return sum;
}

std::uint64_t agents_digest(const Physarum3State &state) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < state.agents.size(); ++i) {
        const rules::Agent3 &agent = state.agents[i];
        unsigned char bytes[40] = {};
        std::memcpy(bytes, &state.ids[i], 8);
        std::memcpy(bytes + 8, agent.cell, 12);
        std::memcpy(bytes + 20, agent.fraction, 6);
        std::memcpy(bytes + 26, agent.frame.front.axis, 6);
        std::memcpy(bytes + 32, agent.frame.up.axis, 6);
        sum += core::xxh3(bytes, sizeof bytes);
    }
    return sum;
}

} // namespace karst::sim

namespace karst {

PhysarumResult simulate_physarum(const PhysarumParams &params, Extent2 extent, std::uint64_t seed,
                                 const Options &options) try {
    return sim::whole_job<sim::PhysarumState, PhysarumResult>(params, nullptr, extent, seed,
                                                              options);
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}

PhysarumResult simulate_physarum(const PhysarumParams &params, const PhysarumControls &controls,
                                 Extent2 extent, std::uint64_t seed, const Options &options) try {
    return sim::whole_job<sim::PhysarumState, PhysarumResult>(params, &controls, extent, seed,
                                                              options);
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}

Physarum3Result simulate_physarum(const Physarum3Params &params, Extent3 extent, std::uint64_t seed,
                                  const Options &options) try {
    return sim::whole_job<sim::Physarum3State, Physarum3Result>(params, nullptr, extent, seed,
                                                                options);
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}

Physarum3Result simulate_physarum(const Physarum3Params &params, const PhysarumControls &controls,
                                  Extent3 extent, std::uint64_t seed, const Options &options) try {
    return sim::whole_job<sim::Physarum3State, Physarum3Result>(params, &controls, extent, seed,
                                                                options);
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}

} // namespace karst
