// Windows and tiles of a heightmap are parts of the whole, bit for bit.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include <karst/error.hpp>
#include <karst/heightmap_tiles.hpp>

#include "generators/heightmap_layers.hpp"
#include "generators/terrain_detail.hpp"
#include "support/error_of.hpp"

using namespace karst;

namespace {

HeightmapParams small_valleys(double detail_cell, bool strata) {
    HeightmapParams params;
    params.valley_spacing = 600;
    params.relief = 200;
    params.detail_cell = detail_cell;
    params.terrace_height = strata ? 30 : 0;
    return params;
}

struct Whole {
    Field2D<std::int32_t> heights;
    Field2D<std::uint32_t> area;
};

Whole read(const HeightmapSource &source, const MapWindow &window) {
    Whole part{Field2D<std::int32_t>(window.extent), Field2D<std::uint32_t>(window.extent)};
    source.read(window, part.heights.cells(), part.area.cells());
    return part;
}

// The samples of a window that differ from the whole map.
std::int64_t differing(const Whole &whole, const Whole &part, const MapWindow &window) {
    std::int64_t count = 0;
    for (std::int64_t y = 0; y < window.extent.height; ++y) {
        for (std::int64_t x = 0; x < window.extent.width; ++x) {
            count += part.heights.at(x, y) != whole.heights.at(window.x + x, window.y + y) ? 1 : 0;
            count += part.area.at(x, y) != whole.area.at(window.x + x, window.y + y) ? 1 : 0;
        }
    }
    return count;
}

const Field2D<std::uint16_t> &numbers(const Artifact &artifact, const char *layer) {
    return std::get<Field2D<std::uint16_t>>(artifact.layer(layer).data);
}

ErrorCode error_of(const TileOptions &tiles, const std::string &word, Extent2 extent = {41, 30},
                   const Options &options = {}) {
    return test::error_of(word, [&] {
        generate_heightmap_tiles(
            small_valleys(16, false), extent, 8, 1, tiles, [](const HeightmapTile &) {}, options);
    });
}

} // namespace

TEST_CASE("heightmap tiles: every window is that part of the whole") {
    struct Case {
        double cell;
        Extent2 map;
        std::vector<MapWindow> windows;
    };
    // 1, 2 and 3 levels of detail. Most windows end farther from the map's border than they reach.
    for (const Case &c : std::vector<Case>{{4,
                                            {193, 170},
                                            {{0, 0, {1, 1}},
                                             {192, 169, {1, 1}},
                                             {96, 80, {1, 1}},
                                             {64, 17, {1, 63}},
                                             {65, 100, {63, 1}},
                                             {5, 90, {64, 65}},
                                             {127, 0, {64, 127}},
                                             {60, 60, {9, 17}},
                                             {0, 32, {193, 3}}}},
                                           {2, {421, 60}, {{201, 20, {3, 2}}, {0, 7, {63, 40}}}},
                                           {1, {801, 37}, {{400, 36, {1, 1}}}}}) {
        const HeightmapSource source(small_valleys(8, c.cell != 1), c.map, c.cell, 7);
        const Whole whole = read(source, {0, 0, c.map});
        INFO("cell " << c.cell << ", reach " << source.reach());
        CHECK(c.map.width > 2 * source.reach());
        for (const MapWindow &window : c.windows) {
            INFO(window.x << ", " << window.y);
            CHECK(differing(whole, read(source, window), window) == 0);
        }
        const auto [low, high] =
            std::minmax_element(whole.heights.cells().begin(), whole.heights.cells().end());
        CHECK(*low >= source.lowest());
        CHECK(*high <= source.highest());
        // The bounds cost few of the levels that 16 bits have.
        CHECK(*high - *low > 0.95 * (source.highest() - source.lowest()));
    }
}

// The ground beyond the reach has no part in a window, and the ground within it has.
TEST_CASE("heightmap tiles: nothing beyond the reach shows") {
    core::Run run(Options{});
    const HeightmapParams params = small_valleys(8, true);
    for (const double cell : {4.0, 2.0}) {
        const Extent2 map{301, 21};
        const auto make_base = [&] {
            return terrain::make_base(run, params, terrain::make_plan(params, map, cell), 3, 1,
                                      true);
        };
        const terrain::Base base = make_base();
        const int levels = base.plan.levels;
        REQUIRE(levels == (cell == 4 ? 1 : 2));
        const std::int64_t reach = terrain::detail_reach(levels);
        const terrain::Window window{0, 0, {40, 21}};
        const terrain::Patch patch = terrain::make_detail(run, params, base, 3, window);
        for (const bool beyond : {true, false}) {
            terrain::Base other = make_base();
            const std::int64_t first =
                beyond ? (40 + reach + (1 << levels) - 1) >> levels : (40 + 4) >> levels;
            REQUIRE(first < other.plan.base.width);
            for (std::int64_t y = 0; y < other.plan.base.height; ++y) {
                for (std::int64_t x = first; x < other.plan.base.width; ++x) {
                    other.ground.heights.at(x, y) = static_cast<std::int32_t>(x * y % 1000 * 400);
                    other.ground.flow.area.at(x, y) = 1000000;
                }
            }
            const terrain::Patch with = terrain::make_detail(run, params, other, 3, window);
            CHECK((with.heights == patch.heights) == beyond);
        }
    }
}

