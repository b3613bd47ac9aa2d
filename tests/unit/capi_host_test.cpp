// What a host brings to the C interface: structs of other versions, its memory, its threads, jobs.
#include "support/capi.hpp"

#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <vector>

using namespace karst::test;

namespace {

// Memory whose balance is known; it can be made to run out.
struct CountedMemory {
    std::atomic<std::int64_t> bytes{0};
    std::atomic<std::int64_t> calls{0};
    std::int64_t fails_at = -1;

    karst_allocator allocator() {
        auto its = sized<karst_allocator>();
        its.context = this;
        its.allocate = [](void *raw, std::size_t size, std::size_t alignment) -> void * {
            auto &memory = *static_cast<CountedMemory *>(raw);
            if (memory.calls++ == memory.fails_at) {
                return nullptr;
            }
            memory.bytes += static_cast<std::int64_t>(size);
            return ::operator new(size, std::align_val_t(alignment));
        };
        its.release = [](void *raw, void *cells, std::size_t size, std::size_t alignment) {
            static_cast<CountedMemory *>(raw)->bytes -= static_cast<std::int64_t>(size);
            ::operator delete(cells, std::align_val_t(alignment));
        };
        return its;
    }
};

} // namespace

TEST_CASE("capi: structs of an older and of a newer program") {
    const OwnRequest request("crack");
    const OwnResult expected(request);
    // Older: it ends before the memory limit.
    struct Old {
        std::uint32_t struct_size;
        std::int32_t device_kind, device_ordinal, threads;
    } old{sizeof(Old), KARST_DEVICE_CPU, 0, 2};
    OwnResult result(request, reinterpret_cast<const karst_options *>(&old));
    CHECK(layer_of(result, "mask").digest == layer_of(expected, "mask").digest);
    // Newer: what this library does not know must be 0.
    struct New {
        karst_options known;
        std::uint64_t more;
    } fresh{sized<karst_options>(), 0};
    fresh.known.struct_size = sizeof fresh;
    const OwnResult again(request, &fresh.known);
    fresh.more = 1;
    karst_result *none = nullptr;
    CHECK(karst_run(request, &fresh.known, &none) == KARST_UNSUPPORTED);
    for (const std::uint32_t size : {0u, 3u, 5000u}) {
        fresh.known.struct_size = size;
        CHECK(karst_run(request, &fresh.known, &none) == KARST_INVALID_ARGUMENT);
    }
    // What karst fills ends where the caller's struct does; a newer one's rest becomes 0.
    struct {
        karst_result_info info;
        std::uint64_t beyond;
    } filled{};
    filled.beyond = 77;
    filled.info.struct_size = 8;
    filled.info.mesh_count = 55;
    REQUIRE(karst_result_get_info(expected, &filled.info) == KARST_OK);
    CHECK(filled.info.layer_count > 0);
    CHECK(filled.info.mesh_count == 55);
    filled.info.struct_size = sizeof filled;
    REQUIRE(karst_result_get_info(expected, &filled.info) == KARST_OK);
    CHECK(filled.beyond == 0);
    CHECK(filled.info.struct_size == sizeof filled);
    CHECK(karst_result_get_info(expected, reinterpret_cast<karst_result_info *>(&old)) == KARST_OK);
}

