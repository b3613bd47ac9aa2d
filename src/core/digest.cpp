#include "core/digest.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace karst::core {

std::uint64_t xxh3(const void *bytes, std::size_t size) {
    return XXH3_64bits(bytes, size);
}

struct ByteDigest::State {
    XXH3_state_t xxh3;
};

ByteDigest::ByteDigest() : state_(std::make_unique<State>()) {
    XXH3_64bits_reset(&state_->xxh3);
}

ByteDigest::~ByteDigest() = default;

void ByteDigest::add(const void *bytes, std::size_t size) {
    XXH3_64bits_update(&state_->xxh3, bytes, size);
}

std::uint64_t ByteDigest::value() const {
    return XXH3_64bits_digest(&state_->xxh3);
}

std::uint64_t digest_rows(std::span<const std::uint64_t> rows) {
    return xxh3(rows.data(), rows.size_bytes());
}

} // namespace karst::core
