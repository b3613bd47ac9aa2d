// Rules, boards, boundaries and engines of Life.
#include <doctest/doctest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include <karst/error.hpp>

#include "core/digest.hpp"
#include "core/rng.hpp"
#include "cpu/life.hpp"
#include "rules/life_bytes.hpp"
#include "support/counting_memory.hpp"
#include "support/life.hpp"

using namespace karst;
using sim::EngineKind;
using test::run_life;

namespace {

constexpr LifeBoundary kBoundaries[] = {LifeBoundary::torus, LifeBoundary::dead,
                                        LifeBoundary::alive};
const char *const kRules[] = {
    "B3/S23",  "B36/S23", "B3678/S34678", "B5678/S45678", "B1357/S1357",  "B0123478/S01234678",
    "B03/S23", "B08/S08", "B2/S",         "B/S012345678", "B012345678/S", "B8/S7"};

// splitmix64 as life.md section 6.4 writes it: the counter step is inside.
std::uint64_t splitmix64(std::uint64_t z) {
    return core::mix64(z + 0x9E3779B97F4A7C15u);
}

LifeBoard splitmix_soup() {
    LifeBoard board({64, 64});
    for (std::int64_t y = 0; y < 64; ++y) {
        for (std::int64_t x = 0; x < 64; ++x) {
            board.set(x, y, (splitmix64(static_cast<std::uint64_t>(1 + 64 * y + x)) >> 63) != 0);
        }
    }
    return board;
}

bool no_stray_bits(const LifeBoard &board) {
    const auto width = board.extent().width;
    if (width % 64 == 0) {
        return true;
    }
    for (std::int64_t y = 0; y < board.extent().height; ++y) {
        if (board.words().row(y).back() >> (width % 64) != 0) {
            return false;
        }
    }
    return true;
}

} // namespace

TEST_CASE("life: rules in the notations people write") {
    const auto masks = [](const char *text) {
        const LifeRule rule = parse_life_rule(text);
        return std::pair<int, int>{rule.birth, rule.survive};
    };
    const std::pair<int, int> life{1 << 3, 1 << 2 | 1 << 3};
    for (const char *text : {"B3/S23", "b3/s23", "B3S23", "b3s23", "B3_S23", "23/3", "B3/S32"}) {
        CAPTURE(text);
        CHECK(masks(text) == life);
    }
    CHECK(masks("B/S") == std::pair{0, 0});
    CHECK(masks("B012345678/S012345678") == std::pair{511, 511});
    CHECK(masks("B0/S8") == std::pair{1, 256});
    CHECK(masks("/2") == std::pair{4, 0});
    CHECK(masks("12/") == std::pair{0, 6});
    for (const char *text : {"",        " ",
                             "B",       "S",
                             "B3",      "3",
                             "B3/23",   "B9/S23",
                             "B3/S9",   "B3/S23 ",
                             " B3/S23", "B3//S23",
                             "B3/S23/", "B3/S23V",
                             "B3/S23H", "B3/S2-a",
                             "23/3/2",  "R5,C0,M1,S34..58,B34..45,NM",
                             "B-1/S2",  "B3/S23:T10,10",
                             "conway",  "B3\\S23"}) {
        CAPTURE(text);
        try {
            parse_life_rule(text);
            FAIL_CHECK("accepted");
        } catch (const Error &error) {
            CHECK(error.code() == ErrorCode::invalid_argument);
            CHECK(std::string(error.what()).find("'" + std::string(text) + "'") !=
                  std::string::npos);
        }
    }
    CHECK_THROWS_AS(parse_life_rule(std::string_view("B3\0/S23", 7)), Error);
    for (std::uint32_t bits = 0; bits < 1u << 18; bits += 37) {
        const LifeRule rule{static_cast<std::uint16_t>(bits & 511),
                            static_cast<std::uint16_t>(bits >> 9)};
        CHECK(parse_life_rule(to_string(rule)) == rule);
    }
    CHECK(to_string(LifeRule{}) == "B3/S23");
}

