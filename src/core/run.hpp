// One job while it runs: its threads, its clock, its progress and its cancel switch.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <karst/error.hpp>
#include <karst/observer.hpp>
#include <karst/options.hpp>

#include "core/digest.hpp"
#include "core/range.hpp"

namespace karst::core {

// Of a stage's field that is not said to be something else.
template <class T>
constexpr StageCells usual_meaning() {
    return sizeof(T) == 1        ? StageCells::mask
           : std::is_signed_v<T> ? StageCells::level
                                 : StageCells::amount;
}

class Run {
public:
    // Owns a pool of options.threads unless the options bring an executor.
    explicit Run(const Options &options);
    ~Run();
    Run(const Run &) = delete;
    Run &operator=(const Run &) = delete;

    const Options &options() const noexcept { return options_; }
    Executor &executor() noexcept { return *executor_; }
    std::pmr::memory_resource *memory() const noexcept { return options_.memory; }

    // Ends the stage that runs and starts the next, which takes `share` of the whole job's
    // expected time (all shares add up to 1). `device` is where it runs.
    void stage(std::string_view name, double share, Device device = {});
    // Throws Error(cancelled) if asked to. Long serial loops call it now and then; for_ranges does.
    void check_cancel() const;
    // Reports the fraction of this stage that is done, and checks for a cancel.
    void advance(double fraction_of_stage);
    // Where the stage runs, as text.
    const std::string &stage_device() const noexcept { return stage_device_; }
    // Ends the last stage.
    void finish();
    // Adds to options().notes.
    void note(std::string text) const;
    // What this stage made, a simulation's after its last step: the digest goes to
    // options().digests, the field to options().observer.
    template <class T, class Extent>
    void made(const Field<T, Extent> &field, StageCells meaning = usual_meaning<T>(),
              std::optional<std::int64_t> step = {}) {
        if (options_.digests != nullptr) {
            const auto rows = [this](std::int64_t count, auto &&f) { this->for_rows(count, f); };
            add_digest(core::digest(field, rows));
        }
        show(field, meaning, {}, step);
    }
    // To options().observer alone.
    template <class T, class Extent>
    void show(const Field<T, Extent> &field, StageCells meaning, std::string_view what,
              std::optional<std::int64_t> step) const {
        if (options_.observer != nullptr) {
            Extent3 extent{field.width(), field.height(), 1};
            if constexpr (std::same_as<Extent, Extent3>) {
                extent = field.extent();
            }
            options_.observer->see({stage_, what, step, meaning, extent, field.cells()});
        }
    }
    // Whether made() does anything.
    bool is_watched() const noexcept {
        return options_.digests != nullptr || options_.observer != nullptr;
    }

    // f(begin, end) over disjoint ranges that cover [0, count); ranges of at least `grain`.
    template <class F>
    void for_ranges(std::int64_t count, std::int64_t grain, F &&f) {
        check_cancel();
        if (count <= 0) {
            return;
        }
        const std::int64_t pieces = std::int64_t{4} * executor_->concurrency();
        const std::int64_t size = std::max<std::int64_t>(grain, (count + pieces - 1) / pieces);
        struct Context {
            std::int64_t count, size;
            F *f;
        } context{count, size, &f};
        executor_->run((count + size - 1) / size,
                       [](void *raw, std::int64_t i) {
                           const Context &c = *static_cast<Context *>(raw);
                           (*c.f)(i * c.size, std::min(c.count, (i + 1) * c.size));
                       },
                       &context);
    }
    // f(y) for each row, in parallel.
    template <class F>
    void for_rows(std::int64_t height, F &&f) {
        for_ranges(height, 8, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t y = begin; y < end; ++y) {
                f(y);
            }
        });
    }

private:
    void report(double fraction);
    void add_digest(std::uint64_t digest) const;

    const Options options_; // a copy: a caller may pass a temporary
    std::unique_ptr<Executor> own_;
    Executor *executor_;
    std::string stage_;
    std::optional<Range> range_; // of the stage
    std::string stage_device_;
    double stage_start_fraction_ = 0;
    double stage_share_ = 0;
    double stage_start_ = 0; // by clock_seconds()
};

// Seconds of the steady clock.
double clock_seconds();

// "12.3 GiB".
std::string gibibytes(std::uint64_t bytes);

// Bytes this process can still take: the smaller of free memory and what its cgroup leaves.
std::uint64_t available_memory();

// For the catch block of a public function: std::bad_alloc as Error(out_of_memory).
[[noreturn]] void memory_ran_out();

// Throws Error(out_of_memory) "what needs 12.3 GiB, 4.0 GiB are free" if bytes exceed the limit of
// the options.
void require_memory(std::uint64_t bytes, std::string_view what, const Options &options);

} // namespace karst::core
