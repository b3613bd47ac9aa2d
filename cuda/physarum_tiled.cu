// Physarum in two dimensions on CUDA, without maps: agents sorted into tiles, one kernel a step.
#include <algorithm>
#include <optional>

#include "physarum_bins.cuh"
#include "physarum_step.cuh"
#include "resources.cuh"
#include "sim/physarum_tuning.hpp"

namespace karst::cuda {

namespace {

constexpr std::int32_t kMostWindow = 256; // cells that an agent's 8 bits can tell apart
constexpr std::int32_t kMostSide = 1 << 30;
constexpr std::size_t kMostAgents = 0xfff00000; // indices stay in 32 bits, a launch beyond them too

// Tiles, and after how many steps agents can have drifted too far.
struct Plan {
    Tiling tiling;
    std::uint32_t steps_a_sort;
    int threads;
    std::uint32_t blocks;
    std::size_t shared_bytes;
};

std::int32_t whole_cells(std::uint64_t length) {
    return static_cast<std::int32_t>((length + 0xffff) >> core::kLengthBits);
}

std::optional<Plan> plan_for(const rules::PhysarumRule &rule, const PhysarumTuning &tuning,
                             std::size_t shared_limit) {
    const std::uint64_t step = rule.step_size;
    const std::int32_t sight = whole_cells(rule.sensor_offset);
    if (rule.width > kMostSide || rule.height > kMostSide || step > (64u << core::kLengthBits)) {
        return {};
    }
    std::uint32_t steps = sim::kStepsAtOnce;
    if (step > 0) {
        const auto allowed = (std::uint64_t{static_cast<std::uint32_t>(tuning.drift)} << 16) / step;
        steps = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
            allowed, static_cast<std::uint64_t>(tuning.least_steps), sim::kStepsAtOnce));
    }
    for (; steps > 0; --steps) {
        Plan plan{};
        Tiling &tiling = plan.tiling;
        tiling.width = rule.width;
        tiling.height = rule.height;
        tiling.log_x = tuning.tile_log_x;
        tiling.log_y = tuning.tile_log_y;
        tiling.tiles_x = (rule.width + tiling.side_x() - 1) >> tiling.log_x;
        tiling.tiles_y = (rule.height + tiling.side_y() - 1) >> tiling.log_y;
        tiling.drift = whole_cells(steps * step);
        tiling.halo_y = tiling.drift + sight;
        tiling.halo_x = (tiling.halo_y + 3) / 4 * 4;
        plan.steps_a_sort = steps;
        plan.threads = std::max(tuning.threads, (tiling.window_x() / 4 + 31) / 32 * 32);
        plan.blocks = tuning.blocks > 0
                          ? std::min(tiling.tiles(), static_cast<std::uint32_t>(tuning.blocks))
                          : tiling.tiles();
        plan.shared_bytes = tile_memory_bytes(tiling, plan.threads);
        if (std::max(tiling.window_x(), tiling.window_y()) <= kMostWindow &&
            plan.shared_bytes <= shared_limit) {
            return plan;
        }
    }
    return {};
}

// Agents in their tiles. There are two of these; sorting goes from one to the other.
struct Bins {
    Buffer<uint2> agents;
    Buffer<std::uint64_t> ids;
    Buffer<std::uint32_t> first;

    TileAgents view() const { return {agents.data(), first.data()}; }
};

class TiledPhysarum final : public sim::PhysarumEngine {
public:
    TiledPhysarum(Device device, sim::PhysarumState state, const rules::PhysarumRule &rule,
                  const Plan &plan)
        : device_(device.ordinal), state_(std::move(state)), rule_(rule), plan_(plan),
          stream_(device_) {
        const CurrentDevice current(device_);
        const auto cells = static_cast<std::size_t>(state_.trail.size());
        for (Buffer<std::uint32_t> &trail : trail_) {
            trail = Buffer<std::uint32_t>(cells);
        }
        for (Buffer<std::uint32_t> &strays : strays_) {
            strays = Buffer<std::uint32_t>(cells);
            strays.clear(stream_);
        }
        birth_ = Buffer<std::uint16_t>(static_cast<std::size_t>(state_.birth_time.size()));
        const std::size_t tiles = plan_.tiling.tiles();
        for (Bins &bins : bins_) {
            bins.agents = Buffer<uint2>(state_.agents.size());
            bins.ids = Buffer<std::uint64_t>(state_.ids.size());
            bins.first = Buffer<std::uint32_t>(tiles + 1);
        }
        counts_ = Buffer<std::uint32_t>(tiles);
        counts_.clear(stream_);
        cursor_ = Buffer<std::uint32_t>(tiles);
        directions_ = Buffer<core::Direction>(core::directions().size());
        powers_ = Buffer<core::PowerTables>(1);
        first_step_ = Buffer<std::uint32_t>(1);

        trail_[0].upload(state_.trail.cells(), stream_);
        if (!state_.birth_time.empty()) {
            birth_.upload(state_.birth_time.cells(), stream_);
        }
        directions_.upload(core::directions(), stream_);
        powers_.upload({&core::power_tables(), 1}, stream_);
        allow_shared_memory();
        sort_state_agents();
    }

