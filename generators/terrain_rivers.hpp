// The rivers of a map as curves, to be drawn on ground of finer cells.
#pragma once

#include <cstdint>
#include <vector>

#include "generators/terrain.hpp"

namespace karst::terrain {

struct RiverRule {
    std::uint32_t least_area = 1; // cells of the map that a river drains
    // Half of the width is this times the root of the area, 1/4096 cell with 16 fraction bits.
    std::uint32_t widening = 0;
};

// The rivers near the cells of a window of a map. Each runs past the cells that it drains through
// as a quadratic B-spline, here two straight pieces a cell, and never upwards.
class Rivers {
public:
    // `window`, of cells, lies in the map.
    Rivers(const Ground &ground, const RiverRule &rule, const Window &window);

    struct Bed {
        std::uint32_t area = 0; // cells of the map; 0: there is no river
        std::int32_t height = 0;
    };
    // The lowest bed at a place of the map, 12 fraction bits, that lies 2 cells inside the window
    // or near the map's border. A river is at least 2 `least_half` wide, 1/4096 cell.
    Bed at(std::int64_t x, std::int64_t y, std::int64_t least_half) const;

private:
    struct Piece {
        std::int32_t x0, y0, x1, y1; // 12 fraction bits, from the cell
        std::int32_t bed0, bed1;
        std::uint32_t area;
        std::int32_t half; // of its width
    };

    void add_cell(const Ground &ground, const RiverRule &rule, std::int64_t x, std::int64_t y);

    Window window_; // of cells whose pieces are kept
    std::vector<Piece> pieces_;
    std::vector<std::uint32_t> first_; // of each cell, then the end
};

} // namespace karst::terrain
