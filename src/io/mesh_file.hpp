// What the writers of meshes share: buffered bytes, limits, and axes of files without nodes.
#pragma once

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <karst/io.hpp>

#include "io/file.hpp"

namespace karst::io {

static_assert(std::endian::native == std::endian::little,
              "binary meshes are written from memory as little-endian");

// An index of glTF must not be the largest number of its type, and neither of ours is.
inline constexpr std::uint64_t kMostVertices = 0xfffffffe;

// Throws Error(unsupported) "cannot write 'a.stl': it has 5 triangles; allowed are at most 4".
void require_at_most(const std::string &path, std::uint64_t count, std::string_view what,
                     std::uint64_t limit);

// Vertices and triangles of all parts; throws if there are more than a format can count.
struct MeshTotals {
    std::uint64_t vertices = 0;
    std::uint64_t triangles = 0;
};
MeshTotals totals(const MeshLayer &layer);

// Bytes in front of a file, so that small pieces cost no call to the system.
class ByteSink {
public:
    explicit ByteSink(OutputFile &file) : file_(file) { buffer_.reserve(kCapacity); }

    void bytes(const void *data, std::size_t size) {
        if (buffer_.size() + size > kCapacity) {
            flush();
        }
        if (size > kCapacity) {
            file_.write(data, size);
        } else {
            buffer_.append(static_cast<const char *>(data), size);
        }
    }
    void text(std::string_view text) { bytes(text.data(), text.size()); }
    template <class T>
    void value(const T &value) {
        static_assert(std::is_trivially_copyable_v<T>);
        bytes(&value, sizeof value);
    }
    template <class T>
    void array(const std::vector<T> &values) {
        bytes(values.data(), values.size() * sizeof(T));
    }
    // In decimal; of a float the shortest text that gives it back.
    template <class T>
    void number(T value) {
        char text[32];
        bytes(text,
              static_cast<std::size_t>(std::to_chars(text, text + sizeof text, value).ptr - text));
    }
    // What is still here goes to the file. Must be called at the end.
    void flush() {
        file_.write(buffer_);
        buffer_.clear();
    }

private:
    static constexpr std::size_t kCapacity = std::size_t{1} << 20;

    OutputFile &file_;
    std::string buffer_;
};

// A direction, and a vertex of a part, in the axes and the unit of the options.
Vec3 turned(const Vec3 &direction, const MeshFileOptions &options);
Vec3 placed(const MeshPart &part, const Vec3 &position, const MeshFileOptions &options);

// "karst cave, seed 0x..., algorithm version 1; units m, up y": for the comments of a file.
std::string origin_of(const Artifact &artifact, const MeshFileOptions &options);

} // namespace karst::io
