#include "sim/tune.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include <karst/error.hpp>

#include "core/thread_pool.hpp"
#include "sim/bench_case.hpp"
#include "sim/devices.hpp"
#include "sim/life_tuning.hpp"
#include "sim/physarum_tuning.hpp"
#include "sim/tune_search.hpp"

namespace karst::sim {

namespace {

constexpr int kFewestBlocks = 5;
constexpr int kMostBlocks = 400;
constexpr double kLeastSeconds = 0.05; // of the blocks of a point together
constexpr int kRounds = 3;             // of default and best in turn, at the end
constexpr double kHopeless = 1.25;     // times the best cost, after a short run: no long one
constexpr double kWorthTelling = 0.97; // of the default's cost, or nothing was found

using Reduce = std::function<std::optional<TuningPoint>(const TuningPoint &)>;

// The value of an axis by name.
std::int32_t &value_of(const TuningAxes &axes, TuningPoint &point, const char *name) {
    std::size_t i = 0;
    while (axes[i].name != name) {
        ++i;
    }
    return point[i];
}

// Values of an axis from `limit` on do the same: the first of them stands for all.
void cut_off(const TuningAxes &axes, TuningPoint &point, const char *name, std::int64_t limit) {
    std::int32_t &value = value_of(axes, point, name);
    const auto axis = std::find_if(axes.begin(), axes.end(),
                                   [name](const TuningAxis &its) { return its.name == name; });
    for (const std::int32_t other : axis->values) {
        if (other >= limit && value >= limit) {
            value = other;
            return;
        }
    }
}

// Axes that do nothing at a point.
void make_standard(const TuningAxes &axes, TuningPoint &point,
                   std::initializer_list<const char *> names) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (std::find(names.begin(), names.end(), axes[i].name) != names.end()) {
            point[i] = axes[i].standard;
        }
    }
}

bool has_instruction_set(const TuningAxes &axes, TuningPoint &point) {
    return value_of(axes, point, "older") <
           static_cast<std::int32_t>(cpu::instruction_sets().size());
}

bool one_thread(const Options &options) {
    return (options.threads > 0 ? options.threads : core::usable_threads()) == 1;
}

Reduce reduction(const Options &options, const TuningAxes &axes, const BoardCase &its) {
    const Extent2 extent = its.start.extent();
    const std::int64_t words = its.start.words().width();
    if (options.device.kind == DeviceKind::cuda) {
        return [&axes, extent](TuningPoint point) -> std::optional<TuningPoint> {
            cut_off(axes, point, "rows", extent.height);
            const std::int32_t rows = value_of(axes, point, "rows");
            // Shorter strips than their borders are no use.
            if (rows > 0 && rows < value_of(axes, point, "generations")) {
                return {};
            }
            return point;
        };
    }
    return [&axes, words,
            alone = one_thread(options)](TuningPoint point) -> std::optional<TuningPoint> {
        cut_off(axes, point, "words", words + 2);
        if (alone) {
            make_standard(axes, point, {"pieces"});
        }
        return has_instruction_set(axes, point) ? std::optional(point) : std::nullopt;
    };
}

Reduce reduction(const Options &options, const TuningAxes &axes, const VolumeCase &its) {
    const Extent3 extent = its.start.extent();
    const std::int64_t words = its.start.words().width();
    if (options.device.kind == DeviceKind::cuda) {
        return [&axes, extent, words](TuningPoint point) -> std::optional<TuningPoint> {
            cut_off(axes, point, "columns", words);
            cut_off(axes, point, "slices", extent.depth);
            return point;
        };
    }
    return [&axes, extent, words](TuningPoint point) -> std::optional<TuningPoint> {
        cut_off(axes, point, "slices", extent.depth);
        cut_off(axes, point, "words", words * ((extent.height + 7) / 8));
        return point;
    };
}

