#include "lab/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <span>
#include <utility>

#include <karst/error.hpp>

#include "lab/knobs.hpp"
#include "lab/layer_distance.hpp"
#include "lab/real.hpp"
#include "lab/require.hpp"
#include "lab/tasks.hpp"

namespace karst::lab {

namespace {

constexpr std::size_t kPlateau = 3; // neighbouring derivatives that must agree,
constexpr double kAgree = 0.25;     // each this near their mean

void require_settings(const ParameterSettings &its) {
    require_within("seeds", its.seeds, 2, 1000);
    require_within("halvings", its.halvings, 0, 20);
    if (!(its.share > 0 && its.share <= 1)) {
        throw Error(ErrorCode::invalid_argument,
                    "share is " + to_string(ParamValue(its.share)) + "; allowed is above 0 to 1");
    }
}

// Runs the generator and keeps one layer.
class Runner {
public:
    Runner(const GeneratorInfo &generator, const Job &job, const std::string &layer,
           const ParameterSettings &settings, const Options &options)
        : generator_(generator), job_(job), layer_(layer), settings_(settings),
          options_(options_of_task(options)) {
        options_.cache = options.cache;
        job_.layers = {layer};
    }

    // Of the job with a changed parameter, or as it is.
    Layer operator()(std::int64_t seed, const ParamInfo *info, const ParamValue &value) const {
        struct AtEnd {
            const std::function<void()> &f;
            ~AtEnd() {
                if (f) {
                    f();
                }
            }
        } const at_end{settings_.run_ended};
        Job job = job_;
        job.seed += static_cast<std::uint64_t>(seed);
        if (info != nullptr) {
            job.params.set(info->name, value);
        }
        Artifact artifact = generator_.generate(job, options_);
        for (Layer &layer : artifact.layers) {
            if (layer.name == layer_) {
                return std::move(layer);
            }
        }
        throw Error(ErrorCode::invalid_argument, "there is no layer " + layer_);
    }

private:
    const GeneratorInfo &generator_;
    Job job_;
    std::string layer_;
    const ParameterSettings &settings_;
    Options options_;
};

ParameterVerdict verdict_of(const ParameterRow &row) {
    if (row.changed.empty()) {
        return ParameterVerdict::cannot_change;
    }
    if (std::all_of(row.distance.begin(), row.distance.end(),
                    [](const Mean &its) { return its.value == 0; })) {
        return ParameterVerdict::no_effect;
    }
    const bool number = row.type == ParamType::real || row.type == ParamType::integer;
    if (!number || row.derivative.size() < kPlateau) {
        return ParameterVerdict::jump;
    }
    for (std::size_t first = 0; first + kPlateau <= row.derivative.size(); ++first) {
        const auto some = std::span(row.derivative).subspan(first, kPlateau);
        double mean = 0;
        for (const double derivative : some) {
            mean += derivative / kPlateau;
        }
        if (mean > 0 && std::all_of(some.begin(), some.end(), [mean](double derivative) {
                return std::abs(derivative - mean) <= kAgree * mean;
            })) {
            return ParameterVerdict::plateau;
        }
    }
    return ParameterVerdict::jump;
}

std::optional<double> order_of(const ParameterRow &row) {
    if (row.type != ParamType::real && row.type != ParamType::integer) {
        return std::nullopt;
    }
    double x = 0, y = 0, xx = 0, xy = 0;
    std::vector<std::pair<double, double>> points;
    for (std::size_t i = 0; i < row.steps.size(); ++i) {
        const double distance = row.distance[i].value;
        if (distance > 0) {
            points.emplace_back(logarithm(std::abs(row.steps[i])), logarithm(distance));
        }
    }
    const auto n = static_cast<double>(points.size());
    for (const auto &[its_x, its_y] : points) {
        x += its_x / n;
        y += its_y / n;
    }
    for (const auto &[its_x, its_y] : points) {
        xx += (its_x - x) * (its_x - x);
        xy += (its_x - x) * (its_y - y);
    }
    return xx > 0 ? std::optional(xy / xx) : std::nullopt;
}

// What a row says, from its steps and distances.
void conclude(ParameterRow &row, double confidence) {
    for (std::size_t i = 0; i < row.steps.size(); ++i) {
        const bool number = row.type == ParamType::real || row.type == ParamType::integer;
        row.derivative.push_back(row.distance[i].value / (number ? std::abs(row.steps[i]) : 1));
    }
    row.verdict = verdict_of(row);
    row.order = order_of(row);
    if (row.changed.empty()) {
        return;
    }
    std::size_t strongest = 0;
    const bool halved = row.steps.size() > 1 && row.steps[0] != -row.steps[1] &&
                        (row.type == ParamType::real || row.type == ParamType::integer);
    for (std::size_t i = 1; !halved && i < row.steps.size(); ++i) {
        strongest = row.distance[i].value > row.distance[strongest].value ? i : strongest;
    }
    const Interval bounds = row.distance[strongest].interval(confidence);
    row.effect = row.distance[strongest].value;
    row.low = std::max(bounds.low, 0.0);
    row.high = bounds.high;
}

void rank(std::vector<ParameterRow> &rows) {
    std::stable_sort(rows.begin(), rows.end(), [](const ParameterRow &a, const ParameterRow &b) {
        return a.effect && (!b.effect || *a.effect > *b.effect);
    });
    std::int64_t place = 0;
    for (ParameterRow &row : rows) {
        row.rank = row.effect ? ++place : 0;
    }
}

std::int64_t runs_of(std::span<const Knob> knobs, std::int64_t seeds) {
    std::size_t values = 1;
    for (const Knob &knob : knobs) {
        values += knob.values.size();
    }
    return seeds * static_cast<std::int64_t>(values);
}

} // namespace

const char *name_of(ParameterVerdict verdict) {
    constexpr const char *kNames[] = {"plateau", "jump", "no effect", "cannot change"};
    return kNames[static_cast<int>(verdict)];
}

const LayerInfo &compared_layer(const GeneratorInfo &generator, std::string_view name) {
    std::string names;
    for (const LayerInfo &layer : generator.layers) {
        if (layer.kind != LayerKind::map && layer.kind != LayerKind::volume) {
            continue;
        }
        if (name.empty() || layer.name == name) {
            return layer;
        }
        names += (names.empty() ? "" : ", ") + layer.name;
    }
    throw Error(ErrorCode::invalid_argument,
                "layer is '" + std::string(name) + "'; allowed is one of " + names);
}

ParameterPlan plan_parameters(const GeneratorInfo &generator, const Job &job,
                              const ParameterSettings &settings, const Options &options) {
    require_settings(settings);
    compared_layer(generator, settings.layer);
    JobChecks checks(generator, job, options);
    const auto knobs = find_knobs(job, settings, checks);
    return {runs_of(knobs, settings.seeds), checks.bytes()};
}

ParameterReport measure_parameters(const GeneratorInfo &generator, const Job &job,
                                   const ParameterSettings &settings, const Options &options) try {
    require_settings(settings);
    ParameterReport report;
    report.generator = generator.name;
    report.layer = compared_layer(generator, settings.layer).name;
    report.seeds = settings.seeds;
    JobChecks checks(generator, job, options);
    const std::vector<Knob> knobs = find_knobs(job, settings, checks);
    report.runs = runs_of(knobs, settings.seeds);

    Options all = options;
    all.jobs = report.runs;
    core::Run run(all);
    const auto threads = static_cast<std::uint64_t>(run.executor().concurrency());
    core::require_memory(checks.bytes() * threads, "running this generator on all threads",
                         options);
    const Runner make(generator, job, report.layer, settings, all);
    const auto seeds = static_cast<std::size_t>(settings.seeds);
    const double base_share =
        static_cast<double>(settings.seeds) / static_cast<double>(report.runs);

    run.stage("unchanged", base_share);
    std::vector<Layer> bases(seeds);
    for_each_task(run, settings.seeds, [&](std::int64_t i) {
        bases[static_cast<std::size_t>(i)] = make(i, nullptr, false);
    });
    double sum = 0;
    for (std::size_t i = 0; i < seeds; ++i) {
        for (std::size_t j = i + 1; j < seeds; ++j) {
            sum += layer_distance(bases[i], bases[j]);
        }
    }
    report.independent = sum / (static_cast<double>(seeds * (seeds - 1)) / 2);
    if (!(report.independent > 0)) {
        throw Error(ErrorCode::unsupported,
                    "the layer " + report.layer +
                        " is the same for every seed, so that there is nothing to compare with; "
                        "allowed is a layer that a seed changes");
    }

    struct Trial {
        const Knob *knob;
        const KnobValue *value;
        std::vector<double> distances;
        std::vector<std::string> refusals;
    };
    std::vector<Trial> trials;
    for (const Knob &knob : knobs) {
        for (const KnobValue &value : knob.values) {
            trials.push_back(
                {&knob, &value, std::vector<double>(seeds), std::vector<std::string>(seeds)});
        }
    }
    run.stage("changed", 1 - base_share);
    for_each_task(run, static_cast<std::int64_t>(trials.size() * seeds), [&](std::int64_t task) {
        Trial &trial = trials[static_cast<std::size_t>(task) / seeds];
        const std::size_t seed = static_cast<std::size_t>(task) % seeds;
        try {
            const Layer layer =
                make(static_cast<std::int64_t>(seed), trial.knob->info, trial.value->value);
            trial.distances[seed] = layer_distance(bases[seed], layer) / report.independent;
        } catch (const Error &error) { // what the checks before a run do not see
            if (!is_refusal(error)) {
                throw;
            }
            trial.refusals[seed] = error.what();
        }
    });

    for (const Knob &knob : knobs) {
        ParameterRow row;
        row.name = knob.info->name;
        row.unit = knob.info->unit;
        row.type = knob.info->type;
        row.value = job.params.value(knob.info->name);
        row.reason = knob.reason;
        for (const Trial &trial : trials) {
            if (trial.knob != &knob) {
                continue;
            }
            const auto refusal = std::find_if(trial.refusals.begin(), trial.refusals.end(),
                                              [](const std::string &its) { return !its.empty(); });
            if (refusal != trial.refusals.end()) {
                row.reason = row.reason.empty() ? *refusal : row.reason;
                continue;
            }
            row.changed.push_back(trial.value->value);
            row.steps.push_back(trial.value->step);
            row.distance.push_back(mean_of(trial.distances));
        }
        conclude(row, settings.confidence);
        report.rows.push_back(std::move(row));
    }
    rank(report.rows);
    run.finish();
    return report;
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}

} // namespace karst::lab
