#include "erosion_cases.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/rng.hpp"
#include "generators/terrain_erosion.hpp"

namespace karst::test {

namespace {

using Heights = Field2D<std::int32_t>;

std::int64_t draw(std::int64_t i, std::int64_t range) {
    const std::uint64_t hash = core::mix64(77 + core::mix64(static_cast<std::uint64_t>(i)));
    return static_cast<std::int64_t>(hash % static_cast<std::uint64_t>(range));
}

std::int32_t noise(std::int64_t x, std::int64_t y) {
    return static_cast<std::int32_t>(draw(y * 100000 + x, 60000));
}

std::int32_t plain(std::int64_t, std::int64_t) {
    return 4000;
}

// Hills of 60 cells, with a pit here and there.
std::int32_t hills(std::int64_t x, std::int64_t y) {
    const std::int64_t slope = std::abs(x % 120 - 60) * 900 + std::abs(y % 140 - 70) * 700;
    return static_cast<std::int32_t>(slope + y * 90 + draw(y * 100000 + x, 1500));
}

// A bowl over many tiles, wherever the map is large; its rim is far from round.
std::int32_t bowl(std::int64_t x, std::int64_t y) {
    const std::int64_t u = x - 150;
    const std::int64_t v = y - 140;
    return static_cast<std::int32_t>((u * u + v * v + u * v / 3) * 3 + draw(x * 7 + y * 65537, 40));
}

// A valley in rings that are open at one place each, so that water goes round and round.
std::int32_t spiral(std::int64_t x, std::int64_t y) {
    const std::int64_t u = std::abs(x - 130);
    const std::int64_t v = std::abs(y - 128);
    const std::int64_t ring = std::max(u, v);
    const bool wall = ring % 6 == 0 && !(x > 130 && y - 128 == ring % 5);
    return static_cast<std::int32_t>((wall ? 900000 : 0) + (300 - ring) * 40 +
                                     draw(x + y * 999, 3));
}

using Shape = std::int32_t (*)(std::int64_t x, std::int64_t y);

ErosionCase make(std::string name, Extent2 extent, Shape shape, std::int64_t outlets) {
    ErosionCase c{std::move(name),
                  {Heights(extent), Field2D<std::uint8_t>(extent), Field2D<std::uint16_t>(extent),
                   Field2D<std::uint16_t>(extent)},
                  {},
                  {}};
    std::int64_t count = 0;
    for (std::int64_t y = 0; y < extent.height; ++y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            const std::int64_t i = y * extent.width + x;
            c.soil.heights[i] = shape(x, y);
            c.soil.uplift[i] = static_cast<std::uint16_t>(13107 + draw(i, 40000));
            c.soil.softness[i] = static_cast<std::uint16_t>(100 + draw(i / 9, 400));
            const bool border = x == 0 || y == 0 || x + 1 == extent.width || y + 1 == extent.height;
            c.soil.outlets[i] = border && outlets > 0 && count++ % outlets == 0 ? 1 : 0;
        }
    }
    c.pass.power = {4000, 3, 30000, 8000};
    c.pass.creep = {400, 30000, 65536 / 12};
    c.pass.creeps = 2;
    c.pass.carrying = 90;
    c.pass.lift = 300;
    c.pass.planing = 200;
    c.pass.rise = 20;
    c.pass.plane = 12000;
    return c;
}

} // namespace

std::vector<ErosionCase> erosion_cases() {
    std::vector<ErosionCase> cases;
    for (const Extent2 e : std::array<Extent2, 8>{
             {{1, 1}, {1, 9}, {70, 1}, {63, 64}, {65, 65}, {64, 200}, {257, 130}, {2, 300}}}) {
        cases.push_back(
            make("noise-" + std::to_string(e.width) + "x" + std::to_string(e.height), e, noise, 7));
    }
    cases.push_back(make("no-outlet-100x130", {100, 130}, noise, 0));
    cases.push_back(make("flat-130x100", {130, 100}, plain, 50));
    cases.push_back(make("hills-700x500", {700, 500}, hills, 97));
    cases.push_back(make("lake-300x280", {300, 280}, bowl, 1000));
    cases.push_back(make("spiral-260x256", {260, 256}, spiral, 2000));
    cases.push_back(make("strata-300x200", {300, 200}, hills, 60));
    cases.back().bedrock.strata.height = 20000;
    cases.back().bedrock.strata.strength = 256;
    for (std::size_t layer = 0; layer < rules::Strata::kLayers; ++layer) {
        cases.back().bedrock.strata.hardness[layer] = static_cast<std::uint8_t>(layer * 37 % 128);
    }
    cases.push_back(make("steep-200x150", {200, 150}, noise, 9));
    cases.back().pass.power = {1u << 24, 0, 0, 0};
    cases.back().pass.creep = {8192, 0, 0};
    cases.back().pass.creeps = 1;
    cases.back().pass.planing = 0;
    cases.push_back(make("no-creep-100x90", {100, 90}, hills, 11));
    cases.back().pass.creeps = 0;
    return cases;
}

Eroded erode(const ErosionCase &c, const Options &options) {
    core::Run run(options);
    run.stage("parity", 1, options.device);
    // Any distance to lines.
    Field2D<std::uint32_t> distance({90, 70});
    for (std::int64_t i = 0; i < distance.size(); ++i) {
        distance[i] = static_cast<std::uint32_t>(draw(i, 3000));
    }
    sim::Bedrock bedrock = c.bedrock;
    bedrock.seed = 5;
    bedrock.relief = {20000, 40000};
    for (std::int32_t i = 0; i < 3; ++i) {
        bedrock.networks[static_cast<std::size_t>(i)] = {distance.data(), 90, 70, 3,
                                                         2 - 2 * i,       900};
    }
    const auto engine = terrain::make_erosion(run, c.soil, bedrock);
    Eroded eroded;
    const auto look = [&] { eroded.heights.push_back(engine->copy()); };
    for (int i = 0; i < c.passes; ++i) {
        engine->pass(c.pass);
        look();
    }
    engine->warp(0, 1);
    look();
    const Extent2 coarse = c.soil.heights.extent();
    const Extent2 extent{2 * coarse.width - 1, 2 * coarse.height - coarse.height % 2};
    Field2D<std::uint8_t> outlets(extent);
    for (std::int64_t x = 0; x < extent.width; ++x) {
        outlets.at(x, 0) = c.soil.outlets.at(x / 2, 0);
    }
    engine->refine(std::move(outlets), 1, 300);
    look();
    engine->shape_soil(1);
    engine->pass(c.pass);
    const sim::HeightRange range = engine->range();
    engine->rescale(range.lowest, std::max(1, range.highest - range.lowest), 400000);
    look();
    engine->fill();
    look();
    engine->level_outlets(100);
    eroded.water = engine->route();
    eroded.heights.push_back(engine->take());
    return eroded;
}

} // namespace karst::test
