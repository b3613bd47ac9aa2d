// Life on CUDA: a kernel for one rule, compiled while karst runs. It takes half the time of the
// kernels that choose by masks (docs/decisions/0019-nvrtc.md).
#pragma once

#include <string>

#include <karst/simulate.hpp>

#include "nvrtc.hpp"

namespace karst::cuda {

// Text of include/karst/config.hpp, src/rules/life.hpp and cuda/life_strip.cuh.
extern const char *const kConfigText;
extern const char *const kLifeText;
extern const char *const kLifeStripText;

// walk_strips<generations> for a rule, for devices of an architecture such as "sm_90"; takes about
// a second of one thread. `generations` as LifeTuning has them. Throws Error(unsupported) as
// compile_kernel().
KernelCode compile_strips(LifeRule rule, int generations, const std::string &architecture);

// The same on a device, as cudaLaunchKernel() takes it; it stays for as long as the process.
struct CompiledStrips {
    const void *kernel = nullptr; // null: there is none
    std::string fault = {};       // why
};
// Compiles at the first call for a rule, its generations a pass and a device; calls for another
// kernel do not wait for it.
CompiledStrips compiled_strips(int device, LifeRule rule, int generations);
// Null if that has not been done, or without success; waits for nothing.
const void *known_strips(int device, LifeRule rule, int generations);

} // namespace karst::cuda
