// Random numbers as a pure function of (seed, place or agent, step, use).
#pragma once

#include <cstdint>

#include <karst/config.hpp>

namespace karst::core {

struct Draw4 {
    std::uint32_t word[4];
};

// Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// SC11. The key is the 64-bit seed, low word first.
KARST_HD inline Draw4 philox4x32(std::uint32_t c0, std::uint32_t c1, std::uint32_t c2,
                                 std::uint32_t c3, std::uint64_t key) {
    std::uint32_t k0 = static_cast<std::uint32_t>(key);
    std::uint32_t k1 = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c0;
        const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * c2;
        c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
        c1 = static_cast<std::uint32_t>(p1);
        c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
        c3 = static_cast<std::uint32_t>(p0);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return {{c0, c1, c2, c3}};
}

// Every use of random numbers has a stage of its own, so that no counter serves two uses. Append
// only: the numbers are part of the algorithm version. A simulated network n in [0, 16) of a
// generator spawns with stage physarum_spawn + n and turns with stage physarum_agent + n.
enum Stage : std::uint32_t {
    stage_physarum_spawn = 0x10,
    stage_physarum_agent = 0x20,
    stage_life_soup = 0x30, // + n of a generator's soups
    stage_crack = 0x40,     // + n: the crack generator's own draws
    stage_cave = 0x50,
    stage_cave_volume = 0x58,
    stage_heightmap = 0x60,
    stage_tie = 0x70,             // hash of an absolute cell, the last key of every order of shape/
    stage_physarum3_spawn = 0x80, // + network, in three dimensions
    stage_physarum3_agent = 0x90, // 0xa0: src/lab/draws.hpp
};

// The last counter word: algorithm | stage | slot | draw, 8 bits each.
KARST_HD constexpr std::uint32_t use(std::uint32_t stage, std::uint32_t slot = 0,
                                     std::uint32_t draw = 0) {
    return (std::uint32_t{KARST_ALGORITHM_VERSION} << 24) | (stage << 16) | (slot << 8) | draw;
}

// A draw at a place, in absolute coordinates.
KARST_HD inline Draw4 draw_at(std::uint64_t seed, std::int32_t x, std::int32_t y, std::int32_t z,
                              std::uint32_t use_word) {
    return philox4x32(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
                      static_cast<std::uint32_t>(z), use_word, seed);
}

// A draw of an agent in a step.
KARST_HD inline Draw4 draw_of(std::uint64_t seed, std::uint64_t id, std::uint32_t step,
                              std::uint32_t use_word) {
    return philox4x32(static_cast<std::uint32_t>(id), static_cast<std::uint32_t>(id >> 32), step,
                      use_word, seed);
}

// The finaliser of splitmix64 (Steele, Lea, Flood 2014): a bijection of 64 bits.
KARST_HD constexpr std::uint64_t mix64(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

// The last key of every order: different for any two cells of one seed.
KARST_HD constexpr std::uint64_t tie_hash(std::uint64_t seed, std::int32_t x, std::int32_t y) {
    const std::uint64_t cell =
        (std::uint64_t{static_cast<std::uint32_t>(y)} << 32) | static_cast<std::uint32_t>(x);
    const std::uint64_t key = mix64(seed ^ use(stage_tie));
    return mix64(mix64(cell + 0x9E3779B97F4A7C15u) ^ key);
}

} // namespace karst::core
