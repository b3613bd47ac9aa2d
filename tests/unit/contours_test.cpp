#include <cmath>
#include <limits>

#include <karst/error.hpp>

#include "shape/contours.hpp"
#include "shape/shape.hpp"
#include "shape/surface.hpp"
#include "tests/unit/mesh_checks.hpp"

using namespace karst;
using namespace karst::shape;
using namespace mesh_test;

namespace {

using Map = Field2D<std::uint8_t>;

Map map_of(const std::vector<const char *> &rows) {
    Map map({static_cast<std::int64_t>(std::char_traits<char>::length(rows[0])),
             static_cast<std::int64_t>(rows.size())});
    for (std::int64_t i = 0; i < map.size(); ++i) {
        map[i] = rows[static_cast<std::size_t>(i / map.width())][i % map.width()] == '.' ? 1 : 0;
    }
    return map;
}

Map flat_soup(Extent2 extent, double share, unsigned seed) {
    const auto volume = soup({extent.width, extent.height, 1}, share, seed);
    Map map(extent);
    std::copy(volume.cells().begin(), volume.cells().end(), map.cells().begin());
    return map;
}

std::vector<Contour> contours_of(const Map &map, double cell = 1, int passes = 0) {
    Job job;
    return contours(job.run, smooth_density(job.run, map, 1, passes), cell);
}

// Positive counter-clockwise seen from above; y grows to the south.
double area(const Contour &contour) {
    double sum = 0;
    for (std::size_t i = 0; i < contour.points.size(); ++i) {
        const Vec2 a = contour.points[i];
        const Vec2 b = contour.points[(i + 1) % contour.points.size()];
        sum += (double{b[0]} * a[1] - double{a[0]} * b[1]) / 2;
    }
    return sum;
}

std::size_t count_regions(const Map &map, std::uint8_t value, Connectivity connectivity) {
    Map padded({map.width() + 2, map.height() + 2});
    std::fill(padded.cells().begin(), padded.cells().end(), value == 0 ? 1 : 0);
    for (std::int64_t y = 0; y < map.height(); ++y) {
        for (std::int64_t x = 0; x < map.width(); ++x) {
            padded.at(x + 1, y + 1) = map.at(x, y) == value ? 1 : 0;
        }
    }
    Job job;
    return regions(job.run, padded, connectivity, Boundary::bounded).regions.size();
}

} // namespace

TEST_CASE("contours: a cell, a ring, and corners that touch") {
    const auto one = contours_of(map_of({"."}), 2);
    REQUIRE(one.size() == 1);
    CHECK(one[0].points == std::vector<Vec2>{{1, 0}, {0, 1}, {1, 2}, {2, 1}});
    CHECK(area(one[0]) == doctest::Approx(2));

    const auto ring = contours_of(map_of({"#####", "#...#", "#.#.#", "#...#", "#####"}));
    REQUIRE(ring.size() == 2);
    CHECK(area(ring[0]) == doctest::Approx(8.5)); // 3 x 3 less four cut corners
    CHECK(area(ring[1]) == doctest::Approx(-0.5));

    CHECK(contours_of(map_of({".#", "#."})).size() == 2); // open ground is apart
    CHECK(contours_of(map_of({"....", ".#..", "..#.", "...."})).size() == 2); // rock is joined
    CHECK(contours_of(map_of({"###"})).empty());
    CHECK(contours_of(map_of({"..."})).size() == 1);
}

TEST_CASE("contours: as many as regions and holes, around their areas") {
    unsigned seed = 10;
    for (const Extent2 extent :
         {Extent2{1, 1}, Extent2{1, 9}, Extent2{8, 1}, Extent2{13, 17}, Extent2{64, 9}}) {
        for (const double share : {0.3, 0.5, 0.7}) {
            const Map map = flat_soup(extent, share, ++seed);
            const double open =
                static_cast<double>(std::count(map.cells().begin(), map.cells().end(), 1));
            for (const int passes : {0, 3}) {
                const auto all = contours_of(map, 1, passes);
                const std::size_t outer = count_regions(map, 1, Connectivity::four);
                const std::size_t rocks = count_regions(map, 0, Connectivity::eight);
                std::size_t positive = 0;
                double sum = 0;
                for (const Contour &contour : all) {
                    positive += area(contour) > 0 ? 1u : 0u;
                    sum += area(contour);
                }
                CHECK(positive == outer);
                CHECK(all.size() == outer + rocks - 1);
                CHECK(sum > 0.1 * open - 1e-6);
                CHECK(sum < 1.5 * open + 1e-6);
            }
        }
    }
}

