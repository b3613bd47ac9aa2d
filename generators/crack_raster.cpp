#include "generators/crack_raster.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include <karst/crack.hpp>

#include "core/rng.hpp"
#include "shape/grid.hpp"
#include "sim/life.hpp"

namespace karst::crack {

namespace {

constexpr std::int64_t kBandRows = 32;

// floor(sqrt(value)) for value < 2^52: the hardware root is correctly rounded.
std::int64_t root(std::int64_t value) {
    return static_cast<std::int64_t>(std::sqrt(static_cast<double>(value)));
}

// How far from its line a stroke is told.
std::int64_t reach_of(const Stroke &stroke, std::uint32_t ragged) {
    const std::int64_t half = std::max(stroke.a.half, stroke.b.half);
    return half + ((half * ragged) >> 16) + 256;
}

// The rows that a stroke may touch, not wrapped.
std::pair<std::int64_t, std::int64_t> rows(const Stroke &stroke, std::uint32_t ragged) {
    const std::int64_t reach = reach_of(stroke, ragged);
    return {(std::min(stroke.a.at.y, stroke.b.at.y) - reach) >> 8,
            (std::max(stroke.a.at.y, stroke.b.at.y) + reach) >> 8};
}

using Touch = std::array<std::int64_t, 3>; // inset, half width, depth

// Draws the part of a stroke in row `y`. The largest touch wins, so that the order of strokes
// carries no meaning.
void draw_row(const Stroke &s, std::int64_t y, std::uint32_t ragged, Strokes &out) {
    const std::int64_t width = out.inset.width();
    const std::int64_t row = wrap(y, out.inset.height());
    const std::int64_t most = reach_of(s, ragged);
    const Point along = s.b.at - s.a.at;
    const std::int64_t length = along.x * along.x + along.y * along.y;
    const std::int64_t first = (std::min(s.a.at.x, s.b.at.x) - most) >> 8;
    const std::int64_t last = (std::max(s.a.at.x, s.b.at.x) + most) >> 8;
    for (std::int64_t x = first; x <= last; ++x) {
        const Point p{x * 256 + 128 - s.a.at.x, y * 256 + 128 - s.a.at.y};
        std::int64_t t = 0; // along the stroke, 8 fraction bits
        if (length > 0) {
            const std::int64_t dot = p.x * along.x + p.y * along.y;
            t = std::clamp<std::int64_t>(floor_div(dot * 256, length), 0, 256);
        }
        const Point off = p - Point{(along.x * t) >> 8, (along.y * t) >> 8};
        const std::int64_t squared = off.x * off.x + off.y * off.y;
        if (squared > most * most) {
            continue;
        }
        const std::int64_t distance = root(squared);
        const std::int64_t half = s.a.half + (((s.b.half - s.a.half) * t) >> 8);
        const std::int64_t inset = half - distance;
        const std::int64_t cell = row * width + wrap(x, width);
        // A hair more than half a cell, against the rounding of points and distances: a chain of
        // such cells is never broken.
        if (distance <= 128 + 6) {
            out.core[cell] = 1;
        }
        const Touch touch{std::min<std::int64_t>(inset, 0x7FFF),
                          std::min<std::int64_t>(half, 0xFFFF),
                          s.a.depth + (((s.b.depth - s.a.depth) * t) >> 8)};
        if (touch > Touch{out.inset[cell], out.half[cell], out.depth[cell]}) {
            out.inset[cell] = static_cast<std::int16_t>(touch[0]);
            out.half[cell] = static_cast<std::uint16_t>(touch[1]);
            out.depth[cell] = static_cast<std::uint16_t>(touch[2]);
        }
    }
}

} // namespace

Strokes draw(core::Run &run, std::span<const Stroke> strokes, std::uint32_t ragged,
             Extent2 extent) {
    Strokes out{Field2D<std::int16_t>(extent), Field2D<std::uint16_t>(extent),
                Field2D<std::uint16_t>(extent), shape::Mask(extent)};
    run.for_rows(extent.height, [&](std::int64_t y) {
        for (std::int16_t &inset : out.inset.row(y)) {
            inset = kFarOutside;
        }
    });
    // Bands of rows with the strokes that touch them.
    const std::int64_t bands = (extent.height + kBandRows - 1) / kBandRows;
    std::vector<std::vector<std::uint32_t>> touching(static_cast<std::size_t>(bands));
    for (std::size_t i = 0; i < strokes.size(); ++i) {
        const auto [first, last] = rows(strokes[i], ragged);
        std::int64_t before = -1;
        const std::int64_t end = std::min(last, first + extent.height - 1);
        for (std::int64_t y = first; y <= end; ++y) {
            const std::int64_t band = wrap(y, extent.height) / kBandRows;
            auto &list = touching[static_cast<std::size_t>(band)];
            if (band != before && (list.empty() || list.back() != i)) {
                list.push_back(static_cast<std::uint32_t>(i));
            }
            before = band;
        }
    }
    run.for_ranges(bands, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t band = begin; band < end; ++band) {
            for (const std::uint32_t i : touching[static_cast<std::size_t>(band)]) {
                const auto [first, last] = rows(strokes[i], ragged);
                for (std::int64_t y = first; y <= last; ++y) {
                    if (wrap(y, extent.height) / kBandRows == band) {
                        draw_row(strokes[i], y, ragged, out);
                    }
                }
            }
        }
    });
    return out;
}

