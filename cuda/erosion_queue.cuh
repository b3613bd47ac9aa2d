// A queue of work in device memory that the blocks or warps of one launch fill and empty. A taker
// has a ticket, the number of an entry, and waits for it; it runs, so whatever it waits for is
// worked on by others that run, and no order of blocks can lock.
#pragma once

#include <cstdint>

#include <cuda_runtime.h>

namespace karst::cuda {

struct QueueState {
    std::uint32_t taken;  // tickets
    std::uint32_t pushed; // entries
    std::uint32_t left;   // what is not done: entries, with those that are worked on
    std::uint32_t extra;  // see who uses it
};

// Entries may be pushed more often than there are places, as long as fewer than that wait.
// `entries` is zero at first.
struct RingQueue {
    QueueState *state;
    std::uint64_t *entries; // place + 1 in the upper half
    std::uint32_t mask;     // places less 1; their number is a power of two

    // What was written before is seen by the taker after its fence.
    __device__ void push(std::uint32_t item) const {
        const std::uint32_t number = atomicAdd(&state->pushed, 1u);
        volatile std::uint64_t *const place = entries + (number & mask);
        while (*place != 0) { // whoever takes the entry before it is at it
        }
        *place = (std::uint64_t{number} + 1) << 32 | item;
    }

    // False when nothing is left.
    __device__ bool take(std::uint32_t &item) const {
        const std::uint32_t ticket = atomicAdd(&state->taken, 1u);
        volatile std::uint64_t *const place = entries + (ticket & mask);
        for (;;) {
            const std::uint64_t entry = *place;
            if (entry >> 32 == std::uint64_t{ticket} + 1) {
                item = static_cast<std::uint32_t>(entry);
                *place = 0;
                __threadfence();
                return true;
            }
            if (*static_cast<volatile std::uint32_t *>(&state->left) == 0) {
                return false;
            }
#if __CUDA_ARCH__ >= 700
            __nanosleep(64);
#endif
        }
    }
};

} // namespace karst::cuda
