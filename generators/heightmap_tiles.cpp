#include <karst/heightmap_tiles.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <karst/params.hpp>

#include "core/extent.hpp"
#include "generators/heightmap.hpp"
#include "generators/heightmap_layers.hpp"
#include "generators/terrain_detail.hpp"

namespace karst {

namespace {

constexpr std::int64_t kLargestTile = 32768;

std::uint64_t bytes(double number) {
    return static_cast<std::uint64_t>(std::min(number, 1e18));
}

void require_memory(const HeightmapParams &params, const terrain::Plan &plan, double window,
                    const Options &options, const GroundControls &controls) {
    core::require_memory(bytes(std::max(terrain::base_memory(params, plan, controls),
                                        terrain::kept_memory(plan) + window)),
                         plan.levels > 0 ? "a heightmap of this size with this detail_cell"
                                         : "a heightmap of this size without detail_cell",
                         options);
    if (plan.base.width > INT32_MAX / plan.base.height) {
        throw Error(ErrorCode::unsupported,
                    "a map of " + std::to_string(plan.base.width) + "x" +
                        std::to_string(plan.base.height) +
                        " cells of detail_cell is more than 2147483647 cells");
    }
}

void check_tiles(const TileOptions &tiles) {
    if (tiles.overlap < 0 || tiles.overlap > 1) {
        throw Error(ErrorCode::invalid_argument,
                    "tile overlap is " + std::to_string(tiles.overlap) + "; allowed is 0 or 1");
    }
    if (tiles.size <= tiles.overlap || tiles.size > kLargestTile) {
        throw Error(ErrorCode::invalid_argument,
                    "tile size is " + std::to_string(tiles.size) + " samples; allowed is " +
                        std::to_string(tiles.overlap + 1) + " to " + std::to_string(kLargestTile));
    }
    if (tiles.range && !(tiles.range->low < tiles.range->high && tiles.range->low >= -100000 &&
                         tiles.range->high <= 100000)) {
        throw Error(ErrorCode::invalid_argument,
                    "height range is " + to_string(ParamValue(tiles.range->low)) + ".." +
                        to_string(ParamValue(tiles.range->high)) +
                        " m; allowed is LOW..HIGH, from -100000 to 100000 and LOW below HIGH");
    }
}

std::string metres(std::int32_t height) {
    return to_string(ParamValue(height * HeightmapSource::kUnit));
}

// The heights of the 16-bit numbers 0 and 65535.
std::pair<std::int32_t, std::int32_t> levels_of(const TileOptions &tiles,
                                                const terrain::Base &base) {
    if (!tiles.range) {
        return {base.lowest, base.highest};
    }
    const std::int32_t low = terrain::to_height(tiles.range->low);
    const std::int32_t high = terrain::to_height(tiles.range->high);
    if (low > base.lowest || high < base.highest) {
        throw Error(ErrorCode::invalid_argument,
                    "height range is " + metres(low) + ".." + metres(high) +
                        " m; the ground of this map lies between " + metres(base.lowest) + " and " +
                        metres(base.highest) + " m, and allowed is what holds it");
    }
    return {low, high};
}

std::int64_t count(std::int64_t side, const TileOptions &tiles) {
    const std::int64_t stride = tiles.size - tiles.overlap;
    return std::max<std::int64_t>(1, (side - tiles.overlap + stride - 1) / stride);
}

// What a device may have a part in, with the job's run, which goes on.
struct Begun {
    core::Run run;
    terrain::Base base;
};

std::unique_ptr<Begun> begin_map(const HeightmapParams &params, const terrain::Plan &plan,
                                 std::uint64_t seed, double share, const Options &options,
                                 const GroundControls &controls) {
    return sim::on_device(options, terrain::device_works(params, plan), [&](const Options &chosen) {
        std::unique_ptr<Begun> begun(new Begun{core::Run(chosen), {}});
        begun->base = terrain::make_base(begun->run, params, plan, seed, share, true, controls);
        return begun;
    });
}

} // namespace

struct HeightmapSource::Made {
    HeightmapParams params;
    std::uint64_t seed;
    std::unique_ptr<Begun> begun;
};

HeightmapSource::HeightmapSource(const HeightmapParams &params, Extent2 extent, double cell,
                                 std::uint64_t seed, const Options &options,
                                 const GroundControls &controls) try {
    terrain::check_heightmap(params, extent, cell, core::kLargestSide);
    const terrain::Plan plan = terrain::make_plan(params, extent, cell);
    require_memory(params, plan, 0, options, controls);
    made_ = std::unique_ptr<Made>(
        new Made{params, seed, begin_map(params, plan, seed, 1, options, controls)});
    made_->begun->run.finish();
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}

HeightmapSource::~HeightmapSource() = default;
HeightmapSource::HeightmapSource(HeightmapSource &&) noexcept = default;
HeightmapSource &HeightmapSource::operator=(HeightmapSource &&) noexcept = default;

Extent2 HeightmapSource::extent() const noexcept {
    return made_->begun->base.plan.map;
}

double HeightmapSource::cell() const noexcept {
    return made_->begun->base.plan.cell;
}

std::int32_t HeightmapSource::lowest() const noexcept {
    return made_->begun->base.lowest;
}

std::int32_t HeightmapSource::highest() const noexcept {
    return made_->begun->base.highest;
}

std::uint64_t HeightmapSource::memory_needed(Extent2 window) const {
    return bytes(terrain::detail_memory(made_->begun->base.plan, window));
}

std::int64_t HeightmapSource::reach() const noexcept {
    return terrain::detail_reach(made_->begun->base.plan.levels);
}

void HeightmapSource::read(const MapWindow &window, std::span<std::int32_t> heights,
                           std::span<std::uint32_t> area) const try {
    const Extent2 map = extent();
    const auto outside = [](std::int64_t at, std::int64_t size, std::int64_t whole) {
        return at < 0 || size < 1 || at > whole - size;
    };
    if (outside(window.x, window.extent.width, map.width) ||
        outside(window.y, window.extent.height, map.height)) {
        throw Error(ErrorCode::invalid_argument,
                    "the window is " + std::to_string(window.extent.width) + "x" +
                        std::to_string(window.extent.height) + " samples at (" +
                        std::to_string(window.x) + ", " + std::to_string(window.y) +
                        "); allowed is a part of the map of " + std::to_string(map.width) + "x" +
                        std::to_string(map.height));
    }
    const auto cells = static_cast<std::size_t>(window.extent.cells());
    if (heights.size() != cells || (!area.empty() && area.size() != cells)) {
        throw Error(ErrorCode::invalid_argument,
                    "a span has another size than the window; allowed is " + std::to_string(cells));
    }
    auto &[run, base] = *made_->begun;
    core::require_memory(memory_needed(window.extent), "a window of this size", run.options());
    const terrain::Patch patch = terrain::make_detail(run, made_->params, base, made_->seed,
                                                      {window.x, window.y, window.extent});
    std::copy(patch.heights.cells().begin(), patch.heights.cells().end(), heights.begin());
    if (!area.empty()) {
        std::copy(patch.area.cells().begin(), patch.area.cells().end(), area.begin());
    }
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}

Extent2 tile_counts(Extent2 map, const TileOptions &tiles) {
    check_tiles(tiles);
    core::require_sides(map);
    return {count(map.width, tiles), count(map.height, tiles)};
}

MapWindow tile_window(Extent2 map, const TileOptions &tiles, std::int64_t x, std::int64_t y) {
    const Extent2 counts = tile_counts(map, tiles);
    if (x < 0 || y < 0 || x >= counts.width || y >= counts.height) {
        throw Error(ErrorCode::invalid_argument, "the tile is (" + std::to_string(x) + ", " +
                                                     std::to_string(y) + "); allowed is below (" +
                                                     std::to_string(counts.width) + ", " +
                                                     std::to_string(counts.height) + ")");
    }
    const std::int64_t stride = tiles.size - tiles.overlap;
    return {x * stride,
            y * stride,
            {std::min(tiles.size, map.width - x * stride),
             std::min(tiles.size, map.height - y * stride)}};
}

void generate_heightmap_tiles(const HeightmapParams &params, Extent2 extent, double cell,
                              std::uint64_t seed, const TileOptions &tiles,
                              const std::function<void(const HeightmapTile &)> &sink,
                              const Options &options, const GroundControls &controls) try {
    terrain::check_heightmap(params, extent, cell, core::kLargestSide);
    const Extent2 counts = tile_counts(extent, tiles);
    const terrain::Plan plan = terrain::make_plan(params, extent, cell);
    const Extent2 first = tile_window(extent, tiles, 0, 0).extent;
    const double layers = 16 * static_cast<double>(first.cells()); // and what a file takes of it
    require_memory(params, plan, terrain::detail_memory(plan, first) + layers, options, controls);

    std::vector<Cell2> wanted;
    for (std::int32_t y = 0; y < counts.height; ++y) {
        for (std::int32_t x = 0; x < counts.width; ++x) {
            if (!tiles.wanted || tiles.wanted(x, y)) {
                wanted.push_back({x, y});
            }
        }
    }
    if (wanted.empty()) {
        return;
    }
    const auto number = static_cast<double>(wanted.size());
    const double detail = (terrain::detail_work(plan, first) + layers) * number;
    const double work = plan.work() + detail;
    const auto begun = begin_map(params, plan, seed, plan.work() / work, options, controls);
    core::Run &run = begun->run;
    const terrain::Base &base = begun->base;
    const auto [lowest, highest] = levels_of(tiles, base);
    run.stage("tiles", detail / work);
    double done = 0;
    for (const auto [x, y] : wanted) {
        run.advance(done++ / number);
        HeightmapTile tile{x, y, tile_window(extent, tiles, x, y), {}};
        tile.artifact.generator = "heightmap";
        tile.artifact.seed = seed;
        tile.artifact.cell = cell;
        const terrain::Patch patch = terrain::make_detail(
            run, params, base, seed, {tile.window.x, tile.window.y, tile.window.extent});
        tile.artifact.layers.push_back(terrain::height_layer(run, patch.heights, lowest, highest));
        if (tiles.flow) {
            tile.artifact.layers.push_back(terrain::flow_layer(run, patch.area));
        }
        sink(tile);
    }
    run.finish();
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}

} // namespace karst
