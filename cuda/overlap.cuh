// Launches that say themselves whether they failed, and kernels that begin while the one before
// still ends: programmatic dependent launch, which devices have from compute capability 9.0. It
// hides the launch and what a kernel does before it needs anything of the others, such as filling
// its shared memory.
#pragma once

#include <cstddef>
#include <type_traits>

#include "check.cuh"

namespace karst::cuda {

// Waits until all kernels before have ended. Every thread must call it before it reads what they
// write and before it writes what they read; such reads must not be __ldg, which may come earlier.
__device__ inline void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

// The next kernel may begin. It still sees nothing that this one writes until this one has ended.
// To be called after wait_for_previous(), so that no more than two kernels are under way: what the
// one before the last has left in a first cache is then gone when the next one begins.
__device__ inline void let_next_begin() {
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

// Whether the code of a kernel that the current device runs has the two functions.
template <class... Parameters>
bool can_overlap(void (*kernel)(Parameters...)) {
    cudaFuncAttributes attributes{};
    KARST_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    return attributes.ptxVersion >= 90;
}

// How a kernel is launched.
struct Grid {
    dim3 blocks;
    dim3 threads; // of a block
    std::size_t shared_bytes = 0;
    bool overlap = false; // a kernel that calls wait_for_previous() may begin early
};

// Launches a kernel. Unlike <<<>>> it needs no cudaGetLastError(), which would take an error of the
// caller's own work for one of karst and make the caller miss it.
template <class... Parameters>
void launch(void (*kernel)(Parameters...), const Grid &grid, cudaStream_t stream,
            const std::type_identity_t<Parameters> &...arguments) {
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = grid.blocks;
    config.blockDim = grid.threads;
    config.dynamicSmemBytes = grid.shared_bytes;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = grid.overlap ? 1 : 0;
    KARST_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
}

// Loads the code of kernels for the current device. Otherwise their first launch does, which may
// wait until the device has nothing to do.
template <class... Kernels>
void load(Kernels *...kernels) {
    cudaFuncAttributes attributes{};
    (KARST_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernels)), ...);
}

} // namespace karst::cuda
