#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <vector>

#include "core/rng.hpp"
#include "shape/erosion.hpp"
#include "shape/erosion_kernel.hpp"

using namespace karst;
using shape::Heights;

namespace {

using Mask = Field2D<std::uint8_t>;
using Factors = Field2D<std::uint16_t>;

Heights random_heights(Extent2 extent, std::uint64_t seed, std::int32_t range) {
    Heights heights(extent);
    for (std::int64_t i = 0; i < heights.size(); ++i) {
        const std::uint64_t hash = core::mix64(seed + core::mix64(static_cast<std::uint64_t>(i)));
        heights[i] =
            static_cast<std::int32_t>(hash % static_cast<std::uint64_t>(range)) - range / 2;
    }
    return heights;
}

// Every 7th border cell, at least one.
Mask some_outlets(Extent2 extent) {
    Mask outlets(extent);
    std::int64_t count = 0;
    for (std::int64_t y = 0; y < extent.height; ++y) {
        for (std::int64_t x = 0; x < extent.width; ++x) {
            if (x == 0 || y == 0 || x == extent.width - 1 || y == extent.height - 1) {
                outlets.at(x, y) = count++ % 7 == 0 ? 1 : 0;
            }
        }
    }
    return outlets;
}

template <class F>
void for_neighbours(Extent2 e, std::int64_t i, F &&f) {
    for (std::int64_t y = i / e.width - 1; y <= i / e.width + 1; ++y) {
        for (std::int64_t x = i % e.width - 1; x <= i % e.width + 1; ++x) {
            if (x >= 0 && y >= 0 && x < e.width && y < e.height && y * e.width + x != i) {
                f(y * e.width + x);
            }
        }
    }
}

// The definition, by repetition from above.
Heights filled_slowly(const Heights &heights, const Mask &outlets) {
    Heights w(heights.extent());
    for (std::int64_t i = 0; i < w.size(); ++i) {
        w[i] = outlets[i] != 0 ? heights[i] : 1 << 30;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::int64_t i = 0; i < w.size(); ++i) {
            std::int32_t lowest = 1 << 30;
            for_neighbours(w.extent(), i, [&](std::int64_t n) { lowest = std::min(lowest, w[n]); });
            const std::int32_t next = std::max(heights[i], lowest + 1);
            if (outlets[i] == 0 && next < w[i]) {
                w[i] = next;
                changed = true;
            }
        }
    }
    return w;
}

std::int64_t sum(const Heights &heights) {
    return std::accumulate(heights.cells().begin(), heights.cells().end(), std::int64_t{0});
}

Heights mirrored(const Heights &heights) {
    Heights result(heights.extent());
    for (std::int64_t y = 0; y < heights.height(); ++y) {
        for (std::int64_t x = 0; x < heights.width(); ++x) {
            result.at(heights.width() - 1 - x, y) = heights.at(x, y);
        }
    }
    return result;
}

std::int64_t next_cell(const shape::Flow &flow, std::int64_t i) {
    const shape::FlowStep step = shape::kFlowSteps[flow.step[i]];
    return i + step.y * flow.step.width() + step.x;
}

const Extent2 kSizes[] = {{1, 1}, {1, 9}, {17, 1}, {2, 2}, {5, 7}, {33, 21}, {64, 65}};

} // namespace

TEST_CASE("filled depressions are the fixed point of their definition") {
    core::Run run(Options{});
    for (const Extent2 extent : kSizes) {
        for (const std::int32_t range : {3, 100, 100000}) {
            const Mask outlets = some_outlets(extent);
            const Heights heights = random_heights(extent, 5, range);
            Heights filled = heights;
            shape::fill_depressions(run, filled, outlets);
            CHECK(filled == filled_slowly(heights, outlets));
            const Heights once = filled;
            shape::fill_depressions(run, filled, outlets);
            CHECK(filled == once);
        }
    }
}

TEST_CASE("a bowl is filled to its rim, and nothing without an outlet") {
    core::Run run(Options{});
    Heights bowl({5, 5});
    std::fill(bowl.cells().begin(), bowl.cells().end(), 100);
    bowl.at(2, 2) = -50;
    bowl.at(4, 2) = 40; // outlet below the rim
    Mask outlets({5, 5});
    Heights untouched = bowl;
    shape::fill_depressions(run, untouched, outlets);
    CHECK(untouched == bowl);
    outlets.at(4, 2) = 1;
    shape::fill_depressions(run, bowl, outlets);
    CHECK(bowl.at(2, 2) == 101);
    CHECK(bowl.at(3, 2) == 100);
    CHECK(bowl.at(0, 2) == 103);
    CHECK(bowl.at(4, 2) == 40);
}

