#include "cli/seed_picture.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include <nlohmann/json.hpp>

#include "cli/lettering.hpp"

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kSquare = 18;
constexpr std::int64_t kRow = 26;
constexpr std::int64_t kTextScale = 2;
constexpr std::int64_t kTopOfRows = 100;
constexpr std::int64_t kKeyStrip = 8;

void paint(Canvas &canvas, std::int64_t left, std::int64_t top, Extent2 size,
           std::uint32_t colour) {
    for (std::int64_t y = top; y < top + size.height; ++y) {
        for (std::int64_t x = left; x < left + size.width; ++x) {
            canvas.at(x, y) = colour;
        }
    }
}

} // namespace

std::uint32_t ratio_colour(double ratio) {
    if (!std::isfinite(ratio)) {
        return 0xbbbbbb;
    }
    const double far = std::clamp((ratio - 1) / 0.2, -1.0, 1.0);
    const auto mix = [far](int end) {
        return static_cast<std::uint32_t>(std::lround(255 + (end - 255) * std::abs(far)));
    };
    return mix(far < 0 ? 0x00 : 0xd5) << 16 | mix(far < 0 ? 0x72 : 0x5e) << 8 |
           mix(far < 0 ? 0xb2 : 0x00);
}

std::string stage_text(const Json &stage) {
    const Json &step = stage["step"];
    return stage["name"].get<std::string>() + (step.is_null() ? "" : ", step " + step.dump()) +
           ", " + stage["distance"].get<std::string>();
}

std::string last_verdict(const Json &part, std::size_t stage, std::size_t i) {
    for (const Json &repeat : part["repeats"]) {
        if (repeat["stage"] == stage && repeat["bit"] == part["bits"][i]) {
            return repeat["verdict"].get<std::string>();
        }
    }
    return part["rows"][stage]["verdict"][i].get<std::string>();
}

Canvas seed_picture(const Json &part) {
    const Json &stages = part["rows"];
    const Json &bits = part["bits"];
    std::int64_t label = 0;
    std::int64_t rows = 0;
    for (const Json &stage : stages) {
        if (stage["judged"].get<bool>()) {
            label = std::max(label, kTextScale * text_width(stage_text(stage)));
            ++rows;
        }
    }
    const std::int64_t left = label + 40;
    const auto columns = static_cast<std::int64_t>(bits.size());
    Canvas canvas(Extent2{left + std::max<std::int64_t>(kSquare * columns, 760) + 30,
                          kTopOfRows + kRow * rows + 110});
    std::fill(canvas.cells().begin(), canvas.cells().end(), kChartPaper);
    char heading[200];
    std::snprintf(heading, sizeof heading, "%s: what a flipped bit of the seed changes, %lld seeds",
                  part["generator"].get<std::string>().c_str(),
                  static_cast<long long>(part["seeds"].get<std::int64_t>()));
    draw_heading(canvas, heading);
    for (std::int64_t i = 0; i < columns;
         i += i + 8 < columns || i + 1 == columns ? 8 : columns - 1 - i) {
        draw_text(canvas, left + kSquare * i, kTopOfRows - 24,
                  bits[static_cast<std::size_t>(i)].dump(), kTextScale, kChartInk);
    }
    draw_text(canvas, 20, kTopOfRows - 24, "bit", kTextScale, kChartInk);
    std::int64_t y = kTopOfRows;
    for (std::size_t r = 0; r < stages.size(); ++r) {
        const Json &stage = stages[r];
        if (!stage["judged"].get<bool>()) {
            continue;
        }
        draw_text(canvas, 20, y + 6, stage_text(stage), kTextScale, kChartInk);
        for (std::size_t i = 0; i < bits.size(); ++i) {
            const Json &ratio = stage["ratio"][i];
            const auto x = left + kSquare * static_cast<std::int64_t>(i);
            paint(canvas, x, y, {kSquare, kRow},
                  ratio_colour(ratio.is_number() ? ratio.get<double>()
                                                 : std::numeric_limits<double>::quiet_NaN()));
            const std::string verdict = last_verdict(part, r, i);
            if (verdict == "outside" || verdict == "undecided") {
                draw_text(canvas, x + 4, y + 6, verdict == "outside" ? "x" : "?", kTextScale,
                          kChartInk);
            }
        }
        y += kRow;
    }
    y += 20;
    constexpr std::int64_t kSteps = 40;
    for (std::int64_t i = 0; i <= kSteps; ++i) {
        paint(canvas, left + kKeyStrip * i, y, {kKeyStrip, 20},
              ratio_colour(0.8 + 0.4 * static_cast<double>(i) / kSteps));
    }
    draw_text(canvas, left, y + 30, "0.8", kTextScale, kChartInk);
    draw_text(canvas, left + kKeyStrip * kSteps / 2, y + 30, "1", kTextScale, kChartInk);
    draw_text(canvas, left + kKeyStrip * (kSteps - 2), y + 30, "1.2", kTextScale, kChartInk);
    draw_text(canvas, left + kKeyStrip * (kSteps + 3), y + 4, "ratio to an independent seed",
              kTextScale, kChartInk);
    draw_text(canvas, left + kKeyStrip * (kSteps + 3), y + 30, "x outside, ? undecided", kTextScale,
              kChartInk);
    return canvas;
}

} // namespace karst::cli
