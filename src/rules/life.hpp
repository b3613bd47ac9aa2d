// What one cell, and one word of 64 cells, of an outer-totalistic automaton on the Moore
// neighbourhood does in a generation. Compiled for the host and for the device.
#pragma once

#include <cstdint>

#include <karst/config.hpp>
#include <karst/simulate.hpp>

namespace karst::rules {

// The specification: one cell with `neighbours` live neighbours, of 8 under a LifeRule.
template <class Rule>
KARST_HD constexpr bool next_cell(bool alive, int neighbours, Rule rule) {
    return (((alive ? rule.survive : rule.birth) >> neighbours) & 1) != 0;
}

// The rule as words to select with: entry n is all ones if a dead cell with n neighbours is born,
// and where survival differs from birth.
struct LifeSelector {
    std::uint64_t birth[9];
    std::uint64_t differs[9];
};

constexpr LifeSelector make_selector(LifeRule rule) {
    LifeSelector selector{};
    for (int n = 0; n < 9; ++n) {
        const std::uint64_t birth = (rule.birth >> n) & 1 ? ~std::uint64_t{0} : 0;
        const std::uint64_t survive = (rule.survive >> n) & 1 ? ~std::uint64_t{0} : 0;
        selector.birth[n] = birth;
        selector.differs[n] = birth ^ survive;
    }
    return selector;
}

// 64 cells of a row and their left and right neighbours, each at the bit of the cell.
struct LifeTriple {
    std::uint64_t left;
    std::uint64_t centre;
    std::uint64_t right;
};

KARST_HD constexpr std::uint64_t majority(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    return (a & b) | (c & (a | b));
}

// The sum of a triple in bit planes, 0 to 3.
struct RowSum {
    std::uint64_t ones;
    std::uint64_t twos;
};

KARST_HD constexpr RowSum row_sum(const LifeTriple &row) {
    return {row.left ^ row.centre ^ row.right, majority(row.left, row.centre, row.right)};
}

// The next generation of row.centre: the neighbours of each bit are counted by full adders in
// bit planes, then the rule is chosen by the four bits of the count.
KARST_HD constexpr std::uint64_t next_word(const LifeTriple &above, const LifeTriple &row,
                                           const LifeTriple &below, const LifeSelector &selector) {
    const auto choose = [](std::uint64_t bit, std::uint64_t zero, std::uint64_t one) {
        return zero ^ (bit & (zero ^ one));
    };
    const RowSum over = row_sum(above);
    const RowSum under = row_sum(below);
    const RowSum beside{row.left ^ row.right, row.left & row.right};

    const std::uint64_t bit0 = over.ones ^ under.ones ^ beside.ones;
    const std::uint64_t carry0 = majority(over.ones, under.ones, beside.ones);
    const std::uint64_t twos = over.twos ^ under.twos ^ beside.twos;
    const std::uint64_t fours = majority(over.twos, under.twos, beside.twos);
    const std::uint64_t bit1 = twos ^ carry0;
    const std::uint64_t carry1 = twos & carry0;
    const std::uint64_t bit2 = fours ^ carry1;
    const std::uint64_t bit3 = fours & carry1;

    const auto entry = [&](int n) {
        return selector.birth[n] ^ (selector.differs[n] & row.centre);
    };
    const std::uint64_t low =
        choose(bit1, choose(bit0, entry(0), entry(1)), choose(bit0, entry(2), entry(3)));
    const std::uint64_t high =
        choose(bit1, choose(bit0, entry(4), entry(5)), choose(bit0, entry(6), entry(7)));
    return choose(bit3, choose(bit2, low, high), entry(8));
}

// A board to read: rows of `words` words, the last with width % 64 cells, unless that is 0.
struct LifeView {
    const std::uint64_t *cells;
    std::int64_t words;
    std::int64_t width;
    std::int64_t height;
    LifeBoundary boundary;
};

constexpr LifeView make_view(const std::uint64_t *cells, Extent2 extent, LifeBoundary boundary) {
    return {cells, (extent.width + 63) / 64, extent.width, extent.height, boundary};
}

// What a word outside of a bounded board reads.
KARST_HD constexpr std::uint64_t outside_word(LifeBoundary boundary) {
    return boundary == LifeBoundary::alive ? ~std::uint64_t{0} : 0;
}

// The triple of word i of row y; y may be -1 or height.
KARST_HD constexpr LifeTriple triple_at(const LifeView &view, std::int64_t y, std::int64_t i) {
    const std::uint64_t outside = outside_word(view.boundary);
    if (y < 0 || y >= view.height) {
        if (view.boundary != LifeBoundary::torus) {
            return {outside, outside, outside};
        }
        y = y < 0 ? view.height - 1 : 0;
    }
    const std::uint64_t *const row = view.cells + y * view.words;
    const bool torus = view.boundary == LifeBoundary::torus;
    const std::int64_t last = view.words - 1;
    const int last_bit = static_cast<int>((view.width - 1) & 63);

    const std::uint64_t centre = row[i];
    const std::uint64_t before =
        i > 0 ? row[i - 1] >> 63 : (torus ? (row[last] >> last_bit) & 1 : outside & 1);
    const std::uint64_t left = (centre << 1) | before;
    const std::uint64_t after = i < last ? row[i + 1] & 1 : (torus ? row[0] & 1 : outside & 1);
    const std::uint64_t right = (centre >> 1) | (after << (i < last ? 63 : last_bit));
    return {left, centre, right};
}

// The valid bits of word i.
KARST_HD constexpr std::uint64_t valid_bits(const LifeView &view, std::int64_t i) {
    return i < view.words - 1 ? ~std::uint64_t{0}
                              : ~std::uint64_t{0} >> (63 - ((view.width - 1) & 63));
}

KARST_HD constexpr std::uint64_t next_word_at(const LifeView &view, const LifeSelector &selector,
                                              std::int64_t y, std::int64_t i) {
    return next_word(triple_at(view, y - 1, i), triple_at(view, y, i), triple_at(view, y + 1, i),
                     selector) &
           valid_bits(view, i);
}

} // namespace karst::rules
