// Tuning: spaces and size classes, the search, the file of `karst tune`, and that no choice changes
// what comes out.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <karst/error.hpp>

#include "cli/tuning_file.hpp"
#include "sim/life_tuning.hpp"
#include "sim/physarum_tuning.hpp"
#include "sim/tune.hpp"
#include "sim/tune_search.hpp"
#include "temporary_folder.hpp"

using namespace karst;

namespace {

const DeviceKey kBoard{"board of sand", "9.0", "13.0", "13.0"};

std::string text_of_file(const std::string &path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write_text(const std::string &path, const std::string &text) {
    std::ofstream(path) << text;
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

sim::TuningAxis axis(const char *name, int count, std::int32_t standard, bool kinds = false) {
    sim::TuningAxis its{name, {}, standard, kinds};
    for (int i = 0; i < count; ++i) {
        its.values.push_back(i);
    }
    return its;
}

} // namespace

TEST_CASE("the class of a size is the nearest power of two") {
    CHECK(sim::size_class(1) == sim::SizeClass{0, 0});
    CHECK(sim::size_class(2048 * 2048) == sim::SizeClass{22, 0});
    CHECK(sim::size_class(2017 * 2017) == sim::SizeClass{22, 0});
    CHECK(sim::size_class(181) == sim::SizeClass{7, 0}); // 2^7.4999
    CHECK(sim::size_class(182) == sim::SizeClass{8, 0});
    CHECK(sim::size_class(2048 * 2048, 629145) == sim::SizeClass{22, -3}); // 0.15 a cell
    CHECK(sim::size_class(100, 400) == sim::SizeClass{7, 2});
    CHECK(sim::size_class(100, 1) == sim::SizeClass{7, -7});
    CHECK(sim::size_class(std::int64_t{1} << 54, 1) == sim::SizeClass{54, -54});
}

TEST_CASE("spaces hold their standard point, and points become tunings") {
    for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::cuda}) {
        for (const char *engine : {"life", "life3d", "physarum"}) {
            CAPTURE(engine);
            const sim::TuningAxes *const axes = sim::find_axes(kind, engine);
            REQUIRE(axes != nullptr);
            for (const sim::TuningAxis &its : *axes) {
                CHECK(std::is_sorted(its.values.begin(), its.values.end()));
                CHECK(std::find(its.values.begin(), its.values.end(), its.standard) !=
                      its.values.end());
            }
            CHECK(sim::text_of(*axes, sim::standard_point(*axes)) == "default");
        }
        CHECK(sim::find_axes(kind, "crack") == nullptr);
    }
    const Tuning tuning{{{"life", 20, 0, {{"generations", 8}, {"words", 66}}},
                         {"life", 22, 0, {{"generations", 16}}},
                         {"life", 26, 0, {{"generations", 7}}},
                         {"physarum", 20, -3, {{"tile_width", 64}}}}};
    const auto life = [&](int cells) {
        return sim::chosen_tuning<cpu::LifeTuning>(&tuning, {cells, 0});
    };
    CHECK(life(20).generations == 8);
    CHECK(life(20).words == 66);
    CHECK(life(20).pieces == cpu::LifeTuning{}.pieces);
    CHECK(life(19).generations == 8);  // a class away
    CHECK(life(23).generations == 16); // likewise
    CHECK(life(24).generations == 32); // too far from any
    CHECK(life(26).generations == 32); // 7 is no value of the axis
    const auto map = [&](int cells, int agents) {
        return sim::chosen_tuning<cpu::PhysarumTuning>(&tuning, {cells, agents}).tile_width;
    };
    CHECK(map(20, -3) == 64);
    CHECK(map(21, -2) == 64);
    CHECK(map(20, 0) == 128);
    CHECK(sim::chosen_tuning<cpu::LifeTuning>(nullptr, {20, 0}).words == 136);
    // An axis of the CPU's engine only.
    CHECK(!sim::is_valid(DeviceKind::cuda, tuning.choices[0]));
    CHECK(sim::is_valid(DeviceKind::cpu, tuning.choices[0]));
}

