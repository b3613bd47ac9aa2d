#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <karst/error.hpp>
#include <karst/heightmap.hpp>

#include "generators/registry.hpp"
#include "generators/terrain.hpp"
#include "support/error_of.hpp"

using namespace karst;

namespace {

const Field2D<std::uint16_t> &values(const Artifact &artifact, const char *layer) {
    return std::get<Field2D<std::uint16_t>>(artifact.layer(layer).data);
}

double measure(const Artifact &artifact, const std::string &name) {
    for (const auto &[key, value] : artifact.measures) {
        if (key == name) {
            return value;
        }
    }
    FAIL("no measure " << name);
    return 0;
}

// Root mean square of preview - every n-th sample of the final, over the preview's relief.
double difference(const Artifact &preview, const Artifact &final_map) {
    const Layer &a = preview.layer("height");
    const Layer &b = final_map.layer("height");
    const auto &coarse = values(preview, "height");
    const auto &fine = values(final_map, "height");
    const std::int64_t every = (fine.width() - 1) / (coarse.width() - 1);
    double sum = 0;
    for (std::int64_t y = 0; y < coarse.height(); ++y) {
        for (std::int64_t x = 0; x < coarse.width(); ++x) {
            const double d = (coarse.at(x, y) * a.scale + a.offset) -
                             (fine.at(x * every, y * every) * b.scale + b.offset);
            sum += d * d;
        }
    }
    return std::sqrt(sum / static_cast<double>(coarse.size())) / (65535 * a.scale);
}

ErrorCode error_of(const HeightmapParams &params, Extent2 extent, double cell,
                   const std::string &word, const Options &options = {}) {
    return test::error_of(word, [&] { generate_heightmap(params, extent, cell, 1, options); });
}

} // namespace

TEST_CASE("heightmap: the levels of a map are those of its preview") {
    for (const Extent2 map : {Extent2{505, 505}, {1, 1}, {64, 65}, {1000, 37}, {2, 1}}) {
        const Extent2 finer{(map.width - 1) * 8 + 1, (map.height - 1) * 8 + 1};
        CHECK(terrain::level_extent(finer, 3) == map);
        for (int level = 0; level < 12; ++level) {
            const Extent2 e = terrain::level_extent(map, level);
            CHECK(terrain::level_extent(finer, level + 3) == e);
            CHECK(((e.width - 1) << level) >= map.width - 1);
            CHECK(((e.width - 2) << level) < map.width - 1);
        }
    }
    CHECK(terrain::nearest_level(8, 1) == 3);
    CHECK(terrain::nearest_level(11, 1) == 3);
    CHECK(terrain::nearest_level(12, 1) == 4);
    CHECK(terrain::nearest_level(1, 4) == -2);
}

TEST_CASE("heightmap: a level does not depend on how many follow") {
    core::Run run(Options{});
    const Extent2 map{65, 41};
    const Extent2 finer{257, 161};
    shape::Heights coarse(terrain::level_extent(map, 1));
    shape::Mask outlets(coarse.extent());
    outlets[5] = outlets[6] = 1;
    for (std::int64_t i = 0; i < coarse.size(); ++i) {
        coarse[i] = static_cast<std::int32_t>(i * i % 10007 * 50);
    }
    const shape::Mask a_outlets = terrain::refine_outlets(outlets, terrain::level_extent(map, 0));
    const shape::Mask b_outlets = terrain::refine_outlets(outlets, terrain::level_extent(finer, 2));
    shape::Heights a = terrain::refine(run, coarse, a_outlets, 3, 3000, 5);
    shape::Heights b = terrain::refine(run, coarse, b_outlets, 3, 3000, 5);
    terrain::warp(run, a, 3, 5, 1);
    terrain::warp(run, b, 3, 5, 1);
    CHECK(a == b);
    CHECK(a_outlets == b_outlets);
    CHECK(a_outlets[11] == 1);
    CHECK(a_outlets[9] == 0);
}

TEST_CASE("heightmap: samples of a coarser level stay") {
    core::Run run(Options{});
    shape::Heights coarse({9, 6});
    for (std::int64_t i = 0; i < coarse.size(); ++i) {
        coarse[i] = static_cast<std::int32_t>(i % 9 * 160 + i / 9 * 16);
    }
    const shape::Heights fine = terrain::refine(run, coarse, shape::Mask({17, 11}), 1, 0, 1);
    REQUIRE(fine.extent() == Extent2{17, 11});
    for (std::int64_t y = 0; y < 11; ++y) {
        for (std::int64_t x = 0; x < 17; ++x) {
            const bool inner = x > 1 && x < 15 && y > 1 && y < 9;
            if ((x % 2 == 0 && y % 2 == 0) || inner) { // a plane is kept where four samples are
                CHECK(fine.at(x, y) == x * 80 + y * 8);
            }
        }
    }
}

