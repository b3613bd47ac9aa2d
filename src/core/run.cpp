#include "core/run.hpp"

#include <chrono>
#include <cstdio>
#include <utility>

#include "core/thread_pool.hpp"

namespace karst::core {

Run::Run(const Options &options) : options_(options), executor_(options.executor) {
    if (options.threads < 0) {
        throw Error(ErrorCode::invalid_argument,
                    "threads is " + std::to_string(options.threads) +
                        "; allowed is 1 or more, or 0 for all that the process may use");
    }
    if (executor_ == nullptr) {
        const int threads = options.threads > 0 ? options.threads : usable_threads();
        own_ = std::make_unique<ThreadPool>(threads);
        executor_ = own_.get();
    }
}

Run::~Run() = default;

void Run::stage(std::string_view name, double share, Device device) {
    check_cancel();
    finish();
    stage_ = name;
    stage_device_ = to_string(device);
    stage_share_ = share;
    stage_start_ = clock_seconds();
    range_.emplace(stage_.c_str());
    advance(0);
}

void Run::check_cancel() const {
    if (options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed)) {
        throw Error(ErrorCode::cancelled,
                    stage_.empty() ? "cancelled" : "cancelled during " + stage_);
    }
}

void Run::advance(double fraction_of_stage) {
    check_cancel();
    report(std::min(1.0, stage_start_fraction_ + stage_share_ * fraction_of_stage));
}

void Run::note(std::string text) const {
    if (options_.notes != nullptr) {
        options_.notes->push_back(std::move(text));
    }
}

void Run::add_digest(std::uint64_t digest) const {
    options_.digests->push_back({stage_, digest});
}

void Run::finish() {
    if (stage_.empty()) {
        return;
    }
    range_.reset();
    if (options_.stages != nullptr) {
        options_.stages->push_back(
            {stage_, stage_device_, clock_seconds() - stage_start_, stage_start_});
    }
    stage_start_fraction_ = std::min(1.0, stage_start_fraction_ + stage_share_);
    report(stage_start_fraction_);
    stage_.clear();
}

void Run::report(double fraction) {
    if (options_.progress) {
        options_.progress({stage_, fraction});
    }
}

double clock_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

std::string gibibytes(std::uint64_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / (1u << 30));
    return text;
}

void memory_ran_out() {
    throw Error(ErrorCode::out_of_memory, "the memory ran out while the job ran");
}

void require_memory(std::uint64_t bytes, std::string_view what, const Options &options) {
    if (options.memory_needed) {
        options.memory_needed(bytes);
    }
    const std::uint64_t limit =
        options.memory_limit != 0 ? options.memory_limit : available_memory();
    if (bytes > limit) {
        throw Error(ErrorCode::out_of_memory,
                    std::string(what) + " needs " + gibibytes(bytes) + " of memory; " +
                        gibibytes(limit) +
                        (options.memory_limit != 0 ? " are allowed" : " are free"));
    }
}

} // namespace karst::core
