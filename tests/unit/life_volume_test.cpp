// Rules, volumes, boundaries and engines of Life in three dimensions.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include <karst/error.hpp>

#include "core/digest.hpp"
#include "core/rng.hpp"
#include "support/counting_memory.hpp"
#include "support/life.hpp"

using namespace karst;
using sim::EngineKind;

namespace {

constexpr LifeBoundary kBoundaries[] = {LifeBoundary::torus, LifeBoundary::dead,
                                        LifeBoundary::alive};
using Cells = std::vector<std::array<std::int64_t, 3>>;

LifeVolume run_life(LifeVolume volume, LifeRule3 rule, LifeBoundary boundary,
                    std::int64_t generations, EngineKind kind, int threads = 1) {
    Options options;
    options.threads = threads;
    core::Run run(options);
    run.stage("test", 1);
    return sim::advance(run, std::move(volume), rule, boundary, generations, kind);
}

// f(x, y, z) for each cell.
template <class F>
void for_cells(Extent3 extent, F f) {
    for (std::int64_t z = 0; z < extent.depth; ++z) {
        for (std::int64_t y = 0; y < extent.height; ++y) {
            for (std::int64_t x = 0; x < extent.width; ++x) {
                f(x, y, z);
            }
        }
    }
}

std::int64_t wrapped(std::int64_t i, std::int64_t side) {
    return (i % side + side) % side;
}

// One generation the other way round: every live cell, also of a border around the volume, adds 1
// to its neighbours.
LifeVolume next_by_scatter(const LifeVolume &volume, LifeRule3 rule, LifeBoundary boundary) {
    const Extent3 extent = volume.extent();
    Field3D<int> counts(extent);
    const auto inside = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        return x >= 0 && y >= 0 && z >= 0 && x < extent.width && y < extent.height &&
               z < extent.depth;
    };
    for_cells({extent.width + 2, extent.height + 2, extent.depth + 2}, [&](auto i, auto j, auto k) {
        const bool own = inside(i - 1, j - 1, k - 1);
        if (own ? !volume.alive(i - 1, j - 1, k - 1) : boundary != LifeBoundary::alive) {
            return;
        }
        for_cells({3, 3, 3}, [&](auto dx, auto dy, auto dz) {
            std::int64_t x = i + dx - 2;
            std::int64_t y = j + dy - 2;
            std::int64_t z = k + dz - 2;
            if (boundary == LifeBoundary::torus) {
                x = wrapped(x, extent.width);
                y = wrapped(y, extent.height);
                z = wrapped(z, extent.depth);
            }
            if ((dx != 1 || dy != 1 || dz != 1) && inside(x, y, z)) {
                ++counts.at(x, y, z);
            }
        });
    });
    LifeVolume next(extent);
    for_cells(extent, [&](auto x, auto y, auto z) {
        const std::uint32_t mask = volume.alive(x, y, z) ? rule.survive : rule.birth;
        next.set(x, y, z, (mask & (1u << counts.at(x, y, z))) != 0);
    });
    return next;
}

LifeVolume shifted(const LifeVolume &volume, std::int64_t i, std::int64_t j, std::int64_t k) {
    const Extent3 extent = volume.extent();
    LifeVolume out(extent);
    for_cells(extent, [&](auto x, auto y, auto z) {
        out.set(wrapped(x + i, extent.width), wrapped(y + j, extent.height),
                wrapped(z + k, extent.depth), volume.alive(x, y, z));
    });
    return out;
}

LifeVolume inverted(const LifeVolume &volume) {
    LifeVolume out(volume.extent());
    for_cells(volume.extent(),
              [&](auto x, auto y, auto z) { out.set(x, y, z, !volume.alive(x, y, z)); });
    return out;
}

// The rule that does to the complement what `rule` does to a volume.
LifeRule3 inverted(LifeRule3 rule) {
    LifeRule3 out{0, 0};
    for (int n = 0; n <= 26; ++n) {
        out.birth |= ((rule.survive >> n) & 1) == 0 ? 1u << (26 - n) : 0;
        out.survive |= ((rule.birth >> n) & 1) == 0 ? 1u << (26 - n) : 0;
    }
    return out;
}

LifeRule3 random_rule(std::uint64_t seed) {
    const std::uint64_t bits = core::mix64(seed);
    return {static_cast<std::uint32_t>(bits) & 0x7FFFFFF,
            static_cast<std::uint32_t>(bits >> 32) & 0x7FFFFFF};
}

