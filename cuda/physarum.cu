// Physarum on CUDA for every rule and map: two kernels a step, buffers allocated once, graphs of 32
// steps on streams of its own. The tiled engine (physarum_tiled.cu) is faster where it fits.
#include <optional>

#include "core/atomic.hpp"
#include "kernel_timer.cuh"
#include "physarum_births.cuh"
#include "physarum_tables.cuh"
#include "queued.cuh"
#include "sim/physarum.hpp"
#include "sim/physarum_tuning.hpp"
#include "staging.cuh"

namespace karst::cuda {

namespace {

constexpr unsigned kAgentThreads = 256; // at most
constexpr unsigned kCellThreads = 128;
constexpr int kTileX = 32;
constexpr int kTileY = 8;
constexpr int kPlanesABlock = 16;

// `first_step` lies in device memory, so that one captured graph serves every 32 steps.
// AnyControls is rules::NoControls where there are none: the same code as if maps did not exist.
template <class Rule, class AnyControls>
__global__ void __launch_bounds__(kAgentThreads)
    move_and_deposit(Rule rule, AnyControls controls, const std::uint32_t *__restrict__ trail,
                     std::uint32_t *__restrict__ count, rules::Tables tables,
                     typename Rule::Agent *__restrict__ agents,
                     const std::uint64_t *__restrict__ ids, std::int64_t agent_count,
                     const std::uint32_t *__restrict__ first_step, std::uint32_t offset) {
    const std::uint32_t step = *first_step + offset;
    const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < agent_count;
         i += stride) {
        typename Rule::Agent agent = agents[i];
        const std::int64_t cell =
            rules::move_agent(rule, trail, tables, ids[i], step, agent, controls);
        agents[i] = agent;
        if (cell >= 0) {
            core::atomic_add(count[cell], 1);
        }
    }
}

// Folds, diffuses and decays, keeps birth times, and clears the counts of the step before, which
// nobody reads any more. A thread walks down `walk` rows of a column and keeps the sums of three
// cells of the rows above and below.
template <class AnyControls>
__global__ void __launch_bounds__(kCellThreads)
    fold_diffuse_decay(rules::PhysarumRule rule, AnyControls controls, std::int32_t walk,
                       const std::uint32_t *__restrict__ trail,
                       const std::uint32_t *__restrict__ count, std::uint32_t *__restrict__ next,
                       std::uint32_t *__restrict__ other_count, std::uint16_t *__restrict__ birth,
                       const std::uint32_t *__restrict__ first_step, std::uint32_t offset) {
    const std::int32_t x = static_cast<std::int32_t>(blockIdx.x * kCellThreads + threadIdx.x);
    if (x >= rule.width) {
        return;
    }
    const auto cell_at = [&](std::int32_t column, std::int32_t row) -> std::uint64_t {
        const std::int64_t cell =
            rules::cell_index(rule, rule.origin_x + column, rule.origin_y + row);
        return cell < 0 ? 0 : rules::fold_at(rule, controls, cell, trail[cell], count[cell]);
    };
    const auto row_sum = [&](std::int32_t row) {
        return cell_at(x - 1, row) + cell_at(x, row) + cell_at(x + 1, row);
    };
    const std::int32_t strips = (rule.height + walk - 1) / walk;
    for (std::int32_t strip = static_cast<std::int32_t>(blockIdx.y); strip < strips;
         strip += static_cast<std::int32_t>(gridDim.y)) {
        const std::int32_t begin = strip * walk;
        const std::int32_t end = min(begin + walk, rule.height);
        std::uint64_t above = row_sum(begin - 1);
        std::uint64_t here = row_sum(begin);
        for (std::int32_t y = begin; y < end; ++y) {
            const std::uint64_t below = row_sum(y + 1);
            const std::int64_t cell = std::int64_t{y} * rule.width + x;
            next[cell] =
                rules::diffuse_decay_at(rule, controls, cell, above + here + below, trail[cell]);
            other_count[cell] = 0;
            if (birth != nullptr) {
                birth[cell] = rules::birth_time(birth[cell], count[cell], *first_step + offset);
            }
            above = here;
            here = below;
        }
    }
}

// The same for a volume. A block of kTileX by kTileY threads walks up `walk` planes; each
// plane is folded once, with a border of one cell, into shared memory, and every thread keeps the
// sums of nine cells of the planes below and at its own.
template <class AnyControls>
__global__ void __launch_bounds__(kTileX *kTileY)
    fold_diffuse_decay(rules::Physarum3Rule rule, AnyControls controls, std::int32_t walk,
                       const std::uint32_t *__restrict__ trail,
                       const std::uint32_t *__restrict__ count, std::uint32_t *__restrict__ next,
                       std::uint32_t *__restrict__ other_count, std::uint16_t *__restrict__ birth,
                       const std::uint32_t *__restrict__ first_step, std::uint32_t offset) {
    constexpr int kWidth = kTileX + 2;
    constexpr int kFolded = kWidth * (kTileY + 2);
    __shared__ std::uint32_t folded[kFolded];
    const int corner_x = static_cast<int>(blockIdx.x) * kTileX;
    const int x = corner_x + static_cast<int>(threadIdx.x);
    const int thread = static_cast<int>(threadIdx.y) * kTileX + static_cast<int>(threadIdx.x);
    const std::uint32_t *const middle = folded + (threadIdx.y + 1) * kWidth + threadIdx.x + 1;
    const int tiles_y = (rule.size[1] + kTileY - 1) / kTileY;
    const int slabs = (rule.size[2] + walk - 1) / walk;
    const std::int64_t blocks = std::int64_t{tiles_y} * slabs;
    for (std::int64_t block = blockIdx.y; block < blocks; block += gridDim.y) {
        const int corner_y = static_cast<int>(block % tiles_y) * kTileY;
        const int y = corner_y + static_cast<int>(threadIdx.y);
        const int begin = static_cast<int>(block / tiles_y) * walk;
        const int end = min(begin + walk, rule.size[2]);
        const auto plane_sum = [&](int z) {
            __syncthreads();
            for (int i = thread; i < kFolded; i += kTileX * kTileY) {
                const std::int64_t cell = rules::cell_index(
                    rule, rule.origin[0] + corner_x + i % kWidth - 1,
                    rule.origin[1] + corner_y + i / kWidth - 1, rule.origin[2] + z);
                folded[i] =
                    cell < 0 ? 0 : rules::fold_at(rule, controls, cell, trail[cell], count[cell]);
            }
            __syncthreads();
            std::uint64_t sum = 0;
            for (int row = -kWidth; row <= kWidth; row += kWidth) {
                sum += std::uint64_t{middle[row - 1]} + middle[row] + middle[row + 1];
            }
            return sum;
        };
        std::uint64_t below = plane_sum(begin - 1);
        std::uint64_t here = plane_sum(begin);
        for (int z = begin; z < end; ++z) {
            const std::uint64_t above = plane_sum(z + 1);
            if (x < rule.size[0] && y < rule.size[1]) {
                const std::int64_t cell = (std::int64_t{z} * rule.size[1] + y) * rule.size[0] + x;
                next[cell] = rules::diffuse_decay_at(rule, controls, cell, below + here + above,
                                                     trail[cell]);
                other_count[cell] = 0;
                if (birth != nullptr) {
                    birth[cell] = rules::birth_time(birth[cell], count[cell], *first_step + offset);
                }
            }
            below = here;
            here = above;
        }
    }
}

template <class Rule, class AnyControls>
constexpr auto cell_kernel =
    static_cast<void (*)(Rule, AnyControls, std::int32_t, const std::uint32_t *,
                         const std::uint32_t *, std::uint32_t *, std::uint32_t *, std::uint16_t *,
                         const std::uint32_t *, std::uint32_t)>(&fold_diffuse_decay<AnyControls>);

// A grid of at most 65535 rows of blocks, over which the kernels stride, and its blocks.
struct Launch {
    dim3 grid;
    dim3 block;
    std::int32_t walk; // rows or planes
};

Launch launch_of(std::int64_t columns, std::int64_t rows, dim3 block, std::int32_t walk) {
    return {
        dim3(static_cast<unsigned>(columns), static_cast<unsigned>(rows < 65535 ? rows : 65535)),
        block, walk};
}

Launch cell_launch(const rules::PhysarumRule &rule, const PhysarumTuning &tuning) {
    return launch_of((std::int64_t{rule.width} + kCellThreads - 1) / kCellThreads,
                     (std::int64_t{rule.height} + tuning.rows - 1) / tuning.rows,
                     dim3(kCellThreads), tuning.rows);
}

Launch cell_launch(const rules::Physarum3Rule &rule, const PhysarumTuning &) {
    const auto blocks = [](std::int64_t cells, int each) { return (cells + each - 1) / each; };
    return launch_of(blocks(rule.size[0], kTileX),
                     blocks(rule.size[1], kTileY) * blocks(rule.size[2], kPlanesABlock),
                     dim3(kTileX, kTileY), kPlanesABlock);
}

// The fields of rules::Controls in device memory.
template <class Extent>
class DeviceControls {
public:
    // `fields` must stay alive until the stream is synchronised.
    DeviceControls(const sim::BasicControlFields<Extent> &fields, const Stream &stream)
        : walls_(fields.walls, stream), food_(fields.food, stream),
          sensor_angle_(fields.sensor_angle, stream),
          rotation_angle_(fields.rotation_angle, stream),
          sensor_offset_(fields.sensor_offset, stream), step_size_(fields.step_size, stream),
          deposit_(fields.deposit, stream), retain_share_(fields.retain_share, stream) {}

