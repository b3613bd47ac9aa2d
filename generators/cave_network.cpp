#include "generators/cave_network.hpp"

#include <algorithm>

#include "core/fixed.hpp"
#include "generators/cave_resample.hpp"
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
    network.simulation.food_strength = params.food_strength;
    return network;
}

Veins make_veins(core::Run &run, const NetworkGrid &network, const Grid &grid, std::uint64_t seed,
                 const GroundControls &controls) {
    const auto veins_of = [&](Field2D<std::uint32_t> trail) {
        run.for_rows(trail.height(), [&](std::int64_t y) {
            for (auto &value : trail.row(y)) {
                value = core::integer_sqrt(std::uint64_t{value} << 8);
            }
        });
        return resample(run, trail, grid.extent, grid.edges);
    };
    Veins veins;
    veins.field = veins_of(sim::simulate(run, network.simulation, network.extent, seed, 0, controls,
                                         grid.placement(network.extent)));
    if (const auto *const pinned = sim::pinned_trail(controls, 0); pinned != nullptr) {
        veins.earlier = veins_of(*pinned);
    }
    return veins;
}

} // namespace karst::cave
