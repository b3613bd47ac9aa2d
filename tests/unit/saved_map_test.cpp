// Maps read back from files, their pictures, and animations.
#include <doctest/doctest.h>

#include <fstream>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <zlib.h>

#include <karst/error.hpp>
#include <karst/io.hpp>

#include "generators/registry.hpp"
#include "io/apng.hpp"
#include "io/manifest.hpp"
#include "io/npy_read.hpp"
#include "io/saved_map.hpp"
#include "temporary_folder.hpp"

using namespace karst;

namespace {

constexpr std::uint64_t kRoom = std::uint64_t{16} << 20;

void put(const std::string &path, const std::string &bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

std::string get(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The message of the Error(invalid_input) that f() throws; empty if it throws none.
std::string refusal(const std::function<void()> &f) {
    try {
        f();
    } catch (const Error &error) {
        CHECK(error.code() == ErrorCode::invalid_input);
        return error.what();
    }
    return "";
}

bool says(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

template <class T>
Field2D<T> ramp(Extent2 size) {
    Field2D<T> field(size);
    for (std::int64_t i = 0; i < field.size(); ++i) {
        field[i] = static_cast<T>(i * 257 + 3);
    }
    return field;
}

Artifact artifact_of(Layer layer) {
    Artifact artifact;
    artifact.generator = "heightmap";
    artifact.seed = 9;
    artifact.layers.push_back(std::move(layer));
    return artifact;
}

std::string manifest_of(const Artifact &artifact, Extent2 size) {
    io::Manifest manifest;
    manifest.generator = artifact.generator;
    manifest.seed = artifact.seed;
    manifest.extent = size;
    manifest.cell = 2.5;
    manifest.layer = io::array_record(artifact.layers.front());
    return io::manifest_text(manifest);
}

std::string npy(const std::string &dictionary, const std::string &numbers) {
    std::string header = dictionary;
    header.resize((10 + dictionary.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
    header += '\n';
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size() & 0xff);
    bytes += static_cast<char>(header.size() >> 8);
    return bytes + header + numbers;
}

} // namespace

TEST_CASE("map in: npy, r16 and raw give the array back that was written") {
    const TemporaryFolder folder;
    for (const Extent2 size : {Extent2{1, 1}, Extent2{65, 3}, Extent2{1, 64}}) {
        const std::vector<LayerData> all{ramp<std::uint8_t>(size), ramp<std::uint16_t>(size),
                                         ramp<std::uint32_t>(size)};
        for (const LayerData &data : all) {
            const Artifact artifact =
                artifact_of({"height", LayerMeaning::amount, "m", 0.25, -7, data});
            const std::string text = manifest_of(artifact, size);
            for (const std::string extension : {".npy", ".raw", ".r16"}) {
                if (extension == ".r16" && bits(data) != 16) {
                    continue;
                }
                const std::string path = folder.file("m" + extension);
                write_layer(path, artifact, "height");
                put(path + ".karst.json", text);
                const io::SavedMap map = io::read_map(path, kRoom);
                CHECK(map.layer.data == data);
                CHECK(map.layer.name == "height");
                CHECK(map.layer.unit == "m");
                CHECK(map.layer.scale == 0.25);
                CHECK(map.layer.offset == -7);
                CHECK(map.layer.meaning == LayerMeaning::amount);
                CHECK(map.generator == "heightmap");
                CHECK(map.seed == "0x0000000000000009");
                CHECK(map.cell == 2.5);
            }
        }
    }
}

TEST_CASE("map in: a PNG tells by its manifest, by its texts or by its bits what it is") {
    const TemporaryFolder folder;
    const std::string path = folder.file("m.png");
    const Artifact height =
        artifact_of({"height", LayerMeaning::amount, "m", 0.5, 0, ramp<std::uint16_t>({9, 9})});
    write_layer(path, height, "height");
    const io::SavedMap map = io::read_map(path, kRoom);
    CHECK(map.generator == "heightmap");
    CHECK(map.layer.name == "height");
    CHECK(map.layer.meaning == LayerMeaning::amount);
    CHECK(map.seed == "0x0000000000000009");
    CHECK(std::get<Field2D<std::uint16_t>>(map.layer.data) == ramp<std::uint16_t>({9, 9}));

    Field2D<std::uint8_t> mask({4, 2});
    mask[2] = 255;
    write_layer(path, artifact_of({"mask", LayerMeaning::mask, "", 1, 0, mask}), "mask");
    CHECK(io::read_map(path, kRoom).layer.meaning == LayerMeaning::mask);
    CHECK(std::get<Field2D<std::uint8_t>>(io::read_map(path, kRoom).layer.data) == mask);
    write_layer(path, artifact_of({"ids", LayerMeaning::id, "", 1, 0, ramp<std::uint32_t>({4, 2})}),
                "ids");
    CHECK(io::read_map(path, kRoom).layer.meaning == LayerMeaning::colour);

    put(path + ".karst.json", "{\"karst_manifest\": 1, \"layer\": {\"name\": 7}}");
    CHECK(says(refusal([&] { io::read_map(path, kRoom); }), "the key name is not a string"));
}

TEST_CASE("map in: cells of several channels, and weights that an alpha channel holds") {
    const TemporaryFolder folder;
    Field2D<Rgba8> weights({3, 2});
    weights[0] = {255, 0, 0, 0};
    weights[1] = {0, 255, 0, 0};
    weights[2] = {0, 0, 0, 255};
    weights[4] = {100, 55, 0, 100};
    Field2D<Rgb16> normals({2, 2});
    normals[1] = {65535, 32768, 1};
    Field2D<Rgb8> colours({1, 2});
    colours[1] = {1, 2, 3};
    for (const LayerData &data : {LayerData(weights), LayerData(normals), LayerData(colours)}) {
        const Artifact artifact = artifact_of({"map", LayerMeaning::amount, "", 1, 0, data});
        const Extent3 size = extent(data);
        for (const std::string extension : {".npy", ".raw", ".png"}) {
            const std::string path = folder.file("m" + extension);
            write_layer(path, artifact, "map");
            put(path + ".karst.json", manifest_of(artifact, {size.width, size.height}));
            const io::SavedMap map = io::read_map(path, kRoom);
            if (extension != ".png" || channels(data) == 4) {
                CHECK(map.layer.data == data);
            } else {
                CHECK(map.layer.meaning == LayerMeaning::colour);
            }
        }
    }
    const io::SavedMap map = io::read_map(folder.file("m.npy"), kRoom);
    CHECK(picture_of(map.layer, "", 0, {1, 2}, {})[1] == 0x010203);
    Layer layer;
    layer.data = weights;
    const auto picture = picture_of(layer, "heightmap", 1, {3, 2}, {});
    CHECK(picture[0] != picture[1]);
    CHECK(picture[2] != 0); // not what an alpha of 0 or 255 would make of it
    CHECK(picture[3] == 0);
}

TEST_CASE("map in: a tile for Unity has its own size and begins in the south") {
    const TemporaryFolder folder;
    const std::string path = folder.file("m.raw");
    const Artifact artifact =
        artifact_of({"height", LayerMeaning::amount, "m", 1, 0, ramp<std::uint16_t>({33, 33})});
    write_layer(path, artifact, "height");
    put(path + ".karst.json", R"({"karst_manifest": 2, "extent": [65, 97],
        "options": {"profile": "unity"}, "tile": {"map": "m.raw", "tiles": [2, 3], "at": [0, 1]},
        "layer": {"name": "height", "type": "u16", "meaning": "amount"}})");
    const auto map = io::read_map(path, kRoom);
    const auto &field = std::get<Field2D<std::uint16_t>>(map.layer.data);
    REQUIRE(field.extent() == Extent2{33, 33});
    CHECK(field.at(3, 32) == 3 * 257 + 3);
    CHECK(field.at(0, 0) == static_cast<std::uint16_t>(32 * 33 * 257 + 3));
    CHECK(field.at(1, 16) == static_cast<std::uint16_t>((16 * 33 + 1) * 257 + 3));
}

TEST_CASE("map in: npy files that are wrong") {
    const TemporaryFolder folder;
    const std::string path = folder.file("m.npy");
    const auto refused = [&](const std::string &bytes) {
        put(path, bytes);
        return refusal([&] { io::read_npy(path, kRoom); });
    };
    const std::string good =
        npy("{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }", std::string(12, 'x'));
    CHECK(refused(good).empty());
    CHECK(refused(npy("{\"shape\":(2,3),\"descr\":\"<u2\",\"fortran_order\":False}",
                      std::string(12, 'x')))
              .empty());
    for (std::size_t size = 0; size < good.size(); ++size) {
        CAPTURE(size);
        CHECK_FALSE(refused(good.substr(0, size)).empty());
    }
    CHECK_FALSE(refused(good + "x").empty());
    int accepted = 0;
    for (std::size_t i = 0; i < 75 * 8; i += 3) { // magic and dictionary; blanks follow
        std::string damaged = good;
        damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ (1 << (i % 8)));
        accepted += refused(damaged).empty() ? 1 : 0;
    }
    CHECK(accepted < 10); // 'u2' with another quote or a swapped blank is fine
    const auto with = [&](const std::string &type, const std::string &shape) {
        return refused(
            npy("{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }",
                std::string(12, 'x')));
    };
    CHECK(says(with("<f4", "(1, 3)"), "type '<f4'; allowed is |u1, <u2 or <u4"));
    CHECK(says(with(">u2", "(2, 3)"), "type '>u2'"));
    CHECK(says(with("<u2", "(2, 3, 1)"), "its shape is (2, 3, 1); allowed is a map"));
    CHECK(with("<u2", "(2, 1, 3)").empty());
    CHECK(says(with("<u4", "(1, 1, 3)"), "3 channels of 32 bits a cell; allowed is 1 of 8"));
    CHECK(says(with("<u2", "(6,)"), "its shape is (6)"));
    CHECK(says(with("<u2", "()"), "its shape is ()"));
    CHECK(says(with("<u2", "(0, 6)"), "allowed is 1 to"));
    CHECK(says(with("<u2", "(2, 4)"), "4 x 2 cells of 16 bits are 16 bytes"));
    CHECK_FALSE(with("<u2", "(99999999999999999999, 1)").empty());
    CHECK_FALSE(with("<u2", "(134217728, 134217728)").empty());
    CHECK_FALSE(with("<u2", "(-2, -3)").empty());
    CHECK(says(refused(npy("{'descr': '<u2', 'fortran_order': True, 'shape': (2, 3)}",
                           std::string(12, 'x'))),
               "Fortran"));
    CHECK_FALSE(refused(npy("{'descr': '<u2'}", "")).empty());
    CHECK_FALSE(refused(npy("{'descr': ('<u2', 'fortran_order'", "")).empty());
    put(path, npy("{'descr': '<u4', 'fortran_order': False, 'shape': (1024, 1024)}",
                  std::string(4 << 20, 'x')));
    CHECK(says(refusal([&] { io::read_npy(path, 4'000'000); }), "MiB of memory"));
    CHECK(refusal([&] { io::read_npy(path, 5'000'000); }).empty());
}

TEST_CASE("map in: raw files and manifests that are wrong, meshes and unknown names") {
    const TemporaryFolder folder;
    const std::string path = folder.file("m.raw");
    const auto refused = [&](const std::string &manifest) {
        put(path + ".karst.json", manifest);
        return refusal([&] { io::read_map(path, kRoom); });
    };
    put(path, "abcdef");
    CHECK(says(refusal([&] { io::read_map(path, kRoom); }), "stands in no manifest"));
    const auto manifest = [](const std::string &extent, const std::string &type) {
        return R"({"karst_manifest": 1, "extent": )" + extent + R"(, "layer": {"type": ")" + type +
               R"("}})";
    };
    CHECK(refused(manifest("[3, 2]", "u8")).empty());
    CHECK(refused(manifest("[1, 3]", "u16")).empty());
    for (const char *extent :
         {"[3]", "[3, 2, 1]", "[3, 3]", "[-3, 2]", "[3.0, 2.0]", "[1e99, 2]", "[\"3\", 2]", "7",
          "[4294967296, 4294967296]", "[18446744073709551615, 2]"}) {
        CAPTURE(extent);
        CHECK_FALSE(refused(manifest(extent, "u8")).empty());
    }
    CHECK(says(refused(manifest("[3, 2]", "mesh")), "type is 'mesh'; allowed is u8, u16 or u32"));
    const std::string whole = manifest("[3, 2]", "u8");
    for (std::size_t size = 0; size < whole.size(); ++size) {
        CHECK_FALSE(refused(whole.substr(0, size)).empty());
    }
    CHECK(says(refused(R"({"karst_manifest": 1, "extent": [3, 2], "cell": 1e999, "layer": {}})"),
               "m.raw.karst.json: "));
    CHECK(says(refused("[]"), "it is no manifest of karst"));
    CHECK(says(refused(std::string(100000, '[')), "m.raw.karst.json:"));
    CHECK_FALSE(refused("{\"karst_manifest\": \xff}").empty());

    const auto failure = [&](const std::string &name) {
        try {
            io::read_map(folder.file(name), kRoom);
        } catch (const Error &error) {
            return std::pair{error.code(), std::string(error.what())};
        }
        return std::pair{ErrorCode::cancelled, std::string()};
    };
    CHECK(failure("cave.glb").first == ErrorCode::unsupported);
    CHECK(says(failure("cave.glb").second, "is a mesh"));
    CHECK(failure("a.tiff").first == ErrorCode::unsupported);
    CHECK(failure("none.r16").first == ErrorCode::io_failure);
    CHECK(failure("none.npy").first == ErrorCode::io_failure);
}

