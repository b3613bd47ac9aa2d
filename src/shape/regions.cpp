// Labelling by runs: the runs of each row, united with those of the row above.
#include <algorithm>
#include <limits>
#include <vector>

#include "shape/grid.hpp"
#include "shape/shape.hpp"

namespace karst::shape {

namespace {

struct Run1D { // cells [begin, end) of a row
    std::int64_t begin, end;
};

// The runs of all rows; those of row y are [row_start[y], row_start[y + 1]).
struct RunTable {
    std::vector<Run1D> runs;
    std::vector<std::size_t> row_start;
};

template <class F>
void for_runs(const Mask &mask, std::int64_t y, F &&f) {
    const auto row = mask.row(y);
    const auto width = static_cast<std::int64_t>(row.size());
    const auto cell = [&](std::int64_t x) { return row[static_cast<std::size_t>(x)] != 0; };
    for (std::int64_t x = 0; x < width; ++x) {
        if (cell(x)) {
            const std::int64_t begin = x;
            while (x < width && cell(x)) {
                ++x;
            }
            f(Run1D{begin, x});
        }
    }
}

RunTable find_runs(core::Run &run, const Mask &mask) {
    RunTable table;
    table.row_start.resize(static_cast<std::size_t>(mask.height()) + 1);
    run.for_rows(mask.height(), [&](std::int64_t y) {
        std::size_t count = 0;
        for_runs(mask, y, [&](Run1D) { ++count; });
        table.row_start[static_cast<std::size_t>(y) + 1] = count;
    });
    for (std::size_t y = 1; y < table.row_start.size(); ++y) {
        table.row_start[y] += table.row_start[y - 1];
    }
    if (table.row_start.back() >= std::numeric_limits<std::uint32_t>::max()) {
        throw Error(ErrorCode::unsupported, "regions: the mask has " +
                                                std::to_string(table.row_start.back()) +
                                                " runs; fewer than 2^32 - 1 are allowed");
    }
    table.runs.resize(table.row_start.back());
    run.for_rows(mask.height(), [&](std::int64_t y) {
        std::size_t next = table.row_start[static_cast<std::size_t>(y)];
        for_runs(mask, y, [&](Run1D found) { table.runs[next++] = found; });
    });
    return table;
}

// Disjoint sets of runs; a set is known by its first run, so that sets keep the raster order.
class Sets {
public:
    explicit Sets(std::size_t count) : parent_(count) {
        for (std::size_t i = 0; i < count; ++i) {
            parent_[i] = static_cast<std::uint32_t>(i);
        }
    }
    std::size_t first(std::size_t i) {
        while (parent_[i] != i) {
            parent_[i] = parent_[parent_[i]];
            i = parent_[i];
        }
        return i;
    }
    void unite(std::size_t a, std::size_t b) {
        a = first(a);
        b = first(b);
        parent_[std::max(a, b)] = static_cast<std::uint32_t>(std::min(a, b));
    }

private:
    std::vector<std::uint32_t> parent_;
};

// Unites the runs of two adjacent rows that touch.
void unite_rows(const RunTable &table, std::size_t upper, std::size_t lower, std::int64_t width,
                Connectivity connectivity, Boundary edges, Sets &sets) {
    const std::int64_t reach = connectivity == Connectivity::eight ? 1 : 0;
    std::size_t a = table.row_start[upper];
    std::size_t b = table.row_start[lower];
    const std::size_t a_end = table.row_start[upper + 1];
    const std::size_t b_end = table.row_start[lower + 1];
    if (a == a_end || b == b_end) {
        return;
    }
    if (edges == Boundary::torus && reach == 1) { // corners across the left and right edge
        if (table.runs[a].begin == 0 && table.runs[b_end - 1].end == width) {
            sets.unite(a, b_end - 1);
        }
        if (table.runs[b].begin == 0 && table.runs[a_end - 1].end == width) {
            sets.unite(b, a_end - 1);
        }
    }
    while (a < a_end && b < b_end) {
        const Run1D &above = table.runs[a];
        const Run1D &below = table.runs[b];
        if (above.begin < below.end + reach && below.begin < above.end + reach) {
            sets.unite(a, b);
        }
        // The run that ends first cannot touch anything further right.
        if (above.end < below.end) {
            ++a;
        } else {
            ++b;
        }
    }
}

Sets unite_all(const RunTable &table, Extent2 extent, Connectivity connectivity, Boundary edges) {
    Sets sets(table.runs.size());
    const auto height = static_cast<std::size_t>(extent.height);
    for (std::size_t y = 1; y < height; ++y) {
        unite_rows(table, y - 1, y, extent.width, connectivity, edges, sets);
    }
    if (edges == Boundary::torus) {
        unite_rows(table, height - 1, 0, extent.width, connectivity, edges, sets);
        for (std::size_t y = 0; y < height; ++y) {
            const std::size_t begin = table.row_start[y];
            const std::size_t end = table.row_start[y + 1];
            if (begin < end && table.runs[begin].begin == 0 &&
                table.runs[end - 1].end == extent.width) {
                sets.unite(begin, end - 1);
            }
        }
    }
    return sets;
}

} // namespace

Regions regions(core::Run &run, const Mask &mask, Connectivity connectivity, Boundary edges) {
    require_cells(mask.extent(), "regions");
    const RunTable table = find_runs(run, mask);
    Sets sets = unite_all(table, mask.extent(), connectivity, edges);

    Regions result{Field2D<std::uint32_t>(mask.extent(), run.memory()), {}};
    std::vector<std::uint32_t> labels(table.runs.size());
    for (std::int64_t y = 0; y < mask.height(); ++y) {
        for (std::size_t i = table.row_start[static_cast<std::size_t>(y)];
             i < table.row_start[static_cast<std::size_t>(y) + 1]; ++i) {
            const std::size_t first = sets.first(i);
            if (first == i) {
                result.regions.push_back({0, y * mask.width() + table.runs[i].begin});
                labels[i] = static_cast<std::uint32_t>(result.regions.size());
            } else {
                labels[i] = labels[first];
            }
            result.regions[labels[i] - 1].cells += table.runs[i].end - table.runs[i].begin;
        }
    }
    run.for_rows(mask.height(), [&](std::int64_t y) {
        std::uint32_t *row = result.label.row(y).data();
        for (std::size_t i = table.row_start[static_cast<std::size_t>(y)];
             i < table.row_start[static_cast<std::size_t>(y) + 1]; ++i) {
            std::fill(row + table.runs[i].begin, row + table.runs[i].end, labels[i]);
        }
    });
    return result;
}

Mask without_small(core::Run &run, const Mask &mask, std::int64_t cells, Connectivity connectivity,
                   Boundary edges) {
    const Regions found = regions(run, mask, connectivity, edges);
    Mask result(mask.extent(), run.memory());
    run.for_ranges(mask.size(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::uint32_t label = found.label[i];
            result[i] = label != 0 && found.regions[label - 1].cells >= cells ? 1 : 0;
        }
    });
    return result;
}

} // namespace karst::shape
