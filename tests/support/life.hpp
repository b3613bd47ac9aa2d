// Boards for tests: small patterns in run length encoding, and a second Life to compare with.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/life.hpp"

namespace karst::test {

// Draws the body of an .rle (no header) with its top-left at (left, top).
inline void draw(LifeBoard &board, std::string_view body, std::int64_t left, std::int64_t top) {
    std::int64_t x = left;
    std::int64_t y = top;
    std::int64_t run = 0;
    for (const char c : body) {
        if (c >= '0' && c <= '9') {
            run = 10 * run + (c - '0');
            continue;
        }
        const std::int64_t length = run == 0 ? 1 : run;
        run = 0;
        switch (c) {
        case 'o':
            for (std::int64_t i = 0; i < length; ++i) {
                board.set(x + i, y, true);
            }
            [[fallthrough]];
        case 'b':
            x += length;
            break;
        case '$':
            y += length;
            x = left;
            break;
        case '!':
            return;
        default:
            throw std::logic_error("a pattern of the tests is not run length encoded");
        }
    }
    throw std::logic_error("a pattern of the tests has no end");
}

inline LifeBoard run_life(LifeBoard board, LifeRule rule, LifeBoundary boundary,
                          std::int64_t generations, sim::EngineKind kind, int threads = 1) {
    Options options;
    options.threads = threads;
    core::Run run(options);
    run.stage("test", 1);
    return sim::advance(run, std::move(board), rule, boundary, generations, kind);
}

// `board` moved by (i, j) on its torus.
inline LifeBoard shifted(const LifeBoard &board, std::int64_t i, std::int64_t j) {
    const auto [width, height] = board.extent();
    LifeBoard out(board.extent());
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
            out.set(((x + i) % width + width) % width, ((y + j) % height + height) % height,
                    board.alive(x, y));
        }
    }
    return out;
}

// The complement; for tests of `alive` outside.
inline LifeBoard inverted(const LifeBoard &board) {
    LifeBoard out(board.extent());
    for (std::int64_t y = 0; y < board.extent().height; ++y) {
        for (std::int64_t x = 0; x < board.extent().width; ++x) {
            out.set(x, y, !board.alive(x, y));
        }
    }
    return out;
}

// The rule that does to the complement what `rule` does to a board.
inline LifeRule inverted(LifeRule rule) {
    LifeRule out{0, 0};
    for (int n = 0; n <= 8; ++n) {
        if (((rule.survive >> n) & 1) == 0) {
            out.birth = static_cast<std::uint16_t>(out.birth | (1 << (8 - n)));
        }
        if (((rule.birth >> n) & 1) == 0) {
            out.survive = static_cast<std::uint16_t>(out.survive | (1 << (8 - n)));
        }
    }
    return out;
}

// One generation the other way round: every live cell adds 1 to its eight neighbours, on a board
// with a border of two cells around it.
inline LifeBoard next_by_scatter(const LifeBoard &board, LifeRule rule, LifeBoundary boundary) {
    const auto [width, height] = board.extent();
    std::vector<std::vector<int>> counts(static_cast<std::size_t>(height),
                                         std::vector<int>(static_cast<std::size_t>(width), 0));
    for (std::int64_t y = -1; y <= height; ++y) {
        for (std::int64_t x = -1; x <= width; ++x) {
            const bool inside = x >= 0 && y >= 0 && x < width && y < height;
            if (inside ? !board.alive(x, y) : boundary != LifeBoundary::alive) {
                continue;
            }
            for (const auto &[dx, dy] :
                 {std::pair{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}) {
                std::int64_t u = x + dx;
                std::int64_t v = y + dy;
                if (boundary == LifeBoundary::torus) {
                    u = (u + width) % width;
                    v = (v + height) % height;
                }
                if (u >= 0 && v >= 0 && u < width && v < height) {
                    ++counts[static_cast<std::size_t>(v)][static_cast<std::size_t>(u)];
                }
            }
        }
    }
    LifeBoard next(board.extent());
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
            const int count = counts[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)];
            const unsigned mask = board.alive(x, y) ? rule.survive : rule.birth;
            next.set(x, y, (mask & (1u << count)) != 0);
        }
    }
    return next;
}

} // namespace karst::test
