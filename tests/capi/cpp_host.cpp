// A host of the C++ interface: prints the layers and digests that the command line must print too.
#include <cstdio>

#include <karst/artifact.hpp>
#include <karst/cave.hpp>
#include <karst/heightmap.hpp>
#include <karst/seed.hpp>

namespace {

void print(const char *layer, const karst::LayerData &data) {
    std::printf("%s %s\n", layer, karst::seed_to_string(karst::digest(data)).c_str());
}

} // namespace

int main() {
    karst::CaveParams cave;
    cave.passage_width = 6;
    const std::uint64_t seed = karst::parse_seed("old mine");
    print("map", karst::generate_cave(cave, {256, 256}, 0.5, seed).map);
    print("height", karst::generate_heightmap({}, {129, 129}, 8, 7).layer("height").data);
}
