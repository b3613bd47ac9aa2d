// Memory for large arrays. The system zeroes a page when it is first written; with pages of 2 MiB,
// where it has them, it is called 512 times less often than with those of 4 KiB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <type_traits>
#include <vector>

#include <karst/field.hpp>

#include "core/run.hpp"

namespace karst::core {

// The memory of new, with large pages under large arrays.
std::pmr::memory_resource *large_pages() noexcept;
// The run's memory; that of new with large pages.
std::pmr::memory_resource *large_pages(const Run &run) noexcept;

// Asks for large pages there, if the bytes fill some. Where the system has none nothing happens.
void prefer_large_pages(void *memory, std::size_t bytes) noexcept;

// Values that nobody has set.
template <class T>
std::unique_ptr<T[]> unwritten_array(std::size_t count) {
    static_assert(std::is_trivially_default_constructible_v<T>);
    auto values = std::make_unique_for_overwrite<T[]>(count);
    prefer_large_pages(values.get(), count * sizeof(T));
    return values;
}

// Takes memory that nobody has written from the system, by all threads.
void take_pages(Run &run, void *memory, std::size_t bytes);

// A field in large pages that nobody has set, its memory taken by all threads: by rows, by columns
// or by a copy, whoever sets it finds it there.
template <class T, class Extent>
Field<T, Extent> unset_field(Run &run, Extent extent) {
    Field<T, Extent> field(Unset{}, extent, large_pages(run));
    take_pages(run, field.data(), field.cells().size_bytes());
    return field;
}

// vector.resize(count) where `vector` is empty: its zeros go to memory that is there.
template <class T>
void resize(Run &run, std::vector<T> &vector, std::size_t count) {
    vector.reserve(count);
    take_pages(run, vector.data(), count * sizeof(T));
    vector.resize(count);
}

} // namespace karst::core
