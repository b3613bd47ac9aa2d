// Text in pictures, by the strokes of stb_easy_font: 7 pixels high at scale 1.
#pragma once

#include <cstdint>
#include <string>

#include <karst/field.hpp>

namespace karst::cli {

inline constexpr std::int64_t kTextLine = 11; // pixels of a line at scale 1, with what hangs below

// The font knows the characters 32 to 126; one that it does not know becomes "?".
std::string printable(const std::string &text);

// Pixels at scale 1.
std::int64_t text_width(std::string text);

// With its top-left at (x, y); what lies right of the picture or below it is cut off. x, y >= 0.
void draw_text(Field2D<std::uint32_t> &picture, std::int64_t x, std::int64_t y, std::string text,
               std::int64_t scale, std::uint32_t colour);

} // namespace karst::cli