bool no_stray_bits(const LifeVolume &volume) {
    const std::int64_t rest = volume.extent().width % 64;
    const std::int64_t words = volume.words().width();
    for (std::int64_t i = words - 1; rest != 0 && i < volume.words().size(); i += words) {
        if (volume.words()[i] >> rest != 0) {
            return false;
        }
    }
    return true;
}

// 32^3 cells, alive with probability 2^-bits.
LifeVolume splitmix_soup(int bits) {
    LifeVolume volume({32, 32, 32});
    for_cells(volume.extent(), [&](auto x, auto y, auto z) {
        const auto index = static_cast<std::uint64_t>((z * 32 + y) * 32 + x);
        // splitmix64(1 + index): the counter step is inside.
        const std::uint64_t hash = core::mix64(1 + index + 0x9E3779B97F4A7C15u);
        volume.set(x, y, z, bits == 1 ? hash >> 63 != 0 : hash >> (64 - bits) == 0);
    });
    return volume;
}

LifeVolume of_cells(Extent3 extent, const Cells &cells) {
    LifeVolume volume(extent);
    for (const auto &[x, y, z] : cells) {
        volume.set(x, y, z, true);
    }
    return volume;
}

} // namespace

TEST_CASE("life volume: rules in the notations people write") {
    const auto range = [](int first, int last) { return (2u << last) - (1u << first); };
    const LifeRule3 clouds{(1u << 13) | (1u << 14) | range(17, 19), range(13, 26)};
    for (const char *text : {"B13,14,17-19/S13-26", "b13-14,17-19/s13-26", "B13,14,17-19_S13-26",
                             "B13,14,17-19S13-26", "B19,18,17,14,13/S13-20,20-26",
                             "13-26/13,14,17-19", "13-26/13-14,17-19/2", "13-26/13-14,17-19/2/M"}) {
        CAPTURE(text);
        CHECK(parse_life_rule_3d(text) == clouds);
    }
    CHECK(to_string(clouds) == "B13,14,17-19/S13-26");
    CHECK(parse_life_rule_3d("4,5/5") == LifeRule3{});
    CHECK(to_string(LifeRule3{}) == "B5/S4,5");
    CHECK(parse_life_rule_3d("B/S") == LifeRule3{0, 0});
    CHECK(parse_life_rule_3d("B0-26/S0-26") == LifeRule3{0x7FFFFFF, 0x7FFFFFF});
    CHECK(parse_life_rule_3d("/0") == LifeRule3{1, 0});
    for (const char *text :
         {"",       " ",        "B",         "S",          "B3",      "3",
          "B3/3",   "B27/S1",   "B1/S27",    "B1-27/S1",   "B5-4/S1", "B1,/S1",
          "B,1/S1", "B1--2/S1", "B1-/S1",    "B1 /S1",     " B1/S1",  "B1/S1 ",
          "B1//S1", "4,5/5/3",  "4,5/5/2/N", "4,5/5/2/MM", "B1/S1/2", "4444444444444444444444/5",
          "-1/5",   "B+1/S1"}) {
        CAPTURE(text);
        try {
            parse_life_rule_3d(text);
            FAIL_CHECK("accepted");
        } catch (const Error &error) {
            CHECK(error.code() == ErrorCode::invalid_argument);
            CHECK(std::string(error.what()).find("'" + std::string(text) + "'") !=
                  std::string::npos);
        }
    }
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        CHECK(parse_life_rule_3d(to_string(random_rule(seed))) == random_rule(seed));
    }
}

TEST_CASE("life volume: 64 cells a word, and the digest that of its rows of words") {
    LifeVolume volume({70, 3, 2});
    CHECK(volume.words().extent() == Extent3{2, 3, 2});
    volume.set(63, 0, 0, true);
    volume.set(64, 1, 0, true);
    volume.set(69, 2, 1, true);
    volume.set(5, 2, 1, true);
    volume.set(5, 2, 1, false);
    CHECK(volume.population() == 3);
    CHECK(volume.words().at(0, 0, 0) == std::uint64_t{1} << 63);
    CHECK(volume.words().at(1, 1, 0) == 1);
    CHECK(volume.words().at(1, 2, 1) == 1u << 5);
    std::uint64_t rows[6];
    for (std::int64_t row = 0; row < 6; ++row) {
        unsigned char bytes[16] = {};
        for (std::int64_t x = 0; x < 70; ++x) {
            if (volume.alive(x, row % 3, row / 3)) {
                bytes[x / 8] = static_cast<unsigned char>(bytes[x / 8] | (1 << (x % 8)));
            }
        }
        rows[row] = core::xxh3(bytes, sizeof bytes);
    }
    CHECK(digest(volume) == core::xxh3(rows, sizeof rows));
}

