// The Physarum network that a cave's passages follow.
#pragma once

#include <cstdint>

#include <karst/field.hpp>

#include "core/run.hpp"
#include "generators/cave_grid.hpp"

namespace karst::cave {

// The network's own field: fine enough for its veins, no finer than half a cell of the soup.
struct NetworkGrid {
    double cell = 1; // m along y
    Extent2 extent;
    PhysarumParams simulation;
};
NetworkGrid make_network_grid(const CaveParams &params, const Grid &grid);

// The square root of the trail on the soup's grid: it evens out strong and weak veins.
struct Veins {
    Field2D<std::uint32_t> field;
    Field2D<std::uint32_t> earlier; // those of the pinned network; empty: none is pinned

    // In which quantiles are taken.
    const Field2D<std::uint32_t> &measured() const noexcept {
        return earlier.empty() ? field : earlier;
    }
};
Veins make_veins(core::Run &run, const NetworkGrid &network, const Grid &grid, std::uint64_t seed,
                 const GroundControls &controls);

} // namespace karst::cave
