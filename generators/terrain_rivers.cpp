#include "generators/terrain_rivers.hpp"

#include <algorithm>

#include "core/fixed.hpp"

namespace karst::terrain {

namespace {

constexpr std::int32_t kCell = 4096;
// at() looks at 3 x 3 cells. A piece stays within half a cell of its cell, so that none is missed
// whose river is not wider than this.
constexpr std::int64_t kMostHalf = kCell;

} // namespace

Rivers::Rivers(const Ground &ground, const RiverRule &rule, const Window &window)
    : window_(window) {
    first_.reserve(static_cast<std::size_t>(window_.extent.cells()) + 1);
    for (std::int64_t y = window_.y; y < window_.bottom(); ++y) {
        for (std::int64_t x = window_.x; x < window_.right(); ++x) {
            first_.push_back(static_cast<std::uint32_t>(pieces_.size()));
            if (ground.flow.area.at(x, y) >= rule.least_area) {
                add_cell(ground, rule, x, y);
            }
        }
    }
    first_.push_back(static_cast<std::uint32_t>(pieces_.size()));
}

void Rivers::add_cell(const Ground &ground, const RiverRule &rule, std::int64_t x, std::int64_t y) {
    const Extent2 e = ground.heights.extent();
    const std::int32_t here = ground.heights.at(x, y);
    struct Neighbour {
        std::int32_t x = 0, y = 0; // from the cell
        std::int32_t height = 0;
    };
    Neighbour out{0, 0, here};
    if (const std::uint8_t step = ground.flow.step.at(x, y); step != shape::kNoStep) {
        const shape::FlowStep s = shape::kFlowSteps[step];
        out = {s.x, s.y, ground.heights.at(x + s.x, y + s.y)};
    }
    const auto add = [&](const Neighbour &in, std::uint32_t area) {
        const std::int64_t wide =
            std::int64_t{core::integer_sqrt(std::uint64_t{area} << 16)} * rule.widening >> 24;
        const auto half = static_cast<std::int32_t>(std::min(kMostHalf, wide));
        const std::int32_t x1 = (in.x + out.x) * (kCell / 8);
        const std::int32_t y1 = (in.y + out.y) * (kCell / 8);
        const auto bed1 = static_cast<std::int32_t>(
            (std::int64_t{in.height} + std::int64_t{here} * 6 + out.height) >> 3);
        const auto mean = [here](std::int32_t other) {
            return static_cast<std::int32_t>((std::int64_t{here} + other) >> 1);
        };
        pieces_.push_back(
            {in.x * (kCell / 2), in.y * (kCell / 2), x1, y1, mean(in.height), bed1, area, half});
        pieces_.push_back(
            {x1, y1, out.x * (kCell / 2), out.y * (kCell / 2), bed1, mean(out.height), area, half});
    };
    bool fed = false;
    for (std::uint8_t s = 0; s < 8; ++s) {
        const std::int64_t u = x + shape::kFlowSteps[s].x;
        const std::int64_t v = y + shape::kFlowSteps[s].y;
        if (u >= 0 && v >= 0 && u < e.width && v < e.height &&
            ground.flow.step.at(u, v) == (s ^ 4) && ground.flow.area.at(u, v) >= rule.least_area) {
            add({shape::kFlowSteps[s].x, shape::kFlowSteps[s].y, ground.heights.at(u, v)},
                ground.flow.area.at(u, v));
            fed = true;
        }
    }
    if (!fed) {
        add({0, 0, here}, ground.flow.area.at(x, y)); // its spring
    }
}

Rivers::Bed Rivers::at(std::int64_t x, std::int64_t y, std::int64_t least_half) const {
    const std::int64_t i = (x + kCell / 2) >> 12;
    const std::int64_t j = (y + kCell / 2) >> 12;
    Bed found;
    for (std::int64_t v = std::max(j - 1, window_.y); v < std::min(j + 2, window_.bottom()); ++v) {
        for (std::int64_t u = std::max(i - 1, window_.x); u < std::min(i + 2, window_.right());
             ++u) {
            const auto cell =
                static_cast<std::size_t>((v - window_.y) * window_.extent.width + u - window_.x);
            for (std::size_t k = first_[cell]; k < first_[cell + 1]; ++k) {
                const Piece &p = pieces_[k];
                const std::int64_t px = x - (u << 12) - p.x0;
                const std::int64_t py = y - (v << 12) - p.y0;
                const std::int64_t dx = p.x1 - p.x0;
                const std::int64_t dy = p.y1 - p.y0;
                const std::int64_t square = dx * dx + dy * dy;
                const std::int64_t along = std::clamp<std::int64_t>(px * dx + py * dy, 0, square);
                const std::int64_t t = square == 0 ? 0 : (along << 16) / square;
                const std::int64_t ex = px - (dx * t >> 16);
                const std::int64_t ey = py - (dy * t >> 16);
                const std::int64_t half = std::max<std::int64_t>(p.half, least_half);
                if (ex * ex + ey * ey > half * half) {
                    continue;
                }
                const auto bed =
                    static_cast<std::int32_t>(p.bed0 + ((std::int64_t{p.bed1} - p.bed0) * t >> 16));
                if (found.area == 0 || bed < found.height) {
                    found.height = bed;
                }
                found.area = std::max(found.area, p.area);
            }
        }
    }
    return found;
}

} // namespace karst::terrain
