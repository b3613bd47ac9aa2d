// Painted maps on the generators.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <numbers>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include <karst/cave.hpp>
#include <karst/cave_volume.hpp>
#include <karst/crack.hpp>
#include <karst/error.hpp>
#include <karst/heightmap.hpp>

#include "core/base64.hpp"
#include "core/digest.hpp"
#include "core/resample.hpp"
#include "generators/registry.hpp"
#include "generators/terrain.hpp"
#include "io/network.hpp"
#include "shape/shape.hpp"
#include "support/painted.hpp"

using namespace karst;
using test::Map;
using test::painted;

namespace {

core::Run &quiet_run() {
    static core::Run run{Options{}};
    return run;
}

// A line across the ground, one wave from the left to the right.
double middle_of(double x) {
    return 0.5 + 0.2 * std::sin(2 * std::numbers::pi * x);
}
GroundControls river(std::int64_t side, double half_width) {
    GroundControls controls;
    controls.food = painted({side, side}, [&](std::int64_t x, std::int64_t y) {
        const double u = (static_cast<double>(x) + 0.5) / static_cast<double>(side);
        const double v = (static_cast<double>(y) + 0.5) / static_cast<double>(side);
        return std::abs(v - middle_of(u)) < half_width ? 1 : 0;
    });
    return controls;
}

GroundControls disc_of_walls() {
    GroundControls controls;
    controls.walls = painted({100, 100}, [](auto x, auto y) {
        return std::hypot(static_cast<double>(x) - 49.5, static_cast<double>(y) - 49.5) < 25 ? 1
                                                                                             : 0;
    });
    return controls;
}

// Whether a place of a square of `side` cells lies in the disc, `cells` from its edge.
bool in_disc(std::int64_t side, std::int64_t x, std::int64_t y, double cells) {
    const double middle = static_cast<double>(side) / 2 - 0.5;
    return std::hypot(static_cast<double>(x) - middle, static_cast<double>(y) - middle) <
           static_cast<double>(side) / 4 - cells;
}

Job job_of(const GeneratorInfo &generator) {
    return {ParamSet(generator.params),
            {40, 36},
            generator.default_cell,
            3,
            generator.default_depth > 0 ? std::int64_t{20} : std::int64_t{0}};
}

} // namespace

TEST_CASE("painted maps: every generator takes what it lists and refuses the rest by name") {
    for (const GeneratorInfo &generator : all_generators()) {
        CAPTURE(generator.name);
        for (const char *name : {"food", "walls", "spawn"}) {
            CHECK(std::count(generator.controls.begin(), generator.controls.end(), name) == 1);
        }
        const auto refusal = [&](Job job) -> std::string {
            try {
                generator.generate(job, {});
            } catch (const Error &error) {
                CHECK(error.code() == ErrorCode::invalid_argument);
                return error.what();
            }
            return "";
        };
        Job all = job_of(generator);
        for (const std::string &name : generator.controls) {
            if (name == "grow") { // with a pin only
                continue;
            }
            all.controls.push_back({name, test::noise({9, 7}, name.size()), 0.5, 0.9});
        }
        CHECK(refusal(all) == "");
        all.controls.push_back(all.controls.front());
        CHECK(refusal(all).find("'" + all.controls.front().name + "' is given twice") !=
              std::string::npos);
        Job other = job_of(generator);
        other.controls.push_back({"moisture", Map({2, 2}), 0, 1});
        CHECK(refusal(other).find("'moisture'") != std::string::npos);
        other.controls = {{"food", Map{}, 0, 1}};
        CHECK(refusal(other).find("no cells") != std::string::npos);
    }
}

TEST_CASE("painted maps: walls over everything leave something, not a crash") {
    for (const GeneratorInfo &generator : all_generators()) {
        CAPTURE(generator.name);
        for (const char *name : {"walls", "spawn"}) {
            Job job = job_of(generator);
            job.controls.push_back(
                {name, painted({1, 1}, [&](auto, auto) { return name[0] == 'w' ? 1 : 0; }), 0, 1});
            CHECK(!generator.generate(job, {}).layers.empty());
        }
    }
}

