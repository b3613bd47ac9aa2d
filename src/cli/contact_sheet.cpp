#include "cli/contact_sheet.hpp"

#include <algorithm>

#include "cli/lettering.hpp"

namespace karst::cli {

namespace {

using Picture = Field2D<std::uint32_t>;

constexpr std::uint32_t kPaper = 0x1c1d20;
constexpr std::uint32_t kInk = 0xf0ece2;
constexpr std::uint32_t kPaleInk = 0xa9a69d;
constexpr std::int64_t kAboveText = 4;

// What fits into `width` pixels at scale 1.
std::string fitted(const std::string &text, std::int64_t width) {
    if (text_width(text) <= width) {
        return text;
    }
    std::string cut = text;
    while (!cut.empty() && text_width(cut + "..") > width) {
        cut.pop_back();
    }
    return cut + "..";
}

int columns_for(std::size_t count) {
    if (count <= 3) {
        return static_cast<int>(std::max<std::size_t>(count, 1));
    }
    int columns = 2;
    while (static_cast<std::size_t>(columns) * static_cast<std::size_t>(columns) < count) {
        ++columns;
    }
    return columns;
}

// The titles are twice as large as the subtitles where all of them fit.
struct Caption {
    std::string title, subtitle;
    std::int64_t scale;

    Caption(const Tile &tile, std::int64_t width, std::int64_t title_scale)
        : title(fitted(printable(tile.title), width / title_scale)),
          subtitle(fitted(printable(tile.subtitle), width)), scale(title_scale) {}
};

} // namespace

SheetLayout::SheetLayout(std::size_t count) : columns(columns_for(count)) {}

SheetLayout::SheetLayout(std::size_t count, std::int64_t sheet_width)
    : columns(std::min(columns_for(count), static_cast<int>(std::max<std::int64_t>(
                                               (sheet_width - kGap) / (kSmallestTile + kGap), 1)))),
      tile(std::max<std::int64_t>((sheet_width - kGap) / columns - kGap, 1)), width(sheet_width) {}

Field2D<std::uint32_t> contact_sheet(std::span<const Tile> tiles, const SheetLayout &layout) {
    constexpr std::int64_t kGap = SheetLayout::kGap;
    const auto columns = static_cast<std::size_t>(layout.columns);
    std::vector<std::int64_t> row_heights((tiles.size() + columns - 1) / columns);
    bool subtitles = false;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        std::int64_t &height = row_heights[i / columns];
        height = std::max(height, tiles[i].picture.height());
        subtitles = subtitles || !tiles[i].subtitle.empty();
    }
    const std::int64_t caption = kAboveText + 2 * kTextLine + (subtitles ? kTextLine : 0);
    std::int64_t height = kGap;
    for (const std::int64_t row : row_heights) {
        height += row + caption + kGap;
    }
    const std::int64_t used = layout.columns * (layout.tile + kGap) + kGap;
    Picture sheet({std::max(used, layout.width), height});
    std::fill(sheet.cells().begin(), sheet.cells().end(), kPaper);
    const bool large = std::all_of(tiles.begin(), tiles.end(), [&layout](const Tile &tile) {
        return text_width(printable(tile.title)) * 2 <= layout.tile;
    });
    const std::int64_t title_scale = large ? 2 : 1;
    std::int64_t top = kGap;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
        if (i > 0 && i % columns == 0) {
            top += row_heights[i / columns - 1] + caption + kGap;
        }
        const Picture &picture = tiles[i].picture;
        const std::int64_t left =
            kGap + static_cast<std::int64_t>(i % columns) * (layout.tile + kGap);
        const std::int64_t margin = (layout.tile - picture.width()) / 2;
        const std::int64_t above = row_heights[i / columns] - picture.height();
        for (std::int64_t y = 0; y < picture.height(); ++y) {
            const auto row = picture.row(y);
            std::copy(row.begin(), row.end(), sheet.row(top + above + y).begin() + left + margin);
        }
        const Caption text(tiles[i], layout.tile, title_scale);
        const std::int64_t below = top + row_heights[i / columns] + kAboveText;
        draw_text(sheet, left, below, text.title, text.scale, kInk);
        draw_text(sheet, left, below + 2 * kTextLine, text.subtitle, 1, kPaleInk);
    }
    return sheet;
}

} // namespace karst::cli
