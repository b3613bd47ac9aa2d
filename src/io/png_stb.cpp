#include "io/png_stb.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <unordered_map>

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
#include <stb_image_write.h>

#include "io/png_encode.hpp"

namespace karst::io {

bool fits_stb(Extent2 size) {
    constexpr std::int64_t kPixels = std::int64_t{16} << 20;
    return (size.width + 1) * size.height <= kPixels;
}

void write_grey_8(OutputFile &file, const Field2D<std::uint8_t> &field,
                  const std::vector<std::pair<std::string, std::string>> &texts) {
    constexpr int kHeader = 8 + 25; // signature and IHDR; text chunks may follow
    struct FreeBlocks {
        ~FreeBlocks() { stb_blocks.clear(); }
    } free_blocks;
    int size = 0;
    const unsigned char *encoded = stbi_write_png_to_mem(
        field.data(), static_cast<int>(field.width()), static_cast<int>(field.width()),
        static_cast<int>(field.height()), 1, &size);
    file.write(encoded, kHeader);
    for (const auto &[key, value] : texts) {
        write_png_chunk(file, "tEXt", key + '\0' + value);
    }
    file.write(encoded + kHeader, static_cast<std::size_t>(size - kHeader));
}

} // namespace karst::io
