// What the engines of all simulations have in common.
#pragma once

#include <cstdint>
#include <vector>

#include "core/run.hpp"

namespace karst::sim {

// A cancel waits for at most this many steps; it is also the length of a CUDA graph.
inline constexpr std::uint32_t kStepsAtOnce = 32;

enum class EngineKind { plain, fast }; // fast: the threaded one, or CUDA by the run's device

// Runs the steps of one simulation.
class Engine {
public:
    virtual ~Engine() = default;
    // At most kStepsAtOnce steps.
    virtual void advance(std::uint32_t steps) = 0;
    // Bytes that it holds on its device, its state with them; 0: not known.
    virtual std::uint64_t memory() const { return 0; }
    // From now on advance() adds what it runs to `times`, with no device's name; null: no more.
    void record(std::vector<KernelTime> *times) noexcept { times_ = times; }

protected:
    // Does one pass of the CPU's threads, of `steps` steps as in KernelTime.
    template <class F>
    void timed(const char *kernel, std::uint64_t bytes, std::uint32_t steps, F &&pass) {
        const double begin = times_ == nullptr ? 0 : core::clock_seconds();
        pass();
        if (times_ != nullptr) {
            times_->push_back({kernel, "", core::clock_seconds() - begin, begin, bytes, steps});
        }
    }

    std::vector<KernelTime> *times_ = nullptr;
};

// Runs `steps` steps, reporting progress, and fills the kernels of the run's options. They are a
// part of `whole` steps, `before` of which are done; 0: they are all.
void run_steps(core::Run &run, Engine &engine, std::int64_t steps, std::int64_t before = 0,
               std::int64_t whole = 0);

} // namespace karst::sim
