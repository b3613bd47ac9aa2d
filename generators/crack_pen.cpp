#include "generators/crack_pen.hpp"

#include <algorithm>

#include "core/fixed.hpp"

namespace karst::crack {

namespace {

constexpr double kSwellWaves = 1.5;     // pieces
constexpr double kLongestWave = 0.6;    // of the roughness, pieces
constexpr double kRoughness = 0.22;     // amplitude to wavelength at roughness 1
constexpr double kShortestWave = 3;     // cells
constexpr std::uint32_t kMostWaves = 6; // octaves

// Lattice cells of a noise with this wavelength, in cells of the grid.
Extent2 waves(Extent2 grid, double wavelength) {
    const auto count = [&](std::int64_t side) {
        return std::max<std::int64_t>(
            1, static_cast<std::int64_t>(static_cast<double>(side) / wavelength + 0.5));
    };
    return {count(grid.width), count(grid.height)};
}

} // namespace

Pen::Pen(const CrackParams &params, Extent2 grid, double piece, Extent2 extent, double cell,
         std::uint64_t seed)
    : grid_(grid), extent_(extent),
      half_(std::max<std::int64_t>(1, core::to_fixed(params.crack_width / cell / 2, 8))),
      spacing_(std::max<std::int64_t>(1, 3 * kOneCell * grid.width / (2 * extent.width))),
      swell_(seed, slot_swell, grid, waves(grid, kSwellWaves * piece)) {
    const double cells_per_piece = std::min(params.piece_size, params.plate_size) / cell;
    double wave = kLongestWave;
    for (std::uint32_t k = 0; k < kMostWaves && wave * cells_per_piece >= kShortestWave; ++k) {
        roughness_.emplace_back(seed, slot_roughness + k, grid, waves(grid, wave * piece));
        amplitudes_.push_back(core::to_fixed(params.roughness * kRoughness * wave * piece, 16));
        wave /= 2;
    }
}

Stroke::End Pen::end(Point p, std::uint32_t width) const {
    Point moved = p;
    for (std::size_t k = 0; k < roughness_.size(); ++k) {
        const Point noise = roughness_[k].at(p);
        moved.x += (noise.x * amplitudes_[k]) >> 16;
        moved.y += (noise.y * amplitudes_[k]) >> 16;
    }
    const Point at = on_grid(moved, grid_, extent_);
    const std::int64_t swell = kOneCell + swell_.at(p).x * 2 / 5;
    const std::int64_t share = (std::int64_t{width} * swell) >> 16;
    const std::int64_t half = (half_ * share) >> 16;
    // A crack narrower than a cell is drawn a cell wide and as much shallower.
    const std::int64_t depth =
        std::int64_t{core::integer_sqrt(static_cast<std::uint64_t>(share) << 16)} *
        std::min<std::int64_t>(half, 128) / 128;
    return {{at.x >> 8, at.y >> 8},
            std::max<std::int64_t>(half, 128),
            std::min<std::int64_t>(depth, 65535)};
}

std::vector<Stroke> Pen::strokes(const Line &line) const {
    const Line fine = refined(line, spacing_);
    std::vector<Stroke> strokes;
    Stroke::End before = end(fine.points[0], fine.widths[0]);
    for (std::size_t i = 1; i < fine.points.size(); ++i) {
        const Stroke::End next = end(fine.points[i], fine.widths[i]);
        strokes.push_back({before, next});
        before = next;
    }
    return strokes;
}

} // namespace karst::crack
