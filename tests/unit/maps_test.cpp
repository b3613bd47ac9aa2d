// Maps for materials: known answers on planes, cones, valleys and pits.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "core/digest.hpp"
#include "generators/registry.hpp"
#include "generators/terrain_maps.hpp"
#include "shape/relief.hpp"
#include "shape_fields.hpp"

using namespace karst;
using shape::Green;
using shape_test::for_threads;
using TestJob = shape_test::Job;

namespace {

using Ground = Field2D<std::int32_t>;

constexpr double kStep = 1.0 / 4096; // m

// f(x, y) in metres.
Ground ground(Extent2 extent, const std::function<double(double, double)> &f) {
    Ground heights(extent);
    for (std::int64_t y = 0; y < extent.height; ++y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            heights.at(x, y) = static_cast<std::int32_t>(
                std::floor(f(static_cast<double>(x), static_cast<double>(y)) / kStep + 0.5));
        }
    }
    return heights;
}

Ground hilly(Extent2 extent, std::uint64_t seed) {
    const auto noise = shape_test::random_field(extent, seed, 20000);
    Ground heights(extent);
    for (std::int64_t i = 0; i < heights.size(); ++i) {
        heights[i] = static_cast<std::int32_t>(noise[i]);
    }
    return heights;
}

template <class T>
Field2D<T> mirrored(const Field2D<T> &field) {
    Field2D<T> result(field.extent());
    for (std::int64_t y = 0; y < field.height(); ++y) {
        for (std::int64_t x = 0; x < field.width(); ++x) {
            result.at(x, y) = field.at(field.width() - 1 - x, y);
        }
    }
    return result;
}

const std::vector<Extent2> kSizes{{1, 1}, {1, 9}, {9, 1}, {2, 2}, {63, 64}, {65, 33}};

// The maps of a ground with a sample every `cell` metres, drained along its whole border.
std::vector<Layer> maps_of(const Ground &heights, double cell,
                           const std::vector<std::string> &names, HeightmapParams params = {}) {
    TestJob job(2);
    shape::Mask outlets(heights.extent());
    for (const std::int64_t i : terrain::border(heights.extent())) {
        outlets[i] = 1;
    }
    terrain::Ground made{heights, shape::route(job.run, heights, outlets, 1), {}};
    return terrain::make_maps(job.run, params, made, cell, names);
}

double value(const Layer &layer, std::int64_t x, std::int64_t y) {
    if (const auto *bytes = std::get_if<Field2D<std::uint8_t>>(&layer.data)) {
        return bytes->at(x, y) * layer.scale + layer.offset;
    }
    return std::get<Field2D<std::uint16_t>>(layer.data).at(x, y) * layer.scale + layer.offset;
}

} // namespace

TEST_CASE("normals: level and tilted planes, up to their edges") {
    TestJob job(1);
    for (const Extent2 extent : kSizes) {
        const Ground level(extent);
        const auto wide = shape::normals<Rgb16>(job.run, level, kStep, Boundary::torus, Green::up);
        const auto narrow =
            shape::normals<Rgb8>(job.run, level, kStep, Boundary::bounded, Green::down);
        for (std::int64_t i = 0; i < level.size(); ++i) {
            CHECK(wide[i] == Rgb16{32768, 32768, 65535});
            CHECK(narrow[i] == Rgb8{128, 128, 255});
        }
    }
    // Rises by 0.5 a cell to the east and 0.25 to the south: it faces west and north.
    const Ground plane = ground({33, 20}, [](double x, double y) { return x / 2 + y / 4; });
    const double length = std::sqrt(0.25 + 0.0625 + 1);
    const auto up = shape::normals<Rgb16>(job.run, plane, kStep, Boundary::bounded, Green::up);
    const auto down = shape::normals<Rgb16>(job.run, plane, kStep, Boundary::bounded, Green::down);
    for (std::int64_t i = 0; i < plane.size(); ++i) {
        CHECK(up[i][0] / 32767.5 - 1 == doctest::Approx(-0.5 / length).epsilon(1e-4));
        CHECK(up[i][1] / 32767.5 - 1 == doctest::Approx(0.25 / length).epsilon(1e-4));
        CHECK(up[i][2] / 32767.5 - 1 == doctest::Approx(1 / length).epsilon(1e-4));
        CHECK(down[i] == Rgb16{up[i][0], static_cast<std::uint16_t>(65535 - up[i][1]), up[i][2]});
    }
}