TEST_CASE("capi: options that are none") {
    const OwnRequest request("crack");
    karst_result *none = nullptr;
    const auto refused = [&](auto &&change) {
        auto options = sized<karst_options>();
        change(options);
        return karst_run(request, &options, &none);
    };
    const karst_status bad = KARST_INVALID_ARGUMENT;
    CHECK(refused([](karst_options &o) { o.device_kind = 9; }) == bad);
    CHECK(refused([](karst_options &o) { o.threads = -1; }) == bad);
    CHECK(refused([](karst_options &o) {
              o.device_kind = KARST_DEVICE_CUDA;
              o.device_ordinal = -1;
          }) == bad);
    CHECK(refused([](karst_options &o) {
              o.device_kind = KARST_DEVICE_CUDA;
              o.device_ordinal = 99;
          }) == KARST_NO_DEVICE);
    CHECK(refused([](karst_options &o) { o.memory_limit = 1000; }) == KARST_OUT_OF_MEMORY);
    CHECK(last_error().find("GiB") != std::string::npos);
    auto allocator = sized<karst_allocator>();
    CHECK(refused([&](karst_options &o) { o.allocator = &allocator; }) == bad);
    auto runner = sized<karst_task_runner>();
    runner.concurrency = 1;
    CHECK(refused([&](karst_options &o) { o.task_runner = &runner; }) == bad);
    runner.run = [](void *, std::int64_t, void (*)(void *, std::int64_t), void *) {};
    runner.concurrency = 0;
    CHECK(refused([&](karst_options &o) { o.task_runner = &runner; }) == bad);
    std::uint64_t bytes = 0;
    REQUIRE(karst_request_memory(request, nullptr, &bytes) == KARST_OK);
    CHECK(bytes > 48 * 48);
    auto options = sized<karst_options>();
    options.memory_limit = 1000; // it is told all the same
    std::uint64_t same = 0;
    REQUIRE(karst_request_memory(request, &options, &same) == KARST_OK);
    CHECK(same == bytes);
    options.memory_limit = bytes;
    const OwnResult result(request, &options);
    CHECK(refused([&](karst_options &o) { o.memory_limit = bytes - 1; }) == KARST_OUT_OF_MEMORY);
}

TEST_CASE("capi: cells lie in the host's memory, which may run out at any time") {
    for (const char *generator : {"crack", "cave", "heightmap"}) {
        CAPTURE(generator);
        const OwnRequest request(generator, 40);
        const std::uint64_t expected = [&] {
            auto layer = sized<karst_layer>();
            REQUIRE(karst_result_layer_at(OwnResult(request), 0, &layer) == KARST_OK);
            return layer.digest;
        }();
        std::int64_t last = 0;
        for (std::int64_t n = 0;; ++n) {
            CountedMemory memory;
            memory.fails_at = n;
            const karst_allocator allocator = memory.allocator();
            auto options = sized<karst_options>();
            options.threads = 1;
            options.allocator = &allocator;
            karst_result *result = nullptr;
            const karst_status status = karst_run(request, &options, &result);
            if (status == KARST_OK) {
                auto layer = sized<karst_layer>();
                REQUIRE(karst_result_layer_at(result, 0, &layer) == KARST_OK);
                CHECK(layer.digest == expected);
                CHECK(memory.bytes >= static_cast<std::int64_t>(layer.size));
                REQUIRE(karst_result_destroy(result) == KARST_OK);
                CHECK(memory.bytes == 0);
                last = n;
                break;
            }
            REQUIRE(status == KARST_OUT_OF_MEMORY);
            REQUIRE(memory.bytes == 0);
        }
        CHECK(last > 2);
    }
}

