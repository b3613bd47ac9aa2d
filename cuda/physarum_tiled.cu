// Physarum in two dimensions on CUDA, without maps: agents packed and sorted into tiles. A step is
// one kernel where agents are many, two where they are few.
#include <algorithm>

#include "kernel_timer.cuh"
#include "physarum_bins.cuh"
#include "physarum_plan.cuh"
#include "physarum_sparse.cuh"
#include "resources.cuh"
#include "sim/physarum_tuning.hpp"

namespace karst::cuda {

namespace {

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
        for (std::size_t i = 0; i < cycle(); ++i) {
            strays_[i] = Buffer<std::uint32_t>(cells);
            strays_[i].clear(stream_);
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
        moved_ = Buffer<std::uint32_t>(tiles * kAround);
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
        if (plan_.dense) {
            allow_shared_memory();
        }
        sort_state_agents();
    }

    void advance(std::uint32_t steps) override {
        const CurrentDevice current(device_);
        first_step_.upload({&state_.step, 1}, stream_);
        KernelTimer timer(times_, stream_);
        if (steps == sim::kStepsAtOnce && done_ > 0 && times_ == nullptr) {
            // The buffers come back to their places every 6 steps and 2 sortings. A graph begins
            // with a sorting, so that it need not know when the last one was.
            Graph &graph = graphs_[2 * (done_ % 6) + bin_];
            const Progress before{done_, since_sort_, bin_};
            since_sort_ = plan_.steps_a_sort;
            if (!graph) {
                graph.capture(stream_, [&] { launch(steps, timer); });
                after_graph_ = {done_ - before.done, since_sort_, bin_ ^ before.bin};
            }
            done_ = before.done + after_graph_.done;
            since_sort_ = after_graph_.since_sort;
            bin_ = before.bin ^ after_graph_.bin;
            graph.launch(stream_);
        } else {
            launch(steps, timer);
        }
        stream_.synchronize();
        timer.finish();
        state_.step += steps;
    }

