#include "cli/inputs.hpp"

#include <karst/error.hpp>

#include "core/digest.hpp"
#include "core/run.hpp"
#include "io/input_file.hpp"
#include "io/json_file.hpp"
#include "io/network.hpp"
#include "io/obj_text.hpp"
#include "io/png_read.hpp"

namespace karst::cli {

namespace {

std::uint64_t size_of(const Field2D<std::uint16_t> &map) {
    return map.cells().size_bytes();
}

std::uint64_t size_of(const Mesh &mesh) {
    return mesh.positions.size() * sizeof(Vec3) + mesh.normals.size() * sizeof(Vec3) +
           mesh.uvs.size() * sizeof(Vec2) + mesh.indices.size() * sizeof(std::uint32_t);
}

std::uint64_t size_of(const SavedNetworks &saved) {
    std::uint64_t bytes = 0;
    for (const auto &network : saved.networks) {
        bytes += network.trail.cells().size_bytes();
    }
    return bytes;
}

// What core::resample takes.
void require_map_sides(Extent2 size, const std::string &path) {
    constexpr std::int64_t kLargest = 65536;
    if (size.width > kLargest || size.height > kLargest) {
        throw Error(ErrorCode::invalid_input, path + ": the map is " + std::to_string(size.width) +
                                                  " x " + std::to_string(size.height) +
                                                  " pixels; allowed is 1 to " +
                                                  std::to_string(kLargest) + " a side");
    }
}

} // namespace

template <class T>
Inputs::Read<T> Inputs::kept(const Known<T> &known, const std::string &key) {
    const std::lock_guard lock(mutex_);
    const auto found = known.find(key);
    return found == known.end() ? nullptr : found->second;
}

std::pair<std::string, std::uint64_t> Inputs::read(const std::string &path, std::uint64_t largest) {
    std::string bytes = io::InputFile(path).read_all(largest);
    const std::uint64_t digest = core::xxh3(bytes.data(), bytes.size());
    const std::lock_guard lock(mutex_);
    if (digests_.try_emplace(path, digest).first->second != digest) {
        throw Error(ErrorCode::io_failure, path + ": the file has changed since this run read it; "
                                                  "allowed is one that stays until the run ends");
    }
    return {std::move(bytes), digest};
}

// Two threads may read one file at the same time; what the first one read counts.
template <class T, class Decode>
Inputs::Read<T> Inputs::once(Known<T> &known, const std::string &key, const std::string &path,
                             std::uint64_t largest, Decode decode) {
    if (auto found = kept(known, key)) {
        return found;
    }
    const auto file = read(path, largest);
    auto decoded =
        std::make_shared<const ReadFile<T>>(ReadFile<T>{decode(file.first), file.second});
    const std::uint64_t size = size_of(decoded->content);
    const std::lock_guard lock(mutex_);
    if (const auto found = known.find(key); found != known.end()) {
        return found->second;
    }
    if (size <= most_kept_ - kept_) {
        kept_ += size;
        known.emplace(key, decoded);
    }
    return decoded;
}

Inputs::Read<Field2D<std::uint16_t>> Inputs::map(const std::string &path) {
    if (auto found = kept(maps_, path)) {
        return found;
    }
    require_map_sides(io::read_png_header(path).size, path); // before a long file is read
    const std::uint64_t room = core::available_memory();
    return once(maps_, path, path, room, [&](const std::string &bytes) {
        require_map_sides(io::png_header(bytes, path).size, path);
        return io::grey_png(bytes, path, room / 3);
    });
}

Inputs::Read<Mesh> Inputs::shape(const std::string &path, const MeshFileOptions &axes) {
    const std::string key = std::to_string(static_cast<int>(axes.units)) +
                            std::to_string(static_cast<int>(axes.up)) + path;
    return once(shapes_, key, path, io::kLargestObj,
                [&](const std::string &bytes) { return io::parse_obj(bytes, path, axes); });
}

Inputs::Read<SavedNetworks> Inputs::networks(const std::string &path) {
    return once(networks_, path, path, io::kLargestJson,
                [&](const std::string &bytes) { return io::parse_networks(bytes, path); });
}

} // namespace karst::cli
