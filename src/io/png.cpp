#include "io/png.hpp"

#include <algorithm>
#include <bit>
#include <csetjmp>
#include <cstddef>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

// stb_image_write does not look at what realloc returns. Its memory therefore throws
// std::bad_alloc, and write_grey_8 frees the blocks that stb still holds then.
thread_local std::unordered_map<void *, std::unique_ptr<std::byte[]>> stb_blocks;

void *stb_allocate(std::size_t size) {
    std::unique_ptr<std::byte[]> block(new std::byte[size]);
    void *const address = block.get();
    stb_blocks.emplace(address, std::move(block));
    return address;
}

void stb_free(void *address) {
    stb_blocks.erase(address);
}

void *stb_reallocate(void *address, std::size_t old_size, std::size_t size) {
    void *const grown = stb_allocate(size);
    if (address != nullptr) {
        std::memcpy(grown, address, std::min(old_size, size));
        stb_free(address);
    }
    return grown;
}

} // namespace

#define STBIW_MALLOC(size) stb_allocate(size)
#define STBIW_REALLOC_SIZED(address, old_size, size) stb_reallocate(address, old_size, size)
#define STBIW_FREE(address) stb_free(address)
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#include <png.h>
#include <stb_image_write.h>
#include <zlib.h>

#include <karst/params.hpp>
#include <karst/seed.hpp>

namespace karst::io {

namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();

using Text = std::vector<std::pair<std::string, std::string>>;

Text text_chunks(const Artifact &artifact, const Layer &layer) {
    Text text{{"karst:generator", artifact.generator},
              {"karst:algorithm", std::to_string(KARST_ALGORITHM_VERSION)},
              {"karst:program", KARST_VERSION},
              {"karst:layer", layer.name}};
    if (!artifact.recipe.empty()) {
        text.emplace_back("karst:recipe", artifact.recipe);
    }
    if (artifact.seed) {
        text.emplace_back("karst:seed", seed_to_string(*artifact.seed));
    }
    if (layer.meaning == LayerMeaning::amount) {
        text.emplace_back("karst:unit", layer.unit);
        text.emplace_back("karst:scale", to_string(ParamValue(png_scale(layer).value())));
        text.emplace_back("karst:offset", to_string(ParamValue(layer.offset)));
    }
    return text;
}

std::uint32_t maximum(const Field2D<std::uint32_t> &field) {
    const auto cells = field.cells();
    return cells.empty() ? 0 : *std::max_element(cells.begin(), cells.end());
}

// --- 8-bit grey -------------------------------------------------------------------------------

void append_big_endian(std::string &bytes, std::uint32_t value) {
    for (const int shift : {24, 16, 8, 0}) {
        bytes += static_cast<char>((value >> shift) & 0xff);
    }
}

// Length, "tEXt", keyword, 0, text, CRC of all but the length (PNG specification, 5.3
// and 11.3.4.3).
std::string text_chunk(const std::string &key, const std::string &value) {
    std::string body = "tEXt" + key;
    body += '\0';
    body += value;
    std::string chunk;
    append_big_endian(chunk, static_cast<std::uint32_t>(body.size() - 4));
    chunk += body;
    append_big_endian(
        chunk, static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef *>(body.data()),
                                                static_cast<uInt>(body.size()))));
    return chunk;
}

// stb_image_write holds the filtered image and the whole file in memory, the file twice while it
// grows, and computes sizes in an int. libpng streams the rows of larger images.
bool fits_stb(Extent2 size) {
    constexpr std::int64_t kPixels = std::int64_t{16} << 20;
    return (size.width + 1) * size.height <= kPixels;
}

void write_grey_8(OutputFile &file, const Field2D<std::uint8_t> &field, const Text &text) {
    constexpr int kHeader = 8 + 25; // signature and IHDR; text chunks may follow
    struct FreeBlocks {
        ~FreeBlocks() { stb_blocks.clear(); }
    } free_blocks;
    int size = 0;
    const unsigned char *encoded = stbi_write_png_to_mem(
        field.data(), static_cast<int>(field.width()), static_cast<int>(field.width()),
        static_cast<int>(field.height()), 1, &size);
    file.write(encoded, kHeader);
    for (const auto &[key, value] : text) {
        file.write(text_chunk(key, value));
    }
    file.write(encoded + kHeader, static_cast<std::size_t>(size - kHeader));
}

// --- everything else --------------------------------------------------------------------------

// libpng calls back into C++, which must not throw through it: write_bytes keeps the exception and
// leaves by png_error, which jumps to the setjmp in write_rows.
struct PngFile {
    OutputFile *file;
    std::exception_ptr exception;
    std::string message;
};

