#include "generators/terrain_detail.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "core/fixed.hpp"
#include "generators/terrain_rivers.hpp"
#include "generators/terrain_strata.hpp"
#include "shape/grid.hpp"

namespace karst::terrain {

namespace {

using shape::Heights;

// On each level the water of so many steps uphill is counted, and gullies are cut in so many
// passes.
constexpr int kGathering = 16;
constexpr int kPasses = 4;
// A pass of creep and of incision reach one sample each, the choice of the steepest way another.
constexpr std::int64_t kErosionReach = kGathering + 1 + 2 * kPasses;
// K dt of a pass for the water that comes together beyond that of a slope, which is less where
// hillsides are longer than kGullyHillside metres; rivers cut like kRiverArea samples, not like all
// that they drain, since the base has cut their valleys. And K dt of all ground, which keeps crests
// sharp. Set by eye beside the ground of the full pyramid.
constexpr double kGullies = 0.045;
constexpr double kGullyHillside = 40;
constexpr std::uint32_t kRiverArea = 48;
constexpr double kRetreat = 0.04;
// The warps of all levels move a place by less than 4 cells of the base, a river bends over 2.
constexpr std::int64_t kRiverReach = 6;
constexpr std::int64_t kLevelReach = kErosionReach + kWarpReach;

// How far ground of a level came sideways by the warps since the base, 1/65536 cell of the base.
struct Shift {
    std::int32_t x, y;
};

// The samples of the next coarser level that refining a window reads.
Window parents(const Window &fine, Extent2 coarse) {
    const std::int64_t left = std::max<std::int64_t>(0, (fine.x >> 1) - 1);
    const std::int64_t top = std::max<std::int64_t>(0, (fine.y >> 1) - 1);
    const std::int64_t right = std::min(coarse.width, ((fine.right() - 1) >> 1) + 3);
    const std::int64_t bottom = std::min(coarse.height, ((fine.bottom() - 1) >> 1) + 3);
    return {left, top, {right - left, bottom - top}};
}

template <class T>
Field2D<T> cut(const Field2D<T> &field, const Window &from, const Window &to) {
    Field2D<T> part(to.extent);
    for (std::int64_t y = 0; y < to.extent.height; ++y) {
        const auto row = field.row(to.y + y - from.y);
        std::copy_n(row.begin() + (to.x - from.x), to.extent.width, part.row(y).begin());
    }
    return part;
}

class Detailer {
public:
    Detailer(core::Run &run, const HeightmapParams &params, const Base &base, std::uint64_t seed)
        : run_(run), params_(params), base_(base), seed_(seed), strata_(make_strata(params, seed)) {
    }

    Patch make(const Window &wanted) {
        std::array<Window, kMostDetail + 1> whole; // of each level, with what erosion spoils
        std::array<Window, kMostDetail + 1> kept;  // what the next finer level reads
        kept[0] = wanted;
        for (int level = 0; level < base_.plan.levels; ++level) {
            const auto n = static_cast<std::size_t>(level);
            whole[n] = grown(kept[n], kLevelReach, extent(level));
            kept[n + 1] = parents(whole[n], extent(level + 1));
        }
        const auto top = static_cast<std::size_t>(base_.plan.levels);
        window_ = kept[top];
        const Extent2 base_extent = base_.ground.heights.extent();
        const Window all{0, 0, base_extent};
        heights_ = cut(base_.ground.heights, all, window_);
        shift_ = Field2D<Shift>(window_.extent);
        const Rivers rivers(base_.ground, river_rule(), grown(window_, kRiverReach, base_extent));
        for (level_ = base_.plan.levels - 1; level_ >= 0; --level_) {
            const auto n = static_cast<std::size_t>(level_);
            refine(whole[n]);
            warp();
            draw(rivers);
            gather();
            erode();
            heights_ = cut(heights_, window_, kept[n]);
            shift_ = cut(shift_, window_, kept[n]);
            area_ = cut(area_, window_, kept[n]);
            window_ = kept[n];
        }
        return {std::move(heights_), std::move(area_)};
    }

private:
    Extent2 extent(int level) const { return level_extent(base_.plan.map, level); }
    double step() const { return std::ldexp(base_.plan.cell, level_); }
    int below_base() const { return base_.plan.levels - level_; }
    int depth() const { return std::max(0, base_.plan.networks[0].level) + below_base(); }

    RiverRule river_rule() const {
        const double cell = std::ldexp(base_.plan.cell, base_.plan.levels);
        const double hillside = params_.hillside / cell;
        return {static_cast<std::uint32_t>(std::clamp(2 * hillside * hillside, 8.0, 1e9)),
                // A river that drains a square kilometre is an eighth of its floor wide.
                core::to_fixed(params_.valley_floor / 16000 * 4096, 16)};
    }

