// 200 random soups under random rules, against Golly's bgolly as an independent program, and two
// patterns of Golly's collection against the populations that it counted.
//
//   karst_bgolly [BGOLLY]      exit status 0: all equal, 1: one differs, 77: there is no bgolly
//
// What bgolly 3.3 can and cannot do, so what is compared:
// - a bounded grid is part of the rule: ":T30,20" is a torus, ":P30,20" a plane with dead cells
//   outside; its step is always 1;
// - the written pattern has lost its position, so boards are compared by the bounding box of their
//   live cells, and by population;
// - a rule with B0 but not S8 is emulated: on a torus every second generation comes out inverted,
//   and outside a plane cells do not stay dead. So B0 runs on the torus for an even number of
//   generations;
// - a rule with B0 and S8 is replaced by its complement. Here, as for karst's `alive` boundary
//   (which bgolly has not), the complement of the board runs under the complementary rule.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "core/rng.hpp"
#include "support/life.hpp"

using namespace karst;

namespace {

struct Case {
    LifeRule rule;
    LifeBoundary boundary;
    Extent2 extent;
    double density;
    std::int64_t generations;
    std::uint64_t seed;
};

bool births_from_nothing(LifeRule rule) {
    return (rule.birth & 1) != 0;
}

// Whether the complement is what bgolly has to run.
bool runs_inverted(const Case &c) {
    return c.boundary == LifeBoundary::alive ||
           (births_from_nothing(c.rule) && ((c.rule.survive >> 8) & 1) != 0);
}

Case random_case(std::uint64_t number) {
    const auto draw = [&](std::uint32_t use) {
        return core::draw_of(2024, number, use, 0).word[0];
    };
    constexpr const char *kKnown[] = {"B3/S23",       "B36/S23",  "B3678/S34678", "B5678/S45678",
                                      "B1357/S1357",  "B2/S",     "B3/S12345",    "B3/S012345678",
                                      "B35678/S5678", "B368/S245"};
    constexpr std::int64_t kSides[] = {1, 2, 3, 5, 17, 31, 63, 64, 65, 100, 127, 128, 129, 200};
    Case c;
    if (draw(0) % 4 == 0) {
        c.rule = parse_life_rule(kKnown[draw(1) % 10]);
    } else {
        c.rule = {static_cast<std::uint16_t>(draw(1) & 511),
                  static_cast<std::uint16_t>(draw(2) & 511)};
    }
    c.extent = {kSides[draw(3) % 14], kSides[draw(4) % 14]};
    c.density = static_cast<double>(draw(5) % 9 + 1) / 10;
    c.generations = 1 + draw(6) % 60;
    c.seed = number;
    c.boundary = static_cast<LifeBoundary>(draw(7) % 3);
    const LifeRule shown = c.boundary == LifeBoundary::alive ? test::inverted(c.rule) : c.rule;
    if (births_from_nothing(shown)) {
        c.boundary = LifeBoundary::torus;
        c.generations += runs_inverted(c) ? 0 : c.generations % 2;
    }
    return c;
}

std::string as_rle(const LifeBoard &board, const std::string &rule) {
    std::ostringstream out;
    out << "x = " << board.extent().width << ", y = " << board.extent().height
        << ", rule = " << rule << '\n';
    for (std::int64_t y = 0; y < board.extent().height; ++y) {
        for (std::int64_t x = 0; x < board.extent().width; ++x) {
            out << (board.alive(x, y) ? 'o' : 'b');
        }
        out << (y + 1 < board.extent().height ? "$\n" : "!\n");
    }
    return out.str();
}

// The live cells within their bounding box; an empty board if there are none.
LifeBoard cropped(const LifeBoard &board) {
    const auto [width, height] = board.extent();
    std::int64_t left = width, top = height, right = -1, bottom = -1;
    for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
            if (board.alive(x, y)) {
                left = std::min(left, x);
                right = std::max(right, x);
                top = std::min(top, y);
                bottom = std::max(bottom, y);
            }
        }
    }
    if (right < 0) {
        return {};
    }
    LifeBoard out({right - left + 1, bottom - top + 1});
    for (std::int64_t y = top; y <= bottom; ++y) {
        for (std::int64_t x = left; x <= right; ++x) {
            out.set(x - left, y - top, board.alive(x, y));
        }
    }
    return out;
}

std::string rule_of(const Case &c, LifeRule rule) {
    return to_string(rule) + (c.boundary == LifeBoundary::torus ? ":T" : ":P") +
           std::to_string(c.extent.width) + "," + std::to_string(c.extent.height);
}

// A pattern file without its comments and header.
std::string body_of(const std::filesystem::path &rle) {
    std::ifstream file(rle);
    std::string line;
    std::string body;
    while (std::getline(file, line)) {
        if (!line.empty() && line[0] != '#' && line[0] != 'x') {
            body += line;
        }
    }
    return body;
}

// What bgolly makes of a board, on a board large enough.
LifeBoard run_bgolly(const std::string &program, const std::filesystem::path &folder,
                     const LifeBoard &board, const std::string &rule, std::int64_t generations) {
    const auto in = folder / "in.rle";
    const auto out = folder / "out.rle";
    std::ofstream(in) << as_rle(board, rule);
    std::filesystem::remove(out);
    const std::string count = std::to_string(generations);
    const std::string command = "'" + program + "' -q -q -a QuickLife -m " + count + " -i " +
                                count + " -o '" + out.string() + "' '" + in.string() +
                                "' > /dev/null 2>&1";
    if (std::system(command.c_str()) != 0) {
        throw std::runtime_error("failed: " + command);
    }
    LifeBoard result(board.extent());
    test::draw(result, body_of(out), 0, 0);
    return result;
}

