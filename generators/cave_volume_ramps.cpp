#include "generators/cave_volume_ramps.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "core/fixed.hpp"
#include "core/memory.hpp"
#include "shape/grid.hpp"

namespace karst::cave_volume {

namespace {

constexpr std::uint32_t kCrossing = 8; // times the toll where a passage cuts another
constexpr std::uint32_t kUnreached = 0xffffffffu;

// The sheet that rises evenly from a to b, over a box of the map around them that has an edge of
// closed cells.
class Ramp {
public:
    Ramp(const Triple &a, const Triple &b, const Tolls &toll, const Crossings &crossings)
        : a_(a), b_(b) {
        const std::int64_t margin = horizontal(a, b) / 3 + 2;
        const std::int64_t sides[2] = {toll.width(), toll.height()};
        for (std::size_t k = 0; k < 2; ++k) {
            low_[k] = std::max<std::int64_t>(0, std::min(a[k], b[k]) - margin) - 1;
            size_[k] = std::min(sides[k], std::max(a[k], b[k]) + margin + 1) + 1 - low_[k];
        }
        prices_.assign(static_cast<std::size_t>(size_[0] * size_[1]), 0);
        for (std::int64_t y = 1; y + 1 < size_[1]; ++y) {
            for (std::int64_t x = 1; x + 1 < size_[0]; ++x) {
                const Triple at = place(low_[0] + x, low_[1] + y);
                prices_[static_cast<std::size_t>(y * size_[0] + x)] = static_cast<std::uint16_t>(
                    toll.at(at[0], at[1], at[2]) * (crossings(at) ? kCrossing : 1));
            }
        }
    }

    Way way() const {
        const std::vector<std::uint32_t> costs = find_costs();
        const std::size_t goal = cell(b_);
        Way way{a_};
        const auto go = [&](std::size_t axis, std::int64_t target) {
            Triple now = way.back();
            while (now[axis] != target) {
                now[axis] += now[axis] < target ? 1 : -1;
                way.push_back(now);
            }
        };
        for (std::size_t at = cell(a_);; at = next(costs, at)) {
            const auto width = static_cast<std::size_t>(size_[0]);
            const Triple here = place(low_[0] + static_cast<std::int64_t>(at % width),
                                      low_[1] + static_cast<std::int64_t>(at / width));
            go(0, here[0]);
            go(1, here[1]);
            go(2, here[2]);
            if (at == goal || costs[at] == kUnreached) {
                break;
            }
        }
        go(0, b_[0]); // where rock that nothing may open bars the ramp
        go(1, b_[1]);
        go(2, b_[2]);
        return way;
    }

private:
    static constexpr std::uint64_t kWidth = 256; // of a level of costs
    static constexpr std::size_t kLevels = 64;   // that wait at a time
    static_assert(255 * kCrossing * 7 < (kLevels - 1) * kWidth);

    std::size_t cell(const Triple &at) const {
        return static_cast<std::size_t>((at[1] - low_[1]) * size_[0] + at[0] - low_[0]);
    }
    Triple place(std::int64_t x, std::int64_t y) const {
        const std::int64_t dx = b_[0] - a_[0];
        const std::int64_t dy = b_[1] - a_[1];
        const std::int64_t square = std::max<std::int64_t>(1, dx * dx + dy * dy);
        const std::int64_t along =
            std::clamp<std::int64_t>((x - a_[0]) * dx + (y - a_[1]) * dy, 0, dx * dx + dy * dy);
        const std::int64_t rise = b_[2] - a_[2];
        // Rounded to the nearest, the same from both ends.
        const std::int64_t up = rise < 0 ? -((-rise * along * 2 + square) / (2 * square))
                                         : (rise * along * 2 + square) / (2 * square);
        return {x, y, a_[2] + up};
    }

