// The one atomic operation of the simulations: an unsigned add whose result nobody reads.
#pragma once

#include <cstdint>

#if !defined(__CUDA_ARCH__)
#include <atomic>
#endif

#include <karst/config.hpp>

namespace karst::core {

KARST_HD inline void atomic_add(std::uint32_t &target, std::uint32_t value) {
#if defined(__CUDA_ARCH__)
    atomicAdd(&target, value);
#else
    std::atomic_ref<std::uint32_t>(target).fetch_add(value, std::memory_order_relaxed);
#endif
}

} // namespace karst::core
