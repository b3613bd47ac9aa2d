#include "cli/sensitivity_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "cli/lettering.hpp"
#include "lab/real.hpp"

namespace karst::cli {

namespace {

using Polyline = std::vector<std::pair<double, double>>;

constexpr Extent2 kInside{640, 420}; // of a diagram
constexpr std::int64_t kPanelLeft = 90;
constexpr std::int64_t kPanelTop = 140;
constexpr std::int64_t kKeys = 84; // from a frame's bottom to its keys
constexpr std::int64_t kKeyLine = 24;
constexpr std::int64_t kAcross = kInside.width + 150;
constexpr std::int64_t kDown = kInside.height + 260;

// Colours of Okabe and Ito, told apart without red and green.
constexpr std::uint32_t kBlue = 0x0072b2;
constexpr std::uint32_t kPaleBlue = 0xb9ddf1;
constexpr std::uint32_t kRed = 0xd55e00;
constexpr std::uint32_t kGrey = 0x999999;
constexpr std::uint32_t kColours[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                      0xe69f00, 0x56b4e9, 0x000000, 0xf0e442};

template <class... Values>
std::string text_by(const char *format, Values... values) {
    char text[200];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

double log10_of(double x) {
    return x > 0 ? lab::logarithm(x) / lab::logarithm(10)
                 : std::numeric_limits<double>::quiet_NaN();
}

Canvas paper(Extent2 size) {
    Canvas canvas(size);
    std::fill(canvas.cells().begin(), canvas.cells().end(), kChartPaper);
    return canvas;
}

// A band between two curves over the same x, by straight lines; where a bound is none, no band.
class Bands {
public:
    Bands(Polyline low, Polyline high) : low_(std::move(low)), high_(std::move(high)) {}

    bool holds(double x, double y) const {
        for (std::size_t i = 1; i < low_.size(); ++i) {
            if (x >= low_[i - 1].first && x <= low_[i].first) {
                const double share = (x - low_[i - 1].first) / (low_[i].first - low_[i - 1].first);
                const auto at = [&](const Polyline &points) {
                    return points[i - 1].second + share * (points[i].second - points[i - 1].second);
                };
                return y >= at(low_) && y <= at(high_);
            }
        }
        return false;
    }

private:
    Polyline low_, high_;
};

struct Line {
    const Polyline *points;
    std::uint32_t colour;
    std::int64_t thickness;
    std::string key;
};

void include(Axis &axis, const Polyline &points) {
    for (const auto &[x, y] : points) {
        if (std::isfinite(y)) {
            axis.low = std::min(axis.low, y);
            axis.high = std::max(axis.high, y);
        }
    }
}

// One diagram of the four: band, lines and keys.
void draw_panel(Canvas &canvas, std::int64_t column, std::int64_t row, const std::string &title,
                Axis x, Axis y, const Bands &band, const std::vector<Line> &lines) {
    const std::int64_t left = kPanelLeft + column * kAcross;
    const std::int64_t top = kPanelTop + row * kDown;
    const double room = std::max(0.05 * (y.high - y.low), 1e-6);
    y.high += room;
    y.low -= y.low == 0 ? 0 : room;
    Chart chart(canvas, left, top, kInside, std::move(x), std::move(y));
    chart.fill(
        [&](double at, double value) { return band.holds(at, value) ? kPaleBlue : kChartPaper; });
    std::int64_t place = top + kInside.height + kKeys;
    for (const Line &line : lines) {
        chart.line(*line.points, line.colour, line.thickness);
        chart.dots(*line.points, line.colour, 2 * line.thickness + 1);
        draw_key(canvas, left, place, line.colour, line.key);
        place += kKeyLine;
    }
    chart.axes(title);
}

std::string law_text(const lab::DamageLaw &law) {
    if (!law.exponent) {
        return law.kind == lab::StateLaw::dies ? "all replicas healed" : "law undecided";
    }
    return text_by("%s %.3g [%.3g, %.3g], steps %lld to %lld",
                   law.kind == lab::StateLaw::power ? "grows as t to the" : "grows as e to the t *",
                   *law.exponent, law.low.value_or(*law.exponent), law.high.value_or(*law.exponent),
                   static_cast<long long>(law.first), static_cast<long long>(law.last));
}

// Polyline of the steps after the first, over log10 of the step.
template <class F>
Polyline over_log_steps(const lab::StateReport &report, const std::vector<double> &values, F &&f) {
    Polyline points;
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (report.steps[k] > 0) {
            points.emplace_back(log10_of(static_cast<double>(report.steps[k])), f(values[k]));
        }
    }
    return points;
}

void draw_damage(Canvas &canvas, const lab::StateReport &report) {
    const auto cells = static_cast<double>(report.size.cells());
    const double least =
        log10_of(0.1 / cells); // below one cell in a hundred replicas nothing shows
    const auto clipped = [least](double share) {
        return share > 0 ? std::max(log10_of(share), least) : least;
    };
    const auto scaled = [](double share) { return log10_of(share); };
    const Polyline mean = over_log_steps(report, report.damage.mean, scaled);
    const Polyline median = over_log_steps(report, report.median, scaled);
    const Polyline independent = over_log_steps(report, report.independent_damage, scaled);
    const Bands band(over_log_steps(report, report.damage.low, clipped),
                     over_log_steps(report, report.damage.high, clipped));
    Axis y{"log10 of the share of cells that differ", least, 0};
    draw_panel(canvas, 0, 0, "damage",
               {"log10 of the step", 0, log10_of(static_cast<double>(report.steps.back()))}, y,
               band,
               {{&independent, kGrey, 2, "independent seeds"},
                {&median, kRed, 2, "median"},
                {&mean, kBlue, 3, "mean and its interval"}});
    draw_text(canvas, kPanelLeft, kPanelTop + kInside.height + kKeys + 3 * kKeyLine + 1,
              law_text(report.law), 2, kChartInk);
}

Polyline over_steps(const lab::StateReport &report, const std::vector<double> &values) {
    Polyline points;
    for (std::size_t k = 0; k < values.size(); ++k) {
        points.emplace_back(static_cast<double>(report.steps[k]), values[k]);
    }
    return points;
}

void draw_survival(Canvas &canvas, const lab::StateReport &report) {
    std::vector<double> share, low, high;
    for (const lab::Share &its : report.alive) {
        share.push_back(its.share);
        low.push_back(its.low);
        high.push_back(its.high);
    }
    const Polyline alive = over_steps(report, share);
    const Polyline agents = over_steps(report, report.agents.mean);
    const Polyline distance = over_steps(report, report.bray_curtis.mean);
    std::vector<Line> lines{{&distance, kRed, 2, "Bray-Curtis distance, mean"},
                            {&alive, kBlue, 3,
                             text_by("replicas that differ; healed at the end %.3g [%.3g, %.3g]",
                                     report.healed.share, report.healed.low, report.healed.high)}};
    if (!agents.empty()) {
        lines.insert(lines.begin(), {&agents, kGrey, 2, "agents that differ, mean"});
    }
    draw_panel(canvas, 1, 0, "what differs",
               {"step after the change", 0, static_cast<double>(report.steps.back())},
               {"share, 0 to 1", 0, 1}, Bands(over_steps(report, low), over_steps(report, high)),
               lines);
}

void draw_front(Canvas &canvas, const lab::StateReport &report) {
    const lab::Curve &its = report.front_radius;
    const Polyline mean = over_steps(report, its.mean);
    Axis y{"cells from the change to the farthest that differs", 0, 1};
    include(y, mean);
    draw_panel(canvas, 0, 1, "front radius",
               {"step after the change", 0, static_cast<double>(report.steps.back())}, y,
               Bands(over_steps(report, its.low), over_steps(report, its.high)),
               {{&mean, kBlue, 3, "mean of replicas where cells differ, and its interval"}});
}

void draw_exponents(Canvas &canvas, const lab::StateReport &report) {
    Polyline points;
    for (const auto &its : report.fsle) {
        points.emplace_back(log10_of(its.size), log10_of(its.value));
    }
    Axis y{"log10 of the exponent per step", 0, 0};
    if (std::any_of(points.begin(), points.end(),
                    [](const auto &its) { return std::isfinite(its.second); })) {
        y.low = std::numeric_limits<double>::infinity();
        y.high = -y.low;
        include(y, points);
    }
    y.high = std::max(y.high, y.low + 1);
    draw_panel(canvas, 1, 1, "finite-size exponents",
               {"log10 of the cells that differ", 0, std::max(points.back().first, 1.0)}, y,
               Bands({}, {}),
               {{&points, kBlue, 3, "level: exponential phase; falling: a power law"}});
}

// --- Parameters -------------------------------------------------------------------------------

std::uint32_t colour_of(lab::ParameterVerdict verdict) {
    return verdict == lab::ParameterVerdict::plateau ? kBlue : kRed;
}

constexpr std::int64_t kBar = 22; // pixels of a parameter

void draw_effects(Canvas &canvas, const std::vector<const lab::ParameterRow *> &rows) {
    const auto count = static_cast<double>(rows.size());
    Axis x{"distance at the first step; 1: as much as another seed", 0, 1};
    for (const lab::ParameterRow *row : rows) {
        x.high = std::max(x.high, *row->effect * 1.05);
    }
    Axis y{"", 0, count};
    y.numbers = false;
    Chart chart(canvas, kPanelLeft, kPanelTop,
                {kInside.width, kBar * static_cast<std::int64_t>(rows.size())}, x, y);
    chart.fill([&](double at, double from_below) {
        const double place = count - from_below; // the first is at the top
        const auto index = static_cast<std::size_t>(place);
        const double within = place - static_cast<double>(index);
        const bool bar = within > 0.15 && within < 0.85 && at < *rows[index]->effect;
        return bar ? colour_of(rows[index]->verdict) : kChartPaper;
    });
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::string &name = rows[i]->name;
        const auto end = static_cast<std::int64_t>(*rows[i]->effect / x.high *
                                                   static_cast<double>(kInside.width));
        const std::int64_t width = text_width(name) * 2;
        const bool inside = end + width + 16 > kInside.width;
        draw_text(canvas,
                  kPanelLeft + (inside ? std::max<std::int64_t>(end - width - 8, 4) : end + 8),
                  kPanelTop + kBar * static_cast<std::int64_t>(i) + 4, name, 2,
                  inside ? kChartPaper : kChartInk);
    }
    chart.axes("effect of each parameter");
    const std::int64_t keys = kPanelTop + kBar * static_cast<std::int64_t>(rows.size()) + kKeys;
    draw_key(canvas, kPanelLeft, keys, kBlue, "plateau: the output follows small steps");
    draw_key(canvas, kPanelLeft, keys + kKeyLine, kRed, "jump: it does not");
}

void draw_convergence(Canvas &canvas, const std::vector<const lab::ParameterRow *> &rows) {
    std::vector<Polyline> lines;
    std::vector<std::string> names;
    Axis x{"log2 of step / first step", -1, 0};
    Axis y{"log10 of the distance; 0: as much as another seed", 0, 0};
    for (const lab::ParameterRow *row : rows) {
        Polyline points;
        for (std::size_t i = 0; i < row->steps.size() && row->order; ++i) {
            points.emplace_back(lab::logarithm(std::abs(row->steps[i] / row->steps[0])) /
                                    lab::logarithm(2),
                                log10_of(row->distance[i].value));
        }
        if (points.size() < 2 || lines.size() == std::size(kColours)) {
            continue;
        }
        x.low = std::min(x.low, points.back().first);
        include(y, points);
        names.push_back(text_by("%s, order %.2f", row->name.c_str(), *row->order));
        lines.push_back(std::move(points));
    }
    y.high += 0.1;
    y.low = std::min(y.low - 0.1, y.high - 1);
    Chart chart(canvas, kPanelLeft + kAcross, kPanelTop, kInside, x, y);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        chart.line(lines[i], kColours[i], 3);
        chart.dots(lines[i], kColours[i], 7);
        draw_key(canvas, kPanelLeft + kAcross,
                 kPanelTop + kInside.height + kKeys + kKeyLine * static_cast<std::int64_t>(i),
                 kColours[i], names[i]);
    }
    chart.axes("how the effect falls with the step");
}

} // namespace

