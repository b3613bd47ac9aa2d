// Cracked ground: plates and the cracks between them, tileable.
#pragma once

#include <cstdint>

#include <karst/controls.hpp>
#include <karst/field.hpp>
#include <karst/options.hpp>

namespace karst {

// How the first cracks come about.
enum class CrackPattern {
    network, // shrinkage: closed cells along the veins of a Physarum network
    joints,  // tension: long cracks that start on the veins and run until they meet another
};
enum class CrackProfile { v, u };

// Lengths are in metres; one layout comes out at every cell size.
struct CrackParams {
    CrackPattern pattern = CrackPattern::network;
    double plate_size = 0.5;    // m, between primary cracks
    double piece_size = 0.22;   // m, of what secondary cracks leave; plate_size: none
    double piece_spread = 0.5;  // fraction by which the pieces' areas differ
    double crack_width = 0.035; // m, of a strong primary crack
    double width_ratio = 0.6;   // width of each order of cracks to the order before
    double depth = 0.04;        // m, of a crack of full width
    CrackProfile profile = CrackProfile::u;
    double dead_ends = 0.2;      // share of pieces with a crack that ends inside
    double vein_pull = 0.25;     // of a fine network on growing cracks
    double roughness = 0.4;      // of the lines, 0: smooth curves
    double ragged = 0.5;         // share of a crack's half width in which its rim crumbles
    std::int64_t joint_sets = 0; // preferred directions
    double joint_heading = 20;   // degrees of the first set from the x axis
    double joint_angle = 75;     // degrees from each set to the next
    double curl = 0.006;         // m, rim of a plate above its middle; below, if negative
    double relief = 0.01;        // m, by which plates tilt and settle
    double food_strength = 5;    // of the map "food" on the networks; negative keeps cracks away
};

inline constexpr std::uint32_t kNoPlate = 0xFFFFFFFF;

struct CrackResult {
    Field2D<std::uint8_t> mask;    // 255 in a crack, else 0
    Field2D<std::uint16_t> depth;  // below the ground's highest level, steps of depth_scale
    Field2D<std::uint32_t> plates; // index of the plate's cell farthest from any crack; kNoPlate in
                                   // a crack. Plates are 4-connected on the torus
    double depth_scale = 0;        // m
    std::int64_t plate_count = 0;
    double crack_share = 0;      // of all cells
    double mean_plate_area = 0;  // m^2
    double mean_crack_width = 0; // m, crack area by the length of the lines; 0 without lines
};

// Wraps at its borders. `cell` is in metres. Throws Error(invalid_argument) for a parameter outside
// its range (karst params crack), a plate_size or piece_size of fewer than 4 cells, more than 2^30
// cells; Error(out_of_memory), Error(no_device), Error(device_failure), Error(cancelled).
// Along white food there are cracks; in walls there are none.
KARST_API CrackResult generate_crack(const CrackParams &params, Extent2 extent, double cell,
                                     std::uint64_t seed, const Options &options = {},
                                     const GroundControls &controls = {});

} // namespace karst
