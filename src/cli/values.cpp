#include "cli/values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

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

[[noreturn]] void refuse(std::string_view name, std::string_view text, const std::string &allowed) {
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

// "1x2x3": all of its numbers, or nothing if something else stands there.
template <class T>
std::vector<T> numbers(std::string_view text) {
    std::vector<T> list;
    std::optional<std::string_view> rest = text;
    while (rest) {
        const auto [first, others] = split(*rest, 'x');
        const auto value = number<T>(first);
        if (!value) {
            return {};
        }
        list.push_back(*value);
        rest = others;
    }
    return list;
}

std::string shape_name(bool volume) {
    return volume ? "WIDTHxHEIGHTxDEPTH" : "WIDTHxHEIGHT";
}

// Of a map two sides, of a volume three, or either.
enum class Sides { two, three, any };

Sides sides_for(bool volume) {
    return volume ? Sides::three : Sides::two;
}

std::vector<std::int64_t> parse_sides(std::string_view text, Sides wanted) {
    const auto sides = numbers<std::int64_t>(text);
    const bool good = std::all_of(sides.begin(), sides.end(), [](std::int64_t side) {
        return side >= 1 && side <= core::kLargestSide;
    });
    const bool two = sides.size() == 2 && wanted != Sides::three;
    const bool three = sides.size() == 3 && wanted != Sides::two;
    if (!good || (!two && !three)) {
        const std::string shapes = wanted == Sides::any
                                       ? shape_name(false) + " or " + shape_name(true)
                                       : shape_name(wanted == Sides::three);
        refuse("size", text,
               shapes + " in cells, each a whole number from 1 to " +
                   std::to_string(core::kLargestSide));
    }
    return sides;
}

// The width alone, or as many sides as a size has.
std::vector<double> parse_extent(std::string_view text, bool volume, bool width_alone) {
    const auto sides = numbers<double>(text);
    const bool good = std::all_of(sides.begin(), sides.end(),
                                  [](double side) { return std::isfinite(side) && side > 0; });
    if (!good || !((sides.size() == 1 && width_alone) || sides.size() == (volume ? 3u : 2u))) {
        refuse("extent", text,
               (width_alone ? "METRES or " : "") + shape_name(volume) + " in metres, each above 0");
    }
    return sides;
}

// The cells or samples that span `metres`: `extra` of them (0 or 1) more than cells.
std::int64_t side(double metres, double cell, std::int64_t extra, std::string_view extent) {
    const double count = std::round(metres / cell);
    if (!(count >= 1 && count <= static_cast<double>(core::kLargestSide - extra))) {
        refuse("extent", extent,
               "1 to " + std::to_string(core::kLargestSide - extra) +
                   " cells a side, with cells of " + to_string(ParamValue(cell)) + " m");
    }
    return static_cast<std::int64_t>(count) + extra;
}

// Metres a cell, if `cells` span `metres`.
double cell_of(std::string_view size, const std::vector<std::int64_t> &cells,
               std::string_view extent, const std::vector<double> &metres, std::int64_t extra) {
    double cell = 0;
    for (std::size_t i = 0; i < metres.size(); ++i) {
        const std::int64_t spanned = cells[i] - (i < 2 ? extra : 0);
        if (spanned < 1 || cells[1] - extra < 1) {
            refuse("size", size,
                   "2 samples a side or more with --extent, which their corners span");
        }
        const double other = metres[i] / static_cast<double>(spanned);
        if (i == 0) {
            cell = other;
        } else if (std::abs(other - cell) > 1e-6 * cell) {
            refuse("extent", extent,
                   "the proportions of --size " + std::string(size) + ", for square cells");
        }
    }
    ParamSet check({&cell_info(), 1});
    check.set("cell", cell);
    return cell;
}

} // namespace

Extent2 parse_size(std::string_view text) {
    const auto sides = parse_sides(text, Sides::two);
    return {sides[0], sides[1]};
}

std::string size_text(Extent2 extent) {
    return std::to_string(extent.width) + "x" + std::to_string(extent.height);
}

std::string size_text(Extent3 extent) {
    return size_text(Extent2{extent.width, extent.height}) + "x" + std::to_string(extent.depth);
}

AnySize parse_any_size(std::string_view text) {
    const auto sides = parse_sides(text, Sides::any);
    return {{sides[0], sides[1]}, sides.size() == 3 ? sides[2] : 0};
}

int numbers_in(std::string_view text) {
    return 1 + static_cast<int>(std::count(text.begin(), text.end(), 'x'));
}

Cell2 parse_cell(std::string_view name, std::string_view text) {
    const auto [first, second] = split(text, ',');
    const auto x = number<std::int32_t>(first);
    const auto y = second ? number<std::int32_t>(*second) : std::nullopt;
    if (!x || !y) {
        refuse(name, text, "X,Y in whole cells");
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
    const bool volume = defaults.depth > 0;
    const std::int64_t extra = corner_samples ? 1 : 0;
    Layout layout = defaults;
    if (cell) {
        layout.cell = parse_real(cell_info(), *cell);
    }
    std::vector<std::int64_t> cells;
    if (size) {
        cells = parse_sides(*size, sides_for(volume));
    }
    if (extent) {
        const auto metres = parse_extent(*extent, volume, !volume || size);
        if (size && cell) {
            throw Error(ErrorCode::invalid_argument,
                        "--size, --extent and --cell together; allowed are two of them");
        }
        if (size) {
            layout.cell = cell_of(*size, cells, *extent, metres, extra);
        } else {
            for (std::size_t i = 0; i < (volume ? 3 : 2); ++i) {
                cells.push_back(side(metres[std::min(i, metres.size() - 1)], layout.cell,
                                     i < 2 ? extra : 0, *extent));
            }
        }
    }
    if (!cells.empty()) {
        layout.extent = {cells[0], cells[1]};
        layout.depth = volume ? cells[2] : 0;
    }
    return layout;
}

void print(std::string_view text) {
    io::OutputFile("-").write(text);
}

} // namespace karst::cli
