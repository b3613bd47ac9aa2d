// Caves as volumes: passages and chambers that one can walk into.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <karst/controls.hpp>
#include <karst/field.hpp>
#include <karst/mesh.hpp>
#include <karst/options.hpp>

namespace karst {

// What the inside of a mesh is to a cave.
enum class ShapeUse { room, rock };

// Lengths are metres on the ground, whatever the resolution.
struct CaveVolumeParams {
    double passage_width = 4;    // m, typical width of a passage
    double passage_spacing = 22; // m, typical distance from a passage to the next
    double flatness = 3;         // how many times the passages' meshes are wider than high
    double loops = 0.25;         // links that close a loop, for each one that joins two parts
    double room_size = 14;       // m, typical width of a chamber
    double room_height = 0.45;   // of its width
    double room_share = 0.35;    // fraction of the places for chambers that have one
    double roughness = 1.5;      // m, depth of the niches and spurs of the walls
    double least_width = 1.6;    // m, nothing narrower stays open
    double least_volume = 60;    // m^3, smaller pockets are filled, larger ones joined
    double floor = 0.35;         // fraction of a passage's height that its level floor fills
    std::int64_t entrances = 1;  // mouths in the side faces
    double border = 2;           // m of solid rock along the faces, but for the entrances
    double agent_radius = 0.4;   // m, of the walker that the measures and the floors are for
    double agent_height = 1.8;   // m
    double agent_step = 0.4;     // m, the highest step it climbs
    double agent_slope = 45;     // degrees, the steepest ground it walks on
    ShapeUse shape_use = ShapeUse::room; // what a shape given with it is
    double food_strength = 5;            // of the map "food" on passages; negative keeps them away
};

// Level data. Positions in metres: x east, y south, z up. Sizes are those of the finished volume,
// floors filled; widths are seen from above and right to a cell, never more than there is.
using CavePoint = std::array<double, 3>;

struct CaveEntrance {
    CavePoint position;          // on the floor, in the face
    std::array<int, 2> outwards; // unit step (x, y) out of the cave
    int node = -1;               // of the graph
    bool walkable = false;       // a walker that comes in reaches the largest walkable part
};

enum class CaveNodeKind { room, entrance, junction, dead_end };

// A place where passages begin and end.
struct CaveNode {
    CaveNodeKind kind;
    CavePoint position;        // on the floor
    int index;                 // of the room or the entrance, -1 of the other kinds
    std::vector<int> passages; // ascending; one that comes back to this node stands once
};

struct CaveRoom {
    CavePoint centre;                // of its air
    std::array<CavePoint, 2> bounds; // the lowest and the highest corner around its air
    double width;                    // m, of the widest circle between its walls
    double height;                   // m, from floor to ceiling where that is most
    double volume;                   // m^3
};

// The way between two nodes, which may be the same.
struct CavePassage {
    std::array<int, 2> nodes;
    std::vector<CavePoint> points; // on the floor along the middle, from node to node
    double length;                 // m, along the points
    double width;                  // m, between the walls where that is least, outside rooms
    double height;                 // m, between floor and ceiling likewise, along the middle
};

// The opening between a room and a passage that ends in it, one for each such end: an upright
// rectangle that covers it, its lower edge on the lowest floor there.
struct CavePortal {
    int room;
    int passage;
    int end; // 0 or 1, of CavePassage::nodes
    std::array<CavePoint, 4>
        polygon;   // from the room: lower left, lower right, upper right and left
    double width;  // m
    double height; // m
};

struct CaveSpawn {
    CavePoint position; // on a floor where the walker can stand
    int room;
};

struct CaveGraph {
    std::vector<CaveNode> nodes; // the rooms in their order, the entrances in theirs, the others
    std::vector<CaveRoom> rooms;
    std::vector<CavePassage> passages;
    std::vector<CavePortal> portals;
    std::vector<CaveSpawn> spawn_points; // at most one a room
    double water_level = 0;              // m; at most a twentieth of the open volume lies below it,
                                         // no spawn point and no entrance
    int dead_ends = 0;                   // nodes with one way on that are no entrance
};

struct CaveVolume {
    // Open where >= 32768; a smooth field whose surface at 32768 is the wall, samples at the
    // centres of the cells. x east, y south, z up.
    Field3D<std::uint16_t> density;
    std::vector<CaveEntrance> entrances;
    std::vector<std::pair<std::string, double>> measures;
    CaveGraph graph;
};

// The open cells always form one 6-connected component of at least one cell. `cell` is metres a
// cell. Throws Error(invalid_argument) for a parameter outside its range (karst params cave3d), a
// side outside 1 to 4096, a cell outside 0.01 to 100 m; Error(out_of_memory), Error(no_device),
// Error(device_failure), Error(cancelled). `shape`, a closed mesh in metres from the volume's
// north-western bottom corner, is open or rock as params.shape_use says, but for the border;
// Error(invalid_input) if it is not closed. The maps of `controls` are seen from above: passages
// prefer white food, and walls stay rock at every height, but for mouths.
KARST_API CaveVolume generate_cave_volume(const CaveVolumeParams &params, Extent3 extent,
                                          double cell, std::uint64_t seed,
                                          const Options &options = {}, const Mesh *shape = nullptr,
                                          const GroundControls &controls = {});

} // namespace karst
