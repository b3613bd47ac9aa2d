// Kernels that are compiled once for each instruction set, and which of them this processor runs.
#pragma once

#include <vector>

namespace karst::core {

#if defined(__x86_64__)
// Appends the kernels whose instructions this processor has.
template <class Kernel>
void add_supported(std::vector<const Kernel *> &kernels, const Kernel &avx2, const Kernel &avx512) {
    if (__builtin_cpu_supports("avx2")) {
        kernels.push_back(&avx2);
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        kernels.push_back(&avx512);
    }
}
#endif

} // namespace karst::core
