#include "cli/field_cache.hpp"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <karst/error.hpp>
#include <karst/seed.hpp>

#include "core/digest.hpp"
#include "io/file.hpp"

namespace karst::cli {

namespace {

// A file of the cache: this, the key's length and the digest of the bytes as u64, the key, the
// bytes.
constexpr char kMagic[] = "karst field 1\n";
constexpr std::size_t kMagicSize = sizeof kMagic - 1;

} // namespace

RecipeCache::RecipeCache(std::size_t memory_limit, std::string folder)
    : limit_(memory_limit), folder_(std::move(folder)) {
    if (folder_.empty()) {
        return;
    }
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (!std::filesystem::is_directory(folder_)) {
        throw Error(ErrorCode::io_failure,
                    "cannot make the cache's folder '" + folder_ + "': " + error.message());
    }
}

std::string RecipeCache::file_of(std::string_view key) const {
    return folder_ + "/" + seed_to_string(core::xxh3(key.data(), key.size())).substr(2) + ".field";
}

bool RecipeCache::load_file(std::string_view key, std::span<std::byte> bytes) const {
    std::ifstream file(file_of(key), std::ios::binary);
    char magic[kMagicSize];
    std::uint64_t header[2];
    std::string found(key.size(), '\0');
    if (!file.read(magic, sizeof magic) || std::memcmp(magic, kMagic, kMagicSize) != 0 ||
        !file.read(reinterpret_cast<char *>(header), sizeof header) || header[0] != key.size() ||
        !file.read(found.data(), static_cast<std::streamsize>(found.size())) || found != key ||
        !file.read(reinterpret_cast<char *>(bytes.data()),
                   static_cast<std::streamsize>(bytes.size())) ||
        file.get() != std::ifstream::traits_type::eof()) {
        return false;
    }
    return core::xxh3(bytes.data(), bytes.size()) == header[1];
}

void RecipeCache::keep(std::string_view key, std::span<const std::byte> bytes) {
    if (bytes.size() > limit_ || by_key_.find(key) != by_key_.end()) {
        return;
    }
    while (kept_ + bytes.size() > limit_) {
        kept_ -= entries_.back().bytes.size();
        by_key_.erase(entries_.back().key);
        entries_.pop_back();
    }
    entries_.push_front({std::string(key), {bytes.begin(), bytes.end()}});
    by_key_.emplace(key, entries_.begin());
    kept_ += bytes.size();
}

bool RecipeCache::load(std::string_view key, std::span<std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = by_key_.find(key);
    if (found != by_key_.end() && found->second->bytes.size() == bytes.size()) {
        entries_.splice(entries_.begin(), entries_, found->second);
        std::memcpy(bytes.data(), entries_.front().bytes.data(), bytes.size());
        return true;
    }
    if (folder_.empty() || !load_file(key, bytes)) {
        return false;
    }
    keep(key, bytes);
    return true;
}

void RecipeCache::store(std::string_view key, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    keep(key, bytes);
    if (folder_.empty()) {
        return;
    }
    try {
        io::OutputFile file(file_of(key));
        const std::uint64_t header[2] = {key.size(), core::xxh3(bytes.data(), bytes.size())};
        file.write(kMagic, kMagicSize);
        file.write(header, sizeof header);
        file.write(key);
        file.write(bytes.data(), bytes.size());
        file.commit();
    } catch (const Error &error) {
        if (error.code() != ErrorCode::io_failure) {
            throw;
        }
    }
}

} // namespace karst::cli
