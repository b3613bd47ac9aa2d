// The options that every command with a simulation shares.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <nlohmann/json_fwd.hpp>

#include <karst/options.hpp>
#include <karst/params.hpp>
#include <karst/tuning.hpp>

#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "core/run.hpp"

namespace karst::cli {

struct JobArguments {
    std::string device = "auto";
    std::string threads = "0";
    std::string progress = "auto";
    std::string report;
    bool json = false;
    bool quiet = false;
    bool verbose = false;
    bool profile_stages = false;
    std::string trace;
};

void add_job_options(CLI::App &command, JobArguments &arguments);
// For commands that measure a device: auto is the first CUDA device, or the CPU where there is
// none.
void take_best_device(JobArguments &arguments);
// What a job writes besides its outputs.
void claim_reports(Claims &claims, const JobArguments &arguments);
// Of commands that run one job.
void add_profile_options(CLI::App &command, JobArguments &arguments);

// A flag for each parameter: "--sensor-angle 30", and "--birth-time" for a boolean.
class ParameterFlags {
public:
    // `volume_infos` are those of the same command with three numbers. A parameter of both is
    // offered once.
    ParameterFlags(CLI::App &command, std::span<const ParamInfo> infos,
                   std::span<const ParamInfo> volume_infos);
    // "NAME=TEXT" of the flags that were given, in the order of the tables.
    std::vector<std::string> given() const;

private:
    struct Flag {
        std::string name;
        std::string text;
        CLI::Option *option = nullptr;
    };

    void add(CLI::App &command, const ParamInfo &info, const std::string &group,
             const std::string &more);

    std::deque<Flag> flags_; // the parser keeps references to the texts
};

// A command's own options, as typed, become a running job: Options with the cancel switch, the
// progress display and the stage times.
class RunningJob {
public:
    // `jobs` as Options::jobs.
    explicit RunningJob(const JobArguments &arguments, std::size_t jobs = 1);

    const Options &options() const noexcept { return options_; }
    std::vector<StageTime> &stages() noexcept { return stages_; }
    const std::vector<StageDigest> &digests() const noexcept { return digests_; }
    ProgressDisplay &display() noexcept { return display_; }

    // What to know of the result; nothing with --quiet.
    void remark(const std::string &text);
    // One line on the standard error if --verbose was given.
    void detail(const std::string &text);
    // The same for what a job was asked to do.
    void details(std::string_view what, const io::Parameters &parameters);

    // Of a device and, on the CPU, so many threads; read when it is first asked for. Null: there is
    // none. Any thread may call it.
    const Tuning *tuning_of(Device device, int threads);

    // f(), as a stage of the report.
    template <class F>
    auto timed(const std::string &stage, F &&f) {
        const double begin = core::clock_seconds();
        auto result = f();
        stages_.push_back(
            {stage, to_string(options_.device), core::clock_seconds() - begin, begin});
        return result;
    }

    // Adds what every report holds (versions, device, threads, stages, notes, outputs), prints the
    // report for --json and writes it for --report. Tells the notes unless --quiet.
    void report(nlohmann::ordered_json result, std::span<const Output> outputs);
    // Whether it does anything with the result.
    bool has_report() const noexcept { return arguments_.json || !arguments_.report.empty(); }

private:
    struct DeviceTuning {
        Device device;
        int threads;
        Tuning tuning;
    };

    // Where the simulations ran; automatic if none told it.
    Device device() const;
    // With --verbose: what became known since the last call.
    void tell();
    // With --profile-stages and --trace: where the time went.
    void tell_profile();

    const JobArguments &arguments_;
    ProgressDisplay display_;
    std::vector<StageTime> stages_;
    std::vector<KernelTime> kernels_;
    std::vector<DeviceChoice> choices_;
    std::vector<StageDigest> digests_;
    std::size_t told_choices_ = 0;
    std::size_t told_stages_ = 0;
    std::atomic<std::uint64_t> memory_needed_{0}; // assets may run beside each other
    std::uint64_t told_memory_ = 0;
    std::vector<std::string> notes_;
    std::mutex tuning_mutex_; // of the next three
    std::deque<DeviceTuning> tunings_;
    std::vector<std::string> tuning_details_; // not yet told
    std::string tuning_file_;                 // empty: engines use defaults
    Options options_;
};

// As reports have it: device, reason, estimated seconds.
nlohmann::ordered_json json_of(const DeviceChoice &choice);

// -o, with the text that every command has for it.
void add_output_option(CLI::App &command, std::vector<std::string> &outputs);

// Throws Error(invalid_argument) if there is nothing to do: no -o, no --json, no --report.
void require_result(const JobArguments &arguments, std::span<const std::string> outputs);

} // namespace karst::cli