    void advance(std::uint32_t steps) override {
        const CurrentDevice current(device_);
        first_step_.upload({&state_.step, 1}, stream_);
        if (steps == sim::kStepsAtOnce && done_ > 0) {
            // The buffers come back to their places every 6 steps and 2 sortings. A graph begins
            // with a sorting, so that it need not know when the last one was.
            Graph &graph = graphs_[2 * (done_ % 6) + bin_];
            const Progress before{done_, since_sort_, bin_};
            since_sort_ = plan_.steps_a_sort;
            if (!graph) {
                graph.capture(stream_, [&] { launch(steps); });
                after_graph_ = {done_ - before.done, since_sort_, bin_ ^ before.bin};
            }
            done_ = before.done + after_graph_.done;
            since_sort_ = after_graph_.since_sort;
            bin_ = before.bin ^ after_graph_.bin;
            graph.launch(stream_);
        } else {
            launch(steps);
        }
        stream_.synchronize();
        state_.step += steps;
    }

    sim::PhysarumState take() override {
        const CurrentDevice current(device_);
        const std::int64_t cells = state_.trail.size();
        Buffer<std::uint32_t> &result = done_ > 0 ? trail_[(done_ + 1) % 2] : trail_[0];
        if (done_ > 0) {
            finish<<<blocks_for(cells, kBinThreads), kBinThreads, 0, stream_>>>(
                rule_, folded(), result.data(), birth_.data(), state_.step - 1);
            KARST_CUDA_CHECK(cudaGetLastError());
        }
        result.download(state_.trail.cells(), stream_);
        if (!state_.birth_time.empty()) {
            birth_.download(state_.birth_time.cells(), stream_);
        }
        if (!state_.agents.empty()) {
            const Buffer<rules::Agent> agents(state_.agents.size());
            unpack_agents<<<bin_blocks(), kBinThreads, 0, stream_>>>(
                bins_[bin_].view(), plan_.tiling, rule_.origin_x, rule_.origin_y, agents.data());
            KARST_CUDA_CHECK(cudaGetLastError());
            agents.download(state_.agents, stream_);
            bins_[bin_].ids.download(state_.ids, stream_);
            stream_.synchronize();
        }
        stream_.synchronize();
        return std::move(state_);
    }

private:
    // Which buffers hold what.
    struct Progress {
        std::size_t done;
        std::uint32_t since_sort;
        unsigned bin;
    };

    unsigned bin_blocks() const { return blocks_for(plan_.tiling.tiles(), 1); }
    bool aligned() const { return rule_.width % 4 == 0; }

    FoldedField folded() const {
        return {trail_[done_ % 2].data(), strays_[done_ % 3].data(), done_ == 0};
    }

    // Calls `use` with the kernel for this rule.
    template <class F>
    void with_kernel(F &&use) const {
        const bool strongest = rule_.steering == Steering::strongest;
        if (aligned()) {
            use(strongest ? step_tiles<true, true> : step_tiles<true, false>);
        } else {
            use(strongest ? step_tiles<false, true> : step_tiles<false, false>);
        }
    }

    void allow_shared_memory() const {
        with_kernel([&](auto *kernel) {
            KARST_CUDA_CHECK(cudaFuncSetAttribute(kernel,
                                                  cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                  static_cast<int>(plan_.shared_bytes)));
        });
    }