    // The window of the next finer level, as terrain::refine gives it.
    void refine(const Window &fine) {
        const Extent2 coarse = extent(level_ + 1);
        const auto noise = to_height(step() * 0.1);
        const auto column = [&](std::int64_t c) {
            return std::clamp<std::int64_t>(c, 0, coarse.width - 1) - window_.x;
        };
        const auto row = [&](std::int64_t c) {
            return std::clamp<std::int64_t>(c, 0, coarse.height - 1) - window_.y;
        };
        Heights wide({fine.extent.width, window_.extent.height});
        run_.for_rows(wide.height(), [&](std::int64_t y) {
            const auto from = heights_.row(y);
            const auto at = [&](std::int64_t c) {
                return from[static_cast<std::size_t>(column(c))];
            };
            for (std::int64_t x = 0; x < wide.width(); ++x) {
                const std::int64_t c = (fine.x + x) >> 1;
                wide.at(x, y) =
                    (fine.x + x) % 2 == 0 ? at(c) : halfway(at(c - 1), at(c), at(c + 1), at(c + 2));
            }
        });
        Heights heights(fine.extent);
        Field2D<Shift> shift(fine.extent);
        run_.for_rows(fine.extent.height, [&](std::int64_t y) {
            const std::int64_t v = fine.y + y;
            const std::int64_t c = v >> 1;
            const auto a = wide.row(row(c - 1)), b = wide.row(row(c)), d = wide.row(row(c + 1)),
                       e = wide.row(row(c + 2));
            const auto above = shift_.row(row(c)), below = shift_.row(row(c + (v & 1)));
            for (std::int64_t x = 0; x < fine.extent.width; ++x) {
                const std::int64_t u = fine.x + x;
                const auto i = static_cast<std::size_t>(x);
                std::int32_t height = v % 2 == 0 ? b[i] : halfway(a[i], b[i], d[i], e[i]);
                if (((u | v) & 1) != 0) {
                    height += refine_noise(seed_, u, v, depth(), noise);
                }
                heights.at(x, y) = height;
                const auto left = static_cast<std::size_t>(column(u >> 1));
                const auto right = static_cast<std::size_t>(column((u >> 1) + (u & 1)));
                const auto mean = [&](std::int32_t Shift::*part) {
                    return static_cast<std::int32_t>((std::int64_t{above[left].*part} +
                                                      above[right].*part + below[left].*part +
                                                      below[right].*part) >>
                                                     2);
                };
                shift.at(x, y) = {mean(&Shift::x), mean(&Shift::y)};
            }
        });
        heights_ = std::move(heights);
        shift_ = std::move(shift);
        window_ = fine;
    }

    // terrain::warp, which takes the shift along. Samples whose source lies beyond the window are
    // among those that are cut off.
    void warp() {
        Heights heights(window_.extent);
        Field2D<Shift> shift(window_.extent);
        const WarpSource source(seed_, extent(level_), depth(), 0, window_);
        run_.for_rows(window_.extent.height, [&](std::int64_t y) {
            const auto inside = [](std::int64_t i, std::int64_t size) {
                return std::clamp<std::int64_t>(i, 0, size - 1);
            };
            for (std::int64_t x = 0; x < window_.extent.width; ++x) {
                const std::int64_t u = window_.x + x;
                const std::int64_t v = window_.y + y;
                const WarpSource::Place p = source.at(u, v);
                const std::int64_t i = inside((p.x >> 8) - window_.x, window_.extent.width);
                const std::int64_t j = inside((p.y >> 8) - window_.y, window_.extent.height);
                const std::int64_t right = inside(i + 1, window_.extent.width);
                const std::int64_t bottom = inside(j + 1, window_.extent.height);
                const std::int64_t s = p.x & 255;
                const std::int64_t t = p.y & 255;
                const auto mean = [&](std::int64_t a, std::int64_t b, std::int64_t c,
                                      std::int64_t d) {
                    return static_cast<std::int32_t>(
                        ((a * (256 - s) + b * s) * (256 - t) + (c * (256 - s) + d * s) * t) >> 16);
                };
                heights.at(x, y) = mean(heights_.at(i, j), heights_.at(right, j),
                                        heights_.at(i, bottom), heights_.at(right, bottom));
                const Shift a = shift_.at(i, j), b = shift_.at(right, j), c = shift_.at(i, bottom),
                            d = shift_.at(right, bottom);
                const int unit = 8 - below_base(); // from 1/256 sample to 1/65536 cell
                shift.at(x, y) = {static_cast<std::int32_t>(mean(a.x, b.x, c.x, d.x) +
                                                            ((p.x - u * 256) * (1 << unit))),
                                  static_cast<std::int32_t>(mean(a.y, b.y, c.y, d.y) +
                                                            ((p.y - v * 256) * (1 << unit)))};
            }
        });
        heights_ = std::move(heights);
        shift_ = std::move(shift);
    }