Canvas state_picture(const lab::StateReport &report) {
    Canvas canvas = paper({kPanelLeft + 2 * kAcross, kPanelTop + 2 * kDown - 70});
    draw_damage(canvas, report);
    draw_survival(canvas, report);
    draw_front(canvas, report);
    draw_exponents(canvas, report);
    draw_heading(canvas,
                 text_by("%s, %lld x %lld cells: one %s changed at step %lld, %lld replicas",
                         report.simulation.c_str(), static_cast<long long>(report.size.width),
                         static_cast<long long>(report.size.height),
                         lab::name_of(report.perturbation),
                         static_cast<long long>(report.settings.transient),
                         static_cast<long long>(report.settings.replicas)));
    return canvas;
}

Canvas parameters_picture(const lab::ParameterReport &report, const std::string &what) {
    std::vector<const lab::ParameterRow *> rows;
    for (const lab::ParameterRow &row : report.rows) {
        if (row.effect) {
            rows.push_back(&row);
        }
    }
    const auto bars = kBar * static_cast<std::int64_t>(rows.size());
    Canvas canvas =
        paper({kPanelLeft + 2 * kAcross,
               kPanelTop + std::max(bars + kKeys + 80, kInside.height + kKeys + kKeyLine * 9)});
    if (!rows.empty()) {
        draw_effects(canvas, rows);
        draw_convergence(canvas, rows);
    }
    draw_heading(canvas, what);
    return canvas;
}

} // namespace karst::cli
