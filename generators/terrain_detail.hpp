// The levels of a map below a base, made by rules that look no farther than a stated number of
// samples, so that a window of the map needs only a window of the base.
#pragma once

#include <cstdint>
#include <vector>

#include "generators/terrain.hpp"
#include "sim/device_choice.hpp"

namespace karst::terrain {

inline constexpr int kMostDetail = 6;

// What is made of the whole map before the first window: its networks, and the ground of a map
// whose cells are 2^levels times larger.
struct Plan {
    Extent2 map;     // samples
    double cell = 1; // metres between them
    int levels = 0;  // from the base to the map, 0 to kMostDetail
    Extent2 base;    // samples
    Networks networks;

    double base_cell() const;
    bool runs(std::size_t network) const { return network == 0 || networks[network].shapes(0); }
    double work() const; // in the unit of ground_work
};
// Throws Error(invalid_argument).
Plan make_plan(const HeightmapParams &params, Extent2 map, double cell);
// Bytes that make_base takes at its peak, and what stays of them.
double base_memory(const HeightmapParams &params, const Plan &plan, const GroundControls &controls);
double kept_memory(const Plan &plan);

// The networks and levels of erosion that make_base runs.
std::vector<sim::Work> device_works(const HeightmapParams &params, const Plan &plan);

struct Base {
    Plan plan; // without the networks' distances
    Ground ground;
    std::int32_t lowest = 0; // of its heights, and of those before an edit
    std::int32_t highest = 0;
};
// `share` of the job's time is reported as stages. Without `flow` that of the ground stays empty.
// With pinned networks the ground is made twice, first without the edit, whose scale the other
// takes.
Base make_base(core::Run &run, const HeightmapParams &params, Plan plan, std::uint64_t seed,
               double share, bool flow, const GroundControls &controls = {});

// Samples of the map around a window that have a part in it.
std::int64_t detail_reach(int levels);
// Bytes that make_detail takes for a window, beside the base, and its work in the unit of
// ground_work.
double detail_memory(const Plan &plan, Extent2 window);
double detail_work(const Plan &plan, Extent2 window);

// The ground of a window of the map: the same as that part of the whole.
struct Patch {
    shape::Heights heights;      // within those of the base
    Field2D<std::uint32_t> area; // cells of the map that drain through a sample
};
Patch make_detail(core::Run &run, const HeightmapParams &params, const Base &base,
                  std::uint64_t seed, const Window &window);

} // namespace karst::terrain
