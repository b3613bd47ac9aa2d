// The kernel of Life for one instruction set. The including file defines KARST_LIFE_LANES (words of
// a vector), and KARST_LIFE_GATES if there is VPTERNLOGQ.
//
// Everything here is in an anonymous namespace, and templates are instantiated with its type Lanes
// only: were an inline function with external linkage compiled in such a file, the linker might
// keep that copy for the whole program, which would then need the instruction set everywhere. So
// these files call no inline function of the standard library or of karst.
#pragma once

#include "cpu/life_kernel.hpp"

#if defined(KARST_LIFE_GATES)
#include <immintrin.h>
#endif

namespace karst::cpu {

namespace {

using Vector __attribute__((vector_size(8 * KARST_LIFE_LANES))) = unsigned long long;
// In memory: at any word.
using Unaligned __attribute__((vector_size(8 * KARST_LIFE_LANES), aligned(8), may_alias)) =
    unsigned long long;

struct Lanes {
    Vector words;

    static Lanes load(const std::uint64_t *from) {
        return {*reinterpret_cast<const Unaligned *>(from)};
    }
    void store(std::uint64_t *to) const { *reinterpret_cast<Unaligned *>(to) = words; }
    static Lanes broadcast(std::uint64_t word) { return {Vector{} + word}; }

    friend Lanes operator&(Lanes a, Lanes b) { return {a.words & b.words}; }
    friend Lanes operator|(Lanes a, Lanes b) { return {a.words | b.words}; }
    friend Lanes operator^(Lanes a, Lanes b) { return {a.words ^ b.words}; }
    friend Lanes operator~(Lanes a) { return {~a.words}; }

#if defined(KARST_LIFE_GATES)
    template <unsigned table>
    static Lanes gate(Lanes a, Lanes b, Lanes c) {
        return {reinterpret_cast<Vector>(_mm512_ternarylogic_epi64(
            reinterpret_cast<__m512i>(a.words), reinterpret_cast<__m512i>(b.words),
            reinterpret_cast<__m512i>(c.words), table))};
    }
#endif
};

// The row sum of the cells at `at`.
rules::BasicRowSum<Lanes> sum_at(const std::uint64_t *at, Lanes centre) {
    const Vector before = Lanes::load(at - 1).words;
    const Vector after = Lanes::load(at + 1).words;
    // Not by VPSHLDQ, which halves the speed on Zen 5.
    const Lanes left{(centre.words << 1) | (before >> 63)};
    const Lanes right{(centre.words >> 1) | (after << 63)};
    return rules::row_sum(left, centre, right);
}

template <class Rule>
void next_rows(const LifeBlock &block, const Rule &rule) {
    const std::int64_t words = block.words;
    const std::int64_t stride = words + kLifeGap;
    for (std::int64_t i = 0; i < words; i += KARST_LIFE_LANES) {
        std::uint64_t *const kept = block.kept + i;
        const std::uint64_t *row = block.rows + i;
        std::uint64_t *next = block.next + i;
        rules::BasicRowSum<Lanes> above{Lanes::load(kept), Lanes::load(kept + words)};
        rules::BasicRowSum<Lanes> here{Lanes::load(kept + 2 * words),
                                       Lanes::load(kept + 3 * words)};
        Lanes centre = Lanes::load(kept + 4 * words);
#pragma GCC unroll 8
        for (std::int64_t y = 0; y < kLifeRows; ++y) {
            const Lanes cells = Lanes::load(row);
            const rules::BasicRowSum<Lanes> below = sum_at(row, cells);
            rules::next_from_sums(above, here, below, centre, rule).store(next);
            above = here;
            here = below;
            centre = cells;
            row += stride;
            next += stride;
        }
        above.ones.store(kept);
        above.twos.store(kept + words);
        here.ones.store(kept + 2 * words);
        here.twos.store(kept + 3 * words);
        centre.store(kept + 4 * words);
    }
}

void next_rows_b3s23(const LifeBlock &block, const rules::LifeSelector &) {
    next_rows(block, rules::FixedLifeRule<0b1000, 0b1100>{});
}

void next_rows_majority(const LifeBlock &block, const rules::LifeSelector &) {
    next_rows(block, rules::FixedLifeRule<0b111100000, 0b111110000>{});
}

void next_rows_any(const LifeBlock &block, const rules::LifeSelector &selector) {
    rules::BasicLifeSelector<Lanes> lanes;
    for (int n = 0; n < 10; ++n) {
        lanes.birth[n] = Lanes::broadcast(selector.birth[n]);
        lanes.differs[n] = Lanes::broadcast(selector.differs[n]);
    }
    next_rows(block, lanes);
}

} // namespace

} // namespace karst::cpu
