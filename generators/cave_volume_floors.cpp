#include "generators/cave_volume_floors.hpp"

#include <numeric>

#include "core/memory.hpp"

namespace karst::cave_volume {

// Looked for once: finding them takes ten times as long as reading them, and a dozen passes do.
Floors::Floors(core::Run &run, const Spans &spans, std::int32_t least)
    : spans_(spans), column_(core::unwritten_array<std::uint32_t>(spans.spans.size())) {
    core::resize(run, first_, spans.spans.size() + 1);
    const auto for_columns = [&](auto &&f) {
        run.for_ranges(spans.extent.cells(), 1 << 10, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t column = begin; column < end; ++column) {
                for (std::int64_t i = spans.begin(column); i < spans.end(column); ++i) {
                    f(column, i);
                }
            }
        });
    };
    for_columns([&](std::int64_t column, std::int64_t i) {
        column_[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(column);
        std::uint64_t count = 0;
        for_overlaps(
            spans, column, i, [&](std::int64_t, int) { ++count; }, least);
        first_[static_cast<std::size_t>(i) + 1] = count;
    });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    neighbours_ = core::unwritten_array<std::uint64_t>(first_.back());
    for_columns([&](std::int64_t column, std::int64_t i) {
        std::uint64_t *next = neighbours_.get() + first_[static_cast<std::size_t>(i)];
        for_overlaps(
            spans, column, i,
            [&](std::int64_t j, int side) {
                *next++ = static_cast<std::uint64_t>(j) * kSides + static_cast<std::uint64_t>(side);
            },
            least);
    });
}

} // namespace karst::cave_volume
