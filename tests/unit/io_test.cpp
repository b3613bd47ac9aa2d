#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <tuple>

#include <png.h>
#include <sys/stat.h>
#include <unistd.h>

#include <karst/artifact.hpp>
#include <karst/error.hpp>

#include "io/exporters.hpp"
#include "io/file.hpp"
#include "io/manifest.hpp"
#include "io/png.hpp"
#include "temporary_folder.hpp"

using namespace karst;

namespace {

template <class T>
Field2D<T> sample(Extent2 extent) {
    Field2D<T> field(extent);
    std::uint32_t state = 1;
    for (auto &cell : field.cells()) {
        state = state * 1664525 + 1013904223;
        cell = static_cast<T>(state >> (32 - 8 * sizeof(T)));
    }
    return field;
}

template <class T>
Artifact artifact(Extent2 extent, LayerMeaning meaning) {
    Artifact result;
    result.generator = "sample";
    result.seed = 0xfedcba9876543210u;
    result.layers.push_back({"field", meaning, "m", 0.25, -3, sample<T>(extent)});
    return result;
}

void write(const std::string &path, const Artifact &from) {
    io::OutputFile file(path);
    io::write_layer(file, io::find_format(path), from, from.layers.front());
    file.commit();
}

std::string content(const std::string &path) {
    return io::read_file(path, std::size_t{1} << 30);
}

// An independent reading of a PNG: libpng's row interface.
struct ReadPng {
    std::uint32_t width, height;
    int depth, colour;
    std::vector<std::vector<png_byte>> rows;
    std::map<std::string, std::string> text;

    explicit ReadPng(const std::string &path) {
        std::FILE *file = std::fopen(path.c_str(), "rb");
        REQUIRE(file != nullptr);
        png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
        png_infop info = png_create_info_struct(png);
        if (setjmp(png_jmpbuf(png))) {
            std::fclose(file);
            png_destroy_read_struct(&png, &info, nullptr);
            FAIL("libpng refuses ", path);
            return;
        }
        png_init_io(png, file);
        png_read_info(png, info);
        width = png_get_image_width(png, info);
        height = png_get_image_height(png, info);
        depth = png_get_bit_depth(png, info);
        colour = png_get_color_type(png, info);
        rows.assign(height, std::vector<png_byte>(png_get_rowbytes(png, info)));
        for (auto &row : rows) {
            png_read_row(png, row.data(), nullptr);
        }
        png_read_end(png, info);
        png_textp chunks = nullptr;
        const int count = png_get_text(png, info, &chunks, nullptr);
        for (int i = 0; i < count; ++i) {
            text[chunks[i].key] = chunks[i].text;
        }
        png_destroy_read_struct(&png, &info, nullptr);
        std::fclose(file);
    }

    std::uint32_t grey(std::int64_t x, std::int64_t y) const {
        const auto &row = rows[static_cast<std::size_t>(y)];
        const auto i = static_cast<std::size_t>(x);
        return depth == 8 ? row[i] : row[2 * i] * 256u + row[2 * i + 1];
    }
};

const std::vector<Extent2> kExtents{{1, 1}, {1, 7}, {9, 1}, {63, 64}, {65, 3}, {300, 257}};

template <class T, class Expected>
void check_grey(LayerMeaning meaning, int depth, Expected expected) {
    for (const Extent2 extent : kExtents) {
        const TemporaryFolder folder;
        const std::string path = folder.file("a.png");
        const Artifact made = artifact<T>(extent, meaning);
        write(path, made);
        const ReadPng png(path);
        REQUIRE(png.width == extent.width);
        REQUIRE(png.height == extent.height);
        CHECK(png.depth == depth);
        CHECK(png.colour == PNG_COLOR_TYPE_GRAY);
        const auto &field = std::get<Field2D<T>>(made.layers.front().data);
        std::int64_t wrong = 0;
        for (std::int64_t y = 0; y < extent.height; ++y) {
            for (std::int64_t x = 0; x < extent.width; ++x) {
                wrong += png.grey(x, y) != expected(field, field.at(x, y));
            }
        }
        CHECK(wrong == 0);
        CHECK(png.text.at("karst:seed") == "0xfedcba9876543210");
        CHECK(png.text.at("karst:generator") == "sample");
        CHECK(png.text.at("karst:algorithm") == std::to_string(KARST_ALGORITHM_VERSION));
        CHECK(png.text.at("karst:layer") == "field");
        if (std::system("command -v pngcheck > /dev/null") == 0) {
            CHECK(std::system(("pngcheck -q " + path).c_str()) == 0);
        }
    }
}

ErrorCode code_of(const auto &action, std::string *message = nullptr) {
    try {
        action();
    } catch (const Error &error) {
        if (message != nullptr) {
            *message = error.what();
        }
        return error.code();
    }
    FAIL("nothing thrown");
    return {};
}

} // namespace

