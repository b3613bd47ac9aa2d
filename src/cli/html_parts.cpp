#include "cli/html_parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include <nlohmann/json.hpp>

#include "cli/html_seed.hpp"
#include "cli/html_tables.hpp"
#include "cli/svg.hpp"

namespace karst::cli {

namespace {

using namespace html;
using Points = SvgChart::Points;

constexpr const char *kBlue = "#0072b2";
constexpr const char *kRed = "#d55e00";
constexpr const char *kGrey = "#777777";

std::string size_text(const Json &part) {
    std::string text;
    for (const Json &side : member(part, "size")) {
        text += (text.empty() ? "" : " x ") + side.dump();
    }
    return text;
}

// --- a changed state --------------------------------------------------------------------------

Points points_of(const Json &steps, const Json &values) {
    Points points;
    for (std::size_t i = 0; i < steps.size() && i < values.size(); ++i) {
        points.emplace_back(number(steps[i]), number(values[i]));
    }
    return points;
}

// The largest, and the least above 0.
SvgAxis axis_over(const std::string &title, const std::vector<Points> &all, bool logarithmic) {
    SvgAxis axis{title, 0, 0, logarithmic};
    double least = std::numeric_limits<double>::max();
    for (const Points &points : all) {
        for (const auto &[x, y] : points) {
            if (std::isfinite(y)) {
                axis.high = std::max(axis.high, y);
                least = y > 0 ? std::min(least, y) : least;
            }
        }
    }
    if (logarithmic) {
        axis.low = least < axis.high ? std::pow(10, std::floor(std::log10(least))) : 1e-6;
        axis.high = axis.high > axis.low ? axis.high * 1.1 : axis.low * 10;
    } else {
        axis.high = axis.high > 0 ? axis.high * 1.05 : 1;
    }
    return axis;
}

std::string curve_chart(const Json &part, const char *name, const std::string &title,
                        const std::string &unit, bool logarithmic, double ceiling) {
    const Json &curve = member(part, name);
    if (!curve.is_object()) {
        return {};
    }
    const Json &steps = part["steps"];
    const Points mean = points_of(steps, member(curve, curve.contains("mean") ? "mean" : "share"));
    const Points low = points_of(steps, member(curve, "low"));
    const Points high = points_of(steps, member(curve, "high"));
    SvgAxis x{"steps after the change", 0, std::max(1.0, number(steps.back())), logarithmic};
    if (logarithmic) {
        x.low = 1;
    }
    const Points top = std::isfinite(ceiling)
                           ? Points{{logarithmic ? 1 : 0, ceiling}, {x.high, ceiling}}
                           : Points{};
    SvgChart chart(title, x, axis_over(unit, {mean, high, top}, logarithmic));
    chart.band(low, high, kBlue);
    chart.line(mean, kBlue, "mean, with its interval");
    if (!top.empty()) {
        chart.line(top, kGrey, "independent runs", true);
    }
    return chart.text();
}

std::string state_part(const Json &part) {
    const Json &independent = member(part, "independent");
    const double far = independent.is_object() && !member(independent, "damage").empty()
                           ? number(independent["damage"].back())
                           : std::numeric_limits<double>::quiet_NaN();
    std::string html = "<div class=\"charts\">\n";
    html += curve_chart(part, "damage", "Damage", "share of cells that differ", true, far);
    html += curve_chart(part, "front_radius", "Front", "cells from the change", false,
                        std::numeric_limits<double>::quiet_NaN());
    html += curve_chart(part, "alive", "Runs that still differ", "share of replicas", false,
                        std::numeric_limits<double>::quiet_NaN());
    html += "</div>\n";
    std::string rows = head({"step", "damage", "low", "high", "front radius", "still different"});
    const Json &steps = part["steps"];
    const auto at = [&part](const char *curve, const char *name, std::size_t i) {
        const Json &list = member(member(part, curve), name);
        return cell(i < list.size() ? shown(list[i]) : "-");
    };
    for (std::size_t i = 0; i < steps.size(); ++i) {
        rows += "<tr>" + cell(shown(steps[i])) + at("damage", "mean", i) + at("damage", "low", i) +
                at("damage", "high", i) + at("front_radius", "mean", i) + at("alive", "share", i) +
                "</tr>\n";
    }
    html += "<details><summary>The curves as numbers</summary>\n" + table(rows) + "</details>\n";
    if (!member(part, "fsle").empty()) {
        rows = head({"differing cells", "exponent a step", "passages", "stayed"});
        for (const Json &entry : part["fsle"]) {
            rows += "<tr>" + cell(shown(member(entry, "size"))) +
                    cell(shown(member(entry, "exponent"))) +
                    cell(shown(member(entry, "passages"))) + cell(shown(member(entry, "stayed"))) +
                    "</tr>\n";
        }
        html += "<h3>Finite-size exponents</h3>\n" + table(rows);
    }
    return html;
}

// --- parameters -------------------------------------------------------------------------------

std::string ranking(const Json &part) {
    constexpr double kLabels = 210;
    constexpr double kBars = 520;
    constexpr double kLine = 20;
    double most = 1;
    double count = 0;
    for (const Json &row : part["rows"]) {
        if (member(row, "effect").is_number()) {
            most = std::max(most, number(member(row, "effect")));
            ++count;
        }
    }
    const double scale = kBars / (1.1 * most);
    char text[320];
    std::string svg;
    double y = 24;
    for (const Json &row : part["rows"]) {
        const double effect = number(member(row, "effect"));
        if (!std::isfinite(effect)) {
            continue;
        }
        std::snprintf(text, sizeof text, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">",
                      kLabels - 8, y + 14);
        svg += text + escaped(words(row, "name")) + "</text>";
        std::snprintf(text, sizeof text,
                      "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.1f\" height=\"12\" fill=\"%s\"/>",
                      kLabels, y + 4, scale * effect,
                      words(row, "verdict") == "plateau" ? kBlue : kRed);
        svg += text;
        const double low = std::max(0.0, number(member(row, "effect_low")));
        const double high = number(member(row, "effect_high"));
        if (std::isfinite(high)) {
            std::snprintf(text, sizeof text,
                          "<line x1=\"%.1f\" y1=\"%.0f\" x2=\"%.1f\" y2=\"%.0f\" "
                          "stroke=\"#202020\"/>",
                          kLabels + scale * low, y + 10,
                          kLabels + std::min(scale * high, kBars + 40), y + 10);
            svg += text;
        }
        svg += "\n";
        y += kLine;
    }
    std::snprintf(text, sizeof text,
                  "<line x1=\"%.1f\" y1=\"18\" x2=\"%.1f\" y2=\"%.0f\" stroke=\"#777\" "
                  "stroke-dasharray=\"6 4\"/><text x=\"%.1f\" y=\"13\" text-anchor=\"middle\">"
                  "1: another seed</text>\n<text x=\"%.0f\" y=\"%.0f\">0</text>",
                  kLabels + scale, kLabels + scale, y, kLabels + scale, kLabels - 3, y + 14);
    svg += text;
    std::snprintf(text, sizeof text,
                  "<div class=\"wide\"><svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
                  "height=\"%.0f\" role=\"img\">\n",
                  kLabels + kBars + 60, y + 20);
    return count == 0 ? std::string() : text + svg + "</svg></div>\n";
}

std::string parameters_part(const Json &part) {
    std::string rows = head(
        {"rank", "parameter", "value", "unit", "effect", "low", "high", "order", "verdict", "why"},
        {1, 3, 8, 9});
    for (const Json &row : part["rows"]) {
        const auto at = [&row](const char *name) { return cell(shown(member(row, name))); };
        rows += "<tr>" + at("rank") + cell(escaped(words(row, "name")), true) + at("value") +
                cell(escaped(words(row, "unit")), true) + at("effect") + at("effect_low") +
                at("effect_high") + at("order") + cell(escaped(words(row, "verdict")), true) +
                cell(escaped(words(row, "reason")), true) + "</tr>\n";
    }
    return ranking(part) +
           caption("What a change of a tenth (or another choice) does to layer " +
                   words(part, "layer") +
                   ", as a share of what another seed does, with its interval. Blue: the result "
                   "follows the parameter; orange: it jumps, however small the step.") +
           table(rows);
}

std::string oracles_part(const Json &part) {
    std::string rows = head({"system", "measure", "known", "estimate", "tolerance", "met"}, {0, 1});
    for (const Json &oracle : part["oracles"]) {
        const bool met = oracle["met"].get<bool>();
        rows += std::string(met ? "<tr>" : "<tr class=\"bad\">") +
                cell(escaped(words(oracle, "system")), true) +
                cell(escaped(words(oracle, "measure")), true) + cell(shown(oracle["known"])) +
                cell(shown(oracle["estimate"])) + cell(shown(oracle["tolerance"])) +
                cell(met ? "yes" : "no") + "</tr>\n";
    }
    return "<details><summary>All of them</summary>\n" + table(rows) + "</details>\n";
}

} // namespace

std::string html_title(const Json &part) {
    const std::string kind = words(part, "kind");
    const std::string preset = words(part, "preset");
    const std::string generator =
        words(part, "generator") + (preset.empty() ? "" : ", " + preset) + ", " + size_text(part);
    if (kind == "seed") {
        return "A seed's bits: " + generator;
    }
    if (kind == "state") {
        return "One small change (" + words(part, "perturbation") +
               "): " + words(part, "simulation") + ", " + size_text(part);
    }
    if (kind == "parameters") {
        return "Parameters: " + generator;
    }
    return "The estimators on systems whose sensitivity is known";
}

std::string html_part(const Json &part) {
    const std::string kind = words(part, "kind");
    return kind == "seed"         ? html_seed_part(part)
           : kind == "state"      ? state_part(part)
           : kind == "parameters" ? parameters_part(part)
                                  : oracles_part(part);
}

} // namespace karst::cli
