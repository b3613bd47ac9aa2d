// A small program over karst's public headers; exit status 0 if the library works.
#include <cstdio>

#include <karst/artifact.hpp>
#include <karst/device.hpp>
#include <karst/seed.hpp>

int main() {
    for (const auto &info : karst::available_devices()) {
        std::printf("%s: %s\n", karst::to_string(info.device).c_str(), info.name.c_str());
    }
    karst::Field2D<std::uint16_t> field({3, 2});
    field.at(2, 1) = static_cast<std::uint16_t>(karst::parse_seed("0x2a"));
    const bool digests_differ =
        karst::digest(karst::LayerData(field)) !=
        karst::digest(karst::LayerData(karst::Field2D<std::uint16_t>({3, 2})));
    try {
        karst::parse_device("toaster");
    } catch (const karst::Error &error) { // must be the same type on both sides of the library
        return error.code() == karst::ErrorCode::invalid_argument && digests_differ ? 0 : 1;
    }
    return 1;
}
