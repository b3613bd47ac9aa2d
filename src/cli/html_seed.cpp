#include "cli/html_seed.hpp"

#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "cli/html_tables.hpp"
#include "cli/seed_picture.hpp"
#include "cli/svg.hpp"

namespace karst::cli {

namespace {

using namespace html;

std::string html_colour(double ratio) {
    char text[16];
    std::snprintf(text, sizeof text, "#%06x", static_cast<unsigned>(ratio_colour(ratio)));
    return text;
}

std::string heat_map(const Json &part) {
    constexpr double kSide = 13;
    constexpr double kHigh = 19;
    constexpr double kLabels = 330;
    constexpr double kAbove = 40;
    const Json &stages = part["rows"];
    const Json &bits = part["bits"];
    const auto columns = static_cast<double>(bits.size());
    std::string marks;
    double y = kAbove;
    char text[256];
    for (std::size_t r = 0; r < stages.size(); ++r) {
        const Json &stage = stages[r];
        if (!member(stage, "judged").get<bool>()) {
            continue;
        }
        std::snprintf(text, sizeof text, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">",
                      kLabels - 8, y + 14);
        marks += text + escaped(stage_text(stage)) + "</text>\n";
        for (std::size_t i = 0; i < bits.size(); ++i) {
            const Json &ratio = stage["ratio"][i];
            const double x = kLabels + kSide * static_cast<double>(i);
            std::snprintf(text, sizeof text,
                          "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" fill=\"%s\">",
                          x, y, kSide, kHigh, html_colour(number(ratio)).c_str());
            const std::string verdict = last_verdict(part, r, i);
            marks += text;
            marks += "<title>bit " + bits[i].dump() + ", " + escaped(stage_text(stage)) + ": " +
                     (ratio.is_null() ? "none" : ratio.dump()) + " [" + stage["low"][i].dump() +
                     ", " + stage["high"][i].dump() + "], " + escaped(verdict) + "</title></rect>";
            if (verdict == "outside" || verdict == "undecided") {
                std::snprintf(text, sizeof text,
                              "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>",
                              x + kSide / 2, y + 14, verdict == "outside" ? "x" : "?");
                marks += text;
            }
        }
        marks += "\n";
        y += kHigh;
    }
    for (std::size_t i = 0; i < bits.size(); ++i) {
        if (i % 8 == 0 || i + 1 == bits.size()) {
            std::snprintf(text, sizeof text,
                          "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>",
                          kLabels + kSide * (static_cast<double>(i) + 0.5), kAbove - 6,
                          bits[i].dump().c_str());
            marks += text;
        }
    }
    std::snprintf(text, sizeof text, "<text x=\"%.0f\" y=\"14\">bit of the seed</text>\n", kLabels);
    marks += text;
    std::snprintf(text, sizeof text,
                  "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" fill=\"none\" "
                  "class=\"frame\"/>\n",
                  kLabels, kAbove, kSide * columns, y - kAbove);
    marks += text;
    y += 14;
    for (int i = 0; i <= 40; ++i) { // the key
        std::snprintf(text, sizeof text,
                      "<rect x=\"%.0f\" y=\"%.0f\" width=\"6\" height=\"12\" fill=\"%s\"/>",
                      kLabels + 6.0 * i, y, html_colour(0.8 + 0.01 * i).c_str());
        marks += text;
    }
    std::snprintf(text, sizeof text,
                  "<text x=\"%.0f\" y=\"%.0f\">0.8</text><text x=\"%.0f\" y=\"%.0f\" "
                  "text-anchor=\"middle\">1</text><text x=\"%.0f\" y=\"%.0f\" "
                  "text-anchor=\"end\">1.2</text><text x=\"%.0f\" y=\"%.0f\">ratio to an "
                  "independent seed; x outside, ? undecided</text>\n",
                  kLabels, y + 26, kLabels + 123, y + 26, kLabels + 246, y + 26, kLabels + 262,
                  y + 10);
    marks += text;
    std::snprintf(text, sizeof text,
                  "<div class=\"wide\"><svg xmlns=\"http://www.w3.org/2000/svg\" "
                  "class=\"heat\" width=\"%.0f\" height=\"%.0f\" role=\"img\">\n",
                  kLabels + std::max(kSide * columns, 520.0) + 8, y + 34);
    return text + marks + "</svg></div>\n";
}

struct SeedTable {
    std::string html;
    bool has_unmet = false; // a row of it
};

SeedTable seed_table(const Json &part, bool judged) {
    SeedTable result;
    std::string rows =
        head({"stage", "distance", "independent seeds", "2p(1-p)", "average sensitivity",
              "least ratio", "largest ratio", "within", "outside", "undecided"},
             {0, 1});
    const Json &stages = part["rows"];
    for (std::size_t r = 0; r < stages.size(); ++r) {
        const Json &stage = stages[r];
        if (member(stage, "judged").get<bool>() != judged) {
            continue;
        }
        int within = 0;
        int outside = 0;
        int undecided = 0;
        const Json *least = nullptr;
        const Json *largest = nullptr;
        for (std::size_t i = 0; i < part["bits"].size(); ++i) {
            const std::string verdict = last_verdict(part, r, i);
            within += verdict == "within" ? 1 : 0;
            outside += verdict == "outside" ? 1 : 0;
            undecided += verdict == "undecided" ? 1 : 0;
            const Json &ratio = stage["ratio"][i];
            if (ratio.is_number()) {
                least = least == nullptr || ratio < *least ? &ratio : least;
                largest = largest == nullptr || ratio > *largest ? &ratio : largest;
            }
        }
        std::string name = words(stage, "name");
        if (member(stage, "step").is_number()) {
            name += ", step " + member(stage, "step").dump();
        }
        // Of structures only `outside` counts.
        const bool structure = member(stage, "structure").get<bool>();
        const bool bad = judged ? outside + undecided > 0 : structure && outside > 0;
        const auto counted = [&](int n) {
            return cell(judged || structure ? std::to_string(n) : "-");
        };
        result.has_unmet = result.has_unmet || bad;
        rows += std::string(bad ? "<tr class=\"bad\">" : "<tr>") + cell(escaped(name), true) +
                cell(escaped(words(stage, "distance")), true) +
                cell(shown(member(stage, "baseline"))) + cell(shown(member(stage, "expected"))) +
                cell(shown(member(stage, "average_sensitivity"))) +
                cell(least == nullptr ? "-" : shown(*least)) +
                cell(largest == nullptr ? "-" : shown(*largest)) + counted(within) +
                counted(outside) + counted(undecided) + "</tr>\n";
    }
    result.html = table(rows);
    return result;
}

} // namespace

std::string html_seed_part(const Json &part) {
    std::string html = heat_map(part);
    html += caption(
        "Ratio of what one flipped bit of the seed changes to what an independent seed changes. 1: "
        "the bit does all that a new seed does; 0: it does nothing. Colours are those of "
        "the first base seeds, verdicts those after a second try. Hover over a square for its "
        "interval.");
    html += "<h3>Stages that are judged</h3>\n" + seed_table(part, true).html;
    const SeedTable others = seed_table(part, false);
    html += std::string(others.has_unmet ? "<details open>" : "<details>") +
            "<summary>Second distances and structure, to be looked at</summary>\n" + others.html +
            "</details>\n";
    if (!member(part, "repeats").empty()) {
        std::string rows = head({"stage", "bit", "fresh seeds", "ratio", "low", "high", "verdict"});
        for (const Json &repeat : part["repeats"]) {
            rows +=
                "<tr>" +
                cell(escaped(stage_text(part["rows"][repeat["stage"].get<std::size_t>()])), true) +
                cell(shown(repeat["bit"])) + cell(shown(repeat["seeds"])) +
                cell(shown(repeat["ratio"])) + cell(shown(repeat["low"])) +
                cell(shown(repeat["high"])) + cell(shown(repeat["verdict"])) + "</tr>\n";
        }
        html += "<details><summary>Bits tried once more, with fresh seeds</summary>\n" +
                table(rows) + "</details>\n";
    }
    std::string rows = head({"control", "must fail", "did", "what was seen"}, {0, 3});
    for (const Json &control : member(part, "controls")) {
        rows += "<tr>" + cell(escaped(words(control, "name")), true) +
                cell(control["must_fail"].get<bool>() ? "yes" : "no") +
                cell(control["caught"].get<bool>() ? "failed" : "passed") +
                cell(escaped(words(control, "why")), true) + "</tr>\n";
    }
    html += "<h3>Controls: seedings known to be broken, and a sound one</h3>\n" + table(rows);
    const Json &draws = member(part, "random_numbers");
    if (draws.is_object()) {
        rows = head({"random numbers", ""});
        for (const auto &[name, value] : draws.items()) {
            if (name != "flips") {
                std::string title = name;
                std::replace(title.begin(), title.end(), '_', ' ');
                rows += "<tr>" + cell(escaped(title), true) + cell(shown(value)) + "</tr>\n";
            }
        }
        html += "<h3>The random numbers alone</h3>\n" + table(rows);
    }
    return html;
}

} // namespace karst::cli
