// The raw Physarum field as a generator, for study and for pipelines.
#include "generators/registry.hpp"

#include <karst/simulate.hpp>

#include "sim/physarum.hpp"

namespace karst {

namespace {

Artifact generate(const Job &job, const Options &options) {
    const PhysarumParams params = sim::physarum_table().from(job.params);
    PhysarumResult result = simulate_physarum(params, job.extent, job.seed, options);
    Artifact artifact;
    artifact.generator = "physarum";
    artifact.seed = job.seed;
    artifact.cell = job.cell;
    artifact.layers.push_back({.name = "trail",
                               .meaning = LayerMeaning::amount,
                               .unit = "trail",
                               .scale = 1.0 / 65536,
                               .offset = 0,
                               .data = std::move(result.trail)});
    if (params.birth_time) {
        artifact.layers.push_back({.name = "birth_time",
                                   .meaning = LayerMeaning::amount,
                                   .unit = "steps",
                                   .scale = 1,
                                   .offset = 0,
                                   .data = std::move(result.birth_time)});
    }
    artifact.measures.emplace_back("agents", static_cast<double>(result.agents));
    return artifact;
}

} // namespace

GeneratorInfo physarum_generator() {
    return {
        .name = "physarum",
        .help = "the trail of a Physarum (slime mould) simulation",
        .layers = {{"trail", "The trail after the last step, 16 fraction bits."},
                   {"birth_time", "The step at which the network first reached a cell, 0: never.",
                    "birth_time"}},
        .params = sim::physarum_table().infos(),
        .presets = {},
        .default_cell = 1,
        .default_extent = {512, 512},
        .generate = generate,
        .simulation = true};
}

} // namespace karst
