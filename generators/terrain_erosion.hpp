// The erosion of a map on the device of the run.
#pragma once

#include <memory>

#include "core/run.hpp"
#include "sim/erosion.hpp"

namespace karst::terrain {

// As cuda::make_erosion, on the device of the run.
std::unique_ptr<sim::ErosionEngine> make_erosion(core::Run &run, sim::Soil soil,
                                                 const sim::Bedrock &bedrock);

} // namespace karst::terrain
