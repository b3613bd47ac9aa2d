// The CUDA side as the rest of karst sees it: declared here, defined in cuda/, absent without it.
#pragma once

#include <vector>

#include <karst/device.hpp>

namespace karst::cuda {

// The devices that work; empty without a driver. `reason`, if not null, says why it is empty.
std::vector<DeviceInfo> devices(std::string *reason = nullptr);

} // namespace karst::cuda
