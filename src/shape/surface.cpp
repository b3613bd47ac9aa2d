#include "shape/surface.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "core/memory.hpp"
#include "shape/crossing.hpp"
#include "shape/cube_cases.hpp"
#include "shape/grid.hpp"
#include "shape/volume.hpp"

namespace karst::shape {

namespace {

constexpr std::int64_t kLargestSide = 65536;
constexpr std::uint64_t kMostVertices = 0xFFFFFFFEu; // glTF keeps 2^32 - 1 for itself

// What a point of the lattice knows: whether it is open, and which of its three edges to the next
// point cross the surface.
constexpr unsigned kCrossings = 7; // bit a: along axis a
constexpr unsigned kPointOpen = 8;

// Set bits of up to kCrossings; a processor's own instruction is not there for sure.
constexpr unsigned count_bits(unsigned crossings) {
    return 0xE994u >> 2 * crossings & 3;
}

// The samples with one more layer around them, so point i is the centre of cell i - 1. The layer
// lies on the border of the volume. It is open or rock, or repeats the nearest cell where the
// surface is cut.
class Lattice {
public:
    Lattice(const Field3D<std::uint16_t> &density, Outside outside)
        : density_(density), outside_(outside), points_{density.width() + 2, density.height() + 2,
                                                        density.depth() + 2} {}

    Extent3 extent() const { return points_; }
    std::int64_t rows() const { return points_.height * points_.depth; }

    // 1 where a point of the row is open.
    void open_row(std::int64_t y, std::int64_t z, std::span<std::uint8_t> row) const {
        const bool inner = y > 0 && z > 0 && y + 1 < points_.height && z + 1 < points_.depth;
        if (!inner && outside_ != Outside::cut) {
            std::fill(row.begin(), row.end(), outside_ == Outside::open ? 1 : 0);
            return;
        }
        const auto cells = density_.row(std::clamp<std::int64_t>(y - 1, 0, density_.height() - 1),
                                        std::clamp<std::int64_t>(z - 1, 0, density_.depth() - 1));
        std::transform(cells.begin(), cells.end(), row.begin() + 1, [](std::uint16_t value) {
            return static_cast<std::uint8_t>(value >= kOpen ? 1 : 0);
        });
        const std::uint8_t beyond = outside_ == Outside::open ? 1 : 0;
        row.front() = outside_ == Outside::cut ? row[1] : beyond;
        row.back() = outside_ == Outside::cut ? row[row.size() - 2] : beyond;
    }

