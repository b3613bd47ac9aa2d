// From lines on the layout grid to strokes in output cells: refined, made rough, of varying width.
#pragma once

#include <cstdint>
#include <vector>

#include <karst/crack.hpp>

#include "generators/crack_lines.hpp"
#include "generators/crack_raster.hpp"

namespace karst::crack {

class Pen {
public:
    // `piece` is the size of a piece in cells of the layout grid.
    Pen(const CrackParams &params, Extent2 grid, double piece, Extent2 extent, double cell,
        std::uint64_t seed);

    std::vector<Stroke> strokes(const Line &line) const;

private:
    Stroke::End end(Point p, std::uint32_t width) const;

    Extent2 grid_, extent_;
    std::int64_t half_;    // half the crack width in cells, 8 fraction bits
    std::int64_t spacing_; // of points, in the grid's cells, 16 fraction bits
    TorusNoise swell_;
    std::vector<TorusNoise> roughness_;
    std::vector<std::int64_t> amplitudes_; // of each, in the grid's cells, 16 fraction bits
};

} // namespace karst::crack
