#include <doctest/doctest.h>

#include <fstream>

#include <karst/error.hpp>
#include <karst/simulate.hpp>

#include "io/rle.hpp"
#include "temporary_folder.hpp"

using namespace karst;

namespace {

LifeBoard board_of(const io::Pattern &pattern) {
    LifeBoard board(pattern.extent);
    for (const auto &run : pattern.runs) {
        for (std::int64_t i = 0; i < run.length; ++i) {
            board.set(run.x + i, run.y, true);
        }
    }
    return board;
}

io::Pattern parse(std::string_view text) {
    return io::parse_rle(text, "p.rle");
}

} // namespace

TEST_CASE("rle: a glider with all that a header may hold") {
    const auto glider = parse("#N Glider\n#C a comment, 3o!\nx = 3, y = 3, rule = B3/S23:T64,64\n"
                              "bob$2bo$3o!\nanything after the end mark \x01");
    CHECK(glider.extent == Extent2{3, 3});
    CHECK(glider.rule == "B3/S23:T64,64");
    const std::vector<io::LiveRun> expected{{1, 0, 1}, {2, 1, 1}, {0, 2, 3}};
    CHECK(glider.runs == expected);
}

TEST_CASE("rle: forms that old and terse files use") {
    const std::vector<io::LiveRun> expected{{1, 0, 1}, {2, 1, 1}, {0, 2, 3}};
    for (const char *text : {
             "bo$2bo$3o!",                                 // no header
             "x=3,y=3\r\nbo$2bo$3o!\r\n",                  // no spaces, no rule, CR LF
             "x = 3, y = 3\n.A.$..A$AAA!",                 // multi-state letters of two states
             "x = 3, y = 3\n b o $ 2 b o $ 3\n o\n!",      // blanks between count and token
             "x = 3, y = 3\nbob$2bo$ooo$!",                // a last row end
             "x = 3, y = 3\nbo$\n#C in between\n2bo$o2o!", // a comment between lines, split runs
             "#r 23/3\nbo$2bo$3o!",                        // XLife's rule
         }) {
        const auto pattern = parse(text);
        CHECK(pattern.runs == expected);
        CHECK(pattern.extent == Extent2{3, 3});
    }
    CHECK(parse("#r 23/3\no!").rule == "23/3");
    CHECK(parse("#r 23/3\nx = 1, y = 1, rule = B36/S23\no!").rule == "B36/S23");
    CHECK(parse("x = 0, y = 0\n!").extent == Extent2{0, 0});
    CHECK(parse("!").runs.empty());
    CHECK(parse("x = 5, y = 9\n3$2bo!").extent == Extent2{5, 9});
    CHECK(parse("134217727bo!").extent == Extent2{134217728, 1});
}

TEST_CASE("rle: what is wrong is named with its line and column") {
    struct Case {
        const char *text;
        const char *message;
    };
    for (const Case &bad : std::vector<Case>{
             {"", "p.rle:1:1: the pattern has no end mark"},
             {"x = 3, y = 3\nbo$2bo$3o", "p.rle:2:10: the pattern has no end mark"},
             {"x = 3, y = 3\nbo$2bo$3", "p.rle:2:9: a run count without a token"},
             {"x = 3, y = 3\nbo$2zo$3o!", "p.rle:2:5: 'z' is no token"},
             {"x = 3, y = 3\nbo$\n2bo$-3o!", "p.rle:3:5: '-' is no token"},
             {"x = 3, y = 3\nbo$\x01!", "p.rle:2:4: byte 1 is no token"},
             {"x = 3, y = 3\nbo$\xc3\xa9!", "p.rle:2:4: byte 195 is no token"},
             {"x = 3, y = 3\nbB!", "p.rle:2:2: 'B' is a state of a rule with more than two"},
             {"x = 3, y = 3\npA!", "p.rle:2:1: 'p' is a state of a rule with more than two"},
             {"x = 3, y = 3\n0o!", "p.rle:2:1: a run count of 0"},
             {"x = 3, y = 3\n3!", "p.rle:2:1: a run count before the end mark"},
             {"x = 3, y = 3\n99999999999999999999o!", "p.rle:2:1: a run count is 9999"},
             {"134217729bo!", "p.rle:1:1: a run count is 134217729; allowed is at most 134217728"},
             {"134217728bo!", "p.rle:1:11: the row reaches column 134217729 of 134217728"},
             {"134217728$o!", "p.rle:1:11: a live cell in row 134217729 of 134217728"},
             {"x = 3, y = 3\nbo$4o!", "p.rle:2:4: the row reaches column 4 of 3"},
             {"x = 3, y = 3\n3$o!", "p.rle:2:3: a live cell in row 4 of 3"},
             {"x = 3 y = 3\no!", "p.rle:1:7: expected ','"},
             {"x = , y = 3\no!", "p.rle:1:5: expected the number of 'x ='"},
             {"x = -3, y = 3\no!", "p.rle:1:5: expected the number of 'x ='"},
             {"x = 3, z = 3\no!", "p.rle:1:8: expected 'y'"},
             {"x = 3, y = 99999999999\no!", "p.rle:1:12: y is 99999999999; allowed is at most"},
             {"x = 3, y = 3, rule =\no!", "p.rle:1:21: expected a rule"},
             {"x = 3, y = 3, size = 4\no!", "p.rle:1:15: expected 'rule'"},
             {"x = 3, y = 3\nx = 3, y = 3\no!", "p.rle:2:1: 'x' is a state"},
             {"#C only a comment\n", "p.rle:2:1: the pattern has no end mark"},
             {"\x89PNG\r\n", "p.rle:1:1: byte 137 is no token"},
         }) {
        try {
            parse(bad.text);
            FAIL("accepted ", bad.text);
        } catch (const Error &error) {
            CHECK(error.code() == ErrorCode::invalid_input);
            CHECK_MESSAGE(std::string(error.what()).starts_with(bad.message), error.what());
        }
    }
}

