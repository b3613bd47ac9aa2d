// An .obj text checked line by line, before a library that checks less reads it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <karst/io.hpp>

namespace karst::io {

// The text with nothing but v, vt, vn and f lines, their numbers as written, their indices counted
// from 1, and no more of them than three (vt: two) a line.
struct ObjText {
    std::string text;
    std::uint64_t vertices = 0;
    std::uint64_t uvs = 0;
    std::uint64_t normals = 0;
    std::uint64_t faces = 0;
    std::uint64_t corners = 0; // of all faces
    bool all_uvs = true;       // every corner has one
    bool all_normals = true;
};

// Throws Error(invalid_input) "NAME:LINE: ...": an unknown statement, a line above 64 KiB, a number
// that is none or not finite as a float, an index of no vertex before it, a face of less than 3 or
// more than 255 corners (which tinyobjloader counts in a byte), no face at all.
ObjText check_obj(std::string_view text, const std::string &name);

// The largest file that is read, in bytes.
inline constexpr std::size_t kLargestObj = std::size_t{1} << 30;

// The mesh of such a text, as read_obj makes it of a file; messages call it `name`. Throws
// Error(invalid_input), Error(out_of_memory).
Mesh parse_obj(std::string_view text, const std::string &name, const MeshFileOptions &options);

} // namespace karst::io
