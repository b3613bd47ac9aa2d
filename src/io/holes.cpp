#include "io/holes.hpp"

#include <algorithm>
#include <string>

#include <karst/error.hpp>

namespace karst::io {

Field2D<std::uint8_t> unreal_visibility(const HoleMask &mask) {
    Field2D<std::uint8_t> weights(mask.extent());
    std::transform(mask.cells().begin(), mask.cells().end(), weights.cells().begin(),
                   [](std::uint8_t hole) { return static_cast<std::uint8_t>(hole ? 255 : 0); });
    return weights;
}

Field2D<std::uint8_t> unity_holes(const HoleMask &mask) {
    if (mask.width() < 2 || mask.height() < 2) {
        throw Error(ErrorCode::invalid_argument,
                    "a mask of holes is " + std::to_string(mask.width()) + "x" +
                        std::to_string(mask.height()) + "; allowed is at least 2x2 samples");
    }
    Field2D<std::uint8_t> quads({mask.width() - 1, mask.height() - 1});
    for (std::int64_t y = 0; y < quads.height(); ++y) {
        for (std::int64_t x = 0; x < quads.width(); ++x) {
            const bool hole =
                mask.at(x, y) || mask.at(x + 1, y) || mask.at(x, y + 1) || mask.at(x + 1, y + 1);
            quads.at(x, y) = hole ? 0 : 255;
        }
    }
    return quads;
}

Field2D<std::uint32_t> terrain3d_control(const HoleMask &mask) {
    constexpr std::uint32_t kAutoShader = 1;
    constexpr std::uint32_t kHole = 1 << 2;
    Field2D<std::uint32_t> control(mask.extent());
    std::transform(mask.cells().begin(), mask.cells().end(), control.cells().begin(),
                   [](std::uint8_t hole) { return kAutoShader | (hole ? kHole : 0); });
    return control;
}

} // namespace karst::io
