// karst/cuda.hpp: simulations on a stream of the caller.
#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include <karst/cuda.hpp>

#include "core/extent.hpp"
#include "core/run.hpp"
#include "overlap.cuh"
#include "queued.cuh"
#include "rules/life_bytes.hpp"
#include "sim/tuning.hpp"

namespace karst {

namespace cuda {

namespace {

constexpr unsigned kCopyColumns = 32;
constexpr unsigned kCopyRows = 8;

template <class To, class From>
__device__ To converted(From value) {
    if constexpr (std::is_floating_point_v<To>) {
        return static_cast<To>(value) * (1 / To{65536});
    } else {
        return value;
    }
}

template <class From, class To>
__global__ void __launch_bounds__(kCopyColumns *kCopyRows)
    copy_rows(const From *__restrict__ from, Extent2 extent, To *__restrict__ to,
              std::int64_t pitch) {
    const std::int64_t x = std::int64_t{blockIdx.x} * kCopyColumns + threadIdx.x;
    if (x >= extent.width) {
        return;
    }
    for (std::int64_t y = std::int64_t{blockIdx.y} * kCopyRows + threadIdx.y; y < extent.height;
         y += std::int64_t{gridDim.y} * kCopyRows) {
        to[y * pitch + x] = converted<To>(from[y * extent.width + x]);
    }
}

// Four cells a thread. `whole_words`: four bytes may be written at once.
__global__ void __launch_bounds__(kCopyColumns *kCopyRows)
    spread_bits(const std::uint64_t *__restrict__ words, Extent2 extent,
                std::uint8_t *__restrict__ to, std::int64_t pitch, bool whole_words) {
    const std::int64_t x = 4 * (std::int64_t{blockIdx.x} * kCopyColumns + threadIdx.x);
    if (x >= extent.width) {
        return;
    }
    const std::int64_t words_a_row = (extent.width + 63) / 64;
    for (std::int64_t y = std::int64_t{blockIdx.y} * kCopyRows + threadIdx.y; y < extent.height;
         y += std::int64_t{gridDim.y} * kCopyRows) {
        const std::uint64_t word = words[y * words_a_row + x / 64];
        const std::uint32_t bytes = rules::bytes_of(static_cast<std::uint32_t>(word >> (x % 64)));
        std::uint8_t *const out = to + y * pitch + x;
        if (whole_words && x + 4 <= extent.width) {
            *reinterpret_cast<std::uint32_t *>(out) = bytes;
            continue;
        }
        for (int i = 0; i < 4 && x + i < extent.width; ++i) {
            out[i] = static_cast<std::uint8_t>(bytes >> (8 * i));
        }
    }
}

// Of a kernel whose threads take `each` columns of a row.
Grid copy_grid(Extent2 extent, std::int64_t each) {
    const auto blocks = [](std::int64_t items, std::int64_t of) { return (items + of - 1) / of; };
    return {dim3(static_cast<unsigned>(blocks(extent.width, each * kCopyColumns)),
                 static_cast<unsigned>(
                     std::min<std::int64_t>(blocks(extent.height, kCopyRows), 65535))),
            dim3(kCopyColumns, kCopyRows)};
}

int device_of(cudaStream_t stream) {
    int device = 0;
#if CUDART_VERSION >= 12080
    if (stream != nullptr && stream != cudaStreamLegacy && stream != cudaStreamPerThread) {
        KARST_CUDA_CHECK(cudaStreamGetDevice(stream, &device));
        return device;
    }
#endif
    KARST_CUDA_CHECK(cudaGetDevice(&device));
    return device;
}

void refuse_capture(cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    KARST_CUDA_CHECK(cudaStreamIsCapturing(stream, &status));
    if (status != cudaStreamCaptureStatusNone) {
        throw Error(ErrorCode::unsupported,
                    "the stream is being captured; a simulation works on a stream that runs");
    }
}

void require_count(std::int64_t count, std::int64_t most, const char *name) {
    if (count < 0 || count > most) {
        throw Error(ErrorCode::invalid_argument, std::string(name) + " is " +
                                                     std::to_string(count) + "; allowed is 0 to " +
                                                     std::to_string(most) + " here");
    }
}

// An engine and where it works.
template <class Engine>
class OnStream {
public:
    explicit OnStream(cudaStream_t stream)
        : lane_{(require_device({DeviceKind::cuda, 0}), refuse_capture(stream), device_of(stream)),
                stream} {}
    ~OnStream() {
        if (is_forked()) {
            engine_.release(); // it is the parent's
            return;
        }
        try {
            const CurrentDevice current(lane_.device);
            engine_.reset();
        } catch (const Error &) {
            // The device is lost, and the memory with it.
        }
    }
    OnStream(const OnStream &) = delete;
    OnStream &operator=(const OnStream &) = delete;