    // f(cell, length) for the eight around a cell that is not closed.
    template <class F>
    void for_neighbours(std::size_t cell, F &&f) const {
        for (const shape::Step &step : shape::kNeighbours) {
            f(static_cast<std::size_t>(static_cast<std::int64_t>(cell) + step.dy * size_[0] +
                                       step.dx),
              step.length);
        }
    }

    // From b to each cell: final below that of a, or all; what would cost kUnreached is not
    // reached. Level by level, so that hardly a cell is looked at twice (delta-stepping, Meyer and
    // Sanders 2003).
    std::vector<std::uint32_t> find_costs() const {
        std::vector<std::uint32_t> costs(prices_.size(), kUnreached);
        const std::size_t asked = cell(a_);
        costs[cell(b_)] = 0;
        std::array<std::vector<std::size_t>, kLevels> levels;
        levels[0].push_back(cell(b_));
        std::size_t waiting = 1;
        std::vector<std::size_t> now;
        for (std::uint64_t level = 0; waiting > 0 && costs[asked] >= level * kWidth; ++level) {
            auto &its = levels[level % kLevels];
            while (!its.empty()) {
                now.clear();
                now.swap(its);
                waiting -= now.size();
                for (const std::size_t from : now) {
                    const std::uint64_t cost = costs[from];
                    if (cost < level * kWidth) {
                        continue; // it came to an earlier level as well
                    }
                    for_neighbours(from, [&](std::size_t to, std::uint32_t length) {
                        const std::uint64_t sum = cost + prices_[to] * length;
                        if (prices_[to] != 0 && sum < costs[to]) {
                            costs[to] = static_cast<std::uint32_t>(sum);
                            levels[sum / kWidth % kLevels].push_back(to);
                            ++waiting;
                        }
                    });
                }
            }
        }
        return costs;
    }

    // Of the cells that a cell costs the least from, the first in the order (cost, cell).
    std::size_t next(const std::vector<std::uint32_t> &costs, std::size_t cell) const {
        std::pair<std::uint32_t, std::size_t> best{kUnreached, cell};
        for_neighbours(cell, [&](std::size_t from, std::uint32_t length) {
            if (std::uint64_t{costs[from]} + prices_[cell] * length == costs[cell]) {
                best = std::min(best, {costs[from], from});
            }
        });
        return best.second;
    }