    rules::Controls view() const {
        return {walls_.data(),          food_.data(),          sensor_angle_.data(),
                rotation_angle_.data(), sensor_offset_.data(), step_size_.data(),
                deposit_.data(),        retain_share_.data()};
    }

private:
    // Null for a field that is not there.
    template <class T>
    class Copy {
    public:
        Copy(const Field<T, Extent> &field, const Stream &stream)
            : buffer_(uploaded<T>(field.cells(), stream)) {}
        const T *data() const noexcept { return buffer_.data(); }

    private:
        Buffer<T> buffer_;
    };

    Copy<std::uint8_t> walls_;
    Copy<std::int32_t> food_;
    Copy<std::uint16_t> sensor_angle_;
    Copy<std::uint16_t> rotation_angle_;
    Copy<std::uint32_t> sensor_offset_;
    Copy<std::uint32_t> step_size_;
    Copy<std::uint32_t> deposit_;
    Copy<std::uint32_t> retain_share_;
};

// In its place where there are none.
struct NoDeviceControls {
    static rules::NoControls view() { return {}; }
};

template <class Rule, class Controls>
class CudaPhysarum final : public QueuedPhysarum<Rule> {
    using View = decltype(std::declval<const Controls &>().view());
    static constexpr auto kCellKernel = cell_kernel<Rule, View>;

public:
    // `controls` are what Controls is made of, beside the stream.
    template <class... Fields>
    CudaPhysarum(const Lane &lane, sim::BasicPhysarumState<Rule> state, const Rule &rule,
                 const PhysarumTuning &tuning, const Fields &...controls)
        : device_(lane.device), state_(std::move(state)), rule_(rule),
          agent_threads_(static_cast<unsigned>(tuning.agent_threads)),
          cells_(cell_launch(rule, tuning)), stream_(lane) {
        const CurrentDevice current(device_);
        const auto cells = static_cast<std::size_t>(state_.trail.size());
        for (int i = 0; i < 2; ++i) {
            trail_[i] = Buffer<std::uint32_t>(cells, stream_);
            count_[i] = Buffer<std::uint32_t>(cells, stream_);
            count_[i].clear(stream_);
        }
        first_step_ = DeviceStep(state_.step, stream_);
        load_trail(state_, trail_[0], stream_);
        birth_ = uploaded<std::uint16_t>(state_.birth_time.cells(), stream_);
        NewAgents<Rule> fresh(state_, rule_, count_of(state_, stream_), stream_);
        agents_ = std::move(fresh.agents);
        ids_ = std::move(fresh.ids);
        tables_ = DeviceTables(stream_);
        if constexpr (sizeof...(controls) > 0) {
            controls_.emplace(controls..., stream_);
        } else {
            controls_.emplace();
        }
        load(move_and_deposit<Rule, View>, kCellKernel, add_steps);
        stream_.synchronize();
    }

