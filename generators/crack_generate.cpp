// The way from a seed to cracked ground: networks -> plates -> lines -> fracture -> cells -> depth.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>

#include <karst/crack.hpp>

#include "core/fixed.hpp"
#include "core/rng.hpp"
#include "generators/crack.hpp"
#include "generators/crack_fracture.hpp"
#include "generators/crack_lines.hpp"
#include "generators/crack_raster.hpp"
#include "sim/physarum.hpp"

namespace karst {

namespace {

using namespace crack;

constexpr double kPlateCells = 36; // of the primary network's grid, across a plate
constexpr double kPieceCells = 12; // of the fracture's grid, across a piece
constexpr std::uint32_t kSlotPlate = 0x30, kSlotWidth = 0x38, kSlotRough = 0x40;

// The grids of one job. They follow from metres alone, so that the layout does not depend on the
// output's resolution, and they divide its ground evenly, so that all wraps.
struct Grids {
    Extent2 primary, fine;
};

Grids grids_of(const CrackParams &params, Extent2 extent, double cell) {
    const auto over = [&](double size) {
        const auto cells = [&](std::int64_t side) {
            const double count = std::floor(static_cast<double>(side) * cell / size + 0.5);
            return std::max<std::int64_t>(1, static_cast<std::int64_t>(count));
        };
        return Extent2{cells(extent.width), cells(extent.height)};
    };
    const double piece = std::min(params.piece_size, params.plate_size);
    return {over(params.plate_size / kPlateCells), over(piece / kPieceCells)};
}

PhysarumParams network(double sensor_offset, std::int64_t steps) {
    PhysarumParams p;
    p.sensor_angle = 60; // wide turns close the cells of the network soon
    p.rotation_angle = 60;
    p.sensor_offset = sensor_offset;
    p.agent_density = 0.3;
    p.retain = 0.93;
    p.steps = steps;
    return p;
}
const PhysarumParams kPrimaryNetwork = network(7, 80);
const PhysarumParams kFineNetwork = network(4.5, 50);

void check(const CrackParams &params, Extent2 extent, double cell) {
    crack_table().validate(params);
    const auto reject = [](const std::string &what) {
        throw Error(ErrorCode::invalid_argument, what);
    };
    constexpr std::int64_t kMostCells = std::int64_t{1} << 30;
    if (extent.width < 1 || extent.height < 1 || extent.width > kMostCells ||
        extent.height > kMostCells || extent.cells() > kMostCells) {
        reject("the extent is " + std::to_string(extent.width) + " x " +
               std::to_string(extent.height) + " cells; allowed are 1 x 1 to 2^30 cells in all");
    }
    if (!(cell >= 1e-6 && cell <= 1000)) {
        reject("cell is " + to_string(ParamValue(cell)) + " m; allowed is 1e-06 to 1000 m");
    }
    for (const auto &[name, size] :
         {std::pair{"plate_size", params.plate_size}, {"piece_size", params.piece_size}}) {
        if (size < 4 * cell) {
            reject(std::string(name) + " is " + to_string(ParamValue(size)) + " m; at a cell of " +
                   to_string(ParamValue(cell)) + " m allowed is at least 4 cells, " +
                   to_string(ParamValue(4 * cell)) + " m");
        }
    }
    const Grids grids = grids_of(params, extent, cell);
    const std::uint64_t simulated = std::max(sim::memory_needed(kPrimaryNetwork, grids.primary),
                                             sim::memory_needed(kFineNetwork, grids.fine));
    const auto fracture = static_cast<std::uint64_t>(grids.fine.cells()) * 40;
    const auto cells = static_cast<std::uint64_t>(extent.cells()) * 48;
    core::require_memory(std::max({simulated, fracture, cells}), "crack", {});
}

// The trail without its grain as a strength from 0 to 65535, which is its 97 % quantile and above.
// The root lifts weak veins.
Field2D<std::uint32_t> strength(core::Run &run, const Field2D<std::uint32_t> &trail) {
    Field2D<std::uint32_t> soft = shape::box_blur(run, trail, 1, 2, Boundary::torus);
    const auto for_values = [&](auto &&f) {
        run.for_rows(soft.height(), [&](std::int64_t y) {
            for (std::uint32_t &value : soft.row(y)) {
                value = f(value);
            }
        });
    };
    for_values([](std::uint64_t value) { return core::integer_sqrt(value << 24); });
    const std::uint64_t top =
        std::max<std::uint32_t>(1, shape::quantile(run, soft, core::to_threshold(0.97)));
    for_values([&](std::uint64_t value) {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(65535, value * 65535 / top));
    });
    return soft;
}

// Primary cracks as the borders of the basins between the veins, on the fine grid.
std::vector<Line> network_lines(core::Run &run, const Grids &grids, std::uint64_t seed) {
    const auto state = sim::simulate(run, kPrimaryNetwork, grids.primary, seed, 0);
    const auto veins = strength(run, state.trail);
    Field2D<std::uint32_t> plates = shape::watershed(run, veins, 12000, Boundary::torus, seed).id;
    merge_small(plates, veins, static_cast<std::int64_t>(kPlateCells * kPlateCells / 5));
    std::vector<Line> lines = trace_borders(plates, veins, 24);
    for (Line &line : lines) {
        // Width from the vein's strength along the line, without jumps.
        for (int pass = 0; pass < 40; ++pass) {
            std::uint32_t before = line.widths.front();
            for (std::size_t i = 1; i + 1 < line.widths.size(); ++i) {
                const std::uint32_t here = line.widths[i];
                line.widths[i] = (before + 2 * here + line.widths[i + 1]) / 4;
                before = here;
            }
        }
        for (std::uint32_t &width : line.widths) {
            width = 26000 + width * 6 / 10;
        }
        for (Point &p : line.points) {
            p = on_grid(p, grids.primary, grids.fine);
        }
    }
    return lines;
}

std::vector<Line> layout(core::Run &run, const CrackParams &params, const Grids &grids,
                         std::uint64_t seed) {
    run.stage("primary network", 0.3, run.options().device);
    std::vector<Line> primary;
    if (params.pattern == CrackPattern::network) {
        primary = network_lines(run, grids, seed);
    }
    run.stage("secondary network", 0.2, run.options().device);
    const auto veins = strength(run, sim::simulate(run, kFineNetwork, grids.fine, seed, 1).trail);
    run.stage("fracture", 0.1);
    Toughness toughness;
    toughness.joint_sets = params.joint_sets;
    toughness.joint_heading = core::to_angle(params.joint_heading);
    toughness.joint_angle = core::to_angle(params.joint_angle);
    toughness.vein_pull = core::to_fixed(params.vein_pull, 16);
    Fracture fracture(run, veins, toughness, seed);
    fracture.add(std::move(primary));
    if (params.pattern == CrackPattern::joints) {
        const double plate =
            params.plate_size / std::min(params.piece_size, params.plate_size) * kPieceCells;
        fracture.open(static_cast<std::int64_t>(
            static_cast<double>(grids.fine.cells()) / (plate * plate) + 0.5));
    }
    SplitRule rule;
    rule.piece = params.piece_size < params.plate_size
                     ? static_cast<std::int64_t>(kPieceCells * kPieceCells)
                     : grids.fine.cells() * 4;
    rule.spread = core::to_fixed(params.piece_spread, 16);
    rule.dead_ends = core::to_fixed(params.dead_ends, 16);
    rule.width_ratio = core::to_fixed(params.width_ratio, 16);
    fracture.split(rule);
    return fracture.take();
}

// The lines in output cells: refined, made rough, of varying width.
class Pen {
public:
    Pen(const CrackParams &params, const Grids &grids, Extent2 extent, double cell,
        std::uint64_t seed)
        : grid_(grids.fine), extent_(extent),
          half_(std::max<std::int64_t>(1, core::to_fixed(params.crack_width / cell / 2, 8))),
          spacing_(std::max<std::int64_t>(
              1, static_cast<std::int64_t>(98304 * grid_.width / extent.width))),
          swell_(seed, kSlotWidth, grid_, waves(1.5)) {
        // Octaves from half a piece down to what cells can show.
        const double piece_cells = std::min(params.piece_size, params.plate_size) / cell;
        double wavelength = 0.6; // pieces
        for (std::uint32_t k = 0; k < 6 && wavelength * piece_cells >= 3; ++k) {
            rough_.emplace_back(seed, kSlotRough + k, grid_, waves(wavelength));
            amplitude_.push_back(
                core::to_fixed(params.roughness * 0.22 * wavelength * kPieceCells, 16));
            wavelength /= 2;
        }
    }

