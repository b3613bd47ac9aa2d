// From a level of the pyramid to the next finer one, and what the networks make of a level.
#pragma once

#include "erosion_slopes.cuh"
#include "rules/terrain.hpp"

namespace karst::cuda {

// `fine` from the coarse level: see terrain::refine.
__global__ void __launch_bounds__(kSlopeThreads)
    refine_heights(TileMap coarse, TileMap fine, const std::int32_t *__restrict__ from,
                   std::int32_t *__restrict__ to, const std::uint8_t *__restrict__ outlets,
                   std::uint64_t seed, int depth, std::int32_t noise) {
    for_strip(fine, [&](int x, int y) {
        // Along a row of the coarse level, then across four of these.
        const auto across = [&](int row) {
            const std::int32_t *const line =
                from + coarse.cell(0, min(max(row, 0), coarse.height - 1));
            const auto at = [&](int column) { return line[min(max(column, 0), coarse.width - 1)]; };
            const int c = x / 2;
            return x % 2 == 0 ? at(c) : rules::halfway(at(c - 1), at(c), at(c + 1), at(c + 2));
        };
        const int c = y / 2;
        std::int32_t height =
            y % 2 == 0 ? across(c)
                       : rules::halfway(across(c - 1), across(c), across(c + 1), across(c + 2));
        const std::int64_t i = fine.cell(x, y);
        if (((x | y) & 1) != 0 && outlets[i] == 0) {
            height += rules::refine_noise(seed, x, y, depth, noise);
        }
        to[i] = height;
    });
}

__global__ void draw_moves(std::uint64_t seed, int depth, std::uint32_t draw, std::int64_t width,
                           std::int64_t number, std::int16_t *__restrict__ draws) {
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < number;
         i += std::int64_t{gridDim.x} * blockDim.x) {
        draws[i] =
            static_cast<std::int16_t>(rules::signed_draw(seed, i % width, i / width, depth, draw));
    }
}

struct WarpMoves {
    rules::SmoothDraws of[4];
};

__global__ void __launch_bounds__(kSlopeThreads)
    warp_heights(TileMap map, WarpMoves moves, const std::int32_t *__restrict__ from,
                 std::int32_t *__restrict__ to) {
    const std::int64_t right = map.width - 1;
    const std::int64_t bottom = map.height - 1;
    for_strip(map, [&](int x, int y) {
        to[map.cell(x, y)] =
            rules::warped(from, rules::warp_place(moves.of, right, bottom, x, y), right, bottom);
    });
}

struct NetworkViews {
    rules::NetworkView of[3];
};

__global__ void __launch_bounds__(kSlopeThreads)
    shape_soil(TileMap map, NetworkViews networks, rules::Relief relief, int level,
               std::uint16_t *__restrict__ uplift, std::uint16_t *__restrict__ softness) {
    for_strip(map, [&](int x, int y) {
        const auto share = [&](int i) {
            return i == 0 || networks.of[i].shapes(level)
                       ? rules::network_share(rules::network_line(networks.of[i], level, y), x)
                       : 0;
        };
        const rules::Shares s = rules::shares(relief, share(0), share(1), share(2));
        const std::int64_t i = map.cell(x, y);
        uplift[i] = rules::uplift_of(s);
        softness[i] = rules::softness_of(s);
    });
}

// range: the lowest and the highest, INT32_MAX and INT32_MIN at first.
__global__ void __launch_bounds__(kTileThreads)
    find_range(std::int64_t cells, const std::int32_t *__restrict__ heights,
               std::int32_t *__restrict__ range) {
    std::int32_t lowest = INT32_MAX;
    std::int32_t highest = INT32_MIN;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < cells;
         i += std::int64_t{gridDim.x} * blockDim.x) {
        lowest = min(lowest, heights[i]);
        highest = max(highest, heights[i]);
    }
    for (int step = 16; step > 0; step /= 2) {
        lowest = min(lowest, __shfl_xor_sync(0xffffffff, lowest, step));
        highest = max(highest, __shfl_xor_sync(0xffffffff, highest, step));
    }
    if (threadIdx.x % 32 == 0) {
        atomicMin(range, lowest);
        atomicMax(range + 1, highest);
    }
}

__global__ void __launch_bounds__(kTileThreads)
    rescale_heights(std::int64_t cells, std::int64_t bottom, std::int64_t range,
                    std::int64_t wanted, std::int32_t *__restrict__ heights) {
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < cells;
         i += std::int64_t{gridDim.x} * blockDim.x) {
        heights[i] = rules::rescaled(heights[i], bottom, range, wanted);
    }
}

} // namespace karst::cuda