TEST_CASE("relief: the same for all threads, and mirrored ground gives mirrored maps") {
    for (const Extent2 extent : kSizes) {
        for (const Boundary edges : shape_test::kEdges) {
            const Ground heights = hilly(extent, 5);
            const auto all = [&](core::Run &run, const Ground &of) {
                return std::tuple(shape::normals<Rgb16>(run, of, kStep, edges, Green::up),
                                  shape::slopes(run, of, kStep, edges),
                                  shape::curvature(run, of, kStep, edges),
                                  shape::ambient_occlusion(run, of, kStep, 20, edges));
            };
            const auto [normal, slope, curvature, light] =
                for_threads([&](core::Run &run) { return all(run, heights); });
            TestJob job(1);
            const auto [normal2, slope2, curvature2, light2] = all(job.run, mirrored(heights));
            CHECK((slope2 == mirrored(slope)));
            CHECK((curvature2 == mirrored(curvature)));
            const auto turned = mirrored(normal);
            const auto light1 = mirrored(light);
            for (std::int64_t i = 0; i < heights.size(); ++i) {
                const int red = turned[i][0] == 32768 ? 32768 : 65535 - turned[i][0];
                CHECK(normal2[i][0] == red);
                CHECK(normal2[i][1] == turned[i][1]);
                CHECK(std::abs(light2[i] - light1[i]) <= 1); // sums in another order
            }
        }
    }
}

TEST_CASE("slope: degrees as the math library has them") {
    CHECK(shape::slope_degrees(0) == 0);
    for (double t = 1e-6; t < 1e7; t *= 1.37) {
        CHECK(std::abs(shape::slope_degrees(t) - std::atan(t) * 57.29577951308232) < 1e-6);
    }
    TestJob job(1);
    const Ground cone =
        ground({41, 41}, [](double x, double y) { return std::hypot(x - 20, y - 20) * 0.75; });
    const auto slopes = shape::slopes(job.run, cone, kStep, Boundary::bounded);
    CHECK(slopes.at(20, 20) == 0);
    CHECK(slopes.at(30, 30) == doctest::Approx(0.75).epsilon(0.01));
    CHECK(slopes.at(0, 20) == doctest::Approx(0.75).epsilon(0.01));
}

TEST_CASE("curvature: paraboloids, planes, and the sign of crests") {
    TestJob job(1);
    const Ground dome = ground({31, 33}, [](double x, double y) {
        return 50 - (x - 15) * (x - 15) * 0.05 - (y - 16) * (y - 16) * 0.03;
    });
    const auto of_dome = shape::curvature(job.run, dome, kStep, Boundary::bounded);
    CHECK(of_dome.at(15, 16) == doctest::Approx(0.08).epsilon(0.01)); // (0.1 + 0.06) / 2
    CHECK(of_dome.at(4, 25) == doctest::Approx(0.08).epsilon(0.01));
    const Ground plane = ground({31, 33}, [](double x, double y) { return x * 0.5 - y * 2; });
    const auto of_plane = shape::curvature(job.run, plane, kStep, Boundary::bounded);
    for (const float c : of_plane.cells()) {
        CHECK(c == 0);
    }
}