    std::vector<Stroke> strokes(const Line &coarse) const {
        const Line line = refined(coarse, spacing_);
        std::vector<Stroke> strokes;
        for (std::size_t i = 0; i < line.points.size(); ++i) {
            const Point p = line.points[i];
            Point moved = p;
            for (std::size_t k = 0; k < rough_.size(); ++k) {
                const Point noise = rough_[k].at(p);
                moved.x += (noise.x * amplitude_[k]) >> 16;
                moved.y += (noise.y * amplitude_[k]) >> 16;
            }
            const Point out = on_grid(moved, grid_, extent_);
            const std::int64_t swell = 65536 + swell_.at(p).x * 2 / 5;
            const std::int64_t width = (std::int64_t{line.widths[i]} * swell) >> 16;
            const std::int64_t half = (half_ * width) >> 16;
            // A crack narrower than a cell is drawn a cell wide and as much shallower.
            const std::int64_t depth =
                std::int64_t{core::integer_sqrt(static_cast<std::uint64_t>(width) << 16)} *
                std::min<std::int64_t>(half, 128) / 128;
            const Point end{out.x >> 8, out.y >> 8};
            const auto half_width = static_cast<std::int32_t>(std::max<std::int64_t>(half, 128));
            const auto deep = static_cast<std::int32_t>(std::min<std::int64_t>(depth, 65535));
            if (i > 0) {
                strokes.back().b = end;
                strokes.back().half_b = half_width;
                strokes.back().depth_b = deep;
            }
            if (i + 1 < line.points.size()) {
                strokes.push_back({end, end, half_width, half_width, deep, deep});
            }
        }
        return strokes;
    }

private:
    Extent2 waves(double pieces) const {
        const auto count = [&](std::int64_t side) {
            const double waves = static_cast<double>(side) / (pieces * kPieceCells);
            return std::max<std::int64_t>(1, static_cast<std::int64_t>(waves + 0.5));
        };
        return {count(grid_.width), count(grid_.height)};
    }