    // Lays the beds of the rivers: they fall all the way, whatever the ground between the samples
    // of a coarser level does.
    void draw(const Rivers &rivers) {
        area_ = Field2D<std::uint32_t>(window_.extent);
        river_ = shape::Mask(window_.extent);
        const int place = 12 - below_base();
        const std::int64_t least_half = (std::int64_t{5} << place) / 8;
        run_.for_rows(window_.extent.height, [&](std::int64_t y) {
            for (std::int64_t x = 0; x < window_.extent.width; ++x) {
                const Shift shift = shift_.at(x, y);
                const Rivers::Bed bed =
                    rivers.at(((window_.x + x) << place) + (shift.x >> 4),
                              ((window_.y + y) << place) + (shift.y >> 4), least_half);
                area_.at(x, y) = 1;
                if (bed.area != 0) {
                    river_.at(x, y) = 1;
                    heights_.at(x, y) = std::min(heights_.at(x, y), bed.height);
                    area_.at(x, y) = static_cast<std::uint32_t>(std::min<std::uint64_t>(
                        UINT32_MAX, std::uint64_t{bed.area} << (2 * below_base())));
                }
            }
        });
    }

    // Where the water of each sample goes, and how many samples within kGathering steps uphill
    // drain through it; rivers bring theirs along.
    void gather() {
        const Extent2 e = window_.extent;
        step_ = Field2D<std::uint8_t>(e);
        const auto tie = [&](std::int64_t x, std::int64_t y, std::uint8_t s) {
            return shape::tie_hash(
                seed_, static_cast<std::int32_t>(window_.x + x + shape::kFlowSteps[s].x),
                static_cast<std::int32_t>(window_.y + y + shape::kFlowSteps[s].y));
        };
        run_.for_rows(e.height, [&](std::int64_t y) {
            for (std::int64_t x = 0; x < e.width; ++x) {
                const std::int32_t here = heights_.at(x, y);
                std::int64_t steepest = 0;
                std::uint8_t way = shape::kNoStep;
                for_neighbours(x, y, [&](std::int64_t u, std::int64_t v, std::uint8_t s) {
                    // A diagonal neighbour is sqrt 2 as far.
                    const std::int64_t drop = std::int64_t{here} - heights_.at(u, v);
                    const std::int64_t slope = (s & 1) != 0 ? drop * 181 : drop * 256;
                    if (slope > steepest ||
                        (slope == steepest && slope > 0 && tie(x, y, s) < tie(x, y, way))) {
                        steepest = slope;
                        way = s;
                    }
                });
                step_.at(x, y) = way;
            }
        });
        Field2D<std::uint8_t> donors(e); // a bit for each neighbour
        run_.for_rows(e.height, [&](std::int64_t y) {
            for (std::int64_t x = 0; x < e.width; ++x) {
                unsigned bits = 0;
                for_neighbours(x, y, [&](std::int64_t u, std::int64_t v, std::uint8_t s) {
                    if (step_.at(u, v) == (s ^ 4) && river_.at(u, v) == 0) {
                        bits |= 1u << s;
                    }
                });
                donors.at(x, y) = static_cast<std::uint8_t>(bits);
            }
        });
        std::array<std::int64_t, 8> offset{};
        for (std::size_t s = 0; s < 8; ++s) {
            offset[s] = shape::kFlowSteps[s].y * e.width + shape::kFlowSteps[s].x;
        }
        Field2D<std::uint32_t> next(e);
        for (int pass = 0; pass < kGathering; ++pass) {
            run_.for_rows(e.height, [&](std::int64_t y) {
                for (std::int64_t i = y * e.width; i < (y + 1) * e.width; ++i) {
                    std::uint32_t sum = 1;
                    if (river_[i] != 0) {
                        sum = area_[i];
                    } else {
                        for (unsigned bits = donors[i]; bits != 0; bits &= bits - 1) {
                            sum +=
                                area_[i + offset[static_cast<std::size_t>(std::countr_zero(bits))]];
                        }
                    }
                    next[i] = sum;
                }
            });
            std::swap(next, area_);
        }
    }

    template <class F>
    void for_neighbours(std::int64_t x, std::int64_t y, F &&f) const {
        for (std::uint8_t s = 0; s < 8; ++s) {
            const std::int64_t u = x + shape::kFlowSteps[s].x;
            const std::int64_t v = y + shape::kFlowSteps[s].y;
            if (u >= 0 && v >= 0 && u < window_.extent.width && v < window_.extent.height) {
                f(u, v, s);
            }
        }
    }