TEST_CASE("life volume: a soup's cells are those of their absolute coordinates") {
    const auto whole = make_soup_3d(Extent3{70, 20, 9}, 0.4, 7, {-50, -10, -4});
    const auto part = make_soup_3d(Extent3{33, 11, 5}, 0.4, 7, {-13, -2, -1});
    for_cells(part.extent(), [&](auto x, auto y, auto z) {
        REQUIRE(part.alive(x, y, z) == whole.alive(x + 37, y + 8, z + 3));
    });
    const auto board = make_soup(Extent2{70, 20}, 0.4, 7, {-50, -10});
    const auto slice = whole.words().cells().subspan(4 * 2 * 20, 2 * 20); // z = 0
    CHECK(std::equal(slice.begin(), slice.end(), board.words().data()));
    CHECK(no_stray_bits(whole));
    CHECK(make_soup_3d(Extent3{65, 3, 2}, 1, 7).population() == 65 * 3 * 2);
    CHECK(make_soup_3d(Extent3{65, 3, 2}, 0, 7).population() == 0);
    const auto half = make_soup_3d(Extent3{100, 50, 20}, 0.5, 8).population();
    CHECK(std::abs(half - 50000) < 5 * 159); // standard deviation sqrt(100000) / 2
    CHECK_THROWS_AS(make_soup_3d(Extent3{8, 8, 8}, 1.1, 1), Error);
    CHECK_THROWS_AS(make_soup_3d(Extent3{8, 8, 0}, 0.5, 1), Error);
    CHECK_THROWS_AS(make_soup_3d(Extent3{8, 131073, 1}, 0.5, 1), Error);
}

TEST_CASE("life volume: the populations of the tables") {
    struct Row {
        const char *rule;
        int bits;
        std::int64_t population[7];
    };
    constexpr std::int64_t kGenerations[] = {0, 1, 2, 3, 5, 10, 20};
    const Row rows[] = {{"13-26/14-26", 1, {16294, 16025, 15800, 15631, 15246, 14499, 13697}},
                        {"13-26/13,14,17-19", 1, {16294, 15343, 14040, 13056, 11743, 9942, 7884}},
                        {"4,5/5", 3, {4131, 4996, 3928, 4197, 3990, 3458, 2300}},
                        {"5-7/6", 3, {4131, 2598, 1849, 1375, 839, 233, 64}},
                        {"5,6/5", 3, {4131, 4379, 3941, 3968, 3893, 3153, 1980}},
                        {"6-8/5", 3, {4131, 4022, 3676, 3538, 3036, 2138, 983}}};
    for (const Row &expected : rows) {
        CAPTURE(expected.rule);
        LifeVolume fast = splitmix_soup(expected.bits);
        LifeVolume plain = fast;
        const LifeRule3 rule = parse_life_rule_3d(expected.rule);
        std::int64_t now = 0;
        for (std::size_t i = 0; i < 7; ++i) {
            const std::int64_t steps = kGenerations[i] - now;
            now = kGenerations[i];
            fast = run_life(std::move(fast), rule, LifeBoundary::torus, steps, EngineKind::fast);
            CHECK(fast.population() == expected.population[i]);
            if (now <= 2) { // slow
                plain =
                    run_life(std::move(plain), rule, LifeBoundary::torus, steps, EngineKind::plain);
                CHECK((plain == fast));
            }
        }
    }
}

TEST_CASE("life volume: gliders of 5766 and 4555") {
    struct Glider {
        const char *rule;
        Cells cells;
        std::array<std::int64_t, 3> shift;
    };
    Glider doubled{"5-7/6", {}, {1, 1, 0}};
    for (const std::int64_t z : {0, 1}) {
        for (const auto &[x, y] : {std::pair{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}}) {
            doubled.cells.push_back({x, y, z});
        }
    }
    const Glider glider{"4,5/5",
                        {{0, 1, 0},
                         {0, 1, 1},
                         {1, 0, 1},
                         {1, 2, 0},
                         {1, 2, 1},
                         {2, 0, 1},
                         {2, 2, 0},
                         {2, 2, 1},
                         {3, 1, 0},
                         {3, 1, 1}},
                        {0, 1, 1}};
    for (const Glider &g : {doubled, glider}) {
        CAPTURE(g.rule);
        const LifeVolume start = of_cells({66, 12, 11}, g.cells);
        const LifeRule3 rule = parse_life_rule_3d(g.rule);
        LifeVolume now = start;
        for (std::int64_t period = 1; period <= 66; ++period) {
            for (int generation = 0; generation < 4; ++generation) {
                now = run_life(std::move(now), rule, LifeBoundary::torus, 1, EngineKind::fast);
                REQUIRE(now.population() == 10);
            }
            REQUIRE((now == shifted(start, period * g.shift[0], period * g.shift[1],
                                    period * g.shift[2])));
        }
        CHECK((run_life(start, rule, LifeBoundary::torus, 4, EngineKind::plain) ==
               shifted(start, g.shift[0], g.shift[1], g.shift[2])));
    }
}