    void advance(std::uint32_t steps) override {
        const CurrentDevice current(device_);
        const int parity = static_cast<int>(done_ & 1);
        KernelTimer timer(this->times_, stream_);
        if (steps == sim::kStepsAtOnce && this->times_ == nullptr) {
            if (!graph_[parity]) {
                graph_[parity].capture(stream_, [&] { launch_steps(steps, timer); });
            }
            graph_[parity].launch(stream_);
        } else {
            launch_steps(steps, timer);
        }
        stream_.synchronize();
        timer.finish();
        state_.step += steps;
        done_ += steps;
    }

    void enqueue(std::uint32_t steps) override {
        KernelTimer timer(nullptr, stream_);
        launch_steps(steps, timer);
        done_ += steps;
    }
    const std::uint32_t *enqueue_trail() override { return trail_[done_ & 1].data(); }
    const std::uint16_t *enqueue_birth_times() override { return birth_.data(); }
    void forget_state() override { state_ = {}; }

    std::uint64_t memory() const override {
        return trail_[0].size() * 4 * sizeof(std::uint32_t) +
               birth_.size() * sizeof(std::uint16_t) +
               ids_.size() * (sizeof(typename Rule::Agent) + sizeof(std::uint64_t));
    }

private:
    sim::BasicPhysarumState<Rule> &read() override {
        const CurrentDevice current(device_);
        trail_[done_ & 1].download(state_.trail.cells(), stream_);
        birth_.download(state_.birth_time.cells(), stream_);
        if (state_.births) {
            resize_agents(state_, ids_.size());
            ids_.download(state_.ids, stream_);
        }
        agents_.download(state_.agents, stream_);
        stream_.synchronize();
        return state_;
    }

