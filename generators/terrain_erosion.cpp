#include "generators/terrain_erosion.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "generators/terrain.hpp"
#include "shape/erosion.hpp"

namespace karst::terrain {

namespace {

class CpuErosion final : public sim::ErosionEngine {
public:
    CpuErosion(core::Run &run, sim::Soil soil, const sim::Bedrock &bedrock)
        : run_(run), soil_(std::move(soil)), bedrock_(bedrock), strata_(bedrock_.strata) {
        begin_level();
    }

    void refine(shape::Mask outlets, int depth, std::int32_t noise) override {
        router_.reset();
        shape::Heights fine =
            terrain::refine(run_, soil_.heights, outlets, depth, noise, bedrock_.seed);
        soil_ = {std::move(fine), std::move(outlets), {}, {}};
        begin_level();
    }

    void warp(int depth, std::uint32_t time) override {
        terrain::warp(run_, soil_.heights, depth, bedrock_.seed, time);
    }

    void shape_soil(int level) override {
        const Extent2 e = soil_.heights.extent();
        soil_.uplift = Field2D<std::uint16_t>(e);
        soil_.softness = Field2D<std::uint16_t>(e);
        run_.for_rows(e.height, [&](std::int64_t y) {
            const SharesRow row(bedrock_.networks, bedrock_.relief, level, y);
            for (std::int64_t x = 0; x < e.width; ++x) {
                const rules::Shares s = row.at(x);
                soil_.uplift.at(x, y) = rules::uplift_of(s);
                soil_.softness.at(x, y) = rules::softness_of(s);
            }
        });
    }

    void pass(const rules::ErosionPass &pass) override {
        level(false, 0);
        // Rivers cut through what dams them: the way is found on filled ground, and cut into the
        // ground itself.
        const shape::Flow &flow = router_->on_filled(run_, soil_.heights, soil_.outlets);
        const auto *softness = &soil_.softness;
        const Field2D<std::uint16_t> *steepness = nullptr;
        if (strata_.any()) {
            set_rock();
            softness = &rock_softness_;
            steepness = &rock_steepness_;
        }
        // A river carries away what slides into it.
        for_cells([&](std::int64_t i) {
            kept_[i] = soil_.outlets[i] != 0 || flow.area[i] >= pass.carrying ? 1 : 0;
        });
        for (int i = 0; i < pass.creeps; ++i) {
            shape::creep(run_, soil_.heights, pass.creep, &kept_, steepness);
        }
        for_cells([&](std::int64_t i) {
            soil_.heights[i] +=
                soil_.outlets[i] != 0 ? 0 : rules::risen(pass.lift, soil_.uplift[i]);
        });
        shape::incise(run_, soil_.heights, flow, pass.power, softness, steepness);
        if (pass.planing > 0) {
            shape::widen(run_, soil_.heights, flow, pass.planing, pass.rise, pass.plane);
        }
    }

    void fill() override { router_->fill(run_, soil_.heights, soil_.outlets); }

    void level_outlets(std::int32_t drop) override { level(true, drop); }

    sim::Water route() override {
        router_->on_ground(run_, soil_.heights, soil_.outlets);
        shape::Flow flow = router_->take();
        return {std::move(flow.step), std::move(flow.area)};
    }

    sim::HeightRange range() override { return range_of(run_, soil_.heights); }
    void rescale(std::int64_t bottom, std::int64_t range, std::int64_t wanted) override {
        for_cells([&](std::int64_t i) {
            soil_.heights[i] = rules::rescaled(soil_.heights[i], bottom, range, wanted);
        });
    }

    shape::Heights copy() override { return soil_.heights; }
    shape::Heights take() override { return std::move(soil_.heights); }

private:
    void begin_level() {
        const Extent2 e = soil_.heights.extent();
        router_.emplace(run_, e, bedrock_.seed);
        kept_ = shape::Mask(e);
        if (strata_.any()) {
            rock_softness_ = Field2D<std::uint16_t>(e);
            rock_steepness_ = Field2D<std::uint16_t>(e);
        }
    }

    template <class F>
    void for_cells(F &&f) {
        const std::int64_t width = soil_.outlets.width();
        run_.for_rows(soil_.outlets.height(), [&](std::int64_t y) {
            for (std::int64_t i = y * width; i < (y + 1) * width; ++i) {
                f(i);
            }
        });
    }

    // Brings the outlets to the ground beside them. `raise` also lifts those that lie more than
    // `drop` below, where the map would end in a hole.
    void level(bool raise, std::int32_t drop) {
        shape::Heights &heights = soil_.heights;
        const Extent2 e = heights.extent();
        for (const std::int64_t i : border(e)) {
            if (soil_.outlets[i] == 0) {
                continue;
            }
            std::int32_t lowest = INT32_MAX;
            shape::for_steps(e, i % e.width, i / e.width, [&](std::int64_t n, std::uint8_t) {
                if (soil_.outlets[n] == 0) {
                    lowest = std::min(lowest, heights[n]);
                }
            });
            if (lowest != INT32_MAX) {
                heights[i] =
                    rules::levelled(heights[i], lowest, raise ? lowest - drop : heights[i]);
            }
        }
    }

    void set_rock() {
        for_cells([&](std::int64_t i) {
            const rules::Rock rock = strata_.at(soil_.heights[i]);
            rock_softness_[i] = rules::rock_softness(soil_.softness[i], rock);
            rock_steepness_[i] = rock.steepness;
        });
    }

    core::Run &run_;
    sim::Soil soil_;
    sim::Bedrock bedrock_;
    const rules::Strata &strata_;
    std::optional<shape::Router> router_; // of this level
    shape::Mask kept_;
    Field2D<std::uint16_t> rock_softness_, rock_steepness_;
};

} // namespace

std::unique_ptr<sim::ErosionEngine> make_erosion(core::Run &run, sim::Soil soil,
                                                 const sim::Bedrock &bedrock) {
    const Device device = run.options().device;
    if (device.kind == DeviceKind::cuda && cuda::can_erode(soil.heights.extent())) {
        return cuda::make_erosion(run, device, std::move(soil), bedrock);
    }
    return std::make_unique<CpuErosion>(run, std::move(soil), bedrock);
}

} // namespace karst::terrain
