#include "cli/lettering.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <stb_easy_font.h>

namespace karst::cli {

std::string printable(const std::string &text) {
    std::string result;
    for (const char c : text) {
        if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) { // one for a character of UTF-8
            result += c >= ' ' && c <= '~' ? c : '?';
        }
    }
    return result;
}

std::int64_t text_width(std::string text) {
    return stb_easy_font_width(text.data());
}

void draw_text(Field2D<std::uint32_t> &picture, std::int64_t x, std::int64_t y, std::string text,
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

} // namespace karst::cli
