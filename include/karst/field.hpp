// Rectangular arrays in host memory.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <new>
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

// Size of a 3D array in cells: x to the east, y to the south, z upwards.
struct Extent3 {
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::int64_t depth = 0;

    constexpr std::int64_t cells() const noexcept { return width * height * depth; }
    friend constexpr bool operator==(const Extent3 &, const Extent3 &) = default;
};

// Absolute cell coordinates: x grows to the right, y grows downwards.
struct Cell2 {
    std::int32_t x = 0;
    std::int32_t y = 0;
    friend constexpr bool operator==(const Cell2 &, const Cell2 &) = default;
};

struct Cell3 {
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t z = 0;
    friend constexpr bool operator==(const Cell3 &, const Cell3 &) = default;
};

// Asks for a field whose cells nobody has set. To write zeros first takes one thread as long as
// many threads need to fill a large field.
struct Unset {};

// Memory of a field; what is made without a value keeps the bytes that lie there.
template <class T>
struct CellAllocator : std::pmr::polymorphic_allocator<T> {
    using std::pmr::polymorphic_allocator<T>::polymorphic_allocator;
    template <class U>
    struct rebind {
        using other = CellAllocator<U>;
    };

    CellAllocator select_on_container_copy_construction() const { return {}; }
    template <class U>
    void construct(U *cell) noexcept {
        ::new (static_cast<void *>(cell)) U;
    }
    template <class U, class V>
    void construct(U *cell, const V &value) noexcept {
        ::new (static_cast<void *>(cell)) U(value);
    }
};

// An owning array of two or three dimensions, cell (x, y, z) at index (z * height + y) * width + x,
// zero at construction if it is not asked for as Unset. Memory comes from `memory`, which must
// outlive the field; std::bad_alloc passes through.
template <class T, class Extent>
class Field {
public:
    using value_type = T;

    Field() = default;
    explicit Field(Extent extent,
                   std::pmr::memory_resource *memory = std::pmr::get_default_resource())
        : Field(Unset{}, extent, memory) {
        std::fill_n(cells_.data(), cells_.size(), T{});
    }
    explicit Field(Unset, Extent extent,
                   std::pmr::memory_resource *memory = std::pmr::get_default_resource())
        : extent_(extent), cells_(static_cast<std::size_t>(extent.cells()), memory) {}

    // A copy lives in default memory, a copied-to field keeps its own. Moves take the memory along,
    // also by assignment (std::pmr::vector would copy between two resources), so that a swap is
    // cheap and a result stays where it was asked for; the source is left empty.
    ~Field() = default;
    Field(const Field &) = default;
    Field &operator=(const Field &) = default;
    Field(Field &&other) noexcept
        : extent_(std::exchange(other.extent_, {})), cells_(std::move(other.cells_)) {}
    Field &operator=(Field &&other) noexcept {
        if (this != &other) {
            extent_ = std::exchange(other.extent_, {});
            std::destroy_at(&cells_);
            std::construct_at(&cells_, std::move(other.cells_));
        }
        return *this;
    }

    Extent extent() const noexcept { return extent_; }
    std::int64_t width() const noexcept { return extent_.width; }
    std::int64_t height() const noexcept { return extent_.height; }
    std::int64_t depth() const noexcept requires std::same_as<Extent, Extent3> {
        return extent_.depth;
    }
    std::int64_t size() const noexcept { return extent_.cells(); }
    bool empty() const noexcept { return cells_.empty(); }

    // at(x, y) or at(x, y, z), row(y) or row(y, z)
    template <class... Coordinates>
    T &at(std::int64_t x, Coordinates... rest) noexcept {
        return cells_[static_cast<std::size_t>(start(rest...) + x)];
    }
    template <class... Coordinates>
    const T &at(std::int64_t x, Coordinates... rest) const noexcept {
        return cells_[static_cast<std::size_t>(start(rest...) + x)];
    }
    T &operator[](std::int64_t i) noexcept { return cells_[static_cast<std::size_t>(i)]; }
    const T &operator[](std::int64_t i) const noexcept {
        return cells_[static_cast<std::size_t>(i)];
    }

    template <class... Coordinates>
    std::span<T> row(Coordinates... at) noexcept {
        return {cells_.data() + start(at...), static_cast<std::size_t>(extent_.width)};
    }
    template <class... Coordinates>
    std::span<const T> row(Coordinates... at) const noexcept {
        return {cells_.data() + start(at...), static_cast<std::size_t>(extent_.width)};
    }
    T *data() noexcept { return cells_.data(); }
    const T *data() const noexcept { return cells_.data(); }
    std::span<T> cells() noexcept { return cells_; }
    std::span<const T> cells() const noexcept { return cells_; }

    friend bool operator==(const Field &a, const Field &b) {
        return a.extent_ == b.extent_ && a.cells_ == b.cells_;
    }

private:
    std::int64_t start(std::int64_t y) const noexcept requires std::same_as<Extent, Extent2> {
        return y * extent_.width;
    }
    std::int64_t start(std::int64_t y,
                       std::int64_t z) const noexcept requires std::same_as<Extent, Extent3> {
        return (z * extent_.height + y) * extent_.width;
    }

    Extent extent_;
    std::vector<T, CellAllocator<T>> cells_;
};

template <class T>
using Field2D = Field<T, Extent2>;
template <class T>
using Field3D = Field<T, Extent3>;

} // namespace karst
