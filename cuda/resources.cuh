// Owners of what a CUDA engine holds: the device while it works, a stream, memory, a graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

// Where an engine works: on a device, and there on a stream of its own or on one of the caller.
struct Lane {
    int device;
    std::optional<cudaStream_t> callers = {};
};

class Stream {
public:
    explicit Stream(int ordinal) : Stream(Lane{ordinal}) {}
    explicit Stream(const Lane &lane) : is_own_(!lane.callers) {
        if (!is_own_) {
            stream_ = *lane.callers;
            int pools = 0;
            KARST_CUDA_CHECK(
                cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, lane.device));
            orders_memory_ = pools != 0;
            return;
        }
        const CurrentDevice current(lane.device);
        KARST_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    }
    ~Stream() {
        if (is_own_) {
            cudaStreamDestroy(stream_);
        }
    }
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;
    operator cudaStream_t() const noexcept { return stream_; }
    bool is_own() const noexcept { return is_own_; }
    // Whether memory is taken and given back in the order of the stream, so that nobody waits: on a
    // caller's, where the device can.
    bool orders_memory() const noexcept { return orders_memory_; }
    void synchronize() const { KARST_CUDA_CHECK(cudaStreamSynchronize(stream_)); }

private:
    bool is_own_;
    bool orders_memory_ = false;
    cudaStream_t stream_ = nullptr;
};

// Device memory for `size` values; not cleared.
template <class T>
class Buffer {
public:
    Buffer() = default;
    explicit Buffer(std::size_t size) : Buffer(size, std::nullopt) {}
    // For use on this stream alone.
    Buffer(std::size_t size, const Stream &stream)
        : Buffer(size, stream.orders_memory() ? std::optional<cudaStream_t>(stream)
                                              : std::optional<cudaStream_t>()) {}
    ~Buffer() {
        if (order_) {
            cudaFreeAsync(data_, *order_);
        } else if (data_ != nullptr) {
            cudaFree(data_);
        }
    }
    Buffer(Buffer &&other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)),
          order_(std::exchange(other.order_, {})) {}
    Buffer &operator=(Buffer &&other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(order_, other.order_);
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
    Buffer(std::size_t size, std::optional<cudaStream_t> order) : size_(size) {
        if (size == 0) {
            return;
        }
        const std::size_t bytes = size * sizeof(T);
        const cudaError_t status =
            order ? cudaMallocAsync(&data_, bytes, *order) : cudaMalloc(&data_, bytes);
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            std::size_t free = 0;
            std::size_t total = 0;
            cudaMemGetInfo(&free, &total);
            throw Refusal(ErrorCode::out_of_memory,
                          "the CUDA device needs " + std::to_string(bytes >> 20) + " MiB more; " +
                              std::to_string(free >> 20) + " MiB are free");
        }
        check(status, order ? "cudaMallocAsync" : "cudaMalloc");
        order_ = order;
    }

    T *data_ = nullptr;
    std::size_t size_ = 0;
    std::optional<cudaStream_t> order_; // in which it is given back
};

// A copy of `values`, which must stay alive until the stream is synchronised.
template <class T>
Buffer<T> uploaded(std::span<const T> values, const Stream &stream) {
    Buffer<T> buffer(values.size(), stream);
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
