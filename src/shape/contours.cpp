#include "shape/contours.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <string>

#include "shape/crossing.hpp"
#include "shape/grid.hpp"
#include "shape/shape.hpp"

namespace karst::shape {

namespace {

constexpr std::int64_t kLargestSide = 65536;
constexpr std::uint64_t kMostVertices = 0xFFFFFFFEu; // glTF keeps 2^32 - 1 for itself
constexpr std::uint32_t kNoVertex = 0xFFFFFFFFu;

// What a point of the lattice has: an open sample, crossed lines to the next point along x and y.
constexpr unsigned kSample = 1;
constexpr unsigned kAlongX = 2;
constexpr unsigned kAlongY = 4;
constexpr unsigned kCrossings = kAlongX | kAlongY;

struct VertexPlace { // of a vertex: a sample or a crossing at a point
    std::int64_t x, y;
    unsigned kind;
};

// The samples with a layer of rock around them that lies on the border of the map; point i is the
// centre of cell i - 1.
class Lattice {
public:
    Lattice(core::Run &run, const Field2D<std::uint16_t> &density, double cell,
            const char *function)
        : density_(density), cell_(cell) {
        require_range(density.width(), 1, kLargestSide, function, "width");
        require_range(density.height(), 1, kLargestSide, function, "height");
        if (!(cell > 0 && std::isfinite(cell))) {
            throw Error(ErrorCode::invalid_argument, std::string(function) + ": cell is " +
                                                         std::to_string(cell) +
                                                         " m; allowed is more than 0");
        }
        points_ = Field2D<std::uint8_t>({density.width() + 2, density.height() + 2}, run.memory());
        run.for_rows(points_.height(), [&](std::int64_t y) {
            for (std::int64_t x = 0; x < points_.width(); ++x) {
                const bool here = open(x, y);
                points_.at(x, y) = static_cast<std::uint8_t>(
                    (here ? kSample : 0) | (here != open(x + 1, y) ? kAlongX : 0) |
                    (here != open(x, y + 1) ? kAlongY : 0));
            }
        });
    }

    const Field2D<std::uint8_t> &points() const { return points_; }

    // In metres, x east and y south.
    Vec2 position(const VertexPlace &place) const {
        const std::array<std::int64_t, 2> point = {place.x, place.y};
        const std::array<std::int64_t, 2> cells = {density_.width(), density_.height()};
        std::array<double, 2> at = {static_cast<double>(place.x) - 0.5,
                                    static_cast<double>(place.y) - 0.5};
        if (place.kind != kSample) {
            const std::size_t axis = place.kind == kAlongX ? 0 : 1;
            if (point[axis] == 0) {
                at[axis] = 0;
            } else if (point[axis] == cells[axis]) {
                at[axis] = static_cast<double>(cells[axis]);
            } else {
                const std::uint16_t from = density_.at(place.x - 1, place.y - 1);
                at[axis] += crossing(from, axis == 0 ? density_.at(place.x, place.y - 1)
                                                     : density_.at(place.x - 1, place.y));
            }
        }
        return {static_cast<float>(at[0] * cell_), static_cast<float>(at[1] * cell_)};
    }

    // f(x, y) for each square; one row after another or in parallel, within a row in order.
    template <class F>
    void for_square_rows(core::Run &run, F &&f) const {
        run.for_rows(points_.height() - 1, [&](std::int64_t y) {
            for (std::int64_t x = 0; x + 1 < points_.width(); ++x) {
                f(x, y);
            }
        });
    }

private:
    bool open(std::int64_t x, std::int64_t y) const {
        return x > 0 && y > 0 && x <= density_.width() && y <= density_.height() &&
               density_.at(x - 1, y - 1) >= kOpen;
    }

