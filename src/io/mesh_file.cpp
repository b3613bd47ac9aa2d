#include "io/mesh_file.hpp"

#include <karst/seed.hpp>

#include "io/mesh_formats.hpp"

namespace karst::io {

void require_at_most(const std::string &path, std::uint64_t count, std::string_view what,
                     std::uint64_t limit) {
    if (count > limit) {
        throw Error(ErrorCode::unsupported, "cannot write '" + path + "': it has " +
                                                std::to_string(count) + " " + std::string(what) +
                                                "; allowed are at most " + std::to_string(limit));
    }
}

MeshTotals totals(const MeshLayer &layer) {
    MeshTotals sum;
    for (const auto &part : layer.parts) {
        sum.vertices += part.mesh.positions.size();
        sum.triangles += part.mesh.triangles();
    }
    return sum;
}

Vec3 turned(const Vec3 &direction, const MeshFileOptions &options) {
    // 0 - z, not -z: a file need not hold a negative zero.
    return options.up == UpAxis::y ? direction
                                   : Vec3{direction[0], 0.0f - direction[2], direction[1]};
}

Vec3 placed(const MeshPart &part, const Vec3 &position, const MeshFileOptions &options) {
    // In double, so that a vertex that two chunks share comes out equal: both sums are exact for
    // coordinates that are multiples of 2^-20 m and below 2^32 m.
    const double scale = options.units == LengthUnit::metres ? 1 : 100;
    Vec3 sum;
    for (std::size_t i = 0; i < 3; ++i) {
        sum[i] = static_cast<float>(
            (static_cast<double>(part.pivot[i]) + static_cast<double>(position[i])) * scale);
    }
    return turned(sum, options);
}

std::string origin_of(const Artifact &artifact, const MeshFileOptions &options) {
    return "karst " + artifact.generator +
           (artifact.seed ? ", seed " + seed_to_string(*artifact.seed) : "") +
           ", algorithm version " + std::to_string(KARST_ALGORITHM_VERSION) + "; units " +
           units_name(options.units) + ", up " + up_name(options.up);
}

} // namespace karst::io
