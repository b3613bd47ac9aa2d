#include "cli/profile.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include <nlohmann/json.hpp>

namespace karst::cli {

namespace {

using Json = nlohmann::ordered_json;

// All launches of one kernel in one stage.
struct KernelSum {
    std::string kernel;
    std::string device;
    std::vector<double> seconds; // of each launch, in their order
    std::uint64_t bytes = 0;
    std::uint32_t steps = 0;

    double total() const {
        double sum = 0;
        for (const double each : seconds) {
            sum += each;
        }
        return sum;
    }
    // Of the launches after the first, or of the only one.
    double median() const {
        std::vector<double> later(seconds.begin() + (seconds.size() > 1 ? 1 : 0), seconds.end());
        const auto middle = later.begin() + static_cast<std::ptrdiff_t>(later.size() / 2);
        std::nth_element(later.begin(), middle, later.end());
        return *middle;
    }
};

bool is_in(const StageTime &stage, const KernelTime &kernel) {
    return kernel.begin >= stage.begin && kernel.begin < stage.begin + stage.seconds;
}

std::vector<KernelSum> sums_in(const StageTime &stage, std::span<const KernelTime> kernels) {
    std::vector<KernelSum> sums;
    for (const KernelTime &kernel : kernels) {
        if (!is_in(stage, kernel)) {
            continue;
        }
        auto sum = std::find_if(sums.begin(), sums.end(), [&](const KernelSum &known) {
            return known.kernel == kernel.kernel && known.device == kernel.device;
        });
        if (sum == sums.end()) {
            sum = sums.insert(sum, KernelSum{kernel.kernel, kernel.device, {}, 0, 0});
        }
        sum->seconds.push_back(kernel.seconds);
        sum->bytes += kernel.bytes;
        sum->steps += kernel.steps;
    }
    return sums;
}

std::size_t launches_of(std::span<const KernelSum> sums) {
    std::size_t launches = 0;
    for (const KernelSum &sum : sums) {
        launches += sum.seconds.size();
    }
    return launches;
}

// Of the simulation; each is counted by one of its kernels.
std::uint32_t steps_of(std::span<const KernelSum> sums) {
    std::uint32_t steps = 0;
    for (const KernelSum &sum : sums) {
        steps += sum.steps;
    }
    return steps;
}

double a_step(std::size_t launches, std::uint32_t steps) {
    return static_cast<double>(launches) / steps;
}

std::string line(const char *format, auto... values) {
    char text[256];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

// "      12   1.20", launches in all and a step; nothing where there are none.
std::string launches_text(std::size_t launches, std::uint32_t steps) {
    return (launches > 0 ? line(" %8zu", launches) : line(" %8s", "")) +
           (launches > 0 && steps > 0 ? line(" %6.2f", a_step(launches, steps)) : line(" %6s", ""));
}

std::string kernel_line(const KernelSum &sum, std::uint32_t steps, double whole, double copy_rate) {
    const double total = sum.total();
    const double rate = total > 0 ? static_cast<double>(sum.bytes) / total : 0;
    std::string text = line("  %-26s %-7s", sum.kernel.substr(0, 26).c_str(), sum.device.c_str()) +
                       launches_text(sum.seconds.size(), steps) +
                       line(" %10.3f %6.1f%% %9.4f %9.4f", total * 1e3, 100 * total / whole,
                            sum.seconds.front() * 1e3, sum.median() * 1e3);
    if (sum.bytes > 0) {
        text += line(" %9.1f", rate / 1e9);
        text += copy_rate > 0 ? line(" %6.0f%%", 100 * rate / copy_rate) : "";
    }
    return text + "\n";
}

} // namespace

std::string profile_table(std::span<const StageTime> stages, std::span<const KernelTime> kernels,
                          double copy_rate) {
    double whole = 0;
    for (const StageTime &stage : stages) {
        whole += stage.seconds;
    }
    whole = std::max(whole, 1e-9);
    std::string text =
        line("%-28s %-7s %8s %6s %10s %7s %9s %9s %9s %7s\n", "stage, kernel", "device", "launches",
             "a step", "ms", "share", "first", "median", "GB/s", "of copy");
    for (const StageTime &stage : stages) {
        const std::vector<KernelSum> sums = sums_in(stage, kernels);
        const std::uint32_t steps = steps_of(sums);
        text += line("%-28s %-7s", stage.stage.substr(0, 28).c_str(), stage.device.c_str()) +
                launches_text(launches_of(sums), steps) +
                line(" %10.3f %6.1f%%\n", stage.seconds * 1e3, 100 * stage.seconds / whole);
        for (const KernelSum &sum : sums) {
            text += kernel_line(sum, steps, whole, copy_rate);
        }
    }
    text += line("%-28s %-7s %8s %6s %10.3f\n", "all", "", "", "", whole * 1e3);
    if (copy_rate > 0) {
        text += line("a copy reads and writes %.1f GB/s there\n", copy_rate / 1e9);
    }
    return text;
}

Json stage_json(const StageTime &stage, std::span<const KernelTime> kernels) {
    Json object{{"stage", stage.stage}, {"device", stage.device}, {"seconds", stage.seconds}};
    const std::vector<KernelSum> sums = sums_in(stage, kernels);
    if (sums.empty()) {
        return object;
    }
    const std::uint32_t steps = steps_of(sums);
    const auto add_launches = [steps](Json &to, std::size_t launches) {
        to["launches"] = launches;
        if (steps > 0) {
            to["launches_a_step"] = a_step(launches, steps);
        }
    };
    object["steps"] = steps;
    add_launches(object, launches_of(sums));
    for (const KernelSum &sum : sums) {
        Json kernel{{"kernel", sum.kernel}, {"device", sum.device}};
        add_launches(kernel, sum.seconds.size());
        kernel["seconds"] = sum.total();
        kernel["first_seconds"] = sum.seconds.front();
        kernel["median_seconds"] = sum.median();
        kernel["bytes"] = sum.bytes;
        object["kernels"].push_back(std::move(kernel));
    }
    return object;
}

std::string trace_text(std::span<const StageTime> stages, std::span<const KernelTime> kernels) {
    double start = 0;
    for (const StageTime &stage : stages) {
        start = start == 0 ? stage.begin : std::min(start, stage.begin);
    }
    Json events = Json::array();
    std::map<std::string, int> rows; // 1: the stages, then the devices of kernels
    const auto row = [&](const std::string &name) {
        const auto [at, added] = rows.emplace(name, static_cast<int>(rows.size()) + 1);
        if (added) {
            events.push_back({{"name", "thread_name"},
                              {"ph", "M"},
                              {"pid", 1},
                              {"tid", at->second},
                              {"args", {{"name", name}}}});
        }
        return at->second;
    };
    const auto span = [&](const std::string &name, int thread, double begin, double seconds) {
        return Json{{"name", name},
                    {"ph", "X"},
                    {"pid", 1},
                    {"tid", thread},
                    {"ts", (begin - start) * 1e6},
                    {"dur", seconds * 1e6}};
    };
    for (const StageTime &stage : stages) {
        Json event = span(stage.stage, row("stages"), stage.begin, stage.seconds);
        event["args"] = {{"device", stage.device}};
        events.push_back(std::move(event));
    }
    for (const KernelTime &kernel : kernels) {
        const int thread = row("kernels on " + kernel.device);
        Json event = span(kernel.kernel, thread, kernel.begin, kernel.seconds);
        event["args"] = {{"bytes", kernel.bytes}};
        events.push_back(std::move(event));
    }
    return Json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}}.dump() + "\n";
}

} // namespace karst::cli
