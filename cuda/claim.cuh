// Places for the lanes of a warp.
#pragma once

#include <cstdint>

namespace karst::cuda {

// Adds 1 to a counter for each of some lanes of a warp that call this with it, and gives each the
// old value: a place of its own. One atomic operation for all of them.
__device__ inline std::uint32_t claim(std::uint32_t *counter, unsigned lanes) {
    const int leader = __ffs(static_cast<int>(lanes)) - 1;
    const unsigned lane = threadIdx.x & 31u;
    std::uint32_t base = 0;
    if (lane == static_cast<unsigned>(leader)) {
        base = atomicAdd(counter, static_cast<std::uint32_t>(__popc(lanes)));
    }
    return __shfl_sync(lanes, base, leader) +
           static_cast<std::uint32_t>(__popc(lanes & ((1u << lane) - 1)));
}

} // namespace karst::cuda
