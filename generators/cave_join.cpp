#include "generators/cave_join.hpp"

#include <algorithm>

#include "generators/cave_paths.hpp"

namespace karst::cave {

namespace {

using shape::Mask;

Mask inverted(core::Run &run, const Mask &mask) {
    Mask result(mask.extent(), run.memory());
    run.for_rows(mask.height(), [&](std::int64_t y) {
        for (std::int64_t x = 0; x < mask.width(); ++x) {
            result.at(x, y) = mask.at(x, y) != 0 ? 0 : 1;
        }
    });
    return result;
}

// The regions of at least `least_area` cells, or the largest (of equals the first).
Mask without_pockets(core::Run &run, const Mask &open, std::int64_t least_area, Boundary edges) {
    const shape::Regions found = shape::regions(run, open, shape::Connectivity::four, edges);
    std::int64_t largest = 0;
    for (const auto &region : found.regions) {
        largest = std::max(largest, region.cells);
    }
    return shape::without_small(run, open, std::min(least_area, largest), shape::Connectivity::four,
                                edges);
}

// The cells whose disc of `radius` is open.
Mask eroded(core::Run &run, const Mask &open, std::int64_t radius, Boundary edges) {
    const auto cap = static_cast<std::uint32_t>((radius >> 8) + 2);
    return shape::above(run, shape::distance_squared(run, inverted(run, open), cap, edges),
                        static_cast<std::uint32_t>((radius * radius) >> 16));
}

// The cells in a disc of `radius` around a cell of `core`.
Mask dilated(core::Run &run, const Mask &core, std::int64_t radius, Boundary edges) {
    const auto cap = static_cast<std::uint32_t>((radius >> 8) + 2);
    return inverted(run, shape::above(run, shape::distance_squared(run, core, cap, edges),
                                      static_cast<std::uint32_t>((radius * radius) >> 16)));
}

// Takes the cells away where `open` is 0.
void keep_within(core::Run &run, const Mask &open, Mask &mask) {
    run.for_ranges(mask.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            mask[i] = static_cast<std::uint8_t>(mask[i] & open[i]);
        }
    });
}

} // namespace

Mask joined(core::Run &run, const Mask &open, const Plan &plan, const JoinParams &params,
            Boundary edges) {
    const std::int64_t least = params.least_radius;
    const Mask rock = inverted(run, open);
    Mask thick = dilated(run, eroded(run, rock, least, edges), least, edges);
    run.for_ranges(thick.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            thick[i] = plan.wall[i] >= kCertain ? 1 : thick[i]; // the border, however thin
        }
    });
    Mask core = eroded(run, inverted(run, thick), least, edges);
    const Mask wide =
        without_pockets(run, dilated(run, core, least, edges), params.least_area, edges);
    keep_within(run, wide, core);
    const shape::Regions regions = shape::regions(run, core, shape::Connectivity::four, edges);
    if (regions.regions.size() < 2) {
        return wide;
    }
    // Ten cells of way, or twice the disc's width, all open.
    const auto neck = static_cast<std::uint32_t>(std::max<std::int64_t>(50, (20 * least) >> 8));
    Field2D<std::uint32_t> toll = plan.toll;
    run.for_ranges(toll.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            if (wide[i] != 0 || plan.wall[i] >= kCertain) {
                toll[i] = plan.wall[i] >= kCertain ? 0 : 1;
            }
        }
    });
    const Mask path = paths(run, regions, toll, neck, edges);
    const auto cap =
        static_cast<std::uint32_t>(((2 * std::max(params.tunnel_radius, least)) >> 8) + 2);
    const auto to_path = shape::distance(run, path, cap, edges);
    Mask result = wide;
    run.for_ranges(result.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t radius =
                std::max(least, (params.tunnel_radius * plan.width[i]) >> 16);
            if (to_path[i] <= radius && plan.wall[i] < kCertain) {
                result[i] = 1;
            }
        }
    });
    return result;
}

Mask without_pillars(core::Run &run, const Mask &open, const Plan &plan, std::int64_t least_area,
                     Boundary edges) {
    const Mask rock = inverted(run, open);
    shape::Regions found = shape::regions(run, rock, shape::Connectivity::eight, edges);
    for (std::int64_t i = 0; i < rock.size(); ++i) {
        if (rock[i] != 0 && plan.wall[i] >= kCertain) {
            found.regions[found.label[i] - 1].cells = rock.size();
        }
    }
    Mask result = open;
    run.for_ranges(rock.size(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            if (rock[i] != 0 && found.regions[found.label[i] - 1].cells < least_area) {
                result[i] = 1;
            }
        }
    });
    return result;
}

} // namespace karst::cave
