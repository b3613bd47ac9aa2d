// Life on CUDA: a board in passes of up to 8 generations, a volume in passes of one; graphs of 32
// generations.
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernel_timer.cuh"
#include "life_strip.cuh"
#include "life_volume.cuh"
#include "resources.cuh"
#include "sim/life.hpp"

namespace karst::cuda {

namespace {

// A kernel of `generations` a pass for one rule, and how many of its warps a device holds at once.
struct StripKernel {
    int generations;
    void (*launch)(cudaStream_t, unsigned blocks, const rules::LifeView &, LifeRule,
                   std::uint64_t *next, std::int64_t rows);
    int (*blocks_at_once)();
};

using AnyLifeRule = rules::BasicLifeSelector<std::uint32_t>;

// The rule as the kernels take it.
template <class Rule>
Rule compiled(LifeRule rule) {
    if constexpr (std::is_same_v<Rule, AnyLifeRule>) {
        return rules::make_selector<std::uint32_t>(rule);
    } else {
        return {};
    }
}

template <int kGenerations, class Rule>
StripKernel kernel() {
    return {kGenerations,
            [](cudaStream_t stream, unsigned blocks, const rules::LifeView &view, LifeRule rule,
               std::uint64_t *next, std::int64_t rows) {
                walk_strips<kGenerations>
                    <<<blocks, kStripThreads, 0, stream>>>(view, compiled<Rule>(rule), next, rows);
            },
            [] {
                int blocks = 0;
                KARST_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                    &blocks, walk_strips<kGenerations, Rule>, kStripThreads, 0));
                return blocks;
            }};
}

// From the most generations a pass to one.
using StripKernels = std::vector<StripKernel>;

// Two rules have kernels of their own, which take half the time: Conway's and the majority, with
// which generators smooth masks. Every other is chosen by masks.
StripKernels kernels_for(LifeRule rule) {
    if (rule == LifeRule{0b1000, 0b1100}) { // B3/S23
        using Rule = rules::FixedLifeRule<0b1000, 0b1100>;
        return {kernel<8, Rule>(), kernel<4, Rule>(), kernel<2, Rule>(), kernel<1, Rule>()};
    }
    if (rule == LifeRule{0b111100000, 0b111110000}) { // B5678/S45678
        using Rule = rules::FixedLifeRule<0b111100000, 0b111110000>;
        return {kernel<8, Rule>(), kernel<4, Rule>(), kernel<2, Rule>(), kernel<1, Rule>()};
    }
    // 8 generations would hold so many registers that they take longer than twice 4.
    return {kernel<4, AnyLifeRule>(), kernel<2, AnyLifeRule>(), kernel<1, AnyLifeRule>()};
}

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

// The length of the strips, `columns` of them beside one another, for which the device works least.
// It holds `at_once` strips; each costs its length and what it walks `more` before it writes. At
// the end half of a strip's time is lost, as not all end together.
std::int64_t best_length(std::int64_t height, std::int64_t columns, std::int64_t at_once,
                         std::int64_t more) {
    constexpr std::int64_t kLeast = 4;
    std::int64_t best = height;
    std::int64_t least = INT64_MAX;
    for (std::int64_t waves = 1; waves <= 16; ++waves) {
        const std::int64_t strips = std::max<std::int64_t>(1, waves * at_once / columns);
        const std::int64_t rows = std::max(kLeast, ceil_div(height, strips));
        const std::int64_t needed = ceil_div(ceil_div(height, rows) * columns, at_once);
        const std::int64_t cost = needed * (rows + more) + rows / 2;
        if (cost < least) {
            least = cost;
            best = rows;
        }
    }
    return best;
}

std::int64_t multiprocessors(int device) {
    int count = 0;
    KARST_CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
    return count;
}

class BoardPasses {
public:
    using Board = LifeBoard;

    BoardPasses(int device, Extent2 extent, LifeRule rule, LifeBoundary boundary)
        : extent_(extent), rule_(rule), boundary_(boundary), kernels_(kernels_for(rule)) {
        const CurrentDevice current(device);
        const std::int64_t processors = multiprocessors(device);
        const std::int64_t columns = ceil_div(ceil_div(extent.width, 64), kStripLanes);
        for (const StripKernel &kernel : kernels_) {
            const std::int64_t at_once =
                processors * kernel.blocks_at_once() * (kStripThreads / 32);
            rows_.push_back(best_length(extent.height, columns, at_once, 2 * kernel.generations));
        }
    }

