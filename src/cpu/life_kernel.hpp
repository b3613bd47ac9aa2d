// Blocks of rows of Life, one generation further: what is compiled once for each instruction set.
#pragma once

#include <cstdint>

#include "rules/life.hpp"

namespace karst::cpu {

inline constexpr std::int64_t kLifeRows = 8;  // of a block
inline constexpr std::int64_t kLifeLanes = 8; // at most, words of a vector
// A row of a block is followed by so many words that are read, but need not mean anything: they
// spoil one cell more in each generation.
inline constexpr std::int64_t kLifeGap = kLifeLanes;
// A block leaves for the next one below it, in rows of its words: the sums (ones, twos) of its last
// row but one, those of its last row, and that row.
inline constexpr std::int64_t kLifeKept = 5;

// Blocks of `words` words a row, a multiple of the kernel's lanes, aligned to 64 bytes. With row y
// of `rows` comes out row y - 1 of the next generation.
struct LifeBlock {
    const std::uint64_t *rows; // words + kLifeGap from row to row, and a gap before the first
    std::uint64_t *next;       // likewise
    std::uint64_t *kept;       // in: of the block above; out: of this one
    std::int64_t words;
};

struct LifeKernel {
    using Rows = void (*)(const LifeBlock &, const rules::LifeSelector &);
    const char *name; // of the instruction set
    std::int64_t lanes;
    Rows b3s23;
    Rows majority; // B5678/S45678
    Rows any;      // the rule of the selector
};

extern const LifeKernel kLifeBaseline;
#if defined(__x86_64__)
extern const LifeKernel kLifeAvx2;
extern const LifeKernel kLifeAvx512;
#endif

} // namespace karst::cpu
