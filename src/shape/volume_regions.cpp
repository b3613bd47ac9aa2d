// Components of volumes, and the Euler characteristic that counts their tunnels and cavities.
#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "shape/grid.hpp"
#include "shape/row_runs.hpp"
#include "shape/volume.hpp"

namespace karst::shape {

namespace {

// A row of cells as 0 and 1, with what lies outside before and behind it; all outside beyond the
// volume. `complement` reads 1 for 0, also outside.
void read_row(const VolumeMask &mask, std::int64_t y, std::int64_t z, bool complement,
              std::vector<std::uint8_t> &row) {
    const auto outside = static_cast<std::uint8_t>(complement ? 1 : 0);
    row.assign(static_cast<std::size_t>(mask.width()) + 2, outside);
    if (y >= 0 && z >= 0 && y < mask.height() && z < mask.depth()) {
        const auto cells = mask.row(y, z);
        std::transform(cells.begin(), cells.end(), row.begin() + 1, [&](std::uint8_t cell) {
            return static_cast<std::uint8_t>((cell != 0) != complement ? 1 : 0);
        });
    }
}

} // namespace

VolumeRegions regions(core::Run &run, const VolumeMask &mask, Adjacency adjacency) {
    require_cells(mask.extent(), "regions");
    const std::int64_t height = mask.height();
    const std::int64_t reach = adjacency == Adjacency::twenty_six ? 1 : 0;
    RowRuns runs(run, mask.cells(), mask.width());
    const auto unite = [&](std::int64_t before, std::int64_t row) {
        runs.unite_rows(before, row, reach, Boundary::bounded);
    };
    for (std::int64_t z = 0; z < mask.depth(); ++z) {
        run.check_cancel();
        for (std::int64_t y = 0; y < height; ++y) {
            const std::int64_t row = z * height + y;
            if (y > 0) {
                unite(row - 1, row);
            }
            for (std::int64_t dy = -reach; dy <= reach; ++dy) { // of the slice before
                if (z > 0 && y + dy >= 0 && y + dy < height) {
                    unite(row - height + dy, row);
                }
            }
        }
    }
    VolumeRegions result{Field3D<std::uint32_t>(mask.extent(), run.memory()), {}};
    result.regions = runs.label(run, result.label.cells());
    return result;
}

VolumeMask without_small(core::Run &run, const VolumeMask &mask, std::int64_t cells,
                         Adjacency adjacency) {
    const VolumeRegions found = regions(run, mask, adjacency);
    VolumeMask result(mask.extent(), run.memory());
    keep_large(run, found.label.cells(), found.regions, cells, result.cells());
    return result;
}

// A vertex, edge, face or cube of the closed cubes is missing exactly if all cells around it are 0.
// So their characteristic is the sum for six of the complement: vertices - edges + faces - cubes,
// each 1 - full, where the ones cancel at every place.
std::int64_t euler_characteristic(core::Run &run, const VolumeMask &mask, Adjacency adjacency) {
    require_cells(mask.extent(), "euler_characteristic");
    const bool complement = adjacency == Adjacency::twenty_six;
    const std::int64_t lines = mask.height() + 1;
    std::atomic<std::int64_t> total{0};
    run.for_ranges(lines * (mask.depth() + 1), 16, [&](std::int64_t begin, std::int64_t end) {
        std::array<std::vector<std::uint8_t>, 4> rows; // (y, z), (y - 1, z), (y, z - 1), both - 1
        std::int64_t sum = 0;
        for (std::int64_t line = begin; line < end; ++line) {
            const std::int64_t z = line / lines;
            const std::int64_t y = line - z * lines;
            for (int i = 0; i < 4; ++i) {
                read_row(mask, y - (i & 1), z - (i >> 1), complement,
                         rows[static_cast<std::size_t>(i)]);
            }
            // Every pair, square and block belongs to its last cell.
            for (std::size_t x = 1; x < rows[0].size(); ++x) {
                const int cell = rows[0][x];
                const int west = rows[0][x - 1];
                const int north = rows[1][x];
                const int below = rows[2][x];
                const int xy = west & north & rows[1][x - 1];
                const int xz = west & below & rows[2][x - 1];
                const int yz = north & below & rows[3][x];
                const int block = xy & xz & yz & rows[3][x - 1];
                sum += cell != 0 ? 1 - west - north - below + xy + xz + yz - block : 0;
            }
        }
        total += sum;
    });
    return total;
}

} // namespace karst::shape
