// Life on CPU threads, with a kernel of choice.
#pragma once

#include <memory>
#include <vector>

#include "cpu/life_kernel.hpp"
#include "sim/life.hpp"

namespace karst::cpu {

// Those that this machine runs, the fastest last.
std::vector<const LifeKernel *> life_kernels();

// As make_life of sim/life.hpp, which takes the kernel that the tuning says.
std::unique_ptr<sim::LifeEngine> make_life(core::Run &run, LifeBoard board, LifeRule rule,
                                           LifeBoundary boundary, const LifeKernel &kernel,
                                           const LifeTuning &tuning = {});

} // namespace karst::cpu
