// Binary STL: 80 bytes of anything but "solid", a count, then 50 bytes a triangle.
#include <array>
#include <cmath>
#include <limits>

#include "io/mesh_file.hpp"
#include "io/mesh_formats.hpp"

namespace karst::io {

namespace {

// Of length 1; of a triangle without area 0, as STL readers take it to mean "compute it".
Vec3 facet_normal(const std::array<Vec3, 3> &corners) {
    std::array<double, 3> a{};
    std::array<double, 3> b{};
    for (std::size_t i = 0; i < 3; ++i) {
        a[i] = static_cast<double>(corners[1][i]) - static_cast<double>(corners[0][i]);
        b[i] = static_cast<double>(corners[2][i]) - static_cast<double>(corners[0][i]);
    }
    const std::array<double, 3> normal{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                                       a[0] * b[1] - a[1] * b[0]};
    const double length =
        std::sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    if (!(length > 0) || !std::isfinite(length)) {
        return {0, 0, 0};
    }
    return {static_cast<float>(normal[0] / length), static_cast<float>(normal[1] / length),
            static_cast<float>(normal[2] / length)};
}

} // namespace

void write_stl(OutputFile &file, const Artifact &artifact, const MeshLayer &layer,
               const MeshFileOptions &options) {
    const std::uint64_t triangles = totals(layer).triangles;
    require_at_most(file.path(), triangles, "triangles", std::numeric_limits<std::uint32_t>::max());
    std::string header = origin_of(artifact, options);
    header.resize(80, ' ');
    ByteSink sink(file);
    sink.text(header);
    sink.value(static_cast<std::uint32_t>(triangles));
    for (const auto &part : layer.parts) {
        const auto &indices = part.mesh.indices;
        for (std::size_t i = 0; i < indices.size(); i += 3) {
            std::array<Vec3, 3> corners;
            for (std::size_t k = 0; k < 3; ++k) {
                corners[k] = placed(part, part.mesh.positions[indices[i + k]], options);
            }
            sink.value(facet_normal(corners));
            sink.value(corners);
            sink.value(std::uint16_t{0});
        }
    }
    sink.flush();
}

} // namespace karst::io
