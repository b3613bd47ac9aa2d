#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputFile.h>
#include <nlohmann/json.hpp>

#include <karst/heightmap.hpp>
#include <karst/io.hpp>

#include "io/engine_notes.hpp"
#include "io/exr.hpp"
#include "io/file.hpp"
#include "io/holes.hpp"
#include "io/profiles.hpp"
#include "io/weights.hpp"
#include "temporary_folder.hpp"

using namespace karst;
using nlohmann::json;

namespace {

constexpr double kStep = 1.0 / 4096;
constexpr double kBottom = -123.25; // m

// Heights of 1/4096 m, the lowest 0.
Artifact terrain(Extent2 extent) {
    Field2D<std::uint32_t> field(extent);
    std::uint32_t state = 7;
    for (auto &height : field.cells()) {
        state = state * 1664525 + 1013904223;
        height = state >> 11; // up to 512 m
    }
    field[0] = 0;
    Artifact artifact;
    artifact.generator = "heightmap";
    artifact.seed = 5;
    artifact.cell = 2.5;
    artifact.layers.push_back(
        {"elevation", LayerMeaning::amount, "m", kStep, kBottom, std::move(field)});
    return artifact;
}

const Field2D<std::uint32_t> &heights(const Artifact &artifact) {
    return std::get<Field2D<std::uint32_t>>(artifact.layers.front().data);
}

double metres(const Artifact &artifact, std::int64_t x, std::int64_t y) {
    return heights(artifact).at(x, y) * kStep + kBottom;
}

std::string content(const std::string &path) {
    return io::read_file(path, std::size_t{1} << 30);
}

template <class T>
std::vector<T> numbers(const std::string &path) {
    const std::string bytes = content(path);
    std::vector<T> list(bytes.size() / sizeof(T));
    std::memcpy(list.data(), bytes.data(), list.size() * sizeof(T));
    return list;
}

json import_of(const std::string &path) {
    return json::parse(content(path + ".import.json"));
}

std::vector<float> read_exr(const std::string &path) {
    Imf::InputFile file(path.c_str());
    const auto box = file.header().dataWindow();
    const int width = box.max.x + 1;
    std::vector<float> values(static_cast<std::size_t>(width * (box.max.y + 1)));
    Imf::FrameBuffer buffer;
    buffer.insert("Y", Imf::Slice(Imf::FLOAT, reinterpret_cast<char *>(values.data()),
                                  sizeof(float), sizeof(float) * static_cast<std::size_t>(width)));
    file.setFrameBuffer(buffer);
    file.readPixels(0, box.max.y);
    return values;
}

std::string refusal(const char *profile, Extent2 extent, const std::string &path,
                    std::optional<Extent2> tiles = std::nullopt) {
    try {
        io::plan_heights(io::find_profile(profile), path, extent, tiles);
    } catch (const Error &error) {
        CHECK(error.code() == ErrorCode::invalid_argument);
        return error.what();
    }
    return "";
}

void check_refusal(const std::string &message, const std::string &part) {
    CHECK_MESSAGE(message.find(part) != std::string::npos, message, " lacks ", part);
}

} // namespace

TEST_CASE("profiles: Unreal takes whole components, at most 1024 of them") {
    for (std::int64_t side = 2; side <= 1100; ++side) {
        bool whole = false;
        for (const std::int64_t section : {7, 15, 31, 63, 127, 255}) {
            for (const std::int64_t quads : {section, 2 * section}) {
                whole |= (side - 1) % quads == 0 && (side - 1) / quads <= 32;
            }
        }
        if (refusal("unreal", {side, side}, "a.png").empty() != whole) {
            FAIL(side);
        }
    }
    // The sizes that Epic recommends, with their components.
    const std::map<std::int64_t, std::int64_t> recommended{
        {8129, 32}, {4033, 32}, {2017, 16}, {1009, 8}, {505, 4}, {253, 2}, {127, 1}};
    for (const auto &pair : recommended) {
        const std::int64_t side = pair.first;
        const std::int64_t components = pair.second;
        CAPTURE(side);
        const auto plan = io::plan_heights(io::find_profile("unreal"), "a.png", {side, side}, {});
        CHECK(plan.tiles.size() == 1);
        CHECK(plan.tiles.front().path == "a.png");
        const auto layout = io::unreal_layout({side, side});
        REQUIRE(layout);
        CHECK(layout->components == Extent2{components, components});
        CHECK(layout->components.width * layout->sections * layout->quads + 1 == side);
    }
    check_refusal(refusal("unreal", {250, 250}, "a.png"), "the nearest: 249x249 and 253x253");
    check_refusal(refusal("unreal", {300, 200}, "a.png"), "the nearest: 301x196");
}