TEST_CASE("ambient occlusion: open planes, a valley, a pit") {
    TestJob job(1);
    const auto at = [&](const Ground &heights, std::int64_t x, std::int64_t y) {
        return shape::ambient_occlusion(job.run, heights, kStep, 24, Boundary::bounded).at(x, y) /
               65535.0;
    };
    const Ground plane = ground({65, 64}, [](double x, double y) { return x - y / 2; });
    const Ground hill =
        ground({65, 65}, [](double x, double y) { return -std::hypot(x - 32, y - 32); });
    CHECK(at(plane, 0, 63) > 0.998); // smoothed copies end level
    CHECK(at(plane, 30, 30) == 1);
    CHECK(at(hill, 32, 32) == 1);
    // Walls of 45 degrees: the mean of 1 / (1 + cos^2) is 1 / sqrt 2; directions are cells here.
    const Ground valley = ground({65, 65}, [](double x, double) { return std::abs(x - 32); });
    CHECK(at(valley, 32, 32) == doctest::Approx(1 / std::sqrt(2)).epsilon(0.04));
    // A cone upside down hides the sky below its slope all around.
    const Ground pit =
        ground({65, 65}, [](double x, double y) { return 2 * std::hypot(x - 32, y - 32); });
    CHECK(at(pit, 32, 32) == doctest::Approx(0.2).epsilon(0.02));
}

TEST_CASE("water: nothing is lost, a plane is drained evenly, a pit takes all") {
    TestJob job(1);
    const auto spread = [&](const Ground &heights, const terrain::DebrisRule &rule) {
        return terrain::spread_water(
            job.run, heights, shape::slopes(job.run, heights, kStep, Boundary::bounded), rule);
    };
    const Ground plane = ground({41, 21}, [](double, double y) { return -y; });
    const auto on_plane = spread(plane, {});
    double last = 0;
    for (std::int64_t x = 0; x < 41; ++x) {
        last += on_plane.area.at(x, 20);
    }
    CHECK(last == doctest::Approx(41 * 21).epsilon(1e-5));
    CHECK(on_plane.area.at(20, 0) == 1);
    CHECK(on_plane.area.at(20, 12) == doctest::Approx(13).epsilon(1e-5));
    CHECK(on_plane.slope_above.at(20, 12) == doctest::Approx(1).epsilon(1e-5));
    const Ground pit =
        ground({21, 21}, [](double x, double y) { return std::hypot(x - 10, y - 10); });
    CHECK(spread(pit, {}).area.at(10, 10) == doctest::Approx(21 * 21).epsilon(1e-5));
    // A cliff of slope 2 above ground of slope 0.25: what it sheds rests below it.
    const Ground cliff =
        ground({5, 200}, [](double, double y) { return y < 20 ? -2 * y : -40 - (y - 20) / 4; });
    const auto below = spread(cliff, {.source = 1, .moving = 0.8, .rest = 0.5, .run_out = 10});
    double rests = 0;
    for (std::int64_t i = 0; i < cliff.size(); ++i) {
        rests += below.debris[i];
        CHECK((below.debris[i] == 0 || i / 5 >= 20));
    }
    CHECK(rests == doctest::Approx(5 * 20).epsilon(0.02)); // 20 rows that are 1 too steep
    CHECK(below.debris.at(2, 30) > below.debris.at(2, 60));
}

TEST_CASE("maps of a valley: stream, wetness, banks") {
    // Sides of slope 0.5, falling by 0.02 along y, cells of 10 m.
    const Ground valley =
        ground({81, 161}, [](double x, double y) { return std::abs(x - 40) * 5 - y * 0.2; });
    HeightmapParams params;
    params.valley_spacing = 1000; // a stream drains 250 cells
    const auto maps =
        maps_of(valley, 10,
                {"slope", "wetness", "drainage_height", "deposition", "cliffs", "ridges"}, params);
    REQUIRE(maps.size() == 6);
    CHECK(value(maps[0], 20, 80) ==
          doctest::Approx(std::atan(std::hypot(0.5, 0.02)) * 57.29578).epsilon(1e-3));
    // 21 cells above a place on the side, all of one slope.
    CHECK(value(maps[1], 20, 80) ==
          doctest::Approx(std::log(21 * 10 / std::hypot(0.5, 0.02))).epsilon(0.03));
    CHECK(value(maps[1], 40, 140) > value(maps[1], 20, 80) + 4);
    CHECK(value(maps[2], 40, 140) == 0);
    CHECK(value(maps[2], 20, 80) == doctest::Approx(20 * 5).epsilon(0.05));
    CHECK(value(maps[3], 20, 80) < 0.01);
    CHECK(value(maps[3], 40, 140) > 0.9);
    for (std::int64_t y = 5; y < 150; ++y) {
        CHECK(value(maps[4], 20, y) == 0);
        CHECK(value(maps[5], 40, y) == 0);
    }
    const Ground roof =
        ground({81, 161}, [](double x, double) { return 400 - std::abs(x - 40) * 15; });
    const auto of_roof = maps_of(roof, 10, {"ridges", "cliffs"}, params); // in the table's order
    CHECK(of_roof[0].name == "cliffs");
    for (std::int64_t y = 5; y < 150; ++y) {
        CHECK(value(of_roof[0], 20, y) == 255); // 56 degrees
        CHECK(value(of_roof[1], 40, y) == 255);
        CHECK(value(of_roof[1], 30, y) == 0);
    }
}

