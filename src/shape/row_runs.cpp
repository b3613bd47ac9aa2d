#include "shape/row_runs.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

namespace karst::shape {

namespace {

// f(begin, end) for each run of a row.
template <class F>
void for_runs(std::span<const std::uint8_t> row, F &&f) {
    const auto width = static_cast<std::int64_t>(row.size());
    const auto cell = [&](std::int64_t x) { return row[static_cast<std::size_t>(x)] != 0; };
    for (std::int64_t x = 0; x < width; ++x) {
        if (cell(x)) {
            const std::int64_t begin = x;
            while (x < width && cell(x)) {
                ++x;
            }
            f(begin, x);
        }
    }
}

} // namespace

RowRuns::RowRuns(core::Run &run, std::span<const std::uint8_t> cells, std::int64_t width)
    : width_(width), row_start_(cells.size() / static_cast<std::size_t>(width) + 1) {
    const auto row = [&](std::int64_t y) {
        return cells.subspan(static_cast<std::size_t>(y * width), static_cast<std::size_t>(width));
    };
    run.for_rows(rows(), [&](std::int64_t y) {
        std::size_t count = 0;
        for_runs(row(y), [&](std::int64_t, std::int64_t) { ++count; });
        row_start_[static_cast<std::size_t>(y) + 1] = count;
    });
    std::partial_sum(row_start_.begin(), row_start_.end(), row_start_.begin());
    if (row_start_.back() >= std::numeric_limits<std::uint32_t>::max()) {
        throw Error(ErrorCode::unsupported, "regions: the mask has " +
                                                std::to_string(row_start_.back()) +
                                                " runs; fewer than 2^32 - 1 are allowed");
    }
    runs_.resize(row_start_.back());
    run.for_rows(rows(), [&](std::int64_t y) {
        std::size_t next = first_of(y);
        for_runs(row(y), [&](std::int64_t begin, std::int64_t end) {
            runs_[next++] = {begin, end};
        });
    });
    sets_ = core::DisjointSets<std::uint32_t>(runs_.size());
}

void RowRuns::unite_rows(std::int64_t upper, std::int64_t lower, std::int64_t reach,
                         Boundary edges) {
    std::size_t a = first_of(upper);
    std::size_t b = first_of(lower);
    const std::size_t a_end = first_of(upper + 1);
    const std::size_t b_end = first_of(lower + 1);
    if (a == a_end || b == b_end) {
        return;
    }
    if (edges == Boundary::torus && reach == 1) {
        if (runs_[a].begin == 0 && runs_[b_end - 1].end == width_) {
            sets_.unite(a, b_end - 1);
        }
        if (runs_[b].begin == 0 && runs_[a_end - 1].end == width_) {
            sets_.unite(b, a_end - 1);
        }
    }
    while (a < a_end && b < b_end) {
        const Run1D &above = runs_[a];
        const Run1D &below = runs_[b];
        if (above.begin < below.end + reach && below.begin < above.end + reach) {
            sets_.unite(a, b);
        }
        // The run that ends first cannot touch anything further right.
        if (above.end < below.end) {
            ++a;
        } else {
            ++b;
        }
    }
}

void RowRuns::unite_ends(std::int64_t row) {
    const std::size_t begin = first_of(row);
    const std::size_t end = first_of(row + 1);
    if (begin < end && runs_[begin].begin == 0 && runs_[end - 1].end == width_) {
        sets_.unite(begin, end - 1);
    }
}

std::vector<Region> RowRuns::label(core::Run &run, std::span<std::uint32_t> labels) {
    std::vector<Region> regions;
    std::vector<std::uint32_t> label_of(runs_.size());
    for (std::int64_t y = 0; y < rows(); ++y) {
        for (std::size_t i = first_of(y); i < first_of(y + 1); ++i) {
            const std::size_t first = sets_.root(i);
            if (first == i) {
                regions.push_back({0, y * width_ + runs_[i].begin});
                label_of[i] = static_cast<std::uint32_t>(regions.size());
            } else {
                label_of[i] = label_of[first];
            }
            regions[label_of[i] - 1].cells += runs_[i].end - runs_[i].begin;
        }
    }
    run.for_rows(rows(), [&](std::int64_t y) {
        std::uint32_t *row = labels.data() + y * width_;
        std::fill_n(row, width_, 0u);
        for (std::size_t i = first_of(y); i < first_of(y + 1); ++i) {
            std::fill(row + runs_[i].begin, row + runs_[i].end, label_of[i]);
        }
    });
    return regions;
}

void keep_large(core::Run &run, std::span<const std::uint32_t> labels,
                std::span<const Region> regions, std::int64_t cells, std::span<std::uint8_t> mask) {
    run.for_ranges(static_cast<std::int64_t>(labels.size()), 1 << 16,
                   [&](std::int64_t begin, std::int64_t end) {
                       for (auto i = static_cast<std::size_t>(begin);
                            i < static_cast<std::size_t>(end); ++i) {
                           const std::uint32_t label = labels[i];
                           mask[i] = label != 0 && regions[label - 1].cells >= cells ? 1 : 0;
                       }
                   });
}

} // namespace karst::shape
