#include "generators/terrain_maps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/fixed.hpp"
#include "core/powers.hpp"
#include "shape/relief.hpp"

namespace karst::terrain {

namespace {

using shape::Heights;

constexpr double kCurvatureRange = 0.5;   // from grey to white, times a cell
constexpr double kWetnessHighest = 24;    // ln m
constexpr double kLeastSlope = 0.001;     // rise over run, of wetness
constexpr double kStreamShare = 1.0 / 40; // of valley_spacing^2: what a stream drains at least
constexpr double kReachShare = 1.0 / 4;   // of valley_spacing: how far occlusion looks
constexpr double kCrestShare = 1.0 / 12;  // of valley_spacing: how far a ridge is looked at from
constexpr double kCrestRise = 0.06;       // of that length: how far it stands above what is there
constexpr double kCrestArea = 3;          // cells that drain through a ridge at most
constexpr double kCliff = 10;             // degrees above talus
constexpr double kScree = 0.3;            // m of debris that count as half
constexpr double kRunOut = 30;            // m

double tangent(double degrees) {
    const core::Direction way = core::directions()[core::direction_index(core::to_angle(degrees))];
    return static_cast<double>(way.sine) / way.cosine;
}

// 0 below `from`, 1 above `to`, smooth between.
double smooth_step(double value, double from, double to) {
    const double t = std::clamp((value - from) / (to - from), 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

std::uint16_t to_16_bits(double fraction) {
    return static_cast<std::uint16_t>(std::clamp(fraction, 0.0, 1.0) * 65535 + 0.5);
}

// Natural logarithm by fixed point, of a number above 0; right to 1e-6.
double logarithm(double value) {
    constexpr double kLn2 = 0.6931471805599453;
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent); // in [0.5, 1)
    const std::uint32_t log =
        core::logarithm(core::power_tables(), static_cast<std::uint32_t>(std::ldexp(mantissa, 32)));
    return (std::ldexp(log, -core::kLogBits) - 32 + exponent) * kLn2;
}

Layer amount(LayerData data, const char *unit, double scale, double offset = 0) {
    return {.name = {},
            .meaning = LayerMeaning::amount,
            .unit = unit,
            .scale = scale,
            .offset = offset,
            .data = std::move(data)};
}

Layer mask(LayerData data) {
    return {.name = {},
            .meaning = LayerMeaning::mask,
            .unit = "",
            .scale = 1,
            .offset = 0,
            .data = std::move(data)};
}

// The maps of one ground.
class Maps {
public:
    // `water`: whether a map is made that needs what runs over the ground.
    Maps(core::Run &run, const HeightmapParams &params, const Ground &ground, double cell,
         bool water)
        : run_(run), params_(params), heights_(ground.heights), flow_(ground.flow), cell_(cell),
          rise_(std::ldexp(1 / cell, -shape::kHeightBits)),
          slopes_(shape::slopes(run, heights_, rise_, Boundary::bounded)) {
        if (water) {
            water_ = spread_water(run, heights_, slopes_,
                                  {.source = tangent(params.talus + kCliff / 2),
                                   .moving = tangent(params.talus),
                                   .rest = tangent(params.talus * 0.7),
                                   .run_out = kRunOut / cell});
        }
    }

    // The heights as they are, from the lowest.
    Layer elevation() {
        const auto cells = heights_.cells();
        const std::int64_t bottom = *std::min_element(cells.begin(), cells.end());
        return amount(of_cells<std::uint32_t>([&](std::int64_t i) {
                          return static_cast<std::uint32_t>(heights_[i] - bottom);
                      }),
                      "m", std::ldexp(1.0, -shape::kHeightBits),
                      std::ldexp(static_cast<double>(bottom), -shape::kHeightBits));
    }

    template <class Cell, shape::Green green>
    Layer normal() {
        constexpr double kMost = std::numeric_limits<typename Cell::value_type>::max();
        return amount(shape::normals<Cell>(run_, heights_, rise_, Boundary::bounded, green), "",
                      2 / kMost, -1);
    }

    Layer slope() {
        return amount(of_cells<std::uint16_t>([&](std::int64_t i) {
                          return to_16_bits(shape::slope_degrees(slopes_[i]) / 90);
                      }),
                      "degrees", 90.0 / 65535);
    }

    Layer curvature() {
        const auto field = shape::curvature(run_, heights_, rise_, Boundary::bounded);
        const double scale = kCurvatureRange / cell_ / 32767;
        return amount(of_cells<std::uint16_t>([&](std::int64_t i) {
                          const double part = std::clamp(field[i] / kCurvatureRange, -1.0, 1.0);
                          return static_cast<std::uint16_t>(part * 32767 + 32768.5);
                      }),
                      "1/m", scale, -32768 * scale);
    }

    Layer ambient_occlusion() {
        const double reach = params_.valley_spacing * kReachShare / cell_;
        return amount(shape::ambient_occlusion(run_, heights_, rise_, reach, Boundary::bounded),
                      "fraction", 1.0 / 65535);
    }

    Layer wetness() {
        return amount(of_cells<std::uint16_t>([&](std::int64_t i) {
                          const double area = water_.area[i] * cell_; // m^2 a metre of width
                          const double slope = std::max<double>(slopes_[i], kLeastSlope);
                          return to_16_bits(logarithm(area / slope) / kWetnessHighest);
                      }),
                      "ln m", kWetnessHighest / 65535);
    }

    // Along the way of the water, from its end upwards.
    Layer drainage_height() {
        const double least = stream();
        Heights above(heights_.extent());
        const std::int64_t width = heights_.width();
        shape::DrainageOrder order(heights_.extent());
        {
            Field2D<std::uint32_t> scratch(heights_.extent());
            order.build(run_, flow_.step, scratch);
        }
        order.upwards(run_, [&](std::int64_t i) {
            const std::uint8_t s = flow_.step[i];
            if (s != shape::kNoStep && flow_.area[i] < least) {
                const std::int64_t to = i + shape::kFlowSteps[s].y * width + shape::kFlowSteps[s].x;
                above[i] = above[to] + heights_[i] - heights_[to];
            }
        });
        const auto most = *std::max_element(above.cells().begin(), above.cells().end());
        const double range = std::max(1, most);
        return amount(
            of_cells<std::uint16_t>([&](std::int64_t i) { return to_16_bits(above[i] / range); }),
            "m", std::ldexp(range, -shape::kHeightBits) / 65535);
    }

    Layer deposition() {
        return amount(
            of_cells<std::uint16_t>([&](std::int64_t i) { return to_16_bits(laid_down(i)); }),
            "fraction", 1.0 / 65535);
    }

    Layer talus() {
        return amount(of_cells<std::uint16_t>([&](std::int64_t i) { return to_16_bits(scree(i)); }),
                      "fraction", 1.0 / 65535);
    }

    Layer cliffs() {
        const double steep = tangent(params_.talus + kCliff);
        return mask(of_cells<std::uint8_t>([&](std::int64_t i) {
            return slopes_[i] > steep ? std::uint8_t{255} : std::uint8_t{0};
        }));
    }

    // Cells that nearly no water comes to, and that stand above the ground around.
    Layer ridges() {
        const double reach = std::max(1.0, params_.valley_spacing * kCrestShare / cell_); // cells
        const int radius = static_cast<int>(std::min(reach / 2 + 0.5, 32767.0));
        const std::int64_t margin = 2 * radius;
        const Field2D<std::uint32_t> ground = continued(margin);
        const auto around = shape::box_blur(run_, ground, radius, 2, Boundary::bounded);
        const double least = std::ldexp(reach * cell_ * kCrestRise, shape::kHeightBits);
        return mask(of_cells<std::uint8_t>([&](std::int64_t i) {
            const std::int64_t x = margin + i % heights_.width();
            const std::int64_t y = margin + i / heights_.width();
            const bool high = static_cast<double>(ground.at(x, y)) - around.at(x, y) >= least;
            return high && water_.area[i] <= kCrestArea ? std::uint8_t{255} : std::uint8_t{0};
        }));
    }

    Layer splat() { return amount(weights(), "fraction", 1.0 / 255); }

    template <std::size_t channel>
    Layer splat_of() {
        const auto all = weights();
        return amount(of_cells<std::uint8_t>([&](std::int64_t i) { return all[i][channel]; }),
                      "fraction", 1.0 / 255);
    }

private:
    // Cells that a stream drains at least.
    double stream() const {
        return std::max(2.0, params_.valley_spacing * params_.valley_spacing * kStreamShare /
                                 (cell_ * cell_));
    }

    // How much of what the ground above sheds the water of a cell cannot carry on, 0 to 1: all of
    // it where the slope is a fifth of the mean slope above, none where it is as steep.
    // The heights with `margin` cells more on each side, above a level below all of them. Beyond
    // the border the ground goes on as it comes from the other side, so that a slope that rises to
    // the border is no crest there.
    Field2D<std::uint32_t> continued(std::int64_t margin) {
        const auto [low, high] =
            std::minmax_element(heights_.cells().begin(), heights_.cells().end());
        const std::int64_t lowest = *low;
        const std::int64_t range = *high - lowest;
        const Extent2 extent{heights_.width() + 2 * margin, heights_.height() + 2 * margin};
        // Sample i of an axis, as twice the border's less that which lies as far inside.
        struct Mirrored {
            std::int64_t at, border;
            std::int64_t value(std::int64_t there, std::int64_t at_border) const {
                return at == border ? there : 2 * at_border - there;
            }
        };
        const auto mirrored = [](std::int64_t i, std::int64_t size) {
            const std::int64_t border = i < 0 ? 0 : size - 1;
            const std::int64_t inside = i < 0 ? -i : 2 * (size - 1) - i;
            return i >= 0 && i < size
                       ? Mirrored{i, i}
                       : Mirrored{std::clamp<std::int64_t>(inside, 0, size - 1), border};
        };
        Field2D<std::uint32_t> ground(extent, run_.memory());
        run_.for_rows(extent.height, [&](std::int64_t y) {
            const Mirrored row = mirrored(y - margin, heights_.height());
            for (std::int64_t x = 0; x < extent.width; ++x) {
                const Mirrored column = mirrored(x - margin, heights_.width());
                const auto along = [&](std::int64_t v) {
                    return column.value(heights_.at(column.at, v), heights_.at(column.border, v));
                };
                const std::int64_t height = row.value(along(row.at), along(row.border)) - lowest;
                ground.at(x, y) =
                    static_cast<std::uint32_t>(std::clamp(height, -range, 2 * range) + range);
            }
        });
        return ground;
    }

    double laid_down(std::int64_t i) const {
        const double above = water_.slope_above[i];
        return above > 0 ? 1 - smooth_step(slopes_[i] / above, 0.2, 1) : 0;
    }

    double scree(std::int64_t i) const { return water_.debris[i] / (water_.debris[i] + kScree); }

    // Rock where it is steep; on the rest scree where it rests; on the rest sediment where it is
    // laid down and water comes by; the remainder is grass. They add up to 255.
    Field2D<Rgba8> weights() {
        const double loose_stands = tangent(params_.talus + 2);
        const double cliff = tangent(params_.talus + kCliff);
        return of_cells<Rgba8>([&](std::int64_t i) {
            int left = 255;
            const auto take = [&left](double share) {
                const int part = static_cast<int>(left * share + 0.5);
                left -= part;
                return static_cast<std::uint8_t>(part);
            };
            const std::uint8_t rock = take(smooth_step(slopes_[i], loose_stands, cliff));
            const std::uint8_t loose = take(smooth_step(scree(i), 0.1, 0.6));
            const double fine = laid_down(i) * smooth_step(water_.area[i] * cell_, 200, 1000);
            const std::uint8_t sediment = take(smooth_step(fine, 0.3, 0.9));
            return Rgba8{rock, static_cast<std::uint8_t>(left), loose, sediment};
        });
    }

    template <class T, class F>
    Field2D<T> of_cells(F &&f) {
        Field2D<T> field(heights_.extent(), run_.memory());
        run_.for_rows(field.height(), [&](std::int64_t y) {
            for (std::int64_t x = 0; x < field.width(); ++x) {
                field.at(x, y) = f(y * field.width() + x);
            }
        });
        return field;
    }

    core::Run &run_;
    const HeightmapParams &params_;
    const Heights &heights_;
    const shape::Flow &flow_;
    double cell_;
    double rise_; // of a height step, in cells
    Field2D<float> slopes_;
    Water water_;
};

struct Row {
    const char *name;
    const char *help;
    Layer (Maps::*make)();
    bool water = false;
    double bytes = 0; // that making it takes, a cell, beside its own
};

using shape::Green;

constexpr Row kRows[] = {
    {"elevation", "Height in metres, 32 bits, exact: steps of 1/4096 m.", &Maps::elevation, false},
    {"normal", "Tangent-space normals, green up (OpenGL), 16 bits.",
     &Maps::normal<Rgb16, Green::up>},
    {"normal_directx", "The same with green down.", &Maps::normal<Rgb16, Green::down>},
    {"normal_8", "Normals of 8 bits, green up.", &Maps::normal<Rgb8, Green::up>},
    {"normal_directx_8", "Normals of 8 bits, green down.", &Maps::normal<Rgb8, Green::down>},
    {"slope", "Slope in degrees.", &Maps::slope},
    {"curvature", "Half of minus the Laplacian: crests light, hollows dark, 32768 is none.",
     &Maps::curvature, false, 4},
    {"ambient_occlusion", "65535 in the open, less in hollows; looks a quarter of valley_spacing.",
     &Maps::ambient_occlusion, false, 48},
    {"wetness", "Topographic wetness index ln(area of unit width / slope).", &Maps::wetness, true},
    {"drainage_height", "Height above the stream that a place drains to.", &Maps::drainage_height,
     false, 4},
    {"deposition", "Share of what the ground above sheds that water lays down here.",
     &Maps::deposition, true},
    {"talus", "Where debris of ground steeper than the talus slope comes to rest.", &Maps::talus,
     true},
    {"cliffs", "255 where the ground is 10 degrees steeper than talus.", &Maps::cliffs},
    {"ridges", "255 on crests that stand above the ground around.", &Maps::ridges, true, 12},
    {"splat", "Weights of rock, grass, scree, sediment in R, G, B, A; they sum to 255.",
     &Maps::splat, true},
    {"splat_rock", "The weight of rock alone.", &Maps::splat_of<0>, true, 4},
    {"splat_grass", "The weight of grass alone.", &Maps::splat_of<1>, true, 4},
    {"splat_scree", "The weight of scree alone.", &Maps::splat_of<2>, true, 4},
    {"splat_sediment", "The weight of sediment alone.", &Maps::splat_of<3>, true, 4},
};

bool is_asked(std::span<const std::string> names, const Row &row) {
    return std::find(names.begin(), names.end(), row.name) != names.end();
}

} // namespace

std::vector<LayerInfo> map_infos() {
    std::vector<LayerInfo> infos;
    for (const Row &row : kRows) {
        infos.push_back({row.name, row.help, "", LayerKind::map, true});
    }
    return infos;
}

void check_map_names(std::span<const std::string> names) {
    for (const std::string &name : names) {
        std::string list;
        bool found = false;
        for (const Row &row : kRows) {
            found = found || name == row.name;
            list += (list.empty() ? "" : ", ") + std::string(row.name);
        }
        if (!found) {
            throw Error(ErrorCode::invalid_argument,
                        "there is no map '" + name + "'; allowed is one of " + list);
        }
    }
}

double map_memory(std::span<const std::string> names) {
    double kept = 0, most = 0;
    bool any = false, water = false;
    for (const Row &row : kRows) {
        if (is_asked(names, row)) {
            any = true;
            water = water || row.water;
            kept += 6; // of the widest
            most = std::max(most, row.bytes);
        }
    }
    constexpr double kSlopes = 4, kWater = 12 + 24 + 8;
    return any ? kept + kSlopes + (water ? std::max(most + 12, kWater) : most) : 0;
}

std::vector<Layer> make_maps(core::Run &run, const HeightmapParams &params, const Ground &ground,
                             double cell, std::span<const std::string> names) {
    std::vector<const Row *> rows;
    bool water = false;
    for (const Row &row : kRows) {
        if (is_asked(names, row)) {
            rows.push_back(&row);
            water = water || row.water;
        }
    }
    std::vector<Layer> layers;
    if (rows.empty()) {
        return layers;
    }
    Maps maps(run, params, ground, cell, water);
    for (const Row *row : rows) {
        layers.push_back((maps.*row->make)());
        layers.back().name = row->name;
    }
    return layers;
}

} // namespace karst::terrain
