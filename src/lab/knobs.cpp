#include "lab/knobs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lab/tasks.hpp"

namespace karst::lab {

namespace {

// h, h/2, ... of a number, whole ones rounded down to 1 and each once.
std::vector<double> steps_of(const ParamInfo &info, double value,
                             const ParameterSettings &settings) {
    const double size = value < 0 ? -value : value;
    double step = settings.share * (size > 0 ? size : info.maximum - info.minimum);
    const bool whole = info.type == ParamType::integer;
    if (whole && size == 0) { // 0 of a count often has a meaning of its own
        step = 1;
    }
    std::vector<double> steps;
    for (std::int64_t i = 0; i <= settings.halvings; ++i) {
        const double rounded = whole ? std::max(std::floor(step), 1.0) : step;
        if (steps.empty() || rounded < steps.back()) {
            steps.push_back(rounded);
        }
        step /= 2;
    }
    return steps;
}

ParamValue moved(const ParamValue &value, double step) {
    if (const auto *whole = std::get_if<std::int64_t>(&value)) {
        return *whole + static_cast<std::int64_t>(step);
    }
    return std::get<double>(value) + step;
}

// The step that was really made: a sum of doubles is rounded.
double step_between(const ParamValue &from, const ParamValue &to) {
    if (const auto *whole = std::get_if<std::int64_t>(&from)) {
        return static_cast<double>(std::get<std::int64_t>(to) - *whole);
    }
    return std::get<double>(to) - std::get<double>(from);
}

void add_numbers(Knob &knob, const ParamValue &value, const ParameterSettings &settings,
                 JobChecks &checks) {
    const auto *const whole = std::get_if<std::int64_t>(&value);
    const double number = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
    const std::vector<double> steps = steps_of(*knob.info, number, settings);
    const auto add = [&](double sign) {
        std::string reason;
        for (const double step : steps) {
            const ParamValue changed = moved(value, sign * step);
            if (!checks.takes(*knob.info, changed, reason)) {
                knob.reason = knob.reason.empty() ? reason : knob.reason;
            } else if (changed != value) {
                knob.values.push_back({changed, step_between(value, changed)});
            }
        }
    };
    add(1);
    if (knob.values.empty() || (whole != nullptr && knob.values.size() == 1)) {
        add(-1);
    }
}

void add_choices(Knob &knob, const ParamValue &value, JobChecks &checks) {
    std::vector<ParamValue> all(knob.info->choices.begin(), knob.info->choices.end());
    if (knob.info->type == ParamType::boolean) {
        all = {false, true};
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::string reason;
        if (all[i] == value) {
            continue;
        }
        if (checks.takes(*knob.info, all[i], reason)) {
            knob.values.push_back({all[i], static_cast<double>(i)});
        } else {
            knob.reason = knob.reason.empty() ? reason : knob.reason;
        }
    }
}

} // namespace

bool is_refusal(const Error &error) {
    return error.code() == ErrorCode::invalid_argument || error.code() == ErrorCode::unsupported;
}

JobChecks::JobChecks(const GeneratorInfo &generator, const Job &job, const Options &options)
    : generator_(generator), job_(job), options_(options_of_task(options)) {
    options_.cancel = &from_the_start_;
    options_.memory_limit = std::numeric_limits<std::uint64_t>::max();
    options_.memory_needed = [this](std::uint64_t bytes) { bytes_ = std::max(bytes_, bytes); };
}

bool JobChecks::takes(const ParamInfo &info, const ParamValue &value, std::string &reason) {
    try {
        Job job = job_;
        job.params.set(info.name, value);
        generator_.generate(job, options_);
    } catch (const Error &error) {
        if (is_refusal(error)) {
            reason = error.what();
            return false;
        }
        if (error.code() != ErrorCode::cancelled) {
            throw;
        }
    }
    return true;
}

std::vector<Knob> find_knobs(const Job &job, const ParameterSettings &settings, JobChecks &checks) {
    for (const std::string &name : settings.only) {
        job.params.value(name); // throws for a name that is none
    }
    std::vector<Knob> knobs;
    for (const ParamInfo &info : job.params.infos()) {
        if (!settings.only.empty() && std::find(settings.only.begin(), settings.only.end(),
                                                info.name) == settings.only.end()) {
            continue;
        }
        Knob knob{&info, {}, {}};
        const ParamValue &value = job.params.value(info.name);
        switch (info.type) {
        case ParamType::real:
        case ParamType::integer:
            add_numbers(knob, value, settings, checks);
            break;
        case ParamType::boolean:
        case ParamType::choice:
            add_choices(knob, value, checks);
            break;
        case ParamType::text:
            knob.reason = info.name + " is a text";
            break;
        }
        knobs.push_back(std::move(knob));
    }
    return knobs;
}

} // namespace karst::lab
