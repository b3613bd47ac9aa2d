#include "generators/crack_relief.hpp"

#include <algorithm>
#include <cmath>

#include "core/fixed.hpp"

namespace karst::crack {

double depth_range(const CrackParams &params) {
    return params.depth + std::abs(params.curl) + params.relief;
}

namespace {

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

// Fills in the depth of one job.
class Relief {
public:
    Relief(core::Run &run, const CrackParams &params, Extent2 extent, double cell,
           std::uint64_t seed)
        : run_(run), params_(params), extent_(extent),
          settle_(seed, slot_settle, extent, waves_of(params, extent, cell)),
          tilt_(seed, slot_tilt, extent, waves_of(params, extent, cell)) {
        const double whole = depth_range(params);
        parts_ = {core::to_fixed(params.depth / whole, 16),
                  core::to_fixed(std::abs(params.curl) / whole, 16),
                  core::to_fixed(params.relief / whole, 16)};
        const double piece = std::min(params.piece_size, params.plate_size) / cell;
        rim_ = std::max<std::int64_t>(256, static_cast<std::int64_t>(piece * 0.35 * 256));
        size_ = std::max<std::int64_t>(256, static_cast<std::int64_t>(piece * 256));
        window_ = static_cast<int>(params.crack_width / cell) + 2;
    }

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
    // As many waves of noise as there are pieces.
    static Extent2 waves_of(const CrackParams &params, Extent2 extent, double cell) {
        const double piece = std::min(params.piece_size, params.plate_size) / cell;
        const auto count = [&](std::int64_t side) {
            return std::max<std::int64_t>(
                1, static_cast<std::int64_t>(static_cast<double>(side) / piece + 0.5));
        };
        return {count(extent.width), count(extent.height)};
    }

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
            Plate plate;
            for (std::int64_t x = 0; x < extent_.width; ++x) {
                if (mask.at(x, y) != 0) {
                    continue;
                }
                if (plates.at(x, y) != plate.id) {
                    plate = plate_of(plates.at(x, y));
                }
                const std::int64_t t =
                    std::min<std::int64_t>(65536, std::int64_t{to_crack.at(x, y)} * 65536 / rim_);
                const std::int64_t rest = ((65536 - t) * (65536 - t)) >> 16;
                const std::int64_t curl = params_.curl > 0 ? 65536 - rest : rest;
                surface.at(x, y) = static_cast<std::uint32_t>(std::min<std::int64_t>(
                    ((curl * parts_.curl) >> 8) + ((height(plate, x, y) * parts_.relief) >> 8),
                    (std::int64_t{1} << 24) - 1));
            }
        });
        return surface;
    }

    struct Plate {
        std::uint32_t id = kNoPlate;
        std::int64_t settle = 0;
        Point tilt;
    };

    // Drawn from smooth noise at the plate's middle, so that a plate lies the same way at every
    // resolution.
    Plate plate_of(std::uint32_t id) const {
        const Point middle{(std::int64_t{id} % extent_.width) << kPointBits,
                           (std::int64_t{id} / extent_.width) << kPointBits};
        return {id, settle_.at(middle).x, tilt_.at(middle)};
    }

    // How far a plate has sunk at a cell, of 16 fraction bits: settling and tilt half each.
    std::int64_t height(const Plate &plate, std::int64_t x, std::int64_t y) const {
        // The nearest way round, but back to 0 on the far side, so that a plate that wraps around
        // the torus has no step where its two ends meet.
        const auto offset = [](std::int64_t d, std::int64_t size) {
            const std::int64_t nearest = d - floor_div(d + size / 2, size) * size;
            const std::int64_t back = size / 2 - std::abs(nearest);
            return std::abs(nearest) <= back ? nearest : nearest < 0 ? -back : back;
        };
        const std::int64_t dx = offset(x - std::int64_t{plate.id} % extent_.width, extent_.width);
        const std::int64_t dy = offset(y - std::int64_t{plate.id} / extent_.width, extent_.height);
        const std::int64_t tilt = (plate.tilt.x * dx + plate.tilt.y * dy) * 256 / size_;
        return std::clamp<std::int64_t>(32768 + plate.settle / 2 + tilt, 0, 65536);
    }

    core::Run &run_;
    const CrackParams &params_;
    Extent2 extent_;
    TorusNoise settle_, tilt_;
    DepthParts parts_{};
    std::int64_t rim_ = 0;  // width of a plate's curl, cells with 8 fraction bits
    std::int64_t size_ = 0; // of a piece, likewise
    int window_ = 0;        // in which a crack finds the plates beside it, cells
};

} // namespace

Field2D<std::uint16_t> depth_of(core::Run &run, const CrackParams &params, double cell,
                                std::uint64_t seed, const Strokes &strokes, const shape::Mask &mask,
                                const Field2D<std::uint32_t> &plates) {
    return Relief(run, params, mask.extent(), cell, seed).depth(strokes, mask, plates);
}

} // namespace karst::crack