TEST_CASE("rle: every prefix of a file is either refused or the whole pattern") {
    const std::string text = "x = 6, y = 4, rule = B3/S23\n2bo$\n3b2o$o4bo!";
    for (std::size_t size = 0; size < text.size(); ++size) {
        CHECK_THROWS_AS(parse(std::string_view(text).substr(0, size)), Error);
    }
    CHECK(parse(text).runs.size() == 4);
}

TEST_CASE("rle: random texts of its own letters are read or refused, never more") {
    const std::string letters = "123456789012bo.A$!xy=, #r\n\rBpz-";
    std::uint64_t state = 88172645463325252u;
    const auto below = [&state](std::size_t limit) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return static_cast<std::size_t>(state % limit);
    };
    int read = 0;
    for (int i = 0; i < 20000; ++i) {
        std::string text = "x = 6, y = 4, rule = B3/S23\n2bo$\n3b2o$o4bo!";
        for (std::size_t changes = below(4) + 1; changes > 0; --changes) {
            text.insert(below(text.size() + 1), 1, letters[below(letters.size())]);
            text.erase(below(text.size()), below(3));
        }
        try {
            const auto pattern = parse(text);
            ++read;
            for (const auto &run : pattern.runs) {
                REQUIRE(run.length >= 1);
                REQUIRE(run.x >= 0);
                REQUIRE(run.x + run.length <= pattern.extent.width);
                REQUIRE(run.y < pattern.extent.height);
            }
        } catch (const Error &error) {
            REQUIRE(error.code() == ErrorCode::invalid_input);
            REQUIRE(std::string(error.what()).starts_with("p.rle:"));
        }
    }
    CHECK(read > 100);
}

TEST_CASE("rle: boards come back as they were, in lines of at most 70 characters") {
    std::uint64_t state = 88172645463325252u;
    for (const Extent2 extent :
         {Extent2{1, 1}, {1, 9}, {9, 1}, {63, 5}, {64, 5}, {65, 5}, {200, 131}}) {
        for (const std::uint64_t sparseness : {1u, 2u, 40u, 1000000u}) {
            LifeBoard board(extent);
            for (std::int64_t y = 0; y < extent.height; ++y) {
                for (std::int64_t x = 0; x < extent.width; ++x) {
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                    board.set(x, y, state % sparseness == 0);
                }
            }
            const std::string text = io::format_rle(board, "B36/S23");
            const auto pattern = parse(text);
            CHECK(pattern.rule == "B36/S23");
            CHECK(board_of(pattern) == board);
            std::size_t start = 0;
            for (auto end = text.find('\n'); end != text.npos; end = text.find('\n', start)) {
                CHECK(end - start <= 70);
                start = end + 1;
            }
            CHECK(start == text.size());
        }
    }
}

TEST_CASE("rle: a known text") {
    LifeBoard board({5, 5});
    for (const auto &[x, y] : {std::pair{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}, {4, 4}}) {
        board.set(x, y, true);
    }
    CHECK(io::format_rle(board, "B3/S23") == "x = 5, y = 5, rule = B3/S23\nbo$2bo$3o2$4bo!\n");
}

TEST_CASE("rle: from a file") {
    const TemporaryFolder folder;
    std::ofstream(folder.file("a.rle")) << "3o!";
    CHECK(io::read_rle(folder.file("a.rle")).extent == Extent2{3, 1});
    CHECK_THROWS_AS(io::read_rle(folder.file("b.rle")), Error);
}
