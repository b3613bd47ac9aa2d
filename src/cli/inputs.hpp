// The files that assets read. All assets of a run see the same bytes of a file, and the digest in a
// manifest is of the bytes that were used.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <karst/controls.hpp>
#include <karst/io.hpp>

namespace karst::cli {

template <class T>
struct ReadFile {
    T content;
    std::uint64_t digest = 0; // XXH3-64 of the file's bytes
};

// What was read is kept, up to `most_kept` bytes of contents; what is not kept is read again, and
// throws Error(io_failure) if it has other bytes by then. Any thread may call it.
class Inputs {
public:
    explicit Inputs(std::uint64_t most_kept = std::uint64_t{1} << 28) : most_kept_(most_kept) {}

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
    template <class T>
    using Known = std::map<std::string, Read<T>>; // by path, and how it was read

    // Null: it was not kept.
    template <class T>
    Read<T> kept(const Known<T> &known, const std::string &key);
    // The file's bytes and their digest.
    std::pair<std::string, std::uint64_t> read(const std::string &path, std::uint64_t largest);
    template <class T, class Decode>
    Read<T> once(Known<T> &known, const std::string &key, const std::string &path,
                 std::uint64_t largest, Decode decode);

    const std::uint64_t most_kept_;
    std::mutex mutex_;                             // of all below
    std::uint64_t kept_ = 0;                       // bytes
    std::map<std::string, std::uint64_t> digests_; // of what was read, by path
    Known<Field2D<std::uint16_t>> maps_;
    Known<Mesh> shapes_;
    Known<SavedNetworks> networks_;
};

} // namespace karst::cli
