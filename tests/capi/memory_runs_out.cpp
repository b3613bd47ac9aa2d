// Every allocation of C++ fails once, the first, the second and so on: each job through the C
// interface ends with KARST_OUT_OF_MEMORY or a whole result, never with a crash or a leak.
//     karst_memory_runs_out [STEP]    each STEP-th allocation, default 1
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>

#include <karst/karst.h>

namespace {

std::atomic<std::int64_t> allocations{0};
std::atomic<std::int64_t> blocks{0};
std::atomic<std::int64_t> fails_at{-1};

void *allocate(std::size_t size, std::size_t alignment) {
    if (allocations++ == fails_at) {
        throw std::bad_alloc();
    }
    const std::size_t whole = (size + alignment - 1) / alignment * alignment;
    void *const memory = std::aligned_alloc(alignment, whole == 0 ? alignment : whole);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    ++blocks;
    return memory;
}

void release(void *memory) {
    if (memory != nullptr) {
        --blocks;
        std::free(memory);
    }
}

[[noreturn]] void fail(const std::string &job, std::int64_t n, const std::string &what) {
    std::fprintf(stderr, "%s, allocation %lld: %s\n", job.c_str(), static_cast<long long>(n),
                 what.c_str());
    std::exit(1);
}

std::uint64_t digest = 0; // of what the last good job made

struct Case {
    const char *name;
    std::function<karst_status()> job;
};

// Everything of a request of that size; `begin` makes the result.
template <class Begin>
karst_status whole_job(const char *generator, std::int64_t depth, const char *layer,
                       Begin &&begin) {
    karst_request *request = nullptr;
    karst_status status = karst_request_create(generator, &request);
    if (status != KARST_OK) {
        return status;
    }
    karst_result *result = nullptr;
    status = karst_request_set_extent(request, 32, 32, depth);
    status = status != KARST_OK ? status : karst_request_add_layer(request, layer);
    status = status != KARST_OK ? status : karst_request_set_only_added(request, 1);
    status = status != KARST_OK ? status : begin(request, &result);
    if (status == KARST_OK) {
        karst_layer its{};
        its.struct_size = sizeof its;
        status = karst_result_layer_at(result, 0, &its);
        digest = its.digest;
    }
    if (result != nullptr) {
        karst_result_destroy(result);
    }
    karst_request_destroy(request);
    return status;
}

karst_status run(karst_request *request, karst_result **result) {
    karst_options options{};
    options.struct_size = sizeof options;
    options.threads = 1;
    return karst_run(request, &options, result);
}

karst_status run_beside(karst_request *request, karst_result **result) {
    karst_options options{};
    options.struct_size = sizeof options;
    options.threads = 4;
    karst_job *job = nullptr;
    karst_status status = karst_start(request, &options, &job);
    if (status != KARST_OK) {
        return status;
    }
    status = karst_job_wait(job, -1);
    status = status != KARST_OK ? status : karst_job_take_result(job, result);
    karst_job_destroy(job);
    return status;
}

} // namespace

void *operator new(std::size_t size) {
    return allocate(size, alignof(std::max_align_t));
}
void *operator new(std::size_t size, std::align_val_t alignment) {
    return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void *memory) noexcept {
    release(memory);
}
void operator delete(void *memory, std::size_t) noexcept {
    release(memory);
}
void operator delete(void *memory, std::align_val_t) noexcept {
    release(memory);
}
void operator delete(void *memory, std::size_t, std::align_val_t) noexcept {
    release(memory);
}

int main(int count, char **arguments) {
    const std::int64_t step = count > 1 ? std::atoll(arguments[1]) : 1;
    const Case cases[] = {
        {"crack", [] { return whole_job("crack", 0, "mask", run); }},
        {"crack's graph", [] { return whole_job("crack", 0, "graph", run); }},
        {"cave", [] { return whole_job("cave", 0, "map", run); }},
        {"heightmap", [] { return whole_job("heightmap", 0, "height", run); }},
        {"cave3d", [] { return whole_job("cave3d", 16, "shell", run); }},
        {"cave3d's graph", [] { return whole_job("cave3d", 16, "graph", run); }},
        {"cave beside the caller", [] { return whole_job("cave", 0, "map", run_beside); }},
    };
    for (const Case &its : cases) {
        // Twice without a failure: tables that are made once are there then.
        for (int i = 0; i < 2; ++i) {
            if (its.job() != KARST_OK) {
                fail(its.name, -1, karst_last_error());
            }
        }
        const std::int64_t before = blocks;
        const std::uint64_t expected = digest;
        std::int64_t n = 0;
        std::int64_t failed = 0;
        for (;; n += step) {
            allocations = 0;
            fails_at = n;
            const karst_status status = its.job();
            const bool all = allocations <= n;
            fails_at = -1;
            if (status != KARST_OK && status != KARST_OUT_OF_MEMORY) {
                fail(its.name, n,
                     std::string(karst_status_name(status)) + ": " + karst_last_error());
            }
            if (status == KARST_OK && digest != expected) {
                fail(its.name, n, "another result");
            }
            if (blocks != before) {
                fail(its.name, n, std::to_string(blocks - before) + " blocks are lost");
            }
            failed += status == KARST_OUT_OF_MEMORY ? 1 : 0;
            if (all) {
                break;
            }
        }
        if (failed == 0) {
            fail(its.name, n, "no failure was seen");
        }
        std::printf("%s: %lld allocations, %lld of %lld failures are a status\n", its.name,
                    static_cast<long long>(allocations), static_cast<long long>(failed),
                    static_cast<long long>(n / step));
    }
    return 0;
}
