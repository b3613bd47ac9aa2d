#include "generators/cave_grid.hpp"

#include <algorithm>
#include <string>

#include <karst/error.hpp>

namespace karst::cave {

namespace {

std::int64_t rounded(double value) {
    return static_cast<std::int64_t>(value + 0.5);
}

} // namespace

std::int64_t Grid::to_cells(double metres) const {
    return rounded(256 * metres / cell);
}

std::int64_t Grid::to_area(double square_metres) const {
    const double cells = square_metres / (cell * cell);
    const auto whole = static_cast<std::int64_t>(cells);
    return whole + (static_cast<double>(whole) < cells ? 1 : 0);
}

Extent2 Grid::divided(double cell_width, double cell_height) const {
    const auto side = [&](std::int64_t cells, double size) {
        return std::max<std::int64_t>(1, rounded(static_cast<double>(cells) * cell / size));
    };
    return {side(extent.width, cell_width), side(extent.height, cell_height)};
}

core::Placement2 Grid::placement(Extent2 cells) const {
    // In parts of a cell of the map.
    const auto axis = [&](std::int64_t own, std::int64_t soup, std::int64_t map) {
        return core::Placement{own, soup << log2_factor, 0, map * own};
    };
    return {axis(cells.width, extent.width, output.width),
            axis(cells.height, extent.height, output.height), edges == Boundary::torus};
}

Grid make_grid(const CaveParams &params, Extent2 extent, double cell) {
    Grid grid;
    grid.output = extent;
    grid.output_cell = cell;
    grid.cell = cell;
    grid.edges = params.tileable ? Boundary::torus : Boundary::bounded;
    constexpr double kRootOfTwo = 1.4142135623730951; // halfway between two powers of two
    constexpr int kMostDoublings = 12;                // that shape::upsample takes
    const double side = static_cast<double>(std::min(extent.width, extent.height)) * cell; // m
    const double largest = std::min(params.passage_width / 4 / kRootOfTwo, side / 32);
    while (grid.cell < largest && grid.log2_factor < kMostDoublings) {
        grid.cell *= 2;
        ++grid.log2_factor;
    }
    const std::int64_t factor = std::int64_t{1} << grid.log2_factor;
    if (params.tileable && (extent.width % factor != 0 || extent.height % factor != 0)) {
        throw Error(ErrorCode::invalid_argument,
                    "size is " + std::to_string(extent.width) + "x" +
                        std::to_string(extent.height) +
                        " cells; allowed with tileable are multiples of " + std::to_string(factor) +
                        " for this passage_width and cell");
    }
    grid.extent = {(extent.width + factor - 1) / factor, (extent.height + factor - 1) / factor};
    return grid;
}

} // namespace karst::cave
