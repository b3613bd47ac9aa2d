// Simulations on a CUDA stream of the caller, which write into the caller's device memory. The only
// header of karst that needs CUDA's: no other includes it, and it is installed only with a library
// that was built with CUDA. Whoever uses it links the CUDA runtime, CUDA::cudart or
// CUDA::cudart_static.
#pragma once

#include <cstdint>
#include <memory>

#include <cuda_runtime_api.h>

#include <karst/error.hpp>
#include <karst/simulate.hpp>

namespace karst {

// What holds for both classes.
//
// A simulation works on the device of its stream, whichever is current; for the default stream, and
// with a library built with a CUDA older than 12.8, that is the one that is current when it is
// made. The stream must outlive it. To make one takes memory and waits for the stream. From then on
// all calls only put kernels on the stream and return, whether the device has come to them or not:
// no call waits, takes memory or copies from or to the host, and no other stream is used. One thing
// can make a call wait, as it does with every kernel: CUDA keeps about a thousand launches a
// stream, and a step takes one to three. What is on the stream before comes before, what is put
// there later comes later; work on other streams waits for an event that the caller records. The
// end gives the memory back in the order of the stream; where a device has no memory pools, it
// waits.
//
// The device that is current, and the error that cudaGetLastError() has in store, stay as they are,
// but that to make a simulation may clear that error. Several simulations on any streams may be
// used by several threads at once, each by one at a time. One that was moved from may only be
// destroyed or assigned to.
//
// All may throw Error(device_failure), also in a process that was forked after karst had opened
// CUDA; then the simulation is lost. Error(unsupported), and nothing happened, while the stream is
// captured: a graph would do the same steps again with what the host knew the first time.
// A pitch is the distance between two rows in the memory that is written. Memory that is not of the
// stream's device, nor managed, is an Error(invalid_argument).
//
// Of the options of a constructor count: tuning, and for Physarum threads, executor, cancel and
// memory_limit too.

// simulate_physarum() without maps: after n steps the same bytes as there with `steps` = n.
class KARST_API DevicePhysarum {
public:
    // `params.steps` is not used. Throws as simulate_physarum() does.
    DevicePhysarum(const PhysarumParams &params, Extent2 extent, std::uint64_t seed,
                   cudaStream_t stream, const Options &options = {});
    ~DevicePhysarum();
    DevicePhysarum(DevicePhysarum &&) noexcept;
    DevicePhysarum &operator=(DevicePhysarum &&) noexcept;

    // Error(invalid_argument) for fewer than 0 steps, and for more than 2^32 - 1 in all.
    void advance(std::int64_t steps);

    // Row y goes to cells + y * pitch; the pitch is at least the width. 16 fraction bits; as floats
    // 1 is 1, and what needs more than 24 bits is rounded.
    void copy_trail(std::uint32_t *cells, std::int64_t pitch);
    void copy_trail(float *cells, std::int64_t pitch);
    // As in PhysarumResult. Error(invalid_argument) if the parameters do not ask for them.
    void copy_birth_times(std::uint16_t *cells, std::int64_t pitch);

    Extent2 extent() const noexcept;
    // How many steps are on the stream so far.
    std::int64_t step() const noexcept;

private:
    struct Work;
    std::unique_ptr<Work> work_;
};

// simulate_life(): after n generations the same bits as there. Rules that a job compiles a kernel
// for after a second run without one, unless a job of this process has compiled it before.
class KARST_API DeviceLife {
public:
    // Copies the board. Error(invalid_argument) for a side outside 1 to 2^27; Error(no_device),
    // Error(out_of_memory).
    DeviceLife(const LifeBoard &board, LifeRule rule, LifeBoundary boundary, cudaStream_t stream,
               const Options &options = {});
    ~DeviceLife();
    DeviceLife(DeviceLife &&) noexcept;
    DeviceLife &operator=(DeviceLife &&) noexcept;

    // Error(invalid_argument) for fewer than 0.
    void advance(std::int64_t generations);

    // The words of LifeBoard: ceil(width / 64) a row, which is the least pitch.
    void copy_words(std::uint64_t *words, std::int64_t pitch);
    // A byte a cell: 1 alive, 0 dead.
    void copy_cells(std::uint8_t *cells, std::int64_t pitch);

    Extent2 extent() const noexcept;
    // How many generations are on the stream so far.
    std::int64_t generation() const noexcept;

private:
    struct Work;
    std::unique_ptr<Work> work_;
};

} // namespace karst
