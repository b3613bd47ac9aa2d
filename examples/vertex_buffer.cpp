// A heightmap that goes chunk by chunk into the vertex buffer of a renderer; only one chunk and the
// coarse land are in memory, however large the map is.
#include <algorithm>
#include <cstdio>
#include <vector>

#include <karst/error.hpp>
#include <karst/heightmap_tiles.hpp>
#include <karst/seed.hpp>

namespace {

// As the renderer's buffer has it.
struct Vertex {
    float x, y, z;
};

constexpr std::int64_t kSide = 65; // samples of a chunk; neighbours share one

} // namespace

int main() try {
    karst::HeightmapParams params;
    params.detail_cell = 16;
    const karst::HeightmapSource land(params, {513, 513}, 2, karst::parse_seed("blue ridge"));
    const auto metres = [&](std::int64_t cells) {
        return static_cast<float>(static_cast<double>(cells) * land.cell());
    };
    std::vector<std::int32_t> heights(kSide * kSide);
    std::vector<Vertex> buffer(heights.size()); // what the renderer maps for each upload
    int uploads = 0;
    float highest = 0;
    for (std::int64_t z = 0; z + kSide <= land.extent().height; z += kSide - 1) {
        for (std::int64_t x = 0; x + kSide <= land.extent().width; x += kSide - 1) {
            land.read({x, z, {kSide, kSide}}, heights);
            for (std::int64_t i = 0; i < kSide * kSide; ++i) {
                const auto index = static_cast<std::size_t>(i);
                buffer[index] = {metres(x + i % kSide),
                                 static_cast<float>(heights[index] * karst::HeightmapSource::kUnit),
                                 metres(z + i / kSide)};
                highest = std::max(highest, buffer[index].y);
            }
            ++uploads;
        }
    }
    std::printf("%d chunks of %zu vertices, the highest at %g m\n", uploads, buffer.size(),
                static_cast<double>(highest));
} catch (const karst::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
