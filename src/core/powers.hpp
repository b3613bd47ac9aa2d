// Base-2 logarithms and powers in fixed point, by tables of 1024 intervals that are made in
// integers: the same on every machine. Both are right to 2^-22 (of the logarithm, of the power).
#pragma once

#include <cstdint>

#include <karst/config.hpp>

namespace karst::core {

inline constexpr int kLogBits = 26;   // fraction bits of a logarithm
inline constexpr int kPowerBits = 28; // fraction bits of a power

struct PowerTables {
    std::uint32_t logarithm[1025]; // of 1 + i/1024, Q26
    std::uint32_t power[1025];     // 2^(-i/1024), Q28
};

const PowerTables &power_tables();

// The base-2 logarithm of a value of at least 1, Q5.26: 0 to less than 32.
KARST_HD constexpr std::uint32_t logarithm(const PowerTables &tables, std::uint32_t value) {
    std::uint32_t exponent = 31;
    for (std::uint32_t shift = 16; shift != 0; shift >>= 1) {
        if ((value >> (32 - shift)) == 0) {
            value <<= shift;
            exponent -= shift;
        }
    }
    const std::uint32_t fraction = value & 0x7fffffffu; // Q31
    const std::uint32_t i = fraction >> 21;
    const std::uint64_t rest = (fraction >> 5) & 0xffffu; // Q16 of an interval
    const std::uint32_t from = tables.logarithm[i];
    const std::uint64_t rise = tables.logarithm[i + 1] - from;
    return (exponent << kLogBits) + from + static_cast<std::uint32_t>((rise * rest) >> 16);
}

// 2^-x of x in Q26, in Q28; 0 from x = 29 on.
KARST_HD constexpr std::uint32_t power_of_half(const PowerTables &tables, std::uint64_t x) {
    const std::uint64_t whole = x >> kLogBits;
    if (whole > kPowerBits) {
        return 0;
    }
    const std::uint32_t fraction = static_cast<std::uint32_t>(x) & ((1u << kLogBits) - 1);
    const std::uint32_t i = fraction >> 16;
    const std::uint64_t rest = fraction & 0xffffu; // Q16 of an interval
    const std::uint32_t from = tables.power[i];
    const std::uint64_t fall = from - tables.power[i + 1];
    return (from - static_cast<std::uint32_t>((fall * rest) >> 16)) >> whole;
}

} // namespace karst::core