TEST_CASE("picture: 16-bit numbers are never flat, whatever little of their range they use") {
    for (const int range : {3, 200, 65535}) {
        Field2D<std::uint16_t> height({64, 64});
        for (std::int64_t i = 0; i < height.size(); ++i) {
            const std::int64_t x = i % 64 - 32, y = i / 64 - 32;
            height[i] = static_cast<std::uint16_t>(range * (2048 - x * x - y * y) / 2048);
        }
        Layer layer;
        layer.data = height;
        for (const char *generator : {"", "heightmap", "crack", "physarum"}) {
            const auto picture = picture_of(layer, generator, 0, {32, 32}, {});
            REQUIRE(picture.extent() == Extent2{32, 32});
            const auto sum = [&](std::int64_t x, std::int64_t y) { // of a quarter
                int light = 0;
                for (std::int64_t i = 0; i < 256; ++i) {
                    const std::uint32_t colour = picture.at(x + i % 16, y + i / 16);
                    light +=
                        static_cast<int>((colour >> 16) + (colour >> 8 & 255) + (colour & 255));
                }
                return light;
            };
            CHECK(std::abs(sum(0, 0) - sum(16, 16)) > 256 * 6); // lit from the upper left
        }
    }
    Layer flat;
    flat.data = Field2D<std::uint16_t>({5, 1});
    CHECK(picture_of(flat, "", 0, {5, 1}, {}).extent() == Extent2{5, 1});
    Layer cave;
    cave.meaning = LayerMeaning::mask;
    Field2D<std::uint8_t> map({8, 8});
    map.at(3, 3) = 255;
    cave.data = map;
    const auto picture = picture_of(cave, "cave", 1, {16, 16}, {});
    CHECK(picture.at(6, 6) == picture.at(7, 7)); // a cell is repeated
    CHECK(picture.at(6, 6) != picture.at(8, 8));
    Layer volume;
    volume.data = Field3D<std::uint16_t>({2, 2, 2});
    CHECK_THROWS_AS(picture_of(volume, "", 0, {2, 2}, {}), Error);
}