TEST_CASE("every cell drains to an outlet and areas add up") {
    Options options;
    options.threads = 1; // so that the order below is one
    core::Run run(options);
    for (const Extent2 extent : kSizes) {
        const Mask outlets = some_outlets(extent);
        Heights heights = random_heights(extent, 6, 5000);
        shape::fill_depressions(run, heights, outlets);
        const shape::Flow flow = shape::route(run, heights, outlets, 9);
        Field2D<std::uint32_t> area(extent);
        for (std::int64_t source = 0; source < heights.size(); ++source) {
            std::int64_t i = source;
            for (; flow.step[i] != shape::kNoStep; i = next_cell(flow, i)) {
                ++area[i];
                REQUIRE(heights[next_cell(flow, i)] < heights[i]);
            }
            ++area[i];
            CHECK(outlets[i] == 1);
        }
        CHECK(area == flow.area);

        std::vector<std::int64_t> order;
        flow.order.upwards(run, [&](std::int64_t i) { order.push_back(i); });
        REQUIRE(order.size() == static_cast<std::size_t>(heights.size()));
        std::vector<std::size_t> place(order.size(), order.size());
        for (std::size_t k = 0; k < order.size(); ++k) {
            place[static_cast<std::size_t>(order[k])] = k;
        }
        for (std::int64_t i = 0; i < heights.size(); ++i) {
            REQUIRE(place[static_cast<std::size_t>(i)] < order.size());
            if (flow.step[i] != shape::kNoStep) {
                CHECK(place[static_cast<std::size_t>(i)] >
                      place[static_cast<std::size_t>(next_cell(flow, i))]);
            }
        }
    }
}

TEST_CASE("water on a plane runs down it, not along the axes only") {
    core::Run run(Options{});
    Heights plane({65, 65});
    for (std::int64_t i = 0; i < plane.size(); ++i) {
        plane[i] = static_cast<std::int32_t>(i % 65 * 1000 + i / 65 * 400);
    }
    const shape::Flow flow = shape::route(run, plane, Mask({65, 65}), 3);
    int side = 0, diagonal = 0;
    for (std::int64_t y = 1; y < 64; ++y) {
        for (std::int64_t x = 1; x < 64; ++x) {
            side += flow.step.at(x, y) == 4 ? 1 : 0;
            diagonal += flow.step.at(x, y) == 5 ? 1 : 0;
        }
    }
    CHECK(side > 1000);     // the direction of descent lies 21.8 degrees from the axis,
    CHECK(diagonal > 1000); // 23.2 from the diagonal
}

TEST_CASE("stream power: the implicit step on a line") {
    core::Run run(Options{});
    Heights line({4, 1});
    for (std::int64_t x = 0; x < 4; ++x) {
        line[x] = static_cast<std::int32_t>(x * 4000);
    }
    Mask outlets({4, 1});
    outlets[0] = 1;
    const shape::Flow flow = shape::route(run, line, outlets, 1);
    REQUIRE(flow.area[1] == 3);

    Heights same = line;
    shape::incise(run, same, flow, {});
    CHECK(same == line);

    // Areas 3, 2, 1 and 1 more: F is 2, sqrt 3 and sqrt 2.
    Heights cut = line;
    shape::incise(run, cut, flow, {.rate = 65536, .area_offset = 1});
    CHECK(cut[0] == 0);
    CHECK(cut[1] == doctest::Approx(4000 / 3.0).epsilon(0.002));
    CHECK(cut[2] == doctest::Approx(cut[1] + (8000 - cut[1]) / 2.7321).epsilon(0.002));
    CHECK(cut[3] == doctest::Approx(cut[2] + (12000 - cut[2]) / 2.4142).epsilon(0.002));

    const Factors hard({4, 1}); // softness 0
    Heights kept = line;
    shape::incise(run, kept, flow, {.rate = 65536}, &hard);
    CHECK(kept == line);

    Heights steep = line;
    shape::incise(run, steep, flow, {.steepest = 1000, .slide = 65536});
    CHECK(steep[3] == 3000);
    Factors twice({4, 1});
    std::fill(twice.cells().begin(), twice.cells().end(), std::uint16_t{512});
    steep = line;
    shape::incise(run, steep, flow, {.steepest = 1000, .slide = 65536}, nullptr, &twice);
    CHECK(steep[3] == 6000);
}

