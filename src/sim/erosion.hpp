// The ground of a heightmap while it erodes, level by level of its pyramid: on the threads of the
// CPU or on a device. Both give the same bytes, as each result is defined without an order of work.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include <karst/device.hpp>
#include <karst/field.hpp>

#include "core/run.hpp"
#include "rules/erosion.hpp"
#include "rules/terrain.hpp"

namespace karst::sim {

// Fields of one extent.
struct Soil {
    Field2D<std::int32_t> heights;   // 1/4096 m
    Field2D<std::uint8_t> outlets;   // 1: water leaves here; on the border only
    Field2D<std::uint16_t> uplift;   // 16 fraction bits
    Field2D<std::uint16_t> softness; // 8 fraction bits
};

// What does not change from level to level. The networks' distances lie in the memory of the host
// and stay there as long as an engine.
struct Bedrock {
    std::uint64_t seed = 0;
    rules::Strata strata;
    std::array<rules::NetworkView, 3> networks; // the first shapes every level
    rules::Relief relief;
};

// Where water goes.
struct Water {
    Field2D<std::uint8_t> step;  // rules::kNoStep: it leaves or stays
    Field2D<std::uint32_t> area; // cells that drain through this one, itself included
};

struct HeightRange {
    std::int32_t lowest = 0;
    std::int32_t highest = 0;
};

class ErosionEngine {
public:
    virtual ~ErosionEngine() = default;

    // Goes on to the next finer level, `depth` below the coarsest, whose outlets are given: samples
    // between those of this one get noise of at most `noise`. Then shape_soil() comes before
    // pass().
    virtual void refine(Field2D<std::uint8_t> outlets, int depth, std::int32_t noise) = 0;
    // Moves the ground sideways; see terrain::warp.
    virtual void warp(int depth, std::uint32_t time) = 0;
    // Uplift and softness as the networks give them to this level.
    virtual void shape_soil(int level) = 0;

    // Brings outlets that stand above the ground beside them down to it, finds the way of the water
    // on filled ground, then creep, uplift, incision from the outlets upwards, and planed banks.
    virtual void pass(const rules::ErosionPass &pass) = 0;
    // Raises depressions to where they overflow.
    virtual void fill() = 0;

    virtual HeightRange range() = 0;
    // Brings the ground from `range` above `bottom` to `wanted` above 0.
    virtual void rescale(std::int64_t bottom, std::int64_t range, std::int64_t wanted) = 0;

    // Brings outlets down as a pass does, and lifts those that lie more than `drop` below the
    // ground beside them.
    virtual void level_outlets(std::int32_t drop) = 0;
    // The way of the water on the ground as it is.
    virtual Water route() = 0;

    virtual Field2D<std::int32_t> copy() = 0;
    // The last call.
    virtual Field2D<std::int32_t> take() = 0;
};

} // namespace karst::sim

namespace karst::cuda {

inline constexpr int kErosionSide = 64; // cells of a tile that a device works on

constexpr Extent2 erosion_tiles(Extent2 map) {
    return {(map.width + kErosionSide - 1) / kErosionSide,
            (map.height + kErosionSide - 1) / kErosionSide};
}
// Whether the cells of all tiles have numbers of 32 bits. Of the maps that a heightmap can be only
// those a few cells thin have too many tiles.
constexpr bool can_erode(Extent2 map) {
    constexpr std::int64_t kMostTiles = (std::int64_t{1} << 32) / (kErosionSide * kErosionSide) - 1;
    return erosion_tiles(map).cells() <= kMostTiles;
}

// For maps with can_erode().
// With the ground of the coarsest level; uplift and softness may be empty, then shape_soil() comes
// before pass(). Throws Error(no_device) and Error(out_of_memory). `run` outlives the engine.
std::unique_ptr<sim::ErosionEngine> make_erosion(core::Run &run, Device device, sim::Soil soil,
                                                 const sim::Bedrock &bedrock);

} // namespace karst::cuda
