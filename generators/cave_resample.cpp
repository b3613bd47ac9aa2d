#include "generators/cave_resample.hpp"

#include <array>
#include <vector>

#include "shape/grid.hpp"

namespace karst::cave {

namespace {

constexpr int kWeightBits = 11;

// The three coarse cells around a fine cell's centre, with weights that add up to 2^11.
struct Taps {
    std::array<std::int64_t, 3> cell;
    std::array<std::uint64_t, 3> weight;
};

std::vector<Taps> make_taps(std::int64_t fine, std::int64_t coarse, Boundary edges) {
    std::vector<Taps> taps(static_cast<std::size_t>(fine));
    for (std::int64_t i = 0; i < fine; ++i) {
        // Centre of the fine cell in coarse cells, 16 fraction bits.
        const std::int64_t place = (((2 * i + 1) * coarse) << 16) / (2 * fine);
        const std::int64_t middle = place >> 16;
        const auto fraction = static_cast<std::uint64_t>(place & 0xffff);
        const std::uint64_t before = ((65536 - fraction) * (65536 - fraction)) >> 22;
        const std::uint64_t after = (fraction * fraction) >> 22;
        taps[static_cast<std::size_t>(i)] = {
            {shape::inside(middle - 1, coarse, edges), middle,
             shape::inside(middle + 1, coarse, edges)},
            {before, (std::uint64_t{1} << kWeightBits) - before - after, after}};
    }
    return taps;
}

} // namespace

Field2D<std::uint32_t> resample(core::Run &run, const Field2D<std::uint32_t> &coarse,
                                Extent2 extent, Boundary edges) {
    const auto columns = make_taps(extent.width, coarse.width(), edges);
    const auto rows = make_taps(extent.height, coarse.height(), edges);
    Field2D<std::uint32_t> fine(extent, run.memory());
    run.for_ranges(extent.height, 8, [&](std::int64_t begin, std::int64_t end) {
        std::vector<std::uint64_t> mixed(static_cast<std::size_t>(coarse.width()));
        for (std::int64_t y = begin; y < end; ++y) {
            const Taps &row = rows[static_cast<std::size_t>(y)];
            for (std::int64_t x = 0; x < coarse.width(); ++x) {
                mixed[static_cast<std::size_t>(x)] = coarse.at(x, row.cell[0]) * row.weight[0] +
                                                     coarse.at(x, row.cell[1]) * row.weight[1] +
                                                     coarse.at(x, row.cell[2]) * row.weight[2];
            }
            const auto out = fine.row(y);
            for (std::size_t x = 0; x < out.size(); ++x) {
                const Taps &column = columns[x];
                std::uint64_t sum = 0;
                for (std::size_t k = 0; k < 3; ++k) {
                    sum += mixed[static_cast<std::size_t>(column.cell[k])] * column.weight[k];
                }
                out[x] = static_cast<std::uint32_t>(sum >> (2 * kWeightBits));
            }
        }
    });
    return fine;
}

} // namespace karst::cave