std::optional<TuningPoint> reduced_map(const TuningAxes &axes, TuningPoint point,
                                       const Device device, const rules::PhysarumRule &rule,
                                       std::size_t agents) {
    const auto way_of = [&] {
        return cuda::physarum_way(device, rule, agents, tuning_at<cuda::PhysarumTuning>(point));
    };
    const cuda::PhysarumWay way = way_of();
    std::int32_t &form = value_of(axes, point, "form");
    if (form != cuda::by_thresholds && form != way.form) {
        return {};
    }
    form = way.form;
    if (way.form != cuda::two_kernels) {
        make_standard(axes, point, {"agent_threads", "rows"});
    }
    if (way.form != cuda::dense_tiles) {
        make_standard(axes, point, {"threads", "drift", "blocks"});
        return point;
    }
    // Of the drifts for which agents are sorted as often, the first stands for all.
    std::int32_t &drift = value_of(axes, point, "drift");
    const std::int32_t wanted = drift;
    for (const TuningAxis &axis : axes) {
        for (std::size_t i = 0; axis.name == "drift" && i < axis.values.size(); ++i) {
            drift = axis.values[i];
            if (drift == wanted || way_of().steps_a_sort == way.steps_a_sort) {
                return point;
            }
        }
    }
    return point;
}

Reduce reduction(const Options &options, const TuningAxes &axes, const MapCase &its) {
    const rules::PhysarumRule rule = its.rule;
    const std::size_t agents = its.start.agents.size();
    if (options.device.kind == DeviceKind::cuda) {
        return [&axes, device = options.device, rule, agents](const TuningPoint &point) {
            return reduced_map(axes, point, device, rule, agents);
        };
    }
    const bool sorts = agents >= cpu::PhysarumTuning{}.least_sorted;
    return [&axes, rule, sorts,
            alone = one_thread(options)](TuningPoint point) -> std::optional<TuningPoint> {
        if (!sorts) {
            make_standard(axes, point, {"sort_interval", "tile_width", "tile_height"});
        }
        cut_off(axes, point, "tile_width", rule.width);
        cut_off(axes, point, "tile_height", rule.height);
        if (alone) {
            make_standard(axes, point, {"pieces"});
        }
        return has_instruction_set(axes, point) ? std::optional(point) : std::nullopt;
    };
}

TuningChoice choice_of(const std::string &engine, SizeClass size, const TuningAxes &axes,
                       const TuningPoint &point) {
    TuningChoice choice{engine, size.cells, size.agents, {}};
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (point[i] != axes[i].standard) {
            choice.values.emplace_back(axes[i].name, point[i]);
        }
    }
    return choice;
}

// Times points of one case.
template <class Case>
class Timer {
public:
    Timer(const Options &options, const Case &its, const TuningAxes &axes)
        : options_(options), its_(its), axes_(axes) {
        const double step = time(standard_point(axes), 1).median();
        const double blocks = kLeastSeconds / (step * kStepsAtOnce);
        blocks_ = blocks < kFewestBlocks ? kFewestBlocks
                                         : static_cast<int>(std::min<double>(blocks, kMostBlocks));
    }

    // Each kind of run has as many steps every time. Both throw Error(device_failure) if the result
    // is not as the first.
    Timing long_run(const TuningPoint &point) { return checked(point, blocks_, digest_); }
    Timing short_run(const TuningPoint &point) {
        return checked(point, kFewestBlocks, short_digest_);
    }
    bool has_short_runs() const { return blocks_ > kFewestBlocks; }

    // Of kFewestBlocks, whatever the time: the one that `karst bench` prints.
    std::uint64_t digest() const {
        return has_short_runs() ? short_digest_.value() : digest_.value();
    }

private:
    Timing checked(const TuningPoint &point, int blocks, std::optional<std::uint64_t> &known) {
        const Timing timing = time(point, blocks);
        if (!known) {
            known = timing.digest;
        } else if (timing.digest != *known) {
            throw Error(ErrorCode::device_failure,
                        "internal error: " + its_.engine + " on " + to_string(options_.device) +
                            " with " + text_of(axes_, point) +
                            " gives another result than with the default; nothing was tuned");
        }
        return timing;
    }

    Timing time(const TuningPoint &point, int blocks) {
        const karst::Tuning tuning{{choice_of(its_.engine, its_.size, axes_, point)}};
        Options options = options_;
        options.tuning = [&tuning](Device) { return &tuning; };
        return time_case(options, its_, blocks);
    }

