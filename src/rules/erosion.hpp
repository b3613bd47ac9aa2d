// What water, slopes and rivers do to one cell of the ground: integers only; compiled for the host
// and for the device. Heights are in 1/4096 m.
#pragma once

#include <cstddef>
#include <cstdint>

#include <karst/config.hpp>

#include "core/fixed.hpp"

namespace karst::rules {

// The neighbours of a cell are numbered clockwise from the right; odd ones are diagonal, s and s ^
// 4 are opposite. kNoStep: the water leaves or stays.
inline constexpr std::uint8_t kNoStep = 8;
KARST_HD constexpr int step_x(unsigned s) {
    return static_cast<int>(0x901Au >> (2 * s) & 3) - 1;
}
KARST_HD constexpr int step_y(unsigned s) {
    return static_cast<int>(0x01A9u >> (2 * s) & 3) - 1;
}

// Where the point of a cell lies in it, from its centre in 1/32 of the cell: -12 to 12. By the
// cell's tie_hash.
KARST_HD constexpr int point_x(std::uint64_t hash) {
    return static_cast<int>((hash & 0xffff) * 25 >> 16) - 12;
}
KARST_HD constexpr int point_y(std::uint64_t hash) {
    return static_cast<int>((hash >> 16 & 0xffff) * 25 >> 16) - 12;
}

// 2^16 over the length between the points of a cell and of its neighbour s, rounded down: less than
// 2^19. Lengths are at least 8 and at most sqrt 2 (32 + 24) of 1/32 cell.
KARST_HD inline std::uint32_t inverse_length(std::uint64_t from, std::uint64_t to, unsigned s) {
    const int dx = step_x(s) * 32 + point_x(to) - point_x(from);
    const int dy = step_y(s) * 32 + point_y(to) - point_y(from);
    const auto squared = static_cast<std::uint64_t>(dx * dx + dy * dy);
    return static_cast<std::uint32_t>(
        core::fast_quotient(std::uint64_t{65536} * 32 * 256, core::fast_sqrt(squared << 16)));
}

// One implicit step of the stream power law dh/dt = -K A^(1/2) S (Braun and Willett, Geomorphology
// 180-181, 2013): each cell, from the outlets upwards, moves towards the cell it drains to.
struct StreamPower {
    std::uint32_t rate = 0; // K dt for an area of one cell, 16 fraction bits, at most 2^24
    // Added to the drained area, in cells. Below it slopes erode like hillsides, whatever the
    // resolution.
    std::uint32_t area_offset = 0;
    // The largest drop to a side neighbour that stands, 1/4096 m, and sqrt 2 of it to a diagonal
    // one: of what is steeper, the share `slide` (16 fraction bits) goes down the river at once.
    // 0: no limit.
    std::int32_t steepest = 0;
    std::uint32_t slide = 0;
};

inline constexpr std::uint32_t kSame = 256; // a factor of 1 of softness and steepness

// The share of its height above the cell it drains to that a cell loses: F / (1 + F) with
// F = K dt sqrt(A) / length, in 16 fraction bits. `softness` scales the rate, 8 fraction bits.
KARST_HD inline std::uint32_t lost_share(const StreamPower &power, std::uint32_t area,
                                         bool diagonal, std::uint32_t softness) {
    const std::uint64_t sum = std::uint64_t{area} + power.area_offset;
    std::uint64_t f = power.rate * core::fast_sqrt(sum << 16) >> 8; // floor(256 sqrt(sum))
    if (diagonal) {
        f = f * 46341 >> 16; // 1 / sqrt 2
    }
    f = f * softness >> 8;
    // From F of 2^32 on it is 65535.
    constexpr std::uint64_t kMost = std::uint64_t{1} << 33;
    const std::uint64_t capped = f < kMost ? f : kMost;
    return static_cast<std::uint32_t>(core::fast_quotient(capped * 65536, capped + 65536));
}

// The largest drop of a cell to the one that it drains to, beyond which it slides. `steepness`
// scales it, 8 fraction bits.
KARST_HD constexpr std::uint32_t largest_drop(const StreamPower &power, bool diagonal,
                                              std::uint32_t steepness) {
    if (power.steepest <= 0) {
        return 0xffffffff;
    }
    const std::int64_t side = power.steepest;
    const std::int64_t most = (diagonal ? side * 92682 >> 16 : side) * steepness >> 8;
    return most < 0xffffffff ? static_cast<std::uint32_t>(most) : 0xffffffff;
}

// The height of a cell after the step; `below` is that of the cell it drains to, after the step.
KARST_HD constexpr std::int32_t incised(std::int32_t height, std::int32_t below, std::uint32_t lost,
                                        std::uint32_t largest, std::uint32_t slide) {
    if (height <= below) {
        return height;
    }
    const std::uint32_t above =
        static_cast<std::uint32_t>(height) - static_cast<std::uint32_t>(below);
    auto stays = static_cast<std::uint32_t>(std::uint64_t{above} * (65536 - lost) >> 16);
    const std::uint32_t beyond = stays > largest ? stays - largest : 0;
    stays -= static_cast<std::uint32_t>(std::uint64_t{beyond} * slide >> 16);
    // At least 1 stays, so that the water still runs this way.
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(below) + (stays > 1 ? stays : 1));
}

