// The graph of cracks as SVG.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "generators/crack_graph.hpp"
#include "generators/crack_lines.hpp"

namespace karst::crack {

namespace {

using shape::GraphEdge;
using shape::GraphPoint;

// Hundredths as "12.34", without what is 0 at the end.
std::string hundredths(std::int64_t value) {
    std::string text = value < 0 ? "-" : "";
    const std::int64_t size = value < 0 ? -value : value;
    text += std::to_string(size / 100);
    if (size % 100 != 0) {
        text += "." + std::to_string(size % 100 / 10);
        if (size % 10 != 0) {
            text += std::to_string(size % 10);
        }
    }
    return text;
}

// A copy of the tile lies so many cells further on.
struct Shift {
    std::int64_t x, y;
};

class Draughtsman {
public:
    Draughtsman(Extent2 extent, int divided)
        : extent_(extent), unit_(shape::kGraphUnit * divided) {}

    // The copies of the edge that the tile shows, each as lines of nearly even width.
    void draw(const GraphEdge &edge, std::size_t number, std::string &svg) const {
        svg += "<g id=\"edge" + std::to_string(number) + "\">\n";
        for (const Shift shift : copies(edge)) {
            for (std::size_t begin = 0; begin + 1 < edge.points.size();) {
                const std::size_t end = even_until(edge.points, begin);
                draw_line(edge.points, begin, end, shift, svg);
                begin = end;
            }
        }
        svg += "</g>\n";
    }

private:
    std::string length(std::int64_t value) const {
        return hundredths((value * 100 + unit_ / 2) / unit_);
    }

    std::vector<Shift> copies(const GraphEdge &edge) const {
        std::int64_t left = edge.points.front().x, right = left;
        std::int64_t top = edge.points.front().y, bottom = top, half = 0;
        for (const GraphPoint &p : edge.points) {
            left = std::min(left, p.x);
            right = std::max(right, p.x);
            top = std::min(top, p.y);
            bottom = std::max(bottom, p.y);
            half = std::max(half, p.width / 2 + unit_);
        }
        // Copies k with low + k * side < side and high + k * side > 0.
        const auto range = [&](std::int64_t low, std::int64_t high, std::int64_t side) {
            const std::int64_t whole = side * unit_;
            return std::pair(floor_div(-(high + half), whole) + 1, -floor_div(low - half, whole));
        };
        std::vector<Shift> all;
        const auto [x0, x1] = range(left, right, extent_.width);
        const auto [y0, y1] = range(top, bottom, extent_.height);
        for (std::int64_t y = y0; y <= y1; ++y) {
            for (std::int64_t x = x0; x <= x1; ++x) {
                all.push_back({x * extent_.width * unit_, y * extent_.height * unit_});
            }
        }
        return all;
    }

    // The point up to which widths differ by at most an eighth and half a cell.
    std::size_t even_until(const std::vector<GraphPoint> &points, std::size_t begin) const {
        std::int64_t least = points[begin].width, most = least;
        std::size_t end = begin + 1;
        for (; end < points.size(); ++end) {
            least = std::min(least, points[end].width);
            most = std::max(most, points[end].width);
            if (end > begin + 1 && most - least > least / 8 + unit_ / 2) {
                return end - 1;
            }
        }
        return end - 1;
    }

    void draw_line(const std::vector<GraphPoint> &points, std::size_t begin, std::size_t end,
                   Shift shift, std::string &svg) const {
        std::int64_t width = 0;
        std::string list;
        for (std::size_t i = begin; i <= end; ++i) {
            width += points[i].width;
            list += (list.empty() ? "" : " ") + length(points[i].x + shift.x) + "," +
                    length(points[i].y + shift.y);
        }
        width /= static_cast<std::int64_t>(end - begin + 1);
        svg += "<polyline stroke-width=\"" + length(width) + "\" points=\"" + list + "\"/>\n";
    }

    Extent2 extent_;
    std::int64_t unit_; // of the graph in an output's cell
};

} // namespace

std::string drawing(const shape::MaskGraph &graph, Extent2 extent, int divided) {
    const std::string width = std::to_string(extent.width);
    const std::string height = std::to_string(extent.height);
    std::string svg = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
                      width + "\" height=\"" + height + "\" viewBox=\"0 0 " + width + " " + height +
                      "\">\n<g fill=\"none\" stroke=\"#000000\" stroke-linecap=\"round\" "
                      "stroke-linejoin=\"round\">\n";
    const Draughtsman draughtsman(extent, divided);
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
        draughtsman.draw(graph.edges[i], i, svg);
    }
    return svg + "</g>\n</svg>\n";
}

} // namespace karst::crack
