// Files in OBJ as others write them, and as nobody should.
#include <doctest/doctest.h>

#include <fstream>
#include <set>

#include <karst/error.hpp>
#include <karst/io.hpp>

#include "temporary_folder.hpp"

using namespace karst;

namespace {

const TemporaryFolder &folder() {
    static const TemporaryFolder folder;
    return folder;
}

std::string written(const std::string &text) {
    const std::string path = folder().file("a.obj");
    std::ofstream(path, std::ios::binary) << text;
    return path;
}

const std::string kFour = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

// The message without the name of the file; empty: it was read.
std::string refusal(const std::string &text) {
    const std::string path = written(text);
    try {
        read_obj(path);
    } catch (const Error &error) {
        CHECK(error.code() == ErrorCode::invalid_input);
        const std::string message = error.what();
        REQUIRE(message.starts_with(path));
        return message.substr(path.size());
    }
    return "";
}

} // namespace

TEST_CASE("obj: polygons, negative indices, comments and line ends") {
    const Mesh square = read_obj(written("# a square\r\nmtllib none.mtl\r\no s q\r\n" + kFour +
                                         "usemtl red\ns off\nf 1 2 3 4 # the face\r\n"));
    CHECK(square.positions.size() == 4);
    CHECK(square.indices == std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3});
    const Mesh counted_back = read_obj(written(kFour + "f -4 -3 -2\nv 5 5 5\nf -1 1 -2"));
    CHECK(counted_back.triangles() == 2);
    CHECK(counted_back.positions[3] == Vec3{5, 5, 5});
    CHECK(counted_back.positions[counted_back.indices[5]] == Vec3{0, 1, 0});
    // A colour, a weight, signs, exponents, a number that no float can hold but 0.
    const Mesh numbers =
        read_obj(written("v +1.5 -.5 1e2 0.5 0.5 0.5\n\tv  0 1e-99 -2E-1 1\nv 1 2 3\nf 1 2 3\n"));
    CHECK(numbers.positions[0] == Vec3{1.5f, -0.5f, 100});
    CHECK(numbers.positions[1] == Vec3{0, 0, -0.2f});
}

TEST_CASE("obj: separate streams become vertices; an attribute stays if every corner has it") {
    const std::string attributes = kFour + "vt 0 0\nvt 0.5 0.25\nvn 0 0 1\nvn 0 0 -1\n";
    const Mesh all = read_obj(written(attributes + "f 1/1/1 2/1/1 3/2/1\nf 1/1/1 3/2/1 4/1/2\n"
                                                   "f 1/2/1 2/1/1 3/2/1\n"));
    CHECK(all.positions.size() == 5); // 1 has two UVs
    CHECK(all.normals.size() == 5);
    CHECK(all.uvs[2] == Vec2{0.5f, 0.75f}); // v downwards
    CHECK(all.indices == std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3, 4, 1, 2});
    const Mesh some = read_obj(written(attributes + "f 1//1 2//1 3//2\nf 1/1 3/2 4/1\n"));
    CHECK(some.normals.empty());
    CHECK(some.uvs.empty());
    CHECK(some.positions.size() == 4);
    const Mesh turned = read_obj(written("v 100 200 300\nv 0 0 0\nv 1 0 0\nf 1 2 3\n"),
                                 {LengthUnit::centimetres, UpAxis::z});
    CHECK(turned.positions[0] == Vec3{1, 3, -2});
}

