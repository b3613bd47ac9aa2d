// The files that assets read. A run reads each of them once: all of its assets see the same bytes,
// and the digest in a manifest is of the bytes that were used.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <karst/controls.hpp>
#include <karst/io.hpp>

namespace karst::cli {

template <class T>
struct ReadFile {
    T content;
    std::uint64_t digest = 0; // XXH3-64 of the file's bytes
};

// What was read is kept, up to kMostKept bytes of contents. Any thread may call it.
class Inputs {
public:
    template <class T>
    using Read = std::shared_ptr<const ReadFile<T>>;

    // A painted map, as io::grey_png reads it, of at most 65536 cells a side. Nothing is decoded
    // unless it fits in memory three times: here, in the job and in the generator.
    Read<Field2D<std::uint16_t>> map(const std::string &path);
    // As read_obj reads it.
    Read<Mesh> shape(const std::string &path, const MeshFileOptions &axes);
    // As io::parse_networks reads it.
    Read<SavedNetworks> networks(const std::string &path);

private:
    static constexpr std::uint64_t kMostKept = std::uint64_t{1} << 28;

    template <class T>
    using Known = std::map<std::string, Read<T>>; // by path, and how it was read

    template <class T, class Decode>
    Read<T> once(Known<T> &known, const std::string &key, const std::string &path,
                 std::uint64_t largest, Decode decode);

    std::mutex mutex_;
    std::uint64_t kept_ = 0; // bytes
    Known<Field2D<std::uint16_t>> maps_;
    Known<Mesh> shapes_;
    Known<SavedNetworks> networks_;
};

} // namespace karst::cli