TEST_CASE("heightmap tiles: together they are the layers of the whole map") {
    const Extent2 map{81, 60};
    const HeightmapParams params = small_valleys(16, false);
    const Artifact whole = generate_heightmap(params, map, 8, 5);
    struct Case {
        std::int64_t size, overlap;
        Extent2 counts;
    };
    for (const Case &c : {Case{33, 1, {3, 2}}, Case{65, 0, {2, 1}}}) {
        TileOptions tiles;
        tiles.size = c.size;
        tiles.overlap = c.overlap;
        tiles.flow = true;
        CHECK(tile_counts(map, tiles) == c.counts);
        Field2D<std::uint8_t> covered(map);
        std::int64_t number = 0;
        std::int64_t wrong = 0;
        generate_heightmap_tiles(params, map, 8, 5, tiles, [&](const HeightmapTile &tile) {
            CHECK(tile.x == number % c.counts.width);
            CHECK(tile.y == number / c.counts.width);
            ++number;
            CHECK(tile.window == tile_window(map, tiles, tile.x, tile.y));
            CHECK(tile.artifact.layer("height").scale == whole.layer("height").scale);
            CHECK(tile.artifact.layer("height").offset == whole.layer("height").offset);
            for (const char *layer : {"height", "flow"}) {
                const auto &part = numbers(tile.artifact, layer);
                REQUIRE(part.extent() == tile.window.extent);
                for (std::int64_t y = 0; y < part.height(); ++y) {
                    for (std::int64_t x = 0; x < part.width(); ++x) {
                        wrong +=
                            part.at(x, y) !=
                                    numbers(whole, layer).at(tile.window.x + x, tile.window.y + y)
                                ? 1
                                : 0;
                        covered.at(tile.window.x + x, tile.window.y + y) = 1;
                    }
                }
            }
        });
        CHECK(wrong == 0);
        CHECK(number == c.counts.cells());
        CHECK(std::count(covered.cells().begin(), covered.cells().end(), 0) == 0);
    }
}

TEST_CASE("heightmap tiles: tiles of one sample, and only those that are wanted") {
    const Extent2 map{7, 5};
    const HeightmapParams params = small_valleys(16, false);
    const Artifact whole = generate_heightmap(params, map, 8, 5);
    TileOptions tiles;
    tiles.size = 1;
    tiles.overlap = 0;
    std::int64_t made = 0;
    tiles.wanted = [](std::int64_t x, std::int64_t y) { return (x + y) % 2 == 0; };
    generate_heightmap_tiles(params, map, 8, 5, tiles, [&](const HeightmapTile &tile) {
        CHECK((tile.x + tile.y) % 2 == 0);
        CHECK(numbers(tile.artifact, "height").at(0, 0) ==
              numbers(whole, "height").at(tile.x, tile.y));
        ++made;
    });
    CHECK(made == 18);
}

TEST_CASE("heightmap tiles: a stated range is the range of the numbers") {
    TileOptions tiles;
    tiles.range = HeightRange{-500, 500};
    const HeightmapParams params = small_valleys(16, false);
    const Artifact whole = generate_heightmap(params, {41, 30}, 8, 1);
    generate_heightmap_tiles(params, {41, 30}, 8, 1, tiles, [&](const HeightmapTile &tile) {
        const Layer &a = tile.artifact.layer("height");
        const Layer &b = whole.layer("height");
        CHECK(a.offset == -500);
        CHECK(a.scale * 65535 == doctest::Approx(1000));
        for (std::int64_t i = 0; i < 41 * 30; ++i) {
            const double here = numbers(tile.artifact, "height")[i] * a.scale + a.offset;
            const double there = numbers(whole, "height")[i] * b.scale + b.offset;
            CHECK(std::abs(here - there) <= 0.5 * (a.scale + b.scale) + 1e-9);
        }
    });
    tiles.range = HeightRange{0, 10};
    CHECK(error_of(tiles, "the ground of this map lies between") == ErrorCode::invalid_argument);
}

TEST_CASE("heightmap tiles: the same for every number of threads") {
    std::vector<std::uint64_t> digests;
    for (const int threads : {1, 7}) {
        Options options;
        options.threads = threads;
        const Artifact a = generate_heightmap(small_valleys(16, true), {65, 64}, 8, 9, options);
        digests.push_back(digest(a.layer("height").data) ^ digest(a.layer("flow").data));
    }
    CHECK(digests[0] == digests[1]);
}

