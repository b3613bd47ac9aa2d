// Cave maps: rooms and passages of one connected cave, seen from above.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <karst/controls.hpp>
#include <karst/field.hpp>
#include <karst/options.hpp>

namespace karst {

// Lengths are metres on the ground, whatever the resolution.
struct CaveParams {
    double passage_width = 5;    // m, typical width of a passage
    double passage_spacing = 40; // m, typical distance from a passage to the next
    double room_size = 20;       // m, typical width of a room
    double room_share = 0.15;    // fraction of the ground where rooms may open
    double room_scatter = 0.1;   // fraction, 0: only where passages meet, 1: anywhere
    double roughness = 1.5;      // m, depth of the niches and spurs of the walls
    double pillars = 0.2;        // fraction, 0: bare rooms, 1: rooms full of pillars
    double least_width = 2;      // m, nothing narrower stays open
    double least_area = 20;      // m^2, smaller pockets are filled, larger ones joined
    double pillar_area = 4;      // m^2, smaller pillars are removed
    double stretch = 1;          // how much longer the network's meshes are along x than along y
    double border = 3;           // m of solid rock along the border of a bounded map
    bool tileable = false;       // the map repeats without a seam and has no solid border
    double food_strength = 5;    // of the map "food" on passages; negative keeps them away
};

struct CaveResult {
    Field2D<std::uint8_t> map;        // 255: open, 0: rock
    Field2D<std::uint16_t> clearance; // distance to the nearest rock, 0 in rock, at most 65535
    double clearance_unit = 0;        // metres of one step of clearance: cell / 16
    Field2D<std::uint32_t> rooms;     // 1, 2, ...: the rooms; 0: rock and passages
    std::vector<std::pair<std::string, double>> measures;
};

// The open cells always form one 4-connected component of at least one cell. `cell` is metres a
// cell. Throws Error(invalid_argument) for a parameter outside its range (karst params cave), a
// side outside 1 to 65536, a cell outside 0.01 to 100 m, and a tileable map whose sides its own
// grid does not divide; Error(out_of_memory), Error(no_device), Error(device_failure),
// Error(cancelled).
// Along white food there are passages; walls stay rock, and of what they divide only the largest
// part is open.
KARST_API CaveResult generate_cave(const CaveParams &params, Extent2 extent, double cell,
                                   std::uint64_t seed, const Options &options = {},
                                   const GroundControls &controls = {});

} // namespace karst
