// What the agents of all Physarum engines on CUDA look up, in device memory.
#pragma once

#include "resources.cuh"
#include "rules/trail.hpp"

namespace karst::cuda {

class DeviceTables {
public:
    DeviceTables() = default;
    explicit DeviceTables(cudaStream_t stream)
        : directions_(uploaded<core::Direction>(core::directions(), stream)),
          powers_(uploaded<core::PowerTables>({&core::power_tables(), 1}, stream)) {}

    rules::Tables view() const { return {directions_.data(), powers_.data()}; }

private:
    Buffer<core::Direction> directions_;
    Buffer<core::PowerTables> powers_;
};

} // namespace karst::cuda
