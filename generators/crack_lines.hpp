// Cracks as geometry: polylines on a layout grid that wraps, in fixed point.
#pragma once

#include <cstdint>
#include <vector>

#include <karst/field.hpp>

#include "core/run.hpp"
#include "shape/shape.hpp"

namespace karst::crack {

inline constexpr int kPointBits = 16;
inline constexpr std::int64_t kOneCell = std::int64_t{1} << kPointBits;

// Slots of core::stage_crack: no two uses draw the same numbers.
enum Slot : std::uint32_t {
    slot_open = 0x10, // where joints open
    slot_turn,        // their direction
    slot_start,       // where a plate is cut, and how
    slot_spread,      // how large a piece may stay
    slot_dead_end,
    slot_rim,    // which cells of a rim crumble
    slot_settle, // how deep a plate has sunk
    slot_tilt,
    slot_swell,            // width along the lines
    slot_roughness = 0x20, // + octave
};

// Cells of a layout grid with 16 fraction bits, not wrapped: a line is continuous across borders.
struct Point {
    std::int64_t x = 0;
    std::int64_t y = 0;
    friend constexpr bool operator==(const Point &, const Point &) = default;
    friend constexpr Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
    friend constexpr Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
};

struct Line {
    std::vector<Point> points;         // at least 2
    std::vector<std::uint32_t> widths; // at each point, of the crack width, 16 fraction bits
};

constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
    return a / b - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);
}
constexpr std::int64_t wrap(std::int64_t i, std::int64_t size) {
    const std::int64_t remainder = i % size;
    return remainder < 0 ? remainder + size : remainder;
}
// Index of the cell of a grid that a point lies in.
constexpr std::int64_t cell_at(Point p, Extent2 grid) {
    return wrap(p.y >> kPointBits, grid.height) * grid.width + wrap(p.x >> kPointBits, grid.width);
}

// The longer of the two components.
constexpr std::int64_t reach(Point p) {
    const std::int64_t x = p.x < 0 ? -p.x : p.x;
    const std::int64_t y = p.y < 0 ? -p.y : p.y;
    return x > y ? x : y;
}

// The point on another grid over the same ground; a whole turn of one torus is a whole turn of the
// other.
constexpr Point on_grid(Point p, Extent2 from, Extent2 to) {
    return {floor_div(p.x * to.width, from.width), floor_div(p.y * to.height, from.height)};
}

// The line with further points on it, on the Catmull-Rom spline through its points, so that no two
// neighbours are farther apart than about `spacing`. Its own points stay.
Line refined(const Line &line, std::int64_t spacing);

// The borders between plates of a grid, each from junction to junction or closed, smoothed by
// `passes` of corner cutting in which junctions move along; `strength` is read along the lines.
std::vector<Line> trace_borders(const Field2D<std::uint32_t> &plates,
                                const Field2D<std::uint32_t> &strength, int passes);

// Unites each plate of fewer than `least` cells with the neighbour to which the border is weakest,
// smallest plate first.
void merge_small(Field2D<std::uint32_t> &plates, const Field2D<std::uint32_t> &strength,
                 std::int64_t least);

// Smooth noise with values of 16 fraction bits in [-1, 1), periodic over a grid.
class TorusNoise {
public:
    // `wavelengths` is how many lattice cells the grid is across; at least 1 x 1.
    TorusNoise(std::uint64_t seed, std::uint32_t slot, Extent2 grid, Extent2 wavelengths)
        : seed_(seed), slot_(slot), grid_(grid), lattice_(wavelengths) {}
    Point at(Point p) const; // two independent values

private:
    std::uint64_t seed_;
    std::uint32_t slot_;
    Extent2 grid_, lattice_;
};

} // namespace karst::crack
