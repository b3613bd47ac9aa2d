#include <algorithm>

#include "core/memory.hpp"
#include "generators/terrain.hpp"

namespace karst::terrain {

namespace {

using shape::Heights;

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

shape::Mask refine_outlets(const shape::Mask &coarse, Extent2 extent) {
    // The coarse border may lie up to one of its cells beyond the fine one, to the right and below:
    // there the last sample of the one takes after the last of the other.
    shape::Mask fine(extent, core::large_pages());
    const auto parents = [](std::int64_t i, std::int64_t size, std::int64_t coarse_size) {
        return i == size - 1 ? std::pair(coarse_size - 1, coarse_size - 1)
                             : std::pair(i / 2, (i + 1) / 2);
    };
    for (const std::int64_t i : border(extent)) {
        const auto [left, right] = parents(i % extent.width, extent.width, coarse.width());
        const auto [top, bottom] = parents(i / extent.width, extent.height, coarse.height());
        fine[i] = static_cast<std::uint8_t>(coarse.at(left, top) & coarse.at(right, bottom));
    }
    return fine;
}

Heights refine(core::Run &run, const Heights &coarse, const shape::Mask &outlets, int depth,
               std::int32_t noise, std::uint64_t seed) {
    const Extent2 extent = outlets.extent();
    Heights fine = refine_columns(run, refine_rows(run, coarse, extent.width), extent.height);
    run.for_rows(extent.height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            if (((x | y) & 1) != 0 && outlets.at(x, y) == 0) {
                fine.at(x, y) += refine_noise(seed, x, y, depth, noise);
            }
        }
    });
    return fine;
}

WarpSource::WarpSource(std::uint64_t seed, Extent2 level, int depth, std::uint32_t time,
                       const Window &window)
    : level_(level) {
    for (std::size_t i = 0; i < moves_.size(); ++i) {
        const int bits = rules::warp_bits(static_cast<int>(i));
        const std::int64_t left = window.x >> bits;
        const std::int64_t top = window.y >> bits;
        const std::int64_t right = ((window.right() - 1) >> bits) + 2;
        const std::int64_t bottom = ((window.bottom() - 1) >> bits) + 2;
        draws_[i].reserve(static_cast<std::size_t>((right - left) * (bottom - top)));
        for (std::int64_t y = top; y < bottom; ++y) {
            for (std::int64_t x = left; x < right; ++x) {
                draws_[i].push_back(static_cast<std::int16_t>(rules::signed_draw(
                    seed, x, y, depth, rules::kWarpDraw + 4 * time + static_cast<unsigned>(i))));
            }
        }
        moves_[i] = {draws_[i].data(), left, top, right - left, bits};
    }
}

WarpSource::Place WarpSource::at(std::int64_t x, std::int64_t y) const {
    return rules::warp_place(moves_.data(), level_.width - 1, level_.height - 1, x, y);
}

void warp(core::Run &run, Heights &heights, int depth, std::uint64_t seed, std::uint32_t time) {
    const Extent2 e = heights.extent();
    Heights bent(e);
    const WarpSource source(seed, e, depth, time, {0, 0, e});
    run.for_rows(e.height, [&](std::int64_t y) {
        for (std::int64_t x = 0; x < e.width; ++x) {
            bent.at(x, y) =
                rules::warped(heights.data(), source.at(x, y), e.width - 1, e.height - 1);
        }
    });
    heights = std::move(bent);
}

} // namespace karst::terrain