    // Launches a pass of at most `left` generations and says how many it has.
    std::uint32_t launch(cudaStream_t stream, std::uint32_t left, const std::uint64_t *from,
                         std::uint64_t *to) const {
        std::size_t i = 0;
        while (static_cast<std::uint32_t>(kernels_[i].generations) > left) {
            ++i;
        }
        const rules::LifeView view = rules::make_view(from, extent_, boundary_);
        const std::int64_t strips =
            ceil_div(view.words, kStripLanes) * ceil_div(extent_.height, rows_[i]);
        kernels_[i].launch(stream, static_cast<unsigned>(ceil_div(strips, kStripThreads / 32)),
                           view, rule_, to, rows_[i]);
        return static_cast<std::uint32_t>(kernels_[i].generations);
    }

private:
    Extent2 extent_;
    LifeRule rule_;
    LifeBoundary boundary_;
    StripKernels kernels_;
    std::vector<std::int64_t> rows_; // of a strip, by kernel
};

class VolumePasses {
public:
    using Board = LifeVolume;

    VolumePasses(int device, Extent3 extent, LifeRule3 rule, LifeBoundary boundary)
        : extent_(extent), steps_(rules::make_selector(rule)), boundary_(boundary) {
        const std::int64_t words = ceil_div(extent.width, 64);
        while (columns_ < 16 && columns_ < words) {
            columns_ *= 2;
        }
        blocks_x_ = ceil_div(words, columns_);
        blocks_y_ = ceil_div(extent.height, kVolumeThreads / columns_ - 2);
        slices_ = best_length(extent.depth, blocks_x_ * blocks_y_,
                              multiprocessors(device) * kVolumeBlocks, 2);
    }

    std::uint32_t launch(cudaStream_t stream, std::uint32_t, const std::uint64_t *from,
                         std::uint64_t *to) const {
        const dim3 grid(static_cast<unsigned>(blocks_x_), static_cast<unsigned>(blocks_y_),
                        static_cast<unsigned>(ceil_div(extent_.depth, slices_)));
        next_volume<<<grid, kVolumeThreads, 0, stream>>>(rules::make_view(from, extent_, boundary_),
                                                         steps_, columns_, slices_, to);
        return 1;
    }

private:
    Extent3 extent_;
    rules::LifeSteps steps_;
    LifeBoundary boundary_;
    int columns_ = 1; // words along x that a block has
    std::int64_t blocks_x_ = 1;
    std::int64_t blocks_y_ = 1;
    std::int64_t slices_ = 1; // that a block writes
};

template <class Passes>
class CudaLife final : public sim::BasicLifeEngine<typename Passes::Board> {
public:
    using Board = typename Passes::Board;

    template <class Rule>
    CudaLife(Device device, Board board, Rule rule, LifeBoundary boundary)
        : device_(device.ordinal), board_(std::move(board)),
          passes_(device_, board_.extent(), rule, boundary), stream_(device_) {
        const CurrentDevice current(device_);
        for (auto &words : words_) {
            words = Buffer<std::uint64_t>(static_cast<std::size_t>(board_.words().size()));
        }
        words_[0].upload(board_.words().cells(), stream_);
        stream_.synchronize();
    }

    void advance(std::uint32_t generations) override {
        const CurrentDevice current(device_);
        KernelTimer timer(this->times_, stream_);
        if (generations == sim::kStepsAtOnce && this->times_ == nullptr) {
            Graph &graph = graph_[now_];
            if (!graph) {
                const std::size_t before = now_;
                graph.capture(stream_, [&] { launch_all(generations, timer); });
                odd_ = now_ != before;
                now_ = before;
            }
            graph.launch(stream_);
            now_ = odd_ ? 1 - now_ : now_;
        } else {
            launch_all(generations, timer);
        }
        stream_.synchronize();
        timer.finish();
    }

    Board take() override {
        const CurrentDevice current(device_);
        words_[now_].download(board_.words().cells(), stream_);
        stream_.synchronize();
        return std::move(board_);
    }

private:
    void launch_all(std::uint32_t generations, KernelTimer &timer) {
        while (generations > 0) {
            const std::uint32_t pass =
                passes_.launch(stream_, generations, words_[now_].data(), words_[1 - now_].data());
            generations -= pass;
            KARST_CUDA_CHECK(cudaGetLastError());
            now_ = 1 - now_;
            timer.launched("life", 2 * words_[0].size() * sizeof(std::uint64_t), pass);
        }
    }

    int device_;
    Board board_;
    Passes passes_;
    Stream stream_;
    Buffer<std::uint64_t> words_[2];
    std::size_t now_ = 0; // which of the two holds the board
    Graph graph_[2];      // 32 generations that begin in either
    bool odd_ = false;    // a graph ends in the other
};

} // namespace

std::unique_ptr<sim::LifeEngine> make_life(Device device, LifeBoard board, LifeRule rule,
                                           LifeBoundary boundary) {
    require_device(device);
    return std::make_unique<CudaLife<BoardPasses>>(device, std::move(board), rule, boundary);
}

std::unique_ptr<sim::LifeVolumeEngine> make_life(Device device, LifeVolume volume, LifeRule3 rule,
                                                 LifeBoundary boundary) {
    require_device(device);
    return std::make_unique<CudaLife<VolumePasses>>(device, std::move(volume), rule, boundary);
}

} // namespace karst::cuda