    const Field2D<std::uint16_t> &density_;
    double cell_;
    Field2D<std::uint8_t> points_;
};

// The open part of a square, counter-clockwise seen from above: runs of open corners, each with the
// crossing before it and the one after it, or all four corners. So open corners across a diagonal
// are separated.
struct Piece {
    std::array<VertexPlace, 5> places;
    std::size_t size = 0;
    bool whole = false; // no crossings: first and last are corners
};

template <class F>
void for_pieces(const Field2D<std::uint8_t> &points, std::int64_t x, std::int64_t y, F &&f) {
    const std::array<VertexPlace, 4> corner = {
        {{x, y, kSample}, {x, y + 1, kSample}, {x + 1, y + 1, kSample}, {x + 1, y, kSample}}};
    // Between a corner and the next: west, south, east, north.
    const std::array<VertexPlace, 4> side = {
        {{x, y, kAlongY}, {x, y + 1, kAlongX}, {x + 1, y, kAlongY}, {x, y, kAlongX}}};
    std::array<bool, 4> open{};
    for (std::size_t i = 0; i < 4; ++i) {
        open[i] = (points.at(corner[i].x, corner[i].y) & kSample) != 0;
    }
    if (open[0] && open[1] && open[2] && open[3]) {
        f(Piece{{corner[0], corner[1], corner[2], corner[3], {}}, 4, true});
        return;
    }
    for (std::size_t i = 0; i < 4; ++i) {
        if (open[i] || !open[(i + 1) % 4]) {
            continue;
        }
        Piece piece;
        piece.places[piece.size++] = side[i];
        std::size_t k = (i + 1) % 4;
        for (; open[k]; k = (k + 1) % 4) {
            piece.places[piece.size++] = corner[k];
        }
        piece.places[piece.size++] = side[(k + 3) % 4];
        f(piece);
    }
}

// Numbers for the vertices of the kinds in `kinds`, in the order of (y, x, kind).
class Numbers {
public:
    Numbers(core::Run &run, const Field2D<std::uint8_t> &points, unsigned kinds)
        : points_(points), kinds_(kinds), first_(points.extent(), run.memory()) {
        std::vector<std::uint64_t> rows(static_cast<std::size_t>(points.height()));
        run.for_rows(points.height(), [&](std::int64_t y) {
            for (const std::uint8_t bits : points.row(y)) {
                rows[static_cast<std::size_t>(y)] +=
                    static_cast<unsigned>(std::popcount(bits & kinds));
            }
        });
        for (std::uint64_t &row : rows) {
            const std::uint64_t before = count_;
            count_ += row;
            row = before;
        }
        if (count_ > kMostVertices) {
            throw Error(ErrorCode::unsupported, "contours: there are " + std::to_string(count_) +
                                                    " vertices; allowed are at most 4294967294");
        }
        run.for_rows(points.height(), [&](std::int64_t y) {
            std::uint64_t number = rows[static_cast<std::size_t>(y)];
            for (std::int64_t x = 0; x < points.width(); ++x) {
                first_.at(x, y) = static_cast<std::uint32_t>(number);
                number += static_cast<unsigned>(std::popcount(points.at(x, y) & kinds));
            }
        });
    }

    std::uint64_t count() const { return count_; }
    std::uint32_t of(const VertexPlace &place) const {
        const unsigned before = points_.at(place.x, place.y) & kinds_ & (place.kind - 1);
        return first_.at(place.x, place.y) + static_cast<unsigned>(std::popcount(before));
    }
    // f(place, number) for each vertex, in parallel.
    template <class F>
    void for_each(core::Run &run, F &&f) const {
        run.for_rows(points_.height(), [&](std::int64_t y) {
            for (std::int64_t x = 0; x < points_.width(); ++x) {
                for (const unsigned kind : {kSample, kAlongX, kAlongY}) {
                    if ((points_.at(x, y) & kinds_ & kind) != 0) {
                        f(VertexPlace{x, y, kind}, of({x, y, kind}));
                    }
                }
            }
        });
    }

private:
    const Field2D<std::uint8_t> &points_;
    unsigned kinds_;
    std::uint64_t count_ = 0;
    Field2D<std::uint32_t> first_; // of each point
};

} // namespace

Field2D<std::uint16_t> smooth_density(core::Run &run, const Field2D<std::uint8_t> &open, int radius,
                                      int passes) {
    require_range(radius, 0, 127, "smooth_density", "radius");
    require_range(passes, 0, 1000, "smooth_density", "passes");
    Field2D<std::uint32_t> density(open.extent(), run.memory());
    const auto each_cell = [&](auto &&f) {
        run.for_ranges(open.size(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                f(i);
            }
        });
    };
    each_cell([&](std::int64_t i) { density[i] = open[i] != 0 ? 0xFFFF : 0; });
    for (int pass = 0; pass < passes; ++pass) {
        const auto once = box_blur(run, density, radius, 1, Boundary::bounded);
        const auto twice = box_blur(run, once, radius, 1, Boundary::bounded);
        each_cell([&](std::int64_t i) { density[i] = smoothed(open[i] != 0, once[i], twice[i]); });
    }
    Field2D<std::uint16_t> result(open.extent(), run.memory());
    each_cell([&](std::int64_t i) { result[i] = static_cast<std::uint16_t>(density[i]); });
    return result;
}

