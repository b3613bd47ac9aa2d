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

// Rows lie in the order of memory. for_rows(count, f) calls f(y) for each row, in any order.
template <class T, class Extent, class ForRows>
std::uint64_t digest(const Field<T, Extent> &field, ForRows &&for_rows) {
    const std::int64_t width = field.width();
    std::vector<std::uint64_t> rows(width == 0 ? 0
                                               : static_cast<std::size_t>(field.size() / width));
    for_rows(static_cast<std::int64_t>(rows.size()), [&](std::int64_t y) {
        rows[static_cast<std::size_t>(y)] =
            xxh3(field.data() + y * width, static_cast<std::size_t>(width) * sizeof(T));
    });
    return digest_rows(rows);
}

template <class T, class Extent>
std::uint64_t digest(const Field<T, Extent> &field) {
    return digest(field, [](std::int64_t count, auto &&f) {
        for (std::int64_t y = 0; y < count; ++y) {
            f(y);
        }
    });
}

} // namespace karst::core
