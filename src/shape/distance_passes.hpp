// The passes of the exact Euclidean distance transform of Meijster, Roerdink and Hesselink, "A
// general algorithm for computing distance transforms in linear time", 2000: gaps along one axis,
// then along each further axis the lower envelope of one parabola a cell. All in integers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "core/run.hpp"
#include "shape/grid.hpp"

namespace karst::shape {

inline constexpr std::int64_t kMaxDistanceCap = 46340; // the largest whose square fits 31 bits
inline constexpr std::int64_t kColumnsAtOnce = 64;     // neighbouring columns are swept together

// gaps = the distance along y to the nearest 1 of the same column, at most cap, in a stack of
// `depth` images of width x height.
void column_gaps(core::Run &run, std::span<const std::uint8_t> mask, Extent3 stack,
                 std::uint16_t cap, Boundary edges, std::span<std::uint16_t> gaps);

// The squared distances of a line of cells from the squares that are known at each of them.
class LowerEnvelope {
public:
    // square(i) is known at cell i of [0, length); cells with `farthest` or more say nothing. On
    // the torus copies of a cell count up to `beyond` cells past either end.
    template <class Square>
    void build(std::int64_t length, std::int64_t farthest, std::int64_t beyond, Boundary edges,
               Square square) {
        parabolas_.clear();
        std::int64_t cell = inside(-beyond, length, edges);
        for (std::int64_t x = -beyond; x < length + beyond; ++x) {
            const std::int64_t known = square(cell);
            cell = cell + 1 == length ? 0 : cell + 1;
            if (known < farthest) {
                add({x, known, 0}, length);
            }
        }
    }

    // write(i, square) for each cell, square at most `farthest`.
    template <class Write>
    void read(std::int64_t length, std::int64_t farthest, Write write) const {
        if (parabolas_.empty()) {
            for (std::int64_t x = 0; x < length; ++x) {
                write(x, static_cast<std::uint32_t>(farthest));
            }
        }
        for (std::size_t i = 0; i < parabolas_.size(); ++i) {
            const std::int64_t stop = i + 1 < parabolas_.size() ? parabolas_[i + 1].start : length;
            for (std::int64_t x = parabolas_[i].start; x < stop; ++x) {
                write(x, static_cast<std::uint32_t>(std::min(farthest, parabolas_[i].at(x))));
            }
        }
    }

private:
    // The parabola (x - place)^2 + square, lowest from x = start on.
    struct Parabola {
        std::int64_t place;
        std::int64_t square;
        std::int64_t start;

        std::int64_t at(std::int64_t x) const { return (x - place) * (x - place) + square; }
    };

    void add(Parabola next, std::int64_t length) {
        while (!parabolas_.empty() &&
               parabolas_.back().at(parabolas_.back().start) > next.at(parabolas_.back().start)) {
            parabolas_.pop_back();
        }
        if (!parabolas_.empty()) {
            const Parabola &last = parabolas_.back();
            // Not negative: `last` is not above `next` at last.start >= 0.
            next.start = 1 + (next.place * next.place - last.place * last.place + next.square -
                              last.square) /
                                 (2 * (next.place - last.place));
        }
        if (next.start < length) {
            parabolas_.push_back(next);
        }
    }

    std::vector<Parabola> parabolas_; // those that are lowest somewhere, from left to right
};

} // namespace karst::shape
