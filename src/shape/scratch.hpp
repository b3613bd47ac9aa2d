// A rectangular array for what is written before it is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <karst/field.hpp>

namespace karst::shape {

// Unlike a Field it is not filled with zeros first: on a large map that takes one thread as long as
// all of them need for a pass, as the system gives memory page by page to the first who writes it.
template <class T>
class Scratch2D {
public:
    explicit Scratch2D(Extent2 extent = {})
        : extent_(extent),
          cells_(std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(extent.cells()))) {}

    std::int64_t size() const noexcept { return extent_.cells(); }
    T *row(std::int64_t y) noexcept { return cells_.get() + y * extent_.width; }
    const T *row(std::int64_t y) const noexcept { return cells_.get() + y * extent_.width; }
    T &operator[](std::int64_t i) noexcept { return cells_[static_cast<std::size_t>(i)]; }
    const T &operator[](std::int64_t i) const noexcept {
        return cells_[static_cast<std::size_t>(i)];
    }
    T &at(std::int64_t x, std::int64_t y) noexcept { return row(y)[x]; }
    const T &at(std::int64_t x, std::int64_t y) const noexcept { return row(y)[x]; }

private:
    Extent2 extent_;
    std::unique_ptr<T[]> cells_;
};

} // namespace karst::shape