TEST_CASE("profiles: Unity takes powers of two and 1") {
    for (std::int64_t side = 2; side <= 4200; side += side < 1100 ? 1 : 7 * 71) {
        const bool whole =
            side >= 33 && std::has_single_bit(static_cast<std::uint64_t>(side - 1)) && side <= 4097;
        if (refusal("unity", {side, side}, "a.raw").empty() != whole) {
            FAIL(side);
        }
    }
    CHECK_FALSE(refusal("unity", {65, 33}, "a.raw").empty());
    CHECK(refusal("unity", {129, 65}, "a.raw", Extent2{2, 1}).empty());
    check_refusal(refusal("unity", {1000, 1000}, "a.raw"), "the nearest: 1025x1025 and 513x513");
}

TEST_CASE("profiles: beyond the largest file there are tiles, each as large as may be") {
    const auto unity = io::plan_heights(io::find_profile("unity"), "a.raw", {8193, 8193}, {});
    CHECK(unity.counts == Extent2{2, 2});
    CHECK(unity.tile == Extent2{4097, 4097});
    // 16129 = 64 * 252 + 1 = 127^2: three tiles do not divide it.
    check_refusal(refusal("unreal", {16129, 16129}, "a.png"), "the nearest: ");
    const auto unreal = io::plan_heights(io::find_profile("unreal"), "a.png", {9010, 9010}, {});
    CHECK(unreal.counts == Extent2{2, 2});
    CHECK(unreal.tile == Extent2{4505, 4505});
}

TEST_CASE("profiles: Unreal's tiles hold every sample once, the others share borders") {
    const Extent2 extent{256, 256};
    for (const auto &profile : io::profiles()) {
        const bool unreal = profile.name == "unreal";
        const Extent2 whole = unreal ? extent : Extent2{257, 257};
        const auto plan = io::plan_heights(profile, "a" + std::string(profile.formats[0].extension),
                                           whole, Extent2{4, 4});
        Field2D<std::uint8_t> times(whole);
        for (const auto &tile : plan.tiles) {
            for (std::int64_t y = 0; y < tile.window.extent.height; ++y) {
                for (std::int64_t x = 0; x < tile.window.extent.width; ++x) {
                    ++times.at(tile.window.x + x, tile.window.y + y);
                }
            }
        }
        std::int64_t wrong = 0;
        for (std::int64_t y = 0; y < whole.height; ++y) {
            for (std::int64_t x = 0; x < whole.width; ++x) {
                const bool column = !unreal && x % 64 == 0 && x > 0 && x < 256;
                const bool row = !unreal && y % 64 == 0 && y > 0 && y < 256;
                wrong += times.at(x, y) != (column ? 2 : 1) * (row ? 2 : 1);
            }
        }
        CHECK(wrong == 0);
    }
    const auto unreal =
        io::plan_heights(io::find_profile("unreal"), "f/Base.png", extent, Extent2{2, 1});
    CHECK(unreal.tiles[1].path == "f/Base_x1_y0.png");
    // Unity counts columns and rows from the south-west, and sorts as text.
    const auto unity = io::plan_heights(io::find_profile("unity"), "Base.raw",
                                        {11 * 32 + 1, 2 * 32 + 1}, Extent2{11, 2});
    CHECK(unity.tiles[0].path == "Base_00_1.raw");
    CHECK(unity.tiles[21].path == "Base_10_0.raw");
}

TEST_CASE("profiles: names that an engine misreads, formats that it does not read") {
    check_refusal(refusal("unreal", {127, 127}, "Base_x1.png"), "'_x1'");
    check_refusal(refusal("unreal", {127, 127}, "Base_Y02b.png"), "'_Y0'");
    CHECK(refusal("unreal", {127, 127}, "f_x1/Base_xy2.png").empty());
    check_refusal(refusal("unreal", {256, 256}, "a.raw", Extent2{2, 2}), ".png");
    check_refusal(refusal("unreal", {256, 256}, "a.r16", Extent2{2, 1}), "square");
    check_refusal(refusal("unity", {65, 65}, "a_b.raw", Extent2{2, 2}), "'_'");
    check_refusal(refusal("unity", {65, 65}, "a.png"), ".raw");
    // As recipes write them.
    CHECK(io::plan_heights(io::find_profile("unreal"), "a_x{x}_y{y}.png", {256, 256}, Extent2{2, 2})
              .tiles[1]
              .path == "a_x1_y0.png");
    CHECK(io::plan_heights(io::find_profile("unity"), "a_{x}_{y}.raw", {65, 65}, {}).path ==
          "a.raw");
    check_refusal(refusal("unreal", {256, 256}, "a_{y}_{x}.png", Extent2{2, 2}), "_x{x}_y{y}");
    check_refusal(refusal("godot", {65, 65}, "a"), ".exr, .r16");
    check_refusal(refusal("generic", {64, 64}, "a.png", Extent2{2, 2}), "65x65");
    check_refusal(refusal("generic", {1, 9}, "a.png"), "2 samples a side");
    CHECK_THROWS_WITH_AS(io::find_profile("cryengine"),
                         doctest::Contains("unreal, unity, godot, blender, generic"), Error);
}

