// Life on CUDA: a board in passes of up to 8 generations, a volume in passes of one; graphs of 32
// generations.
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernel_timer.cuh"
#include "life_compiled.hpp"
#include "life_strip.cuh"
#include "life_volume.cuh"
#include "overlap.cuh"
#include "queued.cuh"
#include "sim/devices.hpp"
#include "sim/life_code.hpp"

namespace karst::cuda {

namespace {

using AnyLifeRule = rules::BasicLifeSelector<std::uint32_t>;

// walk_strips<generations> for one rule or for any.
struct StripKernel {
    int generations;
    const char *name;
    const void *function;
    std::int64_t rows = 0; // of a strip of the board
};

template <int kGenerations, class Rule>
StripKernel kernel() {
    return {kGenerations, std::is_same_v<Rule, AnyLifeRule> ? "life_masks" : "life",
            reinterpret_cast<const void *>(&walk_strips<kGenerations, Rule>)};
}

using StripKernels = std::vector<StripKernel>;

template <class Rule>
StripKernels fixed_kernels() {
    return {kernel<8, Rule>(), kernel<4, Rule>(), kernel<2, Rule>(), kernel<1, Rule>()};
}

// Two rules have kernels of their own, which take half the time: Conway's and the majority, with
// which generators smooth masks. Empty for all others.
StripKernels fixed_kernels(LifeRule rule) {
    if (rule == LifeRule{0b1000, 0b1100}) { // B3/S23
        return fixed_kernels<rules::FixedLifeRule<0b1000, 0b1100>>();
    }
    if (rule == LifeRule{0b111100000, 0b111110000}) { // B5678/S45678
        return fixed_kernels<rules::FixedLifeRule<0b111100000, 0b111110000>>();
    }
    return {};
}

// 8 generations would hold so many registers that they take longer than twice 4.
StripKernels masked_kernels() {
    return {kernel<4, AnyLifeRule>(), kernel<2, AnyLifeRule>(), kernel<1, AnyLifeRule>()};
}

// Seconds that masks run before a kernel is compiled for the rule. They take twice its time, so by
// then they have lost about what compiling costs, 0.6 to 1.1 s on the hosts that were seen.
constexpr double kPatience = 1;

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

constexpr std::int64_t kMostStrips = 1 << 30; // so that a grid holds them

struct LifePass {
    const char *kernel;
    std::uint32_t generations;
};

class BoardPasses {
public:
    using Board = LifeBoard;

    BoardPasses(int device, Extent2 extent, LifeRule rule, LifeBoundary boundary,
                const LifeTuning &tuning, LifeCode code)
        : device_(device), extent_(extent), rule_(rule),
          masks_(rules::make_selector<std::uint32_t>(rule)), boundary_(boundary), tuning_(tuning) {
        const CurrentDevice current(device);
        const StripKernels fixed = fixed_kernels(rule);
        const bool has_own = code == LifeCode::automatic && !fixed.empty();
        for (const StripKernel &kernel : has_own ? fixed : masked_kernels()) {
            if (kernel.generations <= tuning.generations) {
                kernels_.push_back(with_rows(kernel));
            }
        }
        if (code == LifeCode::compiled) {
            const CompiledStrips compiled = compiled_strips(device, rule, tuning.generations);
            if (!take(compiled.kernel)) {
                throw Error(ErrorCode::unsupported, compiled.fault);
            }
        } else if (code == LifeCode::automatic && !has_own) {
            waits_ = !take(known_strips(device, rule, tuning.generations));
        }
    }

