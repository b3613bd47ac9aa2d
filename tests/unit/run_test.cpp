// What the assets of a run share.
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

#include <doctest/doctest.h>

#include <karst/error.hpp>
#include <karst/io.hpp>

#include "cli/field_cache.hpp"
#include "cli/inputs.hpp"
#include "io/file.hpp"
#include "unit/temporary_folder.hpp"

using namespace karst;

namespace {

void paint(const std::string &path, std::uint16_t value) {
    Field2D<std::uint16_t> map({3, 2});
    map.at(1, 1) = value;
    Artifact artifact;
    artifact.layers.push_back({"map", LayerMeaning::amount, "", 1, 0, std::move(map)});
    write_layer(path, artifact, "map");
}

} // namespace

TEST_CASE("files: many get their names together or none does") {
    const TemporaryFolder folder;
    const auto fill = [&folder](io::OutputFiles &files) {
        for (int i = 0; i < 40; ++i) {
            files.add(folder.file("f" + std::to_string(i))).write(std::to_string(i));
        }
    };
    {
        io::OutputFiles files;
        fill(files);
        CHECK(io::digest_file(folder.file("f0")) == std::nullopt);
    }
    CHECK(folder.entries() == 0);
    io::OutputFiles files;
    fill(files);
    files.commit();
    CHECK(folder.entries() == 40);
    CHECK(files.paths().back() == folder.file("f39"));
    for (int i = 0; i < 40; ++i) {
        CHECK(io::read_file(folder.file("f" + std::to_string(i)), 9) == std::to_string(i));
    }
}

TEST_CASE("files: before they have names they leave nothing, while few enough are open") {
    const TemporaryFolder folder;
    const auto entries_of = [&folder](int files) {
        io::OutputFiles open;
        for (int i = 0; i < files; ++i) {
            open.add(folder.file("f" + std::to_string(i))).write("x");
        }
        return folder.entries();
    };
    const bool named = entries_of(1) == 1; // the file system has no unnamed files
    CHECK(entries_of(100) == (named ? 100 : 0));
    struct rlimit before;
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    struct rlimit few = before;
    few.rlim_cur = 100;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    CHECK(entries_of(200) == (named ? 200 : 150)); // 50 of 100 stay for what is read
    io::OutputFiles first, second;
    for (int i = 0; i < 60; ++i) { // together, too
        first.add(folder.file("a" + std::to_string(i))).write("a");
        second.add(folder.file("b" + std::to_string(i))).write("b");
    }
    first.commit();
    second.commit();
    CHECK(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(folder.entries() == 120);
}

TEST_CASE("inputs: a run reads a file once, and the digest is of what it read") {
    const TemporaryFolder folder;
    const std::string path = folder.file("map.png");
    paint(path, 700);
    const std::uint64_t digest = io::digest_file(path)->digest;

    cli::Inputs inputs;
    const auto first = inputs.map(path);
    CHECK(first->content.at(1, 1) == 700);
    CHECK(first->digest == digest);
    paint(path, 900);
    const auto second = inputs.map(path);
    CHECK(second->content.at(1, 1) == 700);
    CHECK(second->digest == digest);
    std::filesystem::remove(path);
    CHECK(inputs.map(path)->digest == digest);
    paint(path, 900);
    const auto next_run = cli::Inputs().map(path);
    CHECK(next_run->content.at(1, 1) == 900);
    CHECK(next_run->digest == io::digest_file(path)->digest);

    const std::string shape = folder.file("shape.obj");
    std::ofstream(shape) << "v 0 0 0\nv 1 0 0\nv 0 200 0\nf 1 2 3\n";
    const auto metres = inputs.shape(shape, {});
    const auto centimetres = inputs.shape(shape, {LengthUnit::centimetres, UpAxis::y});
    CHECK(metres->content.positions[2][1] == 200);
    CHECK(centimetres->content.positions[2][1] == 2);
    CHECK(centimetres->digest == metres->digest);
    CHECK(metres->digest == io::digest_file(shape)->digest);
    CHECK_THROWS_AS(inputs.networks(shape), Error);
    CHECK_THROWS_AS(inputs.map(folder.file("none.png")), Error);
}

TEST_CASE("inputs: what is not kept has the same bytes when it is read again") {
    const TemporaryFolder folder;
    const std::string path = folder.file("map.png");
    paint(path, 700);
    cli::Inputs inputs(0);
    const auto first = inputs.map(path);
    const auto second = inputs.map(path);
    CHECK(second->content.at(1, 1) == 700);
    CHECK(second->digest == first->digest);
    paint(path, 900);
    CHECK_THROWS_WITH_AS(inputs.map(path), doctest::Contains("the file has changed"), Error);
}

TEST_CASE("inputs: a map that is too large is refused before it is decoded") {
    const TemporaryFolder folder;
    Artifact artifact;
    artifact.layers.push_back(
        {"map", LayerMeaning::amount, "", 1, 0, Field2D<std::uint16_t>({65537, 1})});
    write_layer(folder.file("wide.png"), artifact, "map");
    const std::string whole = io::read_file(folder.file("wide.png"), 1 << 20);
    std::ofstream(folder.file("cut.png"), std::ios::binary) << whole.substr(0, whole.size() - 60);
    CHECK_THROWS_WITH_AS(cli::Inputs().map(folder.file("cut.png")),
                         doctest::Contains("the map is 65537 x 1 pixels; allowed is 1 to 65536"),
                         Error);
}

namespace {

// How often four threads make a field that all of them need; each must see it whole.
int made_by_four(cli::RecipeCache &cache, std::string_view key) {
    std::atomic<int> made{0}, whole{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            std::array<std::byte, 1000> field{};
            if (!cache.load(key, field)) {
                ++made;
                std::this_thread::sleep_for(std::chrono::milliseconds(30));
                field.fill(std::byte{7});
                cache.store(key, field);
            }
            whole += field.front() == std::byte{7} && field.back() == std::byte{7} ? 1 : 0;
            cache.give_up();
        });
    }
    for (auto &thread : threads) {
        thread.join();
    }
    CHECK(whole == 4);
    return made;
}

} // namespace

TEST_CASE("shared trails: what several ask for at once is made once") {
    cli::RecipeCache cache(10000, "");
    CHECK(made_by_four(cache, "a") == 1);
    CHECK(made_by_four(cache, "a") == 0);
    CHECK(made_by_four(cache, "b") == 1);
    const TemporaryFolder folder;
    cli::RecipeCache on_disk(0, folder.file("cache"));
    CHECK(made_by_four(on_disk, "a") == 1);
}

TEST_CASE("shared trails: nobody waits for what can be kept nowhere") {
    cli::RecipeCache nothing_kept(7, "");
    const auto load = [&nothing_kept] {
        std::array<std::byte, 8> field{};
        return nothing_kept.load("a", field);
    };
    CHECK(!load());
    auto other = std::async(std::launch::async, load);
    CHECK(other.wait_for(std::chrono::seconds(10)) == std::future_status::ready);
    nothing_kept.give_up();
    CHECK(!other.get());
}

TEST_CASE("shared trails: nobody waits for one who failed, or after a cancel") {
    std::atomic<bool> cancel{false};
    cli::RecipeCache cache(10000, "", &cancel);
    std::array<std::byte, 8> field{};
    std::thread([&] {
        std::array<std::byte, 8> own{};
        CHECK(!cache.load("a", own));
        cache.give_up();
        CHECK(!cache.load("b", own));
    }).join();
    CHECK(!cache.load("a", field));
    cancel = true;
    CHECK(!cache.load("b", field));
}
