// Labelling by runs: each row of an image or volume is a list of runs of cells of value 1, and runs
// that touch are united. What touches is for the caller to say, pair of rows by pair of rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/disjoint_sets.hpp"
#include "core/run.hpp"
#include "shape/shape.hpp"

namespace karst::shape {

class RowRuns {
public:
    // `cells` is rows of `width` one after another. Throws Error(unsupported) for 2^32 - 1 runs.
    RowRuns(core::Run &run, std::span<const std::uint8_t> cells, std::int64_t width);

    // Unites the runs of two rows that touch: over each other, with reach 1 also over a corner, and
    // with reach 1 on the torus also over a corner across its left and right edge.
    void unite_rows(std::int64_t upper, std::int64_t lower, std::int64_t reach, Boundary edges);
    // Unites the first and the last run of a row that touch across the left and right edge.
    void unite_ends(std::int64_t row);

    // Writes 1 + the index of its region for each cell of a run, 0 elsewhere, and returns the
    // regions in the order of their first cell.
    std::vector<Region> label(core::Run &run, std::span<std::uint32_t> labels);

private:
    struct Run1D { // cells [begin, end) of a row
        std::int64_t begin, end;
    };

    std::int64_t rows() const { return static_cast<std::int64_t>(row_start_.size()) - 1; }
    std::size_t first_of(std::int64_t row) const {
        return row_start_[static_cast<std::size_t>(row)];
    }

    std::int64_t width_;
    std::vector<Run1D> runs_;
    std::vector<std::size_t> row_start_;     // runs of row y are [row_start_[y], row_start_[y + 1])
    core::DisjointSets<std::uint32_t> sets_; // of runs
};

// 1 where the label's region has at least `cells`.
void keep_large(core::Run &run, std::span<const std::uint32_t> labels,
                std::span<const Region> regions, std::int64_t cells, std::span<std::uint8_t> mask);

} // namespace karst::shape
