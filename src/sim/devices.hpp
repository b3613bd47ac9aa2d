// The CUDA side as the rest of karst sees it: declared here, defined in cuda/, absent without it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <karst/device.hpp>
#include <karst/error.hpp>

namespace karst {

// What the speed of engines depends on.
struct DeviceKey {
    std::string name;       // of the CUDA device, of the processor with the number of threads
    std::string capability; // "9.0"; of a processor its newest instruction set
    std::string driver;     // CUDA versions, "13.0"; empty for a processor
    std::string runtime;
    friend bool operator==(const DeviceKey &, const DeviceKey &) = default;
};

} // namespace karst

namespace karst::cpu {

// For which this machine runs kernels of their own, the newest last.
std::vector<std::string> instruction_sets();

} // namespace karst::cpu

namespace karst::cuda {

// A device that cannot do what another could: too little memory, in the hands of another process,
// older than the code that karst holds.
class Refusal : public Error {
public:
    using Error::Error;
};

// The devices that work; empty without a driver and in a process that was forked after the first
// call. `reason`, if not null, says why it is empty.
std::vector<DeviceInfo> devices(std::string *reason = nullptr);

// Bytes a second that a copy within a device reads and writes together. Throws Error(no_device)
// and Error(out_of_memory).
double copy_rate(Device device);

// How many multiprocessors a device of devices() has, as a part of those of an H200 (132).
double speed(Device device);

// Bytes of the cache that all multiprocessors share.
std::uint64_t cache_size(Device device);

// Whether this process holds a context of the first device, so that a simulation need not wait for
// one. Asks no driver that was not loaded before.
bool is_open();

// devices(), speed(), cache_size() and is_open() make no context.
// Throw Error(no_device).
DeviceKey device_key(Device device);
int multiprocessors(Device device);

} // namespace karst::cuda

namespace karst::sim {

// The same on any device; on the CPU with `threads` threads, 0: all that the process may use.
double copy_rate(Device device, int threads);

// Bytes of the last cache before the memory; 0: not known.
std::uint64_t cache_size(Device device);
// `threads` likewise. Throws Error(no_device).
DeviceKey device_key(Device device, int threads);

} // namespace karst::sim
