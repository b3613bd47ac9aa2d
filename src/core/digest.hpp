// Digests of canonical arrays: XXH3-64 of each row's little-endian bytes, then of the row digests.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <karst/field.hpp>

namespace karst::core {

static_assert(std::endian::native == std::endian::little,
              "digests and raw files are written from memory as little-endian");

std::uint64_t xxh3(const void *bytes, std::size_t size);

// XXH3-64 of bytes that come piece by piece.
class ByteDigest {
public:
    ByteDigest();
    ~ByteDigest();
    ByteDigest(const ByteDigest &) = delete;
    ByteDigest &operator=(const ByteDigest &) = delete;

    void add(const void *bytes, std::size_t size);
    std::uint64_t value() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Digest of an array from the digests of its rows, in the order of memory.
std::uint64_t digest_rows(std::span<const std::uint64_t> rows);

// Rows lie in the order of memory.
template <class T, class Extent>
std::uint64_t digest(const Field<T, Extent> &field) {
    const auto width = static_cast<std::size_t>(field.width());
    std::vector<std::uint64_t> rows(width == 0 ? 0 : field.cells().size() / width);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i] = xxh3(field.data() + i * width, width * sizeof(T));
    }
    return digest_rows(rows);
}

} // namespace karst::core