// A bank of a river goes down towards `bank`, the lowest of the rivers beside it and a little, or
// its own height, by `share` (16 fraction bits).
KARST_HD constexpr std::int32_t planed(std::int32_t height, std::int64_t bank,
                                       std::uint32_t share) {
    return height - static_cast<std::int32_t>((height - bank) * std::int64_t{share} >> 16);
}

// One synchronous pass of exchange between the 8 neighbours: what one cell gives the other takes.
struct Creep {
    std::uint32_t diffusion = 0; // share of a height difference that moves, 16 bits, at most 1/8
    std::int32_t talus = 0;      // drop to a side neighbour that stays, 1/4096 m; 0: no talus
    std::uint32_t slide = 0;     // share of the drop beyond talus that moves, at most 1/8
};

// The rule between two neighbours. A diagonal one is sqrt 2 as far and counts half (the 9-point
// Laplacian).
struct CreepLink {
    std::int32_t diffusion = 0;
    std::int32_t slide = 0;
    std::int64_t talus = 0;
};
KARST_HD constexpr CreepLink creep_link(const Creep &rule, bool diagonal) {
    const bool slides = rule.talus > 0;
    const int half = diagonal ? 1 : 0;
    const std::int64_t talus = rule.talus;
    return {static_cast<std::int32_t>(rule.diffusion >> half),
            static_cast<std::int32_t>(slides ? rule.slide >> half : 0),
            diagonal ? talus * 92682 >> 16 : talus};
}

// What a cell takes from a neighbour that stands `drop` higher, rounded towards 0. `steepness` is
// the sum of both cells' factors of the talus, 8 fraction bits.
KARST_HD constexpr std::int32_t creep_flow(const CreepLink &link, std::int64_t drop,
                                           std::uint32_t steepness) {
    const std::int64_t talus = link.talus * steepness >> 9;
    const std::int64_t stands = drop < -talus ? -talus : drop > talus ? talus : drop;
    return static_cast<std::int32_t>(drop * link.diffusion / 65536) +
           static_cast<std::int32_t>((drop - stands) * link.slide / 65536);
}

// The height of an outlet beside ground whose lowest is `lowest`: below it, and not below `least`
// otherwise. One that stands above the ground would be a needle: the land around it has come to
// drain elsewhere.
KARST_HD constexpr std::int32_t levelled(std::int32_t height, std::int32_t lowest,
                                         std::int32_t least) {
    const std::int32_t lifted = height > least ? height : least;
    return lifted < lowest ? lifted : lowest - 1;
}

// What an uplift (16 fraction bits) of `lift` raises.
KARST_HD constexpr std::int32_t risen(std::int64_t lift, std::uint32_t uplift) {
    return static_cast<std::int32_t>(lift * uplift >> 16);
}

// A height of ground that is brought from `range` above `bottom` to `wanted` above 0.
KARST_HD constexpr std::int32_t rescaled(std::int32_t height, std::int64_t bottom,
                                         std::int64_t range, std::int64_t wanted) {
    return static_cast<std::int32_t>((height - bottom) * wanted / range);
}

// Strata of rock: the lower third of each terrace height is hard, each layer by its own draw. Hard
// rock erodes slowly and stands steep, the soft rock above it lies flatter.
struct Rock {
    std::int64_t resistance; // against rivers, 256 is soft
    std::uint16_t steepness; // of its slopes, 8 fraction bits
};
struct Strata {
    static constexpr std::size_t kLayers = 256; // after so many they repeat

    std::int32_t height = 0;             // from one to the next, 1/4096 m; 0: there are none
    std::uint32_t strength = 0;          // 8 fraction bits
    std::uint8_t hardness[kLayers] = {}; // 0 to 127

    KARST_HD constexpr bool any() const { return height > 0; }
    // What the ground at a height is made of. There are strata.
    KARST_HD constexpr Rock at(std::int32_t ground) const {
        const std::int64_t above = std::int64_t{ground} + (std::int64_t{height} << 8);
        const std::int64_t layer = above / height;
        const std::int64_t phase = (above % height << 10) / height; // of 1024
        const std::int64_t draw = hardness[static_cast<std::size_t>(layer) % kLayers];
        // 0 to 256: up over the first 64 of 1024, down from 320 to 384.
        const std::int64_t up = phase * 4 < (384 - phase) * 4 ? phase * 4 : (384 - phase) * 4;
        const std::int64_t band = up < 0 ? 0 : up > 256 ? 256 : up;
        const std::int64_t hard = band * strength * (128 + draw) >> 16;
        return {256 + hard * 12,
                static_cast<std::uint16_t>(256 + hard * 4 - ((256 - band) * strength * 110 >> 16))};
    }
};
// The softness of a cell whose rock has this resistance.
KARST_HD constexpr std::uint16_t rock_softness(std::uint16_t softness, const Rock &rock) {
    return static_cast<std::uint16_t>(std::int64_t{softness} * 256 / rock.resistance);
}

// What a pass of erosion does, after the way of the water is found.
struct ErosionPass {
    StreamPower power;
    Creep creep;
    int creeps = 0;             // passes of creep
    std::uint32_t carrying = 0; // a river of this area carries away what slides into it
    std::int64_t lift = 0;      // of an uplift of 1, 1/4096 m
    std::uint32_t planing = 0;  // a river of this area planes its banks; 0: none does
    std::int32_t rise = 0;      // of a bank that is planed above its river
    std::uint32_t plane = 0;    // share of a bank that a river takes, 16 fraction bits
};

} // namespace karst::rules
