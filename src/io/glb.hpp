// How large a GLB gets, known from counts alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace karst::io {

struct GlbPart {
    std::uint64_t vertices = 0;
    std::uint64_t triangles = 0; // 0: nothing of the part is stored but its node
    bool normals = false;
    bool uvs = false;
    bool tangents = false;

    bool short_indices() const noexcept { return vertices <= 0xffff; }
    std::uint64_t index_bytes() const noexcept { return triangles * 3 * (short_indices() ? 2 : 4); }
    // In the binary chunk: every array starts at a multiple of 4.
    std::uint64_t bytes() const noexcept {
        if (triangles == 0) {
            return 0;
        }
        const std::uint64_t vertex =
            12u + (normals ? 12u : 0u) + (uvs ? 8u : 0u) + (tangents ? 16u : 0u);
        return vertices * vertex + (index_bytes() + 3) / 4 * 4;
    }
};

// The length of the file with `json_bytes` of text, a multiple of 4. Throws Error(unsupported) if a
// part has more vertices than an index can name, or the file more than the 2^32 - 1 bytes that its
// header can state.
std::uint64_t glb_bytes(const std::string &path, std::span<const GlbPart> parts,
                        std::uint64_t json_bytes);

} // namespace karst::io
