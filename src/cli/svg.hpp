// Diagrams as SVG, for pages: a frame with numbered axes, lines and bands in the axes' own units.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace karst::cli {

// Text as it stands between tags and in attributes of HTML.
std::string escaped(std::string_view text);

struct SvgAxis {
    std::string title; // with its unit
    double low = 0;
    double high = 1;
    bool logarithmic = false; // then low > 0
};

class SvgChart {
public:
    using Points = std::vector<std::pair<double, double>>;

    SvgChart(std::string title, SvgAxis x, SvgAxis y);

    // Between two curves over the same x. Points that are not finite, or not above 0 on a
    // logarithmic axis, are left out.
    void band(const Points &low, const Points &high, const std::string &colour);
    void line(const Points &points, const std::string &colour, const std::string &key,
              bool dashed = false);
    // The whole <svg> element.
    std::string text() const;

private:
    bool drawable(double x, double y) const;
    std::string place(double x, double y) const; // "x,y" in pixels
    double column(double x) const;
    double row(double y) const;

    std::string title_;
    SvgAxis x_, y_;
    std::string inside_;
    std::vector<std::string> keys_;
};

} // namespace karst::cli