TEST_CASE("painted maps: a cave's passages follow food and stay out of walls") {
    const std::int64_t side = 300;
    const GroundControls line = river(150, 0.012);
    const auto along = [&](const CaveResult &cave) {
        double open = 0;
        for (std::int64_t x = 12; x < side - 12; ++x) { // inside the border
            const double v = middle_of((static_cast<double>(x) + 0.5) / static_cast<double>(side));
            const auto y = static_cast<std::int64_t>(v * static_cast<double>(side));
            bool near = false; // within half a passage
            for (std::int64_t k = -5; k <= 5; ++k) {
                near = near || cave.map.at(x, y + k) != 0;
            }
            open += near ? 1 : 0;
        }
        return open / static_cast<double>(side - 24);
    };
    const CaveResult plain = generate_cave({}, {side, side}, 0.5, 8);
    const CaveResult drawn = generate_cave({}, {side, side}, 0.5, 8, {}, line);
    CHECK(along(plain) < 0.6);
    CHECK(along(drawn) > 0.95);
    CHECK(generate_cave({}, {side, side}, 0.5, 8, {.threads = 3}, line).map == drawn.map);

    const CaveResult around = generate_cave({}, {200, 200}, 0.5, 8, {}, disc_of_walls());
    bool kept_out = true;
    for (std::int64_t i = 0; i < around.map.size(); ++i) {
        kept_out = kept_out && (around.map[i] == 0 || !in_disc(200, i % 200, i / 200, 0));
    }
    CHECK(kept_out);

    CaveVolumeParams params;
    const CaveVolume volume =
        generate_cave_volume(params, {80, 80, 40}, 0.5, 8, {}, nullptr, disc_of_walls());
    kept_out = true;
    for (std::int64_t i = 0; i < volume.density.size(); ++i) {
        const std::int64_t x = i % 80;
        const std::int64_t y = i / 80 % 80;
        kept_out = kept_out && (volume.density[i] < 32768 || !in_disc(80, x, y, 2));
    }
    CHECK(kept_out);
}

TEST_CASE("painted maps: cracks follow food and stay out of walls") {
    const std::int64_t side = 256;
    const GroundControls line = river(128, 0.012);
    const auto along = [&](const CrackResult &crack) {
        double cracked = 0;
        for (std::int64_t x = 0; x < side; ++x) {
            const double v = middle_of((static_cast<double>(x) + 0.5) / static_cast<double>(side));
            const auto y = static_cast<std::int64_t>(v * static_cast<double>(side));
            bool near = false;
            for (std::int64_t k = -3; k <= 3; ++k) {
                near = near || crack.mask.at(x, y + k) != 0;
            }
            cracked += near ? 1 : 0;
        }
        return cracked / static_cast<double>(side);
    };
    CrackParams strong;
    strong.food_strength = 15;
    CHECK(along(generate_crack(strong, {side, side}, 0.01, 6)) < 0.6);
    const CrackResult drawn = generate_crack(strong, {side, side}, 0.01, 6, {}, line);
    CHECK(along(drawn) > 0.9);
    CHECK(generate_crack(strong, {side, side}, 0.01, 6, {.threads = 3}, line).mask == drawn.mask);

    for (const CrackPattern pattern : {CrackPattern::network, CrackPattern::joints}) {
        CrackParams params;
        params.pattern = pattern;
        const CrackResult around =
            generate_crack(params, {side, side}, 0.01, 6, {}, disc_of_walls());
        std::int64_t inside = 0;
        for (std::int64_t i = 0; i < around.mask.size(); ++i) {
            inside += around.mask[i] != 0 && in_disc(side, i % side, i / side, 5) ? 1 : 0;
        }
        CHECK(inside == 0);
        CHECK(around.plate_count > 10);
    }
}

TEST_CASE("painted maps: a river painted across a heightmap is its lowest ground") {
    const std::int64_t side = 97;
    const auto above = [&](std::uint64_t seed,
                           const GroundControls &controls) { // share of the ground over the line
        const Artifact made = generate_heightmap({}, {side, side}, 42, seed, {}, controls);
        const auto &height = std::get<Field2D<std::uint16_t>>(made.layer("height").data);
        double higher = 0;
        double all = 0;
        for (std::int64_t x = 0; x < side; ++x) {
            const double v = middle_of(static_cast<double>(x) / static_cast<double>(side - 1));
            const auto y = static_cast<std::int64_t>(v * static_cast<double>(side - 1) + 0.5);
            for (std::int64_t k = 0; k < side; k += 4) {
                all += 1;
                higher += height.at(x, k) > height.at(x, y) ? 1 : 0;
            }
        }
        return higher / all;
    };
    CHECK(above(1, {}) < 0.6);
    CHECK(above(1, river(200, 0.012)) > 0.85);
}

