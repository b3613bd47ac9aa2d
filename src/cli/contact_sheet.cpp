#include "cli/contact_sheet.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <stb_easy_font.h>

namespace karst::cli {

namespace {

using Picture = Field2D<std::uint32_t>;

constexpr std::uint32_t kPaper = 0x1c1d20;
constexpr std::uint32_t kInk = 0xf0ece2;
constexpr std::uint32_t kPaleInk = 0xa9a69d;
constexpr std::int64_t kLine = 11; // pixels of a line at scale 1, with what hangs below it
constexpr std::int64_t kAboveText = 4;

// stb_easy_font knows the characters 32 to 126 and no others.
std::string printable(const std::string &text) {
    std::string result;
    for (const char c : text) {
        if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) { // one for a character of UTF-8
            result += c >= ' ' && c <= '~' ? c : '?';
        }
    }
    return result;
}

std::int64_t width_of(std::string text) {
    return stb_easy_font_width(text.data());
}

// What fits into `width` pixels at scale 1.
std::string fitted(const std::string &text, std::int64_t width) {
    if (width_of(text) <= width) {
        return text;
    }
    std::string cut = text;
    while (!cut.empty() && width_of(cut + "..") > width) {
        cut.pop_back();
    }
    return cut + "..";
}

void draw_text(Picture &picture, std::int64_t x, std::int64_t y, std::string text,
               std::int64_t scale, std::uint32_t colour) {
    struct Vertex {
        float x, y, z;
        unsigned char colour[4];
    };
    // A character has 12 strokes at most, each a rectangle of 4 vertices.
    std::vector<Vertex> vertices(text.size() * 48 + 48);
    const int rectangles = stb_easy_font_print(0, 0, text.data(), nullptr, vertices.data(),
                                               static_cast<int>(vertices.size() * sizeof(Vertex)));
    for (int i = 0; i < rectangles; ++i) {
        const Vertex &first = vertices[static_cast<std::size_t>(i) * 4];
        const Vertex &last = vertices[static_cast<std::size_t>(i) * 4 + 2];
        const auto at = [scale](std::int64_t origin, float offset) {
            return origin + scale * static_cast<std::int64_t>(std::floor(offset));
        };
        const std::int64_t bottom = std::min(at(y, last.y), picture.height());
        const std::int64_t right = std::min(at(x, last.x), picture.width());
        for (std::int64_t row = at(y, first.y); row < bottom; ++row) {
            for (std::int64_t column = at(x, first.x); column < right; ++column) {
                picture.at(column, row) = colour;
            }
        }
    }
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
    const std::int64_t caption = kAboveText + 2 * kLine + (subtitles ? kLine : 0);
    std::int64_t height = kGap;
    for (const std::int64_t row : row_heights) {
        height += row + caption + kGap;
    }
    const std::int64_t used = layout.columns * (layout.tile + kGap) + kGap;
    Picture sheet({std::max(used, layout.width), height});
    std::fill(sheet.cells().begin(), sheet.cells().end(), kPaper);
    const bool large = std::all_of(tiles.begin(), tiles.end(), [&layout](const Tile &tile) {
        return width_of(printable(tile.title)) * 2 <= layout.tile;
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
        draw_text(sheet, left, below + 2 * kLine, text.subtitle, 1, kPaleInk);
    }
    return sheet;
}

} // namespace karst::cli