TEST_CASE("png: 8-bit grey is the array") {
    const auto same = [](const auto &, std::uint32_t value) { return value; };
    check_grey<std::uint8_t>(LayerMeaning::mask, 8, same);
    check_grey<std::uint8_t>(LayerMeaning::amount, 8, same);
}

// Heights with smooth and with noisy rows, flat ones and steps.
Field2D<std::uint16_t> mixed_rows(Extent2 extent) {
    Field2D<std::uint16_t> field = sample<std::uint16_t>(extent);
    for (std::int64_t y = 0; y < extent.height; ++y) {
        for (std::int64_t x = 0; x < extent.width && y / 100 % 3 != 2; ++x) {
            field.at(x, y) = static_cast<std::uint16_t>(y / 100 % 3 == 0 ? x + 7 * y : y / 9);
        }
    }
    return field;
}

TEST_CASE("png: images of many stripes are the array, the same bytes for every number of threads") {
    // A stripe is about a megabyte: 9 and a rest, a row each, and one that ends with a stripe.
    for (const Extent2 extent : {Extent2{1700, 2900}, Extent2{600001, 5}, Extent2{1023, 1024}}) {
        const TemporaryFolder folder;
        Artifact made = artifact<std::uint16_t>({1, 1}, LayerMeaning::amount);
        made.seed.reset();
        made.layers.front().data = mixed_rows(extent);
        std::string first;
        for (const int threads : {1, 2, 7}) {
            io::OutputFile file(folder.file("a.png"));
            file.set_threads(threads);
            io::write_layer(file, io::find_format("a.png"), made, made.layers.front());
            file.commit();
            const std::string bytes = content(folder.file("a.png"));
            first = first.empty() ? bytes : first;
            CHECK(bytes == first);
        }
        const ReadPng png(folder.file("a.png"));
        CHECK(png.text.count("karst:seed") == 0);
        const auto &field = std::get<Field2D<std::uint16_t>>(made.layers.front().data);
        std::int64_t wrong = 0;
        for (std::int64_t y = 0; y < extent.height; ++y) {
            for (std::int64_t x = 0; x < extent.width; ++x) {
                wrong += png.grey(x, y) != field.at(x, y);
            }
        }
        CHECK(wrong == 0);
        if (std::system("command -v pngcheck > /dev/null") == 0) {
            CHECK(std::system(("pngcheck -q " + folder.file("a.png")).c_str()) == 0);
        }
    }
}

TEST_CASE("png: 16-bit grey is the array") {
    check_grey<std::uint16_t>(LayerMeaning::amount, 16,
                              [](const auto &, std::uint32_t value) { return value; });
}

TEST_CASE("png: 32-bit amounts are scaled to their maximum") {
    check_grey<std::uint32_t>(
        LayerMeaning::amount, 16, [](const Field2D<std::uint32_t> &field, std::uint32_t value) {
            const auto maximum = *std::max_element(field.cells().begin(), field.cells().end());
            return static_cast<std::uint32_t>((value * std::uint64_t{65535} + maximum / 2) /
                                              maximum);
        });
    Artifact zero = artifact<std::uint32_t>({5, 4}, LayerMeaning::amount);
    zero.layers.front().data = Field2D<std::uint32_t>({5, 4});
    const TemporaryFolder folder;
    write(folder.file("zero.png"), zero);
    CHECK(ReadPng(folder.file("zero.png")).grey(4, 3) == 0);
    CHECK(io::png_scale(zero.layers.front()).value() == 0.25 / 65535);
}

