#include "core/digest.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace karst::core {

std::uint64_t xxh3(const void *bytes, std::size_t size) {
    return XXH3_64bits(bytes, size);
}

std::uint64_t digest_rows(std::span<const std::uint64_t> rows) {
    return xxh3(rows.data(), rows.size_bytes());
}

} // namespace karst::core
