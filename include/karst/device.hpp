// Which processor runs the simulations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <karst/config.hpp>

namespace karst {

// automatic: the CPU or the first CUDA device, for each job as an estimate of its simulations says.
enum class DeviceKind { cpu, cuda, automatic };

// A plain value; nothing is opened until a simulation runs on it.
struct Device {
    DeviceKind kind = DeviceKind::cpu;
    int ordinal = 0; // CUDA device number; 0 for the others
    friend constexpr bool operator==(const Device &, const Device &) = default;
};

struct DeviceInfo {
    Device device;
    std::string name;               // "CPU, 8 threads" or the CUDA name
    std::uint64_t memory_bytes = 0; // total memory
};

// The CPU first, then the CUDA devices this process can use. Never throws for a missing driver.
KARST_API std::vector<DeviceInfo> available_devices();

// The first CUDA device if there is one, else the CPU.
KARST_API Device best_device();

// "auto", "cpu", "cuda" or "cuda:N". Throws Error(invalid_argument) for anything else; does not
// check that the device exists.
KARST_API Device parse_device(const std::string &text);

// "auto", "cpu" or "cuda:N".
KARST_API std::string to_string(Device device);

} // namespace karst