    // Launches a pass of at most `left` generations.
    LifePass launch(cudaStream_t stream, std::uint32_t left, const std::uint64_t *from,
                    std::uint64_t *to) const {
        const StripKernel &kernel =
            *std::find_if(kernels_.begin(), kernels_.end(), [&](const StripKernel &its) {
                return static_cast<std::uint32_t>(its.generations) <= left;
            });
        rules::LifeView view = rules::make_view(from, extent_, boundary_);
        const std::int64_t strips =
            ceil_div(view.words, kStripLanes) * ceil_div(extent_.height, kernel.rows);
        const auto blocks = static_cast<unsigned>(ceil_div(strips, tuning_.threads / 32));
        AnyLifeRule masks = masks_; // a kernel of one rule has nothing to read of it
        std::int64_t rows = kernel.rows;
        void *arguments[] = {&view, &masks, &to, &rows};
        KARST_CUDA_CHECK(cudaLaunchKernel(kernel.function, dim3(blocks),
                                          dim3(static_cast<unsigned>(tuning_.threads)), arguments,
                                          0, stream));
        return {kernel.name, static_cast<std::uint32_t>(kernel.generations)};
    }

    void load_kernels() const {
        for (const StripKernel &kernel : kernels_) {
            load(kernel.function);
        }
    }

    // Told how long it ran; true if other kernels run from now on.
    bool ran(double seconds) {
        seconds_ += seconds;
        if (!waits_ || seconds_ < kPatience) {
            return false;
        }
        waits_ = false;
        const CurrentDevice current(device_);
        return take(compiled_strips(device_, rule_, tuning_.generations).kernel);
    }

private:
    StripKernel with_rows(StripKernel kernel) const {
        const std::int64_t columns = ceil_div(ceil_div(extent_.width, 64), kStripLanes);
        if (tuning_.rows > 0) {
            kernel.rows = std::max<std::int64_t>(tuning_.rows,
                                                 ceil_div(extent_.height * columns, kMostStrips));
            return kernel;
        }
        int blocks = 0;
        KARST_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel.function,
                                                                       tuning_.threads, 0));
        const std::int64_t at_once = std::int64_t{multiprocessors({DeviceKind::cuda, device_})} *
                                     blocks * (tuning_.threads / 32);
        kernel.rows = best_length(extent_.height, columns, at_once, 2 * kernel.generations);
        return kernel;
    }

    // Has the kernel compiled for the rule, if there is one, make what passes of it can; masks make
    // the rest.
    bool take(const void *compiled) {
        if (compiled != nullptr) {
            kernels_.insert(kernels_.begin(),
                            with_rows({tuning_.generations, "life_compiled", compiled}));
        }
        return compiled != nullptr;
    }

    int device_;
    Extent2 extent_;
    LifeRule rule_;
    AnyLifeRule masks_;
    LifeBoundary boundary_;
    LifeTuning tuning_;
    StripKernels kernels_; // from the most generations a pass to one
    bool waits_ = false;   // a kernel may yet be compiled
    double seconds_ = 0;   // that passes took
};

class VolumePasses {
public:
    using Board = LifeVolume;

    VolumePasses(int device, Extent3 extent, LifeRule3 rule, LifeBoundary boundary,
                 const LifeVolumeTuning &tuning)
        : extent_(extent), steps_(rules::make_selector(rule)), boundary_(boundary) {
        const std::int64_t words = ceil_div(extent.width, 64);
        while (columns_ < tuning.columns && columns_ < words) {
            columns_ *= 2;
        }
        blocks_x_ = ceil_div(words, columns_);
        blocks_y_ = ceil_div(extent.height, kVolumeThreads / columns_ - 2);
        // A grid has at most 65535 layers of blocks.
        slices_ = tuning.slices > 0
                      ? std::max<std::int64_t>(tuning.slices, ceil_div(extent.depth, 65535))
                      : best_length(extent.depth, blocks_x_ * blocks_y_,
                                    multiprocessors({DeviceKind::cuda, device}) * kVolumeBlocks, 2);
    }

