// Many pictures in one, each with its caption.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <karst/field.hpp>

namespace karst::cli {

struct Tile {
    Field2D<std::uint32_t> picture; // 0x00RRGGBB
    std::string title;              // larger, if it fits
    std::string subtitle;           // may be empty
};

// Pictures side by side: columns, and the pixels that each may be wide.
struct SheetLayout {
    int columns = 1;
    std::int64_t tile = 256;

    std::int64_t width = 0; // of the sheet at least

    // Of `count` pictures; as wide as its tiles make it.
    explicit SheetLayout(std::size_t count);
    // In `width` pixels, no more columns than leave kSmallestTile to each.
    SheetLayout(std::size_t count, std::int64_t width);

    static constexpr std::int64_t kSmallestTile = 32;
    static constexpr std::int64_t kGap = 8; // between pictures and around all
};

// No picture is wider than layout.tile. Rows are as high as their highest picture; a narrower
// picture stands in the middle of its column. Of the titles what is not ASCII becomes "?", and what
// is too long ends in "..".
Field2D<std::uint32_t> contact_sheet(std::span<const Tile> tiles, const SheetLayout &layout);

} // namespace karst::cli
