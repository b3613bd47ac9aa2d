#include "io/heights.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

namespace karst::io {

namespace {

template <class T>
concept MapData = !requires(const T &field) {
    field.depth();
};

std::int64_t range(const HeightSource &source) {
    return std::max<std::int64_t>(1, source.highest - source.lowest);
}

} // namespace

HeightSource height_source(const Layer &layer, double cell) {
    const auto refuse = [&layer](const std::string &why) {
        throw Error(ErrorCode::unsupported,
                    "layer '" + layer.name + "' " + why + "; heights are a map of metres");
    };
    if (is_volume(layer.data) || channels(layer.data) != 1 ||
        layer.meaning != LayerMeaning::amount || layer.unit != "m") {
        refuse("is not one");
    }
    const Extent3 size = extent(layer.data);
    HeightSource source{{size.width, size.height}, cell, layer.scale, layer.offset, 0, 0, {}};
    std::visit(
        [&](const auto &field) {
            using Data = std::remove_cvref_t<decltype(field)>;
            if constexpr (MapData<Data> && std::is_integral_v<typename Data::value_type>) {
                const auto cells = field.cells();
                const auto [low, high] = std::minmax_element(cells.begin(), cells.end());
                source.lowest = *low;
                source.highest = *high;
                source.read = [&field](const Window &window, std::span<std::int32_t> heights) {
                    auto out = heights.begin();
                    for (std::int64_t y = window.y; y < window.y + window.extent.height; ++y) {
                        const auto row =
                            field.row(y).subspan(static_cast<std::size_t>(window.x),
                                                 static_cast<std::size_t>(window.extent.width));
                        out = std::transform(row.begin(), row.end(), out, [](auto value) {
                            return static_cast<std::int32_t>(value);
                        });
                    }
                };
            }
        },
        layer.data);
    if (source.highest > std::numeric_limits<std::int32_t>::max()) {
        refuse("holds numbers of 32 bits");
    }
    return source;
}

double level_step(const HeightSource &source) {
    return source.step * static_cast<double>(range(source)) / 65535;
}

Layer height_layer(const HeightSource &source, const Window &window, HeightEncoding encoding) {
    std::vector<std::int32_t> heights(static_cast<std::size_t>(window.extent.cells()));
    source.read(window, heights);
    Layer layer{"height", LayerMeaning::amount, "m", source.step, source.metres(source.lowest), {}};
    if (encoding == HeightEncoding::metres) {
        Field2D<std::uint32_t> field(window.extent);
        for (std::size_t i = 0; i < heights.size(); ++i) {
            field.cells()[i] = static_cast<std::uint32_t>(heights[i] - source.lowest);
        }
        layer.data = std::move(field);
        return layer;
    }
    const std::int64_t steps = range(source);
    Field2D<std::uint16_t> field(window.extent);
    for (std::size_t i = 0; i < heights.size(); ++i) {
        field.cells()[i] =
            static_cast<std::uint16_t>(((heights[i] - source.lowest) * 65535 + steps / 2) / steps);
    }
    layer.scale = level_step(source);
    layer.data = std::move(field);
    return layer;
}

Layer cut(const Layer &layer, const Window &window) {
    Layer part{layer.name, layer.meaning, layer.unit, layer.scale, layer.offset, {}};
    std::visit(
        [&](const auto &field) {
            using Data = std::remove_cvref_t<decltype(field)>;
            if constexpr (MapData<Data>) {
                Data data(window.extent);
                for (std::int64_t y = 0; y < window.extent.height; ++y) {
                    const auto row = field.row(window.y + y)
                                         .subspan(static_cast<std::size_t>(window.x),
                                                  static_cast<std::size_t>(window.extent.width));
                    std::copy(row.begin(), row.end(), data.row(y).begin());
                }
                part.data = std::move(data);
            }
        },
        layer.data);
    return part;
}

void flip_rows(Layer &layer) {
    std::visit(
        [](auto &field) {
            if constexpr (MapData<std::remove_cvref_t<decltype(field)>>) {
                for (std::int64_t y = 0; y < field.height() / 2; ++y) {
                    const auto row = field.row(y);
                    std::swap_ranges(row.begin(), row.end(),
                                     field.row(field.height() - 1 - y).begin());
                }
            }
        },
        layer.data);
}

} // namespace karst::io
