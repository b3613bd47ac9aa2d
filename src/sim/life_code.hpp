// How Life on CUDA makes a rule into gates. No choice changes a result.
#pragma once

#include <memory>

#include "sim/life.hpp"

namespace karst::cuda {

enum class LifeCode {
    automatic, // what karst has compiled for the rule; else masks, then a kernel of its own if the
               // engine runs for so long that compiling one pays
    masks,     // one kernel for all rules, which chooses by masks
    compiled   // a kernel for the rule, compiled before the first generation
};

// For LifeCode::compiled also throws Error(unsupported) where no kernel can be compiled.
std::unique_ptr<sim::LifeEngine> make_life(Device device, LifeBoard board, LifeRule rule,
                                           LifeBoundary boundary, LifeCode code,
                                           const LifeTuning &tuning = {});

} // namespace karst::cuda