    Field<std::uint32_t, typename Rule::Extent> &read_trail(core::Run &run) override {
        const CurrentDevice current(device_);
        Staging(run).download(trail_[done_ & 1], state_.trail.cells(), stream_);
        return state_.trail;
    }

    void launch_steps(std::uint32_t steps, KernelTimer &timer) {
        const auto agents = static_cast<std::int64_t>(ids_.size());
        const Grid agent_grid{blocks_for(agents, agent_threads_), agent_threads_};
        for (std::uint32_t i = 0; i < steps; ++i) {
            const std::size_t now = (done_ + i) & 1;
            const std::size_t then = 1 - now;
            if (agents > 0) {
                launch(move_and_deposit<Rule, View>, agent_grid, stream_, rule_, controls_->view(),
                       trail_[now].data(), count_[now].data(), tables_.view(), agents_.data(),
                       ids_.data(), agents, first_step_.data(), i);
                timer.launched("sense_turn_move", 2 * agents_.size() * sizeof(typename Rule::Agent),
                               0);
            }
            launch(kCellKernel, {cells_.grid, cells_.block}, stream_, rule_, controls_->view(),
                   cells_.walk, trail_[now].data(), count_[now].data(), trail_[then].data(),
                   count_[then].data(), birth_.data(), first_step_.data(), i);
            timer.launched("diffuse_decay", 4 * trail_[0].size() * sizeof(std::uint32_t), 1);
        }
        first_step_.add(steps, stream_);
    }

    int device_;
    sim::BasicPhysarumState<Rule> state_;
    Rule rule_;
    unsigned agent_threads_;
    Launch cells_;
    std::size_t done_ = 0; // steps since the start; its parity chooses the buffers
    Stream stream_;
    Buffer<std::uint32_t> trail_[2];
    Buffer<std::uint32_t> count_[2];
    Buffer<std::uint16_t> birth_;
    Buffer<typename Rule::Agent> agents_;
    Buffer<std::uint64_t> ids_;
    DeviceTables tables_;
    std::optional<Controls> controls_; // always there once constructed
    DeviceStep first_step_;
    Graph graph_[2]; // 32 steps from an even and from an odd start
};

template <class Rule>
std::unique_ptr<QueuedPhysarum<Rule>>
make(const Lane &lane, sim::BasicPhysarumState<Rule> state, const Rule &rule,
     const sim::BasicControlFields<typename Rule::Extent> *controls,
     const PhysarumTuning &tuning = {}) {
    if (controls == nullptr) {
        return std::make_unique<CudaPhysarum<Rule, NoDeviceControls>>(lane, std::move(state), rule,
                                                                      tuning);
    }
    return std::make_unique<CudaPhysarum<Rule, DeviceControls<typename Rule::Extent>>>(
        lane, std::move(state), rule, tuning, *controls);
}

} // namespace

std::unique_ptr<QueuedPhysarum2> make_physarum(const Lane &lane, sim::PhysarumState state,
                                               const rules::PhysarumRule &rule,
                                               const PhysarumTuning &tuning) {
    if (auto engine = make_tiled_physarum(lane, state, rule, tuning)) {
        return engine;
    }
    return make(lane, std::move(state), rule, nullptr, tuning);
}

std::unique_ptr<sim::PhysarumEngine> make_physarum(Device device, sim::PhysarumState state,
                                                   const rules::PhysarumRule &rule,
                                                   const sim::ControlFields *controls,
                                                   const PhysarumTuning &tuning) {
    require_device(device);
    const Lane lane{device.ordinal};
    return controls == nullptr ? make_physarum(lane, std::move(state), rule, tuning)
                               : make(lane, std::move(state), rule, controls, tuning);
}

std::unique_ptr<sim::PhysarumEngine> make_two_pass_physarum(Device device, sim::PhysarumState state,
                                                            const rules::PhysarumRule &rule,
                                                            const PhysarumTuning &tuning) {
    require_device(device);
    return make(Lane{device.ordinal}, std::move(state), rule, nullptr, tuning);
}

std::unique_ptr<sim::Physarum3Engine> make_physarum(Device device, sim::Physarum3State state,
                                                    const rules::Physarum3Rule &rule,
                                                    const sim::Control3Fields *controls) {
    require_device(device);
    return make(Lane{device.ordinal}, std::move(state), rule, controls);
}

} // namespace karst::cuda
