#include "cli/values.hpp"

#include <charconv>
#include <cmath>

#include <karst/error.hpp>

#include "core/extent.hpp"
#include "io/file.hpp"

namespace karst::cli {

namespace {

const ParamInfo &cell_info() {
    static const ParamInfo info{"cell", "m", ParamType::real, 0.00001, 100000,
                                {},     1.0, "Metres a cell."};
    return info;
}

[[noreturn]] void refuse(const char *name, std::string_view text, const std::string &allowed) {
    throw Error(ErrorCode::invalid_argument,
                std::string(name) + " is '" + std::string(text) + "'; allowed is " + allowed);
}

// The whole text as a number.
template <class T>
std::optional<T> number(std::string_view text) {
    T value{};
    const char *const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stop == end ? std::optional<T>(value) : std::nullopt;
}

// The two sides of the first `separator`; the second is empty without one.
std::pair<std::string_view, std::optional<std::string_view>> split(std::string_view text,
                                                                   char separator) {
    const auto at = text.find(separator);
    if (at == std::string_view::npos) {
        return {text, std::nullopt};
    }
    return {text.substr(0, at), text.substr(at + 1)};
}

bool is_side(std::int64_t side) {
    return side >= 1 && side <= core::kLargestSide;
}

struct Metres {
    double width;
    std::optional<double> height;
};

Metres parse_extent(std::string_view text) {
    const auto [first, second] = split(text, 'x');
    const auto width = number<double>(first);
    const auto height = second ? number<double>(*second) : width;
    const auto good = [](const std::optional<double> &side) {
        return side && std::isfinite(*side) && *side > 0;
    };
    if (!good(width) || !good(height)) {
        refuse("extent", text, "METRES or WIDTHxHEIGHT in metres, each above 0");
    }
    return {*width, second ? height : std::nullopt};
}

// The side whose samples span `metres`: `extra` of them (0 or 1) more than cells.
std::int64_t side(double metres, double cell, std::int64_t extra, std::string_view extent) {
    const double count = std::round(metres / cell);
    if (!(count >= 1 && count <= static_cast<double>(core::kLargestSide - extra))) {
        refuse("extent", extent,
               "1 to " + std::to_string(core::kLargestSide - extra) +
                   " cells a side, with cells of " + to_string(ParamValue(cell)) + " m");
    }
    return static_cast<std::int64_t>(count) + extra;
}

} // namespace

Extent2 parse_size(std::string_view text) {
    const auto [first, second] = split(text, 'x');
    const std::int64_t width = number<std::int64_t>(first).value_or(0);
    const std::int64_t height = number<std::int64_t>(second.value_or("")).value_or(0);
    if (!is_side(width) || !is_side(height)) {
        refuse("size", text,
               "WIDTHxHEIGHT in cells, each a whole number from 1 to " +
                   std::to_string(core::kLargestSide));
    }
    return {width, height};
}

Cell2 parse_cell(std::string_view text) {
    const auto [first, second] = split(text, ',');
    const auto x = number<std::int32_t>(first);
    const auto y = second ? number<std::int32_t>(*second) : std::nullopt;
    if (!x || !y) {
        refuse("at", text, "X,Y in whole cells");
    }
    return {*x, *y};
}

std::pair<std::string, std::string> parse_assignment(std::string_view text) {
    const auto [name, value] = split(text, '=');
    if (name.empty() || !value) {
        refuse("set", text, "NAME=VALUE");
    }
    return {std::string(name), std::string(*value)};
}

std::int64_t parse_integer(const ParamInfo &info, std::string_view text) {
    ParamSet set({&info, 1});
    set.set_text(info.name, text);
    return std::get<std::int64_t>(set.value(0));
}

double parse_real(const ParamInfo &info, std::string_view text) {
    ParamSet set({&info, 1});
    set.set_text(info.name, text);
    return std::get<double>(set.value(0));
}

Layout parse_layout(const OptionalText &size, const OptionalText &extent, const OptionalText &cell,
                    const Layout &defaults, bool corner_samples) {
    const std::int64_t extra = corner_samples ? 1 : 0;
    Layout layout = defaults;
    if (cell) {
        layout.cell = parse_real(cell_info(), *cell);
    }
    if (size) {
        layout.extent = parse_size(*size);
    }
    if (!extent) {
        return layout;
    }
    const Metres metres = parse_extent(*extent);
    if (!size) {
        layout.extent.width = side(metres.width, layout.cell, extra, *extent);
        layout.extent.height =
            side(metres.height.value_or(metres.width), layout.cell, extra, *extent);
        return layout;
    }
    if (cell) {
        throw Error(ErrorCode::invalid_argument,
                    "--size, --extent and --cell together; allowed are two of them");
    }
    const Extent2 cells{layout.extent.width - extra, layout.extent.height - extra};
    if (cells.width < 1 || cells.height < 1) {
        refuse("size", *size, "2 samples a side or more with --extent, which their corners span");
    }
    layout.cell = metres.width / static_cast<double>(cells.width);
    const double other = metres.height.value_or(0) / static_cast<double>(cells.height);
    if (metres.height && std::abs(other - layout.cell) > 1e-6 * layout.cell) {
        refuse("extent", *extent, "the proportions of --size " + *size + ", for square cells");
    }
    ParamSet check({&cell_info(), 1});
    check.set("cell", layout.cell);
    return layout;
}

void print(std::string_view text) {
    io::OutputFile("-").write(text);
}

} // namespace karst::cli
