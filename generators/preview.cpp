#include "generators/preview.hpp"

#include <algorithm>

#include "shape/shape.hpp"

namespace karst {

namespace {

constexpr shape::ColourStop kFloor[] = {{0, 0x6e5f4d}, {0.3, 0x9c8a6e}, {1, 0xd9cba6}};
constexpr shape::ColourStop kRock[] = {{0, 0x5a4c3f}, {0.4, 0x2f2822}, {1, 0x1d1916}};
constexpr std::uint32_t kRimCells = 6;     // rock darkens over this distance
constexpr double kBrightestClearance = 12; // cells from a wall at which the floor is lightest

Layer preview_layer(Field2D<std::uint32_t> picture) {
    Layer layer;
    layer.name = kPreviewInfo.name;
    layer.meaning = LayerMeaning::colour;
    layer.data = std::move(picture);
    return layer;
}

} // namespace

Options quietly(const Options &options) {
    Options quiet = options;
    quiet.progress = {};
    quiet.stages = nullptr;
    return quiet;
}

Layer relief_preview(const Options &options, const Field2D<std::uint16_t> &height,
                     double step_cells, std::span<const shape::ColourStop> ramp, bool torus) {
    const Options quiet = quietly(options);
    core::Run run(quiet);
    const auto [low, high] = std::ranges::minmax(height.cells());
    return preview_layer(shape::lit(run, height, step_cells, low, high, ramp, torus));
}

Layer map_preview(const Options &options, const Field2D<std::uint8_t> &map,
                  const Field2D<std::uint16_t> &clearance, double clearance_unit, bool torus) {
    const Options quiet = quietly(options);
    core::Run run(quiet);
    const auto into_rock =
        shape::distance(run, map, kRimCells, torus ? Boundary::torus : Boundary::bounded);
    const auto floor = shape::ramp_table(kFloor);
    const auto rock = shape::ramp_table(kRock);
    const auto place = [](double position) {
        return static_cast<std::size_t>(std::clamp(position * 255, 0.0, 255.0));
    };
    Field2D<std::uint32_t> picture(map.extent(), run.memory());
    run.for_ranges(map.size(), 4096, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            picture[i] = map[i] != 0
                             ? floor[place(clearance[i] * clearance_unit / kBrightestClearance)]
                             : rock[place(into_rock[i] / (256.0 * kRimCells))];
        }
    });
    return preview_layer(std::move(picture));
}

} // namespace karst
