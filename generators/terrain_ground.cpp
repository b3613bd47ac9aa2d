#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <string>

#include <karst/params.hpp>

#include "core/fixed.hpp"
#include "core/rng.hpp"
#include "generators/terrain.hpp"
#include "generators/terrain_erosion.hpp"
#include "generators/terrain_strata.hpp"

namespace karst::terrain {

namespace {

using shape::Heights;

// How a level is eroded, by its depth below the coarsest; deeper levels go like the last. The
// first three levels come to a steady state between uplift and rivers; below them rivers only
// adapt what is there, so that a finer level changes little but detail.
struct Schedule {
    int passes;
    double speed; // K dt of a pass
    int creeps;   // passes of creep in each
    double plane; // share of a bank that a river takes in a pass
};
constexpr Schedule kSchedule[] = {{160, 0.03, 3, 0.15}, {60, 0.03, 2, 0.15}, {36, 0.03, 1, 0.15},
                                  {12, 0.015, 1, 0.3},  {6, 0.01, 1, 0.4},   {3, 0.01, 1, 0.4},
                                  {2, 0.01, 1, 0.4}};
constexpr int kSteadyLevels = 3;
// The coarsest level starts with long passes, which find the valleys.
constexpr int kFirstPasses = 60;
constexpr double kFirstSpeed = 0.25;
// Uplift of a pass over K dt, as a fraction of the relief; the first passes measure what relief it
// gives, and it is scaled by that.
constexpr double kUplift = 0.2;

// Ground whose height by the first network is less, 16 fraction bits, is the floor of a valley.
constexpr std::int64_t kValley = 6554;

const Schedule &schedule(int depth) {
    return kSchedule[std::min<std::size_t>(static_cast<std::size_t>(depth),
                                           std::size(kSchedule) - 1)];
}

using rules::times;

class Maker {
public:
    Maker(core::Run &run, const HeightmapParams &params, const Networks &networks, Extent2 map,
          double cell, std::uint64_t seed, const std::vector<HeightRange> *scaled)
        : run_(run), params_(params), networks_(networks), map_(map), cell_(cell), seed_(seed),
          given_(scaled),
          relief_(to_height(params.relief)), bedrock_{seed,
                                                      make_strata(params, seed),
                                                      {view(networks[0]), view(networks[1]),
                                                       view(networks[2])},
                                                      {core::to_fixed(params.plateau, 16),
                                                       core::to_fixed(params.ruggedness, 16)}} {}

    Ground make(double share, bool flow) {
        start();
        const double work = ground_work(networks_, map_);
        for (;;) {
            run_.stage("erosion, cells of " + metres(step()),
                       share * level_work(level_, depth_) / work, run_.options().device);
            if (depth_ == 0) {
                engine_ = make_erosion(run_, {std::move(heights_), outlets_, {}, {}}, bedrock_);
            } else {
                outlets_ = refine_outlets(outlets_, level_extent(map_, level_));
                engine_->refine(outlets_, depth_, to_height(step() * 0.1));
                engine_->warp(depth_, 0);
            }
            engine_->shape_soil(level_);
            erode();
            if (run_.is_watched()) {
                run_.made(engine_->copy());
            }
            if (level_ == 0) {
                break;
            }
            --level_;
            ++depth_;
        }
        engine_->level_outlets(std::max(1, to_height(step() * 0.05)));
        sim::Water water = flow ? engine_->route() : sim::Water{};
        return {engine_->take(),
                {std::move(water.step), std::move(water.area), shape::DrainageOrder()},
                std::move(scaled_)};
    }

    double level_work(int level, int depth) const {
        return static_cast<double>(level_extent(map_, level).cells()) * schedule(depth).passes * 8;
    }

private:
    double step() const { return std::ldexp(cell_, level_); }

    static std::string metres(double length) { return to_string(ParamValue(length)) + " m"; }

    SharesRow row(std::int64_t y) const { return {bedrock_.networks, bedrock_.relief, level_, y}; }

