#include <karst/device.hpp>

namespace karst {

std::string to_string(Device device) {
    switch (device.kind) {
    case DeviceKind::cpu:
        return "cpu";
    case DeviceKind::automatic:
        return "auto";
    case DeviceKind::cuda:
        break;
    }
    return "cuda:" + std::to_string(device.ordinal);
}

} // namespace karst
