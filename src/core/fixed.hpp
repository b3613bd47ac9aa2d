// Fixed point: Q16.16 lengths in cells, binary angles (65536 = one turn), Q1.14 directions.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <karst/config.hpp>

namespace karst::core {

inline constexpr int kLengthBits = 16; // fraction bits of a position and of a distance
inline constexpr int kDirectionCount = 4096;

struct Direction {
    std::int16_t cosine; // Q1.14
    std::int16_t sine;
};

// Quarter wave: entry i is the sine of pi/2 * i/16384 in Q1.14, rounded half up, i = 0 to 16384.
// Made in double on the host and checked against its FNV-1a 64 checksum (docs/determinism.md), so a
// libm that would give other entries throws Error(unsupported) instead of changing a result.
const std::vector<std::int16_t> &quarter_sine();

// The 4096 directions of a turn, every sixteenth angle of the quarter wave.
const std::vector<Direction> &directions();

// Index into directions() of a binary angle: the nearest of the 4096, ties upwards.
KARST_HD constexpr std::uint32_t direction_index(std::uint16_t heading) {
    return ((static_cast<std::uint32_t>(heading) + 8u) >> 4) & (kDirectionCount - 1);
}

// value / 2^bits, rounded half away from zero, so that the opposite gives the exact opposite.
template <class Signed>
KARST_HD constexpr Signed rounded(Signed value, int bits) {
    const Signed half = Signed{1} << (bits - 1);
    const Signed negative = value >> (8 * sizeof(Signed) - 1); // -1 or 0
    return (value + half + negative) >> bits;
}

// component (Q1.14) * length (Q16.16) in Q16.16, rounded half away from zero, so that a reversed
// direction gives the exact opposite.
KARST_HD constexpr std::int64_t scaled(std::int16_t component, std::uint32_t length) {
    return rounded(std::int64_t{component} * length, 14);
}

// cell modulo size, in [0, size); cheap when the cell is already inside.
KARST_HD constexpr std::int32_t wrapped(std::int32_t cell, std::int32_t size) {
    if (static_cast<std::uint32_t>(cell) < static_cast<std::uint32_t>(size)) {
        return cell;
    }
    const std::int32_t remainder = cell % size;
    return remainder < 0 ? remainder + size : remainder;
}

// floor(sqrt(value)).
KARST_HD constexpr std::uint32_t integer_sqrt(std::uint64_t value) {
    std::uint64_t root = 0;
    for (std::uint64_t bit = std::uint64_t{1} << 62; bit != 0; bit >>= 2) {
        if (value >= root + bit) {
            value -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    return static_cast<std::uint32_t>(root);
}

// floor(sqrt(value)) of less than 2^52, several times faster: the double is exact, and the root of
// what is not a square is too far below the next whole number to be rounded up to it.
KARST_HD inline std::uint64_t fast_sqrt(std::uint64_t value) {
    return static_cast<std::uint64_t>(std::sqrt(static_cast<double>(value)));
}

// floor(a / b), several times faster than the division of integers. Both are below 2^53 and the
// quotient times b too: one below a whole number is at least 1 / b below it, too far to be rounded
// up to it.
KARST_HD inline std::uint64_t fast_quotient(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint64_t>(static_cast<double>(a) / static_cast<double>(b));
}

// Quantisation of a real parameter, once, on the host: round(value * 2^bits), half up.
std::uint32_t to_fixed(double value, int bits);
// Degrees to a binary angle, modulo one turn.
std::uint16_t to_angle(double degrees);
// Probability in [0, 1] to a threshold for a 32-bit draw: true if draw < threshold; 1 gives 2^32.
std::uint64_t to_threshold(double probability);

} // namespace karst::core
