// Square tiles of a map.
#pragma once

#include <algorithm>
#include <cstdint>

#include <karst/field.hpp>

namespace karst::shape {

// Tiles of 64 to 256 cells a side: small maps have some for every thread, large ones few rivers
// that cross many.
class Tiling {
public:
    explicit Tiling(Extent2 extent) : extent_(extent) {
        const std::int64_t longer = std::max(extent.width, extent.height);
        bits_ = longer > 4096 ? 8 : longer > 1024 ? 7 : 6;
        columns_ = ((extent.width - 1) >> bits_) + 1;
        rows_ = ((extent.height - 1) >> bits_) + 1;
    }

    struct Box {
        std::int64_t left, top, right, bottom; // right and bottom are one beyond

        std::int64_t width() const { return right - left; }
        std::int64_t cells() const { return (right - left) * (bottom - top); }
        bool holds(std::int64_t x, std::int64_t y) const {
            return x >= left && x < right && y >= top && y < bottom;
        }
        bool at_edge(std::int64_t x, std::int64_t y) const {
            return x == left || y == top || x + 1 == right || y + 1 == bottom;
        }
    };

    Extent2 extent() const { return extent_; }
    std::int64_t columns() const { return columns_; }
    std::int64_t rows() const { return rows_; }
    std::int64_t count() const { return columns_ * rows_; }
    std::int64_t side() const { return std::int64_t{1} << bits_; }
    std::int64_t of(std::int64_t x, std::int64_t y) const {
        return (y >> bits_) * columns_ + (x >> bits_);
    }
    Box box(std::int64_t tile) const {
        const std::int64_t left = tile % columns_ << bits_;
        const std::int64_t top = tile / columns_ << bits_;
        return {left, top, std::min(extent_.width, left + side()),
                std::min(extent_.height, top + side())};
    }
    // Cells in the tiles before this one.
    std::int64_t first_cell(std::int64_t tile) const {
        const Box b = box(tile);
        return b.top * extent_.width + b.left * (b.bottom - b.top);
    }
    // f(tile) for the tile and those around it.
    template <class F>
    void around(std::int64_t tile, F &&f) const {
        const std::int64_t column = tile % columns_;
        const std::int64_t row = tile / columns_;
        for (std::int64_t v = std::max<std::int64_t>(0, row - 1); v <= std::min(rows_ - 1, row + 1);
             ++v) {
            for (std::int64_t u = std::max<std::int64_t>(0, column - 1);
                 u <= std::min(columns_ - 1, column + 1); ++u) {
                f(v * columns_ + u);
            }
        }
    }

private:
    Extent2 extent_;
    int bits_;
    std::int64_t columns_, rows_;
};

} // namespace karst::shape
