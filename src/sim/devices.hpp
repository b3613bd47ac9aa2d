// The CUDA side as the rest of karst sees it: declared here, defined in cuda/, absent without it.
#pragma once

#include <vector>

#include <karst/device.hpp>

namespace karst::cuda {

// The devices that work; empty without a driver. `reason`, if not null, says why it is empty.
std::vector<DeviceInfo> devices(std::string *reason = nullptr);

// Bytes a second that a copy within a device reads and writes together. Throws Error(no_device)
// and Error(out_of_memory).
double copy_rate(Device device);

} // namespace karst::cuda

namespace karst::sim {

// The same on any device; on the CPU with `threads` threads, 0: all that the process may use.
double copy_rate(Device device, int threads);

} // namespace karst::sim
