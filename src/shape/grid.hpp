// Cell arithmetic that the functions of shape/ share: what lies beyond an edge, the eight
// neighbours, the hash that ends every order, and checks of arguments.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <karst/error.hpp>
#include <karst/field.hpp>
#include <karst/simulate.hpp>

#include "core/rng.hpp"

namespace karst::shape {

// The index in [0, size) that is read for index i: modulo size on the torus, else the nearest.
inline std::int64_t inside(std::int64_t i, std::int64_t size, Boundary edges) {
    if (i >= 0 && i < size) {
        return i;
    }
    if (edges == Boundary::bounded) {
        return i < 0 ? 0 : size - 1;
    }
    const std::int64_t remainder = i % size;
    return remainder < 0 ? remainder + size : remainder;
}

struct Step {
    int dx, dy;
    std::uint32_t length; // chamfer length: 5 to a side, 7 to a corner (Borgefors 1986)
};
inline constexpr std::array<Step, 8> kNeighbours = {
    {{1, 0, 5}, {-1, 0, 5}, {0, 1, 5}, {0, -1, 5}, {1, 1, 7}, {-1, 1, 7}, {1, -1, 7}, {-1, -1, 7}}};

// f(index, step) for each neighbour of the cell of an index. A torus of side 1 or 2 meets a cell
// twice, or the cell itself.
template <class F>
void for_neighbours(Extent2 extent, std::int64_t cell, Boundary edges, F &&f) {
    const std::int64_t y = cell / extent.width;
    const std::int64_t x = cell - y * extent.width;
    if (x > 0 && y > 0 && x + 1 < extent.width && y + 1 < extent.height) {
        for (const Step &step : kNeighbours) {
            f(cell + step.dy * extent.width + step.dx, step);
        }
        return;
    }
    for (const Step &step : kNeighbours) {
        const std::int64_t u = inside(x + step.dx, extent.width, edges);
        const std::int64_t v = inside(y + step.dy, extent.height, edges);
        const bool moved = u == x + step.dx && v == y + step.dy;
        if (moved || edges == Boundary::torus) {
            f(v * extent.width + u, step);
        }
    }
}

using core::tie_hash;

// Throws Error(invalid_argument) "quantile: the field is 0 x 5 cells; at least 1 x 1 is needed".
inline void require_cells(Extent2 extent, const char *function) {
    if (extent.width < 1 || extent.height < 1) {
        throw Error(ErrorCode::invalid_argument,
                    std::string(function) + ": the field is " + std::to_string(extent.width) +
                        " x " + std::to_string(extent.height) + " cells; at least 1 x 1 is needed");
    }
}

inline void require_cells(Extent3 extent, const char *function) {
    if (extent.width < 1 || extent.height < 1 || extent.depth < 1) {
        throw Error(ErrorCode::invalid_argument,
                    std::string(function) + ": the volume is " + std::to_string(extent.width) +
                        " x " + std::to_string(extent.height) + " x " +
                        std::to_string(extent.depth) + " cells; at least 1 x 1 x 1 is needed");
    }
}

// Throws Error(invalid_argument) "majority: radius is 40000; allowed are 0 to 32767".
inline void require_range(std::int64_t value, std::int64_t lowest, std::int64_t highest,
                          const char *function, const char *argument) {
    if (value < lowest || value > highest) {
        throw Error(ErrorCode::invalid_argument, std::string(function) + ": " + argument + " is " +
                                                     std::to_string(value) + "; allowed are " +
                                                     std::to_string(lowest) + " to " +
                                                     std::to_string(highest));
    }
}

} // namespace karst::shape
