// 16 threads run mixed jobs through the C interface at once, share a request and destroy each
// other's handles. For the thread sanitizer; without it a test of equal digests.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <karst/karst.h>

namespace {

constexpr int kThreads = 16;
constexpr int kRounds = 6;

void require(bool good, const char *what) {
    if (!good) {
        std::fprintf(stderr, "%s: %s\n", what, karst_last_error());
        std::exit(1);
    }
}

std::uint64_t digest_of(const karst_result *result) {
    karst_layer layer{};
    layer.struct_size = sizeof layer;
    require(karst_result_layer_at(result, 0, &layer) == KARST_OK, "layer");
    return layer.digest;
}

karst_request *request_of(const char *generator) {
    karst_request *request = nullptr;
    require(karst_request_create(generator, &request) == KARST_OK, "create");
    require(karst_request_set_extent(request, 48, 48, 0) == KARST_OK, "extent");
    return request;
}

// Of each kind of job the digest that all of them must have.
class Digests {
public:
    void expect(const std::string &kind, std::uint64_t digest) {
        const std::lock_guard lock(mutex_);
        const auto [known, fresh] = known_.emplace(kind, digest);
        require(fresh || known->second == digest, kind.c_str());
    }
    std::size_t size() const { return known_.size(); }

private:
    std::mutex mutex_;
    std::map<std::string, std::uint64_t> known_;
};

void run_here(const karst_request *request, const std::string &kind, int threads,
              Digests &digests) {
    karst_options options{};
    options.struct_size = sizeof options;
    options.threads = threads;
    karst_result *result = nullptr;
    require(karst_run(request, &options, &result) == KARST_OK, "run");
    digests.expect(kind, digest_of(result));
    require(karst_result_destroy(result) == KARST_OK, "destroy");
}

void run_beside(const karst_request *request, const std::string &kind, Digests &digests) {
    karst_options options{};
    options.struct_size = sizeof options;
    options.threads = 2;
    karst_job *job = nullptr;
    require(karst_start(request, &options, &job) == KARST_OK, "start");
    karst_job_state state{};
    state.struct_size = sizeof state;
    do {
        require(karst_job_poll(job, &state) == KARST_OK, "poll");
    } while (state.finished == 0 && karst_job_wait(job, 1) == KARST_NOT_FINISHED);
    karst_result *result = nullptr;
    require(karst_job_take_result(job, &result) == KARST_OK, "take");
    require(karst_job_destroy(job) == KARST_OK, "destroy a job");
    digests.expect(kind, digest_of(result));
    require(karst_result_destroy(result) == KARST_OK, "destroy");
}

// Several threads cancel and destroy one job; exactly one of them destroys it.
void run_and_stop(const karst_request *request) {
    karst_job *job = nullptr;
    require(karst_start(request, nullptr, &job) == KARST_OK, "start");
    std::atomic<int> destroyed{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] {
            karst_job_cancel(job);
            destroyed += karst_job_destroy(job) == KARST_OK ? 1 : 0;
        });
    }
    for (auto &thread : threads) {
        thread.join();
    }
    require(destroyed == 1, "a job is destroyed once");
}

} // namespace

int main() {
    const char *const generators[] = {"crack", "cave", "heightmap"};
    std::vector<karst_request *> shared;
    for (const char *name : generators) {
        shared.push_back(request_of(name));
    }
    Digests digests;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            for (int round = 0; round < kRounds; ++round) {
                const auto kind = static_cast<std::size_t>((t + round) % 3);
                const karst_request *const request = shared[kind];
                switch ((t + round / 2) % 4) {
                case 0:
                    run_here(request, generators[kind], 1, digests);
                    break;
                case 1:
                    run_beside(request, generators[kind], digests);
                    break;
                case 2:
                    run_and_stop(request);
                    break;
                default: {
                    karst_request *const own = request_of(generators[kind]);
                    require(karst_request_set_seed(own, 5) == KARST_OK, "seed");
                    run_here(own, std::string(generators[kind]) + " 5", 3, digests);
                    require(karst_request_destroy(own) == KARST_OK, "destroy a request");
                }
                }
                // An error's text is the thread's own.
                require(karst_result_destroy(nullptr) == KARST_INVALID_HANDLE, "null");
                require(std::string(karst_last_error()) == "the result is null", "text");
            }
        });
    }
    // Meanwhile the shared request changes what later runs do not ask for.
    for (int i = 0; i < 200; ++i) {
        require(karst_request_set_cell(shared[0], 0.0025) == KARST_OK, "cell");
        char text[64];
        size_t size = 0;
        require(karst_request_get_text(shared[1], "passage_width", text, sizeof text, &size) ==
                    KARST_OK,
                "get");
    }
    for (auto &thread : threads) {
        thread.join();
    }
    for (karst_request *const request : shared) {
        require(karst_request_destroy(request) == KARST_OK, "destroy a request");
    }
    require(digests.size() == 6, "kinds of jobs");
    std::printf("%d threads, %d jobs each, %zu digests\n", kThreads, kRounds, digests.size());
    return 0;
}
