#include "shape/preview.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace karst::shape {

namespace {

// Direction to the light, of length 1: from the upper left, 38 degrees above the ground.
constexpr double kLightX = -0.557;
constexpr double kLightY = -0.557;
constexpr double kLightZ = 0.616;
constexpr double kAmbient = 0.28;

std::uint32_t channel(double value) {
    return static_cast<std::uint32_t>(std::clamp(value + 0.5, 0.0, 255.0));
}

std::uint32_t scaled_colour(std::uint32_t colour, double light) {
    const auto part = [&](int shift) {
        return channel(static_cast<double>((colour >> shift) & 255) * light) << shift;
    };
    return part(16) | part(8) | part(0);
}

// What a target cell takes from source cells along one axis: first, then weights that sum to 1.
struct Cover {
    std::int64_t first;
    std::vector<double> weights;
};

// The area left of `t` below the tent that stands on -1 and 1 with its top at 0.
double below_tent(double t) {
    if (t <= 0) {
        return t <= -1 ? 0 : (1 + t) * (1 + t) / 2;
    }
    return t >= 1 ? 1 : 1 - (1 - t) * (1 - t) / 2;
}

// Means of the straight lines between the middles of source cells, constant beyond the first and
// the last, over equal lengths. Means of the cells themselves would lean to the cells that lie
// whole in a length, and a slope would get steps.
std::vector<Cover> covers(std::int64_t source, std::int64_t target) {
    std::vector<Cover> list(static_cast<std::size_t>(target));
    const double length = static_cast<double>(source) / static_cast<double>(target);
    for (std::int64_t i = 0; i < target; ++i) {
        Cover &cover = list[static_cast<std::size_t>(i)];
        if (source == target) {
            cover = {i, {1}};
            continue;
        }
        const double begin = static_cast<double>(i) * length - 0.5; // 0: the first cell's middle
        const double end = begin + length;
        const auto last = static_cast<std::int64_t>(std::floor(end)) + 1;
        const auto from = static_cast<std::int64_t>(std::floor(begin));
        cover.first = std::clamp<std::int64_t>(from, 0, source - 1);
        cover.weights.assign(static_cast<std::size_t>(
                                 std::clamp<std::int64_t>(last, 0, source - 1) - cover.first + 1),
                             0);
        for (std::int64_t j = from; j <= last; ++j) {
            const auto cell = static_cast<double>(j);
            const auto place = std::clamp<std::int64_t>(j, 0, source - 1) - cover.first;
            cover.weights[static_cast<std::size_t>(place)] +=
                (below_tent(end - cell) - below_tent(begin - cell)) / length;
        }
    }
    return list;
}

// take(x, y, means) for each cell of `size`; sample(x, y, channel) is the source.
template <std::size_t Channels, class Sample, class Take>
void area_means(core::Run &run, Extent2 source, Extent2 size, Sample sample, Take take) {
    const auto across = covers(source.width, size.width);
    const auto down = covers(source.height, size.height);
    run.for_rows(size.height, [&](std::int64_t y) {
        const Cover &rows = down[static_cast<std::size_t>(y)];
        for (std::int64_t x = 0; x < size.width; ++x) {
            const Cover &columns = across[static_cast<std::size_t>(x)];
            std::array<double, Channels> means{};
            for (std::size_t j = 0; j < rows.weights.size(); ++j) {
                for (std::size_t i = 0; i < columns.weights.size(); ++i) {
                    const double weight = rows.weights[j] * columns.weights[i];
                    for (std::size_t c = 0; c < Channels; ++c) {
                        means[c] += weight * sample(columns.first + static_cast<std::int64_t>(i),
                                                    rows.first + static_cast<std::int64_t>(j),
                                                    static_cast<int>(c));
                    }
                }
            }
            take(x, y, means);
        }
    });
}

} // namespace

std::uint32_t ramp_colour(std::span<const ColourStop> ramp, double position) {
    std::size_t after = 0;
    while (after < ramp.size() && ramp[after].position < position) {
        ++after;
    }
    if (after == 0 || after == ramp.size()) {
        return ramp[after == 0 ? 0 : after - 1].colour;
    }
    const ColourStop &a = ramp[after - 1];
    const ColourStop &b = ramp[after];
    const double t = (position - a.position) / (b.position - a.position);
    const auto part = [&](int shift) {
        const double from = static_cast<double>((a.colour >> shift) & 255);
        const double to = static_cast<double>((b.colour >> shift) & 255);
        return channel(from + t * (to - from)) << shift;
    };
    return part(16) | part(8) | part(0);
}

std::vector<std::uint32_t> ramp_table(std::span<const ColourStop> ramp) {
    std::vector<std::uint32_t> table(256);
    for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = ramp_colour(ramp, static_cast<double>(i) / 255);
    }
    return table;
}

