#include "cli/job.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <utility>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>

#include "cli/profile.hpp"
#include "cli/signals.hpp"
#include "cli/tuning_file.hpp"
#include "cli/values.hpp"
#include "core/run.hpp"
#include "core/thread_pool.hpp"
#include "io/file.hpp"
#include "sim/devices.hpp"

namespace karst::cli {

namespace {

const ParamInfo &threads_info() {
    static const ParamInfo info{
        "threads", "", ParamType::integer, 0,
        1024,      {}, std::int64_t{0},    "CPU threads, 0: all that the process may use."};
    return info;
}

std::string flag_name(std::string name) {
    std::replace(name.begin(), name.end(), '_', '-');
    return "--" + name;
}

std::string flag_help(const ParamInfo &info) {
    return info.help + " (" + allowed(info) + ", default " + to_string(info.default_value) + ")";
}

std::string type_name(const ParamInfo &info) {
    switch (info.type) {
    case ParamType::integer:
        return "N";
    case ParamType::real:
        return "X";
    case ParamType::boolean:
    case ParamType::choice:
    case ParamType::text:
        break;
    }
    return "TEXT";
}

} // namespace

void add_output_option(CLI::App &command, std::vector<std::string> &outputs) {
    command
        .add_option("-o,--output", outputs,
                    "A file to write, - for the standard output; repeatable. Its extension is the "
                    "format, LAYER= or its name says the layer")
        ->type_name("[LAYER=]FILE")
        ->allow_extra_args(false);
}

void add_job_options(CLI::App &command, JobArguments &arguments) {
    command
        .add_option("--device", arguments.device,
                    "Where the simulations run: auto (CUDA where that is faster by an estimate), "
                    "cpu, cuda, cuda:N")
        ->type_name("DEVICE");
    command.add_option("--threads", arguments.threads, threads_info().help)->type_name("N");
    command.add_flag("--json", arguments.json, "Print a report as JSON");
    command.add_option("--report", arguments.report, "Write the report to a file")
        ->type_name("FILE");
    command
        .add_option("--progress", arguments.progress,
                    "On the standard error: auto, bar, json (a line each), none")
        ->type_name("KIND");
    command.add_flag("--quiet", arguments.quiet, "No progress and no notes");
    command.add_flag("--verbose", arguments.verbose,
                     "Tell parameters, memory, and the device and seconds of each stage on the "
                     "standard error");
}

void claim_reports(Claims &claims, const JobArguments &arguments) {
    claims.report(arguments.report, arguments.json);
    if (!arguments.trace.empty()) {
        claims.file(arguments.trace, "--trace " + arguments.trace);
    }
}

void add_profile_options(CLI::App &command, JobArguments &arguments) {
    command.add_flag("--profile-stages", arguments.profile_stages,
                     "Print a table of stages and kernels on the standard error; kernels are then "
                     "launched one by one");
    command
        .add_option("--trace", arguments.trace,
                    "Write when stages and kernels ran, for Perfetto or chrome://tracing")
        ->type_name("FILE.json");
}

ParameterFlags::ParameterFlags(CLI::App &command, std::span<const ParamInfo> infos,
                               std::span<const ParamInfo> volume_infos) {
    const auto named = [](std::span<const ParamInfo> list, const std::string &name) {
        return std::find_if(list.begin(), list.end(),
                            [&name](const ParamInfo &info) { return info.name == name; });
    };
    for (const auto &info : infos) {
        const auto other = named(volume_infos, info.name);
        const bool differs =
            other != volume_infos.end() && other->default_value != info.default_value;
        add(command, info, "Parameters",
            differs ? " Default of volumes " + to_string(other->default_value) + "." : "");
    }
    for (const auto &info : volume_infos) {
        if (named(infos, info.name) == infos.end()) {
            add(command, info, "Parameters of volumes", "");
        }
    }
}

void ParameterFlags::add(CLI::App &command, const ParamInfo &info, const std::string &group,
                         const std::string &more) {
    const std::string help = flag_help(info) + more;
    const std::string name = flag_name(info.name);
    Flag &flag = flags_.emplace_back(Flag{info.name, {}});
    flag.option = info.type == ParamType::boolean
                      ? command.add_flag(name, flag.text, help)
                      : command.add_option(name, flag.text, help)->type_name(type_name(info));
    flag.option->group(group);
}

std::vector<std::string> ParameterFlags::given() const {
    std::vector<std::string> list;
    for (const auto &flag : flags_) {
        if (flag.option->count() > 0) {
            list.push_back(flag.name + "=" + flag.text);
        }
    }
    return list;
}

void take_best_device(JobArguments &arguments) {
    if (arguments.device == to_string(Device{DeviceKind::automatic})) {
        arguments.device = to_string(best_device());
    }
}

nlohmann::ordered_json json_of(const DeviceChoice &choice) {
    nlohmann::ordered_json object{{"device", to_string(choice.device)},
                                  {"reason", choice.reason},
                                  {"cpu_seconds", choice.cpu_seconds}};
    if (choice.cuda_seconds > 0) {
        object["cuda_seconds"] = choice.cuda_seconds;
    }
    return object;
}

RunningJob::RunningJob(const JobArguments &arguments, std::size_t jobs)
    : arguments_(arguments),
      display_(arguments.quiet ? ProgressKind::none : parse_progress(arguments.progress)) {
    if (arguments.quiet && arguments.verbose) {
        throw Error(ErrorCode::invalid_argument,
                    "--quiet and --verbose together; allowed is one of them");
    }
    options_.threads = static_cast<int>(parse_integer(threads_info(), arguments.threads));
    options_.device = parse_device(arguments.device);
    options_.choices = &choices_;
    options_.jobs = static_cast<std::int64_t>(std::max<std::size_t>(1, jobs));
    options_.cancel = &cancel_switch();
    options_.stages = &stages_;
    if (arguments.profile_stages || !arguments.trace.empty()) {
        options_.kernels = &kernels_;
    }
    options_.digests = &digests_;
    options_.notes = &notes_;
    options_.memory_needed = [this](std::uint64_t bytes) {
        std::uint64_t known = memory_needed_;
        while (bytes > known && !memory_needed_.compare_exchange_weak(known, bytes)) {
        }
    };
    options_.progress = [this](const Progress &progress) {
        tell();
        display_.show(progress);
    };
    options_.tuning = [this](Device device) { return tuning_of(device, options_.threads); };
}

const Tuning *RunningJob::tuning_of(Device device, int threads) {
    const std::lock_guard lock(tuning_mutex_);
    const auto known = std::find_if(tunings_.begin(), tunings_.end(), [&](const auto &its) {
        return its.device == device && its.threads == threads;
    });
    if (known != tunings_.end()) {
        return known->tuning.choices.empty() ? nullptr : &known->tuning;
    }
    Tuning &tuning = tunings_.emplace_back(DeviceTuning{device, threads, {}}).tuning;
    const std::string path = tuning_path();
    if (!has_tuning(path)) {
        return nullptr;
    }
    const DeviceKey key = sim::device_key(device, threads);
    LoadedTuning loaded = load_tuning(path, device.kind, key);
    for (const std::string &note : loaded.notes) {
        tuning_details_.push_back("tuning: " + note);
    }
    if (loaded.tuning.choices.empty()) {
        return nullptr;
    }
    tuning = std::move(loaded.tuning);
    tuning_file_ = path;
    tuning_details_.push_back("tuning: " + path + " has " + std::to_string(tuning.choices.size()) +
                              " for " + key.name);
    return &tuning;
}

Device RunningJob::device() const {
    return choices_.empty() ? options_.device : choices_.back().device;
}

void RunningJob::detail(const std::string &text) {
    if (arguments_.verbose) {
        display_.detail(text);
    }
}

void RunningJob::details(std::string_view what, const io::Parameters &parameters) {
    const int threads = options_.threads > 0 ? options_.threads : core::usable_threads();
    detail(std::string(what) + " on " + to_string(options_.device) + ", " +
           std::to_string(threads) + (threads == 1 ? " thread" : " threads"));
    for (const auto &[name, value] : parameters) {
        detail(name + " = " + to_string(value));
    }
}

void RunningJob::tell() {
    if (const std::uint64_t needed = memory_needed_; needed > told_memory_) {
        told_memory_ = needed;
        detail("memory: " + core::gibibytes(needed) + " needed, " +
               core::gibibytes(core::available_memory()) + " free");
    }
    {
        const std::lock_guard lock(tuning_mutex_);
        for (const std::string &text : std::exchange(tuning_details_, {})) {
            detail(text);
        }
    }
    for (; told_choices_ < choices_.size(); ++told_choices_) {
        const DeviceChoice &choice = choices_[told_choices_];
        detail("device: " + to_string(choice.device) + ", " + choice.reason);
    }
    for (; told_stages_ < stages_.size(); ++told_stages_) {
        const StageTime &stage = stages_[told_stages_];
        char seconds[32];
        std::snprintf(seconds, sizeof seconds, "%.3f s", stage.seconds);
        detail(stage.stage + ": " + seconds + " on " + stage.device);
    }
}

void RunningJob::remark(const std::string &text) {
    if (!arguments_.quiet) {
        display_.remark(text);
    }
}

void RunningJob::tell_profile() {
    if (arguments_.profile_stages) {
        const double rate = kernels_.empty() ? 0 : sim::copy_rate(device(), options_.threads);
        std::fputs(profile_table(stages_, kernels_, rate).c_str(), stderr);
    }
    if (!arguments_.trace.empty()) {
        io::OutputFiles files(&cancel_switch());
        io::OutputFile &file = files.add(arguments_.trace);
        file.write(trace_text(stages_, kernels_));
        file.finish();
        files.commit();
        display_.note("wrote " + arguments_.trace);
    }
}

void RunningJob::report(nlohmann::ordered_json result, std::span<const Output> outputs) {
    tell();
    display_.clear();
    for (const auto &output : outputs) {
        display_.note("wrote " + output.path + " (" + output.layer + ")");
    }
    for (const auto &note : notes_) {
        remark(note);
    }
    tell_profile();
    if (!has_report()) {
        return;
    }
    nlohmann::ordered_json report{{"karst", KARST_VERSION},
                                  {"algorithm_version", KARST_ALGORITHM_VERSION}};
    report.update(result);
    report["device"] = to_string(device());
    if (!choices_.empty()) {
        report["device_choice"] = json_of(choices_.back());
    }
    if (!tuning_file_.empty()) {
        report["tuning"] = tuning_file_;
    }
    report["threads"] = options_.threads > 0 ? options_.threads : core::usable_threads();
    report["seconds"] =
        std::accumulate(stages_.begin(), stages_.end(), 0.0,
                        [](double sum, const StageTime &stage) { return sum + stage.seconds; });
    report["stages"] = nlohmann::ordered_json::array();
    for (const auto &stage : stages_) {
        report["stages"].push_back(stage_json(stage, kernels_));
    }
    report["notes"] = notes_;
    report["outputs"] = nlohmann::ordered_json::array();
    for (const auto &output : outputs) {
        report["outputs"].push_back({{"layer", output.layer}, {"file", output.path}});
    }
    const std::string text =
        report.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    if (!arguments_.report.empty()) {
        io::write_file(arguments_.report, text);
    }
    if (arguments_.json) {
        print(text);
    }
}

void require_result(const JobArguments &arguments, std::span<const std::string> outputs) {
    if (outputs.empty() && !arguments.json && arguments.report.empty()) {
        throw Error(ErrorCode::invalid_argument,
                    "nothing to do; allowed is -o [LAYER=]FILE, --json or --report FILE");
    }
}

} // namespace karst::cli
