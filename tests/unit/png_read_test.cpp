#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <zlib.h>

#include <karst/artifact.hpp>
#include <karst/error.hpp>
#include <karst/io.hpp>

#include "io/png_read.hpp"
#include "temporary_folder.hpp"

using namespace karst;

namespace {

constexpr std::uint64_t kRoom = std::uint64_t{64} << 20;

std::string big_endian(std::uint32_t value) {
    std::string bytes;
    for (const int shift : {24, 16, 8, 0}) {
        bytes += static_cast<char>((value >> shift) & 0xff);
    }
    return bytes;
}

std::string chunk(const std::string &type, const std::string &data) {
    const std::string body = type + data;
    const auto crc =
        crc32(0, reinterpret_cast<const Bytef *>(body.data()), static_cast<uInt>(body.size()));
    return big_endian(static_cast<std::uint32_t>(data.size())) + body +
           big_endian(static_cast<std::uint32_t>(crc));
}

std::string deflated(const std::string &bytes) {
    uLongf size = compressBound(static_cast<uLong>(bytes.size()));
    std::string target(size, '\0');
    compress2(reinterpret_cast<Bytef *>(target.data()), &size,
              reinterpret_cast<const Bytef *>(bytes.data()), static_cast<uLong>(bytes.size()), 9);
    target.resize(size);
    return target;
}

const std::string kSignature = "\x89PNG\r\n\x1a\n";

struct Maker {
    std::uint32_t width = 1, height = 1;
    int depth = 8, type = 0, interlace = 0;
    std::string before = {}; // chunks between IHDR and IDAT

    std::string header() const {
        std::string data = big_endian(width) + big_endian(height);
        for (const int value : {depth, type, 0, 0, interlace}) {
            data += static_cast<char>(value);
        }
        return kSignature + chunk("IHDR", data);
    }

    std::string whole(const std::string &rows) const {
        return header() + before + chunk("IDAT", deflated(rows)) + chunk("IEND", "");
    }