    // The coarsest level as the networks and the lean of the region give it.
    void start() {
        level_ = std::max(0, networks_[0].level);
        heights_ = Heights(level_extent(map_, level_));
        const core::Draw4 draw = core::draw_at(seed_, 0, 0, 0, core::use(core::stage_heightmap));
        const core::Direction lean = core::directions()[draw.word[0] & (core::kDirectionCount - 1)];
        const std::int64_t tilt = core::to_fixed(params_.tilt, 16);
        const Extent2 e = heights_.extent();
        const std::int64_t longer = std::max(e.width, e.height);
        run_.for_rows(e.height, [&](std::int64_t y) {
            const SharesRow here = row(y);
            for (std::int64_t x = 0; x < e.width; ++x) {
                const rules::Shares s = here.at(x);
                const std::int64_t along = // from -1.5 to 1.5
                    (lean.cosine * (2 * x - e.width) + lean.sine * (2 * y - e.height)) * 4 / longer;
                heights_.at(x, y) = static_cast<std::int32_t>(
                    times(s.coarse + s.fine / 2 + times(along, tilt) / 2, relief_));
            }
        });
        choose_outlets();
    }

    // Water leaves where the border is lowest within a third of the valley spacing, and more often,
    // within a twelfth, on the lines of the first network.
    void choose_outlets() {
        outlets_ = shape::Mask(heights_.extent());
        const std::vector<std::int64_t> ring = border(heights_.extent());
        const auto size = static_cast<std::int64_t>(ring.size());
        const std::int64_t width = heights_.width();
        const auto key = [&](std::int64_t i) {
            const std::int64_t cell = ring[static_cast<std::size_t>((i + size) % size)];
            return std::pair(heights_[cell],
                             shape::tie_hash(seed_, static_cast<std::int32_t>(cell % width),
                                             static_cast<std::int32_t>(cell / width)));
        };
        const auto lowest = [&](std::int64_t i, double length) {
            const std::int64_t reach =
                std::min((size - 1) / 2, static_cast<std::int64_t>(length / step()) + 1);
            for (std::int64_t j = i - reach; j <= i + reach; ++j) {
                if (j != i && key(j) < key(i)) {
                    return false;
                }
            }
            return true;
        };
        run_.for_ranges(size, 64, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t cell = ring[static_cast<std::size_t>(i)];
                const bool valley = row(cell / width).at(cell % width).coarse < kValley;
                outlets_[cell] = lowest(i, params_.valley_spacing / (valley ? 12 : 3)) ? 1 : 0;
            }
        });
    }

    // Brings the ground, and the uplift that made it, to the relief that was asked for; a map
    // narrower than a valley gets its part.
    void rescale() {
        const double longer = static_cast<double>(std::max(map_.width, map_.height) - 1) * cell_;
        const std::int64_t wanted =
            to_height(params_.relief * std::min(1.0, longer / params_.valley_spacing));
        scaled_.push_back(given_ != nullptr ? (*given_)[scaled_.size()] : engine_->range());
        const std::int64_t bottom = scaled_.back().lowest;
        const std::int64_t range = std::max<std::int64_t>(1, scaled_.back().highest - bottom);
        uplift_scale_ = std::min<std::int64_t>(1 << 20, uplift_scale_ * wanted / range);
        engine_->rescale(bottom, range, wanted);
    }