TEST_CASE("png: equal ids have equal colours, different ids different ones") {
    Artifact made = artifact<std::uint32_t>({64, 64}, LayerMeaning::id);
    auto &field = std::get<Field2D<std::uint32_t>>(made.layers.front().data);
    for (std::int64_t i = 0; i < field.size(); ++i) {
        field[i] = static_cast<std::uint32_t>(i / 8);
    }
    const TemporaryFolder folder;
    write(folder.file("ids.png"), made);
    const ReadPng png(folder.file("ids.png"));
    CHECK(png.colour == PNG_COLOR_TYPE_RGB);
    CHECK(png.text.count("karst:scale") == 0);
    std::map<std::uint32_t, std::vector<png_byte>> colours;
    std::set<std::vector<png_byte>> distinct;
    for (std::int64_t y = 0; y < 64; ++y) {
        for (std::int64_t x = 0; x < 64; ++x) {
            const auto *pixel =
                &png.rows[static_cast<std::size_t>(y)][static_cast<std::size_t>(3 * x)];
            const std::vector<png_byte> colour(pixel, pixel + 3);
            CHECK(*std::min_element(colour.begin(), colour.end()) >= 64);
            const auto known = colours.emplace(field.at(x, y), colour).first;
            CHECK(known->second == colour);
            distinct.insert(colour);
        }
    }
    CHECK(distinct.size() == 512);
    field[0] = 0xffffffff;
    write(folder.file("none.png"), made);
    const auto row = ReadPng(folder.file("none.png")).rows.front();
    CHECK(std::all_of(row.begin(), row.begin() + 3, [](png_byte value) { return value == 0; }));
    CHECK(std::all_of(row.begin() + 3, row.end(), [](png_byte value) { return value >= 64; }));
}

