#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <karst/params.hpp>

#include "generators/terrain_detail.hpp"
#include "sim/physarum.hpp"

namespace karst::terrain {

namespace {

// Levels of cells smaller than detail_cell. The coarsest level of the pyramid stays.
int detail_levels(const HeightmapParams &params, double cell) {
    const int top = std::max(0, plan_networks(params, {1, 1}, cell)[0].level);
    int levels = 0;
    while (levels < top && std::ldexp(cell, levels) < params.detail_cell) {
        ++levels;
    }
    if (levels > kMostDetail) {
        throw Error(ErrorCode::invalid_argument,
                    "detail_cell is " + to_string(ParamValue(params.detail_cell)) +
                        " m; allowed is at most 64 cells, here " +
                        to_string(ParamValue(std::ldexp(cell, kMostDetail))) + " m");
    }
    return levels;
}

// Silently.
Ground earlier_ground(core::Run &run, const HeightmapParams &params, const Networks &earlier,
                      const Plan &plan, std::uint64_t seed) {
    Options options = run.options();
    options.executor = &run.executor();
    options.progress = {};
    options.stages = nullptr;
    options.digests = nullptr;
    options.observer = nullptr;
    core::Run silent(options);
    return make_ground(silent, params, earlier, plan.base, plan.base_cell(), seed, 1, false);
}

} // namespace

double Plan::base_cell() const {
    return std::ldexp(cell, levels);
}

double Plan::work() const {
    double work = ground_work(networks, base);
    for (std::size_t i = 0; i < networks.size(); ++i) {
        work += network_work(networks[i], i);
    }
    return work;
}

Plan make_plan(const HeightmapParams &params, Extent2 map, double cell) {
    Plan plan{map, cell, detail_levels(params, cell), {}, {}};
    plan.base = plan.levels == 0 ? map : level_extent(map, plan.levels);
    plan.networks = plan_networks(params, plan.base, plan.base_cell());
    return plan;
}

double base_memory(const HeightmapParams &params, const Plan &plan,
                   const GroundControls &controls) {
    // What make_ground holds at its peak for each cell, with the coarser levels; then the networks.
    double bytes =
        static_cast<double>(plan.base.width) * static_cast<double>(plan.base.height) * 48;
    for (std::size_t i = 0; i < plan.networks.size(); ++i) {
        if (plan.runs(i)) {
            const Extent2 e = plan.networks[i].extent;
            bytes += static_cast<double>(
                         sim::memory_needed(simulation(params, plan.networks[i], i), e)) +
                     static_cast<double>(sim::memory_needed(controls, e.cells())) +
                     static_cast<double>(e.width) * static_cast<double>(e.height) *
                         (controls.pinned.empty() ? 12 : 16);
        }
    }
    return bytes;
}

double kept_memory(const Plan &plan) {
    // A height, an area and a step for each cell; without finer levels its place in the order too.
    return static_cast<double>(plan.base.width) * static_cast<double>(plan.base.height) *
           (plan.levels > 0 ? 9 : 13);
}

std::vector<sim::Work> device_works(const HeightmapParams &params, const Plan &plan) {
    std::vector<sim::Work> works;
    for (std::size_t i = 0; i < plan.networks.size(); ++i) {
        if (plan.runs(i)) {
            works.push_back(
                sim::work_of(simulation(params, plan.networks[i], i), plan.networks[i].extent));
        }
    }
    const int top = std::max(0, plan.networks[0].level);
    for (int level = top; level >= 0; --level) {
        works.push_back(
            sim::work_of_erosion(level_extent(plan.base, level), erosion_passes(top - level)));
    }
    return works;
}

Base make_base(core::Run &run, const HeightmapParams &params, Plan plan, std::uint64_t seed,
               double share, bool flow, const GroundControls &controls) {
    const bool pinned = !controls.pinned.empty();
    const double ground_share = ground_work(plan.networks, plan.base) / plan.work() * share;
    Networks earlier = plan.networks; // as they are pinned, before the edit
    for (std::size_t i = 0; i < plan.networks.size(); ++i) {
        if (!plan.runs(i)) {
            continue;
        }
        run.stage("network " + std::to_string(i + 1) + " of 3",
                  network_work(plan.networks[i], i) / plan.work() * share, run.options().device);
        const auto trail = run_network(run, params, plan.base, plan.networks[i], i, seed, controls);
        if (const auto *before = sim::pinned_trail(controls, static_cast<std::uint32_t>(i));
            before != nullptr) {
            set_lines(run, *before, i, nullptr, earlier[i]);
        }
        set_lines(run, trail, i, pinned ? &earlier[i] : nullptr, plan.networks[i]);
    }
    Base base;
    HeightRange range{INT32_MAX, INT32_MIN};
    std::vector<HeightRange> scaled;
    if (pinned) {
        run.stage("ground before the edit", ground_share / 2);
        Ground before = earlier_ground(run, params, earlier, plan, seed);
        range = range_of(run, before.heights);
        scaled = std::move(before.scaled);
    }
    base.ground =
        make_ground(run, params, plan.networks, plan.base, plan.base_cell(), seed,
                    pinned ? ground_share / 2 : ground_share, flow, pinned ? &scaled : nullptr);
    for (Network &network : plan.networks) {
        network.distance = {};
    }
    base.plan = std::move(plan);
    const HeightRange own = range_of(run, base.ground.heights);
    base.lowest = std::min(range.lowest, own.lowest);
    base.highest = std::max(range.highest, own.highest);
    return base;
}

} // namespace karst::terrain