TEST_CASE("life volume: two stacked boards are Conway's unless six cells lie in a 3x3 window") {
    const LifeRule3 rule = parse_life_rule_3d("5-7/6");
    int conway = 0;
    int other = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const Extent2 extent{70, 9};
        const LifeBoard board = make_soup(extent, seed % 2 == 0 ? 0.05 : 0.3, seed);
        bool six = false;
        LifeVolume stacked({extent.width, extent.height, 7});
        LifeVolume expected = stacked;
        const LifeBoard next = simulate_life(board, LifeRule{}, LifeBoundary::torus, 1);
        for (std::int64_t y = 0; y < extent.height; ++y) {
            for (std::int64_t x = 0; x < extent.width; ++x) {
                int window = 0;
                for (int k = 0; k < 9; ++k) {
                    window += board.alive(wrapped(x + k % 3 - 1, extent.width),
                                          wrapped(y + k / 3 - 1, extent.height));
                }
                six = six || window == 6;
                for (const std::int64_t z : {2, 3}) {
                    stacked.set(x, y, z, board.alive(x, y));
                    expected.set(x, y, z, next.alive(x, y));
                }
            }
        }
        const bool same = simulate_life(stacked, rule, LifeBoundary::torus, 1) == expected;
        CHECK(same == !six);
        ++(six ? other : conway);
    }
    CHECK(conway > 10);
    CHECK(other > 10);
}

TEST_CASE("life volume: engines and a second Life agree on every boundary, rule and odd size") {
    const Extent3 extents[] = {{1, 1, 1},  {1, 1, 9},  {1, 7, 1},   {9, 1, 1},
                               {2, 2, 2},  {63, 3, 2}, {64, 2, 3},  {65, 3, 3},
                               {5, 40, 4}, {3, 4, 70}, {127, 2, 4}, {130, 5, 3}};
    std::uint64_t seed = 0;
    for (const Extent3 extent : extents) {
        for (int i = 0; i < 4; ++i) {
            for (const LifeBoundary boundary : kBoundaries) {
                const LifeRule3 rule =
                    i == 0 ? parse_life_rule_3d("B14-26/S13-26") : random_rule(++seed);
                CAPTURE(extent.width);
                CAPTURE(extent.height);
                CAPTURE(extent.depth);
                CAPTURE(to_string(rule));
                CAPTURE(static_cast<int>(boundary));
                const auto soup = make_soup_3d(extent, 0.45, ++seed);
                auto expected = soup;
                for (int generation = 0; generation < 3; ++generation) {
                    expected = next_by_scatter(expected, rule, boundary);
                }
                CHECK((run_life(soup, rule, boundary, 3, EngineKind::plain) == expected));
                const auto fast = run_life(soup, rule, boundary, 3, EngineKind::fast, 2);
                CHECK((fast == expected));
                CHECK(no_stray_bits(fast));
            }
        }
    }
}

// What a CUDA thread does, where there is no GPU.
TEST_CASE("life volume: a word by itself from its three slices") {
    for (const Extent3 extent : {Extent3{1, 1, 1}, {63, 3, 2}, {64, 2, 3}, {130, 5, 3}}) {
        for (const LifeBoundary boundary : kBoundaries) {
            const LifeRule3 rule = random_rule(static_cast<std::uint64_t>(extent.width));
            const auto soup = make_soup_3d(extent, 0.45, 5);
            const auto view = rules::make_view(soup.words().data(), extent, boundary);
            const auto steps = rules::make_selector(rule);
            LifeVolume next(extent);
            for_cells(soup.words().extent(), [&](auto i, auto y, auto z) {
                const auto slice = [&](std::int64_t k) {
                    return rules::slice_sum_at(view, k, y, i);
                };
                const auto sum = rules::block_sum(slice(z - 1), slice(z), slice(z + 1));
                next.words().at(i, y, z) = rules::next_word(sum, soup.words().at(i, y, z), steps) &
                                           rules::valid_bits(view.slice, i);
            });
            CHECK((next == run_life(soup, rule, boundary, 1, EngineKind::plain)));
        }
    }
}