TEST_CASE("heightmap: no outlet is lost where the map ends between coarse samples") {
    core::Run run(Options{});
    for (const Extent2 map : {Extent2{16, 10}, {17, 11}, {16, 11}}) {
        for (const std::int64_t i : terrain::border({9, 6})) {
            shape::Mask coarse({9, 6});
            coarse[i] = 1;
            const shape::Mask fine = terrain::refine_outlets(coarse, map);
            CHECK(std::count(fine.cells().begin(), fine.cells().end(), 1) == 1);
        }
    }
}

TEST_CASE("heightmap: the preview is the downsampled final map") {
    const HeightmapParams params;
    const Artifact preview = generate_heightmap(params, {129, 97}, 8, 11);
    const Artifact middle = generate_heightmap(params, {257, 193}, 4, 11);
    const Artifact final_map = generate_heightmap(params, {513, 385}, 2, 11);
    CHECK(difference(preview, middle) < 0.02);
    CHECK(difference(preview, final_map) < 0.02);
    const Artifact other = generate_heightmap(params, {129, 97}, 8, 12);
    CHECK(difference(preview, other) > 0.1);
}

TEST_CASE("heightmap: the same for every number of threads") {
    std::vector<std::uint64_t> digests;
    HeightmapParams params;
    params.terrace_height = 60;
    for (const int threads : {1, 2, 7}) {
        Options options;
        options.threads = threads;
        const Artifact a = generate_heightmap(params, {101, 130}, 16, 3, options);
        digests.push_back(digest(a.layer("height").data) ^ digest(a.layer("flow").data));
    }
    CHECK(digests[0] == digests[1]);
    CHECK(digests[0] == digests[2]);
}

TEST_CASE("heightmap: any size") {
    for (const Extent2 extent : {Extent2{1, 1}, {1, 63}, {65, 1}, {2, 2}, {63, 64}, {300, 7}}) {
        for (const double cell : {0.5, 8.0, 100.0}) {
            const Artifact a = generate_heightmap({}, extent, cell, 7);
            CHECK(karst::extent(a.layer("height").data) ==
                  karst::Extent3{extent.width, extent.height, 1});
            CHECK(measure(a, "closed depressions") == 0);
            CHECK(std::isfinite(measure(a, "median slope percent")));
        }
    }
}

TEST_CASE("heightmap: presets give relief, slopes and rivers") {
    const GeneratorInfo &info = find_generator("heightmap");
    REQUIRE(info.presets.size() >= 3);
    for (const Preset &preset : info.presets) {
        INFO(preset.name);
        Job job{ParamSet(info.params), {121, 121}, 32, 5};
        job.params.apply(preset);
        const double relief = std::get<double>(job.params.value("relief"));
        const Artifact a = info.generate(job, {});
        const double range = measure(a, "highest m") - measure(a, "lowest m");
        CHECK(range > 0.8 * relief);
        CHECK(range < 1.2 * relief);
        CHECK(measure(a, "closed depressions") == 0);
        CHECK(measure(a, "median slope percent") > 2);
        CHECK(measure(a, "median slope percent") < 100);

        // One river drains a good part of the map: log2 of the area, 2048 steps a doubling.
        std::uint16_t most = 0;
        for (const std::uint16_t v : values(a, "flow").cells()) {
            most = std::max(most, v);
        }
        CHECK(most > 2048 * 10);
        CHECK(most < 2048 * std::log2(121.0 * 121));
        // No stair steps: many different heights.
        std::vector<bool> seen(65536);
        for (const std::uint16_t v : values(a, "height").cells()) {
            seen[v] = true;
        }
        CHECK(std::count(seen.begin(), seen.end(), true) > 9000);
    }
}

TEST_CASE("heightmap: a map narrower than a valley gets part of the relief") {
    const Artifact a = generate_heightmap({}, {141, 141}, 1, 5);
    const double range = measure(a, "highest m") - measure(a, "lowest m");
    CHECK(range > 30);
    CHECK(range < 90); // a tenth of 550, and detail
}

TEST_CASE("heightmap: bad input is named") {
    using enum ErrorCode;
    HeightmapParams params;
    params.relief = -1;
    CHECK(error_of(params, {64, 64}, 8, "relief") == invalid_argument);
    params.relief = std::nan("");
    CHECK(error_of(params, {64, 64}, 8, "relief") == invalid_argument);
    CHECK(error_of({}, {0, 64}, 8, "width") == invalid_argument);
    CHECK(error_of({}, {64, -3}, 8, "height") == invalid_argument);
    CHECK(error_of({}, {64, 64}, 0, "cell") == invalid_argument);
    CHECK(error_of({}, {64, 64}, std::nan(""), "cell") == invalid_argument);
    CHECK(error_of({}, {64, 64}, 500, "valley_spacing") == invalid_argument);
    Options small;
    small.memory_limit = 1000000;
    CHECK(error_of({}, {1009, 1009}, 8, "memory", small) == out_of_memory);
    CHECK(error_of({}, {std::int64_t{1} << 31, std::int64_t{1} << 31}, 1, "memory") ==
          out_of_memory);
    const std::atomic<bool> stop{true};
    Options cancelled_options;
    cancelled_options.cancel = &stop;
    CHECK(error_of({}, {64, 64}, 8, "", cancelled_options) == cancelled);
}

