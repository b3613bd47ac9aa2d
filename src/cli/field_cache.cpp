#include "cli/field_cache.hpp"

#include <chrono>
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

RecipeCache::RecipeCache(std::size_t memory_limit, std::string folder,
                         const std::atomic<bool> *cancel)
    : limit_(memory_limit), folder_(std::move(folder)), cancel_(cancel) {
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
    std::ifstream file(std::filesystem::path(file_of(key)), std::ios::binary);
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

void RecipeCache::store_file(std::string_view key, std::span<const std::byte> bytes) const {
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

RecipeCache::Bytes RecipeCache::find_or_claim(std::string_view key) {
    constexpr auto kBetweenLooks = std::chrono::milliseconds(100); // at the cancel switch
    const auto self = std::this_thread::get_id();
    std::unique_lock lock(mutex_);
    for (;;) {
        if (const auto found = by_key_.find(key); found != by_key_.end()) {
            entries_.splice(entries_.begin(), entries_, found->second);
            return entries_.front().bytes;
        }
        const auto maker = makers_.try_emplace(std::string(key), self).first;
        if (maker->second == self || (cancel_ != nullptr && *cancel_)) {
            return nullptr;
        }
        released_.wait_for(lock, kBetweenLooks);
    }
}

void RecipeCache::keep(std::string_view key, std::span<const std::byte> bytes) {
    if (bytes.size() > limit_) {
        return;
    }
    auto copy = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
    const std::lock_guard lock(mutex_);
    if (by_key_.find(key) != by_key_.end()) {
        return;
    }
    while (kept_ + bytes.size() > limit_) {
        kept_ -= entries_.back().bytes->size();
        by_key_.erase(entries_.back().key);
        entries_.pop_back();
    }
    entries_.push_front({std::string(key), std::move(copy)});
    by_key_.emplace(key, entries_.begin());
    kept_ += bytes.size();
}

void RecipeCache::release(std::string_view key) {
    {
        const std::lock_guard lock(mutex_);
        if (const auto maker = makers_.find(key); maker != makers_.end()) {
            makers_.erase(maker);
        }
    }
    released_.notify_all();
}

void RecipeCache::give_up() {
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(makers_, [self = std::this_thread::get_id()](const auto &maker) {
            return maker.second == self;
        });
    }
    released_.notify_all();
}

bool RecipeCache::load(std::string_view key, std::span<std::byte> bytes) {
    if (bytes.size() > limit_ && folder_.empty()) { // there is nothing to wait for
        return false;
    }
    if (const Bytes found = find_or_claim(key)) {
        if (found->size() != bytes.size()) {
            return false;
        }
        std::memcpy(bytes.data(), found->data(), bytes.size());
        return true;
    }
    if (folder_.empty() || !load_file(key, bytes)) {
        return false;
    }
    keep(key, bytes);
    release(key);
    return true;
}

void RecipeCache::store(std::string_view key, std::span<const std::byte> bytes) {
    keep(key, bytes);
    if (bytes.size() <= limit_) { // nobody needs the file
        release(key);
    }
    if (!folder_.empty()) {
        store_file(key, bytes);
    }
    release(key);
}

} // namespace karst::cli
