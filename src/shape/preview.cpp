#include "shape/preview.hpp"

#include <algorithm>
#include <cmath>

namespace karst::shape {

namespace {

// Direction to the light, of length 1: from the upper left, 38 degrees above the ground.
constexpr double kLightX = -0.557;
constexpr double kLightY = -0.557;
constexpr double kLightZ = 0.616;
constexpr double kAmbient = 0.28;

std::uint32_t channel(double value) {
    return static_cast<std::uint32_t>(std::clamp(value + 0.5, 0.0, 255.0));
}

std::uint32_t scaled_colour(std::uint32_t colour, double light) {
    const auto part = [&](int shift) {
        return channel(static_cast<double>((colour >> shift) & 255) * light) << shift;
    };
    return part(16) | part(8) | part(0);
}

} // namespace

std::uint32_t ramp_colour(std::span<const ColourStop> ramp, double position) {
    std::size_t after = 0;
    while (after < ramp.size() && ramp[after].position < position) {
        ++after;
    }
    if (after == 0 || after == ramp.size()) {
        return ramp[after == 0 ? 0 : after - 1].colour;
    }
    const ColourStop &a = ramp[after - 1];
    const ColourStop &b = ramp[after];
    const double t = (position - a.position) / (b.position - a.position);
    const auto part = [&](int shift) {
        const double from = static_cast<double>((a.colour >> shift) & 255);
        const double to = static_cast<double>((b.colour >> shift) & 255);
        return channel(from + t * (to - from)) << shift;
    };
    return part(16) | part(8) | part(0);
}

std::vector<std::uint32_t> ramp_table(std::span<const ColourStop> ramp) {
    std::vector<std::uint32_t> table(256);
    for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = ramp_colour(ramp, static_cast<double>(i) / 255);
    }
    return table;
}

Field2D<std::uint32_t> lit(core::Run &run, const Field2D<std::uint16_t> &height, double step,
                           std::uint16_t low, std::uint16_t high, std::span<const ColourStop> ramp,
                           bool torus) {
    Field2D<std::uint32_t> picture(height.extent(), run.memory());
    const std::vector<std::uint32_t> table = ramp_table(ramp);
    const int span = std::max(1, high - low);
    // The neighbour of a cell, on the other side of a torus, or the cell itself at a border.
    const auto beside = [torus](std::int64_t i, std::int64_t size) {
        return i < 0 ? (torus ? size - 1 : 0) : i >= size ? (torus ? 0 : size - 1) : i;
    };
    run.for_rows(height.height(), [&](std::int64_t y) {
        const auto above = height.row(beside(y - 1, height.height()));
        const auto here = height.row(y);
        const auto below = height.row(beside(y + 1, height.height()));
        const auto target = picture.row(y);
        for (std::int64_t x = 0; x < height.width(); ++x) {
            const auto left = static_cast<std::size_t>(beside(x - 1, height.width()));
            const auto right = static_cast<std::size_t>(beside(x + 1, height.width()));
            const auto i = static_cast<std::size_t>(x);
            const double slope_x = (here[right] - here[left]) * step / 2;
            const double slope_y = (below[i] - above[i]) * step / 2;
            const double length = std::sqrt(slope_x * slope_x + slope_y * slope_y + 1);
            const double facing = (kLightZ - slope_x * kLightX - slope_y * kLightY) / length;
            const double light = kAmbient + (1 - kAmbient) * std::max(0.0, facing) / kLightZ;
            const int place = std::clamp((here[i] - low) * 255 / span, 0, 255);
            target[i] = scaled_colour(table[static_cast<std::size_t>(place)], light);
        }
    });
    return picture;
}

} // namespace karst::shape
