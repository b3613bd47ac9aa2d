#include "core/fixed.hpp"

#include <cmath>
#include <numbers>

#include <karst/error.hpp>

namespace karst::core {

namespace {

constexpr std::uint64_t kQuarterSineChecksum = 0x829a008b4ff2935du;

std::vector<std::int16_t> make_quarter_sine() {
    std::vector<std::int16_t> table(16385);
    std::uint64_t hash = 0xcbf29ce484222325u; // FNV-1a 64 over the little-endian bytes
    for (int i = 0; i <= 16384; ++i) {
        const double sine = std::sin(std::numbers::pi / 2 * i / 16384);
        const auto entry = static_cast<std::int16_t>(std::floor(sine * 16384 + 0.5));
        table[static_cast<std::size_t>(i)] = entry;
        const auto bits = static_cast<std::uint16_t>(entry);
        for (const unsigned byte : {bits & 255u, static_cast<unsigned>(bits >> 8)}) {
            hash = (hash ^ byte) * 0x100000001b3u;
        }
    }
    if (hash != kQuarterSineChecksum) {
        throw Error(ErrorCode::unsupported,
                    "the sine table made by this machine's math library has the wrong checksum");
    }
    return table;
}

std::vector<Direction> make_directions() {
    const auto &quarter = quarter_sine();
    const auto sine = [&](int index) { // index of 65536 a turn
        const int angle = index & 65535;
        const int within = angle & 16383;
        const auto entry =
            quarter[static_cast<std::size_t>((angle & 16384) != 0 ? 16384 - within : within)];
        return static_cast<std::int16_t>((angle & 32768) != 0 ? -entry : entry);
    };
    std::vector<Direction> table(kDirectionCount);
    for (int i = 0; i < kDirectionCount; ++i) {
        table[static_cast<std::size_t>(i)] = {sine(i * 16 + 16384), sine(i * 16)};
    }
    return table;
}

} // namespace

const std::vector<std::int16_t> &quarter_sine() {
    static const std::vector<std::int16_t> table = make_quarter_sine();
    return table;
}

const std::vector<Direction> &directions() {
    static const std::vector<Direction> table = make_directions();
    return table;
}

std::uint32_t to_fixed(double value, int bits) {
    return static_cast<std::uint32_t>(std::floor(std::ldexp(value, bits) + 0.5));
}

std::uint16_t to_angle(double degrees) {
    const double turns = degrees / 360;
    const double steps = std::floor((turns - std::floor(turns)) * 65536 + 0.5);
    return static_cast<std::uint16_t>(static_cast<std::uint32_t>(steps) & 65535u);
}

std::uint64_t to_threshold(double probability) {
    return static_cast<std::uint64_t>(std::floor(std::ldexp(probability, 32) + 0.5));
}

} // namespace karst::core
