#include "cli/chart.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/lettering.hpp"

namespace karst::cli {

namespace {

constexpr std::int64_t kScale = 2; // of all text
constexpr std::int64_t kTick = 8;
constexpr std::int64_t kLabelLine = kTextLine * kScale;

std::string label_of(double value, double step) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", std::abs(value) < step / 1000 ? 0.0 : value);
    return text;
}

void fill_rectangle(Canvas &canvas, std::int64_t left, std::int64_t top, Extent2 size,
                    std::uint32_t colour) {
    for (std::int64_t y = std::max<std::int64_t>(top, 0);
         y < std::min(top + size.height, canvas.height()); ++y) {
        for (std::int64_t x = std::max<std::int64_t>(left, 0);
             x < std::min(left + size.width, canvas.width()); ++x) {
            canvas.at(x, y) = colour;
        }
    }
}

} // namespace

std::vector<double> ticks(const Axis &axis, int count) {
    const double span = axis.high - axis.low;
    double power = 1;
    while (power * count > span) {
        power /= 10;
    }
    while (power * count * 10 <= span) {
        power *= 10;
    }
    double step = power;
    for (const double factor : {2.0, 5.0, 10.0}) {
        if (span / step > count) {
            step = factor * power;
        }
    }
    std::vector<double> list;
    for (auto i = static_cast<std::int64_t>(std::ceil(axis.low / step - 1e-9));
         static_cast<double>(i) * step <= axis.high + 1e-9 * step; ++i) {
        list.push_back(static_cast<double>(i) * step);
    }
    return list;
}

Chart::Chart(Canvas &canvas, std::int64_t left, std::int64_t top, Extent2 size, Axis x, Axis y)
    : canvas_(canvas), left_(left), top_(top), size_(size), x_(std::move(x)), y_(std::move(y)) {}

std::int64_t Chart::column(double x) const {
    const double share = (x - x_.low) / (x_.high - x_.low);
    return left_ + static_cast<std::int64_t>(
                       std::floor(std::clamp(share, -2.0, 3.0) * static_cast<double>(size_.width)));
}

std::int64_t Chart::row(double y) const {
    const double share = (y_.high - y) / (y_.high - y_.low);
    return top_ + static_cast<std::int64_t>(
                      std::floor(std::clamp(share, -2.0, 3.0) * static_cast<double>(size_.height)));
}

void Chart::fill(const std::function<std::uint32_t(double x, double y)> &colour) {
    const auto along = [](const Axis &axis, std::int64_t i, std::int64_t size) {
        return axis.low +
               (axis.high - axis.low) * (static_cast<double>(i) + 0.5) / static_cast<double>(size);
    };
    for (std::int64_t j = 0; j < size_.height; ++j) {
        const double y = along(y_, size_.height - 1 - j, size_.height);
        for (std::int64_t i = 0; i < size_.width; ++i) {
            canvas_.at(left_ + i, top_ + j) = colour(along(x_, i, size_.width), y);
        }
    }
}

void Chart::stamp(std::int64_t column, std::int64_t row, std::int64_t side, std::uint32_t colour) {
    for (std::int64_t y = row - side / 2; y < row - side / 2 + side; ++y) {
        for (std::int64_t x = column - side / 2; x < column - side / 2 + side; ++x) {
            if (x >= left_ && x < left_ + size_.width && y >= top_ && y < top_ + size_.height) {
                canvas_.at(x, y) = colour;
            }
        }
    }
}

void Chart::line(const std::vector<std::pair<double, double>> &points, std::uint32_t colour,
                 std::int64_t thickness) {
    for (std::size_t i = 1; i < points.size(); ++i) {
        const auto &[x0, y0] = points[i - 1];
        const auto &[x1, y1] = points[i];
        if (!std::isfinite(y0) || !std::isfinite(y1)) {
            continue;
        }
        const std::int64_t from_x = column(x0), from_y = row(y0);
        const std::int64_t to_x = column(x1), to_y = row(y1);
        const std::int64_t steps =
            std::max({std::abs(to_x - from_x), std::abs(to_y - from_y), std::int64_t{1}});
        for (std::int64_t k = 0; k <= steps; ++k) {
            stamp(from_x + (to_x - from_x) * k / steps, from_y + (to_y - from_y) * k / steps,
                  thickness, colour);
        }
    }
}

void Chart::dots(const std::vector<std::pair<double, double>> &points, std::uint32_t colour,
                 std::int64_t side) {
    for (const auto &[x, y] : points) {
        if (std::isfinite(y)) {
            stamp(column(x), row(y), side, colour);
        }
    }
}

void Chart::axes(const std::string &title) {
    const std::int64_t right = left_ + size_.width;
    const std::int64_t bottom = top_ + size_.height;
    fill_rectangle(canvas_, left_ - 2, top_ - 2, {2, size_.height + 4}, kChartInk);
    fill_rectangle(canvas_, right, top_ - 2, {2, size_.height + 4}, kChartInk);
    fill_rectangle(canvas_, left_ - 2, top_ - 2, {size_.width + 4, 2}, kChartInk);
    fill_rectangle(canvas_, left_ - 2, bottom, {size_.width + 4, 2}, kChartInk);
    const auto xs = x_.numbers ? ticks(x_, 6) : std::vector<double>{};
    for (const double x : xs) {
        const std::int64_t at = column(x);
        const std::string label = label_of(x, xs.size() > 1 ? xs[1] - xs[0] : 1);
        fill_rectangle(canvas_, at - 1, bottom, {2, kTick}, kChartInk);
        draw_text(canvas_, at - text_width(label) * kScale / 2, bottom + kTick + 6, label, kScale,
                  kChartInk);
    }
    const auto ys = y_.numbers ? ticks(y_, 6) : std::vector<double>{};
    for (const double y : ys) {
        const std::int64_t at = row(y);
        const std::string label = label_of(y, ys.size() > 1 ? ys[1] - ys[0] : 1);
        fill_rectangle(canvas_, left_ - kTick, at - 1, {kTick, 2}, kChartInk);
        draw_text(canvas_, left_ - kTick - 6 - text_width(label) * kScale, at - 7, label, kScale,
                  kChartInk);
    }
    draw_text(canvas_, left_ + (size_.width - text_width(x_.title) * kScale) / 2,
              bottom + kTick + 6 + kLabelLine + 2, x_.title, kScale, kChartInk);
    // The title of y lies above its axis, where it is read without turning the head.
    draw_text(canvas_, left_ - 2, top_ - kLabelLine - 4, y_.title, kScale, kChartInk);
    draw_text(canvas_, left_ - 2, top_ - 2 * kLabelLine - 14, title, kScale, kChartInk);
}

void draw_key(Canvas &canvas, std::int64_t left, std::int64_t top, std::uint32_t colour,
              const std::string &text) {
    fill_rectangle(canvas, left, top, {16, 16}, kChartInk);
    fill_rectangle(canvas, left + 1, top + 1, {14, 14}, colour);
    draw_text(canvas, left + 26, top + 1, text, kScale, kChartInk);
}

void draw_heading(Canvas &canvas, const std::string &text) {
    draw_text(canvas, 30, 30, text, kScale, kChartInk);
}

} // namespace karst::cli
