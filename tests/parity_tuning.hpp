// Shows that no point of a tuning space changes a result.
#pragma once

#include <string>
#include <vector>

#include <karst/device.hpp>

namespace karst::test {

// Every point of every engine's space on the CPU and these devices against the default, on small
// boards and maps, for engines whose "tuning/DEVICE/ENGINE" begins with `prefix`. Prints a line for
// each and says at which point results differ: false.
bool run_tunings(const std::vector<Device> &devices, const std::string &prefix);

} // namespace karst::test