TEST_CASE("life volume: every number of neighbours of a dead and of a live cell") {
    for (int n = 0; n <= 26; ++n) {
        for (const bool alive : {false, true}) {
            LifeVolume volume({3, 3, 3});
            for (int i = 0, left = n; i < 27; ++i) {
                const bool on = i == 13 ? alive : left > 0;
                left -= i != 13 ? 1 : 0;
                volume.set(i % 3, i / 3 % 3, i / 9, on);
            }
            for (const auto kind : {EngineKind::plain, EngineKind::fast}) {
                const LifeRule3 birth{1u << n, 0};
                const LifeRule3 survive{0, 1u << n};
                const auto lives = [&](LifeRule3 rule) {
                    return run_life(volume, rule, LifeBoundary::dead, 1, kind).alive(1, 1, 1);
                };
                CHECK(lives(birth) == !alive);
                CHECK(lives(survive) == alive);
            }
        }
    }
}

TEST_CASE("life volume: threads and pieces share a volume without a seam") {
    for (const Extent3 extent : {Extent3{300, 70, 67}, {20, 300, 40}}) {
        for (const LifeBoundary boundary : kBoundaries) {
            const LifeRule3 rule = parse_life_rule_3d("13-26/13,14,17-19");
            const auto soup = make_soup_3d(extent, 0.5, 31);
            const auto expected = run_life(soup, rule, boundary, 2, EngineKind::fast, 1);
            for (const int threads : {2, 7}) {
                CHECK((run_life(soup, rule, boundary, 2, EngineKind::fast, threads) == expected));
            }
            CHECK((run_life(soup, rule, boundary, 1, EngineKind::fast, 2) ==
                   run_life(soup, rule, boundary, 1, EngineKind::plain)));
        }
    }
}

TEST_CASE("life volume: split runs, shifts and complements") {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const LifeRule3 rule = random_rule(seed);
        const auto soup = make_soup_3d(Extent3{67, 9, 8}, 0.45, seed);
        const auto end = simulate_life(soup, rule, LifeBoundary::torus, 40);
        for (const std::int64_t first : {0, 1, 32, 33}) {
            const auto half = simulate_life(soup, rule, LifeBoundary::torus, first);
            CHECK((simulate_life(half, rule, LifeBoundary::torus, 40 - first) == end));
        }
        for (const auto &[i, j, k] : Cells{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-70, 4, 5}}) {
            CHECK((simulate_life(shifted(soup, i, j, k), rule, LifeBoundary::torus, 40) ==
                   shifted(end, i, j, k)));
        }
        const std::pair<LifeBoundary, LifeBoundary> pairs[] = {
            {LifeBoundary::torus, LifeBoundary::torus},
            {LifeBoundary::dead, LifeBoundary::alive},
            {LifeBoundary::alive, LifeBoundary::dead}};
        for (const auto &[one, other] : pairs) {
            CHECK((simulate_life(inverted(soup), inverted(rule), other, 9) ==
                   inverted(simulate_life(soup, rule, one, 9))));
        }
    }
}

TEST_CASE("life volume: cancel, memory, and what is refused") {
    std::atomic<bool> cancel = true;
    Options options;
    options.cancel = &cancel;
    const auto soup = make_soup_3d(Extent3{64, 16, 4}, 0.5, 1);
    const auto code_of = [&](std::int64_t generations, const Options &own) {
        try {
            simulate_life(soup, LifeRule3{}, LifeBoundary::torus, generations, own);
        } catch (const Error &error) {
            return error.code();
        }
        FAIL("not refused");
        return ErrorCode::io_failure;
    };
    CHECK(code_of(1000000000, options) == ErrorCode::cancelled);
    CHECK(code_of(-1, {}) == ErrorCode::invalid_argument);
    Options tight;
    tight.memory_limit = 1000;
    CHECK(code_of(3, tight) == ErrorCode::out_of_memory);
    CHECK((simulate_life(soup, LifeRule3{}, LifeBoundary::torus, 0) == soup));
    CHECK(simulate_life(LifeVolume(), LifeRule3{}, LifeBoundary::torus, 3).population() == 0);

    test::CountingMemory memory;
    Options own;
    own.memory = &memory;
    {
        const auto volume = simulate_life(soup, LifeRule3{}, LifeBoundary::torus, 3, own);
        CHECK(memory.held() == 64 * 8);
    }
    CHECK(memory.held() == 0);
}