    // From agents that `count` and `scatter` have put in `source` to the other bins.
    template <class Agents>
    void sort(const Agents &source, const std::uint64_t *ids, unsigned blocks, Bins &target) {
        count_by_tile<<<blocks, kBinThreads, 0, stream_>>>(source, plan_.tiling, counts_.data());
        KARST_CUDA_CHECK(cudaGetLastError());
        sum_up<<<1, kScanThreads, 0, stream_>>>(counts_.data(), target.first.data(), cursor_.data(),
                                                plan_.tiling.tiles());
        KARST_CUDA_CHECK(cudaGetLastError());
        scatter_by_tile<<<blocks, kBinThreads, 0, stream_>>>(
            source, ids, plan_.tiling, cursor_.data(), target.agents.data(), target.ids.data());
        KARST_CUDA_CHECK(cudaGetLastError());
    }

    void sort_state_agents() {
        const auto count = static_cast<std::int64_t>(state_.agents.size());
        const Buffer<rules::Agent> agents(state_.agents.size());
        const Buffer<std::uint64_t> ids(state_.ids.size());
        if (count > 0) {
            KARST_CUDA_CHECK(cudaMemcpyAsync(agents.data(), state_.agents.data(),
                                             state_.agents.size() * sizeof(rules::Agent),
                                             cudaMemcpyHostToDevice, stream_));
            KARST_CUDA_CHECK(cudaMemcpyAsync(ids.data(), state_.ids.data(),
                                             state_.ids.size() * sizeof(std::uint64_t),
                                             cudaMemcpyHostToDevice, stream_));
        }
        sort(StateAgents{agents.data(), count, rule_.origin_x, rule_.origin_y}, ids.data(),
             blocks_for(count, kBinThreads), bins_[0]);
        stream_.synchronize();
    }

    void launch(std::uint32_t steps) {
        for (std::uint32_t i = 0; i < steps; ++i) {
            if (since_sort_ >= plan_.steps_a_sort) {
                sort(bins_[bin_].view(), bins_[bin_].ids.data(), bin_blocks(), bins_[1 - bin_]);
                bin_ = 1 - bin_;
                since_sort_ = 0;
            }
            const Bins &bins = bins_[bin_];
            const TileStep step{rule_,
                                plan_.tiling,
                                folded(),
                                trail_[(done_ + 1) % 2].data(),
                                strays_[(done_ + 1) % 3].data(),
                                strays_[(done_ + 2) % 3].data(),
                                birth_.data(),
                                bins.agents.data(),
                                bins.ids.data(),
                                bins.first.data(),
                                directions_.data(),
                                powers_.data(),
                                first_step_.data(),
                                i};
            with_kernel([&](auto *kernel) {
                kernel<<<plan_.blocks, static_cast<unsigned>(plan_.threads), plan_.shared_bytes,
                         stream_>>>(step);
                KARST_CUDA_CHECK(cudaGetLastError());
            });
            ++since_sort_;
            ++done_;
        }
    }

    int device_;
    sim::PhysarumState state_;
    rules::PhysarumRule rule_;
    Plan plan_;
    std::size_t done_ = 0; // steps since the start
    std::uint32_t since_sort_ = 0;
    unsigned bin_ = 0; // which bins hold the agents
    Stream stream_;
    Buffer<std::uint32_t> trail_[2];  // by steps done
    Buffer<std::uint32_t> strays_[3]; // read, counted into, made 0
    Buffer<std::uint16_t> birth_;
    Bins bins_[2];
    Buffer<std::uint32_t> counts_; // of agents a tile; 0 between sortings
    Buffer<std::uint32_t> cursor_;
    Buffer<core::Direction> directions_;
    Buffer<core::PowerTables> powers_;
    Buffer<std::uint32_t> first_step_;
    Graph graphs_[12];
    Progress after_graph_{}; // what a graph adds; the same for all of them
};

} // namespace

std::unique_ptr<sim::PhysarumEngine> make_tiled_physarum(Device device, sim::PhysarumState &state,
                                                         const rules::PhysarumRule &rule,
                                                         const PhysarumTuning &tuning) {
    require_device(device);
    int shared = 0;
    KARST_CUDA_CHECK(
        cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device.ordinal));
    const auto plan = plan_for(rule, tuning, static_cast<std::size_t>(shared));
    if (!plan || state.agents.size() > kMostAgents) {
        return nullptr;
    }
    return std::make_unique<TiledPhysarum>(device, std::move(state), rule, *plan);
}

} // namespace karst::cuda
