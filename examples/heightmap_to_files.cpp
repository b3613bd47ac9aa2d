// A terrain from a seed: the 16-bit heights for an engine and a picture for people.
#include <cstdio>

#include <karst/error.hpp>
#include <karst/heightmap.hpp>
#include <karst/io.hpp>
#include <karst/seed.hpp>

int main() try {
    karst::HeightmapParams params;
    params.relief = 600; // metres
    const double cell = 8;
    const karst::Artifact terrain =
        karst::generate_heightmap(params, {253, 253}, cell, karst::parse_seed("blue ridge"));
    karst::write_layer("height.png", terrain, "height");
    karst::write_layer("preview.png", terrain, "preview");
    const karst::Layer &height = terrain.layer("height");
    std::printf("a step of the height is %g m\n", height.scale);
} catch (const karst::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