TEST_CASE("apng: chunks in order, numbered, and frames that a plain reader of zlib gets back") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.png");
    io::Animation animation;
    animation.palette = {0x000000, 0x102030, 0xffeedd};
    animation.still = ramp<std::uint8_t>({5, 3});
    for (auto &index : animation.still.cells()) {
        index = index % 3;
    }
    animation.frames = 3;
    animation.frame = [&](int i) {
        io::AnimationFrame frame{{0, 0}, animation.still, 40};
        if (i > 0) {
            frame = {{i, 1}, Field2D<std::uint8_t>({2, 2}), 1000 * i};
            frame.pixels.at(1, i - 1) = 2;
        }
        return frame;
    };
    animation.texts = {{"karst:layer", "growth"}};
    {
        io::OutputFile file(path);
        io::write_apng(file, animation);
        file.commit();
    }
    const std::string bytes = get(path);
    const auto number = [&bytes](std::size_t at, int size) {
        std::uint32_t value = 0;
        for (int i = 0; i < size; ++i) {
            value =
                value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
        }
        return value;
    };
    REQUIRE(bytes.substr(0, 8) == "\x89PNG\r\n\x1a\n");
    std::vector<std::string> types;
    std::uint32_t sequence = 0;
    std::vector<std::string> images;
    for (std::size_t at = 8; at < bytes.size();) {
        const std::uint32_t length = number(at, 4);
        REQUIRE(at + 12 + length <= bytes.size());
        const std::string type = bytes.substr(at + 4, 4);
        const std::size_t data = at + 8;
        types.push_back(type);
        CHECK(number(data + length, 4) ==
              crc32(0, reinterpret_cast<const Bytef *>(bytes.data() + at + 4), length + 4));
        if (type == "acTL") {
            CHECK(number(data, 4) == 3);
            CHECK(number(data + 4, 4) == 0);
        }
        if (type == "fcTL" || type == "fdAT") {
            CHECK(number(data, 4) == sequence++);
        }
        if (type == "fcTL") {
            const std::uint32_t i = sequence / 2;
            CHECK(number(data + 4, 4) == (i == 0 ? 5 : 2));
            CHECK(number(data + 8, 4) == (i == 0 ? 3 : 2));
            CHECK(number(data + 12, 4) == i);
            CHECK(number(data + 16, 4) == (i == 0 ? 0 : 1));
            CHECK(number(data + 20, 2) == (i == 0 ? 40 : 1000 * i));
            CHECK(number(data + 22, 2) == 1000);
        }
        if (type == "IDAT" || type == "fdAT") {
            const std::uint32_t skip = type == "fdAT" ? 4 : 0;
            std::string rows(100, '\0');
            uLongf size = 100;
            CHECK(uncompress(reinterpret_cast<Bytef *>(rows.data()), &size,
                             reinterpret_cast<const Bytef *>(bytes.data() + data + skip),
                             length - skip) == Z_OK);
            images.push_back(rows.substr(0, size));
        }
        at = data + length + 4;
    }
    const std::vector<std::string> expected{"IHDR", "tEXt", "PLTE", "acTL", "IDAT", "fcTL",
                                            "fdAT", "fcTL", "fdAT", "fcTL", "fdAT", "IEND"};
    CHECK(types == expected);
    REQUIRE(images.size() == 4);
    CHECK(images[0] == images[1]);
    CHECK(images[0].size() == 18);
    CHECK(images[2] == std::string("\0\0\2\0\0\0", 6));
    CHECK(images[3] == std::string("\0\0\0\0\0\2", 6));
    CHECK(io::read_map(path, kRoom).layer.meaning ==
          LayerMeaning::colour); // libpng shows the still
}
