// Turns CUDA's error codes into Error. KARST_CUDA_CHECK throws; in destructors the result of a call
// is ignored, since it can only repeat an error already thrown.
#pragma once

#include <string>

#include <cuda_runtime.h>

#include "sim/devices.hpp"

namespace karst::cuda {

inline void check(cudaError_t status, const char *call) {
    if (status == cudaSuccess) {
        return;
    }
    cudaGetLastError(); // clears it, unless it is sticky
    const std::string message = std::string(call) + " failed: " + cudaGetErrorString(status) +
                                " (" + cudaGetErrorName(status) + ")";
    switch (status) {
    case cudaErrorMemoryAllocation:
        throw Refusal(ErrorCode::out_of_memory, message);
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction: // what a question about a kernel says of the same
        throw Refusal(ErrorCode::device_failure,
                      message + "; this build of karst holds no code for this device");
    case cudaErrorUnsupportedPtxVersion: // the driver is older than the code
    case cudaErrorDevicesUnavailable:    // another process has it for itself
        throw Refusal(ErrorCode::device_failure, message);
    default:
        throw Error(ErrorCode::device_failure, message);
    }
}

} // namespace karst::cuda

#define KARST_CUDA_CHECK(call) ::karst::cuda::check((call), #call)
