// What the host brings to a run: its memory, its threads, its wishes.
#pragma once

#include <atomic>
#include <memory>
#include <memory_resource>
#include <optional>

#include <karst/options.hpp>

#include "capi/call.hpp"

namespace karst::capi {

class HostMemory final : public std::pmr::memory_resource {
public:
    explicit HostMemory(const karst_allocator &its) : its_(its) {}

private:
    void *do_allocate(std::size_t size, std::size_t alignment) override;
    void do_deallocate(void *memory, std::size_t size, std::size_t alignment) override;
    bool do_is_equal(const memory_resource &other) const noexcept override {
        return this == &other;
    }

    karst_allocator its_;
};

// No exception of a task goes through the host's function.
class HostThreads final : public Executor {
public:
    explicit HostThreads(const karst_task_runner &its) : its_(its) {}

    int concurrency() const noexcept override { return its_.concurrency; }
    void run(std::int64_t count, void (*task)(void *, std::int64_t), void *context) override;
    bool can_launch() const noexcept { return its_.launch != nullptr; }
    // False: the host does not take it.
    bool launch(void (*job)(void *), void *context) const {
        return its_.launch(its_.context, job, context) == 0;
    }

private:
    karst_task_runner its_;
};

// karst_options that were checked and copied.
struct HostOptions {
    Device device;
    int threads = 0;
    std::uint64_t memory_limit = 0;
    int32_t (*progress)(void *, const char *, double) = nullptr;
    void *progress_context = nullptr;
    std::shared_ptr<HostMemory> memory{};  // null: C++'s
    std::shared_ptr<HostThreads> runner{}; // null: karst's own

    // `cancel` becomes true when the host's progress asks for it. Refers to this and to it.
    Options options(std::atomic<bool> &cancel) const;
};

// Null: the defaults. Throws CallError.
HostOptions read_options(const karst_options *given);

} // namespace karst::capi
