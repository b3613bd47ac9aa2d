// Shows how far a job is: a bar on a terminal, or a line of JSON at each step for programs.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <karst/options.hpp>

namespace karst::cli {

enum class ProgressKind { none, bar, json };

// "auto" (a bar if the standard error is a terminal), "bar", "json" or "none".
ProgressKind parse_progress(std::string_view text);

// Whether the arguments ask for JSON lines, also where they are wrong otherwise, so that the error
// is a line of JSON too.
bool wants_json_progress(int argc, const char *const *argv);

// Seconds until a job ends that has come to `fraction` in `elapsed` seconds, if it goes on as
// before; nothing as long as too little is done to tell.
std::optional<double> seconds_left(double fraction, double elapsed);

// Writes to the standard error, ten times a second, when the stage changes and at the end.
class ProgressDisplay {
public:
    explicit ProgressDisplay(ProgressKind kind) : kind_(kind) {}
    ~ProgressDisplay() { clear(); }
    ProgressDisplay(const ProgressDisplay &) = delete;
    ProgressDisplay &operator=(const ProgressDisplay &) = delete;

    void show(const Progress &progress);
    // Takes the bar off the terminal, so that a message starts on a clean line.
    void clear();
    // A line for a person; only where there would be a bar.
    void note(const std::string &line);
    // What went wrong with a part of the job: "karst: TEXT", or a line of JSON.
    void problem(const std::string &text);
    // What to know of the result, whatever the kind: "karst: note: TEXT", or a line of JSON.
    void remark(const std::string &text);
    // What --verbose tells, whatever the kind: "karst: TEXT", or a line of JSON.
    void detail(const std::string &text);

private:
    void line(const char *key, const std::string &start, const std::string &text);

    ProgressKind kind_;
    bool on_screen_ = false;
    std::string stage_;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point last_;
};

} // namespace karst::cli
