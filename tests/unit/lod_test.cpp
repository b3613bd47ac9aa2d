#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include <karst/error.hpp>

#include "shape/gpu_order.hpp"
#include "shape/lod.hpp"
#include "shape/mesh.hpp"
#include "shape/surface.hpp"
#include "shape/volume.hpp"
#include "tests/unit/mesh_checks.hpp"

using namespace karst;
using namespace karst::shape;
using namespace mesh_test;

namespace {

Mesh cave(Outside outside, Extent3 extent = {24, 20, 16}) {
    Job job;
    auto open = soup(extent, 0.5, 4);
    auto density = smooth_density(job.run, open, 0, 0);
    density = box_blur(job.run, density, 2, 3);
    for (auto &cell : open.cells()) { // large, round spaces
        cell = density[&cell - open.data()] > kOpen ? 1 : 0;
    }
    return extract_surface(job.run, smooth_density(job.run, open, 1, 3), 0.5, outside);
}

// Vertices with equal positions as one, so that seams do not count.
Mesh welded(const Mesh &mesh) {
    std::map<Vec3, std::uint32_t> numbers;
    Mesh result;
    for (const std::uint32_t index : mesh.indices) {
        const Vec3 position = mesh.positions[index];
        const auto number = static_cast<std::uint32_t>(numbers.size());
        const auto [at, is_new] = numbers.emplace(position, number);
        if (is_new) {
            result.positions.push_back(position);
        }
        result.indices.push_back(at->second);
    }
    return result;
}

// Triangles by their corners' positions, each from its smallest corner on.
std::multiset<std::array<Vec3, 3>> triangles_of(const MeshPart &part) {
    std::multiset<std::array<Vec3, 3>> all;
    for (std::size_t i = 0; i < part.mesh.indices.size(); i += 3) {
        std::array<Vec3, 3> corner;
        for (std::size_t c = 0; c < 3; ++c) {
            corner[c] = part.mesh.positions[part.mesh.indices[i + c]];
            for (std::size_t a = 0; a < 3; ++a) {
                corner[c][a] += part.pivot[a];
            }
        }
        std::rotate(corner.begin(), std::min_element(corner.begin(), corner.end()), corner.end());
        all.insert(corner);
    }
    return all;
}

std::multiset<std::array<Vec3, 3>> triangles_of(const std::vector<MeshPart> &parts) {
    std::multiset<std::array<Vec3, 3>> all;
    for (const MeshPart &part : parts) {
        all.merge(triangles_of(part));
    }
    return all;
}

std::uint64_t digest_of(const std::vector<MeshPart> &parts) {
    std::uint64_t sum = parts.size();
    for (const MeshPart &part : parts) {
        sum = sum * 31 + digest(part.mesh);
    }
    return sum;
}

} // namespace

TEST_CASE("lod: levels halve and keep their topology and volume") {
    const Mesh mesh = cave(Outside::open);
    Job job;
    const auto parts = lod_chain(job.run, mesh, 4, "cave");
    REQUIRE(parts.size() == 4);
    const Judgement whole = judge(mesh);
    CHECK(whole.euler == -4);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(parts[i].name == "cave_LOD" + std::to_string(i));
        CHECK(parts[i].pivot == Vec3{0, 0, 0});
        const Mesh &level = parts[i].mesh;
        CHECK(level.normals.size() == level.positions.size());
        CHECK(level.uvs.size() == level.positions.size());
        const Judgement verdict = judge(welded(level));
        check_closed(verdict);
        CHECK(verdict.euler == whole.euler);
        CHECK(verdict.parts == whole.parts);
        CHECK(verdict.volume == doctest::Approx(whole.volume).epsilon(0.05));
        CHECK(judge(level).all_used);
        if (i > 0) {
            const std::size_t before = parts[i - 1].mesh.triangles();
            CHECK(level.triangles() <= before * 55 / 100);
            CHECK(level.triangles() >= before * 45 / 100);
        }
    }
    MeshPart all;
    all.mesh = mesh;
    CHECK(triangles_of(parts[0]) == triangles_of(all));
    // In the order of first use.
    std::uint32_t next = 0;
    for (const std::uint32_t index : parts[2].mesh.indices) {
        CHECK(index <= next);
        next = std::max(next, index + 1);
    }
}

TEST_CASE("lod: a sponge of narrow necks stays a manifold") {
    Job job;
    const Mesh mesh = extract_surface(
        job.run, smooth_density(job.run, soup({13, 13, 13}, 0.5, 12), 1, 2), 1, Outside::open);
    const auto parts = lod_chain(job.run, mesh, 4, "sponge");
    for (const MeshPart &part : parts) { // meshoptimizer alone pinches hundreds of its necks
        check_closed(judge(welded(part.mesh)));
    }
    CHECK(parts[1].mesh.triangles() < mesh.triangles() * 9 / 10);
}