TEST_CASE("capi: the host's threads do the work, and an exception does not go through them") {
    struct Runner {
        std::atomic<int> runs{0};
        std::vector<std::thread> launched{};
        bool full = false;
        std::int64_t wrong = 0;

        karst_task_runner its() {
            auto runner = sized<karst_task_runner>();
            runner.concurrency = 3;
            runner.context = this;
            runner.run = [](void *raw, std::int64_t count, void (*task)(void *, std::int64_t),
                            void *context) {
                ++static_cast<Runner *>(raw)->runs;
                std::atomic<std::int64_t> next{0};
                const auto work = [&] {
                    for (std::int64_t i = next++; i < count; i = next++) {
                        task(context, i);
                    }
                };
                std::thread one(work);
                std::thread two(work);
                work();
                one.join();
                two.join();
            };
            runner.launch = [](void *raw, void (*job)(void *), void *context) -> std::int32_t {
                auto &its = *static_cast<Runner *>(raw);
                if (its.full) {
                    return 1;
                }
                its.launched.emplace_back(job, context);
                return 0;
            };
            return runner;
        }
    } host;
    const OwnRequest request("cave", 64);
    const std::uint64_t expected = layer_of(OwnResult(request), "map").digest;
    const karst_task_runner runner = host.its();
    CountedMemory memory;
    const karst_allocator allocator = memory.allocator();
    auto options = sized<karst_options>();
    options.task_runner = &runner;
    options.allocator = &allocator;
    {
        const OwnResult result(request, &options);
        CHECK(layer_of(result, "map").digest == expected);
    }
    CHECK(host.runs > 0);
    karst_job *job = nullptr;
    REQUIRE(karst_start(request, &options, &job) == KARST_OK);
    REQUIRE(karst_job_wait(job, -1) == KARST_OK);
    REQUIRE(host.launched.size() == 1);
    karst_result *made = nullptr;
    REQUIRE(karst_job_take_result(job, &made) == KARST_OK);
    REQUIRE(karst_job_destroy(job) == KARST_OK);
    {
        const OwnResult result(made); // lives on without its job
        CHECK(layer_of(result, "map").digest == expected);
    }
    host.launched.front().join();
    CHECK(memory.bytes == 0);
    // A result that nobody took is given back with its job, whatever the host's thread does.
    for (int i = 0; i < 20; ++i) {
        REQUIRE(karst_start(request, &options, &job) == KARST_OK);
        CHECK(karst_job_wait(job, i % 2 == 0 ? -1 : 0) != KARST_INVALID_HANDLE);
        REQUIRE(karst_job_destroy(job) == KARST_OK);
        CHECK(memory.bytes == 0);
    }
    host.full = true;
    CHECK(karst_start(request, &options, &job) == KARST_CANCELLED);
    for (std::size_t i = 1; i < host.launched.size(); ++i) {
        host.launched[i].join();
    }
    // A runner that leaves a task out, and one that calls a task that is none.
    for (const std::int64_t wrong : {0, 1}) {
        host.wrong = wrong;
        auto faulty = host.its();
        faulty.run = [](void *raw, std::int64_t count, void (*task)(void *, std::int64_t),
                        void *task_context) {
            for (std::int64_t i = 1; i < count; ++i) {
                task(task_context, i);
            }
            if (static_cast<Runner *>(raw)->wrong != 0) {
                task(task_context, count);
                task(task_context, -1);
            }
        };
        auto broken = options;
        broken.task_runner = &faulty;
        karst_result *none = nullptr;
        CHECK(karst_run(request, &broken, &none) == KARST_INTERNAL);
        CHECK(memory.bytes == 0);
    }
    // The memory runs out in the middle of tasks.
    int failures = 0;
    for (std::int64_t n = 0; n < 40; n += 7) {
        memory.calls = 0;
        memory.fails_at = n;
        karst_result *none = nullptr;
        const karst_status status = karst_run(request, &options, &none);
        if (status == KARST_OK) {
            karst_result_destroy(none);
        } else {
            CHECK(status == KARST_OUT_OF_MEMORY);
            ++failures;
        }
        CHECK(memory.bytes == 0);
    }
    CHECK(failures > 0);
}

TEST_CASE("capi: progress, and a host that stops a job") {
    const OwnRequest request("cave", 128);
    struct Seen {
        double last = -1;
        int calls = 0;
        int stop_at = -1;
        bool throws = false;
        bool falls = false;
    };
    const auto run = [&](Seen &seen) {
        auto options = sized<karst_options>();
        options.progress_context = &seen;
        options.progress = [](void *raw, const char *stage, double fraction) -> std::int32_t {
            auto &its = *static_cast<Seen *>(raw);
            its.falls = its.falls || fraction < its.last || fraction > 1 || stage == nullptr;
            its.last = fraction;
            if (its.throws) {
                throw 42;
            }
            return its.calls++ == its.stop_at ? 1 : 0;
        };
        karst_result *result = nullptr;
        const karst_status status = karst_run(request, &options, &result);
        if (status == KARST_OK) {
            karst_result_destroy(result);
        }
        return status;
    };
    Seen all;
    CHECK(run(all) == KARST_OK);
    CHECK(all.calls > 5);
    CHECK(all.last == 1);
    CHECK(!all.falls);
    for (int n = 0; n < all.calls - 1; n += 1 + all.calls / 7) {
        Seen some;
        some.stop_at = n;
        CHECK(run(some) == KARST_CANCELLED);
        CHECK(some.calls <= n + 2);
    }
    Seen throwing;
    throwing.throws = true;
    CHECK(run(throwing) == KARST_INTERNAL);
}

