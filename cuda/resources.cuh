// Owners of what a CUDA engine holds: the device while it works, a stream, memory, a graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <cuda_runtime.h>

#include <karst/device.hpp>

#include "check.cuh"

namespace karst::cuda {

// Throws Error(no_device) if the device cannot be used, naming the reason, and as the next.
void require_device(Device device);

// Whether karst opened CUDA before this process was forked: nothing of CUDA works in it.
bool is_forked();
// Throws Error(device_failure) then.
void require_own_process();

// Makes a device the current one and gives the caller's back at the end.
class CurrentDevice {
public:
    explicit CurrentDevice(int ordinal) {
        KARST_CUDA_CHECK(cudaGetDevice(&previous_));
        changed_ = previous_ != ordinal;
        if (changed_) {
            KARST_CUDA_CHECK(cudaSetDevice(ordinal));
        }
    }
    ~CurrentDevice() {
        if (changed_) {
            cudaSetDevice(previous_);
        }
    }
    CurrentDevice(const CurrentDevice &) = delete;
    CurrentDevice &operator=(const CurrentDevice &) = delete;

private:
    int previous_ = 0;
    bool changed_ = false;
};

class Stream {
public:
    explicit Stream(int ordinal) {
        const CurrentDevice current(ordinal);
        KARST_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    }
    ~Stream() { cudaStreamDestroy(stream_); }
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;
    operator cudaStream_t() const noexcept { return stream_; }
    void synchronize() const { KARST_CUDA_CHECK(cudaStreamSynchronize(stream_)); }

private:
    cudaStream_t stream_ = nullptr;
};

// Device memory for `size` values; not cleared.
template <class T>
class Buffer {
public:
    Buffer() = default;
    explicit Buffer(std::size_t size) : size_(size) {
        if (size == 0) {
            return;
        }
        const cudaError_t status = cudaMalloc(&data_, size * sizeof(T));
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            std::size_t free = 0;
            std::size_t total = 0;
            cudaMemGetInfo(&free, &total);
            throw Refusal(ErrorCode::out_of_memory,
                          "the CUDA device needs " + std::to_string((size * sizeof(T)) >> 20) +
                              " MiB more; " + std::to_string(free >> 20) + " MiB are free");
        }
        check(status, "cudaMalloc");
    }
    ~Buffer() { cudaFree(data_); }
    Buffer(Buffer &&other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Buffer &operator=(Buffer &&other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }

    T *data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }

    void clear(cudaStream_t stream) {
        KARST_CUDA_CHECK(cudaMemsetAsync(data_, 0, size_ * sizeof(T), stream));
    }
    // From a buffer of the same size.
    void copy(const Buffer &from, cudaStream_t stream) {
        KARST_CUDA_CHECK(cudaMemcpyAsync(data_, from.data_, size_ * sizeof(T),
                                         cudaMemcpyDeviceToDevice, stream));
    }
    // `values` must stay alive until the stream is synchronised; they may be empty.
    void upload(std::span<const T> values, cudaStream_t stream) {
        if (!values.empty()) {
            KARST_CUDA_CHECK(cudaMemcpyAsync(data_, values.data(), values.size_bytes(),
                                             cudaMemcpyHostToDevice, stream));
        }
    }
    void download(std::span<T> values, cudaStream_t stream) const {
        if (!values.empty()) {
            KARST_CUDA_CHECK(cudaMemcpyAsync(values.data(), data_, values.size_bytes(),
                                             cudaMemcpyDeviceToHost, stream));
        }
    }

private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

// A copy of `values`, which must stay alive until the stream is synchronised.
template <class T>
Buffer<T> uploaded(std::span<const T> values, cudaStream_t stream) {
    Buffer<T> buffer(values.size());
    buffer.upload(values, stream);
    return buffer;
}

// A captured sequence of launches. Empty until captured.
class Graph {
public:
    Graph() = default;
    ~Graph() { clear(); }
    Graph(const Graph &) = delete;
    Graph &operator=(const Graph &) = delete;

    explicit operator bool() const noexcept { return graph_ != nullptr; }

    // Records what `launches` puts on the stream, without running it.
    template <class F>
    void capture(cudaStream_t stream, F &&launches) {
        cudaGraph_t recorded = nullptr;
        KARST_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        try {
            launches();
        } catch (...) {
            cudaStreamEndCapture(stream, &recorded);
            cudaGraphDestroy(recorded);
            throw;
        }
        KARST_CUDA_CHECK(cudaStreamEndCapture(stream, &recorded));
        const cudaError_t status = cudaGraphInstantiate(&graph_, recorded, 0);
        cudaGraphDestroy(recorded);
        check(status, "cudaGraphInstantiate");
    }
    void launch(cudaStream_t stream) const { KARST_CUDA_CHECK(cudaGraphLaunch(graph_, stream)); }

    // It has run to its end.
    void clear() {
        if (graph_ != nullptr) {
            cudaGraphExecDestroy(std::exchange(graph_, nullptr));
        }
    }

private:
    cudaGraphExec_t graph_ = nullptr;
};

// Blocks of `threads` for `items`, at least 1 and few enough for a grid; kernels stride over the
// rest.
inline unsigned blocks_for(std::int64_t items, unsigned threads) {
    const std::int64_t blocks = (items + threads - 1) / threads;
    return static_cast<unsigned>(blocks < 1 ? 1 : blocks > 1048576 ? 1048576 : blocks);
}

} // namespace karst::cuda
