#include "shape/relief.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "shape/grid.hpp"

namespace karst::shape {

namespace {

// A row of heights and one more sample on either side; row -1 and row `height` exist too.
class PaddedRows {
public:
    PaddedRows(const Field2D<std::int32_t> &heights, Boundary edges)
        : heights_(heights), edges_(edges) {}

    // row[1 + x] is sample x.
    void read(std::int64_t y, std::vector<double> &row) const {
        const std::int64_t width = heights_.width();
        row.resize(static_cast<std::size_t>(width) + 2);
        const bool beyond = y < 0 || y >= heights_.height();
        const std::int64_t nearest = inside(y, heights_.height(), edges_);
        const std::int32_t *from = heights_.row(nearest).data();
        for (std::int64_t x = 0; x < width; ++x) {
            row[static_cast<std::size_t>(x + 1)] = from[x];
        }
        if (beyond && edges_ == Boundary::bounded && heights_.height() > 1) {
            const std::int32_t *before = heights_.row(y < 0 ? 1 : nearest - 1).data();
            for (std::int64_t x = 0; x < width; ++x) {
                row[static_cast<std::size_t>(x + 1)] = 2.0 * from[x] - before[x];
            }
        }
        const auto w = static_cast<std::size_t>(width);
        if (edges_ == Boundary::torus) {
            row[0] = row[w];
            row[w + 1] = row[1];
        } else {
            row[0] = width > 1 ? 2 * row[1] - row[2] : row[1];
            row[w + 1] = width > 1 ? 2 * row[w] - row[w - 1] : row[w];
        }
    }

private:
    const Field2D<std::int32_t> &heights_;
    Boundary edges_;
};

// Pointers at a sample in three rows that go on by one sample on either side.
struct Around {
    const double *above, *here, *below;
};

// f(Around) for each sample.
template <class Cell, class F>
Field2D<Cell> from_neighbours(core::Run &run, const Field2D<std::int32_t> &heights, Boundary edges,
                              F &&f) {
    require_cells(heights.extent(), "relief");
    Field2D<Cell> result(heights.extent(), run.memory());
    const PaddedRows rows(heights, edges);
    run.for_ranges(heights.height(), 8, [&](std::int64_t begin, std::int64_t end) {
        std::vector<double> above, here, below;
        rows.read(begin - 1, above);
        rows.read(begin, here);
        for (std::int64_t y = begin; y < end; ++y) {
            rows.read(y + 1, below);
            for (std::int64_t x = 0; x < heights.width(); ++x) {
                result.at(x, y) =
                    f(Around{above.data() + x + 1, here.data() + x + 1, below.data() + x + 1});
            }
            above.swap(here);
            here.swap(below);
        }
    });
    return result;
}

} // namespace

template <class Cell>
Field2D<Cell> normals(core::Run &run, const Field2D<std::int32_t> &heights, double rise,
                      Boundary edges, Green green) {
    using Value = typename Cell::value_type;
    constexpr double kHalf = std::numeric_limits<Value>::max() / 2.0;
    const double half_rise = rise / 2;
    const double down = green == Green::up ? half_rise : -half_rise;
    return from_neighbours<Cell>(run, heights, edges, [&](const Around &at) {
        const double east = (at.here[-1] - at.here[1]) * half_rise;
        const double north = (at.below[0] - at.above[0]) * down;
        const double length = std::sqrt(east * east + north * north + 1);
        const auto stored = [length](double component) {
            return static_cast<Value>(component / length * kHalf + (kHalf + 0.5));
        };
        return Cell{stored(east), stored(north), stored(1)};
    });
}

template Field2D<Rgb8> normals<Rgb8>(core::Run &, const Field2D<std::int32_t> &, double, Boundary,
                                     Green);
template Field2D<Rgb16> normals<Rgb16>(core::Run &, const Field2D<std::int32_t> &, double, Boundary,
                                       Green);

Field2D<float> slopes(core::Run &run, const Field2D<std::int32_t> &heights, double rise,
                      Boundary edges) {
    return from_neighbours<float>(run, heights, edges, [rise](const Around &at) {
        const double dx = at.here[1] - at.here[-1];
        const double dy = at.below[0] - at.above[0];
        return static_cast<float>(std::sqrt(dx * dx + dy * dy) * rise / 2);
    });
}

double slope_degrees(double rise_over_run) {
    constexpr double kDegreesARadian = 57.29577951308232;
    double t = rise_over_run;
    for (int halving = 0; halving < 3; ++halving) { // the tangent of half the angle
        t = t / (1 + std::sqrt(1 + t * t));
    }
    // atan by its series: an eighth of an angle is at most 11.25 degrees, the rest below 1e-8.
    const double s = t * t;
    const double series =
        1 - s * (1.0 / 3 - s * (1.0 / 5 - s * (1.0 / 7 - s * (1.0 / 9 - s * (1.0 / 11)))));
    return 8 * kDegreesARadian * t * series;
}

Field2D<float> curvature(core::Run &run, const Field2D<std::int32_t> &heights, double rise,
                         Boundary edges) {
    return from_neighbours<float>(run, heights, edges, [rise](const Around &at) {
        const double sides = at.above[0] + at.here[-1] + at.here[1] + at.below[0];
        const double corners = at.above[-1] + at.above[1] + at.below[-1] + at.below[1];
        const double sum = 20 * at.here[0] - 4 * sides - corners; // 6 times the Laplacian
        return static_cast<float>(sum * rise / 12);
    });
}

} // namespace karst::shape