    Extent2 grid_, extent_;
    std::int64_t half_;    // half the crack width in cells, 8 fraction bits
    std::int64_t spacing_; // of points, in the grid's cells, 16 fraction bits
    TorusNoise swell_;
    std::vector<TorusNoise> rough_;
    std::vector<std::int64_t> amplitude_;
};

// The parts of the depth layer, 16 fraction bits of its whole range.
struct DepthParts {
    std::int64_t crack, curl, relief;
};

// t of 16 fraction bits to the depth of the cross section.
std::int64_t section(CrackProfile profile, std::int64_t t) {
    const std::int64_t rest = 65536 - t;
    if (profile == CrackProfile::u) {
        return 65536 - ((((rest * rest) >> 16) * rest) >> 16);
    }
    return 65536 - ((rest * (65536 + rest)) >> 17); // a V with its edge broken
}

class Relief {
public:
    Relief(core::Run &run, const CrackParams &params, Extent2 extent, double cell,
           std::uint64_t seed)
        : run_(run), params_(params), extent_(extent), seed_(seed) {
        const double whole = range(params);
        parts_ = {core::to_fixed(params.depth / whole, 16),
                  core::to_fixed(std::abs(params.curl) / whole, 16),
                  core::to_fixed(params.relief / whole, 16)};
        const double piece = std::min(params.piece_size, params.plate_size) / cell;
        rim_ = std::max<std::int64_t>(256, static_cast<std::int64_t>(piece * 0.35 * 256));
        size_ = std::max<std::int64_t>(256, static_cast<std::int64_t>(piece * 256));
        window_ = static_cast<int>(params.crack_width / cell) + 2;
    }

    static double range(const CrackParams &p) { return p.depth + std::abs(p.curl) + p.relief; }

