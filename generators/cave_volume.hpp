// The stages of a cave in three dimensions: grid, plan, joined rock, floors, measures.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <karst/cave_volume.hpp>
#include <karst/field.hpp>
#include <karst/simulate.hpp>

#include "core/param_table.hpp"
#include "core/resample.hpp"
#include "core/run.hpp"
#include "generators/cave_volume_floors.hpp"
#include "generators/cave_volume_spans.hpp"
#include "shape/volume.hpp"
#include "sim/physarum.hpp"

namespace karst::cave_volume {

using shape::VolumeMask;
// Of a tunnel through a cell of the plan: 1 to 255, or 0 where nothing may be opened.
using Tolls = Field3D<std::uint8_t>;

const core::ParamTable<CaveVolumeParams> &table();

// The plan is made on cells of 2^log2_factor output cells, as near as can be to a quarter of a
// passage, so that resolution changes the walls' smoothness and not the layout.
struct Grid {
    Extent3 output;
    double output_cell = 1; // m
    Extent3 extent;         // the last cells may reach beyond the output
    int log2_factor = 0;
    double cell = 1; // m

    std::int64_t to_cells(double metres) const; // 8 fraction bits, rounded
    // Blocks of about these metres over the same ground, at least one a side.
    Extent3 divided(double width, double height) const;
    // How a grid over the same ground lies under the output's cells, seen from above.
    core::Placement2 placement(Extent3 cells) const;
    std::int64_t border(const CaveVolumeParams &params) const; // cells of rock along the faces
    // How far from the faces the middles of passages stay: the border and a passage's radius, but
    // no more than leaves a middle of the side.
    std::int64_t inset(const CaveVolumeParams &params, std::int64_t side) const;
};
Grid make_grid(const CaveVolumeParams &params, Extent3 extent, double cell);

// The Physarum network that the passages follow, flattened along z.
struct Network {
    Extent3 extent;
    double cell = 1;   // m, along x and y
    double cell_z = 1; // m
    Physarum3Params simulation;
};
Network make_network(const CaveVolumeParams &params, const Grid &grid);

// A chamber: an ellipsoid, in metres.
struct Room {
    double x, y, z;
    double radius;   // along x and y
    double radius_z; // along z
};

// The places that passages lead to: in each block of the ground the one where the network is
// strongest. Some are chambers.
struct Sites {
    std::vector<std::int64_t> cells; // of the plan, ascending
    std::vector<Room> rooms;
};
Sites find_sites(core::Run &run, const CaveVolumeParams &params, const Grid &grid,
                 const Network &network, const Field3D<std::uint32_t> &trail, std::uint64_t seed);
// 1 along the middles of passages: a cheap tree between the sites, and loops, that keep clear of
// one another where they can.
VolumeMask find_passages(core::Run &run, const CaveVolumeParams &params, const Grid &grid,
                         const Tolls &toll, const Sites &sites);
// Lowers the probability of rock in a chamber: 0.3 in its middle, 0.6 beyond its walls.
void open_room(core::Run &run, const Grid &grid, const Room &room, Field3D<std::uint32_t> &wall);

inline constexpr std::uint32_t kCertain = 65536; // probability 1

struct Plan {
    Field3D<std::uint32_t> wall; // probability of rock, 0 to kCertain: kCertain along the border,
                                 // 0 in the heart of passages
    Tolls toll;                  // low along the network, 0 beyond the inset
    VolumeMask path;             // 1 along the middles of passages
};
// Stages "network" and "plan" of the run.
Plan make_plan(core::Run &run, const CaveVolumeParams &params, const Network &network,
               const Grid &grid, std::uint64_t seed, const Mesh *shape,
               const GroundControls &controls);

// After the Life rule and the joins: 1 where open, one 6-connected region with every mouth.
struct Rock {
    VolumeMask open;
    std::vector<std::int64_t> mouths; // cells of the plan in a side face, at most `entrances`
};
Rock make_rock(core::Run &run, const CaveVolumeParams &params, const Grid &grid, const Plan &plan,
               std::uint64_t seed);

// The open part on the output's cells, one region, its floors levelled.
Field3D<std::uint16_t> make_density(core::Run &run, const CaveVolumeParams &params,
                                    const Grid &grid, const Rock &rock);

// Raises the bottom of each span to a level floor; a walker's height stays open between any two
// neighbours where it was. Changes the density below the new floors.
void level_floors(core::Run &run, const CaveVolumeParams &params, double cell,
                  Field3D<std::uint16_t> &density);

// m; the highest level of whole cells below which at most a twentieth of the open cells lies.
double water_level(core::Run &run, const Field3D<std::uint16_t> &density, double cell);

// The mouths as entrances on the output's floors, and the spans in which they stand. Mouths that
// found no floor, or share one with an earlier mouth, have none.
struct Entrances {
    std::vector<CaveEntrance> entrances;
    std::vector<std::int64_t> spans;
};
Entrances place_entrances(const Grid &grid, const Rock &rock, const Spans &spans);

using Measures = std::vector<std::pair<std::string, double>>;
// Where a walker can stand and go.
struct Walk {
    std::vector<std::uint8_t> standing; // of each span
    Measures measures;
};
// Says of each entrance whether it is walkable.
Walk walk(core::Run &run, const CaveVolumeParams &params, double cell, const Spans &spans,
          const Floors &floors, std::vector<CaveEntrance> &entrances);
// One component, open share, loops.
Measures topology_measures(core::Run &run, const Field3D<std::uint16_t> &density);

// The level data on the floors of the finished volume, but for the water; `mouths` are the spans of
// the entrances, `standing` is as in Walk.
CaveGraph make_graph(core::Run &run, const CaveVolumeParams &params, double cell,
                     const Floors &floors, const std::vector<std::int64_t> &mouths,
                     const std::vector<std::uint8_t> &standing);

// The level data as JSON (docs/formats.md).
std::string level_json(const CaveVolume &cave, Extent3 extent, double cell);

} // namespace karst::cave_volume
