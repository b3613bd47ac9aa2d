#include "generators/cave_network.hpp"

#include <algorithm>
#include <utility>

#include "core/fixed.hpp"
#include "generators/cave_resample.hpp"
#include "shape/grid.hpp"
#include "sim/physarum.hpp"

namespace karst::cave {

NetworkGrid make_network_grid(const CaveParams &params, const Grid &grid) {
    constexpr double kSensorOffset = 5;   // cells
    constexpr double kOffsetsPerMesh = 5; // from a vein to the next, as measured after kSteps
    constexpr std::int64_t kSteps = 60;
    NetworkGrid network;
    const double offset = params.passage_spacing / kOffsetsPerMesh; // m
    network.cell = std::max(offset / kSensorOffset, grid.cell / 2);
    network.extent = grid.divided(network.cell * params.stretch, network.cell);
    network.simulation.sensor_offset = std::max(2.0, offset / network.cell);
    network.simulation.agent_density = 0.15;
    network.simulation.steps = kSteps;
    return network;
}

Field2D<std::uint32_t> make_veins(core::Run &run, const NetworkGrid &network, const Grid &grid,
                                  std::uint64_t seed) {
    Field2D<std::uint32_t> field =
        sim::simulate(run, network.simulation, network.extent, seed).trail;
    run.for_rows(field.height(), [&](std::int64_t y) {
        for (auto &value : field.row(y)) {
            value = core::integer_sqrt(std::uint64_t{value} << 8);
        }
    });
    return resample(run, field, grid.extent, grid.edges);
}

// A crest is higher than both neighbours along one of four directions, and by more than an eighth
// of its height than the mean two cells of the network away.
shape::Mask crests(core::Run &run, const CaveParams &params, const NetworkGrid &network,
                   const Grid &grid, const Field2D<std::uint32_t> &veins) {
    const std::uint32_t least = shape::quantile(run, veins, core::to_threshold(0.6));
    const std::int64_t reach =
        std::max<std::int64_t>(1, (grid.to_cells(2 * network.cell) + 128) >> 8);
    const Extent2 extent = veins.extent();
    const auto at = [&](std::int64_t x, std::int64_t y) -> std::int64_t {
        return veins.at(shape::inside(x, extent.width, grid.edges),
                        shape::inside(y, extent.height, grid.edges));
    };
    shape::Mask mask(extent, run.memory());
    run.for_rows(extent.height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            const std::int64_t v = at(x, y);
            if (v <= least) {
                continue;
            }
            for (const auto &[dx, dy] : {std::pair{1, 0}, {0, 1}, {1, 1}, {1, -1}}) {
                const std::int64_t far =
                    at(x - reach * dx, y - reach * dy) + at(x + reach * dx, y + reach * dy);
                if (v > at(x - dx, y - dy) && v >= at(x + dx, y + dy) && 8 * v - 4 * far > v) {
                    mask.at(x, y) = 1;
                }
            }
        }
    });
    const std::int64_t piece =
        std::max<std::int64_t>(1, grid.to_cells(params.passage_spacing / 2) >> 8);
    return shape::without_small(run, mask, piece, shape::Connectivity::eight, grid.edges);
}

} // namespace karst::cave
