// Ambient occlusion by the horizons of 16 directions.
#include "shape/relief.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/fixed.hpp"
#include "shape/grid.hpp"
#include "shape/shape.hpp"

namespace karst::shape {

namespace {

constexpr std::size_t kDirections = 16;

// A place that is looked at: so many cells away, in the copy of this index.
struct Look {
    std::int64_t dx, dy;
    float east, south; // of a unit vector
    float nearness;    // rise over the distance
    std::size_t copy;
};

// Rings at 1, 2, 3, 4, 6, 8, 12, 16, 24, ... cells. From the sixth on the copies are smoothed over
// about the gap to the next direction.
std::array<std::vector<Look>, kDirections> looks(double rise, double reach, std::size_t &copies) {
    std::array<std::vector<Look>, kDirections> result;
    copies = 1;
    for (std::size_t ring = 0;; ++ring) {
        const std::int64_t radius = ring < 2        ? static_cast<std::int64_t>(ring) + 1
                                    : ring % 2 == 0 ? std::int64_t{3} << (ring / 2 - 1)
                                                    : std::int64_t{4} << (ring / 2 - 1);
        if (ring > 0 && static_cast<double>(radius) > reach) {
            return result;
        }
        const std::size_t copy = ring < 4 ? 0 : ring / 2 - 1;
        copies = copy + 1;
        for (std::size_t d = 0; d < kDirections; ++d) {
            const core::Direction way =
                core::directions()[d * (core::kDirectionCount / kDirections)];
            const std::int64_t dx = core::rounded(way.cosine * radius, 14);
            const std::int64_t dy = core::rounded(way.sine * radius, 14);
            const double length = std::sqrt(static_cast<double>(dx * dx + dy * dy));
            result[d].push_back({dx, dy, static_cast<float>(static_cast<double>(dx) / length),
                                 static_cast<float>(static_cast<double>(dy) / length),
                                 static_cast<float>(rise / length), copy});
        }
    }
}

// Copy n is smoothed by windows of 2^n + 1 cells, twice.
std::vector<Field2D<std::uint32_t>> smoothed_copies(core::Run &run,
                                                    const Field2D<std::int32_t> &heights,
                                                    std::size_t count, Boundary edges) {
    const std::int32_t lowest = *std::min_element(heights.cells().begin(), heights.cells().end());
    std::vector<Field2D<std::uint32_t>> copies;
    auto &first = copies.emplace_back(heights.extent(), run.memory());
    run.for_rows(heights.height(), [&](std::int64_t y) {
        for (std::int64_t x = 0; x < heights.width(); ++x) {
            first.at(x, y) = static_cast<std::uint32_t>(std::int64_t{heights.at(x, y)} - lowest);
        }
    });
    for (std::size_t n = 1; n < count; ++n) {
        const int radius = std::min(1 << (n - 1), 32767);
        copies.push_back(box_blur(run, copies.front(), radius, 2, edges));
    }
    return copies;
}

// f(begin, end, from) for the parts of a row that see another one `dx` cells further on; what is
// seen at x is from[x]. Nothing lies beyond a bounded row.
template <class F>
void for_parts(std::int64_t width, std::int64_t dx, const std::uint32_t *row, Boundary edges,
               F &&f) {
    if (edges == Boundary::bounded) {
        const std::int64_t begin = std::max<std::int64_t>(0, -dx);
        const std::int64_t end = std::min(width, width - dx);
        if (begin < end) {
            f(begin, end, row + dx);
        }
        return;
    }
    const std::int64_t shift = inside(dx, width, edges);
    f(std::int64_t{0}, width - shift, row + shift);
    f(width - shift, width, row + shift - width);
}

// The ground's rise to the next cell along both axes, by central differences.
void plane_of_row(const Field2D<std::uint32_t> &heights, double rise, std::int64_t y,
                  Boundary edges, std::vector<float> &east, std::vector<float> &south) {
    const std::int64_t width = heights.width();
    const auto over = [edges](std::int64_t before, std::int64_t after) {
        return edges == Boundary::bounded ? std::max<std::int64_t>(1, after - before) : 2;
    };
    const auto difference = [](std::uint32_t a, std::uint32_t b) {
        return static_cast<double>(static_cast<std::int32_t>(b - a));
    };
    const std::int64_t north = inside(y - 1, heights.height(), edges);
    const std::int64_t next = inside(y + 1, heights.height(), edges);
    const double down = rise / static_cast<double>(over(north, next));
    for (std::int64_t x = 0; x < width; ++x) {
        const std::int64_t left = inside(x - 1, width, edges);
        const std::int64_t right = inside(x + 1, width, edges);
        const double along = rise / static_cast<double>(over(left, right));
        const auto i = static_cast<std::size_t>(x);
        east[i] = static_cast<float>(difference(heights.at(left, y), heights.at(right, y)) * along);
        south[i] = static_cast<float>(difference(heights.at(x, north), heights.at(x, next)) * down);
    }
}

} // namespace

Field2D<std::uint16_t> ambient_occlusion(core::Run &run, const Field2D<std::int32_t> &heights,
                                         double rise, double reach, Boundary edges) {
    require_cells(heights.extent(), "ambient_occlusion");
    const std::int64_t width = heights.width();
    const std::int64_t height = heights.height();
    std::size_t count = 1;
    const auto all_looks = looks(rise, reach, count);
    const auto copies = smoothed_copies(run, heights, count, edges);
    Field2D<std::uint16_t> result(heights.extent(), run.memory());
    const auto w = static_cast<std::size_t>(width);
    run.for_ranges(height, 8, [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> east(w), south(w), steepest(w), light(w); // the plane, the horizon
        for (std::int64_t y = begin; y < end; ++y) {
            const std::uint32_t *here = copies.front().row(y).data();
            plane_of_row(copies.front(), rise, y, edges, east, south);
            std::fill(light.begin(), light.end(), 0.0f);
            for (const auto &direction : all_looks) {
                std::fill(steepest.begin(), steepest.end(), 0.0f);
                for (const Look &look : direction) {
                    const std::int64_t v = y + look.dy;
                    if (edges == Boundary::bounded && (v < 0 || v >= height)) {
                        continue;
                    }
                    const std::uint32_t *row =
                        copies[look.copy].row(inside(v, height, edges)).data();
                    for_parts(
                        width, look.dx, row, edges,
                        [&](std::int64_t first, std::int64_t last, const std::uint32_t *seen) {
                            for (std::int64_t x = first; x < last; ++x) {
                                const auto i = static_cast<std::size_t>(x);
                                const auto up = static_cast<std::int32_t>(seen[x] - here[x]);
                                const float t = static_cast<float>(up) * look.nearness -
                                                east[i] * look.east - south[i] * look.south;
                                steepest[i] = t > steepest[i] ? t : steepest[i];
                            }
                        });
                }
                for (std::size_t x = 0; x < w; ++x) {
                    light[x] += 1 / (1 + steepest[x] * steepest[x]);
                }
            }
            for (std::size_t x = 0; x < w; ++x) {
                result.at(static_cast<std::int64_t>(x), y) =
                    static_cast<std::uint16_t>(light[x] * (65535.0f / kDirections) + 0.5f);
            }
        }
    });
    return result;
}

} // namespace karst::shape
