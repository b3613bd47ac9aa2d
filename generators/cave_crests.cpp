#include "generators/cave_crests.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>
#include <vector>

#include "core/fixed.hpp"
#include "shape/grid.hpp"

namespace karst::cave {

namespace {

using shape::Mask;

// A crest is higher than both neighbours along one of four directions, and by more than an eighth
// of its height than the mean two cells of the network away.
Mask find_crests(core::Run &run, const NetworkGrid &network, const Grid &grid, const Veins &veins) {
    const std::uint32_t least = shape::quantile(run, veins.measured(), core::to_threshold(0.6));
    const std::int64_t reach =
        std::max<std::int64_t>(1, (grid.to_cells(2 * network.cell) + 128) >> 8);
    const Extent2 extent = veins.field.extent();
    const auto at = [&](std::int64_t x, std::int64_t y) -> std::int64_t {
        return veins.field.at(shape::inside(x, extent.width, grid.edges),
                              shape::inside(y, extent.height, grid.edges));
    };
    Mask mask(extent, run.memory());
    run.for_rows(extent.height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            const std::int64_t v = at(x, y);
            if (v <= least) {
                continue;
            }
            for (const auto &[dx, dy] : {std::pair{1, 0}, {0, 1}, {1, 1}, {1, -1}}) {
                const std::int64_t far =
                    at(x - reach * dx, y - reach * dy) + at(x + reach * dx, y + reach * dy);
                if (v > at(x - dx, y - dy) && v >= at(x + dx, y + dy) && 8 * v - 4 * far > v) {
                    mask.at(x, y) = 1;
                }
            }
        }
    });
    return mask;
}

struct Point {
    std::int64_t x, y;
};

// Leads the ends of lines on to what lies ahead of them.
class Ends {
public:
    // `gap`: cells.
    Ends(const Mask &mask, std::int64_t gap, Boundary edges)
        : mask_(mask), gap_(gap), edges_(edges) {
        for (std::int64_t i = -kRadius; i < kRadius; ++i) { // clockwise
            ring_.push_back({i, -kRadius});
        }
        for (std::int64_t side = 0; side < 3; ++side) {
            for (std::int64_t i = 0; i < 2 * kRadius; ++i) {
                const Point p = ring_[ring_.size() - 2 * kRadius];
                ring_.push_back({-p.y, p.x}); // a quarter turn
            }
        }
    }

    // If a line ends at (x, y), the nearest cell of a line within 45 degrees ahead, relative to
    // it, else (0, 0). Of equally near cells the one most straight ahead, then the first.
    Point target(std::int64_t x, std::int64_t y) const {
        const Point ahead = direction(x, y);
        auto best = std::tuple(gap_ * gap_ + 1, std::int64_t{0}, std::int64_t{0}, std::int64_t{0});
        for (std::int64_t dy = -gap_; dy <= gap_ && (ahead.x != 0 || ahead.y != 0); ++dy) {
            for (std::int64_t dx = -gap_; dx <= gap_; ++dx) {
                const std::int64_t squared = dx * dx + dy * dy;
                const std::int64_t along = dx * ahead.x + dy * ahead.y;
                const bool near = std::max(std::abs(dx), std::abs(dy)) <= kRadius;
                if (near || along <= 0 || !at(x + dx, y + dy) ||
                    2 * along * along < squared * (ahead.x * ahead.x + ahead.y * ahead.y)) {
                    continue;
                }
                best = std::min(best, std::tuple(squared, -along, dy, dx));
            }
        }
        return {std::get<3>(best), std::get<2>(best)};
    }

private:
    static constexpr std::int64_t kRadius = 3;

    bool at(std::int64_t x, std::int64_t y) const {
        const bool outside = x < 0 || y < 0 || x >= mask_.width() || y >= mask_.height();
        return !(outside && edges_ == Boundary::bounded) &&
               mask_.at(shape::inside(x, mask_.width(), edges_),
                        shape::inside(y, mask_.height(), edges_)) != 0;
    }

    // The direction in which a line ends: it crosses the ring around the cell once, and leads
    // away from there. (0, 0): it goes on.
    Point direction(std::int64_t x, std::int64_t y) const {
        int crossings = 0;
        Point ahead{0, 0};
        bool before = at(x + ring_.back().x, y + ring_.back().y);
        for (const Point &p : ring_) {
            const bool here = at(x + p.x, y + p.y);
            crossings += here && !before ? 1 : 0;
            before = here;
            ahead.x -= here ? p.x : 0;
            ahead.y -= here ? p.y : 0;
        }
        return crossings == 1 ? ahead : Point{0, 0};
    }

    const Mask &mask_;
    std::int64_t gap_;
    Boundary edges_;
    std::vector<Point> ring_; // the border of the square of kRadius, clockwise
};

void bridge_gaps(core::Run &run, std::int64_t gap, Boundary edges, Mask &mask) {
    const Ends ends(mask, gap, edges);
    std::vector<std::vector<std::pair<Point, Point>>> rows(static_cast<std::size_t>(mask.height()));
    run.for_rows(mask.height(), [&](std::int64_t y) {
        for (std::int64_t x = 0; x < mask.width(); ++x) {
            if (mask.at(x, y) == 0) {
                continue;
            }
            const Point to = ends.target(x, y);
            if (to.x != 0 || to.y != 0) {
                rows[static_cast<std::size_t>(y)].push_back({{x, y}, to});
            }
        }
    });
    for (const auto &row : rows) {
        for (const auto &[from, to] : row) {
            const std::int64_t steps = std::max(std::abs(to.x), std::abs(to.y));
            for (std::int64_t i = 1; i < steps; ++i) {
                mask.at(shape::inside(from.x + to.x * i / steps, mask.width(), edges),
                        shape::inside(from.y + to.y * i / steps, mask.height(), edges)) = 1;
            }
        }
    }
}

} // namespace

shape::Mask crests(core::Run &run, const CaveParams &params, const NetworkGrid &network,
                   const Grid &grid, const Veins &veins) {
    const std::int64_t piece =
        std::max<std::int64_t>(1, grid.to_cells(params.passage_spacing / 2) >> 8);
    Mask mask = shape::without_small(run, find_crests(run, network, grid, veins), piece,
                                     shape::Connectivity::eight, grid.edges);
    // A weak vein is lost on the flank of the strong one that it joins.
    const double gap = std::min(params.passage_spacing / 4, 3 * params.passage_width);
    bridge_gaps(run, grid.to_cells(gap) >> 8, grid.edges, mask);
    return mask;
}

} // namespace karst::cave
