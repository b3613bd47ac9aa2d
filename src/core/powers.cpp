#include "core/powers.hpp"

#include "core/fixed.hpp"

namespace karst::core {

namespace {

// Bit by bit: squaring doubles a logarithm.
std::uint32_t logarithm_of_mantissa(std::uint32_t i) {
    if (i == 1024) {
        return 1u << kLogBits;
    }
    std::uint64_t value = (1024 + std::uint64_t{i}) << 21; // Q31
    std::uint32_t bits = 0;                                // Q30
    for (int k = 0; k < 30; ++k) {
        value = (value * value) >> 31;
        const std::uint32_t bit = value >> 32 != 0 ? 1 : 0;
        value >>= bit;
        bits = 2 * bits + bit;
    }
    return (bits + 8) >> 4;
}

std::uint64_t nearest_sqrt(std::uint64_t value) {
    const std::uint64_t root = integer_sqrt(value);
    return value - root * root > root ? root + 1 : root;
}

PowerTables make_tables() {
    PowerTables tables{};
    std::uint64_t roots[10]; // 2^(-1/2), 2^(-1/4), ... in Q31
    std::uint64_t root = 1u << 30;
    for (std::uint64_t &r : roots) {
        r = root = nearest_sqrt(root << 31);
    }
    for (std::uint32_t i = 0; i <= 1024; ++i) {
        tables.logarithm[i] = logarithm_of_mantissa(i);
        std::uint64_t power = i == 1024 ? 1u << 30 : 1u << 31; // Q31
        for (int k = 0; k < 10; ++k) {
            if ((i >> (9 - k)) % 2 == 1 && i != 1024) {
                power = (power * roots[k] + (1u << 30)) >> 31;
            }
        }
        tables.power[i] = static_cast<std::uint32_t>((power + 4) >> 3);
    }
    return tables;
}

} // namespace

const PowerTables &power_tables() {
    static const PowerTables tables = make_tables();
    return tables;
}

} // namespace karst::core