void write_bytes(png_structp png, png_bytep bytes, png_size_t size) {
    auto &target = *static_cast<PngFile *>(png_get_io_ptr(png));
    try {
        target.file->write(bytes, size);
        return;
    } catch (...) {
        target.exception = std::current_exception();
    }
    png_error(png, "write failed");
}

void keep_error(png_structp png, png_const_charp message) {
    static_cast<PngFile *>(png_get_error_ptr(png))->message = message;
    png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

struct Image {
    Extent2 size;
    int depth;
    int colour;
    void (*fill_row)(const LayerData &data, std::uint32_t maximum, std::int64_t y, png_byte *row);
    const LayerData *data;
    std::uint32_t maximum; // of a 32-bit amount
};

// No object with a destructor may be made between setjmp and the end. False: libpng failed.
bool write_rows(png_structp png, png_infop info, const Image &image, std::vector<png_text> &text,
                png_byte *row) {
    if (setjmp(png_jmpbuf(png))) {
        return false;
    }
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_compression_buffer_size(png, 1 << 20);
    png_set_IHDR(png, info, static_cast<png_uint_32>(image.size.width),
                 static_cast<png_uint_32>(image.size.height), image.depth, image.colour,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_text(png, info, text.data(), static_cast<int>(text.size()));
    png_write_info(png, info);
    if (image.depth == 16) {
        png_set_swap(png); // our memory is little-endian, PNG is not
    }
    for (std::int64_t y = 0; y < image.size.height; ++y) {
        image.fill_row(*image.data, image.maximum, y, row);
        png_write_row(png, row);
    }
    png_write_end(png, info);
    return true;
}

void write_with_libpng(OutputFile &file, const Image &image, const Text &text) {
    std::vector<png_text> chunks;
    for (const auto &[key, value] : text) {
        png_text chunk{};
        chunk.compression = PNG_TEXT_COMPRESSION_NONE;
        chunk.key = const_cast<char *>(key.c_str()); // libpng reads them only
        chunk.text = const_cast<char *>(value.c_str());
        chunk.text_length = value.size();
        chunks.push_back(chunk);
    }
    PngFile target{&file, nullptr, {}};
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, &target, keep_error, ignore_warning);
    png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
    if (info == nullptr) {
        png_destroy_write_struct(&png, nullptr);
        throw Error(ErrorCode::out_of_memory, "no memory to encode '" + file.path() + "'");
    }
    png_set_write_fn(png, &target, write_bytes, nullptr);
    const int channels = image.colour == PNG_COLOR_TYPE_RGB         ? 3
                         : image.colour == PNG_COLOR_TYPE_RGB_ALPHA ? 4
                                                                    : 1;
    const int pixel = image.depth / 8 * channels;
    std::vector<png_byte> row(static_cast<std::size_t>(image.size.width * pixel));
    const bool written = write_rows(png, info, image, chunks, row.data());
    png_destroy_write_struct(&png, &info);
    if (target.exception) {
        std::rethrow_exception(target.exception);
    }
    if (!written) {
        throw Error(ErrorCode::io_failure, "cannot write '" + file.path() + "': " + target.message);
    }
}

void fill_grey_8(const LayerData &data, std::uint32_t, std::int64_t y, png_byte *row) {
    const auto cells = std::get<Field2D<std::uint8_t>>(data).row(y);
    std::copy(cells.begin(), cells.end(), row);
}

void fill_grey_16(const LayerData &data, std::uint32_t, std::int64_t y, png_byte *row) {
    const auto cells = std::as_bytes(std::get<Field2D<std::uint16_t>>(data).row(y));
    std::copy(cells.begin(), cells.end(), reinterpret_cast<std::byte *>(row));
}

template <class Cell>
void fill_channels(const LayerData &data, std::uint32_t, std::int64_t y, png_byte *row) {
    const auto cells = std::as_bytes(std::get<Field2D<Cell>>(data).row(y));
    std::copy(cells.begin(), cells.end(), reinterpret_cast<std::byte *>(row));
}

void fill_scaled_16(const LayerData &data, std::uint32_t maximum, std::int64_t y, png_byte *row) {
    const std::uint64_t divisor = std::max(maximum, 1u);
    for (const std::uint64_t value : std::get<Field2D<std::uint32_t>>(data).row(y)) {
        const std::uint64_t grey = (value * 65535 + divisor / 2) / divisor;
        *row++ = static_cast<png_byte>(grey & 0xff);
        *row++ = static_cast<png_byte>(grey >> 8);
    }
}

png_byte *put_colour(png_byte *pixel, std::uint32_t colour) {
    *pixel++ = static_cast<png_byte>(colour >> 16);
    *pixel++ = static_cast<png_byte>(colour >> 8);
    *pixel++ = static_cast<png_byte>(colour);
    return pixel;
}

void fill_id(const LayerData &data, std::uint32_t, std::int64_t y, png_byte *row) {
    std::visit(
        [y, row](const auto &field) {
            using Cell = typename std::decay_t<decltype(field)>::value_type;
            if constexpr (std::is_integral_v<Cell> && !requires { field.depth(); }) { // a map
                png_byte *pixel = row;
                for (const auto id : field.row(y)) {
                    pixel = put_colour(pixel,
                                       id == std::numeric_limits<Cell>::max() ? 0 : id_colour(id));
                }
            }
        },
        data);
}

void fill_colour(const LayerData &data, std::uint32_t, std::int64_t y, png_byte *row) {
    for (const std::uint32_t colour : std::get<Field2D<std::uint32_t>>(data).row(y)) {
        row = put_colour(row, colour);
    }
}

// Whether the numbers are names or colours, not amounts that a scale applies to.
bool is_rgb(const Layer &layer) {
    return layer.meaning == LayerMeaning::id || layer.meaning == LayerMeaning::colour;
}

Image image_of(const Layer &layer) {
    const Extent3 size = extent(layer.data);
    Image image{{size.width, size.height}, 16, PNG_COLOR_TYPE_GRAY, fill_grey_16, &layer.data, 0};
    if (is_rgb(layer)) {
        image.depth = 8;
        image.colour = PNG_COLOR_TYPE_RGB;
        image.fill_row = layer.meaning == LayerMeaning::id ? fill_id : fill_colour;
    } else if (std::holds_alternative<Field2D<Rgb16>>(layer.data)) {
        image.colour = PNG_COLOR_TYPE_RGB;
        image.fill_row = fill_channels<Rgb16>;
    } else if (std::holds_alternative<Field2D<Rgb8>>(layer.data)) {
        image.depth = 8;
        image.colour = PNG_COLOR_TYPE_RGB;
        image.fill_row = fill_channels<Rgb8>;
    } else if (std::holds_alternative<Field2D<Rgba8>>(layer.data)) {
        image.depth = 8;
        image.colour = PNG_COLOR_TYPE_RGB_ALPHA;
        image.fill_row = fill_channels<Rgba8>;
    } else if (bits(layer.data) == 8) {
        image.depth = 8;
        image.fill_row = fill_grey_8;
    } else if (bits(layer.data) == 32) {
        image.fill_row = fill_scaled_16;
        image.maximum = maximum(std::get<Field2D<std::uint32_t>>(layer.data));
    }
    return image;
}

} // namespace

