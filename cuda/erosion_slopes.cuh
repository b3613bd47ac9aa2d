// The passes of erosion in which a cell looks at its neighbours only.
#pragma once

#include "erosion_tiles.cuh"

namespace karst::cuda {

inline constexpr int kSlopeThreads = 128;
inline constexpr int kStripRows = 16;

// A thread walks down kStripRows rows of a column: f(x, y) from the first.
template <class F>
__device__ void for_strip(const TileMap &map, F &&f) {
    const int x = static_cast<int>(blockIdx.x) * kSlopeThreads + static_cast<int>(threadIdx.x);
    if (x >= map.width) {
        return;
    }
    const int strips = (map.height - 1) / kStripRows + 1;
    for (int strip = static_cast<int>(blockIdx.y); strip < strips;
         strip += static_cast<int>(gridDim.y)) {
        const int end = min(map.height, (strip + 1) * kStripRows);
        for (int y = strip * kStripRows; y < end; ++y) {
            f(x, y);
        }
    }
}

// Of steps 0 to 3 from each cell; those out of the map are not read.
__global__ void __launch_bounds__(kSlopeThreads)
    find_links(TileMap map, std::uint64_t seed, std::uint32_t *right, std::uint32_t *lower_right,
               std::uint32_t *below, std::uint32_t *lower_left) {
    for_strip(map, [&](int x, int y) {
        const std::uint64_t here = core::tie_hash(seed, x, y);
        const auto link = [&](unsigned s) {
            const std::uint64_t there =
                core::tie_hash(seed, x + rules::step_x(s), y + rules::step_y(s));
            return rules::inverse_length(here, there, s);
        };
        const std::int64_t i = map.cell(x, y);
        right[i] = link(0);
        lower_right[i] = link(1);
        below[i] = link(2);
        lower_left[i] = link(3);
    });
}

// Outlets beside ground that is no outlet; `drop` below 0: none is lifted.
__global__ void level_outlets(TileMap map, std::int32_t *heights,
                              const std::uint8_t *__restrict__ outlets, std::int32_t drop) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    const int w = map.width;
    const int h = map.height;
    // The rows at the top and below, then the columns between them.
    const int x = i < 2 * w ? i % w : i < 2 * w + h ? 0 : w - 1;
    const int y = i < w ? 0 : i < 2 * w ? h - 1 : i < 2 * w + h ? i - 2 * w : i - 2 * w - h;
    const bool twice = (i >= w && i < 2 * w && h == 1) || (i >= 2 * w && (y == 0 || y == h - 1)) ||
                       (i >= 2 * w + h && w == 1);
    if (i >= 2 * (w + h) || twice || outlets[map.cell(x, y)] == 0) {
        return;
    }
    std::int32_t lowest = INT32_MAX;
    for (unsigned s = 0; s < 8; ++s) {
        const int u = x + rules::step_x(s);
        const int v = y + rules::step_y(s);
        if (map.holds(u, v) && outlets[map.cell(u, v)] == 0) {
            lowest = min(lowest, heights[map.cell(u, v)]);
        }
    }
    if (lowest != INT32_MAX) {
        std::int32_t &height = heights[map.cell(x, y)];
        height = rules::levelled(height, lowest, drop < 0 ? height : lowest - drop);
    }
}

__global__ void __launch_bounds__(kSlopeThreads)
    set_rock(TileMap map, rules::Strata strata, const std::int32_t *__restrict__ heights,
             const std::uint16_t *__restrict__ softness, std::uint16_t *__restrict__ rock_softness,
             std::uint16_t *__restrict__ rock_steepness) {
    for_strip(map, [&](int x, int y) {
        const std::int64_t i = map.cell(x, y);
        const rules::Rock rock = strata.at(heights[i]);
        rock_softness[i] = rules::rock_softness(softness[i], rock);
        rock_steepness[i] = rock.steepness;
    });
}

struct CreepPass {
    rules::CreepLink side, corner;
    std::uint32_t carrying;
    std::int64_t lift; // after the pass; 0: none
};

// Creep and, with `uplift`, what rises after it. `steepness` may be null.
__global__ void __launch_bounds__(kSlopeThreads)
    creep_and_rise(TileMap map, CreepPass pass, const std::int32_t *__restrict__ from,
                   std::int32_t *__restrict__ to, const std::uint32_t *__restrict__ areas,
                   const std::uint8_t *__restrict__ outlets,
                   const std::uint16_t *__restrict__ uplift,
                   const std::uint16_t *__restrict__ steepness) {
    for_strip(map, [&](int x, int y) {
        const std::int64_t i = map.cell(x, y);
        const bool outlet = outlets[i] != 0;
        const std::int32_t here = from[i];
        std::int32_t height = here;
        if (!outlet && areas[i] < pass.carrying) {
            const std::uint32_t steep = steepness == nullptr ? 0 : steepness[i];
#pragma unroll
            for (unsigned s = 0; s < 8; ++s) {
                const int u = x + rules::step_x(s);
                const int v = y + rules::step_y(s);
                const std::int64_t n = map.holds(u, v) ? map.cell(u, v) : i; // no flow to itself
                const std::uint32_t both =
                    steepness == nullptr ? 2 * rules::kSame : steep + steepness[n];
                height += rules::creep_flow((s & 1) != 0 ? pass.corner : pass.side,
                                            std::int64_t{from[n]} - here, both);
            }
        }
        if (uplift != nullptr && !outlet) {
            height += rules::risen(pass.lift, uplift[i]);
        }
        to[i] = height;
    });
}

// In place: rivers stay, and their banks look at nothing but rivers and themselves.
__global__ void __launch_bounds__(kSlopeThreads)
    plane_banks(TileMap map, std::uint32_t least_area, std::int32_t rise, std::uint32_t share,
                std::int32_t *heights, const std::uint32_t *__restrict__ areas,
                const std::uint8_t *__restrict__ steps) {
    for_strip(map, [&](int x, int y) {
        const std::int64_t i = map.cell(x, y);
        if (areas[i] >= least_area) {
            return;
        }
        std::uint32_t rivers = 0;
#pragma unroll
        for (unsigned s = 0; s < 8; ++s) {
            const int u = x + rules::step_x(s);
            const int v = y + rules::step_y(s);
            if (areas[map.holds(u, v) ? map.cell(u, v) : i] >= least_area) {
                rivers |= 1u << s;
            }
        }
        if (rivers == 0 || steps[i] == rules::kNoStep) {
            return;
        }
        std::int64_t bank = heights[i];
        for (unsigned s = 0; s < 8; ++s) {
            if ((rivers >> s & 1) != 0) {
                const std::int32_t river =
                    heights[map.cell(x + rules::step_x(s), y + rules::step_y(s))];
                bank = min(bank, std::int64_t{river} + rise);
            }
        }
        heights[i] = rules::planed(heights[i], bank, share);
    });
}

} // namespace karst::cuda
