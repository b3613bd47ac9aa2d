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

// Words of cells are unsigned integers, or a class of the CPU's vectors with their operators & | ^
// ~. A class whose machine has gates of three inputs offers them as `template gate<table>(a, b,
// c)`.

// A gate of two inputs: bit 2 a + b of `table` is what it gives.
template <unsigned table, class Word>
KARST_HD constexpr Word gate(Word a, Word b) {
    static_assert(table < 16);
    if constexpr (table > 7) {
        return ~gate<15 ^ table>(a, b);
    } else if constexpr (table == 0) {
        return a ^ a;
    } else if constexpr (table == 1) {
        return ~(a | b);
    } else if constexpr (table == 2) {
        return ~a & b;
    } else if constexpr (table == 3) {
        return ~a;
    } else if constexpr (table == 4) {
        return a & ~b;
    } else if constexpr (table == 5) {
        return ~b;
    } else if constexpr (table == 6) {
        return a ^ b;
    } else {
        return ~(a & b);
    }
}

// A gate of three inputs: bit 4 a + 2 b + c of `table`, as LOP3 and VPTERNLOG have it.
template <unsigned table, class Word>
KARST_HD constexpr Word gate(Word a, Word b, Word c) {
    static_assert(table < 256);
    if constexpr (requires { Word::template gate<table>(a, b, c); }) {
        return Word::template gate<table>(a, b, c);
    } else {
        constexpr auto half = [](unsigned bits) { // bits 0, 2, 4, 6
            return (bits & 1) | (bits >> 1 & 2) | (bits >> 2 & 4) | (bits >> 3 & 8);
        };
        constexpr unsigned kZero = half(table); // where c is 0
        constexpr unsigned kOne = half(table >> 1);
        if constexpr (kZero == kOne) {
            return gate<kZero>(a, b);
        } else if constexpr (kOne == 0) {
            return gate<kZero>(a, b) & ~c;
        } else if constexpr (kZero == 0) {
            return gate<kOne>(a, b) & c;
        } else {
            return gate<kZero>(a, b) ^ (gate<kZero ^ kOne>(a, b) & c);
        }
    }
}

template <class Word>
KARST_HD constexpr Word parity(Word a, Word b, Word c) {
    if constexpr (requires { Word::template gate<0x96>(a, b, c); }) {
        return Word::template gate<0x96>(a, b, c);
    } else {
        return a ^ b ^ c;
    }
}

template <class Word>
KARST_HD constexpr Word majority(Word a, Word b, Word c) {
    if constexpr (requires { Word::template gate<0xE8>(a, b, c); }) {
        return Word::template gate<0xE8>(a, b, c);
    } else {
        return (a & b) | (c & (a ^ b)); // a ^ b is there already, for the parity
    }
}

// `one` where the bit is set, else `zero`.
template <class Word>
KARST_HD constexpr Word choose(Word bit, Word zero, Word one) {
    if constexpr (requires { Word::template gate<0xCA>(bit, one, zero); }) {
        return Word::template gate<0xCA>(bit, one, zero);
    } else {
        return zero ^ (bit & (zero ^ one));
    }
}

// 64 cells of a row and their left and right neighbours, each at the bit of the cell.
struct LifeTriple {
    std::uint64_t left;
    std::uint64_t centre;
    std::uint64_t right;
};

// The sum of a triple in bit planes, 0 to 3.
template <class Word>
struct BasicRowSum {
    Word ones;
    Word twos;
};
using RowSum = BasicRowSum<std::uint64_t>;

template <class Word>
KARST_HD constexpr BasicRowSum<Word> row_sum(Word left, Word centre, Word right) {
    return {parity(left, centre, right), majority(left, centre, right)};
}
KARST_HD constexpr RowSum row_sum(const LifeTriple &row) {
    return row_sum(row.left, row.centre, row.right);
}

// The sum of a window of 3x3 cells, the middle with them, in bit planes:
// ones + 2 (carry + twos + 2 fours), 0 to 9.
template <class Word>
struct WindowSum {
    Word ones;
    Word carry;
    Word twos;
    Word fours;
};