TEST_CASE("painted maps: a terrain's network sees the map where the terrain has it") {
    // A ramp: the value at a sample is its place.
    const Extent2 map{193, 97};
    const Map ramp = painted(
        map, [](std::int64_t x, std::int64_t) { return static_cast<double>(x) * 300 / 65535; });
    for (const double cell : {4.0, 31.0, 200.0}) { // networks coarser, about as fine, finer
        CAPTURE(cell);
        HeightmapParams params;
        params.valley_spacing = 1600;
        for (const terrain::Network &network : terrain::plan_networks(params, map, cell)) {
            CAPTURE(network.level);
            const Map seen = core::resample(quiet_run(), ramp, terrain::placement(network, map));
            REQUIRE(seen.extent() == network.extent);
            const double size = std::ldexp(1.0, network.level);
            bool right = true;
            for (std::int64_t i = 0; i < seen.width(); ++i) {
                const double at = static_cast<double>(i - network.margin) * size; // sample
                if (at - size > 0 && at + size < static_cast<double>(map.width - 1)) {
                    right = right && std::abs(seen.at(i, seen.height() / 2) - at * 300) <= 1;
                }
            }
            CHECK(right);
        }
    }
}

TEST_CASE("painted maps: what is pinned stays, cell for cell, and the rest joins it") {
    const auto grow = [](std::int64_t, std::int64_t x) { return x >= 20 && x < 30 ? 1.0 : 0.0; };
    for (const char *name : {"crack", "cave", "heightmap"}) {
        CAPTURE(name);
        const GeneratorInfo &generator = find_generator(name);
        Job job = job_of(generator);
        job.extent = std::string(name) == "cave" ? Extent2{200, 160} : Extent2{160, 128};
        job.layers = {"network"};
        const auto networks_of = [&](const Artifact &artifact) {
            return io::parse_networks(artifact.document("network").text, "network.json");
        };
        const SavedNetworks saved = networks_of(generator.generate(job, {}));
        CHECK(saved.generator == name);
        CHECK(!saved.networks.empty());

        job.pin = saved;
        CHECK_THROWS_WITH_AS(generator.generate(job, {}), doctest::Contains("pin without grow"),
                             Error);
        job.seed += 1;
        job.controls = {
            {"grow", painted({1, 40}, grow), 0, 0},
            {"food", painted({1, 40}, [](auto, auto y) { return y == 25 ? 1 : 0; }), 0, 0}};
        const SavedNetworks edited = networks_of(generator.generate(job, {}));
        REQUIRE(edited.networks.size() == saved.networks.size());
        for (std::size_t i = 0; i < saved.networks.size(); ++i) {
            const auto &before = saved.networks[i].trail;
            const auto &after = edited.networks[i].trail;
            REQUIRE(before.extent() == after.extent());
            std::int64_t outside =
                0; // rows that the mask leaves alone, and cells that differ there
            std::int64_t differ = 0;
            std::int64_t inside = 0;
            for (std::int64_t y = 0; y < before.height(); ++y) {
                // The mask's lower half to three quarters; a terrain's margins only shrink it.
                const double margin = 2; // of the mask's soft edge
                const double low = static_cast<double>(before.height()) * 0.5 - margin;
                const double high = static_cast<double>(before.height()) * 0.75 + margin;
                const bool apart = static_cast<double>(y) < low || static_cast<double>(y) > high;
                for (std::int64_t x = 0; x < before.width(); ++x) {
                    const bool same = before.at(x, y) == after.at(x, y);
                    outside += apart ? 1 : 0;
                    differ += apart && !same ? 1 : 0;
                    inside += same ? 0 : 1;
                }
            }
            CHECK(differ == 0);
            CHECK(outside > before.size() / 5);
            CHECK(inside > before.size() / 10);
        }
        job.pin->generator = "another";
        CHECK_THROWS_AS(generator.generate(job, {}), Error);
        job.pin = saved;
        job.extent = {100, 100};
        CHECK_THROWS_WITH_AS(generator.generate(job, {}), doctest::Contains("allowed is a network"),
                             Error);
    }
}