    void erode() {
        const Extent2 e = window_.extent;
        const double hillside = cells_a_hillside(params_, step());
        shape::Creep creep = sliding(params_, step());
        creep.diffusion = core::to_fixed(std::min(0.04, 0.0002 * params_.erosion * hillside), 16);
        const auto offset = static_cast<std::uint32_t>(
            std::min(1e6, params_.hillside * params_.hillside / (kGullyHillside * step())));
        const std::uint32_t rate = core::to_fixed(kGullies * params_.erosion, 16);

        // The share of its height above the next sample that a sample loses in a pass, 16 bits.
        Field2D<std::uint16_t> lost(e);
        const auto root = [](std::uint64_t area) { // 8 fraction bits
            return static_cast<std::uint64_t>(std::sqrt(static_cast<double>(area << 16)));
        };
        const std::uint64_t least = root(1 + offset);
        const std::uint64_t retreat = core::to_fixed(kRetreat * params_.erosion, 16);
        run_.for_rows(e.height, [&](std::int64_t y) {
            for (std::int64_t x = 0; x < e.width; ++x) {
                const std::uint64_t area =
                    offset + (river_.at(x, y) != 0 ? kRiverArea : area_.at(x, y));
                const std::uint64_t f = retreat + (rate * (root(area) - least) >> 8);
                lost.at(x, y) = static_cast<std::uint16_t>((f << 16) / (f + 65536));
            }
        });
        Field2D<std::uint16_t> steepness;
        Heights next(e);
        for (int pass = 0; pass < kPasses; ++pass) {
            if (strata_.any()) {
                steepness = Field2D<std::uint16_t>(e);
                run_.for_rows(e.height, [&](std::int64_t y) {
                    for (std::int64_t x = 0; x < e.width; ++x) {
                        steepness.at(x, y) = strata_.at(heights_.at(x, y)).steepness;
                    }
                });
            }
            shape::creep(run_, heights_, creep, &river_, strata_.any() ? &steepness : nullptr);
            run_.for_rows(e.height, [&](std::int64_t y) {
                for (std::int64_t x = 0; x < e.width; ++x) {
                    std::int32_t height = heights_.at(x, y);
                    const std::uint8_t s = step_.at(x, y);
                    if (s != shape::kNoStep) {
                        const std::int64_t above =
                            std::int64_t{height} -
                            heights_.at(x + shape::kFlowSteps[s].x, y + shape::kFlowSteps[s].y);
                        if (above > 1) {
                            std::int64_t share = lost.at(x, y);
                            if (strata_.any()) {
                                share = share * 256 / strata_.at(height).resistance;
                            }
                            height -= static_cast<std::int32_t>((above - 1) * share >> 16);
                        }
                    }
                    next.at(x, y) = std::clamp(height, base_.lowest, base_.highest);
                }
            });
            std::swap(heights_, next);
        }
    }

    core::Run &run_;
    const HeightmapParams &params_;
    const Base &base_;
    std::uint64_t seed_;
    rules::Strata strata_;

    int level_ = 0;
    Window window_; // of level_
    Heights heights_;
    Field2D<Shift> shift_;
    Field2D<std::uint32_t> area_;
    shape::Mask river_;
    Field2D<std::uint8_t> step_;
};

} // namespace

std::int64_t detail_reach(int levels) {
    std::int64_t reach = kRiverReach; // of the levels down from the base, in samples of the last
    for (int level = 0; level < levels; ++level) {
        reach = (reach + 3) * 2 + kLevelReach;
    }
    return levels == 0 ? 0 : reach;
}

namespace {

// Samples of level 0 that are made for a window.
double samples(const Plan &plan, Extent2 window) {
    const std::int64_t reach = 2 * detail_reach(plan.levels);
    return static_cast<double>(std::min(plan.map.width, window.width + reach)) *
           static_cast<double>(std::min(plan.map.height, window.height + reach));
}

} // namespace

double detail_memory(const Plan &plan, Extent2 window) {
    constexpr double kSample = 44; // of the finest level and of what is left of those before it
    constexpr double kWanted = 8;
    return plan.levels == 0 ? kWanted * static_cast<double>(window.cells())
                            : kSample * samples(plan, window);
}

double detail_work(const Plan &plan, Extent2 window) {
    return plan.levels == 0 ? 0 : 120 * samples(plan, window);
}

Patch make_detail(core::Run &run, const HeightmapParams &params, const Base &base,
                  std::uint64_t seed, const Window &window) {
    if (base.plan.levels == 0) {
        const Window all{0, 0, base.ground.heights.extent()};
        return {cut(base.ground.heights, all, window), cut(base.ground.flow.area, all, window)};
    }
    return Detailer(run, params, base, seed).make(window);
}

} // namespace karst::terrain
