// Rectangular arrays in host memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include <karst/config.hpp>

namespace karst {

// Size of a 2D array in cells. Both sides are at least 1 in every valid extent.
struct Extent2 {
    std::int64_t width = 0;
    std::int64_t height = 0;

    constexpr std::int64_t cells() const noexcept { return width * height; }
    friend constexpr bool operator==(const Extent2 &, const Extent2 &) = default;
};

// Absolute cell coordinates: x grows to the right, y grows downwards.
struct Cell2 {
    std::int32_t x = 0;
    std::int32_t y = 0;
    friend constexpr bool operator==(const Cell2 &, const Cell2 &) = default;
};

// An owning 2D array, cell (x, y) at index y * width + x, zero at construction. Memory comes from
// `memory`, which must outlive the field; std::bad_alloc passes through.
template <class T>
class Field2D {
public:
    using value_type = T;

    Field2D() = default;
    explicit Field2D(Extent2 extent,
                     std::pmr::memory_resource *memory = std::pmr::get_default_resource())
        : extent_(extent), cells_(static_cast<std::size_t>(extent.cells()), T{}, memory) {}

    // A copy lives in default memory, a copied-to field keeps its own. Moves take the memory along,
    // also by assignment (std::pmr::vector would copy between two resources), so that a swap is
    // cheap and a result stays where it was asked for; the source is left empty.
    ~Field2D() = default;
    Field2D(const Field2D &) = default;
    Field2D &operator=(const Field2D &) = default;
    Field2D(Field2D &&other) noexcept
        : extent_(std::exchange(other.extent_, {})), cells_(std::move(other.cells_)) {}
    Field2D &operator=(Field2D &&other) noexcept {
        if (this != &other) {
            extent_ = std::exchange(other.extent_, {});
            std::destroy_at(&cells_);
            std::construct_at(&cells_, std::move(other.cells_));
        }
        return *this;
    }

    Extent2 extent() const noexcept { return extent_; }
    std::int64_t width() const noexcept { return extent_.width; }
    std::int64_t height() const noexcept { return extent_.height; }
    std::int64_t size() const noexcept { return extent_.cells(); }
    bool empty() const noexcept { return cells_.empty(); }

    T &at(std::int64_t x, std::int64_t y) noexcept { return cells_[index(x, y)]; }
    const T &at(std::int64_t x, std::int64_t y) const noexcept { return cells_[index(x, y)]; }
    T &operator[](std::int64_t i) noexcept { return cells_[static_cast<std::size_t>(i)]; }
    const T &operator[](std::int64_t i) const noexcept {
        return cells_[static_cast<std::size_t>(i)];
    }

    std::span<T> row(std::int64_t y) noexcept {
        return {cells_.data() + y * extent_.width, static_cast<std::size_t>(extent_.width)};
    }
    std::span<const T> row(std::int64_t y) const noexcept {
        return {cells_.data() + y * extent_.width, static_cast<std::size_t>(extent_.width)};
    }
    T *data() noexcept { return cells_.data(); }
    const T *data() const noexcept { return cells_.data(); }
    std::span<T> cells() noexcept { return cells_; }
    std::span<const T> cells() const noexcept { return cells_; }

    friend bool operator==(const Field2D &a, const Field2D &b) {
        return a.extent_ == b.extent_ && a.cells_ == b.cells_;
    }

private:
    std::size_t index(std::int64_t x, std::int64_t y) const noexcept {
        return static_cast<std::size_t>(y * extent_.width + x);
    }

    Extent2 extent_;
    std::pmr::vector<T> cells_;
};

} // namespace karst
