#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include <karst/params.hpp>

#include "core/fixed.hpp"
#include "core/rng.hpp"
#include "generators/terrain.hpp"
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

// A fraction of 16 bits times a number.
std::int64_t times(std::int64_t value, std::int64_t fraction) {
    return value * fraction >> 16;
}

class Maker {
public:
    Maker(core::Run &run, const HeightmapParams &params, const Networks &networks, Extent2 map,
          double cell, std::uint64_t seed, const std::vector<HeightRange> *scaled)
        : run_(run), params_(params), networks_(networks), map_(map), cell_(cell), seed_(seed),
          given_(scaled), relief_(to_height(params.relief)),
          plateau_(core::to_fixed(params.plateau, 16)),
          rugged_(core::to_fixed(params.ruggedness, 16)), strata_(params, seed) {}

    Ground make(double share) {
        start();
        const double work = ground_work(networks_, map_);
        for (;;) {
            run_.stage("erosion, cells of " + metres(step()),
                       share * level_work(level_.level, level_.depth) / work);
            set_ground();
            erode();
            run_.digest(level_.heights);
            if (level_.level == 0) {
                break;
            }
            router_.reset();
            level_ = refine(run_, level_, map_, to_height(step() / 2 * 0.1), seed_);
            warp(run_, level_, seed_, 0);
        }
        level_outlets(true);
        router_->on_ground(run_, level_.heights, level_.outlets);
        return {std::move(level_.heights), router_->take(), std::move(scaled_)};
    }

    double level_work(int level, int depth) const {
        return static_cast<double>(level_extent(map_, level).cells()) * schedule(depth).passes * 8;
    }

private:
    double step() const { return std::ldexp(cell_, level_.level); }

    static std::string metres(double length) { return to_string(ParamValue(length)) + " m"; }