TEST_CASE("incision keeps every way downhill") {
    core::Run run(Options{});
    const Extent2 extent{33, 40};
    const Mask outlets = some_outlets(extent);
    Heights heights = random_heights(extent, 8, 50000);
    shape::fill_depressions(run, heights, outlets);
    const shape::Flow flow = shape::route(run, heights, outlets, 2);
    for (const std::uint32_t rate : {100u, 65536u, 1u << 24}) {
        Heights cut = heights;
        shape::incise(run, cut, flow, {.rate = rate});
        for (std::int64_t i = 0; i < cut.size(); ++i) {
            CHECK(cut[i] <= heights[i]);
            if (flow.step[i] != shape::kNoStep) {
                CHECK(cut[i] > cut[next_cell(flow, i)]);
            } else {
                CHECK(cut[i] == heights[i]);
            }
        }
    }
}

TEST_CASE("creep moves matter and loses none") {
    core::Run run(Options{});
    for (const Extent2 extent : kSizes) {
        const Heights heights = random_heights(extent, 4, 100000);
        Heights moved = heights;
        const shape::Creep rule{.diffusion = 3000, .talus = 7000, .slide = 5000};
        shape::creep(run, moved, rule);
        CHECK(sum(moved) == sum(heights));
        CHECK((extent.cells() == 1) == (moved == heights));

        Heights mirror = mirrored(heights);
        shape::creep(run, mirror, rule);
        CHECK(mirror == mirrored(moved));

        Mask fixed(extent);
        fixed[extent.cells() / 2] = 1;
        Heights held = heights;
        shape::creep(run, held, rule, &fixed);
        CHECK(held[extent.cells() / 2] == heights[extent.cells() / 2]);
    }
}

TEST_CASE("talus: what is flatter stays, what is steeper slides") {
    core::Run run(Options{});
    Heights slope({9, 9});
    for (std::int64_t i = 0; i < slope.size(); ++i) {
        slope[i] = static_cast<std::int32_t>(i % 9 * 1000);
    }
    Heights same = slope;
    shape::creep(run, same, {.talus = 1000, .slide = 8192});
    CHECK(same == slope);

    Heights tower({9, 9});
    tower.at(4, 4) = 9000;
    shape::creep(run, tower, {.talus = 1000, .slide = 8192});
    CHECK(tower.at(5, 4) == 1000); // (9000 - 1000) / 8
    CHECK(tower.at(5, 5) == 474);  // (9000 - 1414) / 16, rounded down
    CHECK(tower.at(4, 4) == 9000 - 4 * 1000 - 4 * 474);

    Factors steep({9, 9});
    std::fill(steep.cells().begin(), steep.cells().end(), std::uint16_t{2560});
    Heights cliff({9, 9});
    cliff.at(4, 4) = 9000;
    shape::creep(run, cliff, {.talus = 1000, .slide = 8192}, nullptr, &steep);
    CHECK(cliff.at(4, 4) == 9000);
}

TEST_CASE("rivers plane their banks only") {
    core::Run run(Options{});
    Heights valley({7, 9}); // a river down the column x = 3
    Mask outlets({7, 9});
    outlets.at(3, 0) = 1;
    for (std::int64_t y = 0; y < 9; ++y) {
        for (std::int64_t x = 0; x < 7; ++x) {
            valley.at(x, y) = static_cast<std::int32_t>(y * 10 + (x > 3 ? x - 3 : 3 - x) * 10000);
        }
    }
    const shape::Flow flow = shape::route(run, valley, outlets, 1);
    REQUIRE(flow.area.at(3, 2) > 20);
    Heights planed = valley;
    shape::widen(run, planed, flow, 20, 100, 32768);
    CHECK(planed.at(3, 2) == valley.at(3, 2));
    CHECK(planed.at(1, 2) == valley.at(1, 2));
    // Half the way from 10020 to 100 above the lowest river beside it, (3, 1).
    CHECK(planed.at(4, 2) == 10020 - (10020 - 110) / 2);
}

