#include "shape/skeleton.hpp"

#include <array>
#include <bit>
#include <queue>
#include <tuple>
#include <vector>

#include "shape/erosion.hpp"
#include "shape/grid.hpp"

namespace karst::shape {

namespace {

// Whether a cell can become 0 without a change of topology, by its neighbours (bit s: step s of
// kFlowSteps is 1): they have one 4-connected piece of 0 beside it (Yokoi, Toriwaki and Fukumura,
// Computer Graphics and Image Processing 4, 1975).
constexpr std::array<bool, 256> simple_table() {
    std::array<bool, 256> table{};
    for (unsigned around = 0; around < 256; ++around) {
        const auto zero = [around](unsigned s) { return (around >> (s % 8) & 1) == 0 ? 1 : 0; };
        int pieces = 0;
        for (unsigned s = 0; s < 8; s += 2) {
            pieces += zero(s) - zero(s) * zero(s + 1) * zero(s + 2);
        }
        table[around] = pieces == 1;
    }
    return table;
}

constexpr auto kSimple = simple_table();

struct Item {
    std::uint32_t distance;
    std::uint64_t hash;
    std::int64_t cell;
    bool operator<(const Item &other) const { // the top of the queue is the nearest to the edge
        return std::tie(distance, hash) > std::tie(other.distance, other.hash);
    }
};

} // namespace

Mask skeleton(core::Run &run, const Mask &mask, const Field2D<std::uint32_t> &to_edge,
              Boundary edges, std::uint64_t seed) {
    require_cells(mask.extent(), "skeleton");
    if (edges == Boundary::torus) {
        require_range(std::min(mask.width(), mask.height()), 4, INT32_MAX, "skeleton", "side");
    }
    const Extent2 extent = mask.extent();
    enum State : std::uint8_t { zero, kept, waiting };
    Field2D<std::uint8_t> state(extent, run.memory());
    std::priority_queue<Item> queue;
    const auto push = [&](std::int64_t cell) {
        state[cell] = waiting;
        queue.push({to_edge[cell],
                    tie_hash(seed, static_cast<std::int32_t>(cell % extent.width),
                             static_cast<std::int32_t>(cell / extent.width)),
                    cell});
    };
    const auto for_around = [&](std::int64_t cell, auto &&f) {
        const std::int64_t x = cell % extent.width;
        const std::int64_t y = cell / extent.width;
        for (unsigned s = 0; s < 8; ++s) {
            const std::int64_t u = x + kFlowSteps[s].x;
            const std::int64_t v = y + kFlowSteps[s].y;
            const bool beyond = u < 0 || v < 0 || u >= extent.width || v >= extent.height;
            if (!beyond || edges == Boundary::torus) {
                f(inside(v, extent.height, edges) * extent.width + inside(u, extent.width, edges),
                  s);
            }
        }
    };
    for (std::int64_t i = 0; i < mask.size(); ++i) {
        if (mask[i] != 0) {
            state[i] = kept;
        }
    }
    for (std::int64_t i = 0; i < mask.size(); ++i) {
        if (mask[i] == 0) {
            for_around(i, [&](std::int64_t n, unsigned) {
                if (state[n] == kept) {
                    push(n);
                }
            });
        }
        if (edges == Boundary::bounded && state[i] == kept &&
            (i % extent.width == 0 || (i + 1) % extent.width == 0 || i < extent.width ||
             i >= mask.size() - extent.width)) {
            push(i);
        }
    }
    std::int64_t done = 0;
    while (!queue.empty()) {
        const std::int64_t cell = queue.top().cell;
        queue.pop();
        state[cell] = kept;
        unsigned around = 0;
        for_around(cell,
                   [&](std::int64_t n, unsigned s) { around |= state[n] != zero ? 1u << s : 0u; });
        if (kSimple[around] && std::popcount(around) > 1) {
            state[cell] = zero;
            for_around(cell, [&](std::int64_t n, unsigned) {
                if (state[n] == kept) {
                    push(n);
                }
            });
        }
        if (++done % 65536 == 0) {
            run.check_cancel();
        }
    }
    Mask result(extent, run.memory());
    for (std::int64_t i = 0; i < mask.size(); ++i) {
        result[i] = state[i] != zero ? 1 : 0;
    }
    return result;
}

} // namespace karst::shape
