// The floors of a finished volume as a graph.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/run.hpp"
#include "generators/cave_volume_spans.hpp"

namespace karst::cave_volume {

// Its nodes are spans; neighbours are open to each other at some height, by at least `least` steps
// of 1/256 cell.
class Floors {
public:
    Floors(core::Run &run, const Spans &spans, std::int32_t least = 0);

    std::int64_t count() const { return static_cast<std::int64_t>(spans_.spans.size()); }
    Extent2 extent() const { return spans_.extent; }
    const Span &operator[](std::int64_t i) const { return spans_[i]; }
    std::uint32_t column(std::int64_t i) const { return column_[static_cast<std::size_t>(i)]; }
    std::int64_t x(std::int64_t i) const {
        return column(i) % static_cast<std::uint32_t>(spans_.extent.width);
    }
    std::int64_t y(std::int64_t i) const {
        return column(i) / static_cast<std::uint32_t>(spans_.extent.width);
    }
    // How high two spans are open to each other, in steps of 1/256 cell.
    std::int32_t overlap(std::int64_t i, std::int64_t j) const {
        const Span &a = spans_[i];
        const Span &b = spans_[j];
        return std::min(a.top, b.top) - std::max(a.bottom, b.bottom);
    }
    // f(j, side) as for_overlaps(), for all that touch.
    template <class F>
    void for_neighbours(std::int64_t i, F &&f) const {
        const auto at = static_cast<std::size_t>(i);
        for (std::uint64_t k = first_[at]; k < first_[at + 1]; ++k) {
            f(static_cast<std::int64_t>(neighbours_[k] / kSides),
              static_cast<int>(neighbours_[k] % kSides));
        }
    }
    // f(i) for each span, in parallel.
    template <class F>
    void for_spans(core::Run &run, F &&f) const {
        run.for_ranges(count(), 1 << 10, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                f(i);
            }
        });
    }

private:
    static constexpr std::uint64_t kSides = 4;

    const Spans &spans_;
    std::unique_ptr<std::uint32_t[]> column_;
    std::vector<std::uint64_t> first_; // neighbours of span i are [first_[i], first_[i + 1])
    std::unique_ptr<std::uint64_t[]> neighbours_; // span * kSides + side
};

} // namespace karst::cave_volume
