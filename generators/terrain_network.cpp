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

// Weights of the quadratic B-spline about a position with 8 fraction bits.
struct Spline {
    std::int64_t first;
    std::array<std::uint64_t, 3> weight; // 16 fraction bits
};

Spline spline(std::int64_t position) {
    const auto t = static_cast<std::uint64_t>((position + 128) & 255);
    const std::uint64_t u = 256 - t;
    const std::uint64_t before = u * u / 2;
    const std::uint64_t after = t * t / 2;
    return {((position + 128) >> 8) - 1, {before, 65536 - before - after, after}};
}

// A sample of a level `shift` above a network's, in the network's cells, 8 fraction bits.
std::int64_t place(const Network &network, int shift, std::int64_t at) {
    return (shift >= 0 ? (at * 256) << shift : (at * 256) >> -shift) + network.margin * 256;
}

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
                         static_cast<std::uint32_t>(index), controls, placement(network, map))
        .trail;
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

NetworkRow::NetworkRow(const Network &network, int level, std::int64_t y)
    : network_(network), shift_(level - network.level) {
    const Spline down = spline(place(network, shift_, y));
    weights_ = down.weight;
    for (std::size_t j = 0; j < rows_.size(); ++j) {
        const std::int64_t row = down.first + static_cast<std::int64_t>(j);
        rows_[j] = network.distance.row(std::clamp<std::int64_t>(row, 0, network.extent.height - 1))
                       .data();
    }
}

std::uint32_t NetworkRow::at(std::int64_t x) const {
    const Spline across = spline(place(network_, shift_, x));
    const std::int64_t last = network_.extent.width - 1;
    const std::int64_t left = std::clamp<std::int64_t>(across.first, 0, last);
    const std::int64_t middle = std::clamp<std::int64_t>(across.first + 1, 0, last);
    const std::int64_t right = std::clamp<std::int64_t>(across.first + 2, 0, last);
    std::uint64_t sum = 0; // the distance with 24 more fraction bits
    for (std::size_t j = 0; j < rows_.size(); ++j) {
        const std::uint32_t *const row = rows_[j];
        const std::uint64_t line = across.weight[0] * row[left] + across.weight[1] * row[middle] +
                                   across.weight[2] * row[right];
        sum += weights_[j] * (line >> 8);
    }
    // Exact in double: below 2^53, and a quotient below a whole number k <= 65536 is at least
    // 2^-32 below it, too far to be rounded up to it.
    const double share = static_cast<double>(sum >> 8) / network_.far;
    return static_cast<std::uint32_t>(std::min(65536.0, share));
}

} // namespace karst::terrain