TEST_CASE("obj: what is refused, and where") {
    CHECK(refusal("") == ": it has no faces");
    CHECK(refusal(kFour) == ": it has no faces");
    for (const char *number :
         {"nan", "inf", "-inf", "1e999", "0x10", "1.5.2", "1,5", "--1", "+-1"}) {
        CHECK(refusal("v 0 0 0\nv 1 " + std::string(number) + " 0\n") ==
              ":2: '" + std::string(number) + "' is no finite number");
        CHECK(refusal(kFour + "vn 0 0 " + number + "\nf 1 2 3\n").starts_with(":5: "));
        CHECK(refusal(kFour + "vt " + number + "\nf 1 2 3\n").starts_with(":5: "));
    }
    CHECK(refusal("v 1 2\nf 1 1 1\n") == ":1: v has 2 numbers; it takes 3");
    for (const char *index : {"0", "5", "-5", "99999999999999", "99999999999999999999",
                              "4294967297", "-9223372036854775808"}) {
        CHECK(refusal(kFour + "f 1 2 " + index + "\n") ==
              ":5: index '" + std::string(index) + "'; there are 4 vertices before it");
    }
    CHECK(refusal("f 1 2 3\n" + kFour) == ":1: index '1'; there are 0 vertices before it");
    CHECK(refusal(kFour + "f 1/1 2/1 3/1\n") ==
          ":5: index '1'; there are 0 texture coordinates before it");
    CHECK(refusal(kFour + "f 1//1 2//1 3//1\n") == ":5: index '1'; there are 0 normals before it");
    for (const char *corner : {"x", "1/2/3/4", "1.5", "/1", "1e0", "\\", "1 /"}) {
        CHECK(refusal(kFour + "f 2 3 " + corner + "\n").find("is no corner of a face") !=
              std::string::npos);
    }
    CHECK(refusal(kFour + "f 1 2\n") == ":5: a face of 2 corners; allowed are 3 to 255");
    std::string polygon = "f";
    for (int i = 0; i < 256; ++i) {
        polygon += " 1";
    }
    CHECK(refusal(kFour + polygon) == ":5: a face of 256 corners; allowed are 3 to 255");
    CHECK(refusal(kFour + polygon.substr(0, polygon.size() - 2)).empty());
    CHECK(refusal("surf 0 1 0 1 1 2 3\n") == ":1: 'surf' is no statement of a mesh");
    CHECK(refusal(kFour + "vw 1e30 1e30\n") == ":5: 'vw' is no statement of a mesh");
    CHECK(refusal("v 0 0 0" + std::string(70000, ' ') + "\n") ==
          ":1: a line of 70007 bytes; allowed are 65536");
    CHECK(refusal(std::string("\x7f\x45LF\0\1\2\n", 8)).starts_with(":1: '?ELF?"));
    CHECK(refusal(std::string(1000, 'v')).starts_with(":1: 'vvvvvvvvvvvvvvvvvvvvvvvv...'"));
    // Nesting means nothing here: groups in groups are names.
    std::string deep;
    for (int i = 0; i < 20000; ++i) {
        deep += "g a\no b\n";
    }
    CHECK(refusal(deep + kFour + "f 1 2 3\n").empty());
    try {
        read_obj(folder().file("missing.obj"));
        FAIL("read a file that is not there");
    } catch (const Error &error) {
        CHECK(error.code() == ErrorCode::io_failure);
    }
}

TEST_CASE("obj: random damage is refused or read, never more") {
    const std::string good = kFour + "vt 0 0\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1 4/1/1\nf -1 -2 -3\n";
    std::uint32_t state = 1;
    const auto random = [&state](std::size_t below) {
        state = state * 1664525 + 1013904223;
        return static_cast<std::size_t>(state >> 8) % below;
    };
    std::set<std::string> outcomes;
    for (int i = 0; i < 400; ++i) {
        std::string text = good;
        for (std::size_t k = random(4) + 1; k > 0; --k) {
            const std::size_t at = random(text.size());
            if (random(3) == 0) {
                text.erase(at, random(5) + 1);
            } else {
                text.insert(at, 1, "0123456789-+/ \n.evtnf\0\xff"[random(23)]);
            }
            text += text.empty() ? "f" : "";
        }
        const std::string message = refusal(text);
        outcomes.insert(message.substr(0, 20));
    }
    CHECK(outcomes.contains(""));
    CHECK(outcomes.size() > 10);
}
