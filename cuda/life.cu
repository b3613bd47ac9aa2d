// Life on CUDA: a thread a word of 64 cells, in a volume a thread for that word in some slices; one
// kernel a generation, graphs of 32.
#include "resources.cuh"
#include "sim/life.hpp"

namespace karst::cuda {

namespace {

constexpr unsigned kThreads = 256;

constexpr std::int64_t kSlices = 16; // of a thread; it sums two more

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

__global__ void __launch_bounds__(kThreads)
    next_volume(rules::LifeVolumeView view, rules::LifeSteps steps,
                std::uint64_t *__restrict__ next) {
    const std::int64_t slice = view.slice.words * view.slice.height;
    const std::int64_t total = slice * ((view.depth + kSlices - 1) / kSlices);
    const std::int64_t stride = std::int64_t{gridDim.x} * kThreads;
    for (std::int64_t k = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; k < total;
         k += stride) {
        const std::int64_t low = k / slice * kSlices;
        const std::int64_t high = low + kSlices < view.depth ? low + kSlices : view.depth;
        const std::int64_t word = k % slice;
        const std::int64_t y = word / view.slice.words;
        const std::int64_t i = word - y * view.slice.words;
        const std::uint64_t valid = rules::valid_bits(view.slice, i);
        rules::SliceSum below = rules::slice_sum_at(view, low - 1, y, i);
        rules::SliceSum here = rules::slice_sum_at(view, low, y, i);
        for (std::int64_t z = low; z < high; ++z) {
            const rules::SliceSum above = rules::slice_sum_at(view, z + 1, y, i);
            const std::int64_t at = z * slice + word;
            const std::uint64_t centre = view.slice.cells[at];
            next[at] =
                rules::next_word(rules::block_sum(below, here, above), centre, steps) & valid;
            below = here;
            here = above;
        }
    }
}

void launch(cudaStream_t stream, const rules::LifeView &view, const rules::LifeSelector &selector,
            std::uint64_t *next) {
    const unsigned blocks = blocks_for(view.words * view.height, kThreads);
    next_generation<<<blocks, kThreads, 0, stream>>>(view, selector, next);
}

void launch(cudaStream_t stream, const rules::LifeVolumeView &view, const rules::LifeSteps &steps,
            std::uint64_t *next) {
    const std::int64_t layers = (view.depth + kSlices - 1) / kSlices;
    const unsigned blocks = blocks_for(view.slice.words * view.slice.height * layers, kThreads);
    next_volume<<<blocks, kThreads, 0, stream>>>(view, steps, next);
}

template <class Board, class Rule>
class CudaLife final : public sim::BasicLifeEngine<Board> {
public:
    CudaLife(Device device, Board board, Rule rule, LifeBoundary boundary)
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
                graph_[parity].capture(stream_, [&] { launch_all(generations); });
            }
            graph_[parity].launch(stream_);
        } else {
            launch_all(generations);
        }
        stream_.synchronize();
        done_ += generations;
    }

    Board take() override {
        const CurrentDevice current(device_);
        words_[done_ & 1].download(board_.words().cells(), stream_);
        stream_.synchronize();
        return std::move(board_);
    }

private:
    void launch_all(std::uint32_t generations) {
        for (std::uint32_t i = 0; i < generations; ++i) {
            const std::size_t now = (done_ + i) & 1;
            launch(stream_, rules::make_view(words_[now].data(), board_.extent(), boundary_),
                   selector_, words_[1 - now].data());
            KARST_CUDA_CHECK(cudaGetLastError());
        }
    }

    int device_;
    Board board_;
    decltype(rules::make_selector(Rule{})) selector_;
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
    return std::make_unique<CudaLife<LifeBoard, LifeRule>>(device, std::move(board), rule,
                                                           boundary);
}

std::unique_ptr<sim::LifeVolumeEngine> make_life(Device device, LifeVolume volume, LifeRule3 rule,
                                                 LifeBoundary boundary) {
    require_device(device);
    return std::make_unique<CudaLife<LifeVolume, LifeRule3>>(device, std::move(volume), rule,
                                                             boundary);
}

} // namespace karst::cuda
