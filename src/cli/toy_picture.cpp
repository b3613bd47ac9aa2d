#include "cli/toy_picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace karst::cli {

namespace {

constexpr std::int64_t kSide = 560; // pixels of a diagram's inside
constexpr std::int64_t kRegionTop = 150;
constexpr std::int64_t kRegionLeft = 90;
constexpr std::int64_t kRight = kRegionLeft + kSide + 150;
constexpr Extent2 kSize{kRight + kSide + 50, kRegionTop + kSide + 210};

// Colours of Okabe and Ito, told apart without red and green.
struct Outcome {
    std::uint32_t colour;
    const char *text;
};
constexpr Outcome kOutcomes[] = {
    {0xb9ddf1, "criterion no, no growth: agrees"},
    {0x0072b2, "criterion yes, growth: agrees"},
    {0xd55e00, "criterion no, growth: missed"},
    {0xf0e442, "criterion yes, no growth: false alarm"},
};

std::size_t outcome_of(const lab::ToyAnalysis &its) {
    const bool grows = its.growth == lab::Growth::grows;
    return its.claim ? (grows ? 1 : 3) : (grows ? 2 : 0);
}

template <class... Values>
std::string formatted(const char *format, Values... values) {
    char text[160];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

// An axis that holds `value` with some room.
Axis axis_around(const std::string &title, double low, double high, double value) {
    const double room = 0.25 * std::abs(value);
    return {title, std::min(low, value < low ? value - room : low),
            std::max(high, value > high ? value + room : high)};
}

void draw_region(Canvas &canvas, const lab::Toy &toy) {
    Chart chart(canvas, kRegionLeft, kRegionTop, {kSide, kSide},
                axis_around("alpha", -2, 2, toy.alpha), axis_around("beta", 0, 2, toy.beta));
    std::array<std::int64_t, 4> pixels{};
    chart.fill([&](double alpha, double beta) {
        lab::Toy its = toy;
        its.alpha = alpha;
        its.beta = beta;
        const std::size_t outcome = outcome_of(lab::analyse(its));
        ++pixels[outcome];
        return kOutcomes[outcome].colour;
    });
    chart.dots({{toy.alpha, toy.beta}}, kChartPaper, 18);
    chart.dots({{toy.alpha, toy.beta}}, kChartInk, 12);
    chart.axes("is alpha gamma > beta kappa right? (this gamma and kappa)");
    for (std::size_t i = 0; i < std::size(kOutcomes); ++i) {
        const double share = 100 * static_cast<double>(pixels[i]) / (kSide * kSide);
        draw_key(canvas, kRegionLeft, kRegionTop + kSide + 84 + 24 * static_cast<std::int64_t>(i),
                 kOutcomes[i].colour, formatted("%s (%.1f %%)", kOutcomes[i].text, share));
    }
    draw_key(canvas, kRegionLeft, kRegionTop + kSide + 84 + 24 * 4, kChartInk, "this model");
}

void draw_growth(Canvas &canvas, const lab::Toy &toy, const lab::ToyAnalysis &its,
                 double iterated_slope) {
    constexpr std::int64_t kSteps = 60;
    constexpr std::uint32_t kLineColour = 0xd55e00;
    constexpr std::uint32_t kDotColour = 0x0072b2;
    const auto norms = lab::growth_curve(toy, kSteps);
    std::vector<std::pair<double, double>> iterated, predicted;
    double low = 0;
    double high = 0;
    for (std::int64_t t = 0; t <= kSteps; ++t) {
        const auto time = static_cast<double>(t);
        iterated.emplace_back(time, norms[static_cast<std::size_t>(t)]);
        predicted.emplace_back(time, t == 0 ? 0 : time * its.exponent);
        for (const double value : {iterated.back().second, predicted.back().second}) {
            if (std::isfinite(value)) {
                low = std::min(low, value);
                high = std::max(high, value);
            }
        }
    }
    const double room = std::max(0.05 * (high - low), 0.1);
    Chart chart(canvas, kRight, kRegionTop, {kSide, kSide}, {"step t", 0, kSteps},
                {"ln of the size of a difference, 0 at t = 0", low - room, high + room});
    chart.line(predicted, kLineColour, 3);
    chart.dots(iterated, kDotColour, 7);
    chart.axes("growth of a difference");
    draw_key(canvas, kRight, kRegionTop + kSide + 84, kDotColour,
             formatted("iterated: norm of A^t; its slope %+.6f", iterated_slope));
    draw_key(canvas, kRight, kRegionTop + kSide + 108, kLineColour,
             formatted("predicted: slope ln rho = %+.6f", its.exponent));
}

} // namespace

const char *order_name(lab::ToyOrder order) {
    constexpr const char *kNames[] = {"synchronous", "deposit_first", "sequential"};
    return kNames[static_cast<int>(order)];
}

const char *growth_name(lab::Growth growth) {
    constexpr const char *kNames[] = {"grows", "marginal", "decays"};
    return kNames[static_cast<int>(growth)];
}

Canvas toy_picture(const lab::Toy &toy, double iterated_slope) {
    Canvas canvas(kSize);
    std::fill(canvas.cells().begin(), canvas.cells().end(), kChartPaper);
    const lab::ToyAnalysis its = lab::analyse(toy);
    draw_region(canvas, toy);
    draw_growth(canvas, toy, its, iterated_slope);
    draw_heading(canvas, formatted("toy model, %s order: alpha %g, beta %g, gamma %g, kappa %g: "
                                   "a difference %s",
                                   order_name(toy.order), toy.alpha, toy.beta, toy.gamma, toy.kappa,
                                   growth_name(its.growth)));
    return canvas;
}

} // namespace karst::cli
