// Digests of canonical arrays: XXH3-64 of each row's little-endian bytes, then of the row digests.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include <karst/field.hpp>

namespace karst::core {

static_assert(std::endian::native == std::endian::little,
              "digests and raw files are written from memory as little-endian");

std::uint64_t xxh3(const void *bytes, std::size_t size);

// Digest of an array from the digests of its rows, top to bottom.
std::uint64_t digest_rows(std::span<const std::uint64_t> rows);

template <class T>
std::uint64_t digest(const Field2D<T> &field) {
    std::vector<std::uint64_t> rows(static_cast<std::size_t>(field.height()));
    for (std::int64_t y = 0; y < field.height(); ++y) {
        const auto row = field.row(y);
        rows[static_cast<std::size_t>(y)] = xxh3(row.data(), row.size_bytes());
    }
    return digest_rows(rows);
}

} // namespace karst::core