namespace {

// Of the cells at least `away` from the square of an eighth of the side that is edited: how many
// differ by more than `by`, in the layer's own unit.
std::int64_t changed(const Artifact &before, const Artifact &after, const char *layer,
                     std::int64_t away, double by = 0) {
    const Layer &a = before.layer(layer);
    const Layer &b = after.layer(layer);
    std::int64_t count = 0;
    std::visit(
        [&](const auto &old) {
            using Cells = std::decay_t<decltype(old)>;
            if constexpr (std::is_same_v<Cells, Field2D<std::uint8_t>> ||
                          std::is_same_v<Cells, Field2D<std::uint16_t>> ||
                          std::is_same_v<Cells, Field2D<std::uint32_t>>) {
                const Cells &now = std::get<Cells>(b.data);
                const std::int64_t low = old.width() * 3 / 8;
                const std::int64_t high = old.width() / 2;
                for (std::int64_t i = 0; i < old.size(); ++i) {
                    const auto outside = [&](std::int64_t at) {
                        return std::max(low - at, at - high + 1);
                    };
                    const double from = old[i] * a.scale + a.offset;
                    const double to = now[i] * b.scale + b.offset;
                    count += std::max(outside(i % old.width()), outside(i / old.width())) >= away &&
                                     std::abs(to - from) > by
                                 ? 1
                                 : 0;
                }
            } else {
                FAIL("a layer of another type");
            }
        },
        a.data);
    return count;
}

} // namespace

TEST_CASE("painted maps: far from an edit the finished layers are as they were") {
    struct Ground {
        const char *name;
        std::int64_t side;
        double cell;
        std::vector<std::pair<const char *, double>> params;
        std::vector<const char *> layers;
        std::vector<std::uint64_t> seeds;
        std::int64_t away; // about two plates, one and a half passages, one valley
        double by;         // a change of a cell that counts
        std::int64_t most; // cells so far away may change so much
    };
    const Ground grounds[] = {{"crack",
                               256,
                               0.005,
                               {{"plate_size", 0.2}, {"piece_size", 0.1}},
                               {"mask", "plates", "depth"},
                               {1, 2},
                               80,
                               0,
                               0},
                              {"cave", 256, 0.5, {}, {"map", "clearance"}, {1, 2, 3}, 64, 0, 0},
                              {"heightmap", 65, 64, {}, {"height", "elevation"}, {1}, 24, 1, 300}};
    for (const Ground &ground : grounds) {
        CAPTURE(std::string(ground.name));
        const GeneratorInfo &generator = find_generator(ground.name);
        for (const std::uint64_t seed : ground.seeds) {
            CAPTURE(seed);
            Job job{ParamSet(generator.params), {ground.side, ground.side}, ground.cell, seed, 0};
            for (const auto &[name, value] : ground.params) {
                job.params.set(name, value);
            }
            job.layers = {"network", "elevation"};
            const Artifact before = generator.generate(job, {});
            job.pin = io::parse_networks(before.document("network").text, "network.json");
            const auto square = [](std::int64_t x, std::int64_t y) {
                return x == 3 && y == 3 ? 1 : 0;
            };
            job.controls = {{"grow", painted({8, 8}, square), 0, 0},
                            {"food", painted({8, 8}, square), 0, 0}};
            const Artifact after = generator.generate(job, {});
            for (const char *layer : ground.layers) {
                CAPTURE(std::string(layer));
                CHECK(changed(before, after, layer, INT32_MIN) > ground.side / 2);
                CHECK(changed(before, after, layer, ground.away, ground.by) <= ground.most);
                CHECK(before.layer(layer).scale == after.layer(layer).scale);
            }
            job.controls = {{"grow", painted({1, 1}, [](auto, auto) { return 0; }), 0, 0}};
            const Artifact same = generator.generate(job, {});
            for (const char *layer : ground.layers) {
                CHECK(changed(before, same, layer, INT32_MIN) == 0);
            }
        }
    }
}