TEST_CASE("life: a board is 64 cells a word, and its digest that of its rows of words") {
    LifeBoard board({70, 3});
    CHECK(board.words().extent() == Extent2{2, 3});
    board.set(0, 0, true);
    board.set(63, 0, true);
    board.set(64, 1, true);
    board.set(69, 2, true);
    board.set(5, 2, true);
    board.set(5, 2, false);
    CHECK(board.population() == 4);
    CHECK(board.words().at(0, 0) == 0x8000000000000001u);
    CHECK(board.words().at(1, 1) == 1);
    CHECK(board.words().at(1, 2) == 1u << 5);
    std::uint64_t rows[3];
    for (std::int64_t y = 0; y < 3; ++y) {
        unsigned char bytes[16] = {};
        for (std::int64_t x = 0; x < 70; ++x) {
            if (board.alive(x, y)) {
                bytes[x / 8] = static_cast<unsigned char>(bytes[x / 8] | (1 << (x % 8)));
            }
        }
        rows[y] = core::xxh3(bytes, sizeof bytes);
    }
    CHECK(digest(board) == core::xxh3(rows, sizeof rows));
}

TEST_CASE("life: all 512 neighbourhoods under every rule of the list, and their exact density") {
    constexpr int kBinomial[] = {1, 8, 28, 56, 70, 56, 28, 8, 1};
    for (const char *const text : kRules) {
        CAPTURE(text);
        const LifeRule rule = parse_life_rule(text);
        int expected = 0;
        for (int n = 0; n <= 8; ++n) {
            const int times = ((rule.birth >> n) & 1) + ((rule.survive >> n) & 1);
            expected += times * kBinomial[n];
        }
        for (const auto kind : {EngineKind::plain, EngineKind::fast}) {
            int born = 0;
            for (int bits = 0; bits < 512; ++bits) {
                LifeBoard board({3, 3});
                for (int i = 0; i < 9; ++i) {
                    board.set(i % 3, i / 3, ((bits >> i) & 1) != 0);
                }
                born += run_life(board, rule, LifeBoundary::dead, 1, kind).alive(1, 1) ? 1 : 0;
            }
            CHECK(born == expected); // of B3/S23: 140 of 512 = 35/128
        }
    }
}

TEST_CASE("life: soups have the density asked for, and the density after one generation") {
    for (const double density : {0.0, 0.1, 0.5, 0.9, 1.0}) {
        const auto cells = 1000.0 * 700;
        const auto soup = make_soup({1000, 700}, density, 5);
        CHECK(no_stray_bits(soup));
        CHECK(std::abs(static_cast<double>(soup.population()) - density * cells) <=
              5 * std::sqrt(density * (1 - density) * cells));
    }
    const auto next =
        simulate_life(make_soup({1024, 1024}, 0.5, 6), LifeRule{}, LifeBoundary::torus, 1);
    CHECK(std::abs(static_cast<double>(next.population()) / (1024.0 * 1024) - 35.0 / 128) < 0.003);
    CHECK_THROWS_AS(make_soup({8, 8}, -0.1, 1), Error);
    CHECK_THROWS_AS(make_soup({8, 8}, 1.1, 1), Error);
    CHECK_THROWS_AS(make_soup({8, 8}, std::nan(""), 1), Error);
    CHECK_THROWS_AS(make_soup({0, 8}, 0.5, 1), Error);
    CHECK_THROWS_AS(make_soup({8, -1}, 0.5, 1), Error);
}

TEST_CASE("life: a soup's cells are those of their absolute coordinates") {
    const auto whole = make_soup({100, 90}, 0.4, 7, {-50, -45});
    const auto part = make_soup({33, 21}, 0.4, 7, {-13, 2});
    for (std::int64_t y = 0; y < 21; ++y) {
        for (std::int64_t x = 0; x < 33; ++x) {
            CHECK(part.alive(x, y) == whole.alive(x + 37, y + 47));
        }
    }
    CHECK(!(make_soup({64, 64}, 0.5, 7) == make_soup({64, 64}, 0.5, 8)));
}

