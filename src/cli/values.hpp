// Values as a person types them. Every function throws Error(invalid_argument) that says what is
// allowed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <karst/field.hpp>
#include <karst/params.hpp>

namespace karst::cli {

using OptionalText = std::optional<std::string>;

// "512x256".
Extent2 parse_size(std::string_view text);
std::string size_text(Extent2 extent);
std::string size_text(Extent3 extent);
// The same with a third number for the depth of a volume.
struct AnySize {
    Extent2 extent;
    std::int64_t depth; // 0: a map
};
AnySize parse_any_size(std::string_view text);

// How many numbers "512x256" or "96x96x48" has, whatever they are.
int numbers_in(std::string_view text);

// "-3,7".
Cell2 parse_cell(std::string_view name, std::string_view text);

// "name=value".
std::pair<std::string, std::string> parse_assignment(std::string_view text);

// One whole or real number against a description.
std::int64_t parse_integer(const ParamInfo &info, std::string_view text);
double parse_real(const ParamInfo &info, std::string_view text);

struct Layout {
    Extent2 extent;
    double cell;            // metres
    std::int64_t depth = 0; // cells upwards; 0: a map
};

// From --size (cells), --extent (metres: "W" or "WxH") and --cell (metres a cell). Any two give the
// third; --extent W without --size is a square. With corner_samples W samples span W - 1 cells.
// Defaults with a depth ask for a volume: then both have three numbers, "WxHxD", but for --extent W
// beside --size.
Layout parse_layout(const OptionalText &size, const OptionalText &extent, const OptionalText &cell,
                    const Layout &defaults, bool corner_samples);

// Writes to the standard output; throws Error(io_failure).
void print(std::string_view text);

} // namespace karst::cli
