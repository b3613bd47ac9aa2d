// Life on CUDA: a thread a word of 64 cells, one kernel a generation, graphs of 32.
#include "resources.cuh"
#include "sim/life.hpp"

namespace karst::cuda {

namespace {

constexpr unsigned kThreads = 256;

__global__ void __launch_bounds__(kThreads)
    next_generation(rules::LifeView view, rules::LifeSelector selector,
                    std::uint64_t *__restrict__ next) {
    const std::int64_t total = view.words * view.height;
    const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
    for (std::int64_t k = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; k < total;
         k += stride) {
        const std::int64_t y = k / view.words;
        next[k] = rules::next_word_at(view, selector, y, k - y * view.words);
    }
}

class CudaLife final : public sim::LifeEngine {
public:
    CudaLife(Device device, LifeBoard board, LifeRule rule, LifeBoundary boundary)
        : device_(device.ordinal), board_(std::move(board)), selector_(rules::make_selector(rule)),
          boundary_(boundary), stream_(device_) {
        const CurrentDevice current(device_);
        for (auto &words : words_) {
            words = Buffer<std::uint64_t>(static_cast<std::size_t>(board_.words().size()));
        }
        words_[0].upload(board_.words().cells(), stream_);
        stream_.synchronize();
    }

    void advance(std::uint32_t generations) override {
        const CurrentDevice current(device_);
        const std::size_t parity = done_ & 1;
        if (generations == sim::kStepsAtOnce) {
            if (!graph_[parity]) {
                graph_[parity].capture(stream_, [&] { launch(generations); });
            }
            graph_[parity].launch(stream_);
        } else {
            launch(generations);
        }
        stream_.synchronize();
        done_ += generations;
    }

    LifeBoard take() override {
        const CurrentDevice current(device_);
        words_[done_ & 1].download(board_.words().cells(), stream_);
        stream_.synchronize();
        return std::move(board_);
    }

private:
    void launch(std::uint32_t generations) {
        const unsigned blocks = blocks_for(board_.words().size(), kThreads);
        for (std::uint32_t i = 0; i < generations; ++i) {
            const std::size_t now = (done_ + i) & 1;
            const rules::LifeView view{words_[now].data(), board_.words().width(),
                                       board_.extent().width, board_.extent().height, boundary_};
            next_generation<<<blocks, kThreads, 0, stream_>>>(view, selector_,
                                                              words_[1 - now].data());
            KARST_CUDA_CHECK(cudaGetLastError());
        }
    }

    int device_;
    LifeBoard board_;
    rules::LifeSelector selector_;
    LifeBoundary boundary_;
    std::size_t done_ = 0; // generations since the start; its parity chooses the buffer
    Stream stream_;
    Buffer<std::uint64_t> words_[2];
    Graph graph_[2]; // 32 generations from an even and from an odd start
};

} // namespace

std::unique_ptr<sim::LifeEngine> make_life(Device device, LifeBoard board, LifeRule rule,
                                           LifeBoundary boundary) {
    require_device(device);
    return std::make_unique<CudaLife>(device, std::move(board), rule, boundary);
}

} // namespace karst::cuda