// A rule known when it is compiled: at most 4 gates choose by (carry, twos, fours) and 3 between
// them; B3/S23 needs 4 in all, so that a word takes 10 gates with its row sum, B5678/S45678 9.
template <unsigned birth, unsigned survive>
struct FixedLifeRule {
    template <class Word>
    KARST_HD constexpr Word next(const WindowSum<Word> &sum, Word centre) const {
        const Word even = by_centre<table(0, 0), table(0, 1)>(sum, centre);
        const Word odd = by_centre<table(1, 0), table(1, 1)>(sum, centre);
        return choose(sum.ones, even, odd);
    }

private:
    // The gate of (carry, twos, fours) for cells that are dead or alive in a window of an even or
    // odd sum. A live cell in a sum of 0 does not exist, nor a dead one in 9: any value will do.
    KARST_HD static constexpr unsigned table(unsigned odd, unsigned alive) {
        unsigned bits = 0;
        for (unsigned i = 0; i < 8; ++i) {
            const unsigned sum = odd + 2 * ((i >> 2) + (i >> 1 & 1) + 2 * (i & 1));
            const bool live = sum == 9 || (sum > 0 && alive == 1);
            bits |= ((live ? survive >> (sum - 1) : birth >> sum) & 1) << i;
        }
        return bits;
    }

    template <unsigned dead, unsigned alive, class Word>
    KARST_HD static constexpr Word by_centre(const WindowSum<Word> &sum, Word centre) {
        const Word if_alive = gate<alive>(sum.carry, sum.twos, sum.fours);
        if constexpr (dead == alive) {
            return if_alive;
        } else if constexpr (dead == 0) {
            return centre & if_alive;
        } else {
            return choose(centre, gate<dead>(sum.carry, sum.twos, sum.fours), if_alive);
        }
    }
};

// Any rule, as words to select with: entry n is all ones if a dead cell in a window of sum n is
// born, and where a live one's fate differs.
template <class Word>
struct BasicLifeSelector {
    Word birth[10];
    Word differs[10];

    KARST_HD constexpr Word next(const WindowSum<Word> &sum, Word centre) const {
        const Word bit1 = sum.carry ^ sum.twos;
        const Word bit2 = gate<0x6A>(sum.carry, sum.twos, sum.fours); // fours ^ (carry & twos)
        const Word bit3 = gate<0x80>(sum.carry, sum.twos, sum.fours);
        const auto pair = [&](int n) { // sums n and n + 1
            return choose(sum.ones, gate<0x78>(birth[n], differs[n], centre),
                          gate<0x78>(birth[n + 1], differs[n + 1], centre));
        };
        const Word low = choose(bit1, pair(0), pair(2));
        const Word high = choose(bit1, pair(4), pair(6));
        return choose(bit3, choose(bit2, low, high), pair(8));
    }
};
using LifeSelector = BasicLifeSelector<std::uint64_t>;

// A live cell in a sum of 0 and a dead one in 9 do not exist: they are the same as the others.
template <class Word = std::uint64_t>
constexpr BasicLifeSelector<Word> make_selector(LifeRule rule) {
    BasicLifeSelector<Word> selector{};
    for (int n = 0; n < 10; ++n) {
        const bool born = ((n < 9 ? rule.birth >> n : rule.survive >> 8) & 1) != 0;
        const bool survives = n > 0 ? ((rule.survive >> (n - 1)) & 1) != 0 : born;
        selector.birth[n] = born ? ~Word{0} : Word{0};
        selector.differs[n] = born != survives ? ~Word{0} : Word{0};
    }
    return selector;
}

// The next generation of `centre` from the sums of its row and of the rows above and below, which
// each serve three rows. The rule is a FixedLifeRule or a BasicLifeSelector<Word>.
template <class Word, class Rule>
KARST_HD constexpr Word
next_from_sums(const BasicRowSum<Word> &above, const BasicRowSum<Word> &here,
               const BasicRowSum<Word> &below, Word centre, const Rule &rule) {
    return rule.next(WindowSum<Word>{parity(above.ones, here.ones, below.ones),
                                     majority(above.ones, here.ones, below.ones),
                                     parity(above.twos, here.twos, below.twos),
                                     majority(above.twos, here.twos, below.twos)},
                     centre);
}

KARST_HD constexpr std::uint64_t next_word(const LifeTriple &above, const LifeTriple &row,
                                           const LifeTriple &below, const LifeSelector &selector) {
    return next_from_sums(row_sum(above), row_sum(row), row_sum(below), row.centre, selector);
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
