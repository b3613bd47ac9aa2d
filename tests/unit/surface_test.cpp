#include <cmath>
#include <limits>

#include <karst/error.hpp>

#include "shape/mesh.hpp"
#include "shape/surface.hpp"
#include "tests/unit/mesh_checks.hpp"

using namespace karst;
using namespace karst::shape;
using namespace mesh_test;

namespace {

Field3D<std::uint16_t> sharp(const Field3D<std::uint8_t> &open) {
    Job job;
    return smooth_density(job.run, open, 0, 0);
}

Mesh surface(const Field3D<std::uint16_t> &density, Outside outside, double cell = 1,
             int threads = 1) {
    Job job(threads);
    return extract_surface(job.run, density, cell, outside);
}

Field3D<std::uint8_t> box(Extent3 extent, std::uint8_t value) {
    Field3D<std::uint8_t> open(extent);
    std::fill(open.cells().begin(), open.cells().end(), value);
    return open;
}

double cells_open(const Field3D<std::uint8_t> &open) {
    return static_cast<double>(std::count(open.cells().begin(), open.cells().end(), 1));
}

// Everything that a closed surface owes to its cells.
void check_topology(const Field3D<std::uint8_t> &open, const Mesh &mesh, Outside outside) {
    const Judgement verdict = judge(mesh);
    check_closed(verdict);
    const std::int64_t air = components(open, true, outside == Outside::open ? 1 : 0);
    const std::int64_t rock = components(open, false, outside == Outside::open ? 1 : 0);
    // Regions and the surfaces between them make a tree.
    CHECK(static_cast<std::int64_t>(verdict.parts) == air + rock - 1);
    if (outside == Outside::rock) {
        CHECK(verdict.euler == 2 * euler_of_open(open));
    }
}

} // namespace

TEST_CASE("surface: all 256 ways to fill 2 x 2 x 2 cells") {
    for (unsigned cells = 0; cells < 256; ++cells) {
        Field3D<std::uint8_t> open({2, 2, 2});
        for (std::int64_t i = 0; i < 8; ++i) {
            open[i] = cells >> i & 1;
        }
        for (const Outside outside : {Outside::rock, Outside::open}) {
            check_topology(open, surface(sharp(open), outside), outside);
        }
        const Mesh cut = surface(sharp(open), Outside::cut);
        const Judgement verdict = judge(cut);
        check_manifold(verdict);
        CHECK((cells == 0 || cells == 255 ? cut.indices.empty() : verdict.borders > 0));
    }
}

TEST_CASE("surface: soups of every density keep their topology") {
    unsigned seed = 0;
    for (const Extent3 extent : {Extent3{1, 1, 1}, Extent3{1, 7, 1}, Extent3{2, 3, 1},
                                 Extent3{5, 4, 7}, Extent3{9, 9, 9}, Extent3{17, 3, 8}}) {
        for (const double share : {0.1, 0.3, 0.5, 0.7, 0.9}) {
            const auto open = soup(extent, share, ++seed);
            Job job;
            const auto smooth = smooth_density(job.run, open, 1, 2);
            for (const Outside outside : {Outside::rock, Outside::open}) {
                check_topology(open, surface(sharp(open), outside), outside);
                check_topology(open, surface(smooth, outside), outside);
            }
            const Mesh cut = surface(smooth, Outside::cut);
            check_manifold(judge(cut));
        }
    }
}

TEST_CASE("surface: a single cell") {
    for (const auto &[value, outside] :
         {std::pair(std::uint8_t{1}, Outside::rock), std::pair(std::uint8_t{0}, Outside::open)}) {
        const Mesh mesh = surface(sharp(box({1, 1, 1}, value)), outside, 2);
        CHECK(mesh.positions.size() == 6);
        CHECK(mesh.triangles() == 8);
        // The vertices lie on the border of the cell, in the order of z, then y, then x.
        const std::vector<Vec3> expected = {{1, 0, 1}, {1, 1, 0}, {0, 1, 1},
                                            {2, 1, 1}, {1, 1, 2}, {1, 2, 1}};
        CHECK(mesh.positions == expected);
        const double octahedron = 8.0 / 6;
        CHECK(judge(mesh).volume ==
              doctest::Approx(outside == Outside::rock ? -octahedron : octahedron));
    }
    CHECK(surface(sharp(box({1, 1, 1}, 0)), Outside::rock).positions.empty());
    CHECK(surface(sharp(box({1, 1, 1}, 1)), Outside::open).positions.empty());
    CHECK(surface(sharp(box({1, 1, 1}, 0)), Outside::cut).positions.empty());
    CHECK(surface(sharp(box({1, 1, 1}, 1)), Outside::cut).positions.empty());
}