    Field2D<std::uint16_t> depth(const Strokes &strokes, const shape::Mask &mask,
                                 const Field2D<std::uint32_t> &plates) {
        const Field2D<std::uint32_t> surface = surface_of(mask, plates);
        const Field2D<std::uint32_t> base =
            shape::box_blur(run_, surface, window_, 1, Boundary::torus);
        Field2D<std::uint32_t> share(extent_);
        for_cells([&](std::int64_t i) { share[i] = mask[i] == 0 ? 1u << 24 : 0; });
        share = shape::box_blur(run_, share, window_, 1, Boundary::torus);
        const std::int64_t ragged = core::to_fixed(params_.ragged, 16);
        Field2D<std::uint32_t> sharp(extent_);
        for_cells([&](std::int64_t i) {
            const std::int64_t half = std::max<std::int64_t>(128, strokes.half[i]);
            const std::int64_t inset = strokes.inset[i];
            // How much of the cell the crack covers. A thin one shades the cells beside its mask;
            // the rim of a wide one has crumbled and ends in a cliff.
            const bool thin = ragged == 0 || half < 3 * 128;
            const std::int64_t covered =
                thin ? std::clamp<std::int64_t>(inset + 128, 0, 256) : (mask[i] != 0 ? 256 : 0);
            if (mask[i] == 0 && covered == 0) {
                sharp[i] = surface[i] >> 8;
                return;
            }
            const std::int64_t ground = share[i] == 0  ? 0
                                        : mask[i] != 0 ? (std::int64_t{base[i]} << 16) / share[i]
                                                       : surface[i] >> 8;
            const std::int64_t inside = inset + ((half * ragged) >> 17) + 128;
            const std::int64_t t =
                std::clamp<std::int64_t>(inside * 65536 / (half + 128), 8192, 65536);
            const std::int64_t cut =
                (((section(params_.profile, t) * strokes.depth[i]) >> 16) * covered) >> 8;
            sharp[i] = static_cast<std::uint32_t>(
                std::min<std::int64_t>(65535, ground + ((cut * parts_.crack) >> 16)));
        });
        return softened(sharp);
    }

private:
    template <class F>
    void for_cells(F &&f) {
        run_.for_rows(extent_.height, [&](std::int64_t y) {
            for (std::int64_t x = 0; x < extent_.width; ++x) {
                f(y * extent_.width + x);
            }
        });
    }

    // One binomial pass, so that cliffs light well.
    Field2D<std::uint16_t> softened(const Field2D<std::uint32_t> &sharp) {
        Field2D<std::uint16_t> out(extent_, run_.memory());
        run_.for_rows(extent_.height, [&](std::int64_t y) {
            const std::int64_t above = wrap(y - 1, extent_.height);
            const std::int64_t below = wrap(y + 1, extent_.height);
            const auto column = [&](std::int64_t x) {
                return sharp.at(x, above) + 2 * sharp.at(x, y) + sharp.at(x, below);
            };
            for (std::int64_t x = 0; x < extent_.width; ++x) {
                const std::uint32_t sum = column(wrap(x - 1, extent_.width)) + 2 * column(x) +
                                          column(wrap(x + 1, extent_.width));
                out.at(x, y) = static_cast<std::uint16_t>(sum / 16);
            }
        });
        return out;
    }

    // Depth of the plates' surface, 24 fraction bits of the range; 0 in cracks.
    Field2D<std::uint32_t> surface_of(const shape::Mask &mask,
                                      const Field2D<std::uint32_t> &plates) {
        // Without the creases of a distance, which would show in the light.
        const auto to_crack = shape::box_blur(
            run_, shape::distance(run_, mask, 46340, Boundary::torus),
            static_cast<int>(std::min<std::int64_t>(rim_ / 1024, 32767)), 2, Boundary::torus);
        Field2D<std::uint32_t> surface(extent_);
        run_.for_rows(extent_.height, [&](std::int64_t y) {
            std::uint32_t plate = kNoPlate;
            core::Draw4 draw{};
            for (std::int64_t x = 0; x < extent_.width; ++x) {
                if (mask.at(x, y) != 0) {
                    continue;
                }
                if (plates.at(x, y) != plate) {
                    plate = plates.at(x, y);
                    draw = core::draw_at(seed_, static_cast<std::int32_t>(plate % extent_.width),
                                         static_cast<std::int32_t>(plate / extent_.width), 0,
                                         core::use(core::stage_crack, kSlotPlate));
                }
                const std::int64_t t =
                    std::min<std::int64_t>(65536, std::int64_t{to_crack.at(x, y)} * 65536 / rim_);
                const std::int64_t rest = ((65536 - t) * (65536 - t)) >> 16;
                const std::int64_t curl = params_.curl > 0 ? 65536 - rest : rest;
                // Settles by up to half of the relief, tilts by the other half.
                const auto offset = [&](std::int64_t here, std::int64_t middle, std::int64_t size) {
                    const std::int64_t d = here - middle;
                    return (d - floor_div(d + size / 2, size) * size) * 256;
                };
                const auto slope = [](std::uint32_t word) {
                    return static_cast<std::int64_t>(word >> 15) - 65536;
                };
                const std::int64_t dx = offset(x, plate % extent_.width, extent_.width);
                const std::int64_t dy = offset(y, plate / extent_.width, extent_.height);
                const std::int64_t tilt =
                    (slope(draw.word[1]) * dx + slope(draw.word[2]) * dy) / size_;
                const std::int64_t settle =
                    std::clamp<std::int64_t>((draw.word[0] >> 17) + 16384 + tilt / 2, 0, 65536);
                const std::int64_t depth =
                    ((curl * parts_.curl) >> 8) + ((settle * parts_.relief) >> 8);
                surface.at(x, y) = static_cast<std::uint32_t>(
                    std::min<std::int64_t>(depth, (std::int64_t{1} << 24) - 1));
            }
        });
        return surface;
    }

