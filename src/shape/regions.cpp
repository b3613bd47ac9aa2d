#include "shape/grid.hpp"
#include "shape/row_runs.hpp"
#include "shape/shape.hpp"

namespace karst::shape {

namespace {

RowRuns united(core::Run &run, const Mask &mask, Connectivity connectivity, Boundary edges) {
    require_cells(mask.extent(), "regions");
    const std::int64_t reach = connectivity == Connectivity::eight ? 1 : 0;
    RowRuns runs(run, std::span(mask.cells()), mask.width(),
                 [](std::uint8_t cell) { return cell != 0; });
    for (std::int64_t y = 1; y < mask.height(); ++y) {
        runs.unite_rows(y - 1, y, reach, edges);
    }
    if (edges == Boundary::torus) {
        runs.unite_rows(mask.height() - 1, 0, reach, edges);
        for (std::int64_t y = 0; y < mask.height(); ++y) {
            runs.unite_ends(y);
        }
    }
    return runs;
}

} // namespace

Regions regions(core::Run &run, const Mask &mask, Connectivity connectivity, Boundary edges) {
    RowRuns runs = united(run, mask, connectivity, edges);
    Regions result{Field2D<std::uint32_t>(mask.extent(), run.memory()), {}};
    result.regions = runs.label(run, result.label.cells());
    return result;
}

Mask without_small(core::Run &run, const Mask &mask, std::int64_t cells, Connectivity connectivity,
                   Boundary edges) {
    RowRuns runs = united(run, mask, connectivity, edges);
    Mask result(mask.extent(), run.memory());
    runs.mark_large(run, runs.find_regions(), cells, result.cells());
    return result;
}

} // namespace karst::shape
