#include "generators/heightmap_layers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/memory.hpp"

namespace karst::terrain {

namespace {

// Binary logarithm with 11 fraction bits, floor, of a number of at least 1.
std::uint16_t logarithm(std::uint32_t value) {
    const int whole = static_cast<int>(std::bit_width(value)) - 1;
    std::uint64_t mantissa = (std::uint64_t{value} << 32) >> whole; // in [1, 2), 32 fraction bits
    unsigned result = static_cast<unsigned>(whole);
    for (int bit = 0; bit < 11; ++bit) {
        mantissa = (mantissa >> 1) * (mantissa >> 1) >> 30;
        result <<= 1;
        if (mantissa >= std::uint64_t{1} << 33) {
            mantissa >>= 1;
            result |= 1;
        }
    }
    return static_cast<std::uint16_t>(result);
}

} // namespace

Layer height_layer(core::Run &run, const shape::Heights &heights, std::int32_t lowest,
                   std::int32_t highest) {
    const std::int64_t bottom = lowest;
    const std::int64_t range = std::max<std::int64_t>(1, highest - bottom);
    auto values = core::unset_field<std::uint16_t>(run, heights.extent());
    run.for_rows(heights.height(), [&](std::int64_t y) {
        for (std::int64_t x = 0; x < heights.width(); ++x) {
            values.at(x, y) = static_cast<std::uint16_t>(
                ((heights.at(x, y) - bottom) * 65535 + range / 2) / range);
        }
    });
    return {.name = "height",
            .meaning = LayerMeaning::amount,
            .unit = "m",
            .scale = std::ldexp(static_cast<double>(range), -shape::kHeightBits) / 65535,
            .offset = std::ldexp(static_cast<double>(bottom), -shape::kHeightBits),
            .data = std::move(values)};
}

Layer flow_layer(core::Run &run, const Field2D<std::uint32_t> &area) {
    auto values = core::unset_field<std::uint16_t>(run, area.extent());
    run.for_rows(area.height(), [&](std::int64_t y) {
        for (std::int64_t x = 0; x < area.width(); ++x) {
            values.at(x, y) = logarithm(area.at(x, y));
        }
    });
    return {.name = "flow",
            .meaning = LayerMeaning::amount,
            .unit = "log2 cells",
            .scale = 1.0 / 2048,
            .offset = 0,
            .data = std::move(values)};
}

} // namespace karst::terrain