TEST_CASE("life: the splitmix soup of the tables") {
    const auto soup = splitmix_soup();
    std::string row;
    for (std::int64_t x = 0; x < 64; ++x) {
        row += soup.alive(x, 0) ? 'o' : 'b';
    }
    CHECK(row == "oobbboboobboobobobobboooooooooooboboooobbooooobbbobooobobboobboo");
    struct Row {
        const char *rule;
        std::int64_t population[7];
    };
    constexpr std::int64_t kGenerations[] = {0, 1, 2, 3, 10, 100, 1000};
    const Row rows[] = {{"B3/S23", {2048, 1068, 1018, 1056, 810, 378, 272}},
                        {"B36/S23", {2048, 1280, 1278, 1235, 1036, 354, 59}},
                        {"B3678/S34678", {2048, 2006, 2051, 2081, 2167, 2284, 2834}},
                        {"B5678/S45678", {2048, 2048, 2028, 2020, 1997, 1982, 1982}}};
    for (const Row &expected : rows) {
        for (const auto kind : {EngineKind::plain, EngineKind::fast}) {
            CAPTURE(expected.rule);
            auto board = soup;
            std::int64_t now = 0;
            for (std::size_t i = 0; i < 7; ++i) {
                board = run_life(std::move(board), parse_life_rule(expected.rule),
                                 LifeBoundary::torus, kGenerations[i] - now, kind);
                now = kGenerations[i];
                CHECK(board.population() == expected.population[i]);
            }
        }
    }
}

TEST_CASE("life: plain, threaded and a second Life agree on every boundary, rule and odd size") {
    const Extent2 extents[] = {{1, 1},   {1, 2},   {2, 1},   {2, 2},   {3, 1},   {1, 9},   {9, 1},
                               {63, 5},  {64, 5},  {65, 5},  {63, 63}, {127, 3}, {128, 4}, {129, 2},
                               {191, 7}, {192, 3}, {193, 4}, {5, 65},  {257, 11}};
    std::uint64_t seed = 0;
    for (const Extent2 extent : extents) {
        for (const char *const text : kRules) {
            for (const LifeBoundary boundary : kBoundaries) {
                CAPTURE(extent.width);
                CAPTURE(extent.height);
                CAPTURE(text);
                CAPTURE(static_cast<int>(boundary));
                const LifeRule rule = parse_life_rule(text);
                const auto soup = make_soup(extent, 0.45, ++seed);
                auto expected = soup;
                for (int generation = 0; generation < 5; ++generation) {
                    expected = test::next_by_scatter(expected, rule, boundary);
                }
                CHECK((run_life(soup, rule, boundary, 5, EngineKind::plain) == expected));
                const auto fast = run_life(soup, rule, boundary, 5, EngineKind::fast, 2);
                CHECK((fast == expected));
                CHECK(no_stray_bits(fast));
            }
        }
    }
}

TEST_CASE("life: threads share a board without a seam") {
    for (const Extent2 extent : {Extent2{4100, 300}, {20, 40000}, {1000, 37}}) {
        for (const LifeBoundary boundary : kBoundaries) {
            const auto soup = make_soup(extent, 0.4, 31);
            const auto plain = run_life(soup, LifeRule{}, boundary, 3, EngineKind::plain);
            for (const int threads : {1, 2, 7}) {
                CHECK(
                    (run_life(soup, LifeRule{}, boundary, 3, EngineKind::fast, threads) == plain));
            }
        }
    }
}