Field2D<std::uint32_t> lit(core::Run &run, const Field2D<std::uint16_t> &height, double step,
                           std::uint16_t low, std::uint16_t high, std::span<const ColourStop> ramp,
                           bool torus) {
    Field2D<std::uint32_t> picture(height.extent(), run.memory());
    const std::vector<std::uint32_t> table = ramp_table(ramp);
    const int span = std::max(1, high - low);
    // The neighbour of a cell, on the other side of a torus, or the cell itself at a border.
    const auto beside = [torus](std::int64_t i, std::int64_t size) {
        return i < 0 ? (torus ? size - 1 : 0) : i >= size ? (torus ? 0 : size - 1) : i;
    };
    run.for_rows(height.height(), [&](std::int64_t y) {
        const auto above = height.row(beside(y - 1, height.height()));
        const auto here = height.row(y);
        const auto below = height.row(beside(y + 1, height.height()));
        const auto target = picture.row(y);
        for (std::int64_t x = 0; x < height.width(); ++x) {
            const auto left = static_cast<std::size_t>(beside(x - 1, height.width()));
            const auto right = static_cast<std::size_t>(beside(x + 1, height.width()));
            const auto i = static_cast<std::size_t>(x);
            const double slope_x = (here[right] - here[left]) * step / 2;
            const double slope_y = (below[i] - above[i]) * step / 2;
            const double length = std::sqrt(slope_x * slope_x + slope_y * slope_y + 1);
            const double facing = (kLightZ - slope_x * kLightX - slope_y * kLightY) / length;
            const double light = kAmbient + (1 - kAmbient) * std::max(0.0, facing) / kLightZ;
            const int place = std::clamp((here[i] - low) * 255 / span, 0, 255);
            target[i] = scaled_colour(table[static_cast<std::size_t>(place)], light);
        }
    });
    return picture;
}

template <class T>
Field2D<std::uint16_t> stretched(core::Run &run, const Field2D<T> &field, Extent2 size, double low,
                                 double high) {
    Field2D<std::uint16_t> target(size, run.memory());
    const double factor = high > low ? 65535 / (high - low) : 0;
    area_means<1>(
        run, field.extent(), size,
        [&field](std::int64_t x, std::int64_t y, int) {
            return static_cast<double>(field.at(x, y));
        },
        [&](std::int64_t x, std::int64_t y, const std::array<double, 1> &mean) {
            const double value = (mean[0] - low) * factor + 0.5;
            target.at(x, y) = static_cast<std::uint16_t>(std::clamp(value, 0.0, 65535.0));
        });
    return target;
}

template Field2D<std::uint16_t> stretched(core::Run &, const Field2D<std::uint8_t> &, Extent2,
                                          double, double);
template Field2D<std::uint16_t> stretched(core::Run &, const Field2D<std::uint16_t> &, Extent2,
                                          double, double);
template Field2D<std::uint16_t> stretched(core::Run &, const Field2D<std::uint32_t> &, Extent2,
                                          double, double);

Field2D<std::uint32_t> resized(core::Run &run, const Field2D<std::uint32_t> &picture,
                               Extent2 size) {
    Field2D<std::uint32_t> target(size, run.memory());
    if (size.width >= picture.width() && size.height >= picture.height()) {
        run.for_rows(size.height, [&](std::int64_t y) {
            const auto source = picture.row(y * picture.height() / size.height);
            for (std::int64_t x = 0; x < size.width; ++x) {
                target.at(x, y) =
                    source[static_cast<std::size_t>(x * picture.width() / size.width)];
            }
        });
        return target;
    }
    area_means<3>(
        run, picture.extent(), size,
        [&picture](std::int64_t x, std::int64_t y, int c) {
            return static_cast<double>(picture.at(x, y) >> (16 - 8 * c) & 255);
        },
        [&target](std::int64_t x, std::int64_t y, const std::array<double, 3> &means) {
            target.at(x, y) = channel(means[0]) << 16 | channel(means[1]) << 8 | channel(means[2]);
        });
    return target;
}

double mean_slope(const Field2D<std::uint16_t> &height) {
    std::uint64_t sum = 0;
    std::uint64_t pairs = 0;
    const auto add = [&](int a, int b) {
        sum += static_cast<std::uint64_t>(std::abs(a - b));
        ++pairs;
    };
    for (std::int64_t y = 0; y < height.height(); ++y) {
        for (std::int64_t x = 0; x < height.width(); ++x) {
            if (x > 0) {
                add(height.at(x, y), height.at(x - 1, y));
            }
            if (y > 0) {
                add(height.at(x, y), height.at(x, y - 1));
            }
        }
    }
    return pairs == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(pairs);
}

} // namespace karst::shape
