// Sensitivity of Life-like rules, on karst's own boards and by its own engines.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <karst/simulate.hpp>

#include "lab/statistics.hpp"

namespace karst::lab {

// Flips that change what a cell becomes, of its 9 inputs, by the number of live ones
// (cellular.hpp). B3/S23: 1624 in all.
std::vector<std::int64_t> sensitive_pairs(LifeRule rule);

// One flipped cell in the middle of each block of a soup on a torus. No block's damage reaches the
// next one's while 2 t + 1 <= block, and the cells of a soup are independent: each block is a run
// of its own.
struct SoupDamage {
    double density = 0.5;    // of the soup
    std::int64_t block = 64; // cells a side, a multiple of 64
    std::int64_t blocks = 8; // a side
    std::uint64_t seed = 0;

    struct Point {
        std::int64_t t = 0;
        Mean size;              // cells that differ, healed blocks with 0
        std::int64_t alive = 0; // blocks where something differs
    };
    // Rising times, the last at most (block - 1) / 2. Throws Error(invalid_argument), and what
    // simulate_life() throws.
    std::vector<Point> measure(LifeRule rule, std::span<const std::int64_t> times,
                               const Options &options = {}) const;
};

// The exponent of the Boolean derivative (cellular.hpp) on a torus of at least 3 cells a side: from
// one defect in each cell, after `transient` generations.
double boolean_exponent(LifeRule rule, LifeBoard board, std::int64_t transient, std::int64_t steps,
                        const Options &options = {});

} // namespace karst::lab