TEST_CASE("lod: the mouths of a shell stay where they are") {
    const Mesh mesh = cave(Outside::cut);
    Job job;
    const auto parts = lod_chain(job.run, mesh, 3, "shell");
    const auto border = [](const Mesh &of) {
        std::map<std::pair<Vec3, Vec3>, int> sides;
        for (std::size_t i = 0; i < of.indices.size(); ++i) {
            const Vec3 a = of.positions[of.indices[i]];
            const Vec3 b = of.positions[of.indices[i % 3 == 2 ? i - 2 : i + 1]];
            ++sides[std::minmax(a, b)];
        }
        std::set<std::pair<Vec3, Vec3>> once;
        for (const auto &[side, count] : sides) {
            if (count == 1) {
                once.insert(side);
            }
        }
        return once;
    };
    const auto wanted = border(mesh);
    CHECK(wanted.size() > 20);
    for (const MeshPart &part : parts) {
        CHECK(border(part.mesh) == wanted);
    }
    CHECK(parts[2].mesh.triangles() < mesh.triangles() / 2);
}

TEST_CASE("lod: chunks hold every triangle once") {
    Mesh mesh = cave(Outside::rock);
    Job job;
    add_normals(job.run, mesh);
    for (Vec3 &position : mesh.positions) {
        position[0] -= 6; // chunks on both sides of the origin
    }
    const auto parts = chunks(job.run, mesh, 4, "c");
    CHECK(parts.size() > 12);
    std::size_t triangles = 0;
    std::array<float, 3> last = {-1e9f, -1e9f, -1e9f};
    std::set<std::string> names;
    for (const MeshPart &part : parts) {
        names.insert(part.name);
        triangles += part.mesh.triangles();
        CHECK(judge(part.mesh).all_used);
        CHECK(part.mesh.normals.size() == part.mesh.positions.size());
        for (const Vec3 &position : part.mesh.positions) {
            for (std::size_t a = 0; a < 3; ++a) {
                CHECK(position[a] > -0.6f); // at most one triangle beyond
                CHECK(position[a] < 4.6f);
            }
        }
        const std::array<float, 3> order = {part.pivot[1], part.pivot[2], part.pivot[0]};
        CHECK(last < order);
        last = order;
    }
    CHECK(names.size() == parts.size());
    CHECK(names.count("c_-2_0_0") == 1);
    CHECK(triangles == mesh.triangles());
    CHECK(parts[0].name == "c_-2_0_0");
    CHECK(parts[0].pivot == Vec3{-8, 0, 0});
}

TEST_CASE("lod: collision chunks are few triangles that fit each other") {
    const Mesh mesh = cave(Outside::open);
    Job job;
    MeshPart all;
    all.mesh = mesh;
    CHECK(triangles_of(chunks(job.run, mesh, 4, "c")) == triangles_of(all));
    CHECK(triangles_of(collision_chunks(job.run, mesh, 4, 0, "c")).size() <= mesh.triangles());
    const auto parts = collision_chunks(job.run, mesh, 4, 0.1, "c");
    Mesh together;
    for (const MeshPart &part : parts) {
        CHECK(part.mesh.normals.empty());
        const auto base = static_cast<std::uint32_t>(together.positions.size());
        for (const Vec3 &p : part.mesh.positions) {
            together.positions.push_back(
                {p[0] + part.pivot[0], p[1] + part.pivot[1], p[2] + part.pivot[2]});
        }
        for (const std::uint32_t index : part.mesh.indices) {
            together.indices.push_back(base + index);
        }
    }
    CHECK(together.triangles() < mesh.triangles() * 7 / 10);
    const Judgement verdict = judge(welded(together));
    CHECK(verdict.borders == 0); // the same corners on both sides of every border, bit for bit
    CHECK(verdict.oriented);
    CHECK(verdict.volume == doctest::Approx(judge(mesh).volume).epsilon(0.02));
}

TEST_CASE("lod: parts for 16-bit indices") {
    Job job;
    MeshPart part;
    part.name = "big";
    part.pivot = {1, 2, 3};
    part.mesh = extract_surface(job.run, smooth_density(job.run, soup({40, 40, 40}, 0.5, 1), 0, 0),
                                1, Outside::rock);
    add_normals(job.run, part.mesh);
    REQUIRE(part.mesh.positions.size() > 65535);
    const auto parts = for_short_indices(job.run, part);
    CHECK(parts.size() >= 2);
    std::size_t triangles = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        CHECK(parts[i].name == "big_" + std::to_string(i));
        CHECK(parts[i].pivot == part.pivot);
        CHECK(parts[i].mesh.positions.size() <= 65535);
        CHECK((i + 1 == parts.size() || parts[i].mesh.positions.size() > 65532));
        CHECK(parts[i].mesh.normals.size() == parts[i].mesh.positions.size());
        for (std::size_t k = 0; k < parts[i].mesh.indices.size(); ++k) {
            const std::uint32_t before = part.mesh.indices[3 * triangles + k];
            const std::uint32_t after = parts[i].mesh.indices[k];
            REQUIRE(parts[i].mesh.positions[after] == part.mesh.positions[before]);
            REQUIRE(parts[i].mesh.normals[after] == part.mesh.normals[before]);
        }
        triangles += parts[i].mesh.triangles();
    }
    CHECK(triangles == part.mesh.triangles());
    part.mesh = cave(Outside::rock);
    const auto small = for_short_indices(job.run, part);
    CHECK(small.size() == 1);
    CHECK(small[0].name == "big");
    CHECK(digest(small[0].mesh) == digest(part.mesh));
}

