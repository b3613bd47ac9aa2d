// Populations that others publish or that Golly's bgolly 3.3 counted, some of them with a second
// independent program. Unbounded patterns run on a board that holds them.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/life.hpp"

using namespace karst;

namespace {

using Population = std::pair<std::int64_t, std::int64_t>; // generation, live cells

constexpr const char *kRPentomino = "b2o$2o$bo!";
constexpr const char *kGosperGun =
    "24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$11bo3bo$"
    "12b2o!";
constexpr const char *kSpacefiller =
    "20b3o3b3o$19bo2bo3bo2bo$4o18bo3bo18b4o$o3bo17bo3bo17bo3bo$o8bo12bo3bo12bo8bo$bo2bo2b2o2bo25bo"
    "2b2o2bo2bo$6bo5bo7b3o3b3o7bo5bo$6bo5bo8bo5bo8bo5bo$6bo5bo8b7o8bo5bo$bo2bo2b2o2bo2b2o4bo7bo4b2o"
    "2bo2b2o2bo2bo$o8bo3b2o4b11o4b2o3bo8bo$o3bo9b2o17b2o9bo3bo$4o11b19o11b4o$16bobo11bobo$19b11o$"
    "19bo9bo$20b9o$24bo$20b3o3b3o$22bo3bo2$21b3ob3o$21b3ob3o$20bob2ob2obo$20b3o3b3o$21bo5bo!";

// The same cells in the middle of a larger board.
LifeBoard enlarged(const LifeBoard &board, std::int64_t side) {
    LifeBoard out({side, side});
    const std::int64_t margin = (side - board.extent().width) / 2;
    for (std::int64_t y = 0; y < board.extent().height; ++y) {
        for (std::int64_t x = 0; x < board.extent().width; ++x) {
            if (board.alive(x, y)) {
                out.set(x + margin, y + margin, true);
            }
        }
    }
    return out;
}

// The board starts with `first_side` cells a side and grows with gliders, which move a quarter of a
// cell a generation, up to `side`.
void check_populations(const char *name, const char *body, const char *rule, std::int64_t side,
                       const std::vector<Population> &expected, std::int64_t first_side = 0) {
    first_side = first_side == 0 ? side : first_side;
    LifeBoard board({first_side, first_side});
    test::draw(board, body, board.extent().width / 2 - 20, board.extent().width / 2 - 20);
    std::int64_t now = 0;
    for (const auto &[at, population] : expected) {
        const std::int64_t generation = at; // CAPTURE takes no structured binding in clang 14
        while (now < generation) {
            const std::int64_t next = std::min(generation, now + 400);
            const std::int64_t needed = std::min(side, next / 2 + 160);
            if (needed > board.extent().width) {
                board = enlarged(board, needed);
            }
            board = simulate_life(board, parse_life_rule(rule), LifeBoundary::dead, next - now);
            now = next;
        }
        CAPTURE(name);
        CAPTURE(generation);
        CHECK(board.population() == population);
    }
}

// Generations 0, 1, 2, ... in a row, then some more.
std::vector<Population> counted(const std::vector<std::int64_t> &first,
                                std::vector<Population> more = {}) {
    std::vector<Population> all;
    for (const std::int64_t population : first) {
        all.emplace_back(static_cast<std::int64_t>(all.size()), population);
    }
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

} // namespace

TEST_CASE("life: methuselahs to their end") {
    check_populations(
        "R-pentomino", kRPentomino, "B3/S23", 640,
        counted({5, 6, 7, 9, 8, 9, 12, 11, 18, 11, 11, 10, 13, 16, 19, 19, 23, 25, 35, 25, 32},
                {{50, 64},
                 {100, 121},
                 {200, 120},
                 {300, 168},
                 {400, 195},
                 {500, 174},
                 {600, 213},
                 {700, 194},
                 {800, 228},
                 {900, 204},
                 {1000, 156},
                 {1100, 122},
                 {1102, 118},
                 {1103, 116},
                 {1110, 116}}));
    check_populations("diehard", "6bob$2o6b$bo3b3o!", "B3/S23", 128,
                      {{1, 8}, {10, 24}, {50, 24}, {100, 23}, {128, 3}, {129, 2}, {130, 0}});
    check_populations("B-heptomino", "ob2o$3o$bo!", "B3/S23", 192,
                      {{10, 22}, {100, 89}, {147, 31}, {148, 28}});
    check_populations("pi-heptomino", "3o$obo$obo!", "B3/S23", 192,
                      {{10, 20}, {100, 103}, {172, 57}, {173, 55}});
    check_populations("thunderbird", "3o2$bo$bo$bo!", "B3/S23", 192,
                      {{10, 19}, {100, 37}, {242, 46}, {243, 46}});
    check_populations("bunnies", "o5bob$2bo3bob$2bo2bobo$bobo!", "B3/S23", 700, {{1000, 383}});
    check_populations("rabbits", "o3b3o$3o2bo$bo!", "B3/S23", 700,
                      {{1, 13}, {10, 14}, {100, 70}, {1000, 385}});
    check_populations("lidka predecessor", "bo$obo$bo8$8bo$6bobo$5b2obo2$4b3o!", "B3/S23", 700,
                      {{1, 15}, {1000, 527}});
    check_populations("blom", "o10bo$b4o6bo$2b2o7bo$10bo$8bobo!", "B3/S23", 700, {{1000, 784}});
    check_populations("rabbits relation 17423", "bo$2obo$4b2o$o2bo$o$o!", "B3/S23", 700,
                      {{1000, 274}});
    check_populations("justyna", "17bo$16bo2bo$17b3o$17bo2bo2$2o16bo$bo16bo$18bo8$19b3o$11b3o!",
                      "B3/S23", 700, {{1000, 355}});
    check_populations("iwona", "14b3o6$2bo$3b2o$3bo14bo$18bo$18bo$19bo$18b2o$7b2o$8bo5$2o$bo!",
                      "B3/S23", 700, {{1000, 634}});
}

TEST_CASE("life: acorn to generation 5206") {
    check_populations(
        "acorn", "bo$3bo$2o2b3o!", "B3/S23", 2700,
        counted({7, 8, 10, 11, 11, 13, 15, 15, 18, 20, 30, 19, 14, 17, 20, 24, 28, 28, 25, 29, 32},
                {{100, 76},
                 {500, 276},
                 {1000, 457},
                 {2000, 392},
                 {5000, 804},
                 {5205, 635},
                 {5206, 633}}),
        400);
}

TEST_CASE("life: guns, engines and oscillators") {
    check_populations("Gosper gun", kGosperGun, "B3/S23", 1700,
                      counted({36, 39, 43, 48, 51, 44, 51, 48, 61, 42, 48, 50, 54, 55, 56, 42,
                               44, 47, 53, 54, 54, 54, 49, 60, 43, 50, 47, 47, 50, 48, 41},
                              {{60, 46}, {90, 51}, {120, 56}, {300, 86}, {3000, 536}}),
                      200);
    check_populations("block-laying switch engine", "6bob$4bob2o$4bobob$4bo$2bo$obo!", "B3/S23",
                      700, counted({10, 14, 13}, {{100, 102}, {1000, 158}}));
    check_populations("pulsar",
                      "2b3o3b3o2b2$o4bobo4bo$o4bobo4bo$o4bobo4bo$2b3o3b3o2b2$2b3o3b3o2b$o4bobo4bo$"
                      "o4bobo4bo$o4bobo4bo2$2b3o3b3o!",
                      "B3/S23", 64, {{0, 48}, {1, 56}, {2, 72}, {3, 48}, {300, 48}});
    check_populations(
        "pentadecathlon", "2bo4bo2b$2ob4ob2o$2bo4bo!", "B3/S23", 64,
        counted({12, 22, 18, 40, 18, 18, 20, 28, 20, 20, 22, 18, 22, 20, 16, 12}, {{150, 12}}));
    std::vector<Population> filler{{0, 200}, {1, 233}, {10, 323}, {100, 3550}, {1000, 258700}};
    check_populations("spacefiller", kSpacefiller, "B3/S23", 1200, filler);
    const std::int64_t c[] = {511, 608, 563, 580};
    filler.clear();
    for (std::int64_t t = 20; t < 60; ++t) { // ((t + 17)^2 + c) / 4
        filler.emplace_back(t, ((t + 17) * (t + 17) + c[t % 4]) / 4);
    }
    check_populations("spacefiller", kSpacefiller, "B3/S23", 256, filler);
}

TEST_CASE("life: spaceships come back moved") {
    LifeBoard glider({40, 37});
    test::draw(glider, "bob$2bo$3o!", 30, 5);
    auto board = glider;
    for (std::int64_t n = 1; n <= 200; ++n) {
        board = simulate_life(board, LifeRule{}, LifeBoundary::torus, 1);
        CHECK(board.population() == 5);
        if (n % 4 == 0) {
            CHECK((board == test::shifted(glider, n / 4, n / 4)));
        }
    }
    LifeBoard ship({70, 20});
    test::draw(ship, "bo2bo$o4b$o3bo$4o!", 5, 5);
    board = ship;
    for (std::int64_t n = 1; n <= 160; ++n) {
        board = simulate_life(board, LifeRule{}, LifeBoundary::torus, 1);
        CHECK(board.population() == (n % 2 == 0 ? 9 : 12));
        if (n % 4 == 0) {
            CHECK((board == test::shifted(ship, -n / 2, 0)));
        }
    }
}

TEST_CASE("life: other rules") {
    check_populations("replicator", kRPentomino, "B1357/S1357", 300,
                      {{1, 14}, {10, 256}, {50, 768}, {100, 960}});
    check_populations("maze", kRPentomino, "B3/S12345", 300,
                      {{1, 7}, {10, 43}, {50, 519}, {100, 1513}});
    check_populations("day and night", kRPentomino, "B3678/S34678", 300,
                      {{1, 5}, {10, 6}, {50, 6}, {100, 5}});
    check_populations("seeds", kRPentomino, "B2/S", 300, {{1, 3}, {10, 8}, {50, 8}, {100, 8}});
    check_populations("HighLife replicator", "2b3o$bo2bo$o3bo$o2bo$3o!", "B36/S23", 300,
                      counted({12, 20, 17, 30, 20}, {{6, 34}, {12, 24}, {24, 24}, {48, 24}}));
    check_populations("replicated text",
                      "b2o3bo2bo2bo$o2bo2bobo3bo$o2bo2b2o4bo$o2bo2bobo3bo$o2bo2bo2bo$b2o3bo2bo2bo!",
                      "B1357/S1357", 2100,
                      {{0, 29}, {1, 62}, {10, 426}, {100, 3360}, {1000, 345600}});
}
