#include <algorithm>
#include <array>
#include <cmath>

#include "core/fixed.hpp"
#include "generators/terrain.hpp"
#include "sim/physarum.hpp"

namespace karst::terrain {

namespace {

// Each network is finer than the one before it by 2.3, as in the sketch of the method.
constexpr double kFiner[] = {1, 2.3, 5.29};
// Lines of a network are about 9 sensor offsets apart; an offset near 5 cells is long enough for
// round lines and short enough to be quick.
constexpr double kOffsetsASpacing = 9;
constexpr double kUsualOffset = 5;
constexpr double kLineShare[] = {0.07, 0.10, 0.12}; // of the cells lie on a line
constexpr double kSensorAngle[] = {30, 22.5, 22.5};
constexpr std::int64_t kSimulationSteps[] = {240, 140, 70};

} // namespace

int nearest_level(double length, double cell) {
    constexpr double kRoot = 1.4142135623730951; // sqrt 2: halfway between two levels
    int level = 0;
    for (; length > cell * kRoot; length /= 2) {
        ++level;
    }
    for (; length * kRoot < cell; length *= 2) {
        --level;
    }
    return level;
}

Extent2 level_extent(Extent2 map, int level) {
    const auto side = [level](std::int64_t samples) {
        const std::int64_t cells = samples - 1;
        return level < 0 ? (cells << -level) + 1
                         : ((cells + (std::int64_t{1} << level) - 1) >> level) + 1;
    };
    return {side(map.width), side(map.height)};
}

Networks plan_networks(const HeightmapParams &params, Extent2 map, double cell) {
    Networks networks;
    for (std::size_t i = 0; i < networks.size(); ++i) {
        Network &network = networks[i];
        const double offset = params.valley_spacing / kFiner[i] / kOffsetsASpacing; // m
        network.level = nearest_level(offset / kUsualOffset, cell);
        network.sensor_offset = offset / std::ldexp(cell, network.level);
        network.margin = static_cast<std::int64_t>(std::ceil(3 * network.sensor_offset));
        const Extent2 inside = level_extent(map, network.level);
        network.extent = {inside.width + 2 * network.margin, inside.height + 2 * network.margin};
    }
    return networks;
}

PhysarumParams simulation(const HeightmapParams &params, const Network &network,
                          std::size_t index) {
    PhysarumParams own;
    own.sensor_angle = kSensorAngle[index];
    own.sensor_offset = network.sensor_offset;
    own.steps = kSimulationSteps[index];
    own.food_strength = params.food_strength;
    return own;
}

core::Placement2 placement(const Network &network, Extent2 map) {
    // In half samples, or so much smaller that a cell of the network is a whole number. Cell
    // `margin` lies around sample 0, whose own cell begins at 0.
    const std::int64_t cell = std::int64_t{2} << std::max(network.level, 0);
    const std::int64_t sample = std::int64_t{2} << std::max(-network.level, 0);
    const auto axis = [&](std::int64_t cells, std::int64_t samples) {
        return core::Placement{cells, cell, sample / 2 - cell / 2 - network.margin * cell,
                               samples * sample};
    };
    return {axis(network.extent.width, map.width), axis(network.extent.height, map.height), false};
}

double network_work(const Network &network, std::size_t index) {
    return static_cast<double>(network.extent.cells()) *
           static_cast<double>(kSimulationSteps[index]) * 0.2;
}

Field2D<std::uint32_t> run_network(core::Run &run, const HeightmapParams &params, Extent2 map,
                                   const Network &network, std::size_t index, std::uint64_t seed,
                                   const GroundControls &controls) {
    return sim::simulate(run, simulation(params, network, index), network.extent, seed,
                         static_cast<std::uint32_t>(index), controls, placement(network, map));
}

void set_lines(core::Run &run, const Field2D<std::uint32_t> &trail, std::size_t index,
               const Network *measured, Network &network) {
    const Field2D<std::uint32_t> soft = shape::box_blur(run, trail, 1, 1, Boundary::torus);
    network.line = measured != nullptr
                       ? measured->line
                       : shape::quantile(run, soft, core::to_threshold(1 - kLineShare[index]));
    network.distance =
        shape::distance(run, shape::above(run, soft, network.line), 4096, Boundary::torus);
    network.far = measured != nullptr
                      ? measured->far
                      : std::max<std::uint32_t>(
                            1, shape::quantile(run, network.distance, core::to_threshold(0.99)));
}

rules::NetworkView view(const Network &network) {
    return {network.distance.data(), network.extent.width, network.extent.height,
            network.margin,          network.level,        network.far};
}

} // namespace karst::terrain