TEST_CASE("heightmap: maps only where asked for, weights sum to 255") {
    const GeneratorInfo &row = find_generator("heightmap");
    for (const Extent2 extent : {Extent2{1, 1}, Extent2{1, 40}, Extent2{33, 20}}) {
        Job job{ParamSet(row.params), extent, 8, 3};
        for (const LayerInfo &layer : row.layers) {
            if (layer.on_request && layer.kind == LayerKind::map) {
                job.layers.push_back(layer.name);
            }
        }
        const Artifact one = row.generate(job, {.threads = 1});
        const Artifact seven = extent.width < 33 ? one : row.generate(job, {.threads = 7});
        REQUIRE(one.layers.size() == 3 + job.layers.size());
        for (const Layer &layer : one.layers) {
            INFO(layer.name);
            CHECK((karst::extent(layer.data) == Extent3{extent.width, extent.height, 1}));
            CHECK(digest(layer.data) == digest(seven.layer(layer.name).data));
        }
        const auto &splat = std::get<Field2D<Rgba8>>(one.layer("splat").data);
        std::size_t channel = 0;
        for (const char *name : {"splat_rock", "splat_grass", "splat_scree", "splat_sediment"}) {
            const auto &single = std::get<Field2D<std::uint8_t>>(one.layer(name).data);
            for (std::int64_t i = 0; i < splat.size(); ++i) {
                CHECK(single[i] == splat[i][channel]);
                CHECK(splat[i][0] + splat[i][1] + splat[i][2] + splat[i][3] == 255);
            }
            ++channel;
        }
    }
    HeightmapParams params;
    CHECK(generate_heightmap(params, {8, 8}, 8, 1).layers.size() == 3);
    params.maps = {"normal", "gloss"};
    CHECK_THROWS_WITH_AS(
        generate_heightmap(params, {8, 8}, 8, 1),
        doctest::Contains("there is no map 'gloss'; allowed is one of elevation, normal, "), Error);
    params.maps = {"slope"};
    CHECK(generate_heightmap(params, {8, 8}, 8, 1).layer("slope").unit == "degrees");
}

TEST_CASE("heightmap: what is not named is left out where only names count") {
    const GeneratorInfo &row = find_generator("heightmap");
    Job job{ParamSet(row.params), {33, 20}, 8, 3};
    const Artifact all = row.generate(job, {});
    job.layers = {"height"};
    CHECK(row.generate(job, {}).layers.size() == 3);
    job.only_named = true;
    for (const char *const name : {"height", "flow", "preview", "wetness"}) {
        job.layers = {name};
        const Artifact some = row.generate(job, {});
        CHECK(some.layers.size() == (std::string_view(name) == "height" ? 1 : 2));
        CHECK(some.measures == all.measures);
        for (const Layer &layer : some.layers) {
            INFO(layer.name);
            CHECK((layer.name == name || layer.name == "height"));
            CHECK((layer.name == "wetness" ||
                   digest(layer.data) == digest(all.layer(layer.name).data)));
        }
    }
}