shape::Mask cover(core::Run &run, const Strokes &strokes, std::uint32_t ragged,
                  std::uint64_t seed) {
    const Extent2 extent = strokes.inset.extent();
    shape::Mask mask(extent);
    if (ragged == 0) {
        run.for_rows(extent.height, [&](std::int64_t y) {
            for (std::int64_t x = 0; x < extent.width; ++x) {
                mask.at(x, y) = strokes.inset.at(x, y) > 0 || strokes.core.at(x, y) != 0 ? 1 : 0;
            }
        });
        return mask;
    }
    LifeBoard board(extent);
    run.for_rows(extent.height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            const std::int64_t inset = strokes.inset.at(x, y);
            if (inset == kFarOutside) {
                continue;
            }
            const std::int64_t rim = (std::int64_t{strokes.half.at(x, y)} * ragged) >> 16;
            const std::uint32_t chance =
                core::draw_at(seed, static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), 0,
                              core::use(core::stage_crack, slot_rim))
                    .word[0] >>
                15;
            const std::int64_t noise = (rim * (std::int64_t{chance} - 65536)) >> 16;
            board.set(x, y, inset + noise > 0);
        }
    });
    const LifeRule majority{0b111100000, 0b111110000}; // B5678/S45678
    board = sim::advance(run, std::move(board), majority, LifeBoundary::torus, 4);
    run.for_rows(extent.height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            mask.at(x, y) = board.alive(x, y) || strokes.core.at(x, y) != 0 ? 1 : 0;
        }
    });
    return mask;
}

Ground divide(core::Run &run, shape::Mask &mask, const shape::Mask &core, std::int64_t least,
              std::uint64_t seed) {
    const Extent2 extent = mask.extent();
    const auto for_cells = [&](auto &&f) {
        run.for_rows(extent.height, [&](std::int64_t y) {
            for (std::int64_t x = 0; x < extent.width; ++x) {
                f(y * extent.width + x);
            }
        });
    };
    const auto cracks = shape::regions(run, mask, shape::Connectivity::eight, Boundary::torus);
    std::vector<std::uint8_t> rooted(cracks.regions.size() + 1);
    for (std::int64_t i = 0; i < mask.size(); ++i) {
        if (core[i] != 0) {
            rooted[cracks.label[i]] = 1;
        }
    }
    shape::Mask open(extent);
    for_cells([&](std::int64_t i) { open[i] = rooted[cracks.label[i]] == 0 ? 1 : 0; });
    // If every plate is small, the largest stay.
    auto plates = shape::regions(run, open, shape::Connectivity::four, Boundary::torus);
    std::int64_t largest = 0;
    for (const auto &region : plates.regions) {
        largest = std::max(largest, region.cells);
    }
    const std::int64_t limit = std::min(least, largest);
    Ground ground{Field2D<std::uint32_t>(extent, run.memory()), 0};
    for_cells([&](std::int64_t i) {
        const std::uint32_t label = plates.label[i];
        mask[i] = label == 0 || plates.regions[label - 1].cells < limit ? 1 : 0;
    });
    struct Middle {
        std::uint32_t inner = 0;
        std::uint64_t hash = 0;
        std::uint32_t cell = kNoPlate;
    };
    const auto distance = shape::distance_squared(run, mask, 46340, Boundary::torus);
    std::vector<Middle> middles(plates.regions.size() + 1);
    for (std::int64_t i = 0; i < mask.size(); ++i) {
        if (mask[i] != 0) {
            continue;
        }
        Middle &middle = middles[plates.label[i]];
        if (middle.cell != kNoPlate && distance[i] < middle.inner) {
            continue;
        }
        const std::uint64_t hash =
            shape::tie_hash(seed, static_cast<std::int32_t>(i % extent.width),
                            static_cast<std::int32_t>(i / extent.width));
        if (middle.cell == kNoPlate || distance[i] > middle.inner || hash < middle.hash) {
            ground.count += middle.cell == kNoPlate ? 1 : 0;
            middle = {distance[i], hash, static_cast<std::uint32_t>(i)};
        }
    }
    for_cells([&](std::int64_t i) {
        ground.plates[i] = mask[i] != 0 ? kNoPlate : middles[plates.label[i]].cell;
    });
    return ground;
}

} // namespace karst::crack
