// How the networks shape ground, and how ground goes from a level of the pyramid to the next finer
// one: what one sample gets. Integers only; compiled for the host and for the device.
#pragma once

#include <cstdint>

#include <karst/config.hpp>

#include "core/fixed.hpp"
#include "core/rng.hpp"

namespace karst::rules {

// Weights of the quadratic B-spline about a position with 8 fraction bits.
struct Spline {
    std::int64_t first;
    std::uint64_t weight[3]; // 16 fraction bits
};
KARST_HD constexpr Spline spline(std::int64_t position) {
    const auto t = static_cast<std::uint64_t>((position + 128) & 255);
    const std::uint64_t u = 256 - t;
    const std::uint64_t before = u * u / 2;
    const std::uint64_t after = t * t / 2;
    return {((position + 128) >> 8) - 1, {before, 65536 - before - after, after}};
}

KARST_HD constexpr std::int64_t clamped(std::int64_t value, std::int64_t least, std::int64_t most) {
    return value < least ? least : value > most ? most : value;
}

// The distance to the lines of a network, in the memory of the machine that reads it.
struct NetworkView {
    const std::uint32_t *distance = nullptr; // Q24.8 of its cells
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::int64_t margin = 0; // cells before sample 0
    std::int32_t level = 0;  // its cells are 2^level samples of level 0
    std::uint32_t far = 1;   // a distance of 1

    // A network shapes the levels that can hold it.
    KARST_HD constexpr bool shapes(int other) const { return other <= level + 1; }
};

// A row of samples of a level on a network.
struct NetworkLine {
    const std::uint32_t *rows[3]; // of the network, above and below the samples
    std::uint64_t weights[3];     // of these, 16 fraction bits
    std::int64_t last;            // column
    std::int64_t margin;
    std::int32_t shift; // from the network's level up
    std::uint32_t far;
};

// Sample `at` of a level `shift` above a network's, in the network's cells, 8 fraction bits.
KARST_HD constexpr std::int64_t on_network(std::int64_t at, int shift, std::int64_t margin) {
    return (shift >= 0 ? (at * 256) << shift : (at * 256) >> -shift) + margin * 256;
}

KARST_HD inline NetworkLine network_line(const NetworkView &network, int level, std::int64_t y) {
    NetworkLine line{{}, {}, network.width - 1, network.margin, level - network.level, network.far};
    const Spline down = spline(on_network(y, line.shift, network.margin));
    for (int j = 0; j < 3; ++j) {
        line.weights[j] = down.weight[j];
        line.rows[j] =
            network.distance + clamped(down.first + j, 0, network.height - 1) * network.width;
    }
    return line;
}

// Distance to the network over its `far`, 16 fraction bits, at most 1, at sample x of a row.
KARST_HD inline std::uint32_t network_share(const NetworkLine &line, std::int64_t x) {
    const Spline across = spline(on_network(x, line.shift, line.margin));
    const std::int64_t left = clamped(across.first, 0, line.last);
    const std::int64_t middle = clamped(across.first + 1, 0, line.last);
    const std::int64_t right = clamped(across.first + 2, 0, line.last);
    std::uint64_t sum = 0; // the distance with 24 more fraction bits
    for (int j = 0; j < 3; ++j) {
        const std::uint32_t *const row = line.rows[j];
        const std::uint64_t mean = across.weight[0] * row[left] + across.weight[1] * row[middle] +
                                   across.weight[2] * row[right];
        sum += line.weights[j] * (mean >> 8);
    }
    const std::uint64_t share = core::fast_quotient(sum >> 8, line.far);
    return static_cast<std::uint32_t>(share < 65536 ? share : 65536);
}

// A fraction of 16 bits times a number.
KARST_HD constexpr std::int64_t times(std::int64_t value, std::int64_t fraction) {
    return value * fraction >> 16;
}

// How much of the ground is flat and high, and how rugged it is; 16 fraction bits.
struct Relief {
    std::uint32_t plateau = 0;
    std::uint32_t rugged = 0;
};
// The height that the networks give to a place, 16 fraction bits: 0 to 1 by the first one, and what
// the finer ones add, up to 1.5, nothing on the lines of the first.
struct Shares {
    std::int64_t coarse, fine;
};
// From the shares of the networks, 0 of one that does not shape the level.
KARST_HD inline Shares shares(const Relief &relief, std::uint32_t first, std::uint32_t second,
                              std::uint32_t third) {
    const std::int64_t plateau = relief.plateau;
    const std::int64_t lifted = times(first, 65536 + 5 * plateau);
    const std::int64_t steep = lifted < 65536 ? lifted : 65536;
    const std::int64_t flat = times(times(steep, steep), 196608 - 2 * steep); // 3 t^2 - 2 t^3
    const std::int64_t coarse = times(steep, 65536 - plateau) + times(flat, plateau);
    const std::int64_t fine = std::int64_t{second} + third / 2;
    const auto root =
        static_cast<std::int64_t>(core::fast_sqrt(static_cast<std::uint64_t>(coarse) << 16));
    return {coarse, times(times(fine, root), relief.rugged)};
}
// How fast the ground rises, 16 fraction bits, and how soft it is, 8: lines are soft and rise
// slowly, so that rivers stay on them.
KARST_HD constexpr std::uint16_t uplift_of(const Shares &s) {
    const std::int64_t uplift = 13107 + s.coarse / 2 + s.fine / 2;
    return static_cast<std::uint16_t>(uplift < 65535 ? uplift : 65535);
}
KARST_HD constexpr std::uint16_t softness_of(const Shares &s) {
    return static_cast<std::uint16_t>((256 << 16) / (32768 + s.coarse / 2 + s.fine));
}

// Draws of the generator beside its networks.
inline constexpr std::uint32_t kNoiseDraw = 1;
inline constexpr std::uint32_t kWarpDraw = 2; // and the next 7

// A number in [-2^15, 2^15) drawn at a sample of a level.
KARST_HD inline std::int64_t signed_draw(std::uint64_t seed, std::int64_t x, std::int64_t y,
                                         int depth, std::uint32_t draw) {
    const core::Draw4 words =
        core::draw_at(seed, static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), depth,
                      core::use(core::stage_heightmap, 0, draw));
    return static_cast<std::int64_t>(words.word[0] >> 16) - 32768;
}