TEST_CASE("erosion is the same for every number of threads") {
    const Extent2 extent{100, 67};
    const Mask outlets = some_outlets(extent);
    std::vector<Heights> results;
    for (const int threads : {1, 2, 7}) {
        Options options;
        options.threads = threads;
        core::Run run(options);
        Heights heights = random_heights(extent, 77, 200000);
        for (int pass = 0; pass < 3; ++pass) {
            shape::fill_depressions(run, heights, outlets);
            const shape::Flow flow = shape::route(run, heights, outlets, 5);
            shape::incise(run, heights, flow, {.rate = 3000, .area_offset = 2});
            shape::widen(run, heights, flow, 30, 50, 20000);
            shape::creep(run, heights, {.diffusion = 500, .talus = 4000, .slide = 5000}, &outlets);
        }
        results.push_back(std::move(heights));
    }
    CHECK(results[0] == results[1]);
    CHECK(results[0] == results[2]);
}

TEST_CASE("every kernel of erosion finds the steepest way and moves what the definition says") {
    constexpr std::int64_t kWidth = 133;
    std::uint64_t state = 1;
    const auto draw = [&state](std::uint64_t range) {
        return static_cast<std::int64_t>(core::mix64(++state) % range);
    };
    for (const shape::ErosionKernel *kernel : shape::erosion_kernels()) {
        CAPTURE(kernel->name);
        for (const std::uint64_t range : {3u, 1000u, 1u << 31}) {
            std::vector<std::int32_t> rows[3];
            std::vector<float> links[8];
            for (auto &row : rows) {
                std::generate_n(std::back_inserter(row), kWidth,
                                [&] { return static_cast<std::int32_t>(draw(range) - (1 << 30)); });
            }
            for (auto &link : links) {
                std::generate_n(std::back_inserter(link), kWidth, [&] {
                    return static_cast<float>(range == 3 ? 65536 : 26000 + draw(200000));
                });
            }
            const std::int32_t *const at[] = {rows[0].data(), rows[1].data(), rows[2].data()};
            const shape::LinkRows beside[] = {
                {links[0].data(), links[1].data(), links[2].data(), links[3].data()},
                {links[4].data(), links[5].data(), links[6].data(), links[7].data()}};
            std::vector<std::uint8_t> step(kWidth);
            kernel->descend(at, beside, kWidth, step.data());
            for (std::int64_t x = 1; x < kWidth - 1; ++x) {
                std::int64_t best = 0;
                int expected = shape::kNoStep;
                int count = 0;
                for (std::uint8_t s = 0; s < 8; ++s) {
                    const auto [dx, dy] = shape::kFlowSteps[s];
                    // The link of two cells is kept at the first of them.
                    const std::int64_t to = x + dx;
                    const std::size_t row = s <= 4 ? 4 : 0;
                    const float length =
                        links[row + s % 4][static_cast<std::size_t>(s < 4 ? x : to)];
                    const std::int64_t slope = (std::int64_t{at[1][x]} - at[1 + dy][to]) *
                                               static_cast<std::int64_t>(length);
                    count = slope > best ? 1 : slope == best ? count + 1 : count;
                    expected = slope > best ? s : expected;
                    best = std::max(best, slope);
                }
                const int tied = best > 0 && count > 1 ? shape::kTied : 0;
                CHECK(step[static_cast<std::size_t>(x)] == expected + tied);
            }

            std::vector<std::uint16_t> steep(2 * kWidth);
            std::generate(steep.begin(), steep.end(),
                          [&] { return static_cast<std::uint16_t>(draw(2000)); });
            for (const bool scaled : {false, true}) {
                const std::int64_t talus = 5001;
                const std::int64_t diffusion = 7321;
                const std::int64_t slide = 8191;
                std::vector<std::int32_t> flow(kWidth);
                kernel->exchange(at[0], at[1], scaled ? steep.data() : nullptr,
                                 scaled ? steep.data() + kWidth : nullptr,
                                 {diffusion / 65536.0, slide / 65536.0, static_cast<double>(talus)},
                                 kWidth, flow.data());
                for (std::size_t x = 0; x < kWidth; ++x) {
                    const std::int64_t drop = std::int64_t{at[1][x]} - at[0][x];
                    const std::int64_t least =
                        scaled ? talus * (steep[x] + steep[x + kWidth]) >> 9 : talus;
                    const std::int64_t beyond = drop - std::clamp(drop, -least, least);
                    CHECK(flow[x] == drop * diffusion / 65536 + beyond * slide / 65536);
                }
            }
        }
    }
}
