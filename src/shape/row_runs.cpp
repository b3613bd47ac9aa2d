#include "shape/row_runs.hpp"

namespace karst::shape {

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

void RowRuns::unite_volume(core::Run &run, std::int64_t height, std::int64_t reach) {
    const std::int64_t depth = rows() / height;
    const auto unite_slices = [&](std::int64_t z) { // with the one before
        for (std::int64_t y = 0; y < height; ++y) {
            for (std::int64_t before = std::max<std::int64_t>(0, y - reach);
                 before <= std::min(height - 1, y + reach); ++before) {
                unite_rows((z - 1) * height + before, z * height + y, reach, Boundary::bounded);
            }
        }
    };
    const std::int64_t threads = run.executor().concurrency();
    const std::int64_t slab = (depth + threads - 1) / threads;
    run.for_ranges((depth + slab - 1) / slab, 1, [&](std::int64_t begin, std::int64_t end) {
        // Of each slab on its own: its sets have no members in others.
        for (std::int64_t z = begin * slab; z < std::min(depth, end * slab); ++z) {
            run.check_cancel();
            for (std::int64_t y = 1; y < height; ++y) {
                unite_rows(z * height + y - 1, z * height + y, reach, Boundary::bounded);
            }
            if (z % slab != 0) {
                unite_slices(z);
            }
        }
    });
    for (std::int64_t z = slab; z < depth; z += slab) {
        unite_slices(z);
    }
}

std::vector<Region> RowRuns::find_regions() {
    std::vector<Region> regions;
    region_.resize(runs_.size());
    for (std::int64_t y = 0; y < rows(); ++y) {
        for (std::size_t i = first_of(y); i < first_of(y + 1); ++i) {
            const std::size_t first = sets_.root(i);
            if (first == i) {
                region_[i] = static_cast<std::uint32_t>(regions.size());
                regions.push_back({0, y * width_ + runs_[i].begin});
            } else {
                region_[i] = region_[first];
            }
            regions[region_[i]].cells += runs_[i].end - runs_[i].begin;
        }
    }
    return regions;
}

std::vector<Region> RowRuns::label(core::Run &run, std::span<std::uint32_t> labels) {
    std::vector<Region> regions = find_regions();
    for_runs(run, [&](std::int64_t y, std::int64_t begin, std::int64_t end, std::uint32_t region) {
        std::uint32_t *row = labels.data() + y * width_;
        std::fill(row + begin, row + end, region + 1);
    });
    return regions;
}

void RowRuns::mark_large(core::Run &run, const std::vector<Region> &regions, std::int64_t cells,
                         std::span<std::uint8_t> mask) const {
    for_runs(run, [&](std::int64_t y, std::int64_t begin, std::int64_t end, std::uint32_t region) {
        if (regions[region].cells >= cells) {
            std::uint8_t *row = mask.data() + y * width_;
            std::fill(row + begin, row + end, std::uint8_t{1});
        }
    });
}

} // namespace karst::shape
