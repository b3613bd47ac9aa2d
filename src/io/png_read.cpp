#include "io/png_read.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include <png.h>
#include <zlib.h>

#include <karst/error.hpp>

#include "io/input_file.hpp"

namespace karst::io {

namespace {

constexpr std::array<unsigned char, 8> kSignature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
constexpr std::uint32_t kHeaderLength = 13; // of IHDR's data

constexpr const char *kWhole = "a whole PNG";

std::uint32_t big_endian(const unsigned char *bytes) {
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
           std::uint32_t{bytes[2]} << 8 | bytes[3];
}

std::uint32_t crc_of(const unsigned char *bytes, std::size_t size) {
    return static_cast<std::uint32_t>(crc32(0, bytes, static_cast<uInt>(size)));
}

// --- the header -------------------------------------------------------------------------------

// Depths that each colour type may have (PNG specification, 11.2.2), as a set of bits.
int depths_of(int colour_type) {
    switch (colour_type) {
    case PNG_COLOR_TYPE_GRAY:
        return 1 | 2 | 4 | 8 | 16;
    case PNG_COLOR_TYPE_PALETTE:
        return 1 | 2 | 4 | 8;
    case PNG_COLOR_TYPE_RGB:
    case PNG_COLOR_TYPE_GRAY_ALPHA:
    case PNG_COLOR_TYPE_RGB_ALPHA:
        return 8 | 16;
    default:
        return 0;
    }
}

// Reads the signature and IHDR by hand, so that libpng sees no file whose header is wrong.
PngHeader header_of(InputFile &input) {
    std::array<unsigned char, 8 + 8 + kHeaderLength + 4> start{};
    const std::size_t got = input.read_some(start.data(), start.size());
    const std::size_t signature = std::min(got, kSignature.size());
    if (signature == 0 ||
        !std::equal(start.begin(), start.begin() + static_cast<std::ptrdiff_t>(signature),
                    kSignature.begin())) {
        input.refuse("it is no PNG file: the first 8 bytes are not those of one");
    }
    if (got < start.size()) {
        input.refuse("the file ends within the header; allowed is a whole PNG");
    }
    const unsigned char *chunk = start.data() + kSignature.size();
    const unsigned char *data = chunk + 8;
    if (big_endian(chunk) != kHeaderLength || std::memcmp(chunk + 4, "IHDR", 4) != 0) {
        input.refuse("the first chunk is not IHDR with its 13 bytes");
    }
    if (crc_of(chunk + 4, 4 + kHeaderLength) != big_endian(data + kHeaderLength)) {
        input.refuse("the checksum (CRC) of IHDR is wrong; the file is damaged");
    }
    const std::int64_t width = big_endian(data);
    const std::int64_t height = big_endian(data + 4);
    for (const auto &[name, side] : {std::pair{"width", width}, std::pair{"height", height}}) {
        if (side < 1 || side > kLargestPngSide) {
            input.refuse(std::string(name) + " is " + std::to_string(side) +
                         " pixels; allowed is 1 to " + std::to_string(kLargestPngSide));
        }
    }
    const int depth = data[8];
    const int type = data[9];
    // A power of two, as the depths are bits of a set.
    if (depth == 0 || (depth & (depth - 1)) != 0 || (depths_of(type) & depth) == 0) {
        input.refuse("bit depth " + std::to_string(depth) + " with colour type " +
                     std::to_string(type) +
                     " is none of PNG's; allowed is grey of 1, 2, 4, 8 or 16 bits, a "
                     "palette of 1 to 8 bits, or RGB, grey with alpha and RGB with "
                     "alpha of 8 or 16 bits");
    }
    if (data[10] != 0 || data[11] != 0 || data[12] > 1) {
        input.refuse("compression " + std::to_string(data[10]) + ", filter " +
                     std::to_string(data[11]) + ", interlace " + std::to_string(data[12]) +
                     "; allowed is 0, 0, and 0 or 1");
    }
    PngHeader header;
    header.size = {width, height};
    header.depth = depth;
    header.colour = (type & PNG_COLOR_MASK_COLOR) != 0;
    header.palette = type == PNG_COLOR_TYPE_PALETTE;
    header.alpha = (type & PNG_COLOR_MASK_ALPHA) != 0;
    header.interlaced = data[12] == 1;
    return header;
}

int stored_channels(const PngHeader &header) {
    return (header.colour && !header.palette ? 3 : 1) + (header.alpha ? 1 : 0);
}

std::string mebibytes(std::uint64_t bytes) {
    return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB";
}

// `cell_bytes` is what one pixel of the result takes.
void require_room(const InputFile &input, const PngHeader &header, std::uint64_t memory_limit,
                  std::uint64_t cell_bytes) {
    // All factors are at most 10^6 * 10^6 * 64: no overflow in 64 bits.
    const auto width = static_cast<std::uint64_t>(header.size.width);
    const auto height = static_cast<std::uint64_t>(header.size.height);
    const auto bits = static_cast<std::uint64_t>(header.depth * stored_channels(header));
    const std::string size = std::to_string(width) + " x " + std::to_string(height) + " pixels";
    // One of ours, and what libpng holds: two rows as stored and one of four 16-bit channels.
    const std::uint64_t row_bytes = width * (8 + 8 + 2 * 8);
    const std::uint64_t need = width * height * cell_bytes + row_bytes + (1 << 20);
    if (need > memory_limit) {
        input.refuse(size + " need " + mebibytes(need) + " of memory; allowed is " +
                     mebibytes(memory_limit));
    }
    // RFC 1951: the longest match is 258 bytes and takes two bits at least.
    constexpr std::uint64_t kMostExpansion = 1032;
    const std::uint64_t pixel_bytes = height * ((width * bits + 7) / 8);
    if (pixel_bytes / kMostExpansion > input.bytes()) {
        input.refuse("the file of " + std::to_string(input.bytes()) + " bytes cannot hold " + size +
                     "; it is damaged or cut off");
    }
}

// --- pixels -----------------------------------------------------------------------------------

// Pixels of one row, left to right: those at x, x + step, and so on.
struct Target {
    void *field;
    std::int64_t x, step, y;
};

// `channels` is 1 (grey), 2 (grey, alpha), 3 (RGB) or 4 (RGB, alpha).
using TakeRow = void (*)(const Target &target, const std::uint16_t *samples, std::int64_t count,
                         int channels);

// value * alpha / 65535, rounded.
std::uint32_t over_black(std::uint32_t value, std::uint32_t alpha) {
    return (value * alpha + 32767) / 65535;
}

void take_grey(const Target &target, const std::uint16_t *samples, std::int64_t count,
               int channels) {
    auto &field = *static_cast<Field2D<std::uint16_t> *>(target.field);
    for (std::int64_t i = 0; i < count; ++i, samples += channels) {
        std::uint32_t grey = samples[0];
        if (channels >= 3) { // BT.709 in 65536ths; the sum is 65536, so that equal channels stay
            grey = static_cast<std::uint32_t>((std::uint64_t{13933} * samples[0] +
                                               std::uint64_t{46871} * samples[1] +
                                               std::uint64_t{4732} * samples[2] + 32768) >>
                                              16);
        }
        if (channels % 2 == 0) {
            grey = over_black(grey, samples[channels - 1]);
        }
        field.at(target.x + i * target.step, target.y) = static_cast<std::uint16_t>(grey);
    }
}

void take_rgb(const Target &target, const std::uint16_t *samples, std::int64_t count,
              int channels) {
    auto &field = *static_cast<Field2D<std::uint32_t> *>(target.field);
    for (std::int64_t i = 0; i < count; ++i, samples += channels) {
        std::uint32_t colour = 0;
        for (int c = 0; c < 3; ++c) {
            std::uint32_t value = samples[channels >= 3 ? c : 0];
            if (channels % 2 == 0) {
                value = over_black(value, samples[channels - 1]);
            }
            colour = colour << 8 | (value * 255 + 32767) / 65535;
        }
        field.at(target.x + i * target.step, target.y) = colour;
    }
}

void take_rgba(const Target &target, const std::uint16_t *samples, std::int64_t count,
               int channels) {
    auto &field = *static_cast<Field2D<Rgba8> *>(target.field);
    const auto byte = [](std::uint32_t value) {
        return static_cast<std::uint8_t>((value * 255 + 32767) / 65535);
    };
    for (std::int64_t i = 0; i < count; ++i, samples += channels) {
        Rgba8 &cell = field.at(target.x + i * target.step, target.y);
        for (std::size_t c = 0; c < 3; ++c) {
            cell[c] = byte(samples[channels >= 3 ? c : 0]);
        }
        cell[3] = channels % 2 == 0 ? byte(samples[channels - 1]) : std::uint8_t{255};
    }
}

// libpng calls these back from C: they leave by its longjmp, never by an exception, and hold no
// object with a destructor then.
struct Source {
    std::FILE *file;
    std::array<char, 128> message{};
    int error = 0; // errno of a read that failed
};

void keep_error(png_structp png, png_const_charp message) {
    auto &source = *static_cast<Source *>(png_get_error_ptr(png));
    std::strncpy(source.message.data(), message, source.message.size() - 1);
    png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

void read_bytes(png_structp png, png_bytep bytes, png_size_t size) {
    auto &source = *static_cast<Source *>(png_get_io_ptr(png));
    if (std::fread(bytes, 1, size, source.file) != size) {
        source.error = std::ferror(source.file) != 0 ? errno : 0;
        png_error(png, "the file ends within the image");
    }
}

struct Reading {
    png_structp png;
    png_infop info;
    PngHeader header;
    std::uint16_t *row; // 4 * width samples
    void *field;
    TakeRow take;
};

// The rows first_y, first_y + step_y, and so on, of every step_x-th pixel.
void take_rows(const Reading &reading, std::int64_t first_x, std::int64_t step_x,
               std::int64_t first_y, std::int64_t step_y) {
    const Extent2 size = reading.header.size;
    if (first_x >= size.width) {
        return; // libpng passes over a pass without columns
    }
    const std::int64_t count = (size.width - first_x + step_x - 1) / step_x;
    const int channels = png_get_channels(reading.png, reading.info);
    for (std::int64_t y = first_y; y < size.height; y += step_y) {
        png_read_row(reading.png, reinterpret_cast<png_bytep>(reading.row), nullptr);
        reading.take({reading.field, first_x, step_x, y}, reading.row, count, channels);
    }
}

// No object with a destructor may be made between setjmp and the end. False: libpng failed.
bool read_rows(const Reading &reading) {
    png_structp png = reading.png;
    if (setjmp(png_jmpbuf(png))) {
        return false;
    }
    png_set_user_limits(png, kLargestPngSide, kLargestPngSide);
    png_set_chunk_cache_max(png, 16);
    png_set_chunk_malloc_max(png, 1 << 16); // PLTE and tRNS are the only chunks that are kept
    // A negative number: every chunk that is not needed for the pixels is only checked.
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_read_info(png, reading.info);
    const PngHeader &header = reading.header;
    if (png_get_image_width(png, reading.info) != header.size.width ||
        png_get_image_height(png, reading.info) != header.size.height ||
        png_get_bit_depth(png, reading.info) != header.depth) {
        png_error(png, "the file changed while it was read");
    }
    png_set_expand_16(png); // palettes, fewer bits and transparent colours too
    png_set_swap(png);      // our memory is little-endian, PNG is not
    png_read_update_info(png, reading.info);
    if (png_get_bit_depth(png, reading.info) != 16 ||
        png_get_rowbytes(png, reading.info) > static_cast<std::size_t>(header.size.width) * 8) {
        png_error(png, "the samples cannot be brought to 16 bits");
    }
    if (header.interlaced) {
        // Without png_set_interlace_handling libpng gives the rows of the small images of the
        // seven passes, so that no second image is needed.
        for (int pass = 0; pass < PNG_INTERLACE_ADAM7_PASSES; ++pass) {
            take_rows(reading, PNG_PASS_START_COL(pass), PNG_PASS_COL_OFFSET(pass),
                      PNG_PASS_START_ROW(pass), PNG_PASS_ROW_OFFSET(pass));
        }
    } else {
        take_rows(reading, 0, 1, 0, 1);
    }
    png_read_end(png, nullptr);
    return true;
}

template <class T>
Field2D<T> read_pixels(InputFile input, std::uint64_t memory_limit, TakeRow take) {
    const PngHeader header = header_of(input);
    require_room(input, header, memory_limit, sizeof(T));
    std::rewind(input.stream());
    try {
        Field2D<T> field(header.size);
        const std::unique_ptr<std::uint16_t[]> row(
            new std::uint16_t[static_cast<std::size_t>(header.size.width) * 4]);
        Source source{input.stream()};
        png_structp png =
            png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, keep_error, ignore_warning);
        png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
        if (info == nullptr) {
            png_destroy_read_struct(&png, nullptr, nullptr);
            throw std::bad_alloc();
        }
        png_set_read_fn(png, &source, read_bytes);
        const bool read = read_rows({png, info, header, row.get(), &field, take});
        png_destroy_read_struct(&png, &info, nullptr);
        if (source.error != 0) {
            input.cannot_read(source.error);
        }
        if (!read) {
            input.refuse(std::string(source.message.data()) + "; allowed is a whole PNG");
        }
        return field;
    } catch (const std::bad_alloc &) {
        throw Error(ErrorCode::out_of_memory,
                    "no memory for the " + std::to_string(header.size.width) + " x " +
                        std::to_string(header.size.height) + " pixels of '" + input.path() + "'");
    }
}

} // namespace

PngHeader read_png_header(const std::string &path) {
    InputFile input(path);
    return header_of(input);
}

Field2D<std::uint16_t> read_grey_png(const std::string &path, std::uint64_t memory_limit) {
    return read_pixels<std::uint16_t>(InputFile(path), memory_limit, take_grey);
}

PngHeader png_header(std::string_view bytes, const std::string &path) {
    InputFile input(path, bytes);
    return header_of(input);
}

Field2D<std::uint16_t> grey_png(std::string_view bytes, const std::string &path,
                                std::uint64_t memory_limit) {
    return read_pixels<std::uint16_t>(InputFile(path, bytes), memory_limit, take_grey);
}

Field2D<std::uint32_t> read_rgb_png(const std::string &path, std::uint64_t memory_limit) {
    return read_pixels<std::uint32_t>(InputFile(path), memory_limit, take_rgb);
}

Field2D<Rgba8> read_rgba_png(const std::string &path, std::uint64_t memory_limit) {
    return read_pixels<Rgba8>(InputFile(path), memory_limit, take_rgba);
}

std::vector<std::pair<std::string, std::string>> read_png_text(const std::string &path) {
    constexpr std::uint32_t kLongest = 4096;
    constexpr std::size_t kMost = 64;
    constexpr std::string_view kOurs = "karst:";
    InputFile input(path);
    header_of(input);
    std::vector<std::pair<std::string, std::string>> texts;
    for (;;) {
        std::array<unsigned char, 8> start{};
        input.read(start.data(), start.size(), kWhole);
        const std::uint32_t length = big_endian(start.data());
        const std::string_view type(reinterpret_cast<const char *>(start.data()) + 4, 4);
        if (type == "IDAT" || type == "IEND") {
            return texts;
        }
        if (length > PNG_UINT_31_MAX) {
            input.refuse("a chunk of " + std::to_string(length) + " bytes; allowed is 2147483647");
        }
        if (type != "tEXt" || length > kLongest || texts.size() == kMost) {
            if (std::fseek(input.stream(), static_cast<long>(length), SEEK_CUR) != 0 ||
                std::fseek(input.stream(), 4, SEEK_CUR) != 0) {
                input.cannot_read(errno);
            }
            continue;
        }
        std::string body(std::size_t{4} + length, '\0'); // the CRC covers the type
        std::copy(type.begin(), type.end(), body.begin());
        input.read(body.data() + 4, length, kWhole);
        std::array<unsigned char, 4> crc{};
        input.read(crc.data(), crc.size(), kWhole);
        if (crc_of(reinterpret_cast<const unsigned char *>(body.data()), body.size()) !=
            big_endian(crc.data())) {
            input.refuse("the checksum (CRC) of a text is wrong; the file is damaged");
        }
        const std::size_t end = body.find('\0', 4);
        if (end != std::string::npos && body.compare(4, kOurs.size(), kOurs) == 0) {
            texts.emplace_back(body.substr(4, end - 4), body.substr(end + 1));
        }
    }
}

} // namespace karst::io