    const Options &options_;
    const Case &its_;
    const TuningAxes &axes_;
    int blocks_ = 0;
    std::optional<std::uint64_t> digest_;
    std::optional<std::uint64_t> short_digest_;
};

double cost_of(TuneMetric metric, double seconds, std::uint64_t memory) {
    return metric == TuneMetric::time ? seconds : seconds * static_cast<double>(memory);
}

template <class Case>
TuneResult tune(const Options &options, const Case &its, const TuneSettings &settings) {
    const double start = core::clock_seconds();
    const TuningAxes &axes = *find_axes(options.device.kind, its.engine);
    const Reduce reduce = reduction(options, axes, its);
    const TuningPoint standard = reduce(standard_point(axes)).value();
    Timer timer(options, its, axes);
    double a_point = 0; // seconds that the default took with all that belongs to it
    double best = std::numeric_limits<double>::max();
    const auto cost = [&](const TuningPoint &point) {
        const double begin = core::clock_seconds();
        const auto cost_in = [&](const Timing &timing) {
            return cost_of(settings.metric, timing.median(), timing.memory);
        };
        try {
            Timing timing = timer.has_short_runs() ? timer.short_run(point) : Timing{};
            if (!timer.has_short_runs() || cost_in(timing) / kHopeless <= best) {
                timing = timer.long_run(point);
            }
            best = std::min(best, cost_in(timing));
            if (point == standard) {
                a_point = core::clock_seconds() - begin;
            }
            if (settings.tell) {
                char text[64];
                std::snprintf(text, sizeof text, ": %.4f ms a step", timing.median() * 1e3);
                settings.tell(its.engine + ", " + text_of(axes, point) + text);
            }
            return cost_in(timing);
        } catch (const Error &error) {
            if (error.code() != ErrorCode::out_of_memory || point == standard) {
                throw;
            }
            return std::numeric_limits<double>::max();
        }
    };
    const auto go_on = [&] { // the rounds at the end want their time too
        return core::clock_seconds() - start + (2 * kRounds + 1) * a_point < settings.seconds;
    };
    const TuneFound found = search_best({axes, reduce, cost, go_on});

    TuneResult result;
    result.points = found.points;
    result.complete = found.complete;
    std::vector<double> seconds[2]; // of the default, of the best
    for (int i = 0; i < kRounds; ++i) {
        const Timing first = timer.long_run(standard);
        const Timing second = found.best == standard ? first : timer.long_run(found.best);
        seconds[0].push_back(first.median());
        seconds[1].push_back(second.median());
        result.default_memory = first.memory;
        result.tuned_memory = second.memory;
    }
    result.default_seconds = median(seconds[0]);
    result.tuned_seconds = median(seconds[1]);
    result.digest = timer.digest();
    const bool better =
        cost_of(settings.metric, result.tuned_seconds, result.tuned_memory) <
        kWorthTelling * cost_of(settings.metric, result.default_seconds, result.default_memory);
    if (!better) {
        result.tuned_seconds = result.default_seconds;
        result.tuned_memory = result.default_memory;
    }
    const TuningPoint point = better ? found.best : standard_point(axes);
    result.choice = choice_of(its.engine, its.size, axes, point);
    result.text = text_of(axes, point);
    return result;
}

} // namespace

TuneResult tune_life(const Options &options, LifeRule rule, Extent2 extent,
                     const TuneSettings &settings) {
    return tune(options, bench_case(rule, extent), settings);
}

TuneResult tune_life(const Options &options, LifeRule3 rule, Extent3 extent,
                     const TuneSettings &settings) {
    return tune(options, bench_case(rule, extent), settings);
}

TuneResult tune_physarum(const Options &options, const PhysarumParams &params, Extent2 extent,
                         const TuneSettings &settings) {
    return tune(options, bench_case(options, params, extent), settings);
}

int tuning_space() {
    return kTuningSpace;
}

bool is_valid(DeviceKind kind, const TuningChoice &choice) {
    const TuningAxes *const axes = find_axes(kind, choice.engine);
    return axes != nullptr && point_of(*axes, choice).has_value();
}

} // namespace karst::sim
