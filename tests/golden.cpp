#include "golden.hpp"

#include "core/digest.hpp"
#include "core/rng.hpp"

namespace karst::test {

namespace {

// The largest cases are apart; a case is quick if it needs few steps on few cells.
template <class Case>
std::vector<Case> selected(std::vector<Case> cases, Selection selection, auto &&steps) {
    std::erase_if(cases, [&](const Case &c) {
        const std::int64_t cells = c.extent.cells();
        switch (selection) {
        case Selection::quick:
            return cells > 5000 || steps(c) > 40;
        case Selection::all:
            return cells > 1000000;
        case Selection::large:
            break;
        }
        return false;
    });
    return cases;
}

// Every map there is, each of another size.
std::shared_ptr<const PhysarumControls> all_maps() {
    std::uint64_t number = 0;
    const auto grey = [&](auto &&of) {
        ++number;
        Field2D<std::uint16_t> map({17 + static_cast<std::int64_t>(number), 40});
        for (std::int64_t i = 0; i < map.size(); ++i) {
            map[i] = of(static_cast<std::uint16_t>(
                core::mix64(number * 1000 + static_cast<std::uint64_t>(i))));
        }
        return map;
    };
    const auto all = [](std::uint16_t value) { return value; };
    const auto few = [](std::uint16_t value) -> std::uint16_t { return value < 9000 ? 65535 : 0; };
    PhysarumControls maps;
    maps.walls = grey(few);
    maps.food = grey(few);
    maps.spawn = grey(all);
    maps.sensor_angle = {grey(all), 5, 80};
    maps.rotation_angle = {grey(all), 90, 10};
    maps.sensor_offset = {grey(all), 0.5, 14};
    maps.step_size = {grey(all), 0.1, 2.6};
    maps.deposit = {grey(all), 0, 11};
    maps.retain = {grey(all), 0.4, 1};
    return std::make_shared<const PhysarumControls>(std::move(maps));
}

std::string size_name(Extent3 extent) {
    return std::to_string(extent.width) + "x" + std::to_string(extent.height) +
           (extent.depth > 0 ? "x" + std::to_string(extent.depth) : "");
}

std::vector<Extent3> generator_extents(const GeneratorInfo &generator, Selection selection) {
    const bool volumes = generator.default_depth > 0;
    if (selection == Selection::quick) {
        return {volumes ? Extent3{13, 10, 9} : Extent3{33, 20, 0}};
    }
    if (volumes) {
        std::vector<Extent3> extents{{1, 1, 1}, {1, 20, 3}, {40, 31, 26}};
        if (!generator.simulation) {
            extents.push_back({120, 90, 64}); // several chambers and passages
        }
        return extents;
    }
    return {{1, 1, 0}, {1, 40, 0}, {65, 63, 0}, {150, 97, 0}, {500, 401, 0}};
}

} // namespace

std::vector<PhysarumCase> physarum_cases(Selection selection) {
    PhysarumParams torus;
    torus.birth_time = true;
    torus.steps = 100;

    PhysarumParams brief = torus; // one graph of 32 steps and a rest
    brief.steps = 40;
    brief.agent_density = 0.5;

    PhysarumParams crowded = brief;
    crowded.agent_density = 5.5;

    PhysarumParams bounded = brief;
    bounded.boundary = Boundary::bounded;

    PhysarumParams still = bounded; // steps so short that some stay inside one cell
    still.agent_density = 5.5;
    still.step_size = 0.05;

    PhysarumParams larger = brief;
    larger.both_sides = BothSides::larger;
    larger.sensor_angle = 45;
    larger.rotation_angle = 22.5;
    larger.sensor_offset = 4.25;

    PhysarumParams disc = larger;
    disc.spawn = Spawn::disc;
    disc.spawn_radius = 0.8;
    disc.agent_count = 777;

    PhysarumParams ring = bounded;
    ring.spawn = Spawn::ring;
    ring.step_size = 2.75;
    ring.deposit = 0.3;

    PhysarumParams edges = bounded;
    edges.spawn = Spawn::edges;
    edges.both_sides = BothSides::larger;
    edges.agent_density = 3.3;

    PhysarumParams wide = brief; // sensors go around the torus several times
    wide.sensor_offset = 100;
    wide.step_size = 64;

    PhysarumParams full = brief; // cells saturate
    full.agent_count = 256;
    full.deposit = 1000;
    full.retain = 1;

    PhysarumParams empty = brief;
    empty.agent_density = 0;

    PhysarumParams sampled = bounded;
    sampled.steering = Steering::sampled;
    sampled.sharpness = 3.3;

    PhysarumParams softmax = brief;
    softmax.steering = Steering::softmax;
    softmax.sharpness = 0.17;

    PhysarumParams repelled = bounded;
    repelled.food_strength = -3;

    PhysarumParams far = bounded; // further than the border of a tile on most engines
    far.sensor_offset = 33.3;
    far.step_size = 1.37;

    PhysarumParams dense = brief;
    dense.agent_density = 4.5;

    PhysarumParams large = torus;
    large.steps = 34;

    return selected<PhysarumCase>(
        {{"torus-64x64", torus, {64, 64}},
         {"torus-63x65", brief, {63, 65}, 2},
         {"torus-1000x37", torus, {1000, 37}, 3},
         {"torus-37x1000", brief, {37, 1000}, 4},
         {"torus-512x300", torus, {512, 300}, 0xffffffffffffffffu},
         {"torus-1x1", crowded, {1, 1}, 5},
         {"torus-1x17", brief, {1, 17}, 6},
         {"torus-17x1", brief, {17, 1}, 7},
         {"torus-2x2", crowded, {2, 2}, 8},
         {"torus-129x20-network-7", brief, {129, 20}, 9, 7},
         {"torus-65x64-origin", brief, {65, 64}, 10, 1, {-1000, 77}},
         {"bounded-64x64", bounded, {64, 64}, 11},
         {"bounded-65x63", bounded, {65, 63}, 12},
         {"bounded-1x1", still, {1, 1}, 13},
         {"bounded-1x40", bounded, {1, 40}, 14},
         {"bounded-300x257", bounded, {300, 257}, 15, 15, {123456, -654321}},
         {"larger-64x48", larger, {64, 48}, 16},
         {"disc-80x60", disc, {80, 60}, 17},
         {"ring-60x80", ring, {60, 80}, 18},
         {"edges-90x33", edges, {90, 33}, 19},
         {"wide-5x3", wide, {5, 3}, 20},
         {"full-1x1", full, {1, 1}, 21},
         {"full-3x3", full, {3, 3}, 22},
         {"empty-20x20", empty, {20, 20}, 23},
         {"sampled-64x50", sampled, {64, 50}, 25},
         {"softmax-50x64", softmax, {50, 64}, 26},
         {"torus-193x130", brief, {193, 130}, 32, 2},
         {"dense-100x70", dense, {100, 70}, 33},
         {"far-140x90", far, {140, 90}, 34},
         {"maps-65x40", brief, {65, 40}, 27, 0, {}, all_maps()},
         {"maps-1x40", brief, {1, 40}, 28, 0, {}, all_maps()},
         {"maps-301x222", repelled, {301, 222}, 29, 3, {-55, 1000}, all_maps()},
         {"maps-sampled-50x60", sampled, {50, 60}, 30, 0, {}, all_maps()},
         {"pinned-60x51", brief, {60, 51}, 31, 0, {}, all_maps(), true},
         {"torus-4096x4096", large, {4096, 4096}, 24}},
        selection, [](const PhysarumCase &c) { return c.params.steps; });
}

std::vector<Physarum3Case> physarum3_cases(Selection selection) {
    Physarum3Params torus; // one graph of 32 steps and a rest
    torus.birth_time = true;
    torus.steps = 40;
    torus.sensor_offset = 4.25;

    Physarum3Params bounded = torus;
    bounded.boundary = Boundary::bounded;
    bounded.spawn = Spawn::edges;
    bounded.agent_density = 0.6;

    Physarum3Params ball = torus;
    ball.spawn = Spawn::disc;
    ball.agent_count = 777;
    ball.steering = Steering::sampled;
    ball.sharpness = 3.3;

    Physarum3Params shell = bounded;
    shell.spawn = Spawn::ring;
    shell.step_size = 2.75;
    shell.steering = Steering::softmax;
    shell.sharpness = 0.17;

    Physarum3Params wide = torus; // sensors go around the torus several times
    wide.agent_density = 5.5;
    wide.sensor_offset = 100;
    wide.step_size = 64;

    Physarum3Params full = torus; // cells saturate
    full.agent_count = 256;
    full.deposit = 1000;
    full.retain = 1;

    Physarum3Params large = torus;
    large.steps = 34;

    return selected<Physarum3Case>(
        {{"torus-16x16x16", torus, {16, 16, 16}},
         {"torus-33x9x17", torus, {33, 9, 17}, 2, 7, {-1000, 77, 5}},
         {"torus-65x40x34", torus, {65, 40, 34}, 3},
         {"bounded-17x15x16", bounded, {17, 15, 16}, 4},
         {"bounded-1x1x40", bounded, {1, 1, 40}, 5},
         {"sampled-20x24x22", ball, {20, 24, 22}, 6},
         {"softmax-24x20x22", shell, {24, 20, 22}, 7},
         {"wide-3x2x1", wide, {3, 2, 1}, 8},
         {"full-2x2x2", full, {2, 2, 2}, 9},
         {"maps-30x21x13", torus, {30, 21, 13}, 11, 0, {}, all_maps()},
         {"maps-64x40x33", bounded, {64, 40, 33}, 12, 0, {}, all_maps()},
         {"pinned-30x20x11", torus, {30, 20, 11}, 13, 0, {}, all_maps(), true},
         {"torus-256x256x256", large, {256, 256, 256}, 10}},
        selection, [](const Physarum3Case &c) { return c.params.steps; });
}

std::vector<LifeCase> life_cases(Selection selection) {
    constexpr auto torus = LifeBoundary::torus;
    constexpr auto dead = LifeBoundary::dead;
    constexpr auto alive = LifeBoundary::alive;
    return selected<LifeCase>({{"conway-64x64", "B3/S23", torus, {64, 64}, 0.4, 1, 100},
                               {"conway-63x65", "B3/S23", torus, {63, 65}, 0.4, 2, 40},
                               {"conway-65x63", "B3/S23", dead, {65, 63}, 0.4, 3, 40},
                               {"conway-1000x37", "B3/S23", torus, {1000, 37}, 0.35, 4, 100},
                               {"conway-37x1000", "B3/S23", alive, {37, 1000}, 0.35, 5, 40},
                               {"conway-5000x200", "B3/S23", torus, {5000, 200}, 0.3, 6, 40},
                               {"conway-1x1", "B3/S23", alive, {1, 1}, 0.5, 7, 3},
                               {"conway-1x17", "B3/S23", torus, {1, 17}, 0.5, 8, 40},
                               {"conway-17x1", "B3/S23", torus, {17, 1}, 0.5, 9, 40},
                               {"conway-128x20", "B3/S23", alive, {128, 20}, 0.5, 10, 33},
                               {"cave-64x64", "B5678/S45678", alive, {64, 64}, 0.5, 11, 32},
                               {"cave-191x77", "B5678/S45678", dead, {191, 77}, 0.5, 12, 20},
                               {"b0-60x60", "B03/S23", torus, {60, 60}, 0.4, 13, 40},
                               {"b0-129x33", "B0123478/S01234678", dead, {129, 33}, 0.6, 14, 35},
                               {"b0-193x7", "B08/S08", alive, {193, 7}, 0.5, 15, 35},
                               {"replicator-77x77", "B1357/S1357", torus, {77, 77}, 0.1, 16, 64},
                               {"maze-257x99", "B3/S12345", dead, {257, 99}, 0.1, 17, 70},
                               {"conway-4096x4096", "B3/S23", torus, {4096, 4096}, 0.4, 18, 34}},
                              selection, [](const LifeCase &c) { return c.generations; });
}

std::vector<LifeVolumeCase> life_volume_cases(Selection selection) {
    constexpr auto torus = LifeBoundary::torus;
    constexpr auto dead = LifeBoundary::dead;
    constexpr auto alive = LifeBoundary::alive;
    return selected<LifeVolumeCase>(
        {{"4555-64x9x8", "B5/S4,5", torus, {64, 9, 8}, 0.2, 1, 40},
         {"4555-65x21x33", "B5/S4,5", torus, {65, 21, 33}, 0.2, 2, 70},
         {"5766-63x40x17", "B6/S5-7", dead, {63, 40, 17}, 0.2, 3, 40},
         {"cave-130x70x35", "B14-26/S13-26", alive, {130, 70, 35}, 0.5, 4, 20},
         {"cave-20x17x12", "B14-26/S13-26", dead, {20, 17, 12}, 0.5, 5, 33},
         {"clouds-129x33x16", "B13,14,17-19/S13-26", torus, {129, 33, 16}, 0.5, 6, 33},
         {"b0-30x12x11", "B0,5,6,25/S0,4,7-9,26", alive, {30, 12, 11}, 0.3, 7, 35},
         {"b0-193x4x3", "B0,2,4,6,8,10,12/S1,3,5,7,9,11,26", torus, {193, 4, 3}, 0.5, 8, 35},
         {"thin-1x1x70", "B1,2/S1-3", torus, {1, 1, 70}, 0.4, 9, 33},
         {"thin-1x50x2", "B8-16/S7-20", torus, {1, 50, 2}, 0.5, 10, 33},
         {"thin-1x1x1", "B26/S0", alive, {1, 1, 1}, 0.5, 11, 3},
         {"cave-160x160x160", "B14-26/S13-26", torus, {160, 160, 160}, 0.5, 12, 34}},
        selection, [](const LifeVolumeCase &c) { return c.generations; });
}

std::vector<GeneratorCase> generator_cases(Selection selection) {
    std::vector<GeneratorCase> cases;
    for (const GeneratorInfo &generator : all_generators()) {
        const auto extents = generator_extents(generator, selection);
        std::vector<const Preset *> presets;
        for (const Preset &preset : generator.presets) {
            presets.push_back(&preset);
        }
        if (presets.empty()) {
            presets.push_back(nullptr);
        }
        for (std::size_t p = 0; p < presets.size(); ++p) {
            for (std::size_t e = 0; e < extents.size(); ++e) {
                const std::uint64_t seed = 100 * p + e + 1;
                cases.push_back({generator.name + "/" +
                                     (presets[p] ? presets[p]->name : "default") + "/" +
                                     std::to_string(seed) + "/" + size_name(extents[e]),
                                 &generator, presets[p], extents[e], seed});
            }
        }
    }
    return cases;
}

Artifact GeneratorCase::generate(const Options &options) const {
    Job job{ParamSet(generator->params),
            {extent.width, extent.height},
            generator->default_cell,
            seed,
            extent.depth};
    if (preset != nullptr) {
        job.params.apply(*preset);
    }
    for (const LayerInfo &layer : generator->layers) {
        if (layer.on_request) {
            job.layers.push_back(layer.name);
        }
        // A mesh needs two samples a side.
        if (!layer.parameter.empty() &&
            (layer.kind != LayerKind::mesh || std::min(extent.width, extent.height) > 1)) {
            job.params.set(layer.parameter, true);
        }
    }
    return generator->generate(job, options);
}

namespace {

void add_physarum(std::map<std::string, std::uint64_t> &digests, const std::string &name,
                  const auto &c, const Options &options) {
    core::Run run(options);
    run.stage("golden", 1, options.device);
    const auto fields = c.fields(run);
    const auto *const controls = fields ? &*fields : nullptr;
    auto state = sim::spawn(run, c.params, c.rule(), c.network, controls);
    digests[name + "/spawn"] = sim::agents_digest(state);
    state = sim::advance(run, std::move(state), c.rule(), c.params.steps, sim::EngineKind::fast,
                         controls);
    digests[name + "/agents"] = sim::agents_digest(state);
    digests[name + "/trail"] = core::digest(state.trail);
    digests[name + "/birth_time"] = core::digest(state.birth_time);
}

// Three levels of local detail below a base of 16 m.
void add_detail(std::map<std::string, std::uint64_t> &digests, const Options &options) {
    const GeneratorInfo &heightmap = find_generator("heightmap");
    for (const Preset &preset : heightmap.presets) {
        Job job{ParamSet(heightmap.params), {230, 190}, 2, 1};
        job.params.apply(preset);
        job.params.set("detail_cell", 16.0);
        const Artifact artifact = heightmap.generate(job, options);
        for (const char *layer : {"height", "flow"}) {
            digests["heightmap/" + preset.name + "/detail/" + layer] =
                digest(artifact.layer(layer).data);
        }
    }
}

} // namespace

std::map<std::string, std::uint64_t> golden_digests(const Options &options) {
    std::map<std::string, std::uint64_t> digests;
    for (const PhysarumCase &c : physarum_cases(Selection::all)) {
        add_physarum(digests, "physarum/" + c.name, c, options);
    }
    for (const Physarum3Case &c : physarum3_cases(Selection::all)) {
        add_physarum(digests, "physarum3/" + c.name, c, options);
    }
    for (const LifeCase &c : life_cases(Selection::all)) {
        const std::string name = "life/" + c.name;
        const LifeBoard soup = make_soup(c.extent, c.density, c.seed);
        digests[name + "/soup"] = digest(soup);
        digests[name + "/board"] = digest(
            simulate_life(soup, parse_life_rule(c.rule), c.boundary, c.generations, options));
    }
    for (const LifeVolumeCase &c : life_volume_cases(Selection::all)) {
        const std::string name = "life3/" + c.name;
        const LifeVolume soup = make_soup_3d(c.extent, c.density, c.seed);
        digests[name + "/soup"] = digest(soup);
        digests[name + "/volume"] = digest(
            simulate_life(soup, parse_life_rule_3d(c.rule), c.boundary, c.generations, options));
    }
    for (const GeneratorCase &c : generator_cases(Selection::all)) {
        const Artifact artifact = c.generate(options);
        for (const Layer &layer : artifact.layers) {
            digests[c.name + "/" + layer.name] = digest(layer.data);
        }
        for (const MeshLayer &layer : artifact.meshes) {
            // Simplified meshes depend on meshoptimizer's version.
            if (layer.name != "lods" && layer.name != "collision") {
                digests[c.name + "/" + layer.name] = digest(layer.parts.front().mesh);
            }
        }
        for (const Document &document : artifact.documents) {
            digests[c.name + "/" + document.name] = digest(document);
        }
    }
    add_detail(digests, options);
    return digests;
}

} // namespace karst::test