TEST_CASE("life: every kernel of this machine, at sizes around a word, a vector and a tile") {
    const auto run_kernel = [](const cpu::LifeKernel &kernel, const LifeBoard &soup, LifeRule rule,
                               LifeBoundary boundary, std::int64_t generations, int threads) {
        Options options;
        options.threads = threads;
        core::Run run(options);
        auto engine = cpu::make_life(run, soup, rule, boundary, kernel);
        for (std::int64_t left = generations; left > 0; left -= sim::kStepsAtOnce) {
            engine->advance(
                static_cast<std::uint32_t>(std::min<std::int64_t>(left, sim::kStepsAtOnce)));
        }
        return engine->take();
    };
    // The words of the rule one by one; the other cases compare those with the plain engine.
    const auto next_by_words = [](const LifeBoard &board, LifeRule rule, LifeBoundary boundary) {
        LifeBoard next(board.extent());
        const auto view = rules::make_view(board.words().data(), board.extent(), boundary);
        const auto selector = rules::make_selector(rule);
        for (std::int64_t i = 0; i < board.words().size(); ++i) {
            next.words()[i] = rules::next_word_at(view, selector, i / view.words, i % view.words);
        }
        return next;
    };
    const auto kernels = cpu::life_kernels();
    CHECK(std::string(kernels.front()->name) == "baseline");
    std::uint64_t seed = 100;
    for (const std::int64_t width : {1, 63, 64, 65, 127, 200, 4097, 8577}) {
        for (const std::int64_t height : {1, 2, 17, 300}) {
            if (width > 8000 && height != 17) {
                continue;
            }
            for (const LifeBoundary boundary : kBoundaries) {
                const auto random = static_cast<std::uint32_t>(core::mix64(++seed));
                const LifeRule any{static_cast<std::uint16_t>(random & 511),
                                   static_cast<std::uint16_t>(random >> 9 & 511)};
                const LifeRule known = parse_life_rule(kRules[seed % 2 == 0 ? 0 : 3]);
                for (const LifeRule rule : {known, any}) {
                    const auto soup = make_soup({width, height}, 0.45, seed);
                    auto expected = soup;
                    std::int64_t now = 0;
                    for (const std::int64_t generations : {1, 7, 8, 9, 33}) {
                        for (; now < generations; ++now) {
                            expected = next_by_words(expected, rule, boundary);
                        }
                        for (const cpu::LifeKernel *const kernel : kernels) {
                            CAPTURE(width);
                            CAPTURE(height);
                            CAPTURE(static_cast<int>(boundary));
                            CAPTURE(to_string(rule));
                            CAPTURE(generations);
                            CAPTURE(kernel->name);
                            const int threads = generations == 9 ? 2 : generations == 33 ? 7 : 1;
                            CHECK((run_kernel(*kernel, soup, rule, boundary, generations,
                                              threads) == expected));
                        }
                    }
                }
            }
        }
    }
}

namespace {

// Many threads in name only, to see what they would have got.
struct CountingExecutor final : Executor {
    int threads = 16;
    std::vector<std::int64_t> tasks; // of each pass
    int concurrency() const noexcept override { return threads; }
    void run(std::int64_t count, void (*task)(void *, std::int64_t), void *context) override {
        tasks.push_back(count);
        for (std::int64_t i = 0; i < count; ++i) {
            task(context, i);
        }
    }
};

} // namespace

TEST_CASE("life: a board that is large enough has work for every thread") {
    const struct {
        int threads;
        std::int64_t side;
        std::int64_t least, most; // tasks
    } cases[] = {{1, 4096, 1, 1},    {2, 1024, 2, 2}, {2, 4096, 8, 8},
                 {16, 4096, 16, 64}, {16, 256, 1, 1}, {12, 4096, 12, 48}};
    for (const auto &its : cases) {
        CAPTURE(its.threads);
        CAPTURE(its.side);
        CountingExecutor executor;
        executor.threads = its.threads;
        Options options;
        options.executor = &executor;
        core::Run run(options);
        LifeBoard board({its.side, its.side});
        board.set(5, 5, true);
        const auto engine = cpu::make_life(run, std::move(board), LifeRule{}, LifeBoundary::torus);
        engine->advance(sim::kStepsAtOnce);
        for (const std::int64_t tasks : executor.tasks) {
            CHECK(tasks >= its.least);
            CHECK(tasks <= its.most);
        }
        CHECK(!executor.tasks.empty());
    }
}