TEST_CASE("lod: the same bytes for 1, 2 and 7 threads, and what is refused") {
    const Mesh mesh = cave(Outside::open, {16, 16, 16});
    std::set<std::uint64_t> digests;
    for (const int threads : {1, 2, 7}) {
        Job job(threads);
        digests.insert(digest_of(lod_chain(job.run, mesh, 3, "a")) +
                       digest_of(collision_chunks(job.run, mesh, 2, 0.1, "b")));
    }
    CHECK(digests.size() == 1);

    Job job;
    const Mesh nothing;
    CHECK(chunks(job.run, nothing, 32, "c").empty());
    CHECK(collision_chunks(job.run, nothing, 32, 0.1, "c").empty());
    CHECK(lod_chain(job.run, nothing, 2, "c")[1].mesh.indices.empty());
    CHECK_THROWS_WITH_AS(lod_chain(job.run, mesh, 0, "c"),
                         "lod_chain: levels is 0; allowed are 1 to 8", Error);
    CHECK_THROWS_WITH_AS(chunks(job.run, mesh, 0, "c"),
                         "chunks: chunk_metres is 0.000000 m; allowed is 0.001000 or more", Error);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(collision_chunks(job.run, mesh, 32, nan, "c"), Error);
    CHECK_THROWS_AS(collision_chunks(job.run, mesh, 32, -1, "c"), Error);
    Mesh broken = mesh;
    broken.positions[broken.indices[0]][1] = std::numeric_limits<float>::quiet_NaN();
    CHECK_THROWS_AS(chunks(job.run, broken, 32, "c"), Error);
    broken.positions[broken.indices[0]][1] = 1e30f;
    CHECK_THROWS_AS(chunks(job.run, broken, 32, "c"), Error);
    broken.indices[0] = 1u << 31;
    CHECK_THROWS_AS(lod_chain(job.run, broken, 2, "c"), Error);
}

TEST_CASE("gpu order: of each part on its own, vertices in the order of their first use") {
    Job job;
    Mesh mesh = cave(Outside::cut);
    add_normals(job.run, mesh);
    mesh = with_box_uvs(job.run, mesh);
    const auto range = [](const Mesh &of, std::size_t begin, std::size_t end) {
        MeshPart part;
        part.mesh.positions = of.positions;
        part.mesh.indices.assign(of.indices.begin() + static_cast<std::ptrdiff_t>(3 * begin),
                                 of.indices.begin() + static_cast<std::ptrdiff_t>(3 * end));
        return part;
    };
    const auto vertices = [](const Mesh &of) {
        std::multiset<std::tuple<Vec3, Vec3, Vec2>> all;
        for (std::size_t i = 0; i < of.positions.size(); ++i) {
            all.emplace(of.positions[i], of.normals[i], of.uvs[i]);
        }
        return all;
    };
    const std::size_t triangles = mesh.triangles();
    REQUIRE(triangles > 2000);
    for (const std::size_t together :
         {std::size_t{1}, std::size_t{333}, triangles, kTrianglesTogether}) {
        const Mesh ordered = in_gpu_order(job.run, mesh, together);
        REQUIRE(ordered.triangles() == triangles);
        CHECK(vertices(ordered) == vertices(mesh));
        const std::size_t parts = (triangles + together - 1) / together;
        for (std::size_t i = 0; i < parts; i += 1 + parts / 40) {
            const std::size_t begin = triangles * i / parts;
            const std::size_t end = triangles * (i + 1) / parts;
            CHECK(triangles_of(range(ordered, begin, end)) ==
                  triangles_of(range(mesh, begin, end)));
        }
        std::uint32_t next = 0;
        for (const std::uint32_t index : ordered.indices) {
            REQUIRE(index <= next);
            next = std::max(next, index + 1);
        }
        CHECK(next == ordered.positions.size());
        for (const int threads : {1, 2, 7}) {
            Job other(threads);
            CHECK(digest(in_gpu_order(other.run, mesh, together)) == digest(ordered));
        }
    }
    // A part is as if it stood alone: its vertices are those of the whole.
    const Mesh whole = in_gpu_order(job.run, mesh, (triangles + 1) / 2);
    MeshPart half = range(mesh, 0, triangles / 2);
    half.mesh = in_gpu_order(job.run, half.mesh);
    CHECK(std::equal(half.mesh.indices.begin(), half.mesh.indices.end(), whole.indices.begin()));
    Mesh none;
    CHECK(in_gpu_order(job.run, none).positions.empty());
}
