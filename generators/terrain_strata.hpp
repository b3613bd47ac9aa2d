// The strata of rock that a seed gives.
#pragma once

#include <karst/heightmap.hpp>

#include "core/fixed.hpp"
#include "core/rng.hpp"
#include "generators/terrain.hpp"
#include "rules/erosion.hpp"

namespace karst::terrain {

inline rules::Strata make_strata(const HeightmapParams &params, std::uint64_t seed) {
    constexpr std::uint32_t kDraw = 16; // terrain_pyramid.cpp has those before
    rules::Strata strata;
    strata.height = to_height(params.terrace_height);
    strata.strength = core::to_fixed(params.terrace_strength, 8);
    for (std::size_t layer = 0; layer < rules::Strata::kLayers; ++layer) {
        const core::Draw4 draw = core::draw_at(seed, static_cast<std::int32_t>(layer), 0, 0,
                                               core::use(core::stage_heightmap, 0, kDraw));
        strata.hardness[layer] = static_cast<std::uint8_t>(draw.word[0] & 127);
    }
    return strata;
}

} // namespace karst::terrain