TEST_CASE("heights: the numbers to type in give the metres back, within half a step") {
    const Artifact made = terrain({127, 253});
    const Artifact square = terrain({129, 129});
    const TemporaryFolder folder;
    struct Case {
        const char *profile;
        const char *name;
        const Artifact *artifact;
        std::function<double(double number, const json &import)> metres;
    };
    const std::vector<Case> cases{
        {"unreal", "u.r16", &made,
         [](double number, const json &import) {
             const double scale = import["scale"][2];
             const double z = import["location_cm"][2];
             return ((number - 32768) / 128 * scale + z) / 100;
         }},
        {"unity", "u.raw", &square,
         [](double number, const json &import) {
             return number / 65536 * import["terrain_height"].get<double>() +
                    import["position_y"].get<double>();
         }},
        {"godot", "g.r16", &made,
         [](double number, const json &import) {
             const double low = import["terrain3d"]["r16_range"][0];
             const double high = import["terrain3d"]["r16_range"][1];
             return number / 65535 * (high - low) + low;
         }},
        {"generic", "n.r16", &made,
         [](double number, const json &import) {
             return number * import["scale_m"].get<double>() + import["offset_m"].get<double>();
         }},
    };
    for (const auto &c : cases) {
        CAPTURE(c.profile);
        const std::string path = folder.file(c.name);
        const auto paths = write_heights(path, *c.artifact, {c.profile});
        const json import = import_of(path);
        const auto stored = numbers<std::uint16_t>(path);
        const Extent2 extent = heights(*c.artifact).extent();
        REQUIRE(stored.size() == static_cast<std::size_t>(extent.cells()));
        double worst = 0;
        for (std::int64_t y = 0; y < extent.height; ++y) {
            const std::int64_t row = import["rows"] == "from the south" ? extent.height - 1 - y : y;
            for (std::int64_t x = 0; x < extent.width; ++x) {
                const double number = stored[static_cast<std::size_t>(row * extent.width + x)];
                worst = std::max(worst, std::abs(c.metres(number, import["import"]) -
                                                 metres(*c.artifact, x, y)));
            }
        }
        const double half_step = import["scale_m"].get<double>() / 2;
        CHECK(worst <= half_step * (1 + 1e-9));
        CHECK(worst > half_step / 2); // the numbers were not looked up elsewhere
        CHECK(import["steps"].size() >= 2);
        CHECK(import["lowest_m"] == kBottom);
    }
    // Unreal needs the sides of what is not square, and would take the JSON of tiles for one.
    CHECK(json::parse(content(folder.file("u.json"))) ==
          json{{"width", 127}, {"height", 253}, {"bpp", 16}});
    const auto alone = write_heights(folder.file("s.r16"), terrain({127, 127}), {"unreal"});
    CHECK(alone.size() == 2);
}

TEST_CASE("heights: tiles have one range, and neighbours the same border bytes") {
    const Artifact made = terrain({129, 65});
    const TemporaryFolder folder;
    const auto tiled = write_heights(folder.file("T.raw"), made, {"unity", Extent2{4, 2}});
    CHECK(tiled.size() == 9);
    std::map<std::pair<int, int>, std::vector<std::uint16_t>> tile;
    for (int x = 0; x < 4; ++x) {
        for (int z = 0; z < 2; ++z) {
            tile[{x, z}] = numbers<std::uint16_t>(
                folder.file("T_" + std::to_string(x) + "_" + std::to_string(z) + ".raw"));
            REQUIRE(tile[{x, z}].size() == 33 * 33);
        }
    }
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < 33; ++i) {
        for (int x = 0; x < 4; ++x) {
            wrong += tile[{x, 0}][32 * 33 + i] != tile[{x, 1}][i];
            for (int z = 0; z < 2 && x < 3; ++z) {
                wrong += tile[{x, z}][33 * i + 32] != tile[{x + 1, z}][33 * i];
            }
        }
    }
    CHECK(wrong == 0);
    // Whole and from the north.
    write_heights(folder.file("W.r16"), made, {"generic"});
    const auto whole = numbers<std::uint16_t>(folder.file("W.r16"));
    for (std::int64_t y = 0; y < 65; ++y) {
        for (std::int64_t x = 0; x < 129; ++x) {
            const int column = static_cast<int>(std::min<std::int64_t>(x / 32, 3));
            const int row = y <= 32 ? 1 : 0; // from the south
            const std::int64_t south = (row == 1 ? 32 : 64) - y;
            wrong += whole[static_cast<std::size_t>(y * 129 + x)] !=
                     tile[{column, row}][static_cast<std::size_t>(south * 33 + x - column * 32)];
        }
    }
    CHECK(wrong == 0);
    const auto [low, high] = std::minmax_element(whole.begin(), whole.end());
    CHECK(*low == 0);
    CHECK(*high == 65535);
}