TEST_CASE("the search finds the best point of a made-up space in few evaluations") {
    // 3 kinds that shift the valley, 10 * 9 * 8 * 6 points each; the best is (1, 7, 2, 5, 3).
    const sim::TuningAxes axes{axis("kind", 3, 0, true), axis("a", 10, 4), axis("b", 9, 4),
                               axis("c", 8, 1), axis("d", 6, 0)};
    const sim::TuningPoint best{1, 7, 2, 5, 3};
    int asked = 0;
    sim::TuneProblem problem{axes,
                             [](const sim::TuningPoint &point) { return std::optional(point); },
                             [&](const sim::TuningPoint &point) {
                                 ++asked;
                                 double cost = point[0] == 1 ? 1 : 1.3;
                                 for (std::size_t i = 1; i < point.size(); ++i) {
                                     const double away = point[i] - best[i];
                                     cost += 0.05 * away * away;
                                 }
                                 const double both = point[1] - best[1] + point[3] - best[3];
                                 return cost + 0.02 * both * both;
                             },
                             [] { return true; }};
    const sim::TuneFound found = sim::search_best(problem);
    CHECK(found.best == best);
    CHECK(found.cost == doctest::Approx(1));
    CHECK(found.complete);
    CHECK(found.points == asked);
    CHECK(asked < 150); // of 12960

    SUBCASE("but never a point that the device cannot do") {
        problem.reduce = [&](const sim::TuningPoint &point) {
            return point[1] > 6 ? std::nullopt : std::optional(point);
        };
        CHECK(sim::search_best(problem).best == sim::TuningPoint{1, 6, 2, 5, 3});
    }
    SUBCASE("points that do the same are asked for once") {
        problem.reduce = [](sim::TuningPoint point) {
            point[4] = 0;
            return std::optional(point);
        };
        asked = 0;
        const sim::TuneFound flat = sim::search_best(problem);
        CHECK(flat.best == sim::TuningPoint{1, 7, 2, 5, 0});
        CHECK(flat.points == asked);
    }
    SUBCASE("without time there is the standard point") {
        problem.go_on = [] { return false; };
        const sim::TuneFound none = sim::search_best(problem);
        CHECK(none.best == sim::standard_point(axes));
        CHECK(none.points == 1);
        CHECK(!none.complete);
    }
}

TEST_CASE("of a small space every point is tried") {
    const sim::TuningAxes axes{axis("a", 4, 0), axis("b", 5, 0)};
    const sim::TuneProblem problem{
        axes, [](const sim::TuningPoint &point) { return std::optional(point); },
        [](const sim::TuningPoint &point) {
            return point == sim::TuningPoint{3, 1} ? 1.0 : 2.0; // nothing leads there
        },
        [] { return true; }};
    const sim::TuneFound found = sim::search_best(problem);
    CHECK(found.best == sim::TuningPoint{3, 1});
    CHECK(found.points == 20);
}

TEST_CASE("what was found is kept, by device") {
    const TemporaryFolder folder;
    const std::string path = folder.file("deep/er/tuning.json");
    cli::check_tuning_file(path);
    const std::vector<cli::TunedEntry> entries{
        {{"life", 20, 0, {{"generations", 4}, {"rows", 64}}}, 2e-6, 1e-6},
        {{"physarum", 22, -3, {{"form", 3}}}, 5e-5, 4e-5},
        {{"physarum", 22, 0, {}}, 5e-5, 5e-5}};
    const auto load = [&](const DeviceKey &key) {
        return cli::load_tuning(path, DeviceKind::cuda, key);
    };
    CHECK(load(kBoard).tuning.choices.empty()); // no file
    CHECK(cli::store_tuning(path, DeviceKind::cuda, kBoard, entries) == 2);
    const cli::LoadedTuning loaded = load(kBoard);
    CHECK(loaded.notes.empty());
    REQUIRE(loaded.tuning.choices.size() == 2); // nothing better: no entry
    CHECK(loaded.tuning.choices[0].values == entries[0].choice.values);
    CHECK(loaded.tuning.choices[1].agents == -3);

    // Other devices keep theirs, the same device and size is replaced.
    DeviceKey other = kBoard;
    other.name = "board of clay";
    cli::store_tuning(path, DeviceKind::cuda, other, {entries.data(), 1});
    const cli::TunedEntry again{{"life", 20, 0, {{"generations", 2}}}, 2e-6, 1e-6};
    cli::store_tuning(path, DeviceKind::cuda, kBoard, {&again, 1});
    CHECK(load(other).tuning.choices.size() == 1);
    CHECK(load(kBoard).tuning.choices.size() == 2);
    CHECK(load(kBoard).notes.size() == 1); // the other device
    const Tuning tuning = load(kBoard).tuning;
    CHECK(sim::chosen_tuning<cuda::LifeTuning>(&tuning, {20, 0}).generations == 2);

    // After an update of the driver nothing counts, and the next tuning throws it out.
    DeviceKey updated = kBoard;
    updated.driver = "13.1";
    CHECK(load(updated).tuning.choices.empty());
    cli::store_tuning(path, DeviceKind::cuda, updated, {&again, 1});
    CHECK(load(kBoard).tuning.choices.empty());
    CHECK(load(updated).tuning.choices.size() == 1);
    CHECK(load(other).tuning.choices.size() == 1);
    CHECK(cli::load_tuning(path, DeviceKind::cpu, updated).tuning.choices.empty());
}

