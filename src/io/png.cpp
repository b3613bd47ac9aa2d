#include "io/png.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <karst/params.hpp>
#include <karst/seed.hpp>

#include "io/png_encode.hpp"
#include "io/png_stb.hpp"

namespace karst::io {

namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();

using Text = std::vector<std::pair<std::string, std::string>>;

Text text_chunks(const Artifact &artifact, const Layer &layer) {
    Text text{{"karst:generator", artifact.generator},
              {"karst:algorithm", std::to_string(KARST_ALGORITHM_VERSION)},
              {"karst:program", KARST_VERSION},
              {"karst:layer", layer.name}};
    if (!artifact.recipe.empty()) {
        text.emplace_back("karst:recipe", artifact.recipe);
    }
    if (artifact.seed) {
        text.emplace_back("karst:seed", seed_to_string(*artifact.seed));
    }
    if (layer.meaning == LayerMeaning::amount) {
        text.emplace_back("karst:unit", layer.unit);
        text.emplace_back("karst:scale", to_string(ParamValue(png_scale(layer).value())));
        text.emplace_back("karst:offset", to_string(ParamValue(layer.offset)));
    }
    return text;
}

std::uint32_t maximum(const Field2D<std::uint32_t> &field) {
    const auto cells = field.cells();
    return cells.empty() ? 0 : *std::max_element(cells.begin(), cells.end());
}

std::uint8_t *put_16(std::uint8_t *pixel, std::uint32_t value) {
    *pixel++ = static_cast<std::uint8_t>(value >> 8);
    *pixel++ = static_cast<std::uint8_t>(value);
    return pixel;
}

std::uint8_t *put_colour(std::uint8_t *pixel, std::uint32_t colour) {
    *pixel++ = static_cast<std::uint8_t>(colour >> 16);
    *pixel++ = static_cast<std::uint8_t>(colour >> 8);
    *pixel++ = static_cast<std::uint8_t>(colour);
    return pixel;
}

void put_cell(std::uint8_t cell, std::uint8_t *&pixel) {
    *pixel++ = cell;
}

void put_cell(std::uint16_t cell, std::uint8_t *&pixel) {
    pixel = put_16(pixel, cell);
}

template <class Cell>
void put_cell(const Cell &channels, std::uint8_t *&pixel) {
    for (const auto value : channels) {
        put_cell(value, pixel);
    }
}

// Cells as they are.
template <class Cell>
auto stored(const LayerData &data) {
    return [&field = std::get<Field2D<Cell>>(data)](std::int64_t y, std::uint8_t *row) {
        for (const Cell &cell : field.row(y)) {
            put_cell(cell, row);
        }
    };
}

// 65535 at the maximum.
auto scaled(const Field2D<std::uint32_t> &field) {
    return [&field, divisor = std::uint64_t{std::max(maximum(field), 1u)}](std::int64_t y,
                                                                           std::uint8_t *row) {
        for (const std::uint64_t value : field.row(y)) {
            row = put_16(row, static_cast<std::uint32_t>((value * 65535 + divisor / 2) / divisor));
        }
    };
}

auto hashed_ids(const LayerData &data) {
    return [&data](std::int64_t y, std::uint8_t *row) {
        std::visit(
            [y, row](const auto &field) {
                using Cell = typename std::decay_t<decltype(field)>::value_type;
                if constexpr (std::is_integral_v<Cell> && !requires { field.depth(); }) { // a map
                    std::uint8_t *pixel = row;
                    for (const auto id : field.row(y)) {
                        pixel = put_colour(
                            pixel, id == std::numeric_limits<Cell>::max() ? 0 : id_colour(id));
                    }
                }
            },
            data);
    };
}

auto colours(const Field2D<std::uint32_t> &field) {
    return [&field](std::int64_t y, std::uint8_t *row) {
        for (const std::uint32_t colour : field.row(y)) {
            row = put_colour(row, colour);
        }
    };
}

// Whether the numbers are names or colours, not amounts that a scale applies to.
bool is_rgb(const Layer &layer) {
    return layer.meaning == LayerMeaning::id || layer.meaning == LayerMeaning::colour;
}

PngImage image_of(const Layer &layer) {
    const Extent3 extent = karst::extent(layer.data);
    const Extent2 size{extent.width, extent.height};
    const LayerData &data = layer.data;
    if (layer.meaning == LayerMeaning::id) {
        return {size, 8, PngColour::rgb, hashed_ids(data)};
    }
    if (layer.meaning == LayerMeaning::colour) {
        return {size, 8, PngColour::rgb, colours(std::get<Field2D<std::uint32_t>>(data))};
    }
    if (std::holds_alternative<Field2D<Rgb16>>(data)) {
        return {size, 16, PngColour::rgb, stored<Rgb16>(data)};
    }
    if (std::holds_alternative<Field2D<Rgb8>>(data)) {
        return {size, 8, PngColour::rgb, stored<Rgb8>(data)};
    }
    if (std::holds_alternative<Field2D<Rgba8>>(data)) {
        return {size, 8, PngColour::rgb_alpha, stored<Rgba8>(data)};
    }
    if (bits(data) == 8) {
        return {size, 8, PngColour::grey, stored<std::uint8_t>(data)};
    }
    if (bits(data) == 32) {
        return {size, 16, PngColour::grey, scaled(std::get<Field2D<std::uint32_t>>(data))};
    }
    return {size, 16, PngColour::grey, stored<std::uint16_t>(data)};
}

} // namespace

std::uint32_t id_colour(std::uint32_t id) {
    std::uint32_t hash = id * 0x9e3779b1u; // a bijective mix; see Steele, Lea, Flood 2014
    hash = (hash ^ (hash >> 15)) * 0x85ebca6bu;
    hash = (hash ^ (hash >> 13)) * 0xc2b2ae35u;
    hash ^= hash >> 16;
    const auto channel = [hash](int shift) { return 64 + ((hash >> shift) & 0xff) * 191 / 255; };
    return channel(0) << 16 | channel(8) << 8 | channel(16);
}

std::optional<double> png_scale(const Layer &layer) {
    if (is_rgb(layer)) {
        return std::nullopt;
    }
    const auto *wide = std::get_if<Field2D<std::uint32_t>>(&layer.data);
    return wide == nullptr ? layer.scale : layer.scale * std::max(maximum(*wide), 1u) / 65535;
}

void write_png(OutputFile &file, const Artifact &artifact, const Layer &layer) {
    const Extent3 size = extent(layer.data);
    if (size.width > kLargest || size.height > kLargest) {
        throw Error(ErrorCode::unsupported, "cannot write '" + file.path() +
                                                "': PNG holds at most " + std::to_string(kLargest) +
                                                " pixels a side");
    }
    const Text texts = text_chunks(artifact, layer);
    const auto *bytes = std::get_if<Field2D<std::uint8_t>>(&layer.data);
    if (bytes != nullptr && !is_rgb(layer) && fits_stb(bytes->extent())) {
        write_grey_8(file, *bytes, texts);
    } else {
        encode_png(file, image_of(layer), texts);
    }
}

} // namespace karst::io