    // The height that the networks give to a place, 16 fraction bits: 0 to 1 by the first one, and
    // what the finer ones add, up to 1.5, nothing on the lines of the first.
    struct Shares {
        std::int64_t coarse, fine;
    };
    using NetworkRows = std::array<NetworkRow, 3>;
    NetworkRows rows(std::int64_t y) const {
        const auto row = [&](std::size_t i) { return NetworkRow(networks_[i], level_.level, y); };
        return {row(0), networks_[1].shapes(level_.level) ? row(1) : row(0),
                networks_[2].shapes(level_.level) ? row(2) : row(0)};
    }
    Shares shares(const NetworkRows &rows, std::int64_t x) const {
        const std::int64_t r = rows[0].at(x);
        const std::int64_t steep =
            std::min<std::int64_t>(65536, times(r, 65536 + 5 * std::int64_t{plateau_}));
        const std::int64_t flat = // 3 t^2 - 2 t^3
            times(times(steep, steep), 196608 - 2 * steep);
        const std::int64_t coarse =
            times(steep, 65536 - std::int64_t{plateau_}) + times(flat, plateau_);
        std::int64_t fine = 0;
        if (networks_[1].shapes(level_.level)) {
            fine += rows[1].at(x);
        }
        if (networks_[2].shapes(level_.level)) {
            fine += rows[2].at(x) / 2;
        }
        // floor, exact: the argument is below 2^52.
        const auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(coarse << 16)));
        return {coarse, times(times(fine, root), rugged_)};
    }

    // The coarsest level as the networks and the lean of the region give it.
    void start() {
        level_.level = std::max(0, networks_[0].level);
        level_.heights = Heights(level_extent(map_, level_.level));
        const core::Draw4 draw = core::draw_at(seed_, 0, 0, 0, core::use(core::stage_heightmap));
        const core::Direction lean = core::directions()[draw.word[0] & (core::kDirectionCount - 1)];
        const std::int64_t tilt = core::to_fixed(params_.tilt, 16);
        const Extent2 e = level_.heights.extent();
        const std::int64_t longer = std::max(e.width, e.height);
        run_.for_rows(e.height, [&](std::int64_t y) {
            const NetworkRows row = rows(y);
            for (std::int64_t x = 0; x < e.width; ++x) {
                const Shares s = shares(row, x);
                const std::int64_t along = // from -1.5 to 1.5
                    (lean.cosine * (2 * x - e.width) + lean.sine * (2 * y - e.height)) * 4 / longer;
                level_.heights.at(x, y) = static_cast<std::int32_t>(
                    times(s.coarse + s.fine / 2 + times(along, tilt) / 2, relief_));
            }
        });
        choose_outlets();
    }

    // Water leaves where the border is lowest within a third of the valley spacing, and more often,
    // within a twelfth, on the lines of the first network.
    void choose_outlets() {
        level_.outlets = shape::Mask(level_.heights.extent());
        const std::vector<std::int64_t> ring = border(level_.heights.extent());
        const auto size = static_cast<std::int64_t>(ring.size());
        const std::int64_t width = level_.heights.width();
        const auto key = [&](std::int64_t i) {
            const std::int64_t cell = ring[static_cast<std::size_t>((i + size) % size)];
            return std::pair(level_.heights[cell],
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
        for (std::int64_t i = 0; i < size; ++i) {
            const std::int64_t cell = ring[static_cast<std::size_t>(i)];
            const bool valley = shares(rows(cell / width), cell % width).coarse < kValley;
            level_.outlets[cell] = lowest(i, params_.valley_spacing / (valley ? 12 : 3)) ? 1 : 0;
        }
    }

    // Brings the outlets to the ground beside them. One that stands above it would be a needle on
    // the border: the land around it has come to drain elsewhere. `raise` also lifts those that lie
    // far below, where the map would end in a hole.
    void level_outlets(bool raise) {
        const Extent2 e = level_.heights.extent();
        const std::int32_t drop = std::max(1, to_height(step() * 0.05));
        for (const std::int64_t i : border(e)) {
            if (level_.outlets[i] == 0) {
                continue;
            }
            std::int32_t lowest = INT32_MAX;
            for (const shape::FlowStep s : shape::kFlowSteps) {
                const std::int64_t x = i % e.width + s.x;
                const std::int64_t y = i / e.width + s.y;
                if (x >= 0 && y >= 0 && x < e.width && y < e.height &&
                    level_.outlets.at(x, y) == 0) {
                    lowest = std::min(lowest, level_.heights.at(x, y));
                }
            }
            if (lowest != INT32_MAX) {
                const std::int32_t least = raise ? lowest - drop : level_.heights[i];
                level_.heights[i] = std::min(std::max(level_.heights[i], least), lowest - 1);
            }
        }
    }

    // How fast the ground of this level rises and how soft it is: lines are soft and rise slowly,
    // so that rivers stay on them.
    void set_ground() {
        const Extent2 e = level_.heights.extent();
        uplift_ = Field2D<std::uint16_t>(e);
        softness_ = Field2D<std::uint16_t>(e);
        run_.for_rows(e.height, [&](std::int64_t y) {
            const NetworkRows row = rows(y);
            for (std::int64_t x = 0; x < e.width; ++x) {
                const Shares s = shares(row, x);
                uplift_.at(x, y) = static_cast<std::uint16_t>(
                    std::min<std::int64_t>(65535, 13107 + s.coarse / 2 + s.fine / 2));
                softness_.at(x, y) =
                    static_cast<std::uint16_t>((256 << 16) / (32768 + s.coarse / 2 + s.fine));
            }
        });
        if (strata_.any()) {
            rock_softness_ = Field2D<std::uint16_t>(e);
            rock_steepness_ = Field2D<std::uint16_t>(e);
        }
    }

    void set_rock() {
        run_.for_rows(level_.heights.height(), [&](std::int64_t y) {
            for (std::int64_t x = 0; x < level_.heights.width(); ++x) {
                const Rock rock = strata_.at(level_.heights.at(x, y));
                rock_softness_.at(x, y) = static_cast<std::uint16_t>(
                    std::int64_t{softness_.at(x, y)} * 256 / rock.resistance);
                rock_steepness_.at(x, y) = rock.steepness;
            }
        });
    }

    void raise(double speed) {
        const std::int64_t lift =
            std::int64_t{to_height(speed * kUplift * params_.relief)} * uplift_scale_ >> 16;
        run_.for_rows(level_.heights.height(), [&](std::int64_t y) {
            for (std::int64_t x = 0; x < level_.heights.width(); ++x) {
                if (level_.outlets.at(x, y) == 0) {
                    level_.heights.at(x, y) +=
                        static_cast<std::int32_t>(times(lift, uplift_.at(x, y)));
                }
            }
        });
    }

    // Brings the ground, and the uplift that made it, to the relief that was asked for; a map
    // narrower than a valley gets its part.
    void rescale() {
        const double longer = static_cast<double>(std::max(map_.width, map_.height) - 1) * cell_;
        const std::int64_t wanted =
            to_height(params_.relief * std::min(1.0, longer / params_.valley_spacing));
        scaled_.push_back(given_ != nullptr ? (*given_)[scaled_.size()] : range_of(level_.heights));
        const std::int64_t bottom = scaled_.back().lowest;
        const std::int64_t range = std::max<std::int64_t>(1, scaled_.back().highest - bottom);
        uplift_scale_ = std::min<std::int64_t>(1 << 20, uplift_scale_ * wanted / range);
        run_.for_rows(level_.heights.height(), [&](std::int64_t y) {
            for (std::int32_t &h : level_.heights.row(y)) {
                h = static_cast<std::int32_t>((h - bottom) * wanted / range);
            }
        });
    }

    void erode() {
        const Schedule &plan = schedule(level_.depth);
        const double hillside = cells_a_hillside(params_, step());
        shape::Creep creep = sliding(params_, step());
        shape::StreamPower power;
        power.area_offset = static_cast<std::uint32_t>(std::min(1e9, hillside));
        power.steepest = creep.talus;
        const auto carrying = static_cast<std::uint32_t>(std::min(4e9, 40 * hillside + 4));
        const double side = params_.valley_floor > 0 ? 1000 / params_.valley_floor : 0;
        const auto planing = static_cast<std::uint32_t>(std::min(4e9, side * side));
        const auto *const softness = strata_.any() ? &rock_softness_ : &softness_;
        const auto *const steepness = strata_.any() ? &rock_steepness_ : nullptr;

        router_.emplace(run_, level_.heights.extent(), seed_);
        shape::Mask kept(level_.heights.extent());
        for (int pass = 0; pass < plan.passes; ++pass) {
            const bool first = level_.depth == 0 && pass < kFirstPasses;
            const double speed = (first ? kFirstSpeed : plan.speed) * params_.erosion;
            power.rate = core::to_fixed(speed, 16);
            power.slide = core::to_fixed(std::min(1.0, 2 * speed), 16);
            creep.diffusion =
                core::to_fixed(std::min(0.1, 0.03 * speed * hillside / plan.creeps), 16);

            if (level_.depth < kSteadyLevels && pass == plan.passes * 2 / 3) {
                warp(run_, level_, seed_, 1);
            }
            // Rivers cut through what dams them: the way is found on filled ground, and cut into
            // the ground itself.
            level_outlets(false);
            const shape::Flow &flow = router_->on_filled(run_, level_.heights, level_.outlets);
            if (strata_.any()) {
                set_rock();
            }
            // A river carries away what slides into it.
            run_.for_rows(kept.height(), [&](std::int64_t y) {
                for (std::int64_t x = 0; x < kept.width(); ++x) {
                    kept.at(x, y) =
                        level_.outlets.at(x, y) != 0 || flow.area.at(x, y) >= carrying ? 1 : 0;
                }
            });
            for (int i = 0; i < plan.creeps; ++i) {
                shape::creep(run_, level_.heights, creep, &kept, steepness);
            }
            raise(speed);
            shape::incise(run_, level_.heights, flow, power, softness, steepness);
            if (planing > 0) {
                shape::widen(run_, level_.heights, flow, planing, to_height(step() * 0.04),
                             core::to_fixed(plan.plane * params_.erosion, 16));
            }
            if (level_.depth == 0 && pass + 1 == kFirstPasses) {
                rescale();
            }
            run_.advance((pass + 1.0) / plan.passes);
        }
        if (level_.depth < kSteadyLevels) {
            rescale();
        }
        router_->fill(run_, level_.heights, level_.outlets);
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
    std::uint32_t plateau_, rugged_; // 16 fraction bits
    Strata strata_;

    Level level_;
    std::optional<shape::Router> router_; // of this level
    std::int64_t uplift_scale_ = 65536;   // 16 fraction bits
    Field2D<std::uint16_t> uplift_;       // 16 fraction bits
    Field2D<std::uint16_t> softness_;     // 8 fraction bits
    Field2D<std::uint16_t> rock_softness_, rock_steepness_;
};

} // namespace

HeightRange range_of(const shape::Heights &heights) {
    const auto cells = heights.cells();
    const auto [low, high] = std::minmax_element(cells.begin(), cells.end());
    return {*low, *high};
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
                   Extent2 map, double cell, std::uint64_t seed, double share,
                   const std::vector<HeightRange> *scaled) {
    return Maker(run, params, networks, map, cell, seed, scaled).make(share);
}

} // namespace karst::terrain
