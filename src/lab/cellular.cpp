#include "lab/cellular.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include <karst/error.hpp>

#include "lab/draws.hpp"
#include "lab/real.hpp"

namespace karst::lab {

namespace {

// Each cell's left (lower) and right neighbour at the bit of the cell.
std::uint64_t left_of(const Ring &ring, std::size_t i) {
    return ring[i] << 1 | ring[i > 0 ? i - 1 : ring.size() - 1] >> 63;
}
std::uint64_t right_of(const Ring &ring, std::size_t i) {
    return ring[i] >> 1 | ring[i + 1 < ring.size() ? i + 1 : 0] << 63;
}

std::int64_t cells_of(const Ring &ring) {
    return 64 * static_cast<std::int64_t>(ring.size());
}

} // namespace

ElementaryRule::ElementaryRule(int number) : number_(static_cast<unsigned>(number)) {
    if (number < 0 || number > 255) {
        throw Error(ErrorCode::invalid_argument, "the number of an elementary automaton is " +
                                                     std::to_string(number) +
                                                     "; allowed is 0 to 255");
    }
    for (unsigned term = 0; term < 8; ++term) {
        // Moebius: the sum of the values below the term.
        unsigned sum = 0;
        for (unsigned pattern = 0; pattern < 8; ++pattern) {
            sum ^= (pattern & ~term) == 0 ? number_ >> pattern & 1 : 0;
        }
        form_[term] = sum != 0 ? ~std::uint64_t{0} : 0;
    }
}

void ElementaryRule::advance(Ring &ring, std::int64_t steps) const {
    for (std::int64_t t = 0; t < steps; ++t) {
        const std::uint64_t first = ring.front();
        std::uint64_t left = ring.back();
        for (std::size_t i = 0; i < ring.size(); ++i) {
            const std::uint64_t word = ring[i];
            const std::uint64_t right = i + 1 < ring.size() ? ring[i + 1] : first;
            ring[i] = next_word(word << 1 | left >> 63, word, word >> 1 | right << 63);
            left = word;
        }
    }
}

std::array<Ring, 3> ElementaryRule::derivatives(const Ring &ring) const {
    std::array<Ring, 3> result;
    for (std::size_t i = 0; i < ring.size(); ++i) {
        const std::uint64_t left = left_of(ring, i);
        const std::uint64_t right = right_of(ring, i);
        const std::uint64_t next = next_word(left, ring[i], right);
        result[0].push_back(next ^ next_word(~left, ring[i], right));
        result[1].push_back(next ^ next_word(left, ~ring[i], right));
        result[2].push_back(next ^ next_word(left, ring[i], ~right));
    }
    return result;
}

Ring random_ring(std::int64_t words, std::uint64_t seed) {
    Ring ring;
    for (std::int64_t i = 0; i < words; ++i) {
        const core::Draw4 draw =
            core::draw_at(seed, static_cast<std::int32_t>(i / 2), 0, 0, use(slot_ring));
        const std::size_t half = i % 2 == 0 ? 0 : 2;
        ring.push_back(draw.word[half] | std::uint64_t{draw.word[half + 1]} << 32);
    }
    return ring;
}

std::int64_t population(const Ring &ring) {
    std::int64_t count = 0;
    for (const std::uint64_t word : ring) {
        count += std::popcount(word);
    }
    return count;
}

Damage damage(const ElementaryRule &rule, const Ring &ring, std::int64_t cell, std::int64_t steps) {
    const std::int64_t cells = cells_of(ring);
    if (steps >= cells / 2) {
        throw Error(ErrorCode::invalid_argument,
                    std::to_string(steps) + " steps on a ring of " + std::to_string(cells) +
                        " cells; allowed are fewer than half of its cells");
    }
    Ring one = ring;
    Ring other = ring;
    other[static_cast<std::size_t>(cell / 64)] ^= std::uint64_t{1} << (cell % 64);
    Damage result;
    Ring differs(ring.size());
    for (std::int64_t t = 0;; ++t) {
        for (std::size_t i = 0; i < ring.size(); ++i) {
            differs[i] = one[i] ^ other[i];
        }
        result.size.push_back(population(differs));
        if (t == steps) {
            break;
        }
        rule.advance(one, 1);
        rule.advance(other, 1);
    }
    const auto hit = [&](std::int64_t offset) {
        const std::int64_t at = ((cell + offset) % cells + cells) % cells;
        return ((differs[static_cast<std::size_t>(at / 64)] >> (at % 64)) & 1) != 0;
    };
    if (result.size.back() > 0) {
        result.left = -steps;
        while (!hit(result.left)) {
            ++result.left;
        }
        result.right = steps;
        while (!hit(result.right)) {
            --result.right;
        }
    }
    return result;
}

Fronts front_velocities(const ElementaryRule &rule, std::int64_t transient, std::int64_t steps,
                        std::int64_t runs, std::uint64_t seed) {
    const std::int64_t words = (2 * steps + 2 + 63) / 64;
    std::vector<double> left;
    std::vector<double> right;
    for (std::int64_t run = 0; run < runs; ++run) {
        Ring ring = random_ring(words, seed + static_cast<std::uint64_t>(run));
        rule.advance(ring, transient);
        const Damage its = damage(rule, ring, 32 * words, steps);
        if (its.size.back() > 0) {
            left.push_back(-static_cast<double>(its.left) / static_cast<double>(steps));
            right.push_back(static_cast<double>(its.right) / static_cast<double>(steps));
        }
    }
    Fronts fronts;
    fronts.runs = runs;
    fronts.alive = static_cast<std::int64_t>(left.size());
    if (!left.empty()) {
        fronts.left = mean_of(left);
        fronts.right = mean_of(right);
    }
    return fronts;
}

double boolean_exponent(const ElementaryRule &rule, Ring ring, std::int64_t transient,
                        std::int64_t steps) {
    rule.advance(ring, transient);
    const auto cells = static_cast<std::size_t>(cells_of(ring));
    // A border of one cell on each side repeats the other end.
    std::vector<double> defects(cells + 2, 1.0);
    std::vector<double> grown(cells + 2);
    std::int64_t doublings = 0; // taken out of the counts
    double sum = static_cast<double>(cells);
    for (std::int64_t t = 0; t < steps; ++t) {
        const auto [from_left, from_centre, from_right] = rule.derivatives(ring);
        sum = 0;
        for (std::size_t word = 0; word < ring.size(); ++word) {
            for (std::size_t bit = 0; bit < 64; ++bit) {
                const std::size_t i = 64 * word + bit + 1;
                const auto share = [bit](std::uint64_t derivative, double count) {
                    return static_cast<double>((derivative >> bit) & 1) * count;
                };
                grown[i] = share(from_left[word], defects[i - 1]) +
                           share(from_centre[word], defects[i]) +
                           share(from_right[word], defects[i + 1]);
                sum += grown[i];
            }
        }
        if (sum == 0) {
            return -std::numeric_limits<double>::infinity();
        }
        constexpr double kLarge = 0x1p200; // far above: a sum grows threefold at most
        if (sum > kLarge) {
            for (double &count : grown) {
                count /= kLarge;
            }
            sum /= kLarge;
            doublings += 200;
        }
        grown.front() = grown[cells];
        grown.back() = grown[1];
        defects.swap(grown);
        rule.advance(ring, 1);
    }
    const double growth =
        logarithm(sum / static_cast<double>(cells)) + static_cast<double>(doublings) * logarithm(2);
    return growth / static_cast<double>(steps);
}

std::vector<std::int64_t> sensitive_pairs(int inputs, const std::function<bool(std::uint32_t)> &f) {
    constexpr int kMost = 20;
    if (inputs < 1 || inputs > kMost) {
        throw Error(ErrorCode::invalid_argument,
                    "a function of " + std::to_string(inputs) + " inputs; allowed are 1 to 20");
    }
    std::vector<std::int64_t> pairs(static_cast<std::size_t>(inputs) + 1);
    for (std::uint32_t x = 0; x < std::uint32_t{1} << inputs; ++x) {
        const bool value = f(x);
        for (int i = 0; i < inputs; ++i) {
            const bool matters = f(x ^ std::uint32_t{1} << i) != value;
            pairs[static_cast<std::size_t>(std::popcount(x))] += matters ? 1 : 0;
        }
    }
    return pairs;
}

double average_sensitivity(const std::vector<std::int64_t> &pairs, double p) {
    const int inputs = static_cast<int>(pairs.size()) - 1;
    double sum = 0;
    for (int ones = 0; ones <= inputs; ++ones) {
        double weight = 1;
        for (int i = 0; i < inputs; ++i) {
            weight *= i < ones ? p : 1 - p;
        }
        sum += weight * static_cast<double>(pairs[static_cast<std::size_t>(ones)]);
    }
    return sum;
}

} // namespace karst::lab