    // make(lane) gives the engine.
    template <class F>
    void begin(F &&make) {
        const CurrentDevice current = enter();
        engine_ = make(lane_);
    }
    // enqueue(engine, steps) in small pieces.
    template <class F>
    void advance(std::int64_t steps, F &&enqueue) {
        const CurrentDevice current = enter();
        while (steps > 0) {
            const auto now = std::min<std::int64_t>(steps, sim::kStepsAtOnce);
            enqueue(*engine_, static_cast<std::uint32_t>(now));
            steps -= now;
        }
    }
    // copy(engine, stream) once the caller's memory is known to be good; `least` is the least
    // pitch.
    template <class F>
    void copy(const void *to, std::int64_t pitch, std::int64_t least, F &&copy) {
        if (pitch < least) {
            throw Error(ErrorCode::invalid_argument, "pitch is " + std::to_string(pitch) +
                                                         "; allowed is " + std::to_string(least) +
                                                         " or more");
        }
        const CurrentDevice current = enter();
        require_memory(to);
        copy(*engine_, *lane_.callers);
    }
    Device device() const { return {DeviceKind::cuda, lane_.device}; }

private:
    CurrentDevice enter() const {
        require_own_process();
        refuse_capture(*lane_.callers);
        return CurrentDevice(lane_.device);
    }

    // A kernel that wrote elsewhere would take the whole process' device away.
    void require_memory(const void *to) const {
        cudaPointerAttributes its{};
        if (to == nullptr) {
            throw Error(ErrorCode::invalid_argument,
                        "the target is a null pointer; allowed is device memory");
        }
        KARST_CUDA_CHECK(cudaPointerGetAttributes(&its, to));
        if (its.type != cudaMemoryTypeManaged &&
            (its.type != cudaMemoryTypeDevice || its.device != lane_.device)) {
            throw Error(ErrorCode::invalid_argument,
                        its.type == cudaMemoryTypeDevice
                            ? "the target is memory of CUDA device " + std::to_string(its.device) +
                                  "; allowed is that of the stream's device, " +
                                  std::to_string(lane_.device)
                            : std::string("the target is memory of the host; allowed is device "
                                          "memory"));
        }
    }

    Lane lane_;
    std::unique_ptr<Engine> engine_;
};

Options options_on(Device device, const Options &options) {
    Options own;
    own.device = device;
    own.threads = options.threads;
    own.executor = options.executor;
    own.cancel = options.cancel;
    own.memory_limit = options.memory_limit;
    own.tuning = options.tuning;
    return own;
}

} // namespace

} // namespace cuda

struct DevicePhysarum::Work {
    cuda::OnStream<cuda::QueuedPhysarum2> on;
    Extent2 extent;
    bool has_birth_times;
    std::int64_t step = 0;

    Work(const PhysarumParams &params, Extent2 size, std::uint64_t seed, cudaStream_t stream,
         const Options &callers)
        : on(stream), extent(size), has_birth_times(params.birth_time) {
        const rules::PhysarumRule rule = sim::quantise(params, extent, seed);
        const Options options = cuda::options_on(on.device(), callers);
        core::require_memory(sim::memory_needed(params, extent), "a simulation of this size",
                             options);
        core::Run run(options);
        on.begin([&](const cuda::Lane &lane) {
            sim::PhysarumState state = sim::start(run, params, rule, 0, nullptr);
            const auto tuning = sim::chosen_tuning<cuda::PhysarumTuning>(sim::tuning_of(options),
                                                                         sim::size_class(state));
            auto engine = cuda::make_physarum(lane, std::move(state), rule, tuning);
            engine->forget_state();
            cuda::load(cuda::copy_rows<std::uint32_t, std::uint32_t>,
                       cuda::copy_rows<std::uint32_t, float>,
                       cuda::copy_rows<std::uint16_t, std::uint16_t>);
            return engine;
        });
    }

