// Heights, and the steps of water between neighbouring cells.
#pragma once

#include <array>
#include <cstdint>

#include <karst/field.hpp>

#include "rules/erosion.hpp"

namespace karst::shape {

using Heights = Field2D<std::int32_t>; // 1/4096 m
inline constexpr int kHeightBits = 12;

// The neighbours of a cell, clockwise from the right; odd ones are diagonal.
struct FlowStep {
    std::int8_t x, y;
};
inline constexpr std::array<FlowStep, 8> kFlowSteps{
    {{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}};
using rules::kNoStep;
static_assert([] {
    for (unsigned s = 0; s < 8; ++s) {
        if (rules::step_x(s) != kFlowSteps[s].x || rules::step_y(s) != kFlowSteps[s].y) {
            return false;
        }
    }
    return true;
}());

// Distances in the array from a cell to its neighbours.
inline std::array<std::int64_t, 8> step_offsets(std::int64_t width) {
    std::array<std::int64_t, 8> offset{};
    for (std::size_t s = 0; s < 8; ++s) {
        offset[s] = kFlowSteps[s].y * width + kFlowSteps[s].x;
    }
    return offset;
}

// Calls f(neighbour index, step) for the neighbours inside the map.
template <class F>
void for_steps(Extent2 extent, std::int64_t x, std::int64_t y, F &&f) {
    for (std::uint8_t s = 0; s < 8; ++s) {
        const std::int64_t u = x + kFlowSteps[s].x;
        const std::int64_t v = y + kFlowSteps[s].y;
        if (u >= 0 && v >= 0 && u < extent.width && v < extent.height) {
            f(v * extent.width + u, s);
        }
    }
}

} // namespace karst::shape
