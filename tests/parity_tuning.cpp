#include "parity_tuning.hpp"

#include <functional>
#include <iomanip>
#include <iostream>

#include <karst/seed.hpp>

#include "core/digest.hpp"
#include "sim/life.hpp"
#include "sim/physarum.hpp"
#include "sim/physarum_tuning.hpp"
#include "sim/tuning.hpp"

namespace karst::test {

namespace {

using sim::TuningPoint;

Options options_on(Device device) {
    Options options;
    options.device = device;
    options.threads = 2;
    return options;
}

// Every point of the space that `wanted` takes.
template <class Tuning>
std::vector<TuningPoint> points_of(const std::function<bool(const Tuning &)> &wanted) {
    const sim::TuningAxes &axes = sim::tuning_axes<Tuning>();
    std::vector<TuningPoint> points{sim::standard_point(axes)};
    std::vector<std::size_t> at(axes.size(), 0);
    for (std::size_t k = 0; k < axes.size();) {
        TuningPoint point;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            point.push_back(axes[i].values[at[i]]);
        }
        if (wanted(sim::tuning_at<Tuning>(point))) {
            points.push_back(point);
        }
        for (k = 0; k < axes.size() && ++at[k] == axes[k].values.size(); ++k) {
            at[k] = 0;
        }
    }
    return points;
}

// `digest(tuning)` runs the engine. The first point is the default, which the others equal.
template <class Tuning>
bool check(
    const std::string &name, const std::function<std::uint64_t(const Tuning &)> &digest,
    const std::function<bool(const Tuning &)> &wanted = [](const Tuning &) { return true; }) {
    const sim::TuningAxes &axes = sim::tuning_axes<Tuning>();
    const std::vector<TuningPoint> points = points_of<Tuning>(wanted);
    const std::uint64_t expected = digest(sim::tuning_at<Tuning>(points.front()));
    for (const TuningPoint &point : points) {
        if (digest(sim::tuning_at<Tuning>(point)) != expected) {
            std::cout << "DIFFERS: " << name << ", default and " << sim::text_of(axes, point)
                      << std::endl;
            return false;
        }
    }
    std::cout << std::setw(44) << name << std::setw(20) << seed_to_string(expected) << points.size()
              << " points ok" << std::endl;
    return true;
}

template <class Tuning, class Board, class Rule>
bool check_life(const std::string &name, Device device, const Board &soup, Rule rule,
                LifeBoundary boundary, std::int64_t generations) {
    return check<Tuning>(name, [&](const Tuning &tuning) {
        core::Run run(options_on(device));
        run.stage("parity", 1, device);
        auto start = Board(soup.extent());
        start.words() = soup.words();
        if constexpr (requires {
                          cuda::make_life(device, std::move(start), rule, boundary, tuning);
                      }) {
            auto engine = cuda::make_life(device, std::move(start), rule, boundary, tuning);
            sim::run_steps(run, *engine, generations);
            return digest(engine->take());
        } else {
            auto engine = cpu::make_life(run, std::move(start), rule, boundary, tuning);
            sim::run_steps(run, *engine, generations);
            return digest(engine->take());
        }
    });
}

template <class BoardTuning, class VolumeTuning>
bool check_lives(const std::string &name, Device device) {
    // Wide for the words of a tile, high for the generations a pass.
    const LifeBoard wide = make_soup({33000, 40}, 0.4, 1, {}, {});
    const LifeBoard high = make_soup({130, 1200}, 0.4, 2, {}, {});
    const LifeVolume volume = make_soup_3d({200, 40, 70}, 0.4, 3, {}, {});
    const LifeRule3 rule = parse_life_rule_3d("B14-26/S13-26");
    return check_life<BoardTuning>(name + "life/wide", device, wide, LifeRule{},
                                   LifeBoundary::torus, 33) &&
           check_life<BoardTuning>(name + "life/high", device, high, parse_life_rule("B36/S23"),
                                   LifeBoundary::alive, 65) &&
           check_life<VolumeTuning>(name + "life3d", device, volume, rule, LifeBoundary::dead, 5);
}

std::uint64_t digest_after(core::Run &run, sim::PhysarumEngine &engine, std::int64_t steps) {
    run.stage("parity", 1);
    sim::run_steps(run, engine, steps);
    const sim::PhysarumState state = engine.take();
    return core::digest(state.trail) + agents_digest(state);
}

// On a map of some tiles, with steps enough that agents are sorted again.
bool check_maps(const std::string &name, Device device) {
    constexpr std::int64_t kSteps = 140;
    core::Run run(options_on(device));
    PhysarumParams params;
    params.agent_density = 0.2;
    const auto rule = sim::quantise(params, {100, 70}, 1);
    const auto start = sim::spawn(run, params, rule);
    if (device.kind == DeviceKind::cpu) {
        return check<cpu::PhysarumTuning>(name + "physarum", [&](cpu::PhysarumTuning tuning) {
            tuning.least_sorted = 0;
            const auto engine = cpu::make_physarum(run, start, rule, nullptr, tuning);
            return digest_after(run, *engine, kSteps);
        });
    }
    return check<cuda::PhysarumTuning>(
        name + "physarum",
        [&](const cuda::PhysarumTuning &tuning) {
            const auto engine = cuda::make_physarum(device, start, rule, nullptr, tuning);
            return digest_after(run, *engine, kSteps);
        },
        [](const cuda::PhysarumTuning &tuning) { // the axes that do something in its form
            const cuda::PhysarumTuning standard;
            const bool tiled = tuning.threads == standard.threads &&
                               tuning.drift == standard.drift && tuning.blocks == standard.blocks;
            const bool plain =
                tuning.agent_threads == standard.agent_threads && tuning.rows == standard.rows;
            return (tuning.form == cuda::dense_tiles && plain) ||
                   (tuning.form == cuda::two_kernels && tiled) ||
                   (tuning.form == cuda::sparse_tiles && plain && tiled);
        });
}

} // namespace

bool run_tunings(const std::vector<Device> &devices, const std::string &prefix) {
    std::vector<Device> all{{}};
    all.insert(all.end(), devices.begin(), devices.end());
    for (const Device device : all) {
        const std::string name = "tuning/" + to_string(device) + "/";
        const auto wanted = [&](const char *engine) { return (name + engine).starts_with(prefix); };
        const bool gpu = device.kind == DeviceKind::cuda;
        if (wanted("life") &&
            !(gpu ? check_lives<cuda::LifeTuning, cuda::LifeVolumeTuning>(name, device)
                  : check_lives<cpu::LifeTuning, cpu::LifeVolumeTuning>(name, device))) {
            return false;
        }
        if (wanted("physarum") && !check_maps(name, device)) {
            return false;
        }
    }
    return true;
}

} // namespace karst::test
