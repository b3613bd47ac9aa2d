// The cheapest ways of tunnels through the rock of a plan.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/run.hpp"
#include "generators/cave_volume.hpp"

namespace karst::cave_volume {

// The moves of tunnels: a cell ahead, or two ahead and one up or down, so that one can walk there;
// straight up or down at many times the price. A cell without toll is closed.
class Moves {
public:
    static constexpr std::uint32_t kFlat = 2; // times the toll
    static constexpr std::uint32_t kSteep = 40;
    static constexpr std::uint32_t kDearest = 255 * kSteep;
    static_assert(255 * (2 * kFlat + 1) < kDearest);

    explicit Moves(const Tolls &toll) : toll_(toll), plane_(toll.width() * toll.height()) {}

    // f(to, price) for the moves from a cell.
    template <class F>
    void from(std::int64_t cell, F &&f) const {
        each(cell, [&](std::int64_t step, const std::array<std::int64_t, 2> &ups, int count) {
            const std::uint32_t first = toll_[cell + step];
            if (first == 0) {
                return;
            }
            f(cell + step, kFlat * first);
            for (int i = 0; i < count; ++i) {
                const std::int64_t riser = cell + step + ups[static_cast<std::size_t>(i)];
                if (toll_[riser] != 0 && toll_[riser + step] != 0) {
                    f(riser + step, kFlat * (first + toll_[riser + step]) + toll_[riser]);
                }
            }
        });
        each_steep(cell, [&](std::int64_t to) {
            if (toll_[to] != 0) {
                f(to, kSteep * toll_[to]);
            }
        });
    }

    // f(from, price) for the moves to a cell.
    template <class F>
    void to(std::int64_t cell, F &&f) const {
        const std::uint32_t last = toll_[cell];
        if (last == 0) {
            return;
        }
        each(cell, [&](std::int64_t step, const std::array<std::int64_t, 2> &ups, int count) {
            f(cell + step, kFlat * last);
            const std::uint32_t riser = toll_[cell + step];
            for (int i = 0; i < count && riser != 0; ++i) {
                const std::int64_t first = cell + step + ups[static_cast<std::size_t>(i)];
                if (toll_[first] != 0) {
                    f(first + step, kFlat * (toll_[first] + last) + riser);
                }
            }
        });
        each_steep(cell, [&](std::int64_t from) { f(from, kSteep * last); });
    }

    // f(cell) for the cells between the ends of a move, so that a way is 6-connected.
    template <class F>
    void between(std::int64_t from, std::int64_t to, F &&f) const {
        const std::int64_t up = (to / plane_ - from / plane_) * plane_;
        const std::int64_t flat = to - from - up;
        if (up != 0 && flat != 0) {
            f(from + flat / 2);
            f(from + flat / 2 + up);
        }
    }

private:
    // f(step, ups, count) for the steps ahead that stay inside; `ups` are the first `count` of the
    // steps up and down, none where a second step ahead leaves the plan.
    template <class F>
    void each(std::int64_t cell, F &&f) const {
        const auto [w, h, d] = toll_.extent();
        const auto number = static_cast<std::uint32_t>(cell); // 32 bits divide faster
        const auto row = number / static_cast<std::uint32_t>(w);
        const std::int64_t x = number - row * static_cast<std::uint32_t>(w);
        const std::int64_t y = row % static_cast<std::uint32_t>(h);
        std::array<std::int64_t, 2> ups{};
        int count = 0;
        if (cell >= plane_) {
            ups[static_cast<std::size_t>(count++)] = -plane_;
        }
        if (cell < plane_ * (d - 1)) {
            ups[static_cast<std::size_t>(count++)] = plane_;
        }
        const auto ahead = [&](std::int64_t room, std::int64_t step) {
            if (room > 0) {
                f(step, ups, room > 1 ? count : 0);
            }
        };
        ahead(x, -1);
        ahead(w - 1 - x, 1);
        ahead(y, -w);
        ahead(h - 1 - y, w);
    }
    template <class F>
    void each_steep(std::int64_t cell, F &&f) const {
        if (cell >= plane_) {
            f(cell - plane_);
        }
        if (cell < plane_ * (toll_.depth() - 1)) {
            f(cell + plane_);
        }
    }

    const Tolls &toll_;
    std::int64_t plane_;
};

// The cheapest ways to a set of cells, found outwards from it as far as somebody asks: costs are
// lowered in parallel, level by level (delta-stepping, Meyer and Sanders 2003), and are the same
// for every order. A way leads by the cells that Dijkstra's algorithm in the order (cost, cell)
// finds: of those before a cell that it costs the least from, the first in that order. Fewer than
// 2^32 cells; what would cost 2^32 - 1 is not reached.
class Ways {
public:
    static constexpr std::uint32_t kUnreached = 0xffffffffu;

    Ways(core::Run &run, const Tolls &toll, const VolumeMask &targets);

    // Goes on until all costs below `cost` are known.
    void reach(std::uint64_t cost);
    // Costs below this are final; kUnreached once all are.
    std::uint64_t known() const { return waiting_ == 0 ? kUnreached : level_ * kWidth; }
    // Of a cell; from known() on an upper bound.
    std::uint32_t cost(std::int64_t cell) const { return cost_[static_cast<std::size_t>(cell)]; }
    // The cell after one whose cost is known; a target's cell leads to itself.
    std::int64_t next(std::int64_t cell) const;
    // Marks the way from a cell whose cost is known.
    void mark(std::int64_t cell, VolumeMask &path) const;

private:
    static constexpr std::uint64_t kWidth = 256; // of a level
    static constexpr std::size_t kLevels = 64;   // that wait at a time
    static_assert(Moves::kDearest < (kLevels - 1) * kWidth);

    using Cells = std::array<std::vector<std::uint32_t>, kLevels>; // of a level modulo kLevels

    void lower_around(std::int64_t cell, Cells &lowered);
    void add(const Cells &lowered);

    core::Run &run_;
    Moves moves_;
    std::unique_ptr<std::uint32_t[]> cost_;
    std::uint64_t level_ = 0;
    Cells cells_;
    std::size_t waiting_ = 0; // cells of all levels
    std::mutex mutex_;        // for the last two
};

} // namespace karst::cave_volume