    sim::PhysarumState take() override {
        const CurrentDevice current(device_);
        const std::int64_t cells = state_.trail.size();
        const bool unfinished = plan_.dense && done_ > 0;
        Buffer<std::uint32_t> &result = trail_[(done_ + (unfinished ? 1 : 0)) % 2];
        if (unfinished) {
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

    FoldedField folded() const {
        return {trail_[done_ % 2].data(), strays_[done_ % cycle()].data(), done_ == 0};
    }

    bool plain() const {
        return rule_.steering == Steering::strongest &&
               ((rule_.sensor_offset | rule_.step_size) & kQuarterCell) == 0;
    }

    // Steps after which strays_ come back to their places.
    std::size_t cycle() const { return plan_.dense ? 3 : 2; }

    // Calls `use` with the kernel of a dense step for this rule.
    template <class F>
    void with_kernel(F &&use) const {
        const auto choose = [&]<bool aligned, bool torus>() {
            use(plain() ? step_tiles<Kind<aligned, torus, true>>
                        : step_tiles<Kind<aligned, torus, false>>);
        };
        if (rule_.width % 4 == 0) {
            rule_.torus ? choose.template operator()<true, true>()
                        : choose.template operator()<true, false>();
        } else {
            rule_.torus ? choose.template operator()<false, true>()
                        : choose.template operator()<false, false>();
        }
    }

    // The two kernels of a sparse step.
    void launch_sparse(const TileStep &step, KernelTimer &timer, std::uint64_t agent_bytes,
                       std::uint64_t cell_bytes) const {
        const std::int32_t reach = plan_.tiling.drift + whole_cells(rule_.sensor_offset);
        const auto move = rule_.torus ? plain() ? move_sparse<true, true> : move_sparse<true, false>
                          : plain() ? move_sparse<false, true>
                                      : move_sparse<false, false>;
        if (!state_.agents.empty()) {
            move<<<plan_.blocks, kSparseThreads, 0, stream_>>>(step, reach);
            KARST_CUDA_CHECK(cudaGetLastError());
            timer.launched("sense_turn_move", agent_bytes, 0);
        }
        const bool aligned = rule_.width % 4 == 0;
        const auto diffuse =
            rule_.torus ? aligned ? diffuse_sparse<true, true> : diffuse_sparse<false, true>
            : aligned ? diffuse_sparse<true, false>
                        : diffuse_sparse<false, false>;
        const auto parts = [](std::int32_t all, std::int32_t each) {
            return static_cast<unsigned>((all + each - 1) / each);
        };
        const dim3 grid(parts(rule_.width, 4 * kGridGroups),
                        std::min(parts(rule_.height, kGridRows * kGridWarps), 65535u));
        diffuse<<<grid, 32 * kGridWarps, 0, stream_>>>(step);
        KARST_CUDA_CHECK(cudaGetLastError());
        timer.launched("diffuse_decay", cell_bytes, 1);
    }

    void allow_shared_memory() const {
        with_kernel([&](auto *kernel) {
            KARST_CUDA_CHECK(cudaFuncSetAttribute(kernel,
                                                  cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                  static_cast<int>(plan_.shared_bytes)));
            KARST_CUDA_CHECK(cudaFuncSetAttribute(kernel,
                                                  cudaFuncAttributePreferredSharedMemoryCarveout,
                                                  cudaSharedmemCarveoutMaxShared));
        });
    }

    void sum_up_counts(const Bins &target) {
        sum_up<<<1, kScanThreads, 0, stream_>>>(counts_.data(), target.first.data(), cursor_.data(),
                                                plan_.tiling.tiles());
        KARST_CUDA_CHECK(cudaGetLastError());
    }

    // From the state into the first bins.
    void sort_state_agents() {
        const auto count = static_cast<std::int64_t>(state_.agents.size());
        Buffer<rules::Agent> agents(state_.agents.size());
        Buffer<std::uint64_t> ids(state_.ids.size());
        if (count > 0) {
            agents.upload(state_.agents, stream_);
            ids.upload(state_.ids, stream_);
        }
        const StateAgents from{agents.data(), count, rule_.origin_x, rule_.origin_y};
        const unsigned blocks = blocks_for(count, kBinThreads);
        count_state<<<blocks, kBinThreads, 0, stream_>>>(from, plan_.tiling, counts_.data());
        KARST_CUDA_CHECK(cudaGetLastError());
        sum_up_counts(bins_[0]);
        scatter_state<<<blocks, kBinThreads, 0, stream_>>>(from, ids.data(), plan_.tiling,
                                                           cursor_.data(), bins_[0].agents.data(),
                                                           bins_[0].ids.data());
        KARST_CUDA_CHECK(cudaGetLastError());
        stream_.synchronize();
    }

    // From the bins that hold the agents into the other ones.
    void sort_again() {
        const Bins &from = bins_[bin_];
        const Bins &to = bins_[1 - bin_];
        count_tiles<<<bin_blocks(), kBinThreads, 0, stream_>>>(from.view(), plan_.tiling,
                                                               counts_.data(), moved_.data());
        KARST_CUDA_CHECK(cudaGetLastError());
        sum_up_counts(to);
        scatter_tiles<<<bin_blocks(), kBinThreads, 0, stream_>>>(
            from.view(), from.ids.data(), plan_.tiling, moved_.data(), cursor_.data(),
            to.agents.data(), to.ids.data());
        KARST_CUDA_CHECK(cudaGetLastError());
        bin_ = 1 - bin_;
        since_sort_ = 0;
    }

    void launch(std::uint32_t steps, KernelTimer &timer) {
        const std::uint64_t agent_bytes = 2 * state_.agents.size() * sizeof(uint2);
        const std::uint64_t cell_bytes = 4 * trail_[0].size() * sizeof(std::uint32_t);
        for (std::uint32_t i = 0; i < steps; ++i) {
            if (since_sort_ >= plan_.steps_a_sort) {
                sort_again();
                timer.launched("sort", agent_bytes, 0);
            }
            const Bins &bins = bins_[bin_];
            const TileStep step{rule_,
                                plan_.tiling,
                                folded(),
                                trail_[(done_ + 1) % 2].data(),
                                strays_[(done_ + 1) % cycle()].data(),
                                strays_[(done_ + 2) % cycle()].data(),
                                birth_.data(),
                                bins.agents.data(),
                                bins.ids.data(),
                                bins.first.data(),
                                directions_.data(),
                                powers_.data(),
                                first_step_.data(),
                                i};
            if (plan_.dense) {
                with_kernel([&](auto *kernel) {
                    kernel<<<plan_.blocks, static_cast<unsigned>(plan_.threads), plan_.shared_bytes,
                             stream_>>>(step);
                    KARST_CUDA_CHECK(cudaGetLastError());
                });
                timer.launched("step", agent_bytes + cell_bytes, 1);
            } else {
                launch_sparse(step, timer, agent_bytes, cell_bytes);
            }
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
    Buffer<std::uint32_t> trail_[2]; // by steps done
    // Dense: read, counted into, made 0. Sparse: all counts; counted into and read, made 0.
    Buffer<std::uint32_t> strays_[3];
    Buffer<std::uint16_t> birth_;
    Bins bins_[2];
    Buffer<std::uint32_t> counts_; // of agents a tile, 0 between sortings
    Buffer<std::uint32_t> moved_;  // from each tile to those around it
    Buffer<std::uint32_t> cursor_; // where the next one that comes to a tile is put
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
    const auto plan = plan_for(rule, state.agents.size(), tuning, static_cast<std::size_t>(shared));
    if (!plan) {
        return nullptr;
    }
    return std::make_unique<TiledPhysarum>(device, std::move(state), rule, *plan);
}

} // namespace karst::cuda
