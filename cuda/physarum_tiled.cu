// Physarum in two dimensions on CUDA, without maps: agents packed and sorted into tiles. Where they
// are many, a step is one kernel that works tile by tile; where they are few, it is two kernels.
#include <algorithm>

#include "kernel_timer.cuh"
#include "physarum_agents.cuh"
#include "physarum_plan.cuh"
#include "physarum_sparse.cuh"
#include "physarum_tables.cuh"
#include "queued.cuh"
#include "sim/devices.hpp"
#include "sim/physarum_tuning.hpp"
#include "staging.cuh"

namespace karst::cuda {

namespace {

// That a block of the device can have.
int most_shared_bytes(int device) {
    int bytes = 0;
    KARST_CUDA_CHECK(
        cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return bytes;
}

// What both engines hold.
class TiledPhysarum : public QueuedPhysarum2 {
public:
    TiledPhysarum(const Lane &lane, sim::PhysarumState state, std::size_t agents,
                  const rules::PhysarumRule &rule, const Plan &plan)
        : device_(lane.device), state_(std::move(state)), rule_(rule), plan_(plan), stream_(lane) {
        const CurrentDevice current(device_);
        birth_ = uploaded<std::uint16_t>(state_.birth_time.cells(), stream_);
        tables_ = DeviceTables(stream_);
        agents_ = SortedAgents(state_, agents, rule_, plan_.tiling, !plan_.dense, stream_);
    }

    void advance(std::uint32_t steps) override {
        const CurrentDevice current(device_);
        KernelTimer timer(times_, stream_);
        run(steps, timer);
        stream_.synchronize();
        timer.finish();
        state_.step += steps;
    }

    void enqueue(std::uint32_t steps) override {
        KernelTimer timer(nullptr, stream_);
        run(steps, timer);
        state_.step += steps;
    }
    const std::uint32_t *enqueue_trail() override { return finished().data(); }
    const std::uint16_t *enqueue_birth_times() override {
        finished();
        return birth_.data();
    }
    void forget_state() override {
        const std::uint32_t step = state_.step;
        state_ = {};
        state_.step = step;
    }

protected:
    virtual void run(std::uint32_t steps, KernelTimer &timer) = 0;
    // The trail after the last step, until the next; birth times then are up to date too.
    virtual const Buffer<std::uint32_t> &finished() = 0;

    // The agents in the step `offset` after the one in device memory, or in step `offset`.
    AgentStep agent_step(const std::uint32_t *first_step, std::uint32_t offset) const {
        return {rule_, tables_.view(), agents_.agents(), agents_.ids(), first_step, offset};
    }

    // Without the copies of the trail.
    std::uint64_t common_memory() const {
        return agents_.memory() + birth_.size() * sizeof(std::uint16_t);
    }

    void sort(KernelTimer &timer) {
        agents_.sort();
        timer.launched("sort", agent_bytes(), 0);
        since_sort_ = 0;
    }

    // Read and written at least.
    std::uint64_t agent_bytes() const { return 2 * agents_.size() * sizeof(uint2); }

    std::uint64_t cell_bytes() const { return 4 * cells() * sizeof(std::uint32_t); }

    std::size_t cells() const {
        return static_cast<std::size_t>(rule_.width) * static_cast<std::size_t>(rule_.height);
    }

    bool plain() const {
        return rule_.steering == Steering::strongest &&
               ((rule_.sensor_offset | rule_.step_size) & kQuarterCell) == 0;
    }

    int device_;
    sim::PhysarumState state_;
    rules::PhysarumRule rule_;
    Plan plan_;
    std::size_t done_ = 0; // steps since the start
    std::uint32_t since_sort_ = 0;
    Stream stream_;
    Buffer<std::uint16_t> birth_;
    SortedAgents agents_;
    DeviceTables tables_;

private:
    sim::PhysarumState &read() override {
        const CurrentDevice current(device_);
        finished().download(state_.trail.cells(), stream_);
        birth_.download(state_.birth_time.cells(), stream_);
        agents_.download(state_, rule_);
        return state_;
    }

    Field2D<std::uint32_t> &read_trail(core::Run &run) override {
        const CurrentDevice current(device_);
        Staging(run).download(finished(), state_.trail.cells(), stream_);
        return state_.trail;
    }
};

// physarum_step.cuh. No graph: a kernel takes longer than its launch, and the buffers come back to
// their places only every sixth step.
class DensePhysarum final : public TiledPhysarum {
public:
    DensePhysarum(const Lane &lane, sim::PhysarumState state, std::size_t agents,
                  const rules::PhysarumRule &rule, const Plan &plan)
        : TiledPhysarum(lane, std::move(state), agents, rule, plan) {
        const CurrentDevice current(device_);
        for (Buffer<std::uint32_t> &trail : trail_) {
            trail = Buffer<std::uint32_t>(cells(), stream_);
        }
        for (Buffer<std::uint32_t> &strays : strays_) {
            strays = Buffer<std::uint32_t>(cells(), stream_);
            strays.clear(stream_);
        }
        load_trail(state_, trail_[0], stream_);
        const int most = most_shared_bytes(device_);
        with_kernel([&](auto *kernel) {
            // Not what this engine needs: another one may need more of the same kernel.
            KARST_CUDA_CHECK(
                cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
            KARST_CUDA_CHECK(cudaFuncSetAttribute(kernel,
                                                  cudaFuncAttributePreferredSharedMemoryCarveout,
                                                  cudaSharedmemCarveoutMaxShared));
            load(kernel, finish);
        });
        stream_.synchronize();
    }

    std::uint64_t memory() const override {
        return common_memory() + 5 * trail_[0].size() * sizeof(std::uint32_t);
    }

private:
    const Buffer<std::uint32_t> &finished() override {
        const bool unfinished = done_ > 0;
        const Buffer<std::uint32_t> &result = trail_[(done_ + (unfinished ? 1 : 0)) % 2];
        if (unfinished) {
            launch(finish,
                   {blocks_for(static_cast<std::int64_t>(cells()), kBinThreads), kBinThreads},
                   stream_, rule_, folded(), result.data(), birth_.data(), state_.step - 1);
        }
        return result;
    }

    FoldedField folded() const {
        return {trail_[done_ % 2].data(), strays_[done_ % 3].data(), done_ == 0};
    }

    // Calls `use` with the kernel for this rule.
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

    void run(std::uint32_t steps, KernelTimer &timer) override {
        for (std::uint32_t i = 0; i < steps; ++i) {
            if (since_sort_ >= plan_.steps_a_sort) {
                sort(timer);
            }
            const TileStep step{agent_step(nullptr, state_.step + i),
                                plan_.tiling,
                                agents_.first(),
                                folded(),
                                trail_[(done_ + 1) % 2].data(),
                                strays_[(done_ + 1) % 3].data(),
                                strays_[(done_ + 2) % 3].data(),
                                birth_.data()};
            with_kernel([&](auto *kernel) {
                launch(kernel,
                       {plan_.blocks, static_cast<unsigned>(plan_.threads), plan_.shared_bytes},
                       stream_, step);
            });
            timer.launched("step", agent_bytes() + cell_bytes(), 1);
            ++since_sort_;
            ++done_;
        }
    }

    Buffer<std::uint32_t> trail_[2];  // by steps done
    Buffer<std::uint32_t> strays_[3]; // read, counted into, made 0
};

// physarum_sparse.cuh.
class SparsePhysarum final : public TiledPhysarum {
public:
    SparsePhysarum(const Lane &lane, sim::PhysarumState state, std::size_t agents,
                   const rules::PhysarumRule &rule, const Plan &plan)
        : TiledPhysarum(lane, std::move(state), agents, rule, plan) {
        const CurrentDevice current(device_);
        const Device device{DeviceKind::cuda, device_};
        trail_ = Buffer<std::uint32_t>(cells(), stream_);
        load_trail(state_, trail_, stream_);
        for (Buffer<std::uint32_t> &folded : folded_) {
            folded = Buffer<std::uint32_t>(trail_.size(), stream_);
        }
        folded_[0].copy(trail_, stream_);
        first_step_ = DeviceStep(state_.step, stream_);
        const Overflow overflow{0, state_.step};
        overflow_ = uploaded<Overflow>({&overflow, 1}, stream_);
        find_crowds_of_agents();
        fits_cache_ = 3 * trail_.size() * sizeof(std::uint32_t) <= cache_size(device);
        with_kernels([&](auto *move, auto *diffuse) {
            overlap_ = can_overlap(move) && can_overlap(diffuse);
            load(move, diffuse, find_crowds, add_steps);
        });
        // As many blocks as run at once, all with the same number of rounds.
        const std::uint64_t most = 2 * static_cast<std::uint64_t>(multiprocessors(device));
        const std::uint64_t batches =
            (agents_.size() + kSparseBatch * kSparseThreads - 1) / (kSparseBatch * kSparseThreads);
        const std::uint64_t rounds = (batches + most - 1) / most;
        blocks_ = batches == 0 ? 0 : static_cast<unsigned>((batches + rounds - 1) / rounds);
        agents_a_block_ = static_cast<std::uint32_t>(rounds * kSparseBatch * kSparseThreads);
        stream_.synchronize();
    }

    std::uint64_t memory() const override {
        return common_memory() + 3 * trail_.size() * sizeof(std::uint32_t);
    }

private:
    const Buffer<std::uint32_t> &finished() override { return trail_; }

    // Calls `use` with the two kernels for this rule.
    template <class F>
    void with_kernels(F &&use) const {
        const auto choose = [&]<bool torus>() {
            const auto diffuse = rule_.width % 4 != 0 ? diffuse_sparse<false, torus, false>
                                 : fits_cache_        ? diffuse_sparse<true, torus, true>
                                                      : diffuse_sparse<true, torus, false>;
            use(plain() ? move_sparse<torus, true> : move_sparse<torus, false>, diffuse);
        };
        rule_.torus ? choose.template operator()<true>() : choose.template operator()<false>();
    }

    void sort_again(KernelTimer &timer) {
        sort(timer);
        find_crowds_of_agents();
    }

    void find_crowds_of_agents() {
        const std::uint64_t room = (std::uint64_t{1} << 32) - kSmallTrail;
        const std::uint64_t most = rule_.deposit == 0 ? room : room / rule_.deposit;
        // Across a tile that the field's border cuts off agents come from further tiles.
        const bool whole = rule_.width % kTileSide == 0 && rule_.height % kTileSide == 0;
        launch(find_crowds, {1, kCrowdThreads}, stream_, agents_.first(), plan_.tiling,
               whole ? 1 : 2, most, &overflow_.data()->crowded);
    }

    void run(std::uint32_t steps, KernelTimer &timer) override {
        if (steps == sim::kStepsAtOnce && steps <= plan_.steps_a_sort && times_ == nullptr &&
            stream_.is_own()) {
            if (since_sort_ + steps > plan_.steps_a_sort) {
                sort_again(timer);
            }
            Graph &graph = graphs_[2 * (done_ % 2) + agents_.side()];
            if (!graph) {
                graph.capture(stream_, [&] { launch_steps(steps, timer); });
            }
            graph.launch(stream_);
            since_sort_ += steps;
            done_ += steps;
            return;
        }
        while (steps > 0) {
            if (since_sort_ >= plan_.steps_a_sort) {
                sort_again(timer);
            }
            const std::uint32_t now = std::min(steps, plan_.steps_a_sort - since_sort_);
            launch_steps(now, timer);
            since_sort_ += now;
            done_ += now;
            steps -= now;
        }
    }

    void launch_steps(std::uint32_t count, KernelTimer &timer) {
        const auto parts = [](std::int32_t all, std::int32_t each) {
            return static_cast<unsigned>((all + each - 1) / each);
        };
        const dim3 grid(parts(rule_.width, 128),
                        std::min(parts(rule_.height, kGridRows * kGridWarps), 65535u));
        for (std::uint32_t i = 0; i < count; ++i) {
            const SparseStep step{agent_step(first_step_.data(), i),
                                  plan_.tiling,
                                  agents_.tiles(),
                                  static_cast<std::uint32_t>(agents_.size()),
                                  agents_a_block_,
                                  trail_.data(),
                                  folded_[(done_ + i) % 2].data(),
                                  folded_[(done_ + i + 1) % 2].data(),
                                  birth_.data(),
                                  overflow_.data()};
            with_kernels([&](auto *move, auto *diffuse) {
                if (blocks_ > 0) {
                    launch(move, {blocks_, kSparseThreads, 0, overlap_}, stream_, step);
                    timer.launched("sense_turn_move", agent_bytes(), 0);
                }
                launch(diffuse, {grid, 32 * kGridWarps, 0, overlap_}, stream_, step);
                timer.launched("diffuse_decay", cell_bytes() / 4 * 3, 1);
            });
        }
        first_step_.add(count, stream_);
    }

    bool overlap_ = false;
    // All copies of the trail: then what is read and no longer needed should leave the cache first;
    // elsewhere rows that two warps read would come twice.
    bool fits_cache_ = false;
    unsigned blocks_ = 0; // of the kernel that moves agents
    std::uint32_t agents_a_block_ = 0;
    Buffer<std::uint32_t> trail_;
    Buffer<std::uint32_t> folded_[2]; // by steps done
    Buffer<Overflow> overflow_;
    DeviceStep first_step_;
    Graph graphs_[4]; // 32 steps: by steps done and by the side of the agents
};

std::optional<Plan> plan_on(int device, const rules::PhysarumRule &rule, std::size_t agents,
                            const PhysarumTuning &tuning) {
    return plan_for(rule, agents, tuning, static_cast<std::size_t>(most_shared_bytes(device)),
                    multiprocessors({DeviceKind::cuda, device}));
}

} // namespace

PhysarumWay physarum_way(Device device, const rules::PhysarumRule &rule, std::size_t agents,
                         const PhysarumTuning &tuning) {
    require_device(device);
    const auto plan = plan_on(device.ordinal, rule, agents, tuning);
    if (!plan) {
        return {two_kernels, 0};
    }
    return {plan->dense ? dense_tiles : sparse_tiles, plan->steps_a_sort};
}

std::unique_ptr<QueuedPhysarum2> make_tiled_physarum(const Lane &lane, sim::PhysarumState &state,
                                                     const rules::PhysarumRule &rule,
                                                     const PhysarumTuning &tuning) {
    const CurrentDevice current(lane.device);
    const std::size_t agents = count_of(state, Stream(lane));
    const auto plan = plan_on(lane.device, rule, agents, tuning);
    if (!plan) {
        return nullptr;
    }
    if (plan->dense) {
        return std::make_unique<DensePhysarum>(lane, std::move(state), agents, rule, *plan);
    }
    return std::make_unique<SparsePhysarum>(lane, std::move(state), agents, rule, *plan);
}

std::unique_ptr<sim::PhysarumEngine> make_tiled_physarum(Device device, sim::PhysarumState &state,
                                                         const rules::PhysarumRule &rule,
                                                         const PhysarumTuning &tuning) {
    require_device(device);
    return make_tiled_physarum(Lane{device.ordinal}, state, rule, tuning);
}

} // namespace karst::cuda
