// The ways of tunnels and passages through a plan.
#pragma once

#include <cstdint>
#include <vector>

#include <karst/field.hpp>

#include "generators/cave_ways.hpp"
#include "shape/volume.hpp"

namespace karst::cave_volume {

// f(to) for the six neighbours of a cell.
template <class F>
void for_six(Extent3 extent, std::int64_t cell, F &&f) {
    const std::int64_t plane = extent.width * extent.height;
    const std::int64_t z = cell / plane;
    const std::int64_t y = (cell - z * plane) / extent.width;
    const std::int64_t x = cell - z * plane - y * extent.width;
    if (x > 0) {
        f(cell - 1);
    }
    if (x + 1 < extent.width) {
        f(cell + 1);
    }
    if (y > 0) {
        f(cell - extent.width);
    }
    if (y + 1 < extent.height) {
        f(cell + extent.width);
    }
    if (z > 0) {
        f(cell - plane);
    }
    if (z + 1 < extent.depth) {
        f(cell + plane);
    }
}

// The ways of tunnels: a cell ahead, or two ahead and one up or down, so that one can walk there;
// straight up or down at many times the price. f(to, price), price 0 where a cell is closed.
class Moves {
public:
    explicit Moves(const Field3D<std::uint32_t> &toll) : toll_(toll) {}

    template <class F>
    void operator()(std::int64_t cell, F &&f) const {
        const auto [w, h, d] = toll_.extent();
        const std::int64_t plane = w * h;
        const std::int64_t z = cell / plane;
        const std::int64_t y = (cell - z * plane) / w;
        const std::int64_t x = cell - z * plane - y * w;
        const auto ahead = [&, d = d](std::int64_t room, std::int64_t step) {
            if (room < 1) {
                return;
            }
            f(cell + step, kFlat * toll_[cell + step]);
            if (room < 2) {
                return;
            }
            for (const std::int64_t up : {-plane, plane}) {
                if ((up < 0 && z == 0) || (up > 0 && z + 1 == d)) {
                    continue;
                }
                const std::uint32_t first = toll_[cell + step];
                const std::uint32_t riser = toll_[cell + step + up];
                const std::uint32_t last = toll_[cell + 2 * step + up];
                const bool closed = first == 0 || riser == 0 || last == 0;
                f(cell + 2 * step + up, closed ? 0 : kFlat * (first + last) + riser);
            }
        };
        ahead(x, -1);
        ahead(w - 1 - x, 1);
        ahead(y, -w);
        ahead(h - 1 - y, w);
        if (z > 0) {
            f(cell - plane, kSteep * toll_[cell - plane]);
        }
        if (z + 1 < d) {
            f(cell + plane, kSteep * toll_[cell + plane]);
        }
    }

    // f(cell) for the cells between the ends of a move, so that a way is 6-connected.
    template <class F>
    void between(std::int64_t from, std::int64_t to, F &&f) const {
        const auto [w, h, d] = toll_.extent();
        const std::int64_t plane = w * h;
        const std::int64_t up = (to / plane - from / plane) * plane;
        const std::int64_t flat = to - from - up;
        if (up != 0 && flat != 0) {
            f(from + flat / 2);
            f(from + flat / 2 + up);
        }
    }

private:
    static constexpr std::uint32_t kFlat = 2;
    static constexpr std::uint32_t kSteep = 40;
    static_assert(255 * kSteep < cave::kPrices && 255 * (2 * kFlat + 1) < cave::kPrices);
    const Field3D<std::uint32_t> &toll_;
};

// Marks the way from `cell` to its region.
inline void mark_way(const cave::Ways &ways, const Moves &moves, std::int64_t cell,
                     shape::VolumeMask &path) {
    path[cell] = 1;
    for (std::int64_t next = ways.next[static_cast<std::size_t>(cell)]; next != cell;
         next = ways.next[static_cast<std::size_t>(cell)]) {
        moves.between(next, cell, [&](std::int64_t i) { path[i] = 1; });
        path[next] = 1;
        cell = next;
    }
}

// Of face-adjacent cells whose ways lead to two regions.
inline std::vector<cave::Meeting> find_meetings(const core::Run &run, const cave::Ways &ways,
                                                Extent3 extent) {
    std::vector<cave::Meeting> meetings;
    for (std::int64_t cell = 0; cell < extent.cells(); ++cell) {
        cave::check_now_and_then(run, cell);
        for_six(extent, cell, [&](std::int64_t to) {
            if (to > cell) {
                cave::add_meeting(ways, cell, to, meetings);
            }
        });
    }
    return meetings;
}

} // namespace karst::cave_volume
