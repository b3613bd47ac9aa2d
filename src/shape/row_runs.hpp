// Labelling by runs: each row of an image or volume is a list of runs of cells of value 1, and runs
// that touch are united. What touches is for the caller to say, pair of rows by pair of rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <karst/error.hpp>

#include "core/disjoint_sets.hpp"
#include "core/run.hpp"
#include "shape/volume.hpp"

namespace karst::shape {

class RowRuns {
public:
    // `cells` is rows of `width` one after another; is_one(value) says which are 1. Throws
    // Error(unsupported) for 2^32 - 1 runs.
    template <class T, class IsOne>
    RowRuns(core::Run &run, std::span<const T> cells, std::int64_t width, IsOne &&is_one);

    // Unites the runs of two rows that touch: over each other, with reach 1 also over a corner, and
    // with reach 1 on the torus also over a corner across its left and right edge.
    void unite_rows(std::int64_t upper, std::int64_t lower, std::int64_t reach, Boundary edges);
    // Unites the first and the last run of a row that touch across the left and right edge.
    void unite_ends(std::int64_t row);
    // Unites what touches in a volume of slices of `height` rows: over a face, with reach 1 also
    // over an edge or a corner. In parallel, slab by slab.
    void unite_volume(core::Run &run, std::int64_t height, std::int64_t reach);

    // The regions in the order of their first cell. To be called once all is united.
    std::vector<Region> find_regions();
    // f(row, begin, end, region) for the cells [begin, end) of each run, in parallel; the index of
    // its region.
    template <class F>
    void for_runs(core::Run &run, F &&f) const;
    // find_regions(); writes 1 + the index of its region for each cell of a run, nothing elsewhere.
    std::vector<Region> label(core::Run &run, std::span<std::uint32_t> labels);
    // Writes 1 for the cells of those regions that have at least `cells`, nothing elsewhere.
    void mark_large(core::Run &run, const std::vector<Region> &regions, std::int64_t cells,
                    std::span<std::uint8_t> mask) const;

private:
    struct Run1D { // cells [begin, end) of a row
        std::int64_t begin, end;
    };
    static constexpr std::int64_t kRows = 64; // that are read in one go

    std::int64_t rows() const { return static_cast<std::int64_t>(row_start_.size()) - 1; }
    std::size_t first_of(std::int64_t row) const {
        return row_start_[static_cast<std::size_t>(row)];
    }

    std::int64_t width_;
    std::vector<Run1D> runs_;
    std::vector<std::size_t> row_start_;     // runs of row y are [row_start_[y], row_start_[y + 1])
    core::DisjointSets<std::uint32_t> sets_; // of runs
    std::vector<std::uint32_t> region_;      // of a run
};

template <class T, class IsOne>
RowRuns::RowRuns(core::Run &run, std::span<const T> cells, std::int64_t width, IsOne &&is_one)
    : width_(width), row_start_(cells.size() / static_cast<std::size_t>(width) + 1) {
    const std::int64_t blocks = (rows() + kRows - 1) / kRows;
    std::vector<std::vector<Run1D>> found(static_cast<std::size_t>(blocks));
    run.for_ranges(blocks, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t block = begin; block < end; ++block) {
            auto &runs = found[static_cast<std::size_t>(block)];
            for (std::int64_t y = block * kRows; y < std::min(rows(), (block + 1) * kRows); ++y) {
                const T *row = cells.data() + y * width;
                for (std::int64_t x = 0; x < width; ++x) {
                    if (is_one(row[x])) {
                        const std::int64_t first = x;
                        while (x < width && is_one(row[x])) {
                            ++x;
                        }
                        runs.push_back({first, x});
                    }
                }
                row_start_[static_cast<std::size_t>(y) + 1] = runs.size();
            }
        }
    });
    // From the ends in a block to those of all.
    std::size_t before = 0;
    for (std::int64_t block = 0; block < blocks; ++block) {
        for (std::int64_t y = block * kRows; y < std::min(rows(), (block + 1) * kRows); ++y) {
            row_start_[static_cast<std::size_t>(y) + 1] += before;
        }
        before += found[static_cast<std::size_t>(block)].size();
    }
    if (before >= std::numeric_limits<std::uint32_t>::max()) {
        throw Error(ErrorCode::unsupported, "regions: the mask has " + std::to_string(before) +
                                                " runs; fewer than 2^32 - 1 are allowed");
    }
    runs_.reserve(before);
    for (auto &runs : found) {
        runs_.insert(runs_.end(), runs.begin(), runs.end());
        std::vector<Run1D>().swap(runs);
    }
    sets_ = core::DisjointSets<std::uint32_t>(runs_.size());
}

// Those of a volume, united.
template <class T, class IsOne>
RowRuns united(core::Run &run, const Field3D<T> &volume, Adjacency adjacency, IsOne &&is_one) {
    RowRuns runs(run, volume.cells(), volume.width(), is_one);
    runs.unite_volume(run, volume.height(), adjacency == Adjacency::twenty_six ? 1 : 0);
    return runs;
}

template <class F>
void RowRuns::for_runs(core::Run &run, F &&f) const {
    run.for_rows(rows(), [&](std::int64_t y) {
        for (std::size_t i = first_of(y); i < first_of(y + 1); ++i) {
            f(y, runs_[i].begin, runs_[i].end, region_[i]);
        }
    });
}

} // namespace karst::shape
