// Heightmaps far larger than memory: window by window, or as tiles.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include <karst/artifact.hpp>
#include <karst/controls.hpp>
#include <karst/heightmap.hpp>
#include <karst/options.hpp>

namespace karst {

// A part of a map: its first sample, to the north-west, and its extent.
struct MapWindow {
    std::int64_t x = 0;
    std::int64_t y = 0;
    Extent2 extent;
    friend bool operator==(const MapWindow &, const MapWindow &) = default;
};

// The heightmap of generate_heightmap, read window by window. What depends on the whole map is made
// at the start, with cells of HeightmapParams::detail_cell; the rest is made for each window again,
// and is the same whatever the windows are. Without detail_cell the whole map is made at the start.
class KARST_API HeightmapSource {
public:
    // Throws as generate_heightmap does; a map may have sides of up to 2^27 samples. Reports
    // progress to `options` from 0 to 1.
    HeightmapSource(const HeightmapParams &params, Extent2 extent, double cell, std::uint64_t seed,
                    const Options &options = {}, const GroundControls &controls = {});
    ~HeightmapSource();
    HeightmapSource(HeightmapSource &&) noexcept;
    HeightmapSource &operator=(HeightmapSource &&) noexcept;

    Extent2 extent() const noexcept;
    double cell() const noexcept; // metres
    // Metres of one unit of height.
    static constexpr double kUnit = 1.0 / 4096;
    // What no sample lies below or above, in units: known before the first window.
    std::int32_t lowest() const noexcept;
    std::int32_t highest() const noexcept;

    // Bytes that read() takes for a window, and the samples around it that it looks at.
    std::uint64_t memory_needed(Extent2 window) const;
    std::int64_t reach() const noexcept;

    // The samples of a window, row by row: heights, and the drained area in cells if `area` is not
    // empty. One call at a time. Throws Error(invalid_argument) for a window beyond the map or a
    // span of another size, Error(out_of_memory), Error(cancelled).
    void read(const MapWindow &window, std::span<std::int32_t> heights,
              std::span<std::uint32_t> area = {}) const;

private:
    struct Made;
    std::unique_ptr<Made> made_;
};

struct HeightRange {
    double low = 0; // m
    double high = 0;
};

struct TileOptions {
    std::int64_t size = 1025; // samples a side; the last tiles of a row and a column may have less
    std::int64_t overlap = 1; // samples that neighbours share: 0 or 1
    bool flow = false;        // tiles have the layer "flow" too
    // Heights of 16 bits run from low to high, so that maps made apart fit; nothing: from the
    // lowest to the highest of HeightmapSource.
    std::optional<HeightRange> range = {};
    // Asked for every tile before anything is made; false leaves it out. Empty: all are made.
    std::function<bool(std::int64_t x, std::int64_t y)> wanted = {};
};

// How many tiles a map has, and the part of the map that tile (x, y) is. Throw
// Error(invalid_argument).
KARST_API Extent2 tile_counts(Extent2 map, const TileOptions &tiles);
KARST_API MapWindow tile_window(Extent2 map, const TileOptions &tiles, std::int64_t x,
                                std::int64_t y);

struct HeightmapTile {
    std::int64_t x = 0; // from the west
    std::int64_t y = 0; // from the north
    MapWindow window;
    Artifact artifact; // layer "height", and "flow" where asked for
};

// Makes the tiles of a map row by row from the north-west and hands each to `sink`; at most one is
// in memory. All have one scale and offset of heights. Together they are the layers of
// generate_heightmap, byte for byte (with a range of their own: but for the scale). What it throws
// beside what `sink` and HeightmapSource throw: Error(invalid_argument) for tile options, and for a
// range that the ground leaves.
KARST_API void generate_heightmap_tiles(const HeightmapParams &params, Extent2 extent, double cell,
                                        std::uint64_t seed, const TileOptions &tiles,
                                        const std::function<void(const HeightmapTile &)> &sink,
                                        const Options &options = {},
                                        const GroundControls &controls = {});

} // namespace karst
