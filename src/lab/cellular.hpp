// Sensitivity of elementary cellular automata (Wolfram's numbers 0 to 255) and of Boolean
// functions: damage, fronts, the exponent of the Boolean derivative, average sensitivity by
// enumeration.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "lab/statistics.hpp"

namespace karst::lab {

// A ring of 64 * words cells; cell i is bit i % 64 of word i / 64.
using Ring = std::vector<std::uint64_t>;

class ElementaryRule {
public:
    // 0 to 255, else Error(invalid_argument).
    explicit ElementaryRule(int number);

    bool next_cell(bool left, bool centre, bool right) const noexcept {
        return ((number_ >> (4 * left + 2 * centre + right)) & 1) != 0;
    }
    // `ring` has one word or more.
    void advance(Ring &ring, std::int64_t steps) const;
    // Bits where the next cell differs if the left, centre or right one is flipped: the Boolean
    // derivatives (Vichniac 1990).
    std::array<Ring, 3> derivatives(const Ring &ring) const;

private:
    std::uint64_t next_word(std::uint64_t left, std::uint64_t centre,
                            std::uint64_t right) const noexcept {
        return form_[0] ^ (right & form_[1]) ^ (centre & (form_[2] ^ (right & form_[3]))) ^
               (left &
                (form_[4] ^ (right & form_[5]) ^ (centre & (form_[6] ^ (right & form_[7])))));
    }

    unsigned number_;
    // The rule as a sum modulo 2 of products (its algebraic normal form): all ones in entry
    // 4 a + 2 b + c if left^a centre^b right^c is a term.
    std::array<std::uint64_t, 8> form_;
};

// Each cell alive with probability 1/2, a function of (seed, cell).
Ring random_ring(std::int64_t words, std::uint64_t seed);
std::int64_t population(const Ring &ring);

// What becomes of one flipped cell, at times 0 to `steps`.
struct Damage {
    std::vector<std::int64_t> size; // cells that differ: H(t)
    // Farthest differing cells from the flipped one, to the left (negative) and to the right, at
    // the last time; 0 where nothing differs any more.
    std::int64_t left = 0, right = 0;
};
// Flips `cell` of `ring`. Throws Error(invalid_argument) if fronts could meet around the ring:
// steps at least half of its cells.
Damage damage(const ElementaryRule &rule, const Ring &ring, std::int64_t cell, std::int64_t steps);

struct Fronts {
    Mean left, right; // cells a step outwards, of the runs whose damage lives
    std::int64_t alive = 0, runs = 0;
};
// Of rings just as long as they must be, random with seeds seed, seed + 1, ... and then advanced by
// `transient` steps before a cell is flipped.
Fronts front_velocities(const ElementaryRule &rule, std::int64_t transient, std::int64_t steps,
                        std::int64_t runs, std::uint64_t seed);

// The exponent of Bagnoli, Rechtman and Ruffo 1992: counts of defects on all paths, N' = J N by the
// Boolean derivatives, from one defect in each cell; ln of their growth per step. -infinity if all
// defects die. Counts are doubles, scaled by powers of two, which rounds nothing.
double boolean_exponent(const ElementaryRule &rule, Ring ring, std::int64_t transient,
                        std::int64_t steps);

// Flips that change f(x), by the number of ones of x: entry k counts pairs (x of k ones, input).
std::vector<std::int64_t> sensitive_pairs(int inputs, const std::function<bool(std::uint32_t)> &f);
// The mean number of inputs that matter if each is 1 with probability p: the slope at 0 of
// Derrida's curve. At p = 1/2 the sum of the pairs over 2^inputs, exactly.
double average_sensitivity(const std::vector<std::int64_t> &pairs, double p = 0.5);

} // namespace karst::lab