TEST_CASE("painted maps: a pin is refused where none can be honoured, by its halves too") {
    GroundControls controls;
    controls.grow = painted({2, 2}, [](auto, auto) { return 1; });
    CHECK_THROWS_WITH_AS(generate_crack({}, {64, 64}, 0.01, 1, {}, controls),
                         doctest::Contains("grow without pin"), Error);
    const auto refused_in_volumes = [&] {
        CHECK_THROWS_WITH_AS(generate_cave_volume({}, {40, 36, 20}, 0.5, 1, {}, nullptr, controls),
                             doctest::Contains("generate_cave_volume takes no pin"), Error);
        PhysarumControls maps;
        static_cast<GroundControls &>(maps) = controls;
        CHECK_THROWS_WITH_AS(simulate_physarum(PhysarumParams{}, maps, Extent2{32, 32}, 1),
                             doctest::Contains("simulate_physarum takes no pin"), Error);
        CHECK_THROWS_WITH_AS(simulate_physarum(Physarum3Params{}, maps, Extent3{16, 16, 8}, 1),
                             doctest::Contains("simulate_physarum takes no pin"), Error);
    };
    refused_in_volumes();
    controls.pinned.push_back({0, Field2D<std::uint32_t>({4, 4})});
    refused_in_volumes();
    controls.grow = {};
    refused_in_volumes();
    CHECK_THROWS_WITH_AS(generate_cave({}, {64, 64}, 0.5, 1, {}, controls),
                         doctest::Contains("pin without grow"), Error);
}

TEST_CASE("painted maps: the memory of a pin is asked for before it is taken") {
    const auto asked = [](bool pinned) {
        std::uint64_t most = 0;
        GroundControls controls;
        if (pinned) {
            controls.pinned.push_back({0, Field2D<std::uint32_t>({4, 4})});
            controls.grow = painted({2, 2}, [](auto, auto) { return 1; });
        }
        std::atomic<bool> cancel{true}; // only checks
        Options options;
        options.cancel = &cancel;
        options.memory_needed = [&](std::uint64_t bytes) { most = std::max(most, bytes); };
        CHECK_THROWS_AS(generate_cave({}, {400, 400}, 0.5, 1, options, controls), Error);
        return most;
    };
    // Walls and the trail at first, of as many cells as the map.
    CHECK(asked(true) >= asked(false) + 5 * 400 * 400);
}

TEST_CASE("painted maps: a network too large for its document is refused before it is made") {
    for (const std::string name : {"crack", "cave", "heightmap"}) {
        CAPTURE(name);
        const std::int64_t side = 16000;
        const GeneratorInfo &generator = find_generator(name);
        Job job = job_of(generator);
        job.extent = {side, side};
        job.layers = {"network"};
        bool began = false;
        Options options;
        options.progress = [&](const Progress &) { began = true; };
        options.memory_needed = [&](std::uint64_t) { began = true; };
        try {
            generator.generate(job, options);
            FAIL("it was made");
        } catch (const Error &error) {
            CHECK(error.code() == ErrorCode::unsupported);
            CHECK(std::string(error.what()).find("the document network is") == 0);
        }
        CHECK(!began);
    }
}

TEST_CASE("painted maps: base64 of numbers as RFC 4648 writes it") {
    const auto text_of = [](std::vector<std::uint32_t> values) {
        std::string text;
        core::append_base64(values, text);
        CHECK(text.size() == core::base64_size(4 * values.size()));
        std::vector<std::uint32_t> back(values.size(), 77);
        CHECK(core::read_base64(text, back));
        CHECK(back == values);
        return text;
    };
    CHECK(text_of({}) == "");
    CHECK(text_of({0x6f6f660au}) == "CmZvbw==");
    CHECK(text_of({1, 0xffffffffu}) == "AQAAAP////8=");
    CHECK(text_of({0xfbbeeffbu, 0xeffbbeefu, 0xbeeffbbeu}) == "++++++++++++++++");
    std::uint32_t value = 0;
    for (const char *text :
         {"", "CmZv", "CmZvbw=", "CmZvbw==CmZv", "CmZvb===", "CmZvbw=A", "CmZv*w==", "====AAAA"}) {
        CAPTURE(text);
        CHECK(!core::read_base64(text, {&value, 1}));
    }
}
