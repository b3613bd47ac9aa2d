#include "cli/progress.hpp"

#include <cstdio>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include <karst/error.hpp>

namespace karst::cli {

ProgressKind parse_progress(std::string_view text) {
    if (text == "auto") {
        return ::isatty(STDERR_FILENO) != 0 ? ProgressKind::bar : ProgressKind::none;
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

void ProgressDisplay::show(const Progress &progress) {
    const auto now = std::chrono::steady_clock::now();
    const bool between = progress.stage == stage_ && progress.fraction < 1 &&
                         now - last_ < std::chrono::milliseconds(100);
    if (kind_ == ProgressKind::none || between) {
        return;
    }
    last_ = now;
    stage_ = progress.stage;
    if (kind_ == ProgressKind::json) {
        const nlohmann::ordered_json line{{"stage", stage_}, {"fraction", progress.fraction}};
        std::fputs((line.dump() + "\n").c_str(), stderr);
        return;
    }
    constexpr std::size_t kWidth = 30;
    const auto full = static_cast<std::size_t>(progress.fraction * kWidth);
    const std::string bar = std::string(full, '#') + std::string(kWidth - full, '.');
    std::fprintf(stderr, "\r[%s] %3d %% %s\033[K", bar.c_str(),
                 static_cast<int>(progress.fraction * 100), stage_.c_str());
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

void ProgressDisplay::line(const char *key, const std::string &start, const std::string &text) {
    clear();
    const std::string whole =
        kind_ == ProgressKind::json ? nlohmann::ordered_json{{key, text}}.dump() : start + text;
    std::fputs((whole + "\n").c_str(), stderr);
}

} // namespace karst::cli
