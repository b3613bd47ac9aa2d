#include "cli/progress.hpp"

#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>

#include "cli/system.hpp"

namespace karst::cli {

ProgressKind parse_progress(std::string_view text) {
    if (text == "auto") {
        return system::error_is_terminal() ? ProgressKind::bar : ProgressKind::none;
    }
    if (text == "bar") {
        return ProgressKind::bar;
    }
    if (text == "json") {
        return ProgressKind::json;
    }
    if (text == "none") {
        return ProgressKind::none;
    }
    throw Error(ErrorCode::invalid_argument,
                "progress is '" + std::string(text) + "'; allowed is one of auto, bar, json, none");
}

bool wants_json_progress(int argc, const char *const *argv) {
    bool wanted = false;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--progress" && i + 1 < argc) {
            wanted = std::string_view(argv[i + 1]) == "json";
        } else if (argument.starts_with("--progress=")) {
            wanted = argument == "--progress=json";
        }
    }
    return wanted;
}

std::optional<double> seconds_left(double fraction, double elapsed) {
    constexpr double kLeastFraction = 0.01;
    constexpr double kLeastSeconds = 0.2;
    if (fraction >= 1) {
        return 0;
    }
    if (fraction < kLeastFraction || elapsed < kLeastSeconds) {
        return std::nullopt;
    }
    return elapsed * (1 - fraction) / fraction;
}

void ProgressDisplay::show(const Progress &progress) {
    const auto now = std::chrono::steady_clock::now();
    const bool between = progress.stage == stage_ && progress.fraction < 1 &&
                         now - last_ < std::chrono::milliseconds(100);
    if (kind_ == ProgressKind::none || between) {
        return;
    }
    last_ = now;
    stage_ = progress.stage;
    const std::chrono::duration<double> elapsed = now - start_;
    const auto left = seconds_left(progress.fraction, elapsed.count());
    if (kind_ == ProgressKind::json) {
        nlohmann::ordered_json line{{"stage", stage_}, {"fraction", progress.fraction}};
        line["eta"] = left ? nlohmann::ordered_json(std::round(*left * 10) / 10) : nullptr;
        std::fputs((line.dump() + "\n").c_str(), stderr);
        return;
    }
    constexpr std::size_t kWidth = 30;
    const auto full = static_cast<std::size_t>(progress.fraction * kWidth);
    const std::string bar = std::string(full, '#') + std::string(kWidth - full, '.');
    const std::string rest =
        left && *left >= 1 ? ", " + std::to_string(static_cast<std::int64_t>(*left)) + " s left"
                           : "";
    std::fprintf(stderr, "\r[%s] %3d %% %s%s\033[K", bar.c_str(),
                 static_cast<int>(progress.fraction * 100), stage_.c_str(), rest.c_str());
    on_screen_ = true;
}

void ProgressDisplay::clear() {
    if (on_screen_) {
        std::fputs("\r\033[K", stderr);
        on_screen_ = false;
    }
}

void ProgressDisplay::note(const std::string &line) {
    if (kind_ == ProgressKind::bar) {
        clear();
        std::fputs((line + "\n").c_str(), stderr);
    }
}

void ProgressDisplay::problem(const std::string &text) {
    line("error", "karst: ", text);
}

void ProgressDisplay::remark(const std::string &text) {
    line("note", "karst: note: ", text);
}

void ProgressDisplay::detail(const std::string &text) {
    line("detail", "karst: ", text);
}

void ProgressDisplay::line(const char *key, const std::string &start, const std::string &text) {
    clear();
    const std::string whole =
        kind_ == ProgressKind::json ? nlohmann::ordered_json{{key, text}}.dump() : start + text;
    std::fputs((whole + "\n").c_str(), stderr);
}

} // namespace karst::cli
