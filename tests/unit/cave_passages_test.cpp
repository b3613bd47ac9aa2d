// Passages of caves: what joins hand-made sites over a toll without a pattern.
#include <doctest/doctest.h>

#include <karst/cave_volume.hpp>

#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "generators/cave_volume.hpp"
#include "shape/volume.hpp"

using namespace karst;
using cave_volume::Grid;
using cave_volume::Sites;
using shape::VolumeMask;

namespace {

using Place = std::array<std::int64_t, 3>;

struct Ground {
    Extent3 extent;
    CaveVolumeParams params;
    Field3D<std::uint32_t> toll;
    core::Run run{Options{}};

    explicit Ground(Extent3 size) : extent(size), toll(size) {
        params.passage_width = 4;
        params.passage_spacing = 20;
        params.loops = 0;
        for (auto &value : toll.cells()) {
            value = 100;
        }
    }

    VolumeMask passages(const std::vector<Place> &places) {
        Grid grid;
        grid.output = grid.extent = extent;
        Sites sites;
        for (const auto &[x, y, z] : places) {
            sites.cells.push_back((z * extent.height + y) * extent.width + x);
        }
        std::sort(sites.cells.begin(), sites.cells.end());
        return cave_volume::find_passages(run, params, grid, toll, sites);
    }
};

std::int64_t count(const VolumeMask &path) {
    return std::accumulate(path.cells().begin(), path.cells().end(), std::int64_t{0});
}

// Columns in which a passage runs over or under another and would cut it: 2 to `clear` cells apart.
std::int64_t cut_columns(const VolumeMask &path, std::int64_t clear) {
    std::int64_t cut = 0;
    for (std::int64_t y = 0; y < path.height(); ++y) {
        for (std::int64_t x = 0; x < path.width(); ++x) {
            std::int64_t last = -1000;
            bool found = false;
            for (std::int64_t z = 0; z < path.depth(); ++z) {
                if (path.at(x, y, z) != 0) {
                    found |= z - last >= 2 && z - last <= clear;
                    last = z;
                }
            }
            cut += found ? 1 : 0;
        }
    }
    return cut;
}

bool in_one(core::Run &run, const VolumeMask &path) {
    return shape::regions(run, path, shape::Adjacency::six).regions.size() == 1;
}

} // namespace

TEST_CASE("cave passages: the nearest sites, level and straight on even ground") {
    Ground ground({60, 30, 20});
    const VolumeMask path = ground.passages({{5, 15, 10}, {25, 15, 10}, {50, 15, 10}});
    CHECK(count(path) == 46);
    for (std::int64_t x = 5; x <= 50; ++x) {
        CHECK(path.at(x, 15, 10) == 1);
    }
}

TEST_CASE("cave passages: one site, and none") {
    Ground ground({9, 7, 5});
    CHECK(count(ground.passages({{4, 3, 2}})) == 1);
    CHECK(count(ground.passages({})) == 0);
}

TEST_CASE("cave passages: a steep pair turns once beside the straight line") {
    Ground ground({60, 60, 40});
    const VolumeMask path = ground.passages({{20, 30, 10}, {40, 30, 28}}); // 18 up over 20
    CHECK(in_one(ground.run, path));
    std::int64_t farthest = 0;
    for (std::int64_t i = 0; i < path.size(); ++i) {
        if (path[i] != 0) {
            farthest = std::max(farthest, std::abs(i / 60 % 60 - 30));
        }
    }
    CHECK(farthest == 19); // both legs 18 * 5 / 4 cells: the root of 22^2 - 10^2
    CHECK(cut_columns(path, 6) <= 2);
    const VolumeMask gentle = ground.passages({{20, 30, 10}, {40, 30, 18}});
    for (std::int64_t i = 0; i < gentle.size(); ++i) {
        CHECK((gentle[i] == 0 || i / 60 % 60 == 30));
    }
}

TEST_CASE("cave passages: a site far from all others is joined none the less") {
    Ground ground({200, 20, 20});
    const VolumeMask path = ground.passages({{5, 10, 10}, {20, 10, 10}, {190, 10, 4}});
    CHECK(in_one(ground.run, path));
    CHECK(path.at(190, 10, 4) == 1);
}

TEST_CASE("cave passages: of crowded sites on many levels few cut one another") {
    std::mt19937 draw(5);
    const auto below = [&](std::int64_t n) {
        return static_cast<std::int64_t>(draw() % static_cast<std::uint32_t>(n));
    };
    std::int64_t cells = 0;
    std::int64_t cut = 0;
    for (int round = 0; round < 6; ++round) {
        Ground ground({90, 90, 60});
        std::set<Place> places;
        while (places.size() < 40) {
            places.insert({5 + below(80), 5 + below(80), 5 + below(50)});
        }
        const VolumeMask path = ground.passages({places.begin(), places.end()});
        CHECK(in_one(ground.run, path));
        cells += count(path);
        cut += cut_columns(path, 6);
    }
    CAPTURE(cells);
    CAPTURE(cut);
    CHECK(cut * 150 < cells); // heedless of one another they cut in one of 50
    CHECK(cells > 6000);
}