    LifePass launch(cudaStream_t stream, std::uint32_t, const std::uint64_t *from,
                    std::uint64_t *to) const {
        const dim3 grid(static_cast<unsigned>(blocks_x_), static_cast<unsigned>(blocks_y_),
                        static_cast<unsigned>(ceil_div(extent_.depth, slices_)));
        cuda::launch(next_volume, {grid, kVolumeThreads}, stream,
                     rules::make_view(from, extent_, boundary_), steps_, columns_, slices_, to);
        return {"life", 1};
    }

    void load_kernels() const { load(next_volume); }
    bool ran(double) { return false; }

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
class CudaLife final : public QueuedLife<typename Passes::Board> {
public:
    using Board = typename Passes::Board;

    template <class Rule, class... Choice>
    CudaLife(const Lane &lane, Board board, Rule rule, LifeBoundary boundary, Choice... choice)
        : device_(lane.device), board_(std::move(board)),
          passes_(device_, board_.extent(), rule, boundary, choice...), stream_(lane) {
        const CurrentDevice current(device_);
        for (auto &words : words_) {
            words = Buffer<std::uint64_t>(static_cast<std::size_t>(board_.words().size()), stream_);
        }
        passes_.load_kernels();
        words_[0].upload(board_.words().cells(), stream_);
        stream_.synchronize();
    }

    void advance(std::uint32_t generations) override {
        const CurrentDevice current(device_);
        const double begin = core::clock_seconds();
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
        if (passes_.ran(core::clock_seconds() - begin)) {
            graph_[0].clear();
            graph_[1].clear();
        }
    }

    // With the kernels that there are now: to compile one, it would have to be known how long they
    // run.
    void enqueue(std::uint32_t generations) override {
        KernelTimer timer(nullptr, stream_);
        launch_all(generations, timer);
    }
    const std::uint64_t *words() const override { return words_[now_].data(); }
    void forget_board() override { board_ = {}; }

    std::uint64_t memory() const override { return 2 * words_[0].size() * sizeof(std::uint64_t); }

private:
    Board &read() override {
        const CurrentDevice current(device_);
        words_[now_].download(board_.words().cells(), stream_);
        stream_.synchronize();
        return board_;
    }

    void launch_all(std::uint32_t generations, KernelTimer &timer) {
        while (generations > 0) {
            const LifePass pass =
                passes_.launch(stream_, generations, words_[now_].data(), words_[1 - now_].data());
            generations -= pass.generations;
            now_ = 1 - now_;
            timer.launched(pass.kernel, 2 * words_[0].size() * sizeof(std::uint64_t),
                           pass.generations);
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

std::unique_ptr<QueuedLife<LifeBoard>> make_life(const Lane &lane, LifeBoard board, LifeRule rule,
                                                 LifeBoundary boundary, const LifeTuning &tuning) {
    return std::make_unique<CudaLife<BoardPasses>>(lane, std::move(board), rule, boundary, tuning,
                                                   LifeCode::automatic);
}

std::unique_ptr<sim::LifeEngine> make_life(Device device, LifeBoard board, LifeRule rule,
                                           LifeBoundary boundary, LifeCode code,
                                           const LifeTuning &tuning) {
    require_device(device);
    return std::make_unique<CudaLife<BoardPasses>>(Lane{device.ordinal}, std::move(board), rule,
                                                   boundary, tuning, code);
}

std::unique_ptr<sim::LifeEngine> make_life(Device device, LifeBoard board, LifeRule rule,
                                           LifeBoundary boundary, const LifeTuning &tuning) {
    return make_life(device, std::move(board), rule, boundary, LifeCode::automatic, tuning);
}

std::unique_ptr<sim::LifeVolumeEngine> make_life(Device device, LifeVolume volume, LifeRule3 rule,
                                                 LifeBoundary boundary,
                                                 const LifeVolumeTuning &tuning) {
    require_device(device);
    return std::make_unique<CudaLife<VolumePasses>>(Lane{device.ordinal}, std::move(volume), rule,
                                                    boundary, tuning);
}

} // namespace karst::cuda
