// The grids a cave is made on.
#pragma once

#include <cstdint>

#include <karst/cave.hpp>
#include <karst/field.hpp>
#include <karst/simulate.hpp>

#include "core/resample.hpp"

namespace karst::cave {

// The grid of the Life soup: cells of 2^log2_factor output cells, as near as can be to a quarter
// of a passage, so that resolution changes the walls' smoothness and not the layout. At
// least about 16 cells lie along the shorter side.
struct Grid {
    Extent2 output;         // cells of the map
    double output_cell = 1; // m
    Extent2 extent;         // cells of the soup; the last may reach beyond the map
    int log2_factor = 0;    // of the soup's cell over the map's
    double cell = 1;        // m, of the soup
    Boundary edges = Boundary::bounded;

    // Metres to cells of the soup, 8 fraction bits, rounded.
    std::int64_t to_cells(double metres) const;
    // Square metres to cells of the soup, rounded up.
    std::int64_t to_area(double square_metres) const;
    // The grid over the same ground with cells of about these metres, at least one.
    Extent2 divided(double cell_width, double cell_height) const;
    // How a grid over the same ground lies under the map's own cells.
    core::Placement2 placement(Extent2 cells) const;
};

// Throws Error(invalid_argument) if a tileable map cannot be divided into cells of the soup.
Grid make_grid(const CaveParams &params, Extent2 extent, double cell);

} // namespace karst::cave
