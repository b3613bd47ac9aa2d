// Rows of pixels become the bytes of a PNG file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <karst/field.hpp>

#include "io/file.hpp"

namespace karst::io {

inline constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";

// Length, type, data, CRC of type and data (PNG specification, 5.3). `type` has four letters. At
// most 2^31-1 bytes.
void write_png_chunk(OutputFile &file, std::string_view type, std::string_view data);

enum class PngColour : std::uint8_t { grey = 0, rgb = 2, rgb_alpha = 6 };

struct PngImage {
    Extent2 size; // at most 2^31-1 a side
    int depth;    // bits of a channel, 8 or 16
    PngColour colour;
    // Writes row y: depth / 8 bytes a channel, the high byte first. Called from several threads.
    std::function<void(std::int64_t y, std::uint8_t *row)> fill_row;

    std::size_t pixel_bytes() const;
    std::size_t row_bytes() const { return static_cast<std::size_t>(size.width) * pixel_bytes(); }
};

// Writes a whole file with the texts (keyword, value) as tEXt chunks. Stripes of about a megabyte,
// whose height depends on the image only, are compressed beside each other by file.threads()
// threads and written in order: the same bytes for every number of threads. Each begins on its own
// (Z_FULL_FLUSH), and all of them are one zlib stream. Throws Error(io_failure), Error(cancelled),
// std::bad_alloc.
void encode_png(OutputFile &file, const PngImage &image,
                const std::vector<std::pair<std::string, std::string>> &texts);

} // namespace karst::io