TEST_CASE("life: a split run equals a whole one") {
    const auto soup = make_soup({150, 90}, 0.4, 3);
    for (const auto kind : {EngineKind::plain, EngineKind::fast}) {
        const auto whole = run_life(soup, LifeRule{}, LifeBoundary::torus, 70, kind);
        for (const std::int64_t first : {0, 1, 31, 32, 33, 69, 70}) {
            const auto half = run_life(soup, LifeRule{}, LifeBoundary::torus, first, kind);
            CHECK((run_life(half, LifeRule{}, LifeBoundary::torus, 70 - first, kind) == whole));
        }
    }
}

TEST_CASE("life: a shift on the torus shifts the result") {
    for (const char *const text : {"B3/S23", "B03/S23", "B5678/S45678"}) {
        const LifeRule rule = parse_life_rule(text);
        const auto soup = make_soup({131, 67}, 0.45, 12);
        const auto end = simulate_life(soup, rule, LifeBoundary::torus, 40);
        for (const auto &[i, j] : {std::pair{1, 0}, {0, 1}, {64, 3}, {-1, -1}, {-77, 200}}) {
            CHECK((simulate_life(test::shifted(soup, i, j), rule, LifeBoundary::torus, 40) ==
                   test::shifted(end, i, j)));
        }
    }
}

TEST_CASE("life: the complement under the complementary rule is the complement") {
    for (const char *const text : kRules) {
        const LifeRule rule = parse_life_rule(text);
        const auto soup = make_soup({70, 30}, 0.45, 12);
        const std::pair<LifeBoundary, LifeBoundary> pairs[] = {
            {LifeBoundary::torus, LifeBoundary::torus},
            {LifeBoundary::dead, LifeBoundary::alive},
            {LifeBoundary::alive, LifeBoundary::dead}};
        for (const auto &[one, other] : pairs) {
            CHECK((simulate_life(test::inverted(soup), test::inverted(rule), other, 9) ==
                   test::inverted(simulate_life(soup, rule, one, 9))));
        }
    }
}

TEST_CASE("life: cancel, memory, and what is refused") {
    std::atomic<bool> cancel = true;
    Options options;
    options.cancel = &cancel;
    const auto soup = make_soup({64, 64}, 0.5, 1);
    try {
        simulate_life(soup, LifeRule{}, LifeBoundary::torus, 1000000000, options);
        FAIL("not cancelled");
    } catch (const Error &error) {
        CHECK(error.code() == ErrorCode::cancelled);
    }
    CHECK_THROWS_AS(simulate_life(soup, LifeRule{}, LifeBoundary::torus, -1), Error);
    CHECK((simulate_life(soup, LifeRule{}, LifeBoundary::torus, 0) == soup));

    test::CountingMemory memory;
    Options own;
    own.memory = &memory;
    {
        const auto board = simulate_life(soup, LifeRule{}, LifeBoundary::torus, 3, own);
        CHECK(memory.held() == 64 * 8);
    }
    CHECK(memory.held() == 0);

    Options tight;
    tight.memory_limit = 1000;
    try {
        simulate_life(soup, LifeRule{}, LifeBoundary::torus, 3, tight);
        FAIL("ran without memory");
    } catch (const Error &error) {
        CHECK(error.code() == ErrorCode::out_of_memory);
    }
}

TEST_CASE("life: four cells in a word follow the rule of one") {
    for (std::uint32_t bits = 0; bits < 16; ++bits) {
        const std::uint32_t bytes = rules::bytes_of(bits | 0xF0);
        CHECK(rules::bits_of(bytes) == bits);
        for (std::uint32_t neighbours = 0; neighbours <= 8; ++neighbours) {
            const std::uint32_t next = rules::next_bytes(neighbours * 0x01010101u + bytes, bytes);
            for (int i = 0; i < 4; ++i) {
                const bool alive = ((bytes >> (8 * i)) & 1) != 0;
                const bool lives =
                    rules::next_cell(alive, static_cast<int>(neighbours), LifeRule{});
                CHECK(((next >> (8 * i)) & 255) == (lives ? 1u : 0u));
            }
        }
    }
    CHECK(rules::byte_row_sum(0x01000000, 0x01000101, 0x00000001) == 0x02020203);
}
