// Strata of rock: the lower third of each terrace height is hard, each layer by its own draw. Hard
// rock erodes slowly and stands steep, the soft rock above it lies flatter.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <karst/heightmap.hpp>

#include "core/fixed.hpp"
#include "core/rng.hpp"
#include "generators/terrain.hpp"

namespace karst::terrain {

struct Rock {
    std::int64_t resistance; // against rivers, 256 is soft
    std::uint16_t steepness; // of its slopes, 8 fraction bits
};

class Strata {
public:
    Strata(const HeightmapParams &params, std::uint64_t seed)
        : height_(to_height(params.terrace_height)),
          strength_(core::to_fixed(params.terrace_strength, 8)) {
        for (std::size_t layer = 0; layer < kLayers; ++layer) {
            const core::Draw4 draw = core::draw_at(seed, static_cast<std::int32_t>(layer), 0, 0,
                                                   core::use(core::stage_heightmap, 0, kDraw));
            hardness_[layer] = static_cast<std::uint8_t>(draw.word[0] & 127);
        }
    }

    bool any() const noexcept { return height_ > 0; }

    // What the ground at a height (1/4096 m) is made of. There are strata.
    Rock at(std::int32_t ground) const {
        const std::int64_t height = std::int64_t{ground} + (std::int64_t{height_} << 8);
        const std::int64_t layer = height / height_;
        const std::int64_t phase = (height % height_ << 10) / height_; // of 1024
        const std::int64_t draw = hardness_[static_cast<std::size_t>(layer) % kLayers];
        // 0 to 256: up over the first 64 of 1024, down from 320 to 384.
        const std::int64_t band =
            std::clamp<std::int64_t>(std::min(phase * 4, (384 - phase) * 4), 0, 256);
        const std::int64_t hard = band * strength_ * (128 + draw) >> 16;
        return {256 + hard * 12, static_cast<std::uint16_t>(
                                     256 + hard * 4 - ((256 - band) * strength_ * 110 >> 16))};
    }

private:
    static constexpr std::size_t kLayers = 256; // after so many they repeat
    static constexpr std::uint32_t kDraw = 16;  // terrain_pyramid.cpp has those before

    std::int32_t height_;    // from one to the next, 1/4096 m; 0: there are none
    std::uint32_t strength_; // 8 fraction bits
    std::array<std::uint8_t, kLayers> hardness_{}; // 0 to 127
};

} // namespace karst::terrain
