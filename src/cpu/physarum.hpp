// Physarum on CPU threads, with a kernel of choice.
#pragma once

#include <memory>
#include <vector>

#include "cpu/physarum_kernel.hpp"
#include "sim/physarum.hpp"
#include "sim/physarum_tuning.hpp"

namespace karst::cpu {

// Those that this machine runs, the fastest last.
std::vector<const PhysarumKernel *> physarum_kernels();

// As make_physarum of sim/physarum.hpp, which takes the kernel that the tuning says.
std::unique_ptr<sim::PhysarumEngine> make_physarum(core::Run &run, sim::PhysarumState state,
                                                   const rules::PhysarumRule &rule,
                                                   const sim::ControlFields *controls,
                                                   const PhysarumKernel &kernel,
                                                   const PhysarumTuning &tuning = {});

} // namespace karst::cpu