TEST_CASE("heights: a source that makes windows as they are asked for gives the same tiles") {
    const Artifact made = terrain({64, 64});
    const io::HeightSource memory = io::height_source(made.layers.front(), made.cell);
    io::HeightSource stream = memory;
    std::int64_t largest = 0;
    stream.read = [&](const io::Window &window, std::span<std::int32_t> out) {
        largest = std::max(largest, window.extent.cells());
        for (std::size_t i = 0; i < out.size(); ++i) {
            const auto at = static_cast<std::int64_t>(i);
            out[i] = static_cast<std::int32_t>(heights(made).at(
                window.x + at % window.extent.width, window.y + at / window.extent.width));
        }
    };
    const auto plan =
        io::plan_heights(io::find_profile("unreal"), "a.png", {64, 64}, Extent2{4, 2});
    for (const auto &tile : plan.tiles) {
        CHECK(digest(io::tile_layer(plan, memory, tile).data) ==
              digest(io::tile_layer(plan, stream, tile).data));
    }
    CHECK(largest == 16 * 32);
    CHECK(io::import_text(plan, memory) == io::import_text(plan, stream));
}

TEST_CASE("heights: floats are exact metres, holes are NaN or a map beside them") {
    const Artifact made = terrain({65, 33});
    Field2D<std::uint8_t> mask({65, 33});
    mask.at(7, 5) = 1;
    mask.at(64, 32) = 9;
    const TemporaryFolder folder;
    const auto paths = write_heights(folder.file("g.exr"), made, {"godot", {}, &mask});
    CHECK(paths.size() == 3);
    const auto values = read_exr(folder.file("g.exr"));
    const auto control = read_exr(folder.file("Control_g.exr"));
    REQUIRE(values.size() == 65 * 33);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < 65 * 33; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const bool hole = mask[i] != 0;
        wrong += hole ? !std::isnan(values[at]) : values[at] != metres(made, i % 65, i / 65);
        wrong += std::bit_cast<std::uint32_t>(control[at]) != (hole ? 5u : 1u);
    }
    CHECK(wrong == 0);
    write_layer(folder.file("g.r32"), made, "elevation");
    const auto raw = numbers<float>(folder.file("g.r32"));
    CHECK(raw[100] == values[100]);
    CHECK(raw[66] == static_cast<float>(metres(made, 1, 1)));
    // The same bytes again.
    write_layer(folder.file("a.exr"), made, "elevation");
    write_layer(folder.file("b.exr"), made, "elevation");
    CHECK(content(folder.file("a.exr")) == content(folder.file("b.exr")));

    CHECK_THROWS_AS(write_heights(folder.file("n.png"), made, {"generic", {}, &mask}), Error);
    const Field2D<std::uint8_t> small({3, 3});
    CHECK_THROWS_AS(write_heights(folder.file("n.exr"), made, {"godot", {}, &small}), Error);
    Artifact ids = made;
    ids.layers.front().meaning = LayerMeaning::id;
    CHECK_THROWS_AS(write_layer(folder.file("n.exr"), ids, "elevation"), Error);
    CHECK_THROWS_AS(write_heights(folder.file("n.png"), ids, {}), Error);
}