    // What find(engine) finds.
    template <class Cell, class F>
    void copy(Cell *cells, std::int64_t pitch, F &&find) {
        on.copy(cells, pitch, extent.width, [&](auto &engine, cudaStream_t stream) {
            const auto *const found = find(engine);
            using Found = std::remove_cvref_t<decltype(*found)>;
            cuda::launch(cuda::copy_rows<Found, Cell>, cuda::copy_grid(extent, 1), stream, found,
                         extent, cells, pitch);
        });
    }
};

DevicePhysarum::DevicePhysarum(const PhysarumParams &params, Extent2 extent, std::uint64_t seed,
                               cudaStream_t stream, const Options &options) try
    : work_(std::make_unique<Work>(params, extent, seed, stream, options)) {
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}
DevicePhysarum::~DevicePhysarum() = default;
DevicePhysarum::DevicePhysarum(DevicePhysarum &&) noexcept = default;
DevicePhysarum &DevicePhysarum::operator=(DevicePhysarum &&) noexcept = default;

void DevicePhysarum::advance(std::int64_t steps) {
    cuda::require_count(steps, std::int64_t{UINT32_MAX} - work_->step, "steps");
    work_->on.advance(steps, [this](auto &engine, std::uint32_t now) {
        engine.enqueue(now);
        work_->step += now;
    });
}

void DevicePhysarum::copy_trail(std::uint32_t *cells, std::int64_t pitch) {
    work_->copy(cells, pitch, [](auto &engine) { return engine.enqueue_trail(); });
}

void DevicePhysarum::copy_trail(float *cells, std::int64_t pitch) {
    work_->copy(cells, pitch, [](auto &engine) { return engine.enqueue_trail(); });
}

void DevicePhysarum::copy_birth_times(std::uint16_t *cells, std::int64_t pitch) {
    if (!work_->has_birth_times) {
        throw Error(ErrorCode::invalid_argument,
                    "birth_time is off, so that there are no birth times to copy");
    }
    work_->copy(cells, pitch, [](auto &engine) { return engine.enqueue_birth_times(); });
}

Extent2 DevicePhysarum::extent() const noexcept {
    return work_->extent;
}

std::int64_t DevicePhysarum::step() const noexcept {
    return work_->step;
}

struct DeviceLife::Work {
    cuda::OnStream<cuda::QueuedLife<LifeBoard>> on;
    Extent2 extent;
    std::int64_t generation = 0;

    Work(const LifeBoard &board, LifeRule rule, LifeBoundary boundary, cudaStream_t stream,
         const Options &callers)
        : on(stream), extent(board.extent()) {
        core::require_sides(extent);
        const Options options = cuda::options_on(on.device(), callers);
        const auto tuning = sim::chosen_tuning<cuda::LifeTuning>(sim::tuning_of(options),
                                                                 sim::size_class(extent.cells()));
        on.begin([&](const cuda::Lane &lane) {
            auto engine = cuda::make_life(lane, board, rule, boundary, tuning);
            engine->forget_board();
            cuda::load(cuda::copy_rows<std::uint64_t, std::uint64_t>, cuda::spread_bits);
            return engine;
        });
    }

    Extent2 words() const { return {(extent.width + 63) / 64, extent.height}; }
};

DeviceLife::DeviceLife(const LifeBoard &board, LifeRule rule, LifeBoundary boundary,
                       cudaStream_t stream, const Options &options) try
    : work_(std::make_unique<Work>(board, rule, boundary, stream, options)) {
} catch (const std::bad_alloc &) {
    core::memory_ran_out();
}
DeviceLife::~DeviceLife() = default;
DeviceLife::DeviceLife(DeviceLife &&) noexcept = default;
DeviceLife &DeviceLife::operator=(DeviceLife &&) noexcept = default;

void DeviceLife::advance(std::int64_t generations) {
    cuda::require_count(generations, INT64_MAX - work_->generation, "generations");
    work_->on.advance(generations, [this](auto &engine, std::uint32_t now) {
        engine.enqueue(now);
        work_->generation += now;
    });
}

void DeviceLife::copy_words(std::uint64_t *words, std::int64_t pitch) {
    const Extent2 extent = work_->words();
    work_->on.copy(words, pitch, extent.width, [&](auto &engine, cudaStream_t stream) {
        cuda::launch(cuda::copy_rows<std::uint64_t, std::uint64_t>, cuda::copy_grid(extent, 1),
                     stream, engine.words(), extent, words, pitch);
    });
}

void DeviceLife::copy_cells(std::uint8_t *cells, std::int64_t pitch) {
    const Extent2 extent = work_->extent;
    work_->on.copy(cells, pitch, extent.width, [&](auto &engine, cudaStream_t stream) {
        const bool whole_words = pitch % 4 == 0 && reinterpret_cast<std::uintptr_t>(cells) % 4 == 0;
        cuda::launch(cuda::spread_bits, cuda::copy_grid(extent, 4), stream, engine.words(), extent,
                     cells, pitch, whole_words);
    });
}

Extent2 DeviceLife::extent() const noexcept {
    return work_->extent;
}

std::int64_t DeviceLife::generation() const noexcept {
    return work_->generation;
}

} // namespace karst
