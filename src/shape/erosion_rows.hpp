// The kernel of erosion for one instruction set. Files that include this call no inline function
// with external linkage: see cpu/life_rows.hpp.
#pragma once

#include "shape/erosion_kernel.hpp"

namespace karst::shape {

namespace {

void descend(const std::int32_t *const rows[3], const LinkRows links[2], std::int64_t width,
             std::uint8_t *step) {
    const std::int32_t *const __restrict above = rows[0];
    const std::int32_t *const __restrict here = rows[1];
    const std::int32_t *const __restrict below = rows[2];
    const LinkRows up = links[0];
    const LinkRows own = links[1];
    std::uint8_t *const __restrict out = step;
    for (std::int64_t x = 1; x < width - 1; ++x) {
        const double height = here[x];
        double best = 0;
        double which = 8;
        double tied = 0;
        const auto consider = [&](std::int32_t neighbour, float inverse_length, double s) {
            // Less than 2^33 times less than 2^19.
            const double slope =
                (height - static_cast<double>(neighbour)) * static_cast<double>(inverse_length);
            const bool steeper = slope > best;
            const bool as_steep = slope == best;
            tied = as_steep ? kTied : tied;
            tied = steeper ? 0 : tied;
            which = steeper ? s : which;
            best = steeper ? slope : best;
        };
        consider(here[x + 1], own.right[x], 0);
        consider(below[x + 1], own.lower_right[x], 1);
        consider(below[x], own.below[x], 2);
        consider(below[x - 1], own.lower_left[x], 3);
        consider(here[x - 1], own.right[x - 1], 4);
        consider(above[x - 1], up.lower_right[x - 1], 5);
        consider(above[x], up.below[x], 6);
        consider(above[x + 1], up.lower_left[x + 1], 7);
        tied = best > 0 ? tied : 0;
        out[x] = static_cast<std::uint8_t>(static_cast<std::int32_t>(which + tied));
    }
}

// The share of a difference, rounded towards 0, so that what one cell gives is what the other
// takes.
inline std::int32_t part(double difference, double share) {
    return static_cast<std::int32_t>(difference * share);
}

// Of 0 to 2^51.
inline double floor_of(double value) {
    constexpr double kUnits = 4503599627370496; // 2^52: numbers from here on have no fraction
    const double nearest = (value + kUnits) - kUnits;
    const double less = nearest - 1;
    return nearest > value ? less : nearest;
}

inline double clamped(double value, double most) {
    const double above = value < -most ? -most : value;
    return above > most ? most : above;
}

void exchange(const std::int32_t *a, const std::int32_t *b, const std::uint16_t *steep_a,
              const std::uint16_t *steep_b, const CreepShares &shares, std::int64_t count,
              std::int32_t *flow) {
    const CreepShares s = shares;
    std::int32_t *const __restrict out = flow;
    if (steep_a == nullptr) {
        for (std::int64_t i = 0; i < count; ++i) {
            const double drop = static_cast<double>(b[i]) - static_cast<double>(a[i]);
            out[i] = part(drop, s.diffusion) + part(drop - clamped(drop, s.talus), s.slide);
        }
        return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
        const double drop = static_cast<double>(b[i]) - static_cast<double>(a[i]);
        const double talus = floor_of(s.talus * (steep_a[i] + steep_b[i]) * (1.0 / 512));
        out[i] = part(drop, s.diffusion) + part(drop - clamped(drop, talus), s.slide);
    }
}

} // namespace

} // namespace karst::shape