    core::Run &run_;
    const CrackParams &params_;
    Extent2 extent_;
    std::uint64_t seed_;
    DepthParts parts_{};
    std::int64_t rim_ = 0;  // width of a plate's curl, cells with 8 fraction bits
    std::int64_t size_ = 0; // of a piece, likewise
    int window_ = 0;        // in which a crack finds the plates beside it, cells
};

std::vector<Stroke> all_strokes(core::Run &run, const std::vector<Line> &lines, const Pen &pen) {
    std::vector<std::vector<Stroke>> by_line(lines.size());
    run.for_ranges(static_cast<std::int64_t>(lines.size()), 1,
                   [&](std::int64_t begin, std::int64_t end) {
                       for (std::int64_t i = begin; i < end; ++i) {
                           by_line[static_cast<std::size_t>(i)] =
                               pen.strokes(lines[static_cast<std::size_t>(i)]);
                       }
                   });
    std::vector<Stroke> all;
    for (const auto &strokes : by_line) {
        all.insert(all.end(), strokes.begin(), strokes.end());
    }
    return all;
}

// Metres of line.
double length(std::span<const Stroke> strokes, double cell) {
    std::int64_t sum = 0; // cells, 8 fraction bits
    for (const Stroke &stroke : strokes) {
        const Point d = stroke.b - stroke.a;
        sum += core::integer_sqrt(static_cast<std::uint64_t>(d.x * d.x + d.y * d.y));
    }
    return static_cast<double>(sum) / 256 * cell;
}

} // namespace

CrackResult generate_crack(const CrackParams &params, Extent2 extent, double cell,
                           std::uint64_t seed, const Options &options) {
    check(params, extent, cell);
    core::Run run(options);
    const Grids grids = grids_of(params, extent, cell);
    const std::vector<Line> lines = layout(run, params, grids, seed);

    run.stage("cells", 0.2);
    const Pen pen(params, grids, extent, cell, seed);
    const std::vector<Stroke> strokes = all_strokes(run, lines, pen);
    const std::uint32_t ragged = core::to_fixed(params.ragged, 16);
    const Strokes drawn = draw(run, strokes, ragged, extent);
    shape::Mask mask = cover(run, drawn, ragged, seed);
    const double piece = std::min(params.piece_size, params.plate_size) / cell;
    const auto least = static_cast<std::int64_t>(piece * piece / 60);
    Ground ground = divide(run, mask, drawn.core, least, seed);

    run.stage("depth", 0.2);
    CrackResult result;
    result.depth = Relief(run, params, extent, cell, seed).depth(drawn, mask, ground.plates);
    result.depth_scale = Relief::range(params) / 65535;
    result.plates = std::move(ground.plates);
    result.plate_count = ground.count;
    result.mask = Field2D<std::uint8_t>(extent, run.memory());
    std::int64_t cracked = 0;
    for (std::int64_t i = 0; i < mask.size(); ++i) {
        result.mask[i] = mask[i] != 0 ? 255 : 0;
        cracked += mask[i] != 0 ? 1 : 0;
    }
    run.finish();
    const double area = cell * cell;
    result.crack_share = static_cast<double>(cracked) / static_cast<double>(extent.cells());
    result.mean_plate_area = static_cast<double>(extent.cells() - cracked) * area /
                             static_cast<double>(std::max<std::int64_t>(1, result.plate_count));
    const double metres = length(strokes, cell);
    result.mean_crack_width = metres > 0 ? static_cast<double>(cracked) * area / metres : 0;
    return result;
}

} // namespace karst
