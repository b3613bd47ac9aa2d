#include "cli/svg.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/chart.hpp"

namespace karst::cli {

namespace {

constexpr double kWidth = 440; // of the frame, in pixels
constexpr double kHeight = 300;
constexpr double kLeft = 78;
constexpr double kTop = 34;
constexpr double kBottom = 52;
constexpr double kKeyHeight = 18;

template <class... Values>
std::string svg_text(const char *format, Values... values) {
    char text[256];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

// Where an axis is numbered: powers of ten where it is logarithmic and holds two of them.
std::vector<double> marks(const SvgAxis &axis) {
    if (axis.logarithmic) {
        std::vector<double> all;
        const int first = static_cast<int>(std::ceil(std::log10(axis.low) - 1e-9));
        const int last = static_cast<int>(std::floor(std::log10(axis.high) + 1e-9));
        const int step = std::max(1, (last - first + 6) / 7);
        for (int power = first; power <= last; power += step) {
            all.push_back(std::pow(10.0, power));
        }
        if (all.size() >= 2) {
            return all;
        }
    }
    return ticks({"", axis.low, axis.high}, 6);
}

double share(const SvgAxis &axis, double value) {
    const auto scaled = [&axis](double v) { return axis.logarithmic ? std::log(v) : v; };
    return (scaled(value) - scaled(axis.low)) / (scaled(axis.high) - scaled(axis.low));
}

} // namespace

std::string escaped(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        switch (c) {
        case '&':
            safe += "&amp;";
            break;
        case '<':
            safe += "&lt;";
            break;
        case '>':
            safe += "&gt;";
            break;
        case '"':
            safe += "&quot;";
            break;
        default:
            safe += c;
        }
    }
    return safe;
}

SvgChart::SvgChart(std::string title, SvgAxis x, SvgAxis y)
    : title_(std::move(title)), x_(std::move(x)), y_(std::move(y)) {
    for (SvgAxis *const axis : {&x_, &y_}) {
        if (!(axis->high > axis->low)) { // one value only
            axis->high = axis->logarithmic ? axis->low * 10 : axis->low + 1;
        }
    }
}

double SvgChart::column(double x) const {
    return kLeft + kWidth * share(x_, x);
}

double SvgChart::row(double y) const {
    return kTop + kHeight * (1 - share(y_, y));
}

bool SvgChart::drawable(double x, double y) const {
    return std::isfinite(x) && std::isfinite(y) && (!x_.logarithmic || x > 0) &&
           (!y_.logarithmic || y > 0);
}

std::string SvgChart::place(double x, double y) const {
    return svg_text("%.1f,%.1f", column(std::clamp(x, x_.low, x_.high)),
                    row(std::clamp(y, y_.low, y_.high)));
}

void SvgChart::band(const Points &low, const Points &high, const std::string &colour) {
    std::string there;
    std::string back;
    for (std::size_t i = 0; i < low.size(); ++i) {
        const auto [x, bottom] = low[i];
        const double top = high[i].second;
        // A bound of 0 reaches the frame's edge on a logarithmic axis.
        const double least = y_.logarithmic ? std::max(bottom, y_.low) : bottom;
        if (drawable(x, least) && drawable(x, top)) {
            there += place(x, top) + " ";
            back = place(x, least) + " " + back;
        }
    }
    if (!there.empty()) {
        inside_ += "<polygon points=\"" + there + back + "\" fill=\"" + colour +
                   "\" fill-opacity=\"0.25\"/>\n";
    }
}

void SvgChart::line(const Points &points, const std::string &colour, const std::string &key,
                    bool dashed) {
    std::string way;
    std::string dots;
    for (const auto &[x, y] : points) {
        if (drawable(x, y)) {
            way += place(x, y) + " ";
            dots += svg_text("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>",
                             column(std::clamp(x, x_.low, x_.high)),
                             row(std::clamp(y, y_.low, y_.high)));
        }
    }
    inside_ += "<polyline points=\"" + way + "\" fill=\"none\" stroke=\"" + colour +
               "\" stroke-width=\"1.6\"" + (dashed ? " stroke-dasharray=\"6 4\"" : "") + "/>\n";
    if (!dashed) {
        inside_ += "<g fill=\"" + colour + "\">" + dots + "</g>\n";
    }
    const double y = kTop + kHeight + kBottom + kKeyHeight * static_cast<double>(keys_.size()) + 4;
    keys_.push_back(svg_text("<line x1=\"%.0f\" y1=\"%.1f\" x2=\"%.0f\" y2=\"%.1f\" stroke=\"",
                             kLeft, y - 4, kLeft + 26, y - 4) +
                    colour + "\" stroke-width=\"2\"" + (dashed ? " stroke-dasharray=\"6 4\"" : "") +
                    "/>" + svg_text("<text x=\"%.0f\" y=\"%.1f\">", kLeft + 34, y) + escaped(key) +
                    "</text>\n");
}

std::string SvgChart::text() const {
    const double height = kTop + kHeight + kBottom + kKeyHeight * static_cast<double>(keys_.size());
    std::string svg =
        svg_text("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 %.0f "
                 "%.0f\" width=\"%.0f\" height=\"%.0f\" role=\"img\">\n",
                 kLeft + kWidth + 24, height, kLeft + kWidth + 24, height);
    svg += svg_text("<text x=\"%.0f\" y=\"18\" class=\"title\">", kLeft) + escaped(title_) +
           "</text>\n";
    for (const double mark : marks(x_)) {
        const double x = column(mark);
        svg += svg_text("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"grid\"/>", x,
                        kTop, x, kTop + kHeight) +
               svg_text("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>\n", x,
                        kTop + kHeight + 16, mark);
    }
    for (const double mark : marks(y_)) {
        const double y = row(mark);
        svg += svg_text("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"grid\"/>",
                        kLeft, y, kLeft + kWidth, y) +
               svg_text("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", kLeft - 6,
                        y + 4, mark);
    }
    svg += inside_;
    svg += svg_text("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
                    "class=\"frame\"/>\n",
                    kLeft, kTop, kWidth, kHeight);
    svg += svg_text("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", kLeft + kWidth / 2,
                    kTop + kHeight + 34) +
           escaped(x_.title) + "</text>\n";
    svg += svg_text("<text transform=\"translate(16 %.1f) rotate(-90)\" text-anchor=\"middle\">",
                    kTop + kHeight / 2) +
           escaped(y_.title) + "</text>\n";
    for (const std::string &key : keys_) {
        svg += key;
    }
    return svg + "</svg>\n";
}

} // namespace karst::cli
