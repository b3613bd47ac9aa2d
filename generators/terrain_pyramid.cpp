#include <algorithm>

#include "core/rng.hpp"
#include "generators/terrain.hpp"

namespace karst::terrain {

namespace {

using shape::Heights;

// Draws of the generator beside its networks.
constexpr std::uint32_t kNoiseDraw = 1;
constexpr std::uint32_t kWarpDraw = 2; // and the next 7

// A number in [-2^15, 2^15) drawn at a sample of a level.
std::int64_t signed_draw(std::uint64_t seed, std::int64_t x, std::int64_t y, int depth,
                         std::uint32_t draw) {
    const core::Draw4 words =
        core::draw_at(seed, static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), depth,
                      core::use(core::stage_heightmap, 0, draw));
    return static_cast<std::int64_t>(words.word[0] >> 16) - 32768;
}

// Twice as many columns.
Heights refine_rows(core::Run &run, const Heights &coarse, std::int64_t width) {
    Heights fine({width, coarse.height()});
    run.for_rows(fine.height(), [&](std::int64_t y) {
        const auto at = [&](std::int64_t x) {
            return coarse.at(std::clamp<std::int64_t>(x, 0, coarse.width() - 1), y);
        };
        for (std::int64_t x = 0; x < width; ++x) {
            const std::int64_t c = x / 2;
            fine.at(x, y) = x % 2 == 0 ? at(c) : halfway(at(c - 1), at(c), at(c + 1), at(c + 2));
        }
    });
    return fine;
}

// Twice as many rows.
Heights refine_columns(core::Run &run, const Heights &coarse, std::int64_t height) {
    Heights fine({coarse.width(), height});
    run.for_rows(height, [&](std::int64_t y) {
        const auto row = [&](std::int64_t c) {
            return coarse.row(std::clamp<std::int64_t>(c, 0, coarse.height() - 1));
        };
        const std::int64_t c = y / 2;
        const auto a = row(c - 1), b = row(c), d = row(c + 1), e = row(c + 2);
        const auto out = fine.row(y);
        for (std::size_t x = 0; x < out.size(); ++x) {
            out[x] = y % 2 == 0 ? b[x] : halfway(a[x], b[x], d[x], e[x]);
        }
    });
    return fine;
}

} // namespace

Window grown(const Window &window, std::int64_t by, Extent2 level) {
    const std::int64_t left = std::max<std::int64_t>(0, window.x - by);
    const std::int64_t top = std::max<std::int64_t>(0, window.y - by);
    const std::int64_t right = std::min(level.width, window.right() + by);
    const std::int64_t bottom = std::min(level.height, window.bottom() + by);
    return {left, top, {right - left, bottom - top}};
}

std::vector<std::int64_t> border(Extent2 extent) {
    const std::int64_t w = extent.width;
    const std::int64_t h = extent.height;
    std::vector<std::int64_t> ring;
    for (std::int64_t x = 0; x < w; ++x) {
        ring.push_back(x);
    }
    for (std::int64_t y = 1; y < h; ++y) {
        ring.push_back(y * w + w - 1);
    }
    for (std::int64_t x = w - 2; x >= 0 && h > 1; --x) {
        ring.push_back((h - 1) * w + x);
    }
    for (std::int64_t y = h - 2; y > 0 && w > 1; --y) {
        ring.push_back(y * w);
    }
    return ring;
}

std::int32_t refine_noise(std::uint64_t seed, std::int64_t x, std::int64_t y, int depth,
                          std::int32_t noise) {
    return static_cast<std::int32_t>(signed_draw(seed, x, y, depth, kNoiseDraw) * noise >> 15);
}

Level refine(core::Run &run, const Level &coarse, Extent2 map, std::int32_t noise,
             std::uint64_t seed) {
    Level fine{coarse.level - 1, coarse.depth + 1, {}, {}};
    const Extent2 extent = level_extent(map, fine.level);
    fine.heights =
        refine_columns(run, refine_rows(run, coarse.heights, extent.width), extent.height);

    // The coarse border may lie up to one of its cells beyond the fine one, to the right and below:
    // there the last sample of the one takes after the last of the other.
    fine.outlets = shape::Mask(extent);
    const auto parents = [](std::int64_t i, std::int64_t size, std::int64_t coarse_size) {
        return i == size - 1 ? std::pair(coarse_size - 1, coarse_size - 1)
                             : std::pair(i / 2, (i + 1) / 2);
    };
    for (const std::int64_t i : border(extent)) {
        const auto [left, right] = parents(i % extent.width, extent.width, coarse.outlets.width());
        const auto [top, bottom] =
            parents(i / extent.width, extent.height, coarse.outlets.height());
        fine.outlets[i] = static_cast<std::uint8_t>(coarse.outlets.at(left, top) &
                                                    coarse.outlets.at(right, bottom));
    }
    run.for_rows(extent.height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            if (((x | y) & 1) != 0 && fine.outlets.at(x, y) == 0) {
                fine.heights.at(x, y) += refine_noise(seed, x, y, fine.depth, noise);
            }
        }
    });
    return fine;
}

