// Two simulations at once on two streams of karst/cuda.hpp: how long both take beside one alone,
// and a timeline of both for chrome://tracing or ui.perfetto.dev.
//     karst_cuda_streams FILE.json
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include <karst/cuda.hpp>

namespace {

// Together fewer launches than CUDA keeps for a stream: all are on it before the first begins.
constexpr int kPieces = 8;
constexpr std::int64_t kSteps = 50; // of a piece
constexpr karst::Extent2 kExtent{256, 256};

void must(cudaError_t status) {
    if (status != cudaSuccess) {
        throw karst::Error(karst::ErrorCode::device_failure, cudaGetErrorString(status));
    }
}

cudaEvent_t record(cudaStream_t stream) {
    cudaEvent_t event = nullptr;
    must(cudaEventCreate(&event));
    must(cudaEventRecord(event, stream));
    return event;
}

double milliseconds(cudaEvent_t from, cudaEvent_t to) {
    float time = 0;
    must(cudaEventElapsedTime(&time, from, to));
    return static_cast<double>(time);
}

// Events between the pieces of each simulation, put on the streams in turns.
std::vector<std::vector<cudaEvent_t>> run(const std::vector<cudaStream_t> &streams) {
    std::vector<std::unique_ptr<karst::DevicePhysarum>> simulations;
    std::vector<std::vector<cudaEvent_t>> events(streams.size());
    for (std::size_t i = 0; i < streams.size(); ++i) {
        simulations.push_back(std::make_unique<karst::DevicePhysarum>(karst::PhysarumParams{},
                                                                      kExtent, i, streams[i]));
        simulations.back()->advance(kSteps);
    }
    must(cudaDeviceSynchronize());
    std::atomic<bool> open{false};
    cudaStream_t gate = nullptr;
    must(cudaStreamCreateWithFlags(&gate, cudaStreamNonBlocking));
    must(cudaLaunchHostFunc(
        gate,
        [](void *raw) {
            while (!*static_cast<std::atomic<bool> *>(raw)) {
            }
        },
        &open));
    const cudaEvent_t opened = record(gate);
    for (std::size_t i = 0; i < streams.size(); ++i) {
        must(cudaStreamWaitEvent(streams[i], opened));
        events[i].push_back(record(streams[i]));
    }
    for (int piece = 0; piece < kPieces; ++piece) {
        for (std::size_t i = 0; i < streams.size(); ++i) {
            simulations[i]->advance(kSteps);
            events[i].push_back(record(streams[i]));
        }
    }
    open = true;
    must(cudaDeviceSynchronize());
    must(cudaStreamDestroy(gate));
    return events;
}

// From the first event to the last of all.
double whole(const std::vector<std::vector<cudaEvent_t>> &events) {
    double last = 0;
    for (const auto &own : events) {
        last = std::max(last, milliseconds(events[0].front(), own.back()));
    }
    return last;
}

} // namespace

int main(int count, char **arguments) try {
    if (count != 2 || karst::best_device().kind != karst::DeviceKind::cuda) {
        std::fprintf(stderr, count != 2 ? "which file?\n" : "there is no CUDA device here\n");
        return 1;
    }
    std::vector<cudaStream_t> streams(2);
    for (cudaStream_t &stream : streams) {
        must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
    const double alone = whole(run({streams[0]}));
    const auto events = run(streams);
    const double both = whole(events);
    std::ofstream file(arguments[1]);
    std::string text = "[";
    for (std::size_t i = 0; i < events.size(); ++i) {
        for (std::size_t k = 1; k < events[i].size(); ++k) {
            const double begin = 1000 * milliseconds(events[0].front(), events[i][k - 1]);
            const double length = 1000 * milliseconds(events[i][k - 1], events[i][k]);
            text += std::string(text.size() > 1 ? "," : "") +
                    "\n{\"name\":\"steps\",\"ph\":\"X\",\"pid\":0,\"tid\":\"stream " +
                    std::to_string(i) + "\",\"ts\":" + std::to_string(begin) +
                    ",\"dur\":" + std::to_string(length) + "}";
        }
    }
    file << text << "\n]\n";
    std::printf("%d steps of 256 x 256 cells: one alone %.3f ms, two at once %.3f ms, %.2f times\n",
                static_cast<int>(kPieces * kSteps), alone, both, both / alone);
    return file.good() ? 0 : 1;
} catch (const karst::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
