// Pictures of maps that come from files: which look suits which layer.
#include <algorithm>
#include <type_traits>

#include "generators/preview.hpp"
#include "generators/registry.hpp"
#include "shape/shape.hpp"

namespace karst {

namespace {

using Picture = Field2D<std::uint32_t>;

constexpr shape::ColourStop kQuantity[] = {
    {0, 0x23264d}, {0.25, 0x2f5f8a}, {0.5, 0x2f9a8c}, {0.75, 0x8cc868}, {1, 0xf6e58d}};
constexpr shape::ColourStop kGlow[] = {
    {0, 0x10131c}, {0.3, 0x1d4a5c}, {0.6, 0x4f9f7d}, {0.85, 0xd9c86a}, {1, 0xfff4cf}};
constexpr shape::ColourStop kGrey[] = {{0, 0x000000}, {1, 0xffffff}};

// How a layer of numbers is lit. Slopes are means over the picture: what the metres of the file say
// is kept between `least` and `most`, so that neither gentle nor steep ground is flat to the eye,
// and `usual` stands where the file has no metres.
struct Look {
    std::string_view generator, layer;
    std::span<const shape::ColourStop> ramp;
    double least, usual, most;
    bool down = false;       // larger numbers lie deeper
    bool whole_range = true; // else the largest hundredth is cut, so that it does not dim the rest
};

constexpr Look kLooks[] = {
    {"", "", kTerrain, 0.25, 0.4, 0.7},
    {"heightmap", "height", kTerrain, 0.25, 0.4, 0.7},
    {"heightmap", "elevation", kTerrain, 0.25, 0.4, 0.7},
    {"crack", "depth", kCrackedGround, 0.05, 0.12, 0.3, true},
    {"physarum", "trail", kGlow, 0.12, 0.12, 0.12, false, false},
    {"physarum", "birth_time", kQuantity, 0.05, 0.05, 0.05, false, false},
};
constexpr Look kOther{"", "", kQuantity, 0.08, 0.08, 0.08, false, false};

const Look &look_of(std::string_view generator, std::string_view layer) {
    for (const Look &look : kLooks) {
        if (look.generator == generator && look.layer == layer) {
            return look;
        }
    }
    return kOther;
}

std::uint16_t rank(core::Run &run, const Field2D<std::uint16_t> &field, double share) {
    Field2D<std::uint32_t> wide(field.extent(), run.memory());
    std::copy(field.cells().begin(), field.cells().end(), wide.cells().begin());
    return static_cast<std::uint16_t>(
        shape::quantile(run, wide, static_cast<std::uint64_t>(share * 4294967296.0)));
}

template <class T>
Picture relief(core::Run &run, const Field2D<T> &field, const Layer &layer, const Look &look,
               double cell, Extent2 size) {
    const auto [least, most] = std::ranges::minmax(field.cells());
    const double low = least;
    double high = most;
    auto height = shape::stretched(run, field, size, low, high);
    if (!look.whole_range) {
        const double bright = low + (high - low) * rank(run, height, 0.99) / 65535;
        high = bright > low ? bright : high;
        height = shape::stretched(run, field, size, low, high);
    }
    const double slope = shape::mean_slope(height); // of numbers, 65535 the whole range
    double lit_slope = look.usual;
    if (cell > 0) {
        const double pixel =
            cell * static_cast<double>(field.width()) / static_cast<double>(size.width);
        lit_slope =
            std::clamp(slope * layer.scale * (high - low) / 65535 / pixel, look.least, look.most);
    }
    const double step = slope > 0 ? lit_slope / slope : 0;
    // The colours leave out a hundredth at either end, so that one summit does not take them all.
    return shape::lit(run, height, look.down ? -step : step,
                      look.whole_range ? rank(run, height, 0.01) : std::uint16_t{0},
                      look.whole_range ? rank(run, height, 0.99) : std::uint16_t{65535}, look.ramp,
                      false);
}

Picture by_table(core::Run &run, const Field2D<std::uint8_t> &field,
                 std::span<const shape::ColourStop> ramp) {
    const auto table = shape::ramp_table(ramp);
    Picture picture(field.extent(), run.memory());
    std::transform(field.cells().begin(), field.cells().end(), picture.cells().begin(),
                   [&table](std::uint8_t value) { return table[value]; });
    return picture;
}

Picture cave_map(core::Run &run, const Field2D<std::uint8_t> &map) {
    constexpr std::uint32_t kCapCells = 64;
    Field2D<std::uint8_t> rock(map.extent(), run.memory());
    std::transform(map.cells().begin(), map.cells().end(), rock.cells().begin(),
                   [](std::uint8_t open) { return static_cast<std::uint8_t>(open == 0); });
    const auto far = shape::distance(run, rock, kCapCells, Boundary::bounded);
    Field2D<std::uint16_t> clearance(map.extent(), run.memory());
    std::transform(far.cells().begin(), far.cells().end(), clearance.cells().begin(),
                   [](std::uint32_t distance) { return static_cast<std::uint16_t>(distance); });
    return std::get<Picture>(map_preview(run.options(), map, clearance, 1.0 / 256, false).data);
}

Picture of_bytes(core::Run &run, const Field2D<std::uint8_t> &field, const Layer &layer,
                 std::string_view generator) {
    if (layer.meaning == LayerMeaning::mask && generator == "cave") {
        return cave_map(run, field);
    }
    if (layer.meaning == LayerMeaning::mask && generator == "crack") {
        return by_table(run, field, kCrackedGround);
    }
    return by_table(run, field, kGrey);
}

// Colours of the weights red, green, blue and alpha: rock, grass, scree and sediment of a splat
// map.
constexpr std::uint32_t kWeights[] = {0x837c78, 0x5d7a3e, 0xb7aa93, 0xd8c27c};

std::uint32_t colour_of(const Rgba8 &weights) {
    std::uint32_t colour = 0;
    for (const int shift : {16, 8, 0}) {
        std::uint32_t sum = 0;
        for (std::size_t c = 0; c < weights.size(); ++c) {
            sum += weights[c] * (kWeights[c] >> shift & 255);
        }
        colour |= std::min<std::uint32_t>((sum + 127) / 255, 255) << shift;
    }
    return colour;
}

std::uint32_t colour_of(const Rgb8 &cell) {
    return std::uint32_t{cell[0]} << 16 | std::uint32_t{cell[1]} << 8 | cell[2];
}
std::uint32_t colour_of(const Rgb16 &cell) {
    return colour_of(Rgb8{static_cast<std::uint8_t>(cell[0] >> 8),
                          static_cast<std::uint8_t>(cell[1] >> 8),
                          static_cast<std::uint8_t>(cell[2] >> 8)});
}

// A picture of the field's size, or of `size` where that is smaller and numbers are brought down
// before they are lit.
template <class T>
Picture whole_picture(core::Run &run, const Field2D<T> &field, const Layer &layer,
                      std::string_view generator, double cell, Extent2 size) {
    if constexpr (std::is_same_v<T, std::uint8_t>) {
        return of_bytes(run, field, layer, generator);
    } else if constexpr (std::is_integral_v<T>) {
        if constexpr (std::is_same_v<T, std::uint32_t>) {
            if (layer.meaning == LayerMeaning::colour) {
                return field;
            }
        }
        const Extent2 within{std::min(size.width, field.width()),
                             std::min(size.height, field.height())};
        return relief(run, field, layer, look_of(generator, layer.name), cell, within);
    } else {
        Picture picture(field.extent(), run.memory());
        std::transform(field.cells().begin(), field.cells().end(), picture.cells().begin(),
                       [](const T &channels) { return colour_of(channels); });
        return picture;
    }
}

template <class T>
Picture whole_picture(core::Run &, const Field3D<T> &, const Layer &layer, std::string_view, double,
                      Extent2) {
    throw Error(ErrorCode::unsupported, "layer '" + layer.name + "' is a volume; allowed is a map");
}

} // namespace

Picture picture_of(const Layer &layer, std::string_view generator, double cell, Extent2 size,
                   const Options &options) {
    core::Run run(options);
    return std::visit(
        [&](const auto &field) {
            return shape::resized(run, whole_picture(run, field, layer, generator, cell, size),
                                  size);
        },
        layer.data);
}

} // namespace karst
