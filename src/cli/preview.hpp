// What karst preview and karst run --watch share.
#pragma once

#include <cstdint>
#include <string>

#include <karst/field.hpp>

namespace karst::cli {

inline constexpr const char *kPreviewFile = "preview.png"; // where a picture goes by default

inline constexpr std::int64_t kLargestPictureSide = 16384; // pixels

// The size of a picture of `size` cells that is `width` pixels wide, or narrower where it would be
// higher than kLargestPictureSide; if `square`, than `width`.
Extent2 fitted(Extent2 size, std::int64_t width, bool square);

// "seed 7", "seed 0x0123456789abcdef".
std::string seed_caption(std::uint64_t seed);

// Throws Error(invalid_argument) unless `path` is a .png or the standard output, and is no artefact
// with a manifest.
void require_picture_file(const std::string &path);

// Colours 0x00RRGGBB as a PNG. Throws Error(io_failure), Error(cancelled).
void write_picture(const std::string &path, Field2D<std::uint32_t> picture,
                   const std::string &generator);

} // namespace karst::cli
