#include <algorithm>
#include <array>
#include <utility>

#include "generators/terrain_maps.hpp"

namespace karst::terrain {

namespace {

using shape::Heights;

// The cells from the highest to the lowest, of equals the first first: by radix, 11 bits a pass.
std::vector<std::uint32_t> descending(const Heights &heights) {
    constexpr int kBits = 11;
    const auto [low, high] = std::minmax_element(heights.cells().begin(), heights.cells().end());
    const std::int64_t highest = *high;
    const auto range = static_cast<std::uint32_t>(highest - *low);
    const auto key = [&](std::uint32_t cell) {
        return static_cast<std::uint32_t>(highest - heights[cell]);
    };
    std::vector<std::uint32_t> order(static_cast<std::size_t>(heights.size()));
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = static_cast<std::uint32_t>(i);
    }
    std::vector<std::uint32_t> next(order.size());
    for (int shift = 0; shift < 32 && (range >> shift) != 0; shift += kBits) {
        std::array<std::uint32_t, (1 << kBits) + 1> first{};
        const auto digit = [&](std::uint32_t cell) {
            return (key(cell) >> shift) & ((1u << kBits) - 1);
        };
        for (const std::uint32_t cell : order) {
            ++first[digit(cell) + 1];
        }
        for (std::size_t i = 1; i < first.size(); ++i) {
            first[i] += first[i - 1];
        }
        for (const std::uint32_t cell : order) {
            next[first[digit(cell)]++] = cell;
        }
        order.swap(next);
    }
    return order;
}

// The share of the debris passing a cell that rests on it.
double resting(double slope, const DebrisRule &rule) {
    const double steep = (rule.moving - slope) / (rule.moving - rule.rest);
    const double rough = std::clamp(steep, 0.0, 1.0);
    return rough / (rough + rule.run_out);
}

} // namespace

Water spread_water(core::Run &run, const Heights &heights, const Field2D<float> &slopes,
                   const DebrisRule &rule) {
    const Extent2 extent = heights.extent();
    struct Load {
        double area, slope, debris;
    };
    Field2D<Load> loads(extent);
    Water water{Field2D<float>(extent), Field2D<float>(extent), Field2D<float>(extent)};
    for (const std::uint32_t cell : descending(heights)) {
        Load &load = loads[cell];
        const double slope = slopes[cell];
        load.area += 1;
        load.slope += slope;
        load.debris += std::max(0.0, slope - rule.source);
        const double rests = load.debris * resting(slope, rule);
        water.area[cell] = static_cast<float>(load.area);
        water.slope_above[cell] = static_cast<float>(load.slope / load.area);
        water.debris[cell] = static_cast<float>(rests);
        // By the drop over the distance, 1 or sqrt 2: half as much to a corner as to a side. Beyond
        // the border the ground goes on as it comes from the other side, and what runs there is
        // gone: to a side and its two corners, whose drops add up to twice the side's.
        const std::int64_t x = cell % extent.width;
        const std::int64_t y = cell / extent.width;
        const auto is_inside = [&](const shape::FlowStep &step) {
            const std::int64_t u = x + step.x;
            const std::int64_t v = y + step.y;
            return u >= 0 && v >= 0 && u < extent.width && v < extent.height;
        };
        const auto at = [&](const shape::FlowStep &step) {
            return (y + step.y) * extent.width + x + step.x;
        };
        std::array<double, 8> weight{};
        double sum = 0;
        for (std::size_t s = 0; s < 8; ++s) {
            const shape::FlowStep &step = shape::kFlowSteps[s];
            const shape::FlowStep &opposite = shape::kFlowSteps[(s + 4) % 8];
            const bool side = s % 2 == 0;
            double drop = 0;
            if (is_inside(step)) {
                drop = static_cast<double>(heights[cell]) - heights[at(step)];
            } else if (side && is_inside(opposite)) {
                drop = 2 * (static_cast<double>(heights[at(opposite)]) - heights[cell]);
            }
            weight[s] = std::max(0.0, side ? 2 * drop : drop);
            sum += weight[s];
        }
        for (std::size_t s = 0; s < 8; ++s) {
            if (weight[s] > 0 && is_inside(shape::kFlowSteps[s])) {
                const double share = weight[s] / sum;
                Load &to = loads[at(shape::kFlowSteps[s])];
                to.area += load.area * share;
                to.slope += load.slope * share;
                to.debris += (load.debris - rests) * share;
            }
        }
    }
    run.check_cancel();
    return water;
}

} // namespace karst::terrain