std::uint32_t id_colour(std::uint32_t id) {
    std::uint32_t hash = id * 0x9e3779b1u; // a bijective mix; see Steele, Lea, Flood 2014
    hash = (hash ^ (hash >> 15)) * 0x85ebca6bu;
    hash = (hash ^ (hash >> 13)) * 0xc2b2ae35u;
    hash ^= hash >> 16;
    const auto channel = [hash](int shift) { return 64 + ((hash >> shift) & 0xff) * 191 / 255; };
    return channel(0) << 16 | channel(8) << 8 | channel(16);
}

std::optional<double> png_scale(const Layer &layer) {
    if (is_rgb(layer)) {
        return std::nullopt;
    }
    const auto *wide = std::get_if<Field2D<std::uint32_t>>(&layer.data);
    return wide == nullptr ? layer.scale : layer.scale * std::max(maximum(*wide), 1u) / 65535;
}

void write_png(OutputFile &file, const Artifact &artifact, const Layer &layer) {
    const Extent3 size = extent(layer.data);
    if (size.width > kLargest || size.height > kLargest) {
        throw Error(ErrorCode::unsupported, "cannot write '" + file.path() +
                                                "': PNG holds at most " + std::to_string(kLargest) +
                                                " pixels a side");
    }
    const Text text = text_chunks(artifact, layer);
    const auto *bytes = std::get_if<Field2D<std::uint8_t>>(&layer.data);
    if (bytes != nullptr && !is_rgb(layer) && fits_stb(bytes->extent())) {
        write_grey_8(file, *bytes, text);
    } else {
        write_with_libpng(file, image_of(layer), text);
    }
}

} // namespace karst::io
