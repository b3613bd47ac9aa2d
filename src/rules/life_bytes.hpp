// B3/S23 on a byte a cell, four cells in a word: what articles measure, beside the words of bits
// that karst uses.
#pragma once

#include <cstdint>

#include <karst/config.hpp>

namespace karst::rules {

// Each of the four cells and its neighbours to the left and right, 0 to 3 a byte. `left` and
// `right` are the words beside this one; the first cell is the lowest byte.
KARST_HD constexpr std::uint32_t byte_row_sum(std::uint32_t left, std::uint32_t centre,
                                              std::uint32_t right) {
    return centre + ((centre << 8) | (left >> 24)) + ((centre >> 8) | (right << 24));
}

// The next generation of four cells; `sum` is that of their windows of 3 x 3, 0 to 9 a byte. With n
// neighbours a cell c is alive if n | c is 3: born with three, kept by two or three.
KARST_HD constexpr std::uint32_t next_bytes(std::uint32_t sum, std::uint32_t centre) {
    const std::uint32_t other = ((sum - centre) | centre) ^ 0x03030303u; // 0 where alive, to 15
    return ((0x10101010u - other) >> 4) & 0x01010101u;
}

// Four cells from the lowest bits of a word of bits.
KARST_HD constexpr std::uint32_t bytes_of(std::uint32_t bits) {
    return ((bits & 15) * 0x00204081u) & 0x01010101u;
}

// And back.
KARST_HD constexpr std::uint32_t bits_of(std::uint32_t bytes) {
    return (bytes * 0x10204080u) >> 28;
}

} // namespace karst::rules
