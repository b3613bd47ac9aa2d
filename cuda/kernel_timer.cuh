// The times of the kernels on a stream, by events between them.
#pragma once

#include <vector>

#include "resources.cuh"
#include "sim/engine.hpp"

namespace karst::cuda {

class KernelTimer {
public:
    // Times nothing if `times` is null.
    KernelTimer(std::vector<KernelTime> *times, cudaStream_t stream)
        : times_(times), stream_(stream) {
        record();
    }
    ~KernelTimer() {
        for (const cudaEvent_t event : events_) {
            cudaEventDestroy(event);
        }
    }
    KernelTimer(const KernelTimer &) = delete;
    KernelTimer &operator=(const KernelTimer &) = delete;

    // The kernel that was launched since the last call.
    void launched(const char *name, std::uint64_t bytes, std::uint32_t steps) {
        if (times_ != nullptr) {
            kernels_.push_back({name, "", 0, 0, bytes, steps});
            record();
        }
    }

    // Adds the times; the stream has been synchronised.
    void finish() {
        for (std::size_t i = 0; i < kernels_.size(); ++i) {
            kernels_[i].begin = begin_ + between(0, i);
            kernels_[i].seconds = between(i, i + 1);
            times_->push_back(kernels_[i]);
        }
    }

private:
    void record() {
        if (times_ == nullptr) {
            return;
        }
        cudaEvent_t event = nullptr;
        KARST_CUDA_CHECK(cudaEventCreate(&event));
        events_.push_back(event);
        KARST_CUDA_CHECK(cudaEventRecord(event, stream_));
    }
    double between(std::size_t from, std::size_t to) const {
        float milliseconds = 0;
        KARST_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, events_[from], events_[to]));
        return milliseconds / 1e3;
    }

    std::vector<KernelTime> *times_;
    cudaStream_t stream_;
    double begin_ = core::clock_seconds(); // when the first event is recorded, nearly
    std::vector<KernelTime> kernels_;
    std::vector<cudaEvent_t> events_; // before the first kernel and after each
};

} // namespace karst::cuda
