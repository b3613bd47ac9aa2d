// The parts of the heightmap generator: its networks, its pyramid of grids, its erosion.
//
// The pyramid is fixed in metres. Level n has a sample every 2^n output cells; sample (x, y) of a
// level is sample (2x, 2y) of the next finer one, and the valley spacing chooses the coarsest
// level. So a preview makes the same coarse levels as the final map, which only adds finer ones.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <karst/controls.hpp>
#include <karst/field.hpp>
#include <karst/heightmap.hpp>

#include "core/resample.hpp"
#include "core/run.hpp"
#include "rules/terrain.hpp"
#include "shape/erosion.hpp"
#include "shape/grid.hpp"
#include "shape/shape.hpp"
#include "sim/erosion.hpp"

namespace karst::terrain {

// Metres to 1/4096 m, the nearest.
std::int32_t to_height(double metres);

// The level whose cell is nearest to `length` metres in proportion; may be negative.
int nearest_level(double length, double cell);

// Square samples of `step` metres that a hillside is long.
double cells_a_hillside(const HeightmapParams &params, double step);

// What ground steeper than `params.talus` does in a pass; without diffusion.
shape::Creep sliding(const HeightmapParams &params, double step);

// The extent of a level: it covers the map and ends at most one of its cells beyond it.
Extent2 level_extent(Extent2 map, int level);

// A rectangle of samples of one level, in absolute numbers.
struct Window {
    std::int64_t x = 0;
    std::int64_t y = 0;
    Extent2 extent;

    std::int64_t right() const noexcept { return x + extent.width; }   // one beyond the last
    std::int64_t bottom() const noexcept { return y + extent.height; } // one beyond the last
    friend bool operator==(const Window &, const Window &) = default;
};

// The window with `by` more samples on every side, as far as the level goes.
Window grown(const Window &window, std::int64_t by, Extent2 level);

// A Physarum network. Its grid has cells of 2^level output cells and goes on `margin` cells beyond
// the map on every side. It wraps: a bounded one would line the border with veins; the margin
// keeps opposite borders from being alike.
struct Network {
    int level = 0;            // may be negative: finer than the map
    double sensor_offset = 0; // in its cells
    std::int64_t margin = 0;
    Extent2 extent;                  // with the margin
    Field2D<std::uint32_t> distance; // Q24.8 of its cells to the nearest line
    std::uint32_t line = 0;          // trail above which a cell lies on a line
    std::uint32_t far = 1;           // the 99 % quantile of the distance

    // A network shapes the levels that can hold it.
    bool shapes(int other) const noexcept { return other <= level + 1; }
};
// The first is the coarsest; it shapes every level.
using Networks = std::array<Network, 3>;

// Describes the networks without running them.
Networks plan_networks(const HeightmapParams &params, Extent2 map, double cell);
// The simulation of network `index`.
PhysarumParams simulation(const HeightmapParams &params, const Network &network, std::size_t index);
// How the network's cells lie under the cells around the map's samples.
core::Placement2 placement(const Network &network, Extent2 map);
// Its trail.
Field2D<std::uint32_t> run_network(core::Run &run, const HeightmapParams &params, Extent2 map,
                                   const Network &network, std::size_t index, std::uint64_t seed,
                                   const GroundControls &controls);
// Sets what the network's trail gives; `line` and `far` are measured in it, or are those of
// `measured`.
void set_lines(core::Run &run, const Field2D<std::uint32_t> &trail, std::size_t index,
               const Network *measured, Network &network);

// What reads the network's distance.
rules::NetworkView view(const Network &network);

// A row of a level's samples: what the networks make of them.
class SharesRow {
public:
    SharesRow(const std::array<rules::NetworkView, 3> &networks, const rules::Relief &relief,
              int level, std::int64_t y)
        : relief_(relief) {
        for (std::size_t i = 0; i < networks.size(); ++i) {
            shapes_[i] = i == 0 || networks[i].shapes(level);
            lines_[i] = rules::network_line(networks[shapes_[i] ? i : 0], level, y);
        }
    }
    rules::Shares at(std::int64_t x) const {
        const auto share = [&](std::size_t i) {
            return shapes_[i] ? rules::network_share(lines_[i], x) : 0;
        };
        return rules::shares(relief_, share(0), share(1), share(2));
    }

private:
    rules::Relief relief_;
    std::array<rules::NetworkLine, 3> lines_;
    std::array<bool, 3> shapes_;
};

// Levels of the pyramid. Samples are addressed from the map's corner (0, 0).

// The outlets of the next finer level: a border sample between two outlets is one.
shape::Mask refine_outlets(const shape::Mask &coarse, Extent2 extent);
// The heights of the next finer level: samples that the coarser one has stay, those between are
// interpolated and get some noise, in all at most `noise`. `depth` is that of the finer level below
// the coarsest.
shape::Heights refine(core::Run &run, const shape::Heights &coarse, const shape::Mask &outlets,
                      int depth, std::int32_t noise, std::uint64_t seed);
using rules::halfway;
using rules::refine_noise;

// Moves the ground sideways by up to about 3 samples, smoothly, and not at the border: what was
// straight along the axes of a coarse grid is not any more. `time` is 0 or 1: a level can be moved
// twice.
void warp(core::Run &run, shape::Heights &heights, int depth, std::uint64_t seed,
          std::uint32_t time);
inline constexpr std::int64_t kWarpReach = 5; // samples

// Where the ground comes from that warp brings to the samples of a window.
class WarpSource {
public:
    WarpSource(std::uint64_t seed, Extent2 level, int depth, std::uint32_t time,
               const Window &window);
    using Place = rules::WarpPlace;
    Place at(std::int64_t x, std::int64_t y) const;

private:
    Extent2 level_;
    std::array<std::vector<std::int16_t>, 4> draws_;
    std::array<rules::SmoothDraws, 4> moves_; // of draws_
};

// The border samples in order around the map.
std::vector<std::int64_t> border(Extent2 extent);

using sim::HeightRange;
HeightRange range_of(core::Run &run, const shape::Heights &heights);

// The ground of level 0 and where its water goes.
struct Ground {
    shape::Heights heights;
    shape::Flow flow;
    std::vector<HeightRange> scaled; // the ranges that were brought to the relief, in their order
};
// `share` of the job's time is reported as stages. Without `flow` that of the ground stays empty.
// With `scaled` of another ground these ranges are brought to the relief, so that both have one
// scale.
Ground make_ground(core::Run &run, const HeightmapParams &params, const Networks &networks,
                   Extent2 map, double cell, std::uint64_t seed, double share, bool flow,
                   const std::vector<HeightRange> *scaled = nullptr);

// The work of make_ground and of a network, in the same unit: about one visit to a cell.
double ground_work(const Networks &networks, Extent2 map);
// Passes on a level `depth` below the coarsest.
int erosion_passes(int depth);
double network_work(const Network &network, std::size_t index);

} // namespace karst::terrain
