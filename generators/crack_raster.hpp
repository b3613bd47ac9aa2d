// Lines to cells: which cells a crack covers, how deep, and the plates between.
#pragma once

#include <cstdint>
#include <span>

#include "generators/crack_lines.hpp"

namespace karst::crack {

// A piece of a crack in output cells, not wrapped; between its ends all changes linearly.
struct Stroke {
    struct End {
        Point at;           // 8 fraction bits
        std::int64_t half;  // half width in cells, 8 fraction bits, at least half a cell
        std::int64_t depth; // of the full depth, 16 fraction bits, less than 1
    };
    End a, b;
};

// What the strokes leave in each cell.
struct Strokes {
    // How far a cell's centre lies inside the crack that covers it most, 8 fraction bits of cells;
    // kFarOutside beyond the reach of all.
    Field2D<std::int16_t> inset;
    Field2D<std::uint16_t> half;  // half width there, 8 fraction bits
    Field2D<std::uint16_t> depth; // there, 16 fraction bits
    shape::Mask core;             // 1 within half a cell of a line
};

inline constexpr std::int16_t kFarOutside = -0x7FFF;

// Cells outside of a crack are told up to `ragged` (16 fraction bits) of its half width and a cell.
Strokes draw(core::Run &run, std::span<const Stroke> strokes, std::uint32_t ragged, Extent2 extent);

// The cells of the cracks; `ragged`, of 16 fraction bits, is the share of a crack's half width in
// which its rim is left to chance and then to the majority rule of Life.
shape::Mask cover(core::Run &run, const Strokes &strokes, std::uint32_t ragged, std::uint64_t seed);

// Fills plates of fewer than `least` cells, takes away pieces of crack that hold no line, and gives
// each plate its id.
struct Ground {
    Field2D<std::uint32_t> plates;
    std::int64_t count = 0;
};
Ground divide(core::Run &run, shape::Mask &mask, const shape::Mask &core, std::int64_t least,
              std::uint64_t seed);

} // namespace karst::crack