std::vector<Contour> contours(core::Run &run, const Field2D<std::uint16_t> &density, double cell) {
    const Lattice lattice(run, density, cell, "contours");
    const Numbers numbers(run, lattice.points(), kCrossings);
    // Each crossing is entered in one of its two squares and left in the other.
    std::vector<std::uint32_t> next(numbers.count(), kNoVertex);
    lattice.for_square_rows(run, [&](std::int64_t x, std::int64_t y) {
        for_pieces(lattice.points(), x, y, [&](const Piece &piece) {
            if (!piece.whole) {
                next[numbers.of(piece.places[piece.size - 1])] = numbers.of(piece.places[0]);
            }
        });
    });
    std::vector<Vec2> positions(numbers.count());
    numbers.for_each(run, [&](const VertexPlace &place, std::uint32_t number) {
        positions[number] = lattice.position(place);
    });
    std::vector<Contour> result;
    for (std::size_t start = 0; start < next.size(); ++start) {
        if (next[start] == kNoVertex) {
            continue;
        }
        run.check_cancel();
        Contour contour;
        for (std::size_t at = start; next[at] != kNoVertex;) {
            contour.points.push_back(positions[at]);
            const std::size_t following = next[at];
            next[at] = kNoVertex;
            at = following;
        }
        result.push_back(std::move(contour));
    }
    return result;
}

Mesh extruded_walls(core::Run &run, const Field2D<std::uint16_t> &density, double cell,
                    double wall_height, bool floor, bool ceiling) {
    if (!(wall_height > 0 && std::isfinite(wall_height))) {
        throw Error(ErrorCode::invalid_argument, "extruded_walls: wall_height is " +
                                                     std::to_string(wall_height) +
                                                     " m; allowed is more than 0");
    }
    const Lattice lattice(run, density, cell, "extruded_walls");
    const Numbers below(run, lattice.points(), kCrossings | (floor ? kSample : 0));
    const Numbers above(run, lattice.points(), kCrossings | (ceiling ? kSample : 0));
    const std::uint64_t vertices = below.count() + above.count();

    const auto triangles_of = [&](const Piece &piece) {
        const std::size_t flat = piece.size - 2;
        return (floor ? flat : 0) + (ceiling ? flat : 0) + (piece.whole ? 0 : 2);
    };
    std::vector<std::uint64_t> first(static_cast<std::size_t>(lattice.points().height()));
    lattice.for_square_rows(run, [&](std::int64_t x, std::int64_t y) {
        for_pieces(lattice.points(), x, y, [&](const Piece &piece) {
            first[static_cast<std::size_t>(y)] += triangles_of(piece);
        });
    });
    std::uint64_t triangles = 0;
    for (std::uint64_t &row : first) {
        const std::uint64_t before = triangles;
        triangles += row;
        row = before;
    }
    if (vertices > kMostVertices) {
        throw Error(ErrorCode::unsupported, "extruded_walls: the mesh has " +
                                                std::to_string(vertices) +
                                                " vertices; a mesh has at most 4294967294");
    }
    core::require_memory(vertices * sizeof(Vec3) + triangles * 3 * sizeof(std::uint32_t),
                         "the walls' mesh", run.options());

    Mesh mesh;
    mesh.positions.resize(vertices);
    mesh.indices.resize(3 * triangles);
    const auto top = static_cast<std::uint32_t>(below.count());
    below.for_each(run, [&](const VertexPlace &place, std::uint32_t number) {
        const Vec2 at = lattice.position(place);
        mesh.positions[number] = {at[0], 0, at[1]};
    });
    above.for_each(run, [&](const VertexPlace &place, std::uint32_t number) {
        const Vec2 at = lattice.position(place);
        mesh.positions[top + number] = {at[0], static_cast<float>(wall_height), at[1]};
    });
    lattice.for_square_rows(run, [&](std::int64_t x, std::int64_t y) {
        for_pieces(lattice.points(), x, y, [&](const Piece &piece) {
            std::uint64_t &triangle = first[static_cast<std::size_t>(y)];
            const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
                std::uint32_t *out = mesh.indices.data() + 3 * triangle++;
                out[0] = a;
                out[1] = b;
                out[2] = c;
            };
            const VertexPlace &entry = piece.places[0];
            const VertexPlace &exit = piece.places[piece.size - 1];
            for (std::size_t i = 1; floor && i + 1 < piece.size; ++i) {
                add(below.of(entry), below.of(piece.places[i]), below.of(piece.places[i + 1]));
            }
            if (!piece.whole) { // seen from the open side, which is to the left from exit to entry
                add(below.of(entry), below.of(exit), top + above.of(exit));
                add(below.of(entry), top + above.of(exit), top + above.of(entry));
            }
            for (std::size_t i = 1; ceiling && i + 1 < piece.size; ++i) {
                add(top + above.of(entry), top + above.of(piece.places[i + 1]),
                    top + above.of(piece.places[i]));
            }
        });
    });
    return mesh;
}

Mesh extruded_walls(core::Run &run, const Field2D<std::uint8_t> &open, double cell,
                    double wall_height, bool floor, bool ceiling) {
    return extruded_walls(run, smooth_density(run, open, 1, 3), cell, wall_height, floor, ceiling);
}

} // namespace karst::shape
