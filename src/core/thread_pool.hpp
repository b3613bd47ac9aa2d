// karst's own threads: started once, asleep between calls.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <karst/options.hpp>

namespace karst::core {

// Threads this process may use, at least 1.
int usable_threads() noexcept;

// The calling thread works too, so a pool of 1 starts none. Works with fewer threads than asked for
// where the system gives no more.
class ThreadPool final : public Executor {
public:
    explicit ThreadPool(int threads);
    ~ThreadPool() override;
    ThreadPool(const ThreadPool &) = delete;
    ThreadPool &operator=(const ThreadPool &) = delete;

    int concurrency() const noexcept override { return static_cast<int>(workers_.size()) + 1; }
    void run(std::int64_t count, void (*task)(void *, std::int64_t), void *context) override;

private:
    struct Job {
        std::int64_t count = 0;
        void (*task)(void *, std::int64_t) = nullptr;
        void *context = nullptr;
        std::atomic<std::int64_t> next{0};
        std::exception_ptr error; // the first, under mutex_
    };

    void work();
    void take_tasks(Job &job);

    std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable done_;
    Job *job_ = nullptr;           // under mutex_
    std::uint64_t generation_ = 0; // under mutex_: grows with each job
    int busy_ = 0;                 // under mutex_: workers inside the job
    bool stop_ = false;            // under mutex_
    std::vector<std::thread> workers_;
};

} // namespace karst::core