TEST_CASE("surface: a vertex lies where the density is half way") {
    Field3D<std::uint16_t> density({3, 1, 1});
    density.at(0, 0, 0) = kOpen - 1 - 300;
    density.at(1, 0, 0) = kOpen + 100;
    density.at(2, 0, 0) = 0;
    const Mesh mesh = surface(density, Outside::cut, 0.5);
    CHECK(mesh.positions.size() == 18); // two squares of 3 x 3
    std::set<float> places;
    for (const Vec3 &p : mesh.positions) {
        places.insert(p[0]);
        CHECK((p[1] == 0 || p[1] == 0.25f || p[1] == 0.5f));
        CHECK((p[2] == 0 || p[2] == 0.25f || p[2] == 0.5f));
    }
    CHECK(places.size() == 2);
    CHECK(*places.begin() == doctest::Approx(0.5 * (0.5 + 300.5 / 401)));
    CHECK(*places.rbegin() == doctest::Approx(0.5 * (1.5 + 1.0 / 16))); // held off the sample
    CHECK(judge(mesh).borders == 16);
}

TEST_CASE("surface: axes, orientation and volume") {
    // An open box of 3 x 5 x 4 cells (east, south, up) at (2, 3, 1).
    Field3D<std::uint8_t> open({8, 11, 7});
    for (std::int64_t z = 1; z < 5; ++z) {
        for (std::int64_t y = 3; y < 8; ++y) {
            for (std::int64_t x = 2; x < 5; ++x) {
                open.at(x, y, z) = 1;
            }
        }
    }
    const Mesh mesh = surface(sharp(open), Outside::rock, 2);
    Vec3 low = mesh.positions[0], high = low;
    for (const Vec3 &p : mesh.positions) {
        for (std::size_t a = 0; a < 3; ++a) {
            low[a] = std::min(low[a], p[a]);
            high[a] = std::max(high[a], p[a]);
        }
    }
    CHECK(low == Vec3{4, 2, 6}); // X = x, Y = z, Z = y
    CHECK(high == Vec3{10, 10, 16});
    const Judgement verdict = judge(mesh);
    check_closed(verdict);
    CHECK(verdict.euler == 2);
    // The front is the air's side, so the air inside counts negative; edges are cut off.
    CHECK(verdict.volume < -0.8 * 480);
    CHECK(verdict.volume > -480);

    const Judgement block = judge(surface(sharp(open), Outside::open, 2));
    check_closed(block);
    CHECK(block.parts == 2);
    CHECK(block.volume > 0.93 * (8 * 8 * 11 * 7 - 480));
    CHECK(block.volume < 8 * 8 * 11 * 7 - 0.8 * 480);
}

TEST_CASE("surface: a ball has its volume, no stairs, and true normals") {
    const double radius = std::sqrt(88.0); // no single cells at its poles
    Field3D<std::uint8_t> open({25, 25, 25});
    for (std::int64_t i = 0; i < open.size(); ++i) {
        const auto square = [](std::int64_t at) { return (at - 12) * (at - 12); };
        const bool inside = square(i % 25) + square(i / 25 % 25) + square(i / 625) <= 88;
        open[i] = inside ? 1 : 0;
    }
    Job job;
    Mesh mesh = surface(smooth_density(job.run, open, 1, 4), Outside::rock);
    const Judgement verdict = judge(mesh);
    check_closed(verdict);
    CHECK(verdict.euler == 2);
    CHECK(-verdict.volume == doctest::Approx(cells_open(open)).epsilon(0.04));

    add_normals(job.run, mesh);
    double error = 0, turn = 0, worst = 1;
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
        double inward = 0, length = 0, distance = 0;
        for (std::size_t a = 0; a < 3; ++a) {
            const double from_centre = double{mesh.positions[i][a]} - 12.5;
            inward -= from_centre * mesh.normals[i][a];
            distance += from_centre * from_centre;
            length += double{mesh.normals[i][a]} * mesh.normals[i][a];
        }
        distance = std::sqrt(distance);
        CHECK(length == doctest::Approx(1).epsilon(1e-6));
        error += (distance - radius) * (distance - radius);
        turn += 1 - inward / distance;
        worst = std::min(worst, inward / distance);
    }
    const auto count = static_cast<double>(mesh.positions.size());
    CHECK(std::sqrt(error / count) < 0.15); // cells; the stairs of the cells are 0.3
    CHECK(turn / count < 0.012);            // 1 - cosine to the radius: 9 degrees
    CHECK(worst > 0.85);
}

TEST_CASE("surface: a passage through a block") {
    Field3D<std::uint8_t> open({9, 7, 7});
    for (std::int64_t x = 0; x < 9; ++x) {
        for (std::int64_t i = 0; i < 9; ++i) {
            open.at(x, 2 + i % 3, 2 + i / 3) = 1;
        }
    }
    Job job;
    const auto density = smooth_density(job.run, open, 1, 2);
    const Judgement solid = judge(surface(density, Outside::open));
    check_closed(solid);
    CHECK(solid.euler == 0); // a torus
    CHECK(solid.parts == 1);
    CHECK(solid.volume > 0);

    const Mesh shell = surface(density, Outside::cut);
    const Judgement verdict = judge(shell);
    check_manifold(verdict);
    CHECK(verdict.loops == 2); // one a mouth
    CHECK(verdict.euler == 0); // a tube
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> sides;
    for (std::size_t i = 0; i < shell.indices.size(); ++i) {
        const std::uint32_t a = shell.indices[i];
        const std::uint32_t b = shell.indices[i % 3 == 2 ? i - 2 : i + 1];
        ++sides[std::minmax(a, b)];
    }
    for (const auto &[side, count] : sides) {
        const float x = shell.positions[side.first][0];
        if (count == 1) {
            CHECK((x == 0 || x == 9)); // the loops lie on the border
            CHECK(shell.positions[side.second][0] == x);
        }
    }
    const Judgement capped = judge(surface(density, Outside::rock));
    check_closed(capped);
    CHECK(capped.euler == 2);
    CHECK(capped.volume == doctest::Approx(-81).epsilon(0.25)); // thin, so its edges count
}

