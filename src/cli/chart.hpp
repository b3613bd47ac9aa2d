// Diagrams: a frame with numbered axes, and what is drawn inside it in the axes' own units.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <karst/field.hpp>

namespace karst::cli {

using Canvas = Field2D<std::uint32_t>; // 0x00RRGGBB

inline constexpr std::uint32_t kChartPaper = 0xffffff;
inline constexpr std::uint32_t kChartInk = 0x202020;

struct Axis {
    std::string title; // with its unit
    double low = 0;
    double high = 1;
    bool numbers = true; // false: neither ticks nor numbers
};

// Numbers at which an axis is labelled: multiples of 1, 2 or 5 times a power of ten, about `count`.
std::vector<double> ticks(const Axis &axis, int count);

class Chart {
public:
    // The frame's inside is `size` pixels from (left, top) of the canvas on; titles and numbers
    // need kMargin pixels around it.
    Chart(Canvas &canvas, std::int64_t left, std::int64_t top, Extent2 size, Axis x, Axis y);
    static constexpr std::int64_t kMargin = 80;

    // The colour of each pixel by the coordinates of its middle.
    void fill(const std::function<std::uint32_t(double x, double y)> &colour);
    // A line through points, `thickness` pixels; points that are not finite are left out.
    void line(const std::vector<std::pair<double, double>> &points, std::uint32_t colour,
              std::int64_t thickness);
    // A square of `side` pixels on each point inside the frame.
    void dots(const std::vector<std::pair<double, double>> &points, std::uint32_t colour,
              std::int64_t side);
    // Frame, ticks, numbers and titles; after what lies inside.
    void axes(const std::string &title);

private:
    std::int64_t column(double x) const; // of the canvas; any number
    std::int64_t row(double y) const;
    void stamp(std::int64_t column, std::int64_t row, std::int64_t side, std::uint32_t colour);

    Canvas &canvas_;
    std::int64_t left_, top_;
    Extent2 size_;
    Axis x_, y_;
};

// A square of a colour and what it means.
void draw_key(Canvas &canvas, std::int64_t left, std::int64_t top, std::uint32_t colour,
              const std::string &text);

// At the top of the canvas.
void draw_heading(Canvas &canvas, const std::string &text);

} // namespace karst::cli
