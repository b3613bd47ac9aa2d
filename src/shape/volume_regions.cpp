// Components of volumes, and the Euler characteristic that counts their tunnels and cavities.
#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "core/memory.hpp"
#include "shape/grid.hpp"
#include "shape/row_runs.hpp"
#include "shape/volume.hpp"

namespace karst::shape {

namespace {

// A row of cells as 0 and 1, with what lies outside before and behind it; all outside beyond the
// volume. `outside` is 1 where 1 and 0 are exchanged.
template <class T, class IsOne>
void read_row(const Field3D<T> &cells, std::int64_t y, std::int64_t z, std::uint8_t outside,
              IsOne &&is_one, std::vector<std::uint8_t> &row) {
    row.assign(static_cast<std::size_t>(cells.width()) + 2, outside);
    if (y >= 0 && z >= 0 && y < cells.height() && z < cells.depth()) {
        const auto its = cells.row(y, z);
        std::transform(its.begin(), its.end(), row.begin() + 1, [&](T cell) {
            return static_cast<std::uint8_t>((is_one(cell) ? 1 : 0) ^ outside);
        });
    }
}

// A vertex, edge, face or cube of the closed cubes is missing exactly if all cells around it are 0.
// So their characteristic is the sum for six of the complement: vertices - edges + faces - cubes,
// each 1 - full, where the ones cancel at every place.
template <class T, class IsOne>
std::int64_t characteristic(core::Run &run, const Field3D<T> &cells, Adjacency adjacency,
                            IsOne &&is_one) {
    require_cells(cells.extent(), "euler_characteristic");
    const std::uint8_t outside = adjacency == Adjacency::twenty_six ? 1 : 0;
    const std::int64_t lines = cells.height() + 1;
    std::atomic<std::int64_t> total{0};
    run.for_ranges(lines * (cells.depth() + 1), 16, [&](std::int64_t begin, std::int64_t end) {
        std::array<std::vector<std::uint8_t>, 4> rows; // (y, z), (y - 1, z), (y, z - 1), both - 1
        std::int64_t sum = 0;
        for (std::int64_t line = begin; line < end; ++line) {
            const std::int64_t z = line / lines;
            const std::int64_t y = line - z * lines;
            for (int i = 0; i < 4; ++i) {
                read_row(cells, y - (i & 1), z - (i >> 1), outside, is_one,
                         rows[static_cast<std::size_t>(i)]);
            }
            // Every pair, square and block belongs to its last cell.
            int here = 0; // at most 8 times a row
            for (std::size_t x = 1; x < rows[0].size(); ++x) {
                const int cell = rows[0][x];
                const int west = rows[0][x - 1];
                const int north = rows[1][x];
                const int below = rows[2][x];
                const int xy = west & north & rows[1][x - 1];
                const int xz = west & below & rows[2][x - 1];
                const int yz = north & below & rows[3][x];
                const int block = xy & xz & yz & rows[3][x - 1];
                here += cell * (1 - west - north - below + xy + xz + yz - block);
            }
            sum += here;
        }
        total += sum;
    });
    return total;
}

constexpr auto is_set = [](std::uint8_t cell) { return cell != 0; };

} // namespace

VolumeRegions regions(core::Run &run, const VolumeMask &mask, Adjacency adjacency) {
    require_cells(mask.extent(), "regions");
    RowRuns runs = united(run, mask, adjacency, is_set);
    VolumeRegions result{Field3D<std::uint32_t>(mask.extent(), core::large_pages(run)), {}};
    result.regions = runs.label(run, result.label.cells());
    return result;
}

VolumeMask without_small(core::Run &run, const VolumeMask &mask, std::int64_t cells,
                         Adjacency adjacency) {
    require_cells(mask.extent(), "regions");
    RowRuns runs = united(run, mask, adjacency, is_set);
    VolumeMask result(mask.extent(), core::large_pages(run));
    runs.mark_large(run, runs.find_regions(), cells, result.cells());
    return result;
}

std::int64_t euler_characteristic(core::Run &run, const VolumeMask &mask, Adjacency adjacency) {
    return characteristic(run, mask, adjacency, is_set);
}

std::int64_t euler_characteristic(core::Run &run, const Field3D<std::uint16_t> &field,
                                  std::uint16_t least, Adjacency adjacency) {
    return characteristic(run, field, adjacency,
                          [least](std::uint16_t value) { return value >= least; });
}

} // namespace karst::shape
