// The raw Physarum field as a generator, for study and for pipelines: a map or a volume.
#include "generators/physarum.hpp"

#include "generators/controls.hpp"

#include "sim/physarum.hpp"

namespace karst {

namespace {

template <class Result>
Artifact artifact_of(Result result, const char *generator, const Job &job) {
    Artifact artifact;
    artifact.generator = generator;
    artifact.seed = job.seed;
    artifact.cell = job.cell;
    artifact.layers.push_back({.name = "trail",
                               .meaning = LayerMeaning::amount,
                               .unit = "trail",
                               .scale = 1.0 / 65536,
                               .offset = 0,
                               .data = std::move(result.trail)});
    if (!result.birth_time.empty()) {
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

Artifact map_artifact(const Job &job, const Options &options) {
    const PhysarumParams params = physarum_params(job);
    return artifact_of(job.controls.empty() && !job.pin
                           ? simulate_physarum(params, job.extent, job.seed, options)
                           : simulate_physarum(params, physarum_controls(job, "physarum"),
                                               job.extent, job.seed, options),
                       "physarum", job);
}

Artifact generate_volume(const Job &job, const Options &options) {
    const Physarum3Params params = sim::physarum3_table().from(job.params);
    const Extent3 extent{job.extent.width, job.extent.height, job.depth};
    return artifact_of(job.controls.empty() && !job.pin
                           ? simulate_physarum(params, extent, job.seed, options)
                           : simulate_physarum(params, physarum_controls(job, "physarum3"), extent,
                                               job.seed, options),
                       "physarum3", job);
}

std::vector<LayerInfo> layers(LayerKind kind) {
    return {{"trail", "The trail after the last step, 16 fraction bits.", "", kind},
            {"birth_time", "The step at which the network first reached a cell, 0: never.",
             "birth_time", kind}};
}

} // namespace

PhysarumParams physarum_params(const Job &job) {
    return sim::physarum_table().from(job.params);
}

GeneratorInfo physarum_generator() {
    return {.name = "physarum",
            .help = "the trail of a Physarum (slime mould) simulation",
            .layers = layers(LayerKind::map),
            .params = sim::physarum_table().infos(),
            .presets = {},
            .default_cell = 1,
            .default_extent = {512, 512},
            .volume_name = "physarum3",
            .controls = physarum_control_names(),
            .generate = map_artifact,
            .simulation = true};
}

GeneratorInfo physarum3_generator() {
    return {.name = "physarum3",
            .help = "the trail of a Physarum simulation in three dimensions",
            .layers = layers(LayerKind::volume),
            .params = sim::physarum3_table().infos(),
            .presets = {},
            .default_cell = 1,
            .default_extent = {96, 96},
            .default_depth = 96,
            .controls = physarum_control_names(),
            .generate = generate_volume,
            .simulation = true};
}

} // namespace karst
