// PNG images from strangers: for control maps and previews. Size and memory are known from the
// header before anything is taken; whatever the bytes are, the end is an image or an Error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <karst/artifact.hpp>

namespace karst::io {

// The most that is read, a side.
inline constexpr std::int64_t kLargestPngSide = 1'000'000;

// What the header says.
struct PngHeader {
    Extent2 size;
    int depth = 8; // bits a sample as stored: 1, 2, 4, 8 or 16
    bool colour = false;
    bool palette = false;
    bool alpha = false; // a channel of its own
    bool interlaced = false;
};

// Every function here throws Error(io_failure) if the file is missing or cannot be read, and
// Error(invalid_input) "FILE: what is wrong; what is allowed" for whatever is no whole PNG of sides
// 1 to kLargestPngSide.
PngHeader read_png_header(const std::string &path);

// The numbers that the file stores, brought to 0..65535 (white) exactly: v * 65535 / (2^depth - 1).
// RGB and palettes become grey by the weights of BT.709, 0.2126 R + 0.7152 G + 0.0722 B, rounded;
// equal R, G and B stay what they are. Transparency, also of a palette, is composed over black:
// value * alpha / 65535, rounded. Gamma and colour profiles are not applied: a grey of 16 bits is
// returned bit for bit. Interlaced files are read as well. Throws Error(invalid_input) before
// anything is taken if the image needs more than `memory_limit` bytes, or if the file is too short
// to hold it (deflate makes at most 1032 bytes of one); Error(out_of_memory) if it does not fit
// though the limit allows it.
Field2D<std::uint16_t> read_grey_png(const std::string &path, std::uint64_t memory_limit);

// The same two of the bytes of a file that was read before; messages call it `path`.
PngHeader png_header(std::string_view bytes, const std::string &path);
Field2D<std::uint16_t> grey_png(std::string_view bytes, const std::string &path,
                                std::uint64_t memory_limit);

// The same image as colours 0x00RRGGBB, 8 bits a channel rounded.
Field2D<std::uint32_t> read_rgb_png(const std::string &path, std::uint64_t memory_limit);

// The same image as the four channels that it stores, alpha not composed, 8 bits each rounded.
Field2D<Rgba8> read_rgba_png(const std::string &path, std::uint64_t memory_limit);

// The tEXt chunks before the pixels whose keyword starts with "karst:", keyword and text, in the
// order of the file: at most 64 of at most 4096 bytes, the others are passed over.
std::vector<std::pair<std::string, std::string>> read_png_text(const std::string &path);

} // namespace karst::io