TEST_CASE("heightmap: progress rises to the end") {
    Options options;
    double last = 0;
    int networks = 0;
    options.progress = [&](const Progress &progress) {
        CHECK(progress.fraction >= last);
        CHECK(progress.fraction <= 1.0000001);
        last = progress.fraction;
        networks += progress.stage == "network 1 of 3" ? 1 : 0;
    };
    generate_heightmap({}, {65, 65}, 8, 1, options);
    CHECK(last > 0.99);
    CHECK(networks > 0);
}

namespace {

// Samples of the border that stand more than a cell above each of their neighbours.
int needles(const Artifact &a) {
    const Layer &layer = a.layer("height");
    const auto &heights = std::get<Field2D<std::uint16_t>>(layer.data);
    const double cell = a.cell / layer.scale; // in steps of the height
    int count = 0;
    for (std::int64_t y = 0; y < heights.height(); ++y) {
        for (std::int64_t x = 0; x < heights.width(); ++x) {
            int highest = 0;
            for (std::int64_t j = std::max<std::int64_t>(0, y - 1);
                 j <= std::min(heights.height() - 1, y + 1); ++j) {
                for (std::int64_t i = std::max<std::int64_t>(0, x - 1);
                     i <= std::min(heights.width() - 1, x + 1); ++i) {
                    if (i != x || j != y) {
                        highest = std::max<int>(highest, heights.at(i, j));
                    }
                }
            }
            count += heights.at(x, y) > highest + cell ? 1 : 0;
        }
    }
    return count;
}

// The fraction of the samples whose right and lower neighbours differ from them by less than
// 0.5 % of the cell: the surface of lakes.
double flat(const Artifact &a) {
    const Layer &layer = a.layer("height");
    const auto &heights = std::get<Field2D<std::uint16_t>>(layer.data);
    const double least = 0.005 * a.cell / layer.scale;
    std::int64_t count = 0;
    for (std::int64_t y = 0; y + 1 < heights.height(); ++y) {
        for (std::int64_t x = 0; x + 1 < heights.width(); ++x) {
            const int here = heights.at(x, y);
            count += std::abs(here - heights.at(x + 1, y)) < least &&
                             std::abs(here - heights.at(x, y + 1)) < least
                         ? 1
                         : 0;
        }
    }
    return static_cast<double>(count) / static_cast<double>(heights.size());
}

} // namespace

// A border that is all outlets stays so on the next finer level, whether the coarse one ends with
// the map or beyond it.
TEST_CASE("heightmap: a finer level keeps the outlets of every side") {
    core::Run run(Options{});
    for (const Extent2 map : {Extent2{129, 129}, {128, 128}, {125, 250}, {37, 1000}, {2, 3}}) {
        for (const int level : {1, 2, 3}) {
            const Extent2 extent = terrain::level_extent(map, level);
            shape::Mask coarse(extent);
            for (const std::int64_t i : terrain::border(extent)) {
                coarse[i] = 1;
            }
            const shape::Mask fine =
                terrain::refine_outlets(coarse, terrain::level_extent(map, level - 1));
            INFO(map.width << "x" << map.height << " level " << level);
            for (const std::int64_t i : terrain::border(fine.extent())) {
                REQUIRE(fine[i] == 1);
            }
        }
    }
}

// Outlets live on every side for every size, so no valley ends in a lake, and none stands as a
// needle on the border.
TEST_CASE("heightmap: water leaves over every border of every size") {
    const GeneratorInfo &info = find_generator("heightmap");
    for (const Preset &preset : info.presets) {
        for (const Extent2 extent : {Extent2{129, 129}, {127, 127}, {126, 126}, {100, 180}}) {
            Job job{ParamSet(info.params), extent, 16, 2};
            job.params.apply(preset);
            const Artifact a = info.generate(job, {});
            INFO(preset.name << " " << extent.width << "x" << extent.height);
            CHECK(needles(a) == 0);
            // Rivers plane wide floors between tables; elsewhere hardly anything is level.
            const bool tables = std::get<double>(job.params.value("plateau")) > 0.5;
            CHECK(flat(a) < (tables ? 0.15 : 0.01));
        }
    }
}
