// Cracked ground in memory: which plate lies under a point, and how wide the cracks are.
#include <cstdio>

#include <karst/crack.hpp>
#include <karst/error.hpp>

int main() try {
    karst::CrackParams params;
    params.plate_size = 0.5; // metres
    const double cell = 0.01;
    const std::uint64_t seed = 7;
    const karst::CrackResult cracks = karst::generate_crack(params, {256, 256}, cell, seed);
    std::printf("%lld plates of %.3f m2, cracks %.1f mm wide\n",
                static_cast<long long>(cracks.plate_count), cracks.mean_plate_area,
                1000 * cracks.mean_crack_width);
    const std::uint32_t plate = cracks.plates.at(100, 50);
    if (plate == karst::kNoPlate) {
        std::printf("there is a crack at 1.00 m, 0.50 m\n");
    } else {
        std::printf("plate %u lies at 1.00 m, 0.50 m\n", plate);
    }
} catch (const karst::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
