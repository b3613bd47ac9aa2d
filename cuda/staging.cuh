// Copies between a device and memory of the host that is not pinned. The driver makes them by one
// thread; here all threads of a run copy one piece from or to pinned memory, while the device
// copies the next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "core/run.hpp"
#include "resources.cuh"

namespace karst::cuda {

class Staging {
public:
    // For the current device.
    explicit Staging(core::Run &run) : run_(run) {}

    // Both have finished when they return; the two sides have one size.
    template <class T>
    void download(const Buffer<T> &from, std::span<T> to, cudaStream_t stream) {
        if (!prepare(to.size_bytes())) {
            from.download(to, stream);
            KARST_CUDA_CHECK(cudaStreamSynchronize(stream));
            return;
        }
        auto *const target = reinterpret_cast<std::byte *>(to.data());
        const auto *const source = reinterpret_cast<const std::byte *>(from.data());
        pieces(to.size_bytes(), [&](Half &half, std::size_t at, std::size_t bytes, bool arrived) {
            if (arrived) {
                half.wait();
                copy(target + at, half.memory, bytes);
            } else {
                KARST_CUDA_CHECK(cudaMemcpyAsync(half.memory, source + at, bytes,
                                                 cudaMemcpyDeviceToHost, stream));
                half.mark(stream);
            }
        });
    }
    template <class T>
    void upload(std::span<const T> from, Buffer<T> &to, cudaStream_t stream) {
        if (!prepare(from.size_bytes())) {
            to.upload(from, stream);
            KARST_CUDA_CHECK(cudaStreamSynchronize(stream));
            return;
        }
        auto *const target = reinterpret_cast<std::byte *>(to.data());
        const auto *const source = reinterpret_cast<const std::byte *>(from.data());
        pieces(from.size_bytes(), [&](Half &half, std::size_t at, std::size_t bytes, bool arrived) {
            if (arrived) {
                half.wait();
            } else {
                copy(half.memory, source + at, bytes);
                KARST_CUDA_CHECK(cudaMemcpyAsync(target + at, half.memory, bytes,
                                                 cudaMemcpyHostToDevice, stream));
                half.mark(stream);
            }
        });
    }

private:
    static constexpr std::size_t kPiece = std::size_t{8} << 20; // bytes
    // Of fewer the driver's copy takes less than pinning memory.
    static constexpr std::size_t kLeast = std::size_t{1} << 20;

    // Pinned memory, and when the device has done with it.
    struct Half {
        Half() = default;
        ~Half() {
            if (done != nullptr) {
                cudaEventSynchronize(done); // a cancelled run leaves a copy under way
                cudaEventDestroy(done);
            }
            cudaFreeHost(memory);
        }
        Half(const Half &) = delete;
        Half &operator=(const Half &) = delete;
        // Whether there is so much memory that can be pinned.
        bool make() {
            if (memory == nullptr && cudaMallocHost(&memory, kPiece) != cudaSuccess) {
                cudaGetLastError(); // clears it
                return false;
            }
            if (done == nullptr) {
                KARST_CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
            }
            return true;
        }
        void mark(cudaStream_t stream) const { KARST_CUDA_CHECK(cudaEventRecord(done, stream)); }
        void wait() const { KARST_CUDA_CHECK(cudaEventSynchronize(done)); }

        std::byte *memory = nullptr;
        cudaEvent_t done = nullptr;
    };

    // Whether copies of so many bytes go through the halves, which are made then.
    bool prepare(std::size_t bytes) {
        return bytes >= kLeast && halves_[0].make() && (bytes <= kPiece || halves_[1].make());
    }

    // f(half, first byte, bytes, false) for each piece, and then the same with true, one piece
    // later.
    template <class F>
    void pieces(std::size_t bytes, F &&f) {
        const std::size_t count = (bytes + kPiece - 1) / kPiece;
        for (std::size_t i = 0; i <= count; ++i) {
            if (i < count) {
                f(halves_[i % 2], i * kPiece, std::min(kPiece, bytes - i * kPiece), false);
            }
            if (i > 0) {
                f(halves_[(i - 1) % 2], (i - 1) * kPiece,
                  std::min(kPiece, bytes - (i - 1) * kPiece), true);
            }
        }
    }

    void copy(std::byte *to, const std::byte *from, std::size_t bytes) {
        run_.for_ranges(
            static_cast<std::int64_t>(bytes), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
                std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
            });
    }

    core::Run &run_;
    Half halves_[2];
};

} // namespace karst::cuda