TEST_CASE("surface: a mirrored volume has the mirrored topology, a turned block the same size") {
    const auto open = soup({7, 7, 7}, 0.5, 99);
    Field3D<std::uint8_t> mirrored({7, 7, 7});
    for (std::int64_t z = 0; z < 7; ++z) {
        for (std::int64_t y = 0; y < 7; ++y) {
            for (std::int64_t x = 0; x < 7; ++x) {
                mirrored.at(6 - x, z, y) = open.at(x, y, z);
            }
        }
    }
    const Mesh a = surface(sharp(open), Outside::rock);
    const Mesh b = surface(sharp(mirrored), Outside::rock);
    CHECK(a.positions.size() == b.positions.size());
    CHECK(a.triangles() == b.triangles());
    CHECK(judge(a).euler == judge(b).euler);
}

TEST_CASE("surface: the same bytes for 1, 2 and 7 threads") {
    const auto open = soup({33, 18, 21}, 0.45, 5);
    std::vector<std::uint64_t> digests;
    for (const int threads : {1, 2, 7}) {
        Job job(threads);
        const auto density = smooth_density(job.run, open, 2, 3);
        for (const Outside outside : {Outside::open, Outside::rock, Outside::cut}) {
            Mesh mesh = extract_surface(job.run, density, 0.37, outside);
            add_normals(job.run, mesh);
            mesh = with_box_uvs(job.run, mesh);
            add_tangents(job.run, mesh);
            digests.push_back(digest(mesh));
        }
    }
    for (std::size_t i = 3; i < digests.size(); ++i) {
        CHECK(digests[i] == digests[i % 3]);
    }
    CHECK(digests[0] != digests[1]);
}

TEST_CASE("smooth density: its open cells are the mask's") {
    const auto open = soup({13, 9, 11}, 0.4, 3);
    Job job;
    for (const int passes : {0, 1, 5}) {
        const auto density = smooth_density(job.run, open, 2, passes);
        for (std::int64_t i = 0; i < open.size(); ++i) {
            CHECK((density[i] >= kOpen) == (open[i] != 0));
        }
    }
    // A flat floor is a flat floor, one cell above another it stays half way.
    Field3D<std::uint8_t> floor({5, 5, 12});
    for (std::int64_t i = 5 * 5 * 6; i < floor.size(); ++i) {
        floor[i] = 1;
    }
    const Mesh mesh = surface(smooth_density(job.run, floor, 1, 3), Outside::cut);
    for (const Vec3 &p : mesh.positions) {
        CHECK(p[1] == doctest::Approx(6).epsilon(0.001));
    }
    Field3D<std::uint8_t> sevens = open;
    for (auto &cell : sevens.cells()) {
        cell = cell != 0 ? 7 : 0;
    }
    CHECK(smooth_density(job.run, sevens, 1, 1) == smooth_density(job.run, open, 1, 1));
}

TEST_CASE("surface: what is refused") {
    Job job;
    const Field3D<std::uint16_t> one({1, 1, 1});
    CHECK_THROWS_WITH_AS(extract_surface(job.run, one, 0, Outside::open),
                         "extract_surface: cell is 0.000000 m; allowed is more than 0", Error);
    CHECK_THROWS_AS(
        extract_surface(job.run, one, std::numeric_limits<double>::quiet_NaN(), Outside::open),
        Error);
    CHECK_THROWS_AS(
        extract_surface(job.run, one, std::numeric_limits<double>::infinity(), Outside::open),
        Error);
    CHECK_THROWS_WITH_AS(extract_surface(job.run, Field3D<std::uint16_t>(), 1, Outside::open),
                         "extract_surface: width is 0; allowed are 1 to 65536", Error);
    CHECK_THROWS_WITH_AS(
        extract_surface(job.run, Field3D<std::uint16_t>({1, 65537, 1}), 1, Outside::open),
        "extract_surface: height is 65537; allowed are 1 to 65536", Error);
    CHECK_THROWS_AS(smooth_density(job.run, Field3D<std::uint8_t>({1, 1, 1}), 128, 1), Error);
    CHECK_THROWS_AS(smooth_density(job.run, Field3D<std::uint8_t>({1, 1, 1}), 1, 1001), Error);
    Options little;
    little.memory_limit = 1000;
    core::Run tight(little);
    CHECK_THROWS_AS(extract_surface(tight, Field3D<std::uint16_t>({20, 20, 20}), 1, Outside::open),
                    Error);
}