TEST_CASE("npy: header as NumPy writes it, then the cells") {
    for (const Extent2 extent : kExtents) {
        const TemporaryFolder folder;
        const std::string path = folder.file("a.npy");
        const Artifact made = artifact<std::uint16_t>(extent, LayerMeaning::amount);
        write(path, made);
        const std::string bytes = content(path);
        REQUIRE(bytes.size() > 10);
        CHECK(bytes.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
        const std::size_t length =
            static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
        CHECK((10 + length) % 64 == 0);
        CHECK(bytes[9 + length] == '\n');
        const std::string expected = "{'descr': '<u2', 'fortran_order': False, 'shape': (" +
                                     std::to_string(extent.height) + ", " +
                                     std::to_string(extent.width) + "), }";
        CHECK(bytes.substr(10, expected.size()) == expected);
        const auto &field = std::get<Field2D<std::uint16_t>>(made.layers.front().data);
        REQUIRE(bytes.size() == 10 + length + 2 * static_cast<std::size_t>(extent.cells()));
        CHECK(std::memcmp(bytes.data() + 10 + length, field.data(), field.cells().size_bytes()) ==
              0);
    }
    const TemporaryFolder folder;
    write(folder.file("b.npy"), artifact<std::uint8_t>({2, 2}, LayerMeaning::mask));
    CHECK(content(folder.file("b.npy")).find("'|u1'") != std::string::npos);
    write(folder.file("c.npy"), artifact<std::uint32_t>({2, 2}, LayerMeaning::id));
    CHECK(content(folder.file("c.npy")).find("'<u4'") != std::string::npos);
}

template <class Cell>
void check_channels(int depth, int colour) {
    constexpr std::size_t kChannels = std::tuple_size_v<Cell>;
    for (const Extent2 extent : kExtents) {
        Artifact made = artifact<std::uint8_t>(extent, LayerMeaning::amount);
        Field2D<Cell> field(extent);
        std::uint32_t state = 7;
        for (Cell &cell : field.cells()) {
            for (auto &value : cell) {
                state = state * 1664525 + 1013904223;
                value = static_cast<typename Cell::value_type>(state >> 16);
            }
        }
        made.layers.front().data = field;
        CHECK(channels(made.layers.front().data) == static_cast<int>(kChannels));
        CHECK(bits(made.layers.front().data) == depth);
        const TemporaryFolder folder;
        write(folder.file("a.png"), made);
        const ReadPng png(folder.file("a.png"));
        REQUIRE(png.width == extent.width);
        REQUIRE(png.height == extent.height);
        CHECK(png.depth == depth);
        CHECK(png.colour == colour);
        std::int64_t wrong = 0;
        for (std::int64_t y = 0; y < extent.height; ++y) {
            for (std::int64_t x = 0; x < extent.width; ++x) {
                for (std::size_t c = 0; c < kChannels; ++c) {
                    const auto i =
                        x * static_cast<std::int64_t>(kChannels) + static_cast<std::int64_t>(c);
                    wrong += png.grey(i, y) != field.at(x, y)[c];
                }
            }
        }
        CHECK(wrong == 0);
        CHECK(png.text.at("karst:scale") == "0.25");
        write(folder.file("a.npy"), made);
        const std::string npy = content(folder.file("a.npy"));
        CHECK(npy.find("'shape': (" + std::to_string(extent.height) + ", " +
                       std::to_string(extent.width) + ", " + std::to_string(kChannels) + "), }") !=
              std::string::npos);
        REQUIRE(npy.size() > field.cells().size_bytes());
        const std::string raw(reinterpret_cast<const char *>(field.data()),
                              field.cells().size_bytes());
        CHECK(npy.ends_with(raw));
        write(folder.file("a.raw"), made);
        CHECK(content(folder.file("a.raw")) == raw);
        const io::ArrayRecord record = io::array_record(made.layers.front());
        CHECK(record.channels == static_cast<int>(kChannels));
        CHECK(record.bytes == raw.size());
    }
}

TEST_CASE("cells of several channels: RGB and RGBA, and a last axis in npy") {
    check_channels<Rgb8>(8, PNG_COLOR_TYPE_RGB);
    check_channels<Rgb16>(16, PNG_COLOR_TYPE_RGB);
    check_channels<Rgba8>(8, PNG_COLOR_TYPE_RGB_ALPHA);
    Artifact made = artifact<std::uint8_t>({2, 2}, LayerMeaning::amount);
    made.layers.front().data = Field2D<Rgb16>({2, 2});
    const TemporaryFolder folder;
    CHECK_THROWS_WITH_AS(
        write(folder.file("a.r16"), made),
        doctest::Contains(
            "3 channels of 16 bits a cell (amount); allowed is one of .png, .npy, .raw"),
        Error);
}

TEST_CASE("r16 and raw: little-endian rows, nothing else") {
    const TemporaryFolder folder;
    Artifact made = artifact<std::uint16_t>({2, 1}, LayerMeaning::amount);
    auto &field = std::get<Field2D<std::uint16_t>>(made.layers.front().data);
    field[0] = 0x1234;
    field[1] = 0xfedc;
    for (const char *name : {"a.r16", "a.RAW"}) {
        write(folder.file(name), made);
        CHECK(content(folder.file(name)) == "\x34\x12\xdc\xfe");
    }
}

TEST_CASE("formats: unknown extensions and layers that do not fit are refused") {
    std::string message;
    for (const char *path : {"a.jpg", "a", "a.", ".png", "x.png/a", "a.png.tga"}) {
        CHECK(code_of([&] { io::find_format(path); }, &message) == ErrorCode::invalid_argument);
        CHECK(message.find(".png, .npy, .r16, .exr, .r32, .raw") != std::string::npos);
    }
    CHECK(io::find_format("-").extension == ".png");
    CHECK(io::find_format("-.npy").extension == ".npy");
    CHECK(io::find_format("folder.png/A.R16").extension == ".r16");
    const TemporaryFolder folder;
    const auto made = artifact<std::uint8_t>({2, 1}, LayerMeaning::mask);
    CHECK(code_of([&] { write(folder.file("a.r16"), made); }, &message) == ErrorCode::unsupported);
    CHECK(message.find("a map of 8 bits a cell (mask); allowed is one of .png, .npy, .raw") !=
          std::string::npos);
    CHECK(folder.entries() == 0);
}

TEST_CASE("output file: nothing before commit, everything after it, nothing else beside it") {
    for (const auto temporary :
         {io::OutputFile::Temporary::unnamed, io::OutputFile::Temporary::named}) {
        const TemporaryFolder folder;
        const std::string path = folder.file("a");
        {
            io::OutputFile file(path, nullptr, temporary);
            file.write("lost");
            CHECK(::access(path.c_str(), F_OK) != 0);
        }
        CHECK(folder.entries() == 0);
        {
            io::OutputFile file(path, nullptr, temporary);
            file.write("first");
            file.commit();
        }
        CHECK(content(path) == "first");
        CHECK(folder.entries() == 1);
        {
            io::OutputFile file(path, nullptr, temporary);
            file.write("second, abandoned");
            file.finish();
        }
        CHECK(content(path) == "first");
        CHECK(::symlink("a", folder.file("link").c_str()) == 0);
        {
            io::OutputFile file(folder.file("link"), nullptr, temporary);
            file.write("third");
            file.commit();
        }
        CHECK(content(path) == "third"); // through the link, which stays
        CHECK(folder.entries() == 2);
    }
}

TEST_CASE("output file: a file that is replaced keeps its mode") {
    for (const auto temporary :
         {io::OutputFile::Temporary::unnamed, io::OutputFile::Temporary::named}) {
        for (const mode_t mode : {0600u, 0664u, 0755u}) {
            const TemporaryFolder folder;
            const std::string path = folder.file("a");
            std::ofstream(path) << "old";
            REQUIRE(::chmod(path.c_str(), mode) == 0);
            io::OutputFile file(path, nullptr, temporary);
            file.write("new");
            file.commit();
            struct stat status;
            REQUIRE(::stat(path.c_str(), &status) == 0);
            CHECK((status.st_mode & 07777) == mode);
            CHECK(content(path) == "new");
        }
    }
}

TEST_CASE("output file: what is no regular file is refused by name") {
    const TemporaryFolder folder;
    REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
    REQUIRE(::mkdir(folder.file("folder").c_str(), 0700) == 0);
    REQUIRE(::symlink("/dev/null", folder.file("link").c_str()) == 0);
    REQUIRE(::symlink("/dev/stdout", folder.file("stdout").c_str()) == 0);
    REQUIRE(::symlink("nowhere", folder.file("dangling").c_str()) == 0);
    std::ofstream(folder.file("plain")) << "x";
    const std::vector<std::pair<std::string, std::string>> cases{
        {"/dev/null", "device"},
        {"/dev/full", "device"},
        {"/dev/stdout", "- for the standard output"},
        {"/dev/fd/1", "- for the standard output"},
        {"/proc/self/fd/99", "- for the standard output"},
        {folder.file("stdout"), "- for the standard output"},
        {folder.file("pipe"), "pipe"},
        {folder.file("folder"), "folder"},
        {folder.file("link"), "device"},
        {folder.file("dangling"), "symbolic link"},
        {folder.file("missing/a.png"), "No such file"},
        {folder.file("plain/a.png"), "Not a directory"},
        {folder.file("folder/"), "names no file"},
        {"", "names no file"},
        {folder.file(std::string(300, 'a')), "too long"},
    };
    for (const auto &[path, reason] : cases) {
        std::string message;
        CHECK(code_of([&p = path] { io::check_target(p); }, &message) == ErrorCode::io_failure);
        CHECK_MESSAGE(message.find(reason) != std::string::npos, message);
        CHECK(message.find("'" + path + "'") != std::string::npos);
        CHECK(code_of([&p = path] { io::OutputFile file(p); }) == ErrorCode::io_failure);
    }
    io::check_target("-");
    io::check_target(folder.file("plain"));
    io::check_target(folder.file("new"));
    CHECK(folder.entries() == 6);
}

TEST_CASE("output file: a cancel while writing leaves nothing") {
    const TemporaryFolder folder;
    std::atomic<bool> cancel{false};
    for (const char *name : {"a.png", "a.npy"}) {
        cancel = false;
        const auto made = artifact<std::uint16_t>({64, 64}, LayerMeaning::amount);
        io::OutputFile file(folder.file(name), &cancel);
        cancel = true;
        CHECK(code_of([&] {
                  io::write_layer(file, io::find_format(name), made, made.layers.front());
              }) == ErrorCode::cancelled);
    }
    CHECK(folder.entries() == 0);
}

TEST_CASE("reading: a missing file, a folder, a file over the limit") {
    const TemporaryFolder folder;
    std::string message;
    CHECK(code_of([&] { content(folder.file("none")); }, &message) == ErrorCode::io_failure);
    CHECK(message.find("none") != std::string::npos);
    CHECK(code_of([&] { content(folder.file(".")); }) == ErrorCode::io_failure);
    std::ofstream(folder.file("four")) << "1234";
    CHECK(io::read_file(folder.file("four"), 4) == "1234");
    CHECK(code_of([&] { io::read_file(folder.file("four"), 3); }) == ErrorCode::invalid_input);
    CHECK(code_of([&] { io::read_file("/dev/zero", 100000); }) == ErrorCode::io_failure);
}

TEST_CASE("manifest: every byte of it") {
    const auto made = artifact<std::uint16_t>({3, 2}, LayerMeaning::amount);
    io::Manifest manifest;
    manifest.generator = made.generator;
    manifest.seed = made.seed;
    manifest.parameters = {{"length", 2.5},
                           {"count", std::int64_t{3}},
                           {"on", true},
                           {"colour", std::string("gr\"\xff")}};
    manifest.extent = {3, 2};
    manifest.cell = 0.5;
    manifest.layer = io::array_record(made.layers.front());
    manifest.file = io::file_name("some/folder/a.png");
    manifest.recipe = {"cliffs.json", "north"};
    manifest.inputs = {{"shape", "../room.obj", 7}};
    manifest.options = {{"units", std::string("cm")}};
    manifest.stages = {{"network", 5}};
    manifest.file_bytes = 70;
    manifest.file_digest = 9;
    const std::string expected = R"({
  "karst_manifest": 2,
  "program": "karst )" KARST_VERSION R"(",
  "generator": "sample",
  "algorithm_version": 1,
  "recipe": {
    "file": "cliffs.json",
    "asset": "north"
  },
  "seed": "0xfedcba9876543210",
  "extent": [
    3,
    2
  ],
  "cell": 0.5,
  "parameters": {
    "length": 2.5,
    "count": 3,
    "on": true,
    "colour": "gr\")"
                                 "\xef\xbf\xbd"
                                 R"("
  },
  "inputs": [
    {
      "name": "shape",
      "file": "../room.obj",
      "digest": "0x0000000000000007"
    }
  ],
  "options": {
    "units": "cm"
  },
  "file": "a.png",
  "file_bytes": 70,
  "file_digest": "0x0000000000000009",
  "layer": {
    "name": "field",
    "type": "u16",
    "bits": 16,
    "meaning": "amount",
    "unit": "m",
    "scale": 0.25,
    "offset": -3.0,
    "digest": ")" + io::hexadecimal(digest(made.layers.front().data)) +
                                 R"(",
    "bytes": 12
  },
  "stages": [
    {
      "stage": "network",
      "digest": "0x0000000000000005"
    }
  ]
}
)";
    CHECK(io::manifest_text(manifest) == expected);
    manifest.seed.reset();
    CHECK(io::manifest_text(manifest).find("\"seed\": null") != std::string::npos);
    CHECK(io::manifest_path("some/a.png") == "some/a.png.karst.json");
}
