#include <doctest/doctest.h>

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