TEST_CASE("capi: jobs beside the caller") {
    const OwnRequest request("heightmap", 65);
    const std::uint64_t expected = [&] {
        const OwnResult result(request);
        return layer_of(result, "height").digest;
    }();
    karst_job *job = nullptr;
    REQUIRE(karst_start(request, nullptr, &job) == KARST_OK);
    // The request may change meanwhile.
    REQUIRE(karst_request_set_seed(request, 99) == KARST_OK);
    karst_status status = karst_job_wait(job, 0);
    CHECK((status == KARST_NOT_FINISHED || status == KARST_OK));
    CHECK(karst_job_wait(job, -1) == KARST_OK);
    CHECK(karst_job_wait(job, INT64_MAX) == KARST_OK);
    auto state = sized<karst_job_state>();
    REQUIRE(karst_job_poll(job, &state) == KARST_OK);
    CHECK(state.finished == 1);
    CHECK(state.status == KARST_OK);
    CHECK(state.fraction == 1);
    karst_result *made = nullptr;
    REQUIRE(karst_job_take_result(job, &made) == KARST_OK);
    karst_result *twice = nullptr;
    CHECK(karst_job_take_result(job, &twice) == KARST_INVALID_ARGUMENT);
    REQUIRE(karst_job_destroy(job) == KARST_OK);
    CHECK(layer_of(OwnResult(made), "height").digest == expected);

    // A large one is stopped, and its memory given back.
    const OwnRequest large("heightmap", 2049);
    CountedMemory memory;
    const karst_allocator allocator = memory.allocator();
    auto options = sized<karst_options>();
    options.allocator = &allocator;
    REQUIRE(karst_start(large, &options, &job) == KARST_OK);
    CHECK(karst_job_take_result(job, &made) == KARST_NOT_FINISHED);
    CHECK(karst_job_wait(job, 20) == KARST_NOT_FINISHED);
    REQUIRE(karst_job_cancel(job) == KARST_OK);
    CHECK(karst_job_wait(job, -1) == KARST_CANCELLED);
    CHECK(karst_job_take_result(job, &made) == KARST_CANCELLED);
    CHECK(memory.bytes == 0);
    REQUIRE(karst_job_destroy(job) == KARST_OK);
    // Destroyed while it runs.
    REQUIRE(karst_start(large, &options, &job) == KARST_OK);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    REQUIRE(karst_job_destroy(job) == KARST_OK);
    CHECK(memory.bytes == 0);
    // One that fails says why to whoever waits.
    options.memory_limit = 1000;
    REQUIRE(karst_start(large, &options, &job) == KARST_OK);
    CHECK(karst_job_wait(job, -1) == KARST_OUT_OF_MEMORY);
    CHECK(last_error().find("GiB") != std::string::npos);
    REQUIRE(karst_job_destroy(job) == KARST_OK);
}

TEST_CASE("capi: a job's own callback cannot wait for it") {
    const OwnRequest request("crack");
    struct Self {
        std::atomic<karst_job *> job{nullptr};
        std::atomic<int> waits{KARST_OK};
        std::atomic<int> destroys{KARST_OK};
    } self;
    auto options = sized<karst_options>();
    options.progress_context = &self;
    options.progress = [](void *raw, const char *, double) -> std::int32_t {
        auto &its = *static_cast<Self *>(raw);
        while (its.job == nullptr) {
            std::this_thread::yield();
        }
        its.waits = karst_job_wait(its.job, -1);
        its.destroys = karst_job_destroy(its.job);
        return 0;
    };
    karst_job *job = nullptr;
    REQUIRE(karst_start(request, &options, &job) == KARST_OK);
    self.job = job;
    CHECK(karst_job_wait(job, -1) == KARST_OK);
    CHECK(self.waits == KARST_INVALID_ARGUMENT);
    CHECK(self.destroys == KARST_INVALID_ARGUMENT);
    REQUIRE(karst_job_destroy(job) == KARST_OK);
}