    // sample(x, y, channel), packed as the PNG specification says: the rows of one image, or of
    // the seven of Adam7.
    std::string
    image(int channels,
          const std::function<std::uint32_t(std::uint32_t, std::uint32_t, int)> &sample) const {
        struct Pass {
            std::uint32_t x, dx, y, dy;
        };
        const std::vector<Pass> adam7{{0, 8, 0, 8}, {4, 8, 0, 8}, {0, 4, 4, 8}, {2, 4, 0, 4},
                                      {0, 2, 2, 4}, {1, 2, 0, 2}, {0, 1, 1, 2}};
        std::string rows;
        for (const Pass &pass : interlace == 1 ? adam7 : std::vector<Pass>{{0, 1, 0, 1}}) {
            for (std::uint32_t y = pass.y; y < height && pass.x < width; y += pass.dy) {
                rows += '\0'; // no filter
                std::uint32_t bits = 0;
                int held = 0;
                for (std::uint32_t x = pass.x; x < width; x += pass.dx) {
                    for (int c = 0; c < channels; ++c) {
                        bits = bits << depth | sample(x, y, c);
                        held += depth;
                        for (; held >= 8; held -= 8) {
                            rows += static_cast<char>((bits >> (held - 8)) & 0xff);
                        }
                    }
                }
                if (held > 0) {
                    rows += static_cast<char>((bits << (8 - held)) & 0xff);
                }
            }
        }
        return whole(rows);
    }
};

class Files {
public:
    std::string put(const std::string &bytes) const {
        const std::string path = folder_.file("x.png");
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }
    std::string file(const std::string &name) const { return folder_.file(name); }

private:
    TemporaryFolder folder_;
};

// What both readers say of these bytes: the same Error, or no error ("").
std::string verdict(const Files &files, const std::string &bytes, std::uint64_t room = kRoom) {
    const std::string path = files.put(bytes);
    std::string found;
    try {
        io::read_grey_png(path, room);
    } catch (const Error &error) {
        CHECK(error.code() == ErrorCode::invalid_input);
        found = error.what();
        CHECK(found.starts_with(path + ": "));
    }
    try {
        io::read_rgb_png(path, room * 2);
        CHECK(found.empty());
    } catch (const Error &error) {
        CHECK(error.code() == ErrorCode::invalid_input);
        CHECK_FALSE(found.empty());
    }
    return found;
}

bool says(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("png in: grey of every depth, straight and interlaced, is exact in 16 bits") {
    const Files files;
    for (const int depth : {1, 2, 4, 8, 16}) {
        for (const int interlace : {0, 1}) {
            for (const auto &[width, height] :
                 {std::pair{1u, 1u}, {1u, 9u}, {5u, 3u}, {8u, 8u}, {63u, 2u}, {65u, 17u}}) {
                CAPTURE(depth);
                CAPTURE(interlace);
                const Maker maker{width, height, depth, 0, interlace};
                const std::uint32_t most = (1u << depth) - 1;
                const auto value = [most](std::uint32_t x, std::uint32_t y, int) {
                    return (x * 40503u + y * 9973u + (x * y) % 7) & most;
                };
                const auto field = io::read_grey_png(files.put(maker.image(1, value)), kRoom);
                REQUIRE(field.extent() == Extent2{width, height});
                for (std::uint32_t y = 0; y < height; ++y) {
                    for (std::uint32_t x = 0; x < width; ++x) {
                        REQUIRE(field.at(x, y) == value(x, y, 0) * (65535 / most));
                    }
                }
            }
        }
    }
}

TEST_CASE("png in: colours and transparency become grey and RGB as stated") {
    const Files files;
    const std::vector<std::array<std::uint32_t, 4>> pixels{
        {0, 0, 0, 65535},     {65535, 65535, 65535, 65535}, {65535, 0, 0, 65535},
        {0, 65535, 0, 65535}, {0, 0, 65535, 65535},         {1234, 1234, 1234, 65535},
        {65535, 65535, 0, 0}, {40000, 20000, 60000, 32768}, {257, 514, 771, 1}};
    for (const bool alpha : {false, true}) {
        for (const int interlace : {0, 1}) {
            const int type = alpha ? 6 : 2;
            const Maker maker{static_cast<std::uint32_t>(pixels.size()), 1, 16, type, interlace};
            const std::string path =
                files.put(maker.image(alpha ? 4 : 3, [&](std::uint32_t x, std::uint32_t, int c) {
                    return pixels[x][static_cast<std::size_t>(c)];
                }));
            const auto grey = io::read_grey_png(path, kRoom);
            const auto rgb = io::read_rgb_png(path, kRoom);
            for (std::size_t i = 0; i < pixels.size(); ++i) {
                const auto [r, g, b, a] = pixels[i];
                const double share = alpha ? a / 65535.0 : 1;
                const auto x = static_cast<std::int64_t>(i);
                const double exact = (0.2126 * r + 0.7152 * g + 0.0722 * b) * share;
                CHECK(std::abs(grey.at(x, 0) - exact) <= 1.5);
                const std::uint32_t colour = rgb.at(x, 0);
                CHECK(std::abs((colour >> 16) - r * share / 257) <= 0.51);
                CHECK(std::abs((colour >> 8 & 255) - g * share / 257) <= 0.51);
                CHECK(std::abs((colour & 255) - b * share / 257) <= 0.51);
            }
            CHECK(grey.at(1, 0) == 65535);
            CHECK(grey.at(5, 0) == 1234); // equal channels stay what they are
        }
    }
    // Grey with alpha, 8 bits: 200 at half over black.
    const Maker half{1, 1, 8, 4};
    const auto sample = [](std::uint32_t, std::uint32_t, int c) { return c == 0 ? 200u : 128u; };
    const std::string path = files.put(half.image(2, sample));
    CHECK(io::read_grey_png(path, kRoom).at(0, 0) == (200 * 257 * (128 * 257) + 32767) / 65535);
    CHECK(io::read_rgb_png(path, kRoom).at(0, 0) == 0x646464);
    CHECK(io::read_png_header(path).alpha);
}

TEST_CASE("png in: palettes, with transparent entries and entries that are missing") {
    const Files files;
    const std::string colours("\xff\xff\xff\x00\xff\x00\x10\x10\x10", 9);
    Maker maker{4, 1, 2, 3};
    maker.before = chunk("PLTE", colours) + chunk("tRNS", std::string("\xff\xff\x00", 3));
    const auto index = [](std::uint32_t x, std::uint32_t, int) { return x < 3 ? x : 0; };
    const std::string path = files.put(maker.image(1, index));
    const auto grey = io::read_grey_png(path, kRoom);
    CHECK(grey.at(0, 0) == 65535);
    CHECK(grey.at(1, 0) == (46871u * 65535 + 32768) >> 16);
    CHECK(grey.at(2, 0) == 0); // transparent
    CHECK(io::read_rgb_png(path, kRoom).at(1, 0) == 0x00ff00);
    const auto header = io::read_png_header(path);
    CHECK(header.palette);
    CHECK(header.depth == 2);

    // An index beyond the palette is black or refused, never memory that is not the palette's.
    const auto beyond = [](std::uint32_t x, std::uint32_t, int) { return x; };
    verdict(files, maker.image(1, beyond));
    maker.before = "";
    CHECK(says(verdict(files, maker.image(1, index)), "PLTE"));
    maker.before = chunk("PLTE", colours.substr(0, 8));
    CHECK(says(verdict(files, maker.image(1, index)), "PLTE"));
}

TEST_CASE("png in: what karst writes comes back, with its texts") {
    const Files files;
    Artifact artifact;
    artifact.generator = "heightmap";
    artifact.seed = 7;
    Field2D<std::uint16_t> height({65, 33});
    for (std::int64_t i = 0; i < height.size(); ++i) {
        height[i] = static_cast<std::uint16_t>(i * 30);
    }
    Field2D<std::uint8_t> mask({7, 5});
    mask[3] = 255;
    artifact.layers.push_back({"height", LayerMeaning::amount, "m", 0.01, -3, height});
    artifact.layers.push_back({"mask", LayerMeaning::mask, "", 1, 0, mask});
    const std::string path = files.file("height.png");
    write_layer(path, artifact, "height");
    CHECK(io::read_grey_png(path, kRoom) == height);
    CHECK(io::read_png_header(path).depth == 16);
    const std::vector<std::pair<std::string, std::string>> expected{
        {"karst:generator", "heightmap"},
        {"karst:algorithm", std::to_string(KARST_ALGORITHM_VERSION)},
        {"karst:program", KARST_VERSION},
        {"karst:layer", "height"},
        {"karst:seed", "0x0000000000000007"},
        {"karst:unit", "m"},
        {"karst:scale", "0.01"},
        {"karst:offset", "-3"}};
    CHECK(io::read_png_text(path) == expected);
    write_layer(files.file("mask.png"), artifact, "mask");
    const auto back = io::read_grey_png(files.file("mask.png"), kRoom);
    CHECK(back[3] == 65535);
    CHECK(back[4] == 0);
}

TEST_CASE("png in: a file cut at any byte is refused") {
    const Files files;
    for (const int interlace : {0, 1}) {
        Maker maker{9, 5, 16, 0, interlace};
        maker.before = chunk("tEXt", std::string("karst:seed\0x", 12));
        const std::string whole =
            maker.image(1, [](std::uint32_t x, std::uint32_t y, int) { return x * 7000 + y * 31; });
        CHECK(verdict(files, whole).empty());
        for (std::size_t size = 0; size < whole.size(); ++size) {
            CAPTURE(size);
            CHECK_FALSE(verdict(files, whole.substr(0, size)).empty());
        }
    }
}

TEST_CASE("png in: any flipped bit is refused or does not matter") {
    const Files files;
    Maker maker{6, 6, 8, 6, 1};
    maker.before = chunk("gAMA", big_endian(45455)) + chunk("tEXt", std::string("a\0b", 3)) +
                   chunk("pHYs", big_endian(1) + big_endian(1) + std::string(1, '\1'));
    const std::string whole = maker.image(4, [](std::uint32_t x, std::uint32_t y, int c) {
        return (x * y * 40 + (c == 3 ? 200u : 9u)) & 255;
    });
    const std::string path = files.put(whole);
    const auto good = io::read_rgb_png(path, kRoom);
    int refused = 0;
    for (std::size_t i = 0; i < whole.size() * 8; i += 5) { // every bit of a byte in turn
        std::string damaged = whole;
        damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ (1 << (i % 8)));
        CAPTURE(i);
        if (verdict(files, damaged).empty()) {
            CHECK(io::read_rgb_png(path, kRoom) == good);
        } else {
            ++refused;
        }
        try {
            io::read_png_text(path);
        } catch (const Error &error) {
            CHECK(error.code() == ErrorCode::invalid_input);
        }
    }
    CHECK(refused > static_cast<int>(whole.size() / 2)); // all of IHDR, IDAT and IEND, at least
}

TEST_CASE("png in: headers that lie are refused before memory is taken") {
    const Files files;
    const auto grey = [&](std::uint32_t width, std::uint32_t height, int depth, int type) {
        return verdict(files, Maker{width, height, depth, type}.whole(std::string(100, '\0')));
    };
    CHECK(says(grey(0, 1, 8, 0), "width is 0 pixels; allowed is 1 to 1000000"));
    CHECK(says(grey(1, 0, 8, 0), "height is 0 pixels"));
    CHECK(says(grey(0x7fffffff, 1, 8, 0), "width is 2147483647"));
    CHECK(says(grey(1, 0xffffffff, 8, 0), "height is 4294967295"));
    CHECK(says(grey(1'000'000, 1'000'000, 16, 6), "MiB of memory; allowed is 64 MiB"));
    CHECK(says(grey(5000, 5000, 8, 0), "cannot hold 5000 x 5000 pixels")); // 50 MB of 64
    for (const auto &[depth, type] : {std::pair{3, 0},
                                      {0, 0},
                                      {32, 0},
                                      {255, 0},
                                      {16, 3},
                                      {4, 2},
                                      {4, 6},
                                      {8, 1},
                                      {8, 5},
                                      {8, 7},
                                      {8, 255}}) {
        CHECK(says(grey(1, 1, depth, type), "is none of PNG's; allowed is grey of 1, 2, 4"));
    }
    Maker maker;
    maker.interlace = 2;
    CHECK(says(verdict(files, maker.whole("")), "interlace 2; allowed is 0, 0, and 0 or 1"));
    // The limit is exact to a row or so: 1000 * 1000 * 2 bytes and 1 MiB more.
    const Maker large{1000, 1000, 16, 0};
    const std::string bytes = large.whole(std::string(1000 * 2001, '\0'));
    CHECK(verdict(files, bytes, 3'200'000).empty());
    CHECK(says(verdict(files, bytes, 2'500'000), "1000 x 1000 pixels need 3 MiB of memory"));
}

TEST_CASE("png in: bombs and what is no PNG") {
    const Files files;
    // A text that would fill the memory if it were unpacked, a profile too; and a whole image of
    // 12000 x 12000 in 140 kB, which is fine but for its size.
    const std::string zeros(std::size_t{8} << 20, '\0');
    Maker maker{2, 2, 8, 0};
    maker.before = chunk("zTXt", std::string("k\0\0", 3) + deflated(zeros)) +
                   chunk("iCCP", std::string("k\0\0", 3) + deflated(zeros)) +
                   chunk("iTXt", std::string("k\0\1\0\0\0", 6) + deflated(zeros));
    for (int i = 0; i < 2000; ++i) {
        maker.before += chunk("tEXt", std::string("karst:n\0x", 9));
    }
    const std::string texts = maker.whole(std::string(6, '\0'));
    CHECK(verdict(files, texts).empty());
    CHECK(io::read_png_text(files.put(texts)).size() == 64);
    CHECK(says(verdict(files, Maker{12000, 12000, 1, 0}.whole(std::string(12000 * 1501, '\0'))),
               "12000 x 12000 pixels need"));

    CHECK(says(verdict(files, ""), "it is no PNG file"));
    CHECK(says(verdict(files, "GIF89a and so on, long enough for a header of PNG"), "no PNG file"));
    CHECK(says(verdict(files, kSignature.substr(0, 5)), "ends within the header"));
    CHECK(says(verdict(files, kSignature + chunk("IEND", "") + std::string(40, 'x')),
               "the first chunk is not IHDR"));
    const Maker one;
    CHECK_FALSE(verdict(files, one.header() + chunk("IEND", "")).empty()); // no pixels
    CHECK_FALSE(verdict(files, one.whole("")).empty());                    // too few
    CHECK_FALSE(verdict(files, one.whole("\5x")).empty());                 // no such filter
    CHECK_FALSE(verdict(files, one.header() + one.header().substr(8)).empty());
    CHECK_FALSE(
        verdict(files, one.header() + chunk("IDAT", "no stream") + chunk("IEND", "")).empty());
    std::string huge_chunk = one.header() + big_endian(0x7fffffff) + "tEXt";
    CHECK_FALSE(verdict(files, huge_chunk).empty());
    CHECK_THROWS_AS(io::read_png_text(files.put(huge_chunk)), Error);

    for (const std::string &path : {files.file("none.png"), files.file(".")}) {
        try {
            io::read_grey_png(path, kRoom);
            FAIL("read");
        } catch (const Error &error) {
            CHECK(error.code() == ErrorCode::io_failure);
            CHECK(says(error.what(), path));
        }
    }
}