    void erode() {
        const Schedule &plan = schedule(depth_);
        const double hillside = cells_a_hillside(params_, step());
        rules::ErosionPass pass;
        pass.creep = sliding(params_, step());
        pass.creeps = plan.creeps;
        pass.power.area_offset = static_cast<std::uint32_t>(std::min(1e9, hillside));
        pass.power.steepest = pass.creep.talus;
        pass.carrying = static_cast<std::uint32_t>(std::min(4e9, 40 * hillside + 4));
        const double side = params_.valley_floor > 0 ? 1000 / params_.valley_floor : 0;
        pass.planing = static_cast<std::uint32_t>(std::min(4e9, side * side));
        pass.rise = to_height(step() * 0.04);
        pass.plane = core::to_fixed(plan.plane * params_.erosion, 16);

        for (int i = 0; i < plan.passes; ++i) {
            const bool first = depth_ == 0 && i < kFirstPasses;
            const double speed = (first ? kFirstSpeed : plan.speed) * params_.erosion;
            pass.power.rate = core::to_fixed(speed, 16);
            pass.power.slide = core::to_fixed(std::min(1.0, 2 * speed), 16);
            pass.creep.diffusion =
                core::to_fixed(std::min(0.1, 0.03 * speed * hillside / plan.creeps), 16);
            pass.lift =
                std::int64_t{to_height(speed * kUplift * params_.relief)} * uplift_scale_ >> 16;
            if (depth_ < kSteadyLevels && i == plan.passes * 2 / 3) {
                engine_->warp(depth_, 1);
            }
            engine_->pass(pass);
            if (depth_ == 0 && i + 1 == kFirstPasses) {
                rescale();
            }
            run_.advance((i + 1.0) / plan.passes);
        }
        if (depth_ < kSteadyLevels) {
            rescale();
        }
        engine_->fill();
    }

    core::Run &run_;
    const HeightmapParams &params_;
    const Networks &networks_;
    Extent2 map_;
    double cell_;
    std::uint64_t seed_;
    const std::vector<HeightRange> *given_; // null: every range is measured
    std::vector<HeightRange> scaled_;
    std::int32_t relief_;
    sim::Bedrock bedrock_;

    int level_ = 0;
    int depth_ = 0;       // below the coarsest
    Heights heights_;     // of the coarsest level, before the engine takes them
    shape::Mask outlets_; // of this level
    std::unique_ptr<sim::ErosionEngine> engine_;
    std::int64_t uplift_scale_ = 65536; // 16 fraction bits
};

} // namespace

HeightRange range_of(core::Run &run, const shape::Heights &heights) {
    HeightRange range{heights[0], heights[0]};
    std::mutex mutex;
    run.for_ranges(heights.size(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
        HeightRange own{heights[begin], heights[begin]};
        for (std::int64_t i = begin; i < end; ++i) { // compilers make vectors of it
            own.lowest = std::min(own.lowest, heights[i]);
            own.highest = std::max(own.highest, heights[i]);
        }
        const std::lock_guard lock(mutex);
        range.lowest = std::min(range.lowest, own.lowest);
        range.highest = std::max(range.highest, own.highest);
    });
    return range;
}

std::int32_t to_height(double metres) {
    return static_cast<std::int32_t>(std::floor(std::ldexp(metres, shape::kHeightBits) + 0.5));
}

double cells_a_hillside(const HeightmapParams &params, double step) {
    return params.hillside * params.hillside / (step * step);
}

shape::Creep sliding(const HeightmapParams &params, double step) {
    const core::Direction slope =
        core::directions()[core::direction_index(core::to_angle(params.talus))];
    shape::Creep creep;
    creep.talus = std::max(1, to_height(step * slope.sine / slope.cosine));
    creep.slide = 65536 / 12;
    return creep;
}

int erosion_passes(int depth) {
    return schedule(depth).passes;
}

double ground_work(const Networks &networks, Extent2 map) {
    double work = 0;
    const int top = std::max(0, networks[0].level);
    for (int level = top; level >= 0; --level) {
        work += static_cast<double>(level_extent(map, level).cells()) *
                schedule(top - level).passes * 8;
    }
    return work;
}

Ground make_ground(core::Run &run, const HeightmapParams &params, const Networks &networks,
                   Extent2 map, double cell, std::uint64_t seed, double share, bool flow,
                   const std::vector<HeightRange> *scaled) {
    return Maker(run, params, networks, map, cell, seed, scaled).make(share, flow);
}

} // namespace karst::terrain