TEST_CASE("what several store at once is kept") {
    const TemporaryFolder folder;
    const std::string path = folder.file("tuning.json");
    constexpr int kMany = 12;
    std::vector<std::thread> threads;
    for (int i = 0; i < kMany; ++i) {
        threads.emplace_back([&path, i] {
            const cli::TunedEntry entry{{"life", i, 0, {{"generations", 4}}}, 2e-6, 1e-6};
            cli::store_tuning(path, DeviceKind::cuda, kBoard, {&entry, 1});
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    CHECK(cli::load_tuning(path, DeviceKind::cuda, kBoard).tuning.choices.size() == kMany);
    CHECK(folder.entries() == 1); // and nothing is left beside it
}

TEST_CASE("stale, damaged and hostile tunings are passed over") {
    const TemporaryFolder folder;
    const std::string path = folder.file("tuning.json");
    const cli::TunedEntry entry{{"life", 20, 0, {{"generations", 4}}}, 2e-6, 1e-6};
    cli::store_tuning(path, DeviceKind::cuda, kBoard, {&entry, 1});
    const std::string good = text_of_file(path);
    const auto refused = [&](const std::string &text) {
        write_text(path, text);
        const cli::LoadedTuning loaded = cli::load_tuning(path, DeviceKind::cuda, kBoard);
        return loaded.tuning.choices.empty() && loaded.notes.size() == 1;
    };
    CHECK(!refused(good));
    CHECK(refused(""));
    CHECK(refused("null"));
    CHECK(refused("{}"));
    CHECK(refused(good.substr(0, good.size() / 2)));
    CHECK(refused(replaced(good, "\"karst_tuning\": 1", "\"karst_tuning\": 2")));
    CHECK(refused(replaced(good, "\"karst\": \"", "\"karst\": \"9")));
    CHECK(refused(replaced(good, "\"space\": ", "\"space\": 9")));
    CHECK(refused(replaced(good, "\"life\"", "\"crack\"")));
    CHECK(refused(replaced(good, "\"generations\": 4", "\"generations\": 5")));
    CHECK(refused(replaced(good, "\"generations\": 4", "\"generations\": 1e300")));
    CHECK(refused(replaced(good, "\"generations\": 4", "\"generations\": 18446744073709551615")));
    CHECK(refused(replaced(good, "\"generations\"", "\"gen\\u0000\"")));
    CHECK(refused(replaced(good, "\"cells\": 20", "\"cells\": 99999999999")));
    CHECK(refused(replaced(good, "\"cells\": 20", "\"cells\": null")));
    CHECK(refused(replaced(good, "\"device\": \"board of sand\"", "\"device\": [[]]")));
    CHECK(refused(std::string(1000000, '[')));
    CHECK(refused("\"" + std::string(2 << 20, 'x') + "\""));
    CHECK(cli::load_tuning(folder.file(""), DeviceKind::cuda, kBoard).notes.size() == 1);
    // A file that cannot be kept is replaced.
    write_text(path, "\xff\xfe");
    cli::store_tuning(path, DeviceKind::cuda, kBoard, {&entry, 1});
    CHECK(text_of_file(path) == good);
    CHECK_THROWS_AS(cli::check_tuning_file(folder.file("")), Error);
    CHECK_THROWS_AS(cli::check_tuning_file(path + "/tuning.json"), Error);
}

TEST_CASE("tuning on the CPU keeps the digest") {
    sim::TuneSettings settings;
    settings.seconds = 0; // the standard point, and the rounds at the end
    Options options;
    options.threads = 2;
    const sim::TuneResult life = sim::tune_life(options, LifeRule{}, Extent2{200, 100}, settings);
    CHECK(life.points == 1);
    CHECK(!life.complete);
    CHECK(life.text == "default");
    CHECK(life.default_seconds > 0);
    CHECK(life.digest != 0);
    settings.seconds = 1;
    CHECK(sim::tune_life(options, LifeRule{}, Extent2{200, 100}, settings).digest == life.digest);
}
