// Where the agents of a Physarum simulation are born. Integers only; compiled for the host and for
// the device.
#pragma once

#include <cstdint>

#include <karst/simulate.hpp>

#include "core/rng.hpp"
#include "rules/physarum.hpp"
#include "rules/physarum3.hpp"

namespace karst::rules {

inline constexpr std::int64_t kWholeWeight = 65535; // of a cell that gets all of its agents

// A cell; z is 0 on a map, which is a volume of depth 1 here.
struct BirthPlace {
    std::int32_t x, y, z; // absolute
};

struct Births {
    std::int64_t side[3] = {1, 1, 1}; // cells
    std::int32_t origin[3] = {};      // absolute cell of (0, 0, 0)
    int dimensions = 2;
    Spawn area = Spawn::uniform;
    std::int64_t diameter = 0; // cells, of disc and ring
    std::int64_t band = 0;     // cells, half the width of the ring, or the width at the edges
    std::uint64_t density = 0; // agents a cell, 32 fraction bits; 0: by count
    std::uint64_t seed = 0;
    std::uint32_t stage = 0; // of the draws

    KARST_HD BirthPlace place(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return {origin[0] + static_cast<std::int32_t>(x), origin[1] + static_cast<std::int32_t>(y),
                origin[2] + static_cast<std::int32_t>(z)};
    }

    // Whether agents are born in a cell. Tests cell centres, in doubled coordinates, so that they
    // are integers.
    KARST_HD bool holds(std::int64_t x, std::int64_t y, std::int64_t z) const {
        if (area == Spawn::uniform) {
            return true;
        }
        const std::int64_t at[3] = {x, y, z};
        std::int64_t squared = 0;
        std::int64_t to_edge = side[0];
        for (int i = 0; i < dimensions; ++i) {
            const std::int64_t d = 2 * at[i] + 1 - side[i];
            const std::int64_t beyond = side[i] - 1 - at[i];
            squared += d * d;
            to_edge = to_edge < at[i] ? to_edge : at[i];
            to_edge = to_edge < beyond ? to_edge : beyond;
        }
        if (area == Spawn::disc) {
            return squared <= diameter * diameter;
        }
        if (area == Spawn::ring) {
            const std::int64_t inner = diameter > band ? diameter - band : 0;
            const std::int64_t outer = diameter + band;
            return squared >= inner * inner && squared <= outer * outer;
        }
        return to_edge < band;
    }

    // Draw 0 of slot 0 decides how many agents a cell gets, draw 1 of a slot where in it its agent
    // is and where it heads.
    KARST_HD core::Draw4 draw(const BirthPlace &at, std::int64_t slot, std::uint32_t number) const {
        return core::draw_at(seed, at.x, at.y, at.z,
                             core::use(stage, static_cast<std::uint32_t>(slot), number));
    }

    // The agents of a cell by density: a whole number, and one more with the probability of the
    // rest. `weight` in kWholeWeight scales them.
    KARST_HD std::int64_t agents(const BirthPlace &at, std::int64_t weight) const {
        const std::uint64_t mean =
            weight == kWholeWeight ? density
                                   : density * static_cast<std::uint64_t>(weight) / kWholeWeight;
        const bool one_more =
            (mean & 0xffffffffu) != 0 && draw(at, 0, 0).word[0] < (mean & 0xffffffffu);
        return static_cast<std::int64_t>(mean >> 32) + (one_more ? 1 : 0);
    }
};

// The low bits of an absolute coordinate.
KARST_HD constexpr std::uint64_t low_bits(std::int32_t value, int bits) {
    return static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << bits) - 1);
}

// 8 bits of the slot and 28 of each absolute coordinate, or 18 of each of three.
KARST_HD constexpr std::uint64_t agent_id(const PhysarumRule &, const BirthPlace &at,
                                          std::int64_t slot) {
    return (low_bits(at.y, 28) << 36) | (low_bits(at.x, 28) << 8) |
           static_cast<std::uint64_t>(slot);
}

KARST_HD constexpr std::uint64_t agent_id(const Physarum3Rule &, const BirthPlace &at,
                                          std::int64_t slot) {
    return (low_bits(at.z, 18) << 44) | (low_bits(at.y, 18) << 26) | (low_bits(at.x, 18) << 8) |
           static_cast<std::uint64_t>(slot);
}

KARST_HD constexpr std::uint16_t low_half(std::uint32_t word) {
    return static_cast<std::uint16_t>(word);
}

KARST_HD constexpr std::uint16_t high_half(std::uint32_t word) {
    return static_cast<std::uint16_t>(word >> 16);
}

KARST_HD constexpr Agent born(const PhysarumRule &, const BirthPlace &at, const core::Draw4 &draw,
                              const core::Direction *) {
    return {at.x, at.y, low_half(draw.word[0]), high_half(draw.word[0]), high_half(draw.word[1])};
}

KARST_HD constexpr Agent3 born(const Physarum3Rule &, const BirthPlace &at, const core::Draw4 &draw,
                               const core::Direction *directions) {
    constexpr Frame kEastAndUp{{{1 << 14, 0, 0}}, {{0, 0, 1 << 14}}};
    return {{at.x, at.y, at.z},
            {low_half(draw.word[0]), high_half(draw.word[0]), low_half(draw.word[1])},
            any_direction(kEastAndUp, draw.word[2], draw.word[3], directions)};
}

} // namespace karst::rules
