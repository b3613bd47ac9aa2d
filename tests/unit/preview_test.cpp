#include <doctest/doctest.h>

#include <cmath>

#include "shape/preview.hpp"

using namespace karst;

namespace {
const shape::ColourStop kGrey[] = {{0, 0x000000}, {1, 0xffffff}};
const shape::ColourStop kFlat[] = {{0, 0x808080}};
} // namespace

TEST_CASE("preview: colours of a ramp") {
    CHECK(shape::ramp_colour(kGrey, 0) == 0x000000);
    CHECK(shape::ramp_colour(kGrey, 1) == 0xffffff);
    CHECK(shape::ramp_colour(kGrey, 0.5) == 0x808080);
    CHECK(shape::ramp_colour(kGrey, 7) == 0xffffff);
    CHECK(shape::ramp_colour(kFlat, 0.3) == 0x808080);
    CHECK(shape::ramp_table(kGrey)[200] == 0xc8c8c8);
}

TEST_CASE("preview: flat ground keeps its colour, a slope to the light is brighter") {
    const Options options;
    core::Run run(options);
    Field2D<std::uint16_t> height({9, 5});
    for (auto &cell : height.cells()) {
        cell = 1000;
    }
    const auto flat = shape::lit(run, height, 1, 0, 2000, kFlat, false);
    for (const auto colour : flat.cells()) {
        CHECK(colour == 0x808080);
    }
    for (std::int64_t y = 0; y < 5; ++y) {
        for (std::int64_t x = 0; x < 9; ++x) {
            height.at(x, y) = static_cast<std::uint16_t>(1000 + 100 * x);
        }
    }
    const auto towards = shape::lit(run, height, 0.005, 0, 2000, kFlat, false);
    CHECK((towards.at(4, 2) & 255) > 0x80); // rises to the right: faces the upper left
    const auto away = shape::lit(run, height, -0.005, 0, 2000, kFlat, false);
    CHECK((away.at(4, 2) & 255) < 0x80);
}

TEST_CASE("preview: a torus has no border") {
    const Options options;
    core::Run run(options);
    Field2D<std::uint16_t> height({8, 6});
    Field2D<std::uint16_t> shifted({8, 6});
    for (std::int64_t y = 0; y < 6; ++y) {
        for (std::int64_t x = 0; x < 8; ++x) {
            height.at(x, y) = static_cast<std::uint16_t>((x * 37 + y * 91) % 200);
            shifted.at((x + 3) % 8, (y + 5) % 6) = height.at(x, y);
        }
    }
    const auto a = shape::lit(run, height, 0.1, 0, 200, kGrey, true);
    const auto b = shape::lit(run, shifted, 0.1, 0, 200, kGrey, true);
    for (std::int64_t y = 0; y < 6; ++y) {
        for (std::int64_t x = 0; x < 8; ++x) {
            CHECK(b.at((x + 3) % 8, (y + 5) % 6) == a.at(x, y));
        }
    }
}

TEST_CASE("preview: equal areas keep a slope even at any ratio, and the range becomes 16 bits") {
    const Options options;
    core::Run run(options);
    for (const std::int64_t width : {1, 7, 40, 64, 99, 100}) {
        Field2D<std::uint32_t> slope({100, 3});
        for (std::int64_t i = 0; i < slope.size(); ++i) {
            slope[i] = static_cast<std::uint32_t>(1000 + 10 * (i % 100));
        }
        const auto small = shape::stretched(run, slope, {width, 2}, 1000, 1990);
        for (std::int64_t x = 1; x + 1 < width; ++x) {
            // The middle of what the pixel covers.
            const double middle = (static_cast<double>(x) + 0.5) * 100 / static_cast<double>(width);
            const double exact = (middle - 0.5) * 10 * 65535 / 990;
            CHECK(std::abs(small.at(x, 1) - exact) <= 0.51);
        }
    }
    Field2D<std::uint8_t> bytes({2, 1});
    bytes[1] = 255;
    const auto cut = shape::stretched(run, bytes, {2, 1}, 100, 200);
    CHECK(cut[0] == 0);
    CHECK(cut[1] == 65535);
    CHECK(shape::stretched(run, bytes, {1, 1}, 7, 7)[0] == 0); // no range
}

TEST_CASE("preview: colours are averaged when smaller and repeated when larger") {
    const Options options;
    core::Run run(options);
    Field2D<std::uint32_t> picture({2, 2});
    picture[0] = 0xff0000;
    picture[1] = 0x00ff00;
    picture[2] = 0x0000ff;
    picture[3] = 0x000000;
    CHECK(shape::resized(run, picture, {1, 1})[0] == 0x404040);
    CHECK(shape::resized(run, picture, {2, 2}) == picture);
    const auto large = shape::resized(run, picture, {6, 4});
    CHECK(large.at(2, 1) == 0xff0000);
    CHECK(large.at(3, 1) == 0x00ff00);
    CHECK(large.at(0, 2) == 0x0000ff);
}

TEST_CASE("preview: mean slope") {
    Field2D<std::uint16_t> height({3, 2});
    height[1] = 6;
    CHECK(shape::mean_slope(height) == doctest::Approx(18.0 / 7));
    CHECK(shape::mean_slope(Field2D<std::uint16_t>({1, 1})) == 0);
}