    // Where the surface crosses the edge from `point` along `axis`, in cells.
    std::array<double, 3> crossing(const std::array<std::int64_t, 3> &point,
                                   std::size_t axis) const {
        const std::array<std::int64_t, 3> cells = {density_.width(), density_.height(),
                                                   density_.depth()};
        std::array<double, 3> place{};
        std::array<std::int64_t, 3> cell{};
        for (std::size_t a = 0; a < 3; ++a) {
            cell[a] = std::clamp<std::int64_t>(point[a] - 1, 0, cells[a] - 1);
            place[a] = point[a] == 0         ? 0.0
                       : point[a] > cells[a] ? static_cast<double>(cells[a])
                                             : static_cast<double>(point[a]) - 0.5;
        }
        if (point[axis] == cells[axis]) {
            place[axis] = static_cast<double>(cells[axis]);
        } else if (point[axis] > 0) {
            const std::uint16_t from = density_.at(cell[0], cell[1], cell[2]);
            ++cell[axis];
            place[axis] += shape::crossing(from, density_.at(cell[0], cell[1], cell[2]));
        }
        return place;
    }

private:
    const Field3D<std::uint16_t> &density_;
    Outside outside_;
    Extent3 points_;
};

// Eight points of a row at once.
constexpr std::int64_t kWord = 8;

std::uint64_t word_at(const std::uint8_t *points) {
    std::uint64_t word;
    std::memcpy(&word, points, sizeof word);
    return word;
}

// Each byte of eight points.
constexpr std::uint64_t in_each(unsigned bits) {
    return bits * std::uint64_t{0x0101010101010101};
}

// The vertices of the points [begin, end) of a row.
std::uint64_t count_vertices(const std::uint8_t *row, std::int64_t begin, std::int64_t end) {
    std::uint64_t count = 0;
    for (; begin + kWord <= end; begin += kWord) {
        const std::uint64_t word = word_at(row + begin) & in_each(kCrossings);
        count += word == 0 ? 0u : static_cast<unsigned>(std::popcount(word));
    }
    for (; begin < end; ++begin) {
        count += count_bits(row[begin] & kCrossings);
    }
    return count;
}

// Fills the points and counts the vertices of each row.
Field3D<std::uint8_t> classify(core::Run &run, const Lattice &lattice,
                               std::vector<std::uint64_t> &vertices) {
    const Extent3 extent = lattice.extent();
    Field3D<std::uint8_t> points(extent, core::large_pages(run));
    run.for_ranges(lattice.rows(), 8, [&](std::int64_t begin, std::int64_t end) {
        const auto width = static_cast<std::size_t>(extent.width);
        std::vector<std::uint8_t> here(width + 1), next_y(width), next_z(width);
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t z = i / extent.height;
            const std::int64_t y = i - z * extent.height;
            // Past the last point nothing changes, so nothing crosses.
            lattice.open_row(y, z, {here.data(), width});
            lattice.open_row(std::min(y + 1, extent.height - 1), z, next_y);
            lattice.open_row(y, std::min(z + 1, extent.depth - 1), next_z);
            const auto row = points.row(y, z);
            here[width] = here[width - 1];
            for (std::size_t x = 0; x < row.size(); ++x) {
                const unsigned open = here[x];
                row[x] = static_cast<std::uint8_t>((open ^ here[x + 1]) | (open ^ next_y[x]) << 1 |
                                                   (open ^ next_z[x]) << 2 | open * kPointOpen);
            }
            vertices[static_cast<std::size_t>(i)] = count_vertices(row.data(), 0, extent.width);
        }
    });
    return points;
}

// The four rows of points that a row of cubes lies between: row y + 2 z of its first cube.
using CubeRows = std::array<const std::uint8_t *, 4>;

CubeRows cube_rows(const Field3D<std::uint8_t> &points, std::int64_t y, std::int64_t z) {
    return {points.row(y, z).data(), points.row(y + 1, z).data(), points.row(y, z + 1).data(),
            points.row(y + 1, z + 1).data()};
}

// f(x, case) for each cube of a row that the surface crosses.
template <class F>
void for_crossed_cubes(const CubeRows &rows, std::int64_t width, F &&f) {
    const auto column = [&](std::int64_t x) {
        unsigned open = 0;
        for (std::size_t row = 0; row < 4; ++row) {
            open |= unsigned{rows[row][x]} / kPointOpen << 2 * row;
        }
        return open;
    };
    constexpr unsigned kAllOpen = 0x55; // of a column
    unsigned left = column(0);
    for (std::int64_t x = 0; x + 1 < width; ++x) {
        // Most of a volume is all rock or all air.
        while (x + kWord < width && (left == 0 || left == kAllOpen)) {
            std::uint64_t any = 0;
            std::uint64_t all = ~std::uint64_t{0};
            for (const std::uint8_t *row : rows) {
                const std::uint64_t word = word_at(row + x + 1);
                any |= word;
                all &= word;
            }
            if (left == 0 ? (any & in_each(kPointOpen)) != 0
                          : (all & in_each(kPointOpen)) != in_each(kPointOpen)) {
                break;
            }
            x += kWord;
        }
        if (x + 1 >= width) {
            break;
        }
        const unsigned right = column(x + 1);
        const unsigned cube = left | right << 1;
        if (cube != 0 && cube != 255) {
            f(x, cube);
        }
        left = right;
    }
}

// Exclusive sums in place; returns the total.
std::uint64_t sum_up(std::vector<std::uint64_t> &counts) {
    std::uint64_t total = 0;
    for (std::uint64_t &count : counts) {
        const std::uint64_t before = total;
        total += count;
        count = before;
    }
    return total;
}

void place_vertices(const Lattice &lattice, std::span<const std::uint8_t> row, std::int64_t y,
                    std::int64_t z, double cell, Vec3 *out) {
    for (std::size_t x = 0; x < row.size(); ++x) {
        while (x + std::size_t{kWord} < row.size() &&
               (word_at(&row[x]) & in_each(kCrossings)) == 0) {
            x += std::size_t{kWord};
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if ((row[x] >> axis & 1) == 0) {
                continue;
            }
            const auto place = lattice.crossing({static_cast<std::int64_t>(x), y, z}, axis);
            *out++ = {static_cast<float>(place[0] * cell), static_cast<float>(place[2] * cell),
                      static_cast<float>(place[1] * cell)};
        }
    }
}

// Vertices are numbered along each row, so the numbers of a cube's vertices follow from how many
// lie before it in its four rows; `first` are the rows' first numbers.
void place_triangles(const CubeRows &rows, std::int64_t width, std::array<std::uint64_t, 4> first,
                     std::uint32_t *out) {
    const std::array<CubeCase, 256> &cases = cube_cases();
    std::int64_t reached = 0;
    for_crossed_cubes(rows, width, [&](std::int64_t x, unsigned cube) {
        for (std::size_t row = 0; row < 4; ++row) {
            first[row] += count_vertices(rows[row], reached, x);
        }
        reached = x;
        // The vertex on the edge along `axis` from the point of `row` at x + `step`.
        const auto vertex = [&](std::size_t row, int step, int axis) {
            std::uint64_t number = first[row];
            if (step == 1) {
                number += count_bits(rows[row][x] & kCrossings);
            }
            const unsigned before = (1u << axis) - 1;
            return static_cast<std::uint32_t>(number + count_bits(rows[row][x + step] & before));
        };
        const CubeCase &known = cases[cube];
        for (int i = 0; i < known.triangles; ++i) {
            for (const int edge : known.edges[static_cast<std::size_t>(i)]) {
                const auto [axis, corner] = cube_edge(edge);
                *out++ = vertex(static_cast<std::size_t>(corner / 2), corner & 1, axis);
            }
        }
    });
}

void require_fit(core::Run &run, std::uint64_t vertices, std::uint64_t triangles) {
    if (vertices > kMostVertices) {
        throw Error(ErrorCode::unsupported, "extract_surface: the surface has " +
                                                std::to_string(vertices) +
                                                " vertices; a mesh has at most 4294967294");
    }
    core::require_memory(vertices * sizeof(Vec3) + triangles * 3 * sizeof(std::uint32_t),
                         "the surface's mesh", run.options());
}

} // namespace