TEST_CASE("heightmap tiles: a detail_cell that no level is finer than changes nothing") {
    const Artifact a = generate_heightmap(small_valleys(0, true), {41, 30}, 8, 4);
    const Artifact b = generate_heightmap(small_valleys(8, true), {41, 30}, 8, 4);
    CHECK(digest(a.layer("height").data) == digest(b.layer("height").data));
    CHECK(digest(a.layer("flow").data) == digest(b.layer("flow").data));
    // Without levels of detail the tiles are cut from the whole.
    generate_heightmap_tiles(
        small_valleys(0, true), {41, 30}, 8, 4, {}, [&](const HeightmapTile &tile) {
            CHECK(digest(tile.artifact.layer("height").data) == digest(a.layer("height").data));
        });
}

// Detail looks like the ground of the full pyramid: the same valleys, as rough, and its rivers run.
TEST_CASE("heightmap tiles: detail is like the ground that rivers of the whole map make") {
    const Extent2 map{241, 221};
    constexpr double kCell = 2;
    const Artifact full = generate_heightmap(small_valleys(0, false), map, kCell, 2);
    const HeightmapSource source(small_valleys(8, false), map, kCell, 2);
    const Whole detail = read(source, {0, 0, map});
    const auto full_height = [&, &layer = full.layer("height")](std::int64_t x, std::int64_t y) {
        return numbers(full, "height").at(x, y) * layer.scale + layer.offset;
    };
    const auto detail_height = [&](std::int64_t x, std::int64_t y) {
        return detail.heights.at(x, y) * HeightmapSource::kUnit;
    };
    double apart = 0;
    const auto roughness = [&](const auto &height) { // mean curvature
        double sum = 0;
        for (std::int64_t y = 1; y + 1 < map.height; ++y) {
            for (std::int64_t x = 1; x + 1 < map.width; ++x) {
                sum += std::abs(height(x - 1, y) + height(x + 1, y) + height(x, y - 1) +
                                height(x, y + 1) - 4 * height(x, y));
            }
        }
        return sum / static_cast<double>(map.cells());
    };
    for (std::int64_t y = 0; y < map.height; ++y) {
        for (std::int64_t x = 0; x < map.width; ++x) {
            apart += std::abs(full_height(x, y) - detail_height(x, y));
        }
    }
    CHECK(apart / static_cast<double>(map.cells()) < 0.03 * 200); // of the relief
    const double rougher = roughness(detail_height) / roughness(full_height);
    CHECK(rougher > 0.6);
    CHECK(rougher < 2.3);

    // Nothing dams a river: what water needs to rise by to leave the map.
    core::Run run(Options{});
    shape::Mask outlets(map);
    for (const std::int64_t i : terrain::border(map)) {
        outlets[i] = 1;
    }
    shape::Heights filled = detail.heights;
    shape::fill_depressions(run, filled, outlets);
    std::int64_t river = 0;
    std::int64_t dammed = 0;
    for (std::int64_t i = 0; i < filled.size(); ++i) {
        if (detail.area[i] >= 2000) {
            ++river;
            dammed += filled[i] - detail.heights[i] > 4096 / 4 ? 1 : 0;
        }
    }
    CHECK(river > 400);
    CHECK(static_cast<double>(dammed) < 0.01 * static_cast<double>(river));
}

TEST_CASE("heightmap tiles: bad input is named") {
    using enum ErrorCode;
    TileOptions tiles;
    tiles.size = 0;
    CHECK(error_of(tiles, "tile size is 0") == invalid_argument);
    tiles.size = 1;
    CHECK(error_of(tiles, "allowed is 2 to") == invalid_argument);
    tiles = {};
    tiles.overlap = 2;
    CHECK(error_of(tiles, "overlap") == invalid_argument);
    tiles = {};
    for (const HeightRange range :
         {HeightRange{5, 5}, {5, 1}, {std::nan(""), 1}, {0, 1e9}, {0, std::nan("")}}) {
        tiles.range = range;
        CHECK(error_of(tiles, "height range") == invalid_argument);
    }
    tiles = {};
    CHECK(error_of(tiles, "width", {0, 4}) == invalid_argument);
    CHECK(error_of(tiles, "width", {std::int64_t{1} << 28, 4}) == invalid_argument);
    Options little;
    little.memory_limit = 1000000;
    CHECK(error_of(tiles, "memory", {4097, 4097}, little) == out_of_memory);
    const std::atomic<bool> stop{true};
    Options cancelled_options;
    cancelled_options.cancel = &stop;
    CHECK(error_of(tiles, "", {41, 30}, cancelled_options) == cancelled);

    CHECK_THROWS_AS(tile_window({41, 30}, {}, 1, 0), Error);
    const HeightmapSource source(small_valleys(16, false), {41, 30}, 8, 1);
    std::vector<std::int32_t> heights(4);
    CHECK_THROWS_AS(source.read({40, 0, {2, 2}}, heights), Error);
    CHECK_THROWS_AS(source.read({-1, 0, {2, 2}}, heights), Error);
    CHECK_THROWS_AS(source.read({0, 0, {2, 1}}, heights), Error);
    HeightmapParams params = small_valleys(1000, false);
    params.valley_spacing = 100000;
    CHECK_THROWS_WITH_AS(HeightmapSource(params, {41, 30}, 1, 1),
                         "detail_cell is 1000 m; allowed is at most 64 cells, here 64 m", Error);
}
