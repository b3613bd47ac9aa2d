#include <doctest/doctest.h>

#include <atomic>
#include <cstring>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

#include <karst/artifact.hpp>
#include <karst/error.hpp>
#include <karst/seed.hpp>

#include "core/digest.hpp"
#include "core/fixed.hpp"
#include "core/gather.hpp"
#include "core/memory.hpp"
#include "core/param_table.hpp"
#include "core/process.hpp"
#include "core/rng.hpp"
#include "core/run.hpp"
#include "core/thread_pool.hpp"

using namespace karst;

namespace {

void check_philox(std::uint32_t c0, std::uint32_t c1, std::uint32_t c2, std::uint32_t c3,
                  std::uint64_t key, std::uint32_t w0, std::uint32_t w1, std::uint32_t w2,
                  std::uint32_t w3) {
    const core::Draw4 draw = core::philox4x32(c0, c1, c2, c3, key);
    CHECK(draw.word[0] == w0);
    CHECK(draw.word[1] == w1);
    CHECK(draw.word[2] == w2);
    CHECK(draw.word[3] == w3);
}

} // namespace

// The vectors of Random123 1.14.0, kat_vectors.
TEST_CASE("philox4x32-10 known answers") {
    check_philox(0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
    const std::uint32_t ones = 0xffffffff;
    check_philox(ones, ones, ones, ones, ~std::uint64_t{0}, 0x408f276d, 0x41c83b0e, 0xa20bc7c6,
                 0x6d5451fd);
    check_philox(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0x299f31d0a4093822u, 0xd16cfe09,
                 0x94fdcceb, 0x5001e420, 0x24126ea1);
}

// Seed-style keys, equal to curand_init(seed, subsequence, offset).
TEST_CASE("philox with a seed as its key") {
    check_philox(1, 0, 0, 0, 0, 0xf8e4cca4, 0x5cb200db, 0xb1a574eb, 0x097eff67);
    check_philox(0, 0, 0, 0, 42, 0x9ceaf053, 0x77f5493b, 0x12bf50ad, 0x5742b3d7);
    check_philox(1, 0, 0, 0, 0xdeadbeefcafef00du, 0xceb65dbf, 0x33defe48, 0x6a03d4c4, 0xd2867fd5);
    check_philox(0, 0, 7, 0, 1234, 0x56e604f4, 0x2107acfd, 0xe9ac28d3, 0x1debf147);
}

TEST_CASE("counters of two uses never meet") {
    CHECK(core::use(core::stage_physarum_spawn + 15) < core::use(core::stage_physarum_agent));
    CHECK(core::use(core::stage_physarum_agent + 15) < core::use(core::stage_life_soup));
    CHECK(core::use(core::stage_life_soup + 15) < core::use(core::stage_crack));
    CHECK(core::use(core::stage_crack + 15) < core::use(core::stage_cave));
    CHECK(core::use(core::stage_cave + 15) < core::use(core::stage_heightmap));
    CHECK(core::use(core::stage_heightmap + 15) < core::use(core::stage_tie));
    CHECK(core::use(1, 2, 3) == 0x01010203u);
}

TEST_CASE("quarter sine: sum and ends") {
    const auto &table = core::quarter_sine(); // its checksum is verified while it is made
    std::int64_t sum = 0;
    for (const auto entry : table) {
        sum += entry;
    }
    CHECK(table.size() == 16385);
    CHECK(sum == 170899544);
    CHECK(table.front() == 0);
    CHECK(table.back() == 16384);
}

TEST_CASE("directions are exact under quarter turns and mirrors") {
    const auto &d = core::directions();
    REQUIRE(d.size() == 4096);
    CHECK(d[0].cosine == 16384);
    CHECK(d[0].sine == 0);
    for (std::size_t i = 0; i < 4096; ++i) {
        const auto &turned = d[(i + 1024) & 4095];
        CHECK(turned.cosine == -d[i].sine);
        CHECK(turned.sine == d[i].cosine);
        const auto &mirrored = d[(4096 - i) & 4095];
        CHECK(mirrored.cosine == d[i].cosine);
        CHECK(mirrored.sine == -d[i].sine);
    }
}

TEST_CASE("scaled rounds half away from zero") {
    CHECK(core::scaled(16384, 65536) == 65536);
    CHECK(core::scaled(-16384, 65536) == -65536);
    CHECK(core::scaled(1, 8192) == 1); // exactly one half
    CHECK(core::scaled(-1, 8192) == -1);
    CHECK(core::scaled(1, 8191) == 0);
    CHECK(core::scaled(-1, 8191) == 0);
    CHECK(core::scaled(0, 123456) == 0);
}

TEST_CASE("wrapped is a full modulo") {
    for (const int size : {1, 2, 3, 7, 64}) {
        for (int cell = -200; cell <= 200; ++cell) {
            const int expected = ((cell % size) + size) % size;
            CHECK(core::wrapped(cell, size) == expected);
        }
    }
}

TEST_CASE("integer square root") {
    for (std::uint64_t root : {0u, 1u, 2u, 3u, 255u, 65535u, 46340u, 4294967295u}) {
        CHECK(core::integer_sqrt(root * root) == root);
        if (root > 0) {
            CHECK(core::integer_sqrt(root * root - 1) == root - 1);
        }
    }
    CHECK(core::integer_sqrt(~std::uint64_t{0}) == 4294967295u);
}

TEST_CASE("angles and thresholds") {
    CHECK(core::to_angle(22.5) == 4096);
    CHECK(core::to_angle(45) == 8192);
    CHECK(core::to_angle(30) == 5461);
    CHECK(core::to_angle(360) == 0);
    CHECK(core::to_angle(-90) == 49152);
    CHECK(core::to_threshold(0) == 0);
    CHECK(core::to_threshold(1) == std::uint64_t{1} << 32);
    CHECK(core::to_fixed(0.5, 16) == 32768);
}

TEST_CASE("seeds as numbers and as text") {
    CHECK(parse_seed("0") == 0);
    CHECK(parse_seed("42") == 42);
    CHECK(parse_seed("18446744073709551615") == ~std::uint64_t{0});
    CHECK(parse_seed("0xFF") == 255);
    CHECK(parse_seed("0xffffffffffffffff") == ~std::uint64_t{0});
    CHECK(parse_seed("karst") == core::mix64(0xfacc18cefe4f5f7eu)); // FNV-1a 64 of "karst"
    CHECK(parse_seed("str:42") != 42);
    CHECK(parse_seed("-1") == parse_seed("str:-1"));
    CHECK_THROWS_AS(parse_seed("18446744073709551616"), Error);
    CHECK_THROWS_AS(parse_seed("0x10000000000000000"), Error);
    CHECK_THROWS_AS(parse_seed(""), Error);
    CHECK(seed_to_string(42) == "0x000000000000002a");
    CHECK(parse_seed(seed_to_string(~std::uint64_t{0} - 5)) == ~std::uint64_t{0} - 5);
}

TEST_CASE("splitmix64 known answers") {
    CHECK(core::mix64(0x9E3779B97F4A7C15u) == 0xE220A8397B1DCDAFu);
    CHECK(core::mix64(0x9E3779B97F4A7C15u + 1) == 0x910A2DEC89025CC1u);
}

TEST_CASE("digest depends on every cell, on the row length and on nothing else") {
    Field2D<std::uint16_t> a({5, 3});
    Field2D<std::uint16_t> b({3, 5});
    CHECK(core::digest(a) != core::digest(b));
    const auto before = core::digest(a);
    a.at(4, 2) = 1;
    CHECK(core::digest(a) != before);
    a.at(4, 2) = 0;
    CHECK(core::digest(a) == before);
    const auto backwards = [](std::int64_t rows, auto &&f) {
        for (std::int64_t y = rows - 1; y >= 0; --y) {
            f(y);
        }
    };
    CHECK(core::digest(a, backwards) == before);
    CHECK(core::xxh3("", 0) == 0x2d06800538d394c2u); // XXH3-64 of nothing, seed 0
}

TEST_CASE("thread pool runs every task once and rethrows") {
    for (const int threads : {1, 2, 7}) {
        core::ThreadPool pool(threads);
        CHECK(pool.concurrency() == threads);
        for (int repeat = 0; repeat < 50; ++repeat) {
            std::vector<std::atomic<int>> hits(97);
            pool.run(
                97,
                [](void *context, std::int64_t i) {
                    ++(*static_cast<std::vector<std::atomic<int>> *>(
                        context))[static_cast<std::size_t>(i)];
                },
                &hits);
            for (const auto &hit : hits) {
                REQUIRE(hit == 1);
            }
        }
        CHECK_THROWS_AS(
            pool.run(
                10, [](void *, std::int64_t) { throw std::runtime_error("task"); }, nullptr),
            std::runtime_error);
    }
}

TEST_CASE("for_ranges covers each index once for every size") {
    Options options;
    options.threads = 3;
    core::Run run(options);
    for (const std::int64_t count : {0, 1, 7, 8, 9, 1000, 1001}) {
        std::vector<std::atomic<int>> hits(static_cast<std::size_t>(count));
        run.for_ranges(count, 8, [&](std::int64_t begin, std::int64_t end) {
            for (auto i = begin; i < end; ++i) {
                ++hits[static_cast<std::size_t>(i)];
            }
        });
        for (const auto &hit : hits) {
            REQUIRE(hit == 1);
        }
    }
}

TEST_CASE("gather keeps the order for every size") {
    for (const int threads : {1, 7}) {
        Options options;
        options.threads = threads;
        core::Run run(options);
        for (const std::int64_t count : {0, 1, 16384, 16385, 70000}) {
            const auto list = core::gather<std::int64_t>(
                run, count, [](std::int64_t i, std::vector<std::int64_t> &its) {
                    its.insert(its.end(), static_cast<std::size_t>(i % 3), i);
                });
            std::size_t wrong = 0;
            std::size_t next = 0;
            for (std::int64_t i = 0; i < count; ++i) {
                for (std::int64_t k = 0; k < i % 3; ++k, ++next) {
                    wrong += next >= list.size() || list[next] != i ? 1u : 0u;
                }
            }
            CHECK(wrong == 0);
            CHECK(next == list.size());
        }
    }
}

TEST_CASE("large arrays: zeros and large pages, of every size") {
    Options options;
    options.threads = 3;
    core::Run run(options);
    for (const std::size_t count : {0u, 1u, 4096u, 3000001u}) {
        std::vector<std::uint16_t> values;
        core::resize(run, values, count);
        CHECK(values.size() == count);
        CHECK(std::count(values.begin(), values.end(), 0) == static_cast<std::ptrdiff_t>(count));
        const auto array = core::unwritten_array<std::uint16_t>(count);
        std::fill_n(array.get(), count, std::uint16_t{7});
        Field2D<std::uint16_t> field({static_cast<std::int64_t>(count), 1}, core::large_pages(run));
        CHECK(std::count(field.cells().begin(), field.cells().end(), 0) == field.size());
        auto unset = core::unset_field<std::uint16_t>(run, field.extent());
        CHECK((unset.extent() == field.extent()));
        std::ranges::fill(unset.cells(), std::uint16_t{0});
        CHECK(unset == field);
        field = Field2D<std::uint16_t>({2, 2}); // gives it back
        CHECK(field.size() == 4);
    }
}

TEST_CASE("a cancelled job throws, progress never falls") {
    std::atomic<bool> cancel{false};
    std::vector<double> seen;
    std::vector<StageTime> stages;
    Options options;
    options.cancel = &cancel;
    options.stages = &stages;
    options.progress = [&](const Progress &p) { seen.push_back(p.fraction); };
    core::Run run(options);
    run.stage("first", 0.5);
    run.advance(0.5);
    run.stage("second", 0.5);
    cancel = true;
    try {
        run.advance(0.1);
        FAIL("not cancelled");
    } catch (const Error &error) {
        CHECK(error.code() == ErrorCode::cancelled);
    }
    CHECK(std::is_sorted(seen.begin(), seen.end()));
    CHECK(stages.size() == 1);
}

TEST_CASE("memory that cannot be had is refused with the amount") {
    Options options;
    options.memory_limit = 1 << 20;
    core::require_memory(1 << 20, "this", options);
    try {
        core::require_memory(std::uint64_t{3} << 30, "this", options);
        FAIL("not refused");
    } catch (const Error &error) {
        CHECK(error.code() == ErrorCode::out_of_memory);
        CHECK(std::strstr(error.what(), "3.0 GiB") != nullptr);
    }
    CHECK(core::available_memory() > 0);
}

namespace {

enum class Colour { red, green };
struct Sample {
    double length = 2;
    std::int64_t count = 3;
    bool on = true;
    Colour colour = Colour::green;
};

const core::ParamTable<Sample> &sample_table() {
    static const core::ParamTable<Sample> table({
        core::real(&Sample::length, "length", "m", 0.5, 10, "A length."),
        core::integer(&Sample::count, "count", "", 0, 100, "A count."),
        core::boolean(&Sample::on, "on", "A switch."),
        core::choice(&Sample::colour, "colour", {"red", "green"}, "A colour."),
    });
    return table;
}

} // namespace

TEST_CASE("parameters: defaults come from the struct, text goes back into it") {
    ParamSet set(sample_table().infos());
    CHECK(to_string(set.value("length")) == "2");
    CHECK(to_string(set.value("colour")) == "green");
    for (const auto &[value, text] : std::vector<std::pair<double, std::string>>{
             {0, "0"},
             {1e6, "1000000"},
             {0.0001, "0.0001"},
             {-2.5, "-2.5"},
             {1e300, "1e+300"},
             {0.1 + 0.2, "0.30000000000000004"},
             {1.2345678901234567e-5, "0.000012345678901234568"},
             {1e-6, "1e-06"}}) {
        CHECK(to_string(ParamValue(value)) == text);
    }
    set.set_text("length", "0.5");
    set.set_text("count", "100");
    set.set_text("on", "false");
    set.set_text("colour", "red");
    const Sample sample = sample_table().from(set);
    CHECK(sample.length == 0.5);
    CHECK(sample.count == 100);
    CHECK(!sample.on);
    CHECK(sample.colour == Colour::red);
}

TEST_CASE("parameters: what is not allowed is refused with name, value and range") {
    ParamSet set(sample_table().infos());
    const auto refused = [&](const char *name, const char *text, const char *expected) {
        try {
            set.set_text(name, text);
            FAIL("accepted ", name, "=", text);
        } catch (const Error &error) {
            CHECK(error.code() == ErrorCode::invalid_argument);
            CHECK(std::strstr(error.what(), expected) != nullptr);
        }
    };
    for (const char *bad : {"nan", "inf", "1e999", "", "2x", "-1", "10.5", "0x1p3"}) {
        refused("length", bad, "0.5 to 10 m");
    }
    for (const char *bad : {"-1", "101", "1.5", "18446744073709551616", "", "010x"}) {
        refused("count", bad, "whole number from 0 to 100");
    }
    refused("on", "1", "true or false");
    refused("colour", "blue", "one of red, green");
    refused("lenght", "2", "did you mean 'length'");
    Sample sample;
    sample.length = 11;
    CHECK_THROWS_AS(sample_table().validate(sample), Error);
}

TEST_CASE("a cancel stops a loop before it starts") {
    std::atomic<bool> cancel{true};
    Options options;
    options.cancel = &cancel;
    core::Run run(options);
    CHECK_THROWS_AS(run.for_rows(10, [](std::int64_t) { FAIL("ran"); }), Error);
    options.threads = -1;
    CHECK_THROWS_AS(core::Run{options}, Error);
}

TEST_CASE("parameters: no suggestion where no name is near") {
    ParamSet set(sample_table().infos());
    try {
        set.set_text("x", "1");
        FAIL("accepted");
    } catch (const Error &error) {
        CHECK(std::strstr(error.what(), "did you mean") == nullptr);
    }
    const ParamSet none{{}};
    CHECK_THROWS_AS(none.value("x"), Error);
}

TEST_CASE("process: a child knows that its parent set a mark before the fork") {
    // What the child of a fork() finds, as a bit each.
    const auto in_child = [](const core::ProcessMark &mark) {
        const pid_t child = fork();
        if (child == 0) {
            core::ProcessMark own;
            own.set();
            _exit((mark.is_inherited() ? 1 : 0) | (own.is_inherited() ? 2 : 0));
        }
        int status = -1;
        REQUIRE(waitpid(child, &status, 0) == child);
        REQUIRE(WIFEXITED(status));
        return WEXITSTATUS(status);
    };
    core::ProcessMark mark;
    CHECK(!mark.is_inherited());
    CHECK(in_child(mark) == 0); // nobody has set it
    mark.set();
    mark.set();
    CHECK(!mark.is_inherited());
    CHECK(in_child(mark) == 1);
}
