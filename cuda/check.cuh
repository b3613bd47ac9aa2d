// Turns CUDA's error codes into Error. KARST_CUDA_CHECK throws; in destructors the result of a call
// is ignored, since it can only repeat an error already thrown.
#pragma once

#include <string>

#include <cuda_runtime.h>

#include <karst/error.hpp>

namespace karst::cuda {

inline void check(cudaError_t status, const char *call) {
    if (status == cudaSuccess) {
        return;
    }
    cudaGetLastError(); // clears it, unless it is sticky
    const std::string message = std::string(call) + " failed: " + cudaGetErrorString(status) +
                                " (" + cudaGetErrorName(status) + ")";
    if (status == cudaErrorNoKernelImageForDevice) {
        throw Error(ErrorCode::device_failure,
                    message + "; this build of karst holds no code for this device");
    }
    throw Error(status == cudaErrorMemoryAllocation ? ErrorCode::out_of_memory
                                                    : ErrorCode::device_failure,
                message);
}

} // namespace karst::cuda

#define KARST_CUDA_CHECK(call) ::karst::cuda::check((call), #call)