// Empty if bgolly agrees.
std::string difference(const std::string &program, const std::filesystem::path &folder,
                       const Case &c) {
    const auto soup = make_soup(c.extent, c.density, c.seed);
    auto ours = simulate_life(soup, c.rule, c.boundary, c.generations);
    const bool inverted = runs_inverted(c);
    // bgolly itself inverts a rule with B0 and S8, so it is given the rule as it is.
    const bool by_bgolly =
        inverted && births_from_nothing(c.rule) && ((c.rule.survive >> 8) & 1) != 0;
    const auto rule = inverted && !by_bgolly ? test::inverted(c.rule) : c.rule;
    const auto start = inverted ? test::inverted(soup) : soup;
    ours = inverted ? test::inverted(ours) : ours;
    const auto theirs = run_bgolly(program, folder, start, rule_of(c, rule), c.generations);
    if (ours.population() != theirs.population()) {
        return std::to_string(ours.population()) + " live cells, bgolly has " +
               std::to_string(theirs.population());
    }
    return cropped(ours) == cropped(theirs) ? "" : "the same number of cells in other places";
}

struct Collected {
    const char *file; // in Golly's folder of patterns
    const char *rule;
    std::int64_t margin; // dead cells around the pattern that hold all that leaves it
    std::vector<std::pair<std::int64_t, std::int64_t>> populations; // generation, live cells
};

// How many populations of a pattern differ from what bgolly 3.3 counted on the unbounded plane.
int wrong_populations(const std::string &program, const std::filesystem::path &folder,
                      const Collected &pattern) {
    constexpr const char *kPatterns = "/usr/share/golly/Patterns"; // of the Debian package
    const auto file = std::filesystem::path(kPatterns) / pattern.file;
    if (!std::filesystem::exists(file)) {
        std::cout << "not here: " << file.string() << '\n';
        return 0;
    }
    const auto out = folder / "pattern.rle"; // whatever the file's own format
    const std::string command = "'" + program + "' -q -q -m 0 -i 1 -o '" + out.string() + "' '" +
                                file.string() + "' > /dev/null 2>&1";
    if (std::system(command.c_str()) != 0) {
        throw std::runtime_error("failed: " + command);
    }
    constexpr std::int64_t kLongestSide = 1000;
    const std::int64_t side = kLongestSide + 2 * pattern.margin;
    LifeBoard board({side, side});
    test::draw(board, body_of(out), pattern.margin, pattern.margin);
    int wrong = 0;
    std::int64_t now = 0;
    for (const auto &[generation, population] : pattern.populations) {
        board = simulate_life(board, parse_life_rule(pattern.rule), LifeBoundary::dead,
                              generation - now);
        now = generation;
        if (board.population() != population) {
            ++wrong;
            std::cout << pattern.file << ", generation " << generation << ": " << board.population()
                      << " live cells, not " << population << '\n';
        }
    }
    return wrong;
}

} // namespace

int main(int count, char **arguments) {
    const std::string program = count > 1 ? arguments[1] : "bgolly";
    if (std::system(
            ("'" + program + "' -h > /dev/null 2>&1 < /dev/null; test $? -ne 127").c_str()) != 0) {
        std::cout << "skipped: there is no " << program << " (Debian package golly)\n";
        return 77;
    }
    const auto folder =
        std::filesystem::temp_directory_path() / ("karst_bgolly_" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    int wrong = 0;
    int boundaries[3] = {};
    int from_nothing = 0;
    constexpr std::uint64_t kCases = 200;
    for (std::uint64_t number = 0; number < kCases; ++number) {
        const Case c = random_case(number);
        const std::string problem = difference(program, folder, c);
        ++boundaries[static_cast<int>(c.boundary)];
        from_nothing += births_from_nothing(c.rule) ? 1 : 0;
        if (!problem.empty()) {
            ++wrong;
            constexpr const char *kNames[] = {"torus", "dead", "alive"};
            std::cout << "case " << number << ": " << to_string(c.rule) << ' '
                      << kNames[static_cast<int>(c.boundary)] << ' ' << c.extent.width << "x"
                      << c.extent.height << " density " << c.density << " generations "
                      << c.generations << ": " << problem << '\n';
        }
    }
    const Collected collected[] = {
        {"Life/Breeders/breeder.lif",
         "B3/S23",
         520,
         {{0, 4060}, {1, 3963}, {10, 3849}, {100, 4324}, {1000, 6427}}},
        {"Life-Like/Day-and-Night-gun-and-antigun.rle",
         "B3678/S34678",
         520,
         {{0, 3029}, {1, 3033}, {100, 3317}, {1000, 3564}}},
    };
    for (const Collected &pattern : collected) {
        wrong += wrong_populations(program, folder, pattern);
    }
    std::filesystem::remove_all(folder);
    std::cout << kCases << " cases (" << boundaries[0] << " torus, " << boundaries[1] << " dead, "
              << boundaries[2] << " alive, " << from_nothing << " with B0) and 2 patterns, "
              << wrong << " differences from " << program << '\n';
    return wrong == 0 ? 0 : 1;
}
