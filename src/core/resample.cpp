#include "core/resample.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/extent.hpp"

namespace karst::core {

namespace {

constexpr std::int64_t kLargestMapSide = 65536;

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
    const std::int64_t quotient = a / b;
    return quotient - (a % b < 0 ? 1 : 0);
}

// The weighted map cells of every cell of a grid along one axis.
class Taps {
public:
    Taps(std::int64_t map, const Placement &p, bool wraps) {
        const std::int64_t size = p.cell * map; // in units of which a map cell has p.ground
        first_.push_back(0);
        if (size < p.ground) {
            total_ = 2 * p.ground;
            for (std::int64_t i = 0; i < p.cells; ++i) {
                const std::int64_t at = 2 * (p.start * map + i * size) + size - p.ground;
                const std::int64_t low = floor_div(at, total_);
                const std::int64_t above = at - low * total_;
                add(low, total_ - above, map, wraps);
                add(low + 1, above, map, wraps);
                first_.push_back(taps_.size());
            }
            return;
        }
        total_ = size;
        for (std::int64_t i = 0; i < p.cells; ++i) {
            const std::int64_t begin = p.start * map + i * size;
            const std::int64_t end = begin + size;
            for (std::int64_t k = floor_div(begin, p.ground); k * p.ground < end; ++k) {
                const std::int64_t from = std::max(begin, k * p.ground);
                const std::int64_t to = std::min(end, (k + 1) * p.ground);
                add(k, to - from, map, wraps);
            }
            first_.push_back(taps_.size());
        }
    }

    // f(map cell, weight)
    template <class F>
    void for_each(std::int64_t i, F &&f) const {
        const auto k = static_cast<std::size_t>(i);
        for (std::size_t t = first_[k]; t < first_[k + 1]; ++t) {
            f(taps_[t].cell, taps_[t].weight);
        }
    }
    std::uint64_t total() const { return static_cast<std::uint64_t>(total_); }

private:
    struct Tap {
        std::int64_t cell;
        std::uint64_t weight;
    };

    void add(std::int64_t cell, std::int64_t weight, std::int64_t map, bool wraps) {
        if (weight == 0) {
            return;
        }
        if (wraps) {
            cell -= floor_div(cell, map) * map;
        }
        cell = std::clamp<std::int64_t>(cell, 0, map - 1);
        const bool again = taps_.size() > first_.back() && taps_.back().cell == cell;
        if (again) {
            taps_.back().weight += static_cast<std::uint64_t>(weight);
        } else {
            taps_.push_back({cell, static_cast<std::uint64_t>(weight)});
        }
    }

    std::int64_t total_ = 1; // of the weights of a cell
    std::vector<Tap> taps_;
    std::vector<std::size_t> first_; // of each cell, and the end
};

// Of the map whose cells are value(cell of `map`).
template <class F>
Field2D<std::uint16_t> resampled(Run &run, const Field2D<std::uint16_t> &map,
                                 const Placement2 &placement, F value) {
    require_sides(map.extent(), kLargestMapSide);
    const Taps columns(map.width(), placement.x, placement.wraps);
    const Taps rows(map.height(), placement.y, placement.wraps);
    Field2D<std::uint16_t> grid({placement.x.cells, placement.y.cells}, run.memory());
    run.for_ranges(grid.height(), 8, [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::uint64_t> mixed(static_cast<std::size_t>(map.width()));
        for (std::int64_t y = begin; y < end; ++y) {
            std::fill(mixed.begin(), mixed.end(), 0);
            rows.for_each(y, [&](std::int64_t row, std::uint64_t weight) {
                const auto values = map.row(row);
                for (std::size_t x = 0; x < mixed.size(); ++x) {
                    mixed[x] += value(values[x]) * weight;
                }
            });
            for (std::uint64_t &sum : mixed) { // 8 fraction bits
                sum = (sum * 256 + rows.total() / 2) / rows.total();
            }
            for (std::int64_t x = 0; x < grid.width(); ++x) {
                std::uint64_t sum = 0;
                columns.for_each(x, [&](std::int64_t column, std::uint64_t weight) {
                    sum += mixed[static_cast<std::size_t>(column)] * weight;
                });
                const std::uint64_t whole = columns.total() * 256;
                grid.at(x, y) = static_cast<std::uint16_t>((sum + whole / 2) / whole);
            }
        }
    });
    return grid;
}

} // namespace

Field2D<std::uint16_t> resample(Run &run, const Field2D<std::uint16_t> &map,
                                const Placement2 &placement) {
    return resampled(run, map, placement, [](std::uint16_t cell) { return cell; });
}

Field2D<std::uint8_t> resample_mask(Run &run, const Field2D<std::uint16_t> &map,
                                    const Placement2 &placement) {
    constexpr std::uint16_t kBright = 32768;
    const auto sharp = [](std::uint16_t cell) {
        return cell >= kBright ? std::uint16_t{65535} : std::uint16_t{0};
    };
    const Field2D<std::uint16_t> grid = resampled(run, map, placement, sharp);
    Field2D<std::uint8_t> mask(grid.extent(), run.memory());
    for (std::int64_t i = 0; i < grid.size(); ++i) {
        mask[i] = grid[i] >= kBright ? 1 : 0;
    }
    return mask;
}

} // namespace karst::core
