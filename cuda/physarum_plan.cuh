// How the tiled Physarum engine goes about a simulation: the form of its steps, and when to sort.
#pragma once

#include <algorithm>
#include <optional>

#include "physarum_sparse.cuh"

namespace karst::cuda {

inline constexpr std::int32_t kMostWindow = 256; // cells that an agent's 8 bits can tell apart
inline constexpr std::int32_t kMostSide = 1 << 30;
inline constexpr double kManyCells = 1 << 25; // a step takes much longer than its launches
inline constexpr std::size_t kMostAgents =
    0xfff00000; // indices stay in 32 bits, a launch beyond them too

// Tiles, the form of a step, and after how many steps agents can have drifted too far.
struct Plan {
    Tiling tiling;
    bool dense; // windows in shared memory: physarum_step.cuh, otherwise physarum_sparse.cuh
    std::uint32_t steps_a_sort;
    int threads;
    std::uint32_t blocks;
    std::size_t shared_bytes;
};

inline std::int32_t whole_cells(std::uint64_t length) {
    return static_cast<std::int32_t>((length + 0xffff) >> core::kLengthBits);
}

// Steps in which an agent moves at most `cells`, at most `most`.
inline std::uint32_t steps_within(std::int32_t cells, std::uint32_t step_size, std::uint32_t most) {
    if (step_size == 0) {
        return most;
    }
    const std::uint64_t length = static_cast<std::uint64_t>(cells) << core::kLengthBits;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(length / step_size, most));
}

inline void set_drift(Plan &plan, std::uint32_t steps, std::int32_t drift, std::int32_t halo) {
    plan.steps_a_sort = steps;
    plan.tiling.drift = drift;
    plan.tiling.halo_y = halo;
    plan.tiling.halo_x = (halo + 3) / 4 * 4;
    plan.tiling.window_x = kTileSide + 2 * plan.tiling.halo_x;
    plan.tiling.window_y = kTileSide + 2 * plan.tiling.halo_y;
}

inline std::optional<Plan> plan_for(const rules::PhysarumRule &rule, std::size_t agents,
                                    const PhysarumTuning &tuning, std::size_t shared_limit,
                                    int multiprocessors) {
    Plan plan{};
    Tiling &tiling = plan.tiling;
    tiling.width = rule.width;
    tiling.height = rule.height;
    tiling.tiles_x = (rule.width + kTileSide - 1) >> kTileLog;
    tiling.tiles_y = (rule.height + kTileSide - 1) >> kTileLog;
    plan.blocks = tiling.tiles();
    if (agents > kMostAgents || rule.width > kMostSide || rule.height > kMostSide ||
        tuning.form == two_kernels) {
        return {};
    }
    const bool automatic = tuning.form == by_thresholds;
    const double cells = static_cast<double>(rule.width) * static_cast<double>(rule.height);
    if (automatic ? tiling.tiles() >= tuning.least_tiles &&
                        100 * static_cast<double>(agents) >= tuning.dense_percent * cells
                  : tuning.form == dense_tiles) {
        plan.dense = true;
        plan.threads = tuning.threads;
        if (tuning.blocks > 0) {
            plan.blocks =
                std::min(plan.blocks, static_cast<std::uint32_t>(tuning.blocks * multiprocessors));
        }
        const std::uint32_t wanted =
            std::max(steps_within(tuning.drift, rule.step_size, sim::kStepsAtOnce),
                     static_cast<std::uint32_t>(tuning.least_steps));
        for (std::uint32_t steps = wanted; steps > 0; --steps) {
            const std::int32_t drift = whole_cells(std::uint64_t{steps} * rule.step_size);
            set_drift(plan, steps, drift, drift + whole_cells(rule.sensor_offset));
            plan.shared_bytes = tile_memory_bytes(tiling);
            if (std::max(tiling.window_x, tiling.window_y) <= kMostWindow &&
                plan.shared_bytes <= shared_limit) {
                return plan;
            }
        }
        plan.blocks = tiling.tiles();
    }
    plan.dense = false;
    // What agents read spreads as they drift: over more than the caches hold where the field is
    // large. On a smaller one all steps of a graph go by before the next sorting.
    const std::uint32_t steps =
        steps_within(kSparseDrift, rule.step_size,
                     cells < kManyCells ? sim::kStepsAtOnce : sim::kStepsAtOnce / 2);
    set_drift(plan, steps, kSparseDrift, kSparseDrift);
    if (steps == 0 || rule.width > kMostSparseSide || rule.height > kMostSparseSide ||
        (automatic && agents < tuning.least_sparse_agents)) {
        return {};
    }
    return plan;
}

} // namespace karst::cuda