// The next finer level has samples halfway between b and c with the weights -1 9 9 -1 / 16, ties
// upwards, and some noise there.
KARST_HD constexpr std::int32_t halfway(std::int64_t a, std::int64_t b, std::int64_t c,
                                        std::int64_t d) {
    return static_cast<std::int32_t>((9 * (b + c) - a - d + 8) >> 4);
}
KARST_HD inline std::int32_t refine_noise(std::uint64_t seed, std::int64_t x, std::int64_t y,
                                          int depth, std::int32_t noise) {
    return static_cast<std::int32_t>(signed_draw(seed, x, y, depth, kNoiseDraw) * noise >> 15);
}

// A number in [-2^15, 2^15), smoothly between draws 2^bits samples apart.
struct SmoothDraws {
    const std::int16_t *draws = nullptr; // a rectangle of them
    std::int64_t x = 0, y = 0;           // its first
    std::int64_t width = 0;
    std::int32_t bits = 0;

    KARST_HD std::int64_t ease(std::int64_t at) const { // 3 t^2 - 2 t^3, 8 fraction bits
        const std::int64_t t = ((at & ((1 << bits) - 1)) << 8) >> bits;
        return t * t * (768 - 2 * t) >> 16;
    }
    KARST_HD std::int64_t at(std::int64_t column, std::int64_t row) const {
        const std::int64_t u = ease(column);
        const std::int64_t v = ease(row);
        const std::int16_t *const corner =
            draws + ((row >> bits) - y) * width + ((column >> bits) - x);
        const std::int64_t above = corner[0] * (256 - u) + corner[1] * u;
        const std::int64_t below = corner[width] * (256 - u) + corner[width + 1] * u;
        return (above * (256 - v) + below * v) >> 16;
    }
};
// The distances of the draws of a warp: sideways widely and narrowly, then downwards.
KARST_HD constexpr int warp_bits(int move) {
    return move % 2 == 0 ? 4 : 3;
}
// Where the ground comes from that a warp brings to a sample, in the level, 8 fraction bits. The
// border stays, so that rivers still meet their outlets.
struct WarpPlace {
    std::int64_t x, y;
};
KARST_HD inline WarpPlace warp_place(const SmoothDraws *moves, std::int64_t right,
                                     std::int64_t bottom, std::int64_t x, std::int64_t y) {
    const std::int64_t across = x < right - x ? x : right - x;
    const std::int64_t down = y < bottom - y ? y : bottom - y;
    const std::int64_t nearest = across < down ? across : down;
    const std::int64_t inside = nearest < 16 ? nearest : 16;
    const std::int64_t u = (moves[0].at(x, y) * 5 + moves[1].at(x, y) * 2) * inside / 4096;
    const std::int64_t v = (moves[2].at(x, y) * 5 + moves[3].at(x, y) * 2) * inside / 4096;
    return {clamped(x * 256 + u, 0, right * 256), clamped(y * 256 + v, 0, bottom * 256)};
}
// The ground there, of an array of right + 1 columns.
KARST_HD constexpr std::int32_t warped(const std::int32_t *from, const WarpPlace &p,
                                       std::int64_t right, std::int64_t bottom) {
    const std::int64_t i = p.x >> 8;
    const std::int64_t j = p.y >> 8;
    const std::int64_t u = p.x & 255;
    const std::int64_t v = p.y & 255;
    const std::int64_t after = i < right ? i + 1 : right;
    const std::int32_t *const here = from + j * (right + 1);
    const std::int32_t *const below = from + (j < bottom ? j + 1 : bottom) * (right + 1);
    const std::int64_t above = std::int64_t{here[i]} * (256 - u) + std::int64_t{here[after]} * u;
    const std::int64_t under = std::int64_t{below[i]} * (256 - u) + std::int64_t{below[after]} * u;
    return static_cast<std::int32_t>((above * (256 - v) + under * v) >> 16);
}

} // namespace karst::rules