    Triple a_, b_;
    std::array<std::int64_t, 2> low_{};
    std::array<std::int64_t, 2> size_{};
    std::vector<std::uint16_t> prices_; // of a step ahead to a cell, a fifth; 0: it is closed
};

// Where a passage that is too steep turns: half-way up, beside the middle, on the side with more
// room, so far out that both legs rise 2 in 5, or as far as there is room. None where the straight
// way will do, and none above 1 in 1, where the legs would lie over each other.
std::optional<Triple> switchback(const Triple &a, const Triple &b, const Tolls &toll) {
    const std::int64_t rise = std::abs(a[2] - b[2]);
    const std::int64_t run = horizontal(a, b);
    const std::int64_t leg = rise * 5 / 4; // cells of the map
    if (run >= 2 * rise || run < rise) {
        return std::nullopt;
    }
    const std::int64_t aside =
        core::integer_sqrt(static_cast<std::uint64_t>(leg * leg - run * run / 4));
    const std::int64_t dx = a[1] - b[1]; // across
    const std::int64_t dy = b[0] - a[0];
    std::optional<Triple> best;
    std::int64_t most = 0;
    for (const std::int64_t side : {1, -1}) {
        Triple corner{(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2};
        for (std::int64_t step = 1; step <= aside; ++step) {
            const Triple next{(a[0] + b[0]) / 2 + side * dx * step / run,
                              (a[1] + b[1]) / 2 + side * dy * step / run, corner[2]};
            const bool inside =
                next[0] >= 0 && next[0] < toll.width() && next[1] >= 0 && next[1] < toll.height();
            if (!inside || toll.at(next[0], next[1], next[2]) == 0) {
                break;
            }
            corner = next;
            if (step > most) {
                most = step;
                best = corner;
            }
        }
    }
    return best;
}

} // namespace

std::int64_t horizontal(const Triple &a, const Triple &b) {
    const std::int64_t x = a[0] - b[0];
    const std::int64_t y = a[1] - b[1];
    return core::integer_sqrt(static_cast<std::uint64_t>(x * x + y * y));
}

Crossings::Crossings(core::Run &run, Extent3 extent, std::int64_t width, std::int64_t height)
    : run_(run), mask_(extent, core::large_pages(run)), width_(width), height_(height) {
    for (std::int64_t dy = -width; dy <= width; ++dy) {
        for (std::int64_t dx = -width; dx <= width; ++dx) {
            const std::int64_t away = horizontal({dx, dy, 0}, {0, 0, 0});
            if (away <= width) {
                around_.push_back({dx, dy, away});
                for (std::int64_t rise = 2 + away / 2; rise <= height; ++rise) {
                    for (const std::int64_t dz : {-rise, rise}) {
                        inside_.push_back((dz * extent.height + dy) * extent.width + dx);
                    }
                }
            }
        }
    }
}

void Crossings::add(const Triple &at) {
    const auto [w, h, d] = mask_.extent();
    if (at[0] >= width_ && at[0] + width_ < w && at[1] >= width_ && at[1] + width_ < h &&
        at[2] >= height_ && at[2] + height_ < d) {
        const std::int64_t cell = (at[2] * h + at[1]) * w + at[0];
        for (const std::int64_t there : inside_) {
            mask_[cell + there] = 1;
        }
        return;
    }
    for (const Column &column : around_) {
        const std::int64_t x = at[0] + column.dx;
        const std::int64_t y = at[1] + column.dy;
        if (x >= 0 && y >= 0 && x < mask_.width() && y < mask_.height()) {
            mark(at, column, height_);
        }
    }
}

void Crossings::add_room(const Triple &at, std::int64_t radius, std::int64_t radius_z) {
    const std::int64_t reach = radius + width_ / 2;
    const std::int64_t height = radius_z + height_ / 2;
    for (std::int64_t y = std::max<std::int64_t>(0, at[1] - reach);
         y <= std::min(mask_.height() - 1, at[1] + reach); ++y) {
        run_.check_cancel();
        for (std::int64_t x = std::max<std::int64_t>(0, at[0] - reach);
             x <= std::min(mask_.width() - 1, at[0] + reach); ++x) {
            const std::int64_t away = horizontal({x, y, 0}, {at[0], at[1], 0});
            if (away <= reach) {
                mark(at, {x - at[0], y - at[1], away}, height);
            }
        }
    }
}

// Above and below a column beside a place.
void Crossings::mark(const Triple &at, const Column &column, std::int64_t height) {
    const std::int64_t depth = mask_.depth();
    const std::int64_t farthest = std::min(height, std::max(at[2], depth - 1 - at[2]));
    for (std::int64_t rise = 2 + column.away / 2; rise <= farthest; ++rise) {
        if (at[2] >= rise) {
            mask_.at(at[0] + column.dx, at[1] + column.dy, at[2] - rise) = 1;
        }
        if (at[2] + rise < depth) {
            mask_.at(at[0] + column.dx, at[1] + column.dy, at[2] + rise) = 1;
        }
    }
}

Way find_way(const Triple &a, const Triple &b, const Tolls &toll, const Crossings &crossings) {
    const std::optional<Triple> corner = switchback(a, b, toll);
    if (!corner) {
        return Ramp(a, b, toll, crossings).way();
    }
    Way way = Ramp(a, *corner, toll, crossings).way();
    const Way rest = Ramp(*corner, b, toll, crossings).way();
    way.insert(way.end(), rest.begin(), rest.end());
    return way;
}

} // namespace karst::cave_volume
