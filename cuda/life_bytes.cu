// Life with a byte a cell, as a benchmark: four cells a register, sixteen columns a thread, which
// walks down its rows and keeps the sums of three. One generation a pass.
#include <algorithm>
#include <cstdint>
#include <string>

#include "kernel_timer.cuh"
#include "resources.cuh"
#include "rules/life_bytes.hpp"
#include "sim/life_bytes.hpp"

namespace karst::cuda {

namespace {

constexpr int kByteThreads = 128;
constexpr std::int64_t kByteColumns = 16; // of a thread
constexpr std::int64_t kByteRows = 64;    // of a strip; two more are read

struct ByteView {
    const std::uint8_t *cells;
    std::int64_t width;
    std::int64_t height;
};

// Sixteen cells of a row, and the sums of each with its neighbours beside it.
struct ByteRow {
    std::uint32_t cells[4];
    std::uint32_t sums[4];
};

__device__ ByteRow load_row(const ByteView &view, std::int64_t x, std::int64_t y) {
    const std::int64_t wrapped = y < 0 ? y + view.height : y < view.height ? y : y - view.height;
    const std::uint8_t *const row = view.cells + wrapped * view.width;
    const uint4 middle = *reinterpret_cast<const uint4 *>(row + x);
    const std::uint32_t left = row[(x == 0 ? view.width : x) - 1];
    const std::uint32_t right = row[x + kByteColumns == view.width ? 0 : x + kByteColumns];
    ByteRow result{{middle.x, middle.y, middle.z, middle.w}, {}};
    const std::uint32_t(&cells)[4] = result.cells;
    result.sums[0] = rules::byte_row_sum(left << 24, cells[0], cells[1]);
    result.sums[1] = rules::byte_row_sum(cells[0], cells[1], cells[2]);
    result.sums[2] = rules::byte_row_sum(cells[1], cells[2], cells[3]);
    result.sums[3] = rules::byte_row_sum(cells[2], cells[3], right);
    return result;
}

__global__ void __launch_bounds__(kByteThreads) next_strip(ByteView view, std::uint8_t *next) {
    const std::int64_t x = (blockIdx.x * std::int64_t{kByteThreads} + threadIdx.x) * kByteColumns;
    if (x >= view.width) {
        return;
    }
    const std::int64_t first = blockIdx.y * kByteRows;
    const std::int64_t end = first + kByteRows < view.height ? first + kByteRows : view.height;
    ByteRow above = load_row(view, x, first - 1);
    ByteRow here = load_row(view, x, first);
#pragma unroll 4
    for (std::int64_t y = first; y < end; ++y) {
        const ByteRow below = load_row(view, x, y + 1);
        std::uint32_t words[4];
        for (int i = 0; i < 4; ++i) {
            words[i] =
                rules::next_bytes(above.sums[i] + here.sums[i] + below.sums[i], here.cells[i]);
        }
        *reinterpret_cast<uint4 *>(next + y * view.width + x) =
            make_uint4(words[0], words[1], words[2], words[3]);
        above = here;
        here = below;
    }
}

// Between words of 64 bits, of which each row has its own, and bytes; four cells a thread.
__global__ void unpack_cells(const std::uint64_t *words, std::int64_t words_a_row, ByteView view,
                             std::uint8_t *cells) {
    const std::int64_t groups = view.width / 4;
    const std::int64_t stride = gridDim.x * std::int64_t{kByteThreads};
    for (std::int64_t i = blockIdx.x * std::int64_t{kByteThreads} + threadIdx.x;
         i < groups * view.height; i += stride) {
        const std::int64_t x = i % groups * 4;
        const std::uint64_t word = words[i / groups * words_a_row + x / 64];
        reinterpret_cast<std::uint32_t *>(cells)[i] =
            rules::bytes_of(static_cast<std::uint32_t>(word >> (x % 64)));
    }
}

__global__ void pack_cells(ByteView view, std::int64_t words_a_row, std::uint64_t *words) {
    const std::int64_t stride = gridDim.x * std::int64_t{kByteThreads};
    for (std::int64_t i = blockIdx.x * std::int64_t{kByteThreads} + threadIdx.x;
         i < words_a_row * view.height; i += stride) {
        const std::int64_t x = i % words_a_row * 64;
        const std::int64_t end = x + 64 < view.width ? x + 64 : view.width;
        const std::uint8_t *const row = view.cells + i / words_a_row * view.width;
        std::uint64_t word = 0;
        for (std::int64_t at = x; at < end; at += 4) {
            const std::uint32_t bytes = *reinterpret_cast<const std::uint32_t *>(row + at);
            word |= std::uint64_t{rules::bits_of(bytes)} << (at - x);
        }
        words[i] = word;
    }
}

class ByteLife final : public sim::LifeEngine {
public:
    ByteLife(Device device, LifeBoard board)
        : device_(device.ordinal), board_(std::move(board)), stream_(device_) {
        const CurrentDevice current(device_);
        for (auto &cells : cells_) {
            cells = Buffer<std::uint8_t>(static_cast<std::size_t>(board_.extent().cells()));
        }
        words_ = Buffer<std::uint64_t>(static_cast<std::size_t>(board_.words().size()));
        words_.upload(board_.words().cells(), stream_);
        unpack_cells<<<blocks_for(board_.extent().cells() / 4, kByteThreads), kByteThreads, 0,
                       stream_>>>(words_.data(), board_.words().width(), view(), cells_[0].data());
        KARST_CUDA_CHECK(cudaGetLastError());
        stream_.synchronize();
    }

    void advance(std::uint32_t generations) override {
        const CurrentDevice current(device_);
        KernelTimer timer(times_, stream_);
        const auto parts = [](std::int64_t all, std::int64_t each) {
            return static_cast<unsigned>((all + each - 1) / each);
        };
        const Extent2 extent = board_.extent();
        const dim3 grid(parts(extent.width, kByteColumns * kByteThreads),
                        parts(extent.height, kByteRows));
        for (std::uint32_t i = 0; i < generations; ++i) {
            next_strip<<<grid, kByteThreads, 0, stream_>>>(view(), cells_[1 - now_].data());
            KARST_CUDA_CHECK(cudaGetLastError());
            now_ = 1 - now_;
            timer.launched("life int8", 2 * cells_[0].size(), 1);
        }
        stream_.synchronize();
        timer.finish();
    }

private:
    LifeBoard &read() override {
        const CurrentDevice current(device_);
        pack_cells<<<blocks_for(board_.words().size(), kByteThreads), kByteThreads, 0, stream_>>>(
            view(), board_.words().width(), words_.data());
        KARST_CUDA_CHECK(cudaGetLastError());
        words_.download(board_.words().cells(), stream_);
        stream_.synchronize();
        return board_;
    }

    ByteView view() const {
        return {cells_[now_].data(), board_.extent().width, board_.extent().height};
    }

    int device_;
    LifeBoard board_;
    Stream stream_;
    Buffer<std::uint64_t> words_; // there and back
    Buffer<std::uint8_t> cells_[2];
    std::size_t now_ = 0; // which of the two holds the board
};

} // namespace

std::unique_ptr<sim::LifeEngine> make_byte_life(Device device, LifeBoard board) {
    require_device(device);
    const std::int64_t width = board.extent().width;
    if (width % kByteColumns != 0) {
        throw Error(ErrorCode::invalid_argument, "width is " + std::to_string(width) +
                                                     "; allowed is a multiple of " +
                                                     std::to_string(kByteColumns));
    }
    return std::make_unique<ByteLife>(device, std::move(board));
}

} // namespace karst::cuda
