// The cases whose digests tests/golden.txt keeps, and which karst_parity runs on every device.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <karst/artifact.hpp>
#include <karst/options.hpp>
#include <karst/simulate.hpp>

#include "generators/registry.hpp"
#include "sim/life.hpp"
#include "sim/physarum.hpp"

namespace karst::test {

// quick: few and small, for tools that make a program a hundred times slower. large: those of
// `all` and 4096 x 4096 cells.
enum class Selection { quick, all, large };

template <class Params, class Extent, class Cell>
struct BasicPhysarumCase {
    std::string name;
    Params params;
    Extent extent;
    std::uint64_t seed = 1;
    std::uint32_t network = 0;
    Cell origin = {};
    std::shared_ptr<const PhysarumControls> controls = {}; // null: no maps
    bool pinned = false;                                   // with maps: a fifth of the trail

    auto rule() const { return sim::quantise(params, extent, seed, network, origin); }
    std::optional<sim::BasicControlFields<Extent>> fields(core::Run &run) const {
        if (controls == nullptr) {
            return {};
        }
        auto fields = sim::control_fields(run, *controls, params, extent);
        if (pinned) {
            fields.start = Field<std::uint32_t, Extent>(extent);
            for (std::int64_t i = 0; i < fields.walls.size(); i += 5) {
                fields.walls[i] = rules::kPinned;
                fields.start[i] = static_cast<std::uint32_t>(i * 9999 % 3000000);
            }
        }
        return fields;
    }
};
using PhysarumCase = BasicPhysarumCase<PhysarumParams, Extent2, Cell2>;
using Physarum3Case = BasicPhysarumCase<Physarum3Params, Extent3, Cell3>;

template <class Extent>
struct BasicLifeCase {
    std::string name;
    const char *rule;
    LifeBoundary boundary;
    Extent extent;
    double density;
    std::uint64_t seed;
    std::int64_t generations;
};
using LifeCase = BasicLifeCase<Extent2>;
using LifeVolumeCase = BasicLifeCase<Extent3>;

// A generator with one of its presets (null: it has none) and every layer it can give.
struct GeneratorCase {
    std::string name;
    const GeneratorInfo *generator;
    const Preset *preset;
    Extent3 extent; // of a map with depth 0
    std::uint64_t seed;

    Artifact generate(const Options &options) const;
};

std::vector<PhysarumCase> physarum_cases(Selection selection);
std::vector<Physarum3Case> physarum3_cases(Selection selection);
std::vector<LifeCase> life_cases(Selection selection);
std::vector<LifeVolumeCase> life_volume_cases(Selection selection);
// All generators there are, with all their presets.
std::vector<GeneratorCase> generator_cases(Selection selection);

// Digests by name, "physarum/CASE/STAGE", "physarum3/CASE/STAGE", "life/CASE/STAGE",
// "life3/CASE/STAGE",
// "GENERATOR/PRESET/SEED/SIZE/LAYER".
std::map<std::string, std::uint64_t> golden_digests(const Options &options);

} // namespace karst::test
