// Fields and jobs for the tests of shape/.
#pragma once

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "core/rng.hpp"
#include "core/run.hpp"
#include "shape/shape.hpp"

namespace shape_test {

using namespace karst;
using Heights = Field2D<std::uint32_t>;
using shape::Mask;

inline const std::vector<Extent2> kExtents = {{1, 1}, {1, 7}, {7, 1},   {2, 2},
                                              {2, 5}, {5, 3}, {64, 64}, {65, 63}};
inline const std::vector<Boundary> kEdges = {Boundary::torus, Boundary::bounded};

struct Job {
    explicit Job(int threads) : options{.threads = threads}, run(options) {}
    Options options;
    core::Run run;
};

// f(run) for 1, 2 and 7 threads: the same for all.
template <class F>
auto for_threads(F f) {
    Job one(1);
    auto result = f(one.run);
    for (const int threads : {2, 7}) {
        Job more(threads);
        CHECK((f(more.run) == result));
    }
    return result;
}

// Values below `range`; 0: all 32 bits.
inline Heights random_field(Extent2 extent, std::uint64_t seed, std::uint32_t range = 0) {
    Heights field(extent);
    for (std::int64_t i = 0; i < field.size(); ++i) {
        const auto word = static_cast<std::uint32_t>(
            core::mix64(seed * 1000003 + static_cast<std::uint64_t>(i)) >> 32);
        field[i] = range == 0 ? word : word % range;
    }
    return field;
}

// 1 with probability share / 100.
inline Mask random_mask(Extent2 extent, std::uint64_t seed, std::uint32_t share) {
    const Heights field = random_field(extent, seed, 100);
    Mask mask(extent);
    for (std::int64_t i = 0; i < mask.size(); ++i) {
        mask[i] = field[i] < share ? 1 : 0;
    }
    return mask;
}

// An independent statement of what is read beyond an edge.
inline std::int64_t read_at(std::int64_t i, std::int64_t size, Boundary edges) {
    while (i < 0) {
        i = edges == Boundary::torus ? i + size : 0;
    }
    while (i >= size) {
        i = edges == Boundary::torus ? i - size : size - 1;
    }
    return i;
}

// The field moved by (dx, dy) around the torus.
template <class T>
Field2D<T> shifted(const Field2D<T> &field, std::int64_t dx, std::int64_t dy) {
    Field2D<T> result(field.extent());
    for (std::int64_t y = 0; y < field.height(); ++y) {
        for (std::int64_t x = 0; x < field.width(); ++x) {
            result.at(read_at(x + dx, field.width(), Boundary::torus),
                      read_at(y + dy, field.height(), Boundary::torus)) = field.at(x, y);
        }
    }
    return result;
}

template <class T>
Field2D<T> mirrored(const Field2D<T> &field) {
    Field2D<T> result(field.extent());
    for (std::int64_t y = 0; y < field.height(); ++y) {
        for (std::int64_t x = 0; x < field.width(); ++x) {
            result.at(field.width() - 1 - x, y) = field.at(x, y);
        }
    }
    return result;
}

template <class T>
Field2D<T> transposed(const Field2D<T> &field) {
    Field2D<T> result({field.height(), field.width()});
    for (std::int64_t y = 0; y < field.height(); ++y) {
        for (std::int64_t x = 0; x < field.width(); ++x) {
            result.at(y, x) = field.at(x, y);
        }
    }
    return result;
}

} // namespace shape_test