Mesh extract_surface(core::Run &run, const Field3D<std::uint16_t> &density, double cell,
                     Outside outside) {
    require_range(density.width(), 1, kLargestSide, "extract_surface", "width");
    require_range(density.height(), 1, kLargestSide, "extract_surface", "height");
    require_range(density.depth(), 1, kLargestSide, "extract_surface", "depth");
    if (!(cell > 0 && std::isfinite(cell))) {
        throw Error(ErrorCode::invalid_argument, "extract_surface: cell is " +
                                                     std::to_string(cell) +
                                                     " m; allowed is more than 0");
    }
    const Lattice lattice(density, outside);
    const Extent3 extent = lattice.extent();
    core::require_memory(static_cast<std::uint64_t>(extent.cells()), "the surface's lattice",
                         run.options());
    std::vector<std::uint64_t> vertices(static_cast<std::size_t>(lattice.rows()));
    const Field3D<std::uint8_t> points = classify(run, lattice, vertices);

    // Rows of cubes are numbered like the rows of points at their lower corners.
    std::vector<std::uint64_t> triangles(vertices.size());
    const auto for_cube_rows = [&](auto &&f) {
        run.for_ranges(lattice.rows(), 8, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t z = i / extent.height;
                const std::int64_t y = i - z * extent.height;
                if (y + 1 < extent.height && z + 1 < extent.depth) {
                    f(static_cast<std::size_t>(i), cube_rows(points, y, z));
                }
            }
        });
    };
    const std::array<CubeCase, 256> &cases = cube_cases();
    for_cube_rows([&](std::size_t row, const CubeRows &rows) {
        for_crossed_cubes(rows, extent.width, [&](std::int64_t, unsigned cube) {
            triangles[row] += static_cast<unsigned>(cases[cube].triangles);
        });
    });
    const std::uint64_t vertex_count = sum_up(vertices);
    const std::uint64_t triangle_count = sum_up(triangles);
    require_fit(run, vertex_count, triangle_count);

    Mesh mesh;
    core::resize(run, mesh.positions, vertex_count);
    core::resize(run, mesh.indices, 3 * triangle_count);
    run.for_ranges(lattice.rows(), 8, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t z = i / extent.height;
            const std::int64_t y = i - z * extent.height;
            place_vertices(lattice, points.row(y, z), y, z, cell,
                           mesh.positions.data() + vertices[static_cast<std::size_t>(i)]);
        }
    });
    const auto up = static_cast<std::size_t>(extent.height);
    for_cube_rows([&](std::size_t row, const CubeRows &rows) {
        place_triangles(
            rows, extent.width,
            {vertices[row], vertices[row + 1], vertices[row + up], vertices[row + up + 1]},
            mesh.indices.data() + 3 * triangles[row]);
    });
    return mesh;
}

Field3D<std::uint16_t> smooth_density(core::Run &run, const Field3D<std::uint8_t> &open, int radius,
                                      int passes) {
    require_range(radius, 0, 127, "smooth_density", "radius");
    require_range(passes, 0, 1000, "smooth_density", "passes");
    Field3D<std::uint16_t> density(open.extent(), core::large_pages(run));
    const auto each_cell = [&](auto &&f) {
        run.for_ranges(open.size(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                density[i] = static_cast<std::uint16_t>(f(i));
            }
        });
    };
    each_cell([&](std::int64_t i) { return open[i] != 0 ? 0xFFFF : 0; });
    for (int pass = 0; pass < passes; ++pass) {
        const Field3D<std::uint16_t> once = box_blur(run, density, radius, 1);
        const Field3D<std::uint16_t> twice = box_blur(run, once, radius, 1);
        each_cell([&](std::int64_t i) { return smoothed(open[i] != 0, once[i], twice[i]); });
    }
    return density;
}

} // namespace karst::shape
