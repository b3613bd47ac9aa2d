#include "capi/host.hpp"

#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <string>

namespace karst::capi {

namespace {

Device read_device(const karst_options &given) {
    switch (given.device_kind) {
    case KARST_DEVICE_CPU:
        return {DeviceKind::cpu, 0};
    case KARST_DEVICE_AUTOMATIC:
        return {DeviceKind::automatic, 0};
    case KARST_DEVICE_CUDA:
        if (given.device_ordinal < 0) {
            refuse("device_ordinal is " + std::to_string(given.device_ordinal) +
                   "; allowed is 0 or more");
        }
        return {DeviceKind::cuda, given.device_ordinal};
    default:
        refuse("device_kind is " + std::to_string(given.device_kind) +
               "; allowed is 0 (CPU), 1 (CUDA), 2 (automatic)");
    }
}

} // namespace

void *HostMemory::do_allocate(std::size_t size, std::size_t alignment) {
    void *const memory = its_.allocate(its_.context, size, alignment);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

void HostMemory::do_deallocate(void *memory, std::size_t size, std::size_t alignment) {
    its_.release(its_.context, memory, size, alignment);
}

void HostThreads::run(std::int64_t count, void (*task)(void *, std::int64_t), void *context) {
    struct Guarded {
        void (*task)(void *, std::int64_t);
        void *context;
        std::int64_t count;
        std::atomic<std::int64_t> called{0};
        std::mutex mutex{};
        std::exception_ptr error{};
    } guarded{task, context, count};
    its_.run(
        its_.context, count,
        [](void *raw, std::int64_t i) {
            auto &its = *static_cast<Guarded *>(raw);
            ++its.called;
            if (i < 0 || i >= its.count) {
                return; // which leaves one of the others out
            }
            try {
                its.task(its.context, i);
            } catch (...) {
                const std::lock_guard lock(its.mutex);
                its.error = std::current_exception();
            }
        },
        &guarded);
    if (guarded.error) {
        std::rethrow_exception(guarded.error);
    }
    if (guarded.called != count) {
        throw CallError(KARST_INTERNAL, "the host's task runner called " +
                                            std::to_string(guarded.called) + " tasks of " +
                                            std::to_string(count));
    }
}

Options HostOptions::options(std::atomic<bool> &cancel) const {
    Options options;
    options.device = device;
    options.threads = threads;
    options.executor = runner.get();
    options.cancel = &cancel;
    options.memory_limit = memory_limit;
    if (memory) {
        options.memory = memory.get();
    }
    if (progress != nullptr) {
        options.progress = [this, &cancel](const Progress &its) {
            if (progress(progress_context, std::string(its.stage).c_str(), its.fraction) != 0) {
                cancel = true;
            }
        };
    }
    return options;
}

HostOptions read_options(const karst_options *given) {
    HostOptions host;
    if (given == nullptr) {
        return host;
    }
    const karst_options options = read(given, "options");
    host.device = read_device(options);
    if (options.threads < 0) {
        refuse("threads is " + std::to_string(options.threads) + "; allowed is 0 or more");
    }
    host.threads = options.threads;
    host.memory_limit = options.memory_limit;
    host.progress = options.progress;
    host.progress_context = options.progress_context;
    if (options.allocator != nullptr) {
        const karst_allocator allocator = read(options.allocator, "allocator");
        require_reserved(allocator.reserved, "allocator");
        if (allocator.allocate == nullptr || allocator.release == nullptr) {
            refuse("the allocator lacks a function; allowed is allocate and release");
        }
        host.memory = std::make_shared<HostMemory>(allocator);
    }
    if (options.task_runner != nullptr) {
        const karst_task_runner runner = read(options.task_runner, "task_runner");
        if (runner.run == nullptr) {
            refuse("the task runner lacks a function; allowed is one with run");
        }
        if (runner.concurrency < 1) {
            refuse("concurrency is " + std::to_string(runner.concurrency) +
                   "; allowed is 1 or more");
        }
        host.runner = std::make_shared<HostThreads>(runner);
    }
    return host;
}

} // namespace karst::capi