TEST_CASE("holes: a quad is open where any of its corners is") {
    Field2D<std::uint8_t> mask({4, 3});
    mask.at(1, 1) = 1;
    const auto quads = io::unity_holes(mask);
    REQUIRE(quads.extent() == Extent2{3, 2});
    const std::vector<std::uint8_t> expected{0, 0, 255, 0, 0, 255};
    CHECK(std::equal(expected.begin(), expected.end(), quads.cells().begin()));
    const auto visibility = io::unreal_visibility(mask);
    CHECK(visibility.at(1, 1) == 255);
    CHECK(visibility.at(0, 0) == 0);
    CHECK_THROWS_AS(io::unity_holes(Field2D<std::uint8_t>({1, 5})), Error);
    const TemporaryFolder folder;
    const Artifact made = terrain({127, 127});
    const Field2D<std::uint8_t> holes({127, 127});
    write_heights(folder.file("V.png"), made, {"unreal", {}, &holes});
    CHECK(content(folder.file("Visibility_V.png")).substr(1, 3) == "PNG");
}

TEST_CASE("weights: sum to 255, each next to its share") {
    const Extent2 extent{63, 5};
    std::vector<Field2D<std::uint8_t>> layers(5, Field2D<std::uint8_t>(extent));
    std::uint32_t state = 3;
    for (auto &layer : layers) {
        for (auto &weight : layer.cells()) {
            state = state * 1664525 + 1013904223;
            weight = static_cast<std::uint8_t>(state >> 24);
        }
    }
    for (auto &layer : layers) {
        layer[0] = 0;
        layer[1] = 255;
    }
    const std::vector<const Field2D<std::uint8_t> *> pointers{&layers[0], &layers[1], &layers[2],
                                                              &layers[3], &layers[4]};
    const auto weights = io::normalised_weights(pointers);
    std::int64_t wrong = 0;
    for (std::int64_t i = 1; i < extent.cells(); ++i) {
        double before = 0;
        int after = 0;
        for (std::size_t k = 0; k < 5; ++k) {
            before += layers[k][i];
            after += weights[k][i];
        }
        wrong += after != 255;
        for (std::size_t k = 0; k < 5; ++k) {
            wrong += std::abs(weights[k][i] - layers[k][i] * 255 / before) >= 1;
        }
    }
    CHECK(wrong == 0);
    CHECK(weights[0][0] == 255);
    CHECK(weights[1][1] == 51);
    // Those that are right stay.
    const std::vector<const Field2D<std::uint8_t> *> again{&weights[0], &weights[1], &weights[2],
                                                           &weights[3], &weights[4]};
    CHECK(io::normalised_weights(again) == weights);
    const Field2D<std::uint8_t> other({5, 63});
    const std::vector<const Field2D<std::uint8_t> *> unlike{&layers[0], &other};
    CHECK_THROWS_AS(io::normalised_weights(unlike), Error);
    CHECK_THROWS_AS(io::normalised_weights({}), Error);

    Artifact artifact;
    artifact.layers.push_back({"rock", LayerMeaning::amount, "", 1, 0, layers[0]});
    artifact.layers.push_back({"grass", LayerMeaning::amount, "", 1, 0, layers[1]});
    const TemporaryFolder folder;
    const std::vector<std::string> names{"rock", "grass"};
    CHECK(write_weights(folder.file("w.png"), artifact, names) ==
          std::vector<std::string>{folder.file("w_rock.png"), folder.file("w_grass.png")});
    CHECK_THROWS_AS(write_weights(folder.file("w.exr"), artifact, names), Error);
    CHECK(folder.entries() == 2);
}

TEST_CASE("heightmap: the elevation is exact, the height its 16 bits, most of them used") {
    HeightmapParams params;
    params.maps = {"elevation"};
    const Artifact made = generate_heightmap(params, {129, 129}, 8, 1);
    const Layer &height = made.layer("height");
    const Layer &elevation = made.layer("elevation");
    CHECK(elevation.scale == kStep);
    const auto &levels = std::get<Field2D<std::uint16_t>>(height.data);
    const auto &exact = std::get<Field2D<std::uint32_t>>(elevation.data);
    double worst = 0;
    for (std::int64_t i = 0; i < levels.size(); ++i) {
        worst = std::max(worst, std::abs(levels[i] * height.scale + height.offset -
                                         (exact[i] * elevation.scale + elevation.offset)));
    }
    CHECK(worst <= height.scale / 2 * (1 + 1e-9));
    // A profile's 16 bits are the layer's.
    const io::HeightSource source = io::height_source(elevation, made.cell);
    const auto plan = io::plan_heights(io::find_profile("generic"), "a.png", {129, 129}, {});
    const Layer layer = io::tile_layer(plan, source, plan.tiles.front());
    CHECK(layer.data == height.data);
    CHECK(layer.scale == height.scale);
    CHECK(layer.offset == height.offset);
    // 16641 even draws would meet 14700 of 65536 levels.
    const std::set<std::uint16_t> used(levels.cells().begin(), levels.cells().end());
    CHECK(used.size() > 10000);
}