WarpSource::WarpSource(std::uint64_t seed, Extent2 level, int depth, std::uint32_t time,
                       const Window &window)
    : level_(level) {
    for (std::size_t i = 0; i < moves_.size(); ++i) {
        Smooth &move = moves_[i];
        move.bits = i % 2 == 0 ? 4 : 3;
        const std::int64_t left = window.x >> move.bits;
        const std::int64_t top = window.y >> move.bits;
        move.lattice = {left,
                        top,
                        {((window.right() - 1) >> move.bits) + 2 - left,
                         ((window.bottom() - 1) >> move.bits) + 2 - top}};
        move.draws.reserve(static_cast<std::size_t>(move.lattice.extent.cells()));
        for (std::int64_t y = top; y < move.lattice.bottom(); ++y) {
            for (std::int64_t x = left; x < move.lattice.right(); ++x) {
                move.draws.push_back(static_cast<std::int16_t>(signed_draw(
                    seed, x, y, depth, kWarpDraw + 4 * time + static_cast<std::uint32_t>(i))));
            }
        }
    }
}

std::int64_t WarpSource::Smooth::at(std::int64_t x, std::int64_t y) const {
    const auto ease = [this](std::int64_t at) { // 3 t^2 - 2 t^3, 8 fraction bits
        const std::int64_t t = ((at & ((1 << bits) - 1)) << 8) >> bits;
        return t * t * (768 - 2 * t) >> 16;
    };
    const std::int64_t u = ease(x);
    const std::int64_t v = ease(y);
    const std::int16_t *const corner =
        draws.data() + ((y >> bits) - lattice.y) * lattice.extent.width + ((x >> bits) - lattice.x);
    const auto row = [u](const std::int16_t *draw) { return draw[0] * (256 - u) + draw[1] * u; };
    return (row(corner) * (256 - v) + row(corner + lattice.extent.width) * v) >> 16;
}

WarpSource::Place WarpSource::at(std::int64_t x, std::int64_t y) const {
    const std::int64_t right = level_.width - 1;
    const std::int64_t bottom = level_.height - 1;
    // The border stays, so that rivers still meet their outlets.
    const std::int64_t inside = std::min<std::int64_t>({16, x, y, right - x, bottom - y});
    const auto move = [&](const Smooth &wide, const Smooth &narrow) { // 8 fraction bits
        return (wide.at(x, y) * 5 + narrow.at(x, y) * 2) * inside / 4096;
    };
    return {std::clamp<std::int64_t>(x * 256 + move(moves_[0], moves_[1]), 0, right * 256),
            std::clamp<std::int64_t>(y * 256 + move(moves_[2], moves_[3]), 0, bottom * 256)};
}

void warp(core::Run &run, Level &level, std::uint64_t seed, std::uint32_t time) {
    const Heights &from = level.heights;
    const std::int64_t right = from.width() - 1;
    const std::int64_t bottom = from.height() - 1;
    Heights bent(from.extent());
    const WarpSource source(seed, from.extent(), level.depth, time, {0, 0, from.extent()});
    run.for_rows(from.height(), [&](std::int64_t y) {
        for (std::int64_t x = 0; x <= right; ++x) {
            const WarpSource::Place p = source.at(x, y);
            const std::int64_t i = p.x >> 8;
            const std::int64_t j = p.y >> 8;
            const std::int64_t u = p.x & 255;
            const std::int64_t v = p.y & 255;
            const auto row = [&](std::int64_t k) {
                return std::int64_t{from.at(i, k)} * (256 - u) +
                       std::int64_t{from.at(std::min(i + 1, right), k)} * u;
            };
            bent.at(x, y) = static_cast<std::int32_t>(
                (row(j) * (256 - v) + row(std::min(j + 1, bottom)) * v) >> 16);
        }
    });
    level.heights = std::move(bent);
}

} // namespace karst::terrain
