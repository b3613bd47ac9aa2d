// What the agents of all Physarum engines on CUDA look up, in device memory.
#pragma once

#include "overlap.cuh"
#include "resources.cuh"
#include "rules/trail.hpp"

namespace karst::cuda {

class DeviceTables {
public:
    DeviceTables() = default;
    explicit DeviceTables(const Stream &stream)
        : directions_(uploaded<core::Direction>(core::directions(), stream)),
          powers_(uploaded<core::PowerTables>({&core::power_tables(), 1}, stream)) {}

    rules::Tables view() const { return {directions_.data(), powers_.data()}; }

private:
    Buffer<core::Direction> directions_;
    Buffer<core::PowerTables> powers_;
};

static __global__ void add_steps(std::uint32_t *number, std::uint32_t steps) {
    *number += steps;
}

// The number of the first step of those that are launched next, in device memory, so that a graph
// can be launched again and again.
class DeviceStep {
public:
    DeviceStep() = default;
    // `step` must stay alive until the stream is synchronised.
    DeviceStep(const std::uint32_t &step, const Stream &stream)
        : number_(uploaded<std::uint32_t>({&step, 1}, stream)) {}

    const std::uint32_t *data() const noexcept { return number_.data(); }
    void add(std::uint32_t steps, cudaStream_t stream) {
        launch(add_steps, {1, 1}, stream, number_.data(), steps);
    }

private:
    Buffer<std::uint32_t> number_;
};

} // namespace karst::cuda
