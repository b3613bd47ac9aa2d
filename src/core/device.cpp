#include <karst/device.hpp>

namespace karst {

std::string to_string(Device device) {
    return device.kind == DeviceKind::cpu ? "cpu" : "cuda:" + std::to_string(device.ordinal);
}

} // namespace karst