TEST_CASE("contours: smooth, within the map, starts in order") {
    Map disc({31, 31});
    for (std::int64_t i = 0; i < disc.size(); ++i) {
        const std::int64_t x = i % 31 - 15, y = i / 31 - 15;
        disc[i] = x * x + y * y <= 150 ? 1 : 0;
    }
    const auto round = contours_of(disc, 1, 4);
    REQUIRE(round.size() == 1);
    double worst = 0;
    for (const Vec2 &p : round[0].points) {
        worst = std::max(worst, std::abs(std::hypot(p[0] - 15.5, p[1] - 15.5) - std::sqrt(150)));
    }
    CHECK(worst < 0.5);
    const auto all = contours_of(flat_soup({40, 30}, 0.5, 3), 0.5, 2);
    for (const Contour &contour : all) {
        CHECK(contour.points.size() >= 4);
        for (const Vec2 &p : contour.points) {
            CHECK((p[0] >= 0 && p[0] <= 20 && p[1] >= 0 && p[1] <= 15));
        }
    }
}

TEST_CASE("walls: closed with floor and ceiling, in loops without") {
    unsigned seed = 50;
    for (const Extent2 extent : {Extent2{1, 1}, Extent2{1, 5}, Extent2{7, 6}, Extent2{20, 31}}) {
        const Map map = flat_soup(extent, 0.6, ++seed);
        Job job;
        const auto density = smooth_density(job.run, map, 1, 3);
        const auto outlines = contours(job.run, density, 0.5);
        double ground = 0;
        for (const Contour &contour : outlines) {
            ground += area(contour);
        }
        const auto components = count_regions(map, 1, Connectivity::four);
        for (int faces = 0; faces < 4; ++faces) {
            const bool floor = (faces & 1) != 0, ceiling = (faces & 2) != 0;
            const Mesh mesh = extruded_walls(job.run, density, 0.5, 3, floor, ceiling);
            const Judgement verdict = judge(mesh);
            check_manifold(verdict);
            CHECK(verdict.loops == outlines.size() * ((floor ? 0u : 1u) + (ceiling ? 0u : 1u)));
            if (floor || ceiling) {
                CHECK(verdict.parts == components);
            }
            if (floor && ceiling) {
                // The faces look inwards, so the air counts negative.
                CHECK(verdict.volume == doctest::Approx(-3 * ground).epsilon(1e-4));
                CHECK(verdict.euler == 2 * (2 * static_cast<std::int64_t>(components) -
                                            static_cast<std::int64_t>(outlines.size())));
                CHECK(digest(extruded_walls(job.run, map, 0.5, 3, true, true)) == digest(mesh));
            }
        }
    }
}

TEST_CASE("walls: where things are") {
    Job job;
    const Mesh mesh = extruded_walls(job.run, map_of({"###", "#.#", "###"}), 1, 2.5, true, false);
    CHECK(mesh.positions.size() == 5 + 4);
    CHECK(mesh.triangles() == 4 * 1 + 4 * 2);
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(mesh.positions[i][1] == 0);
    }
    CHECK(mesh.positions[2] == Vec3{1.5f, 0, 1.5f}); // the sample, after north and west of it
    for (std::size_t i = 5; i < 9; ++i) {
        CHECK(mesh.positions[i][1] == 2.5f);
    }
    CHECK(extruded_walls(job.run, map_of({"##"}), 1, 1, true, true).positions.empty());
}

TEST_CASE("contours: the same for 1, 2 and 7 threads, and what is refused") {
    const Map map = flat_soup({65, 63}, 0.55, 77);
    std::set<std::uint64_t> digests;
    std::vector<std::vector<Contour>> all;
    for (const int threads : {1, 2, 7}) {
        Job job(threads);
        digests.insert(digest(extruded_walls(job.run, map, 0.3, 4, true, true)));
        all.push_back(contours(job.run, smooth_density(job.run, map, 2, 2), 0.3));
    }
    CHECK(digests.size() == 1);
    CHECK(all[0] == all[1]);
    CHECK(all[0] == all[2]);

    Job job;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH_AS(contours_of(map, 0),
                         "contours: cell is 0.000000 m; allowed is more than 0", Error);
    CHECK_THROWS_AS(extruded_walls(job.run, map, nan, 1, true, true), Error);
    CHECK_THROWS_WITH_AS(extruded_walls(job.run, map, 1, -1, true, true),
                         "extruded_walls: wall_height is -1.000000 m; allowed is more than 0",
                         Error);
    CHECK_THROWS_AS(contours(job.run, Field2D<std::uint16_t>({65537, 1}), 1), Error);
    CHECK_THROWS_AS(contours(job.run, Field2D<std::uint16_t>(), 1), Error);
}
