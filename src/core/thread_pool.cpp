#include "core/thread_pool.hpp"

#include <algorithm>
#include <exception>

#if defined(__linux__)
#include <sched.h>
#endif

namespace karst::core {

int usable_threads() noexcept {
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        return std::max(1, CPU_COUNT(&set));
    }
#endif
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

ThreadPool::ThreadPool(int threads) {
    workers_.reserve(static_cast<std::size_t>(std::max(1, threads) - 1));
    try {
        for (int i = 1; i < threads; ++i) {
            workers_.emplace_back([this] { work(); });
        }
    } catch (const std::exception &) {
        // The system gives no more threads, or no memory for them: the ones there are do the work.
    }
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_all();
    for (auto &worker : workers_) {
        worker.join();
    }
}

void ThreadPool::run(std::int64_t count, void (*task)(void *, std::int64_t), void *context) {
    if (workers_.empty() || count < 2) {
        for (std::int64_t i = 0; i < count; ++i) {
            task(context, i);
        }
        return;
    }
    Job job;
    job.count = count;
    job.task = task;
    job.context = context;
    {
        const std::lock_guard lock(mutex_);
        job_ = &job;
        ++generation_;
    }
    wake_.notify_all();
    take_tasks(job);
    std::unique_lock lock(mutex_);
    job_ = nullptr; // a worker that has not woken yet finds nothing
    done_.wait(lock, [&] { return busy_ == 0; });
    if (job.error) {
        std::rethrow_exception(job.error);
    }
}

void ThreadPool::work() {
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait(lock, [&] { return stop_ || (job_ != nullptr && generation_ != seen); });
        if (stop_) {
            return;
        }
        seen = generation_;
        Job &job = *job_;
        ++busy_;
        lock.unlock();
        take_tasks(job);
        lock.lock();
        if (--busy_ == 0) {
            done_.notify_one();
        }
    }
}

void ThreadPool::take_tasks(Job &job) {
    while (true) {
        const std::int64_t i = job.next.fetch_add(1, std::memory_order_relaxed);
        if (i >= job.count) {
            return;
        }
        try {
            job.task(job.context, i);
        } catch (...) {
            job.next.store(job.count, std::memory_order_relaxed);
            const std::lock_guard lock(mutex_);
            if (!job.error) {
                job.error = std::current_exception();
            }
        }
    }
}

} // namespace karst::core
